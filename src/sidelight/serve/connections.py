"""Who may connect, and for how long without saying anything.

A connection that waits for its client (for a request, for the rest of one, or for the client to
read an answer) is closed after some seconds, however slowly bytes come or go meanwhile. Where as
many are open as may be, the one that has waited longest makes room, so that idle sockets keep
nobody out; where none waits, the new one is refused. Bytes that are no HTTP get the same kind of
answer as all other errors.

The head and the body of an answer are two writes of the server below us, and would be two calls of
the system; `Gathering` makes them one.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from .gate import HUNG_UP, Visit
from .refusals import HEADERS, MEDIA, Refusal
from .settings import Limits


class Gathering:
    """A transport that writes at once what is written in one turn of the event loop."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Write soon."""
        if not self._parts:
            self._loop.call_soon(self._flush)
        self._parts.append(data)

    def close(self) -> None:
        """Write what is left, and close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._parts:
            parts, self._parts = self._parts, []
            self._transport.write(b"".join(parts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


def protocol(limits: Limits) -> type[H11Protocol]:
    """The protocol of a server with these limits."""

    class Limited(Connection):
        most, patience = limits.connections, limits.idle

    return Limited


class Connection(H11Protocol):
    """A connection of HTTP/1.1 that may not wait for ever."""

    most = 256
    patience = 10.0
    _since = 0.0
    _timer: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether it is the client's turn."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is None or cycle.response_complete or cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come."""
        super().connection_made(Gathering(transport, self.loop))  # type: ignore[arg-type]
        self._since = self.loop.time()
        self._timer = self.loop.call_later(self.patience, self._look)
        if len(self.connections) > self.most:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        for timer in (self._timer, self._writing):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read."""
        self._writing = self.loop.call_later(self.patience, self.transport.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client reads again."""
        if self._writing is not None:
            self._writing.cancel()
        super().resume_writing()

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """The client says no more; if it has asked something, it gets its answer.

        Whoever reads a stream and says so has gone: its place is for others.
        """
        if self.waits or self.scheme == "https":
            return None
        scope: dict[str, Any] = self.cycle.scope  # type: ignore[assignment]
        visit: Visit | None = scope.get("visit")
        if visit is None:
            scope[HUNG_UP] = True
        elif visit.streams:
            return None
        else:
            visit.hung_up = True
        self.cycle.keep_alive = False
        return True

    def on_response_complete(self) -> None:
        """It is the client's turn again."""
        self._since = self.loop.time()
        super().on_response_complete()

    def _look(self) -> None:
        waited = self.loop.time() - self._since if self.waits else 0.0
        if waited >= self.patience:
            self._let_go()
            return
        self._timer = self.loop.call_later(self.patience - waited, self._look)

    def _let_go(self) -> None:
        """Close the connection; a client that has begun a request is told why."""
        cycle: RequestResponseCycle | None = self.cycle
        head, _ = self.conn.trailing_data
        if head or (cycle is not None and cycle.more_body and not cycle.response_started):
            words = f"the request was not whole after {self.patience:g} s: send it at once"
            self._say(Refusal("invalid-request", words))
        else:
            self.transport.abort()

    def _make_room(self) -> None:
        others = [
            one
            for one in self.connections
            if isinstance(one, Connection) and one is not self and one.waits
        ]
        if others:
            longest = min(others, key=lambda one: one._since)
            self.connections.discard(longest)
            longest.transport.abort()
            return
        words = f"{self.most} connections are open and in use: wait, and share connections"
        self._say(Refusal("rate-limited", words, {"retry-after": "1"}))

    def send_400_response(self, msg: str) -> None:
        """What came is no HTTP."""
        words = "this is no request of HTTP/1.1, or its head is too large: send another"
        self._say(Refusal("invalid-request", words))

    def _say(self, refusal: Refusal) -> None:
        body = refusal.body("")
        lines = [
            f"HTTP/1.1 {refusal.status} {refusal.title}",
            f"content-type: {MEDIA}",
            f"content-length: {len(body)}",
            "connection: close",
            *(f"{name}: {value}" for name, value in {**HEADERS, **refusal.headers}.items()),
        ]
        self.transport.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        self.transport.close()
