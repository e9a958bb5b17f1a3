"""Starting and ending a service.

Before the port opens, every experiment is replayed and every policy compiled. When the service is
told to end, it takes no more connections, answers what it was asked, ends its streams and closes
the store; whoever waits for what takes longer, such as a hard analysis, is told to ask again. Where
the store fails for good, it answers so for a moment and ends with an error: the next process reads
what is on disk.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import uvicorn

from ..errors import InputError, StoreError
from ..live.store import open_store
from .app import create_app
from .connections import protocol
from .gate import Gate
from .logs import Handler, Log
from .metrics import Metrics
from .service import Service
from .settings import Settings
from .shelf import Shelf
from .streams import Feeds
from .tokens import TokenFile

GRACE = 10  # seconds to answer what was asked, when the service ends
RED = 1.0  # seconds that a service with a failed store goes on, to say so
BACKLOG = 1024
THREADS = 16  # for questions that take a moment
SWITCH = 0.0005  # seconds that a thread may keep the interpreter: the writer is busy, callers wait


class Server(uvicorn.Server):
    """A server that says where it listens, and ends its streams when it ends."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self.service = service

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals end the server; they are not raised once more when it has ended well."""
        with super().capture_signals():
            try:
                yield
            finally:
                self._captured_signals.clear()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the port."""
        await super().startup(sockets)
        settings = self.service.settings
        where = self.servers[0].sockets[0].getsockname()
        scheme = "https" if settings.has_tls else "http"
        host = f"[{where[0]}]" if ":" in where[0] else where[0]
        self.service.log.say("listening", url=f"{scheme}://{host}:{where[1]}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what waits and what takes long, and answer the rest."""
        self.service.log.say("stopping")
        self.service.stop()
        await super().shutdown(sockets)


def make_service(settings: Settings, on_failure: Callable[[StoreError], None], log: Log) -> Service:
    """All parts of a service, with every experiment open."""
    tokens = TokenFile(settings.tokens)
    settings.check(bool(tokens.all()))
    store = open_store(settings.where, read_only=settings.read_only, on_failure=on_failure)
    feeds = Feeds(store, settings.limits.streams)
    try:
        shelf = Shelf(store, settings.limits, feeds.keep)
        shelf.open_all(lambda name: log.say("opening", experiment=name))
    except BaseException:
        store.close()
        raise
    return Service(settings, Gate(settings, tokens), shelf, log, Metrics(), feeds)


def make_server(settings: Settings, log: Log) -> Server:
    """A server that can be run."""
    made: list[Server] = []

    def failed(error: StoreError) -> None:
        if made:
            made[0].service.failure = str(error)
        log.say("storage-failed", error=str(error))

    service = make_service(settings, failed, log)
    limits = settings.limits
    config = uvicorn.Config(
        create_app(service),
        host=settings.host,
        port=settings.port,
        http=protocol(limits),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        h11_max_incomplete_event_size=limits.head,
        timeout_keep_alive=int(limits.idle),
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key,
    )
    made.append(Server(config, service))
    return made[0]


async def watch(server: Server) -> None:
    """End the server a moment after its store has failed."""
    while not server.should_exit:
        await asyncio.sleep(RED / 2)
        if server.service.failure:
            await asyncio.sleep(RED)
            server.should_exit = True


def bound(settings: Settings) -> socket.socket:
    """The address of a service, taken before anything else is done; nobody can connect yet."""
    where = f"{settings.host}:{settings.port}"
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
        family, kind, number, _, address = found[0]
        taken = socket.socket(family, kind, number)
        try:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(address)
        except OSError:
            taken.close()
            raise
    except OSError as error:
        advice = "choose another with --host or --port"
        raise InputError(f"{where}: {error.strerror or error}; {advice}") from None
    return taken


async def run(server: Server, place: socket.socket) -> None:
    """Run a server until it is told to end, or its store fails."""
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(THREADS, "sidelight-read"))
    watching = asyncio.create_task(watch(server))
    try:
        await server.serve([place])
    finally:
        watching.cancel()


def leave_out_of_collections(server: Server) -> None:
    """Exclude what lives as long as the process from garbage collection.

    These are half a million objects, of libraries, machine code and experiments. To look through
    them takes a tenth of a second, in which nobody gets an answer, about once in 2,000 decisions.
    """

    def leave_out() -> None:
        gc.collect()  # or the garbage of this moment would stay
        gc.freeze()

    leave_out()
    server.service.shelf.when_opened = leave_out


def serve(settings: Settings) -> None:
    """Run a service until it is told to end."""
    log = Log()
    below = logging.getLogger("uvicorn")
    below.handlers, below.propagate = [Handler(log)], False
    below.setLevel(logging.ERROR)
    sys.setswitchinterval(SWITCH)
    with bound(settings) as place:
        server = make_server(settings, log)
        leave_out_of_collections(server)
        asyncio.run(run(server, place))
    if server.service.failure:
        os._exit(1)  # without any clean-up, which would touch the file once more
    log.say("stopped")
