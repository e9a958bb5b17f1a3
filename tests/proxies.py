"""A wire to a server that is cut at a commit, before the server hears of it or after."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Wire:
    """Connections to `port` through `own`; `cut` is "before" or "after", or "" for never."""

    port: int
    own: int = 0
    cut: str = ""
    cuts: int = 0
    ends: list[socket.socket] = field(default_factory=list)
    heard: threading.Event = field(default_factory=threading.Event)

    def carry(self, client: socket.socket) -> None:
        """Both directions of one connection."""
        try:
            server = socket.create_connection(("127.0.0.1", self.port))
        except OSError:
            close(client)
            return
        self.ends += [client, server]
        silent = threading.Event()
        threading.Thread(target=self._answers, args=(server, client, silent), daemon=True).start()
        with suppress(OSError):
            while data := client.recv(65536):
                if b"COMMIT" in data and self.cut:
                    self.cuts += 1
                    if self.cut == "after":
                        silent.set()
                        server.sendall(data)
                        assert self.heard.wait(60)  # the server has answered, and nobody hears it
                    break
                server.sendall(data)
        close(client)
        close(server)

    def _answers(
        self, server: socket.socket, client: socket.socket, silent: threading.Event
    ) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if silent.is_set():
                    self.heard.set()
                else:
                    client.sendall(data)
        close(client)


def close(end: socket.socket) -> None:
    """End a connection whoever reads from it."""
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def wired(port: int) -> Iterator[Wire]:
    """A wire to that port of loopback."""
    wire = Wire(port)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        wire.own = listening.getsockname()[1]

        def accept() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listening.accept()
                    threading.Thread(target=wire.carry, args=(client,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield wire
        listening.shutdown(socket.SHUT_RDWR)
    for end in wire.ends:
        close(end)
