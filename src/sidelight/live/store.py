"""The event store: what it promises, and the door to the two databases behind it.

- An append is all or nothing. It says which n it must follow, and whoever comes second is told.
- An append is answered after its commit is on disk: what was answered outlives kill -9 and a loss
  of power. What was not answered may be there or not; its key finds out.
- No event is changed or removed, and none is there twice: (experiment, n) and (experiment, type,
  key) are unique. Experiments do not know each other.
- Reading never waits for writing, and never sees a part of an append.

    SQLite          a file; one process writes, any number reads
    PostgreSQL      a server; any number of processes write, in turns
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, Self

from ..errors import InputError, StoreError
from ..extras import Needs
from ..writing import StrPath
from .events import Entry, Event, utc_now

Clock = Callable[[], str]
Failed = Callable[[StoreError], None]


class Turn(Protocol):
    """An experiment while nobody else appends to it. Nothing is kept if the block fails."""

    def last(self) -> Event | None:
        """The last event, those of this turn included."""

    def read(self, after: int = 0) -> Iterator[Event]:
        """The events after n, those of this turn included."""

    def find(self, kind: str, key: str) -> Event | None:
        """The event of that type with that key, or None."""

    def append(self, after: int, entries: Sequence[Entry]) -> list[Event]:
        """Append; kept, and acknowledged, when the block has ended without an error."""


class Store(Protocol):
    """Where events are kept."""

    @property
    def shared(self) -> bool:
        """Whether others may write meanwhile: what was read may be old."""

    def append(self, experiment: str, after: int, entries: Sequence[Entry]) -> list[Event]:
        """Append all entries after event n, or none; returns when they are on disk."""

    def submit(self, experiment: str, after: int, entries: Sequence[Entry]) -> Future[list[Event]]:
        """The same for a caller who waits later. Those that wait together are written together."""

    def flush(self) -> None:
        """Wait until all that was submitted before is on disk, or has failed."""

    def turn(self, experiment: str) -> AbstractContextManager[Turn]:
        """The experiment for one caller alone: read what others wrote, decide, append."""

    def last(self, experiment: str) -> Event | None:
        """The last event, or None where there is none."""

    def read(self, experiment: str, after: int = 0) -> Iterator[Event]:
        """The events after n in their order, also those that come while reading."""

    def find(self, experiment: str, kind: str, key: str) -> Event | None:
        """The event of that type with that key, or None."""

    def experiments(self) -> list[str]:
        """The names of all experiments, in order."""

    def export(self, experiment: str) -> Iterator[str]:
        """The events as lines of JSON."""

    def load(self, lines: Iterable[str]) -> str:
        """Take over an exported experiment that is not here yet; its name."""

    def backup(self, path: StrPath) -> None:
        """All events in a new file, which is a store of its own; nobody has to wait for it."""

    def check(self) -> None:
        """`StoreError` where nothing can be written now, or read where it is only read."""

    def close(self) -> None:
        """Finish what waits, and let go of the database."""

    def __enter__(self) -> Self:
        """The store itself; it is closed at the end of the block."""

    def __exit__(self, *_: object) -> None:
        """Close."""


def open_store(
    where: StrPath,
    *,
    read_only: bool = False,
    wait: float = 0.0,
    on_failure: Failed | None = None,
    clock: Clock = utc_now,
) -> Store:
    """Open the store in a file, or at an address `postgresql://...`; make it where it is new.

    While another process writes into the file, `wait` so many seconds for it to let go.

    `on_failure` is called when the writer of a file has ended for good. A service may want to end
    its process there: `os._exit` skips the clean-up, which would touch the file once more.
    """
    address = os.fspath(where)
    kind, is_address, _ = address.partition("://")
    if is_address and kind not in {"postgresql", "postgres"}:
        raise InputError(f"{kind}://...: no such database: name a file, or postgresql://...")
    with Needs("the event store", "service"):
        if is_address:
            from .postgres import PostgresStore  # noqa: PLC0415 - optional packages

            return PostgresStore(address, read_only=read_only, clock=clock)
        from .sqlite import SqliteStore  # noqa: PLC0415

        return SqliteStore(
            Path(address), read_only=read_only, wait=wait, on_failure=on_failure, clock=clock
        )
