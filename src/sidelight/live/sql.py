"""What both databases have in common: reading, and what follows from reading."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

import sqlalchemy as sa

from ..errors import ConflictError, InputError
from ..writing import StrPath, exists
from . import exchange, rows
from .events import Entry, Event, check_key, check_name, check_type

TURN = 30.0  # seconds to wait for another turn
OVER = "the turn has ended: take another, and read again"


class SqlStore(ABC):
    """A store on SQLAlchemy Core; databases differ in how they connect and in who may write."""

    def append(self, experiment: str, after: int, entries: Sequence[Entry]) -> list[Event]:
        """Append all entries after event n, or none; returns when they are on disk."""
        return self.submit(experiment, after, entries).result()

    @abstractmethod
    def submit(self, experiment: str, after: int, entries: Sequence[Entry]) -> Future[list[Event]]:
        """The same for a caller who waits later."""

    @abstractmethod
    def backup(self, path: StrPath) -> None:
        """All events in a new file, which is a store of its own."""

    @abstractmethod
    def close(self) -> None:
        """Finish what waits, and let go of the database."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[sa.Connection]:
        """A connection to read with; its errors are ours."""

    @abstractmethod
    def _take_over(self, events: list[Event]) -> None:
        """Insert a whole chain, on disk when it returns."""

    def last(self, experiment: str) -> Event | None:
        """The last event, or None where there is none."""
        check_name(experiment)
        with self._reading() as connection:
            return rows.last(connection, experiment)

    def read(self, experiment: str, after: int = 0) -> Iterator[Event]:
        """The events after n in their order, also those that come while reading."""
        check_name(experiment)
        return self._pages(experiment, after)

    def find(self, experiment: str, kind: str, key: str) -> Event | None:
        """The event of that type with that key, or None."""
        check_name(experiment)
        check_type(kind)
        check_key(key)
        with self._reading() as connection:
            return rows.find(connection, experiment, kind, key)

    def experiments(self) -> list[str]:
        """The names of all experiments, in order."""
        with self._reading() as connection:
            return sorted(rows.experiments(connection))

    def export(self, experiment: str) -> Iterator[str]:
        """The events as lines of JSON."""
        if self.last(experiment) is None:
            raise InputError(f"there is no experiment {experiment!r} here")
        return exchange.to_lines(self.read(experiment))

    def load(self, lines: Iterable[str]) -> str:
        """Take over an exported experiment that is not here yet; its name."""
        events = exchange.from_lines(lines)
        name = events[0].experiment
        try:
            self._take_over(events)
        except ConflictError:
            raise InputError(f"{name} is here already: load it into another store") from None
        return name

    def _pages(self, experiment: str, after: int) -> Iterator[Event]:
        while True:
            with self._reading() as connection:
                page = rows.read(connection, experiment, after, rows.PAGE)
            yield from page
            if len(page) < rows.PAGE:
                return
            after = page[-1].n

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def new_file(path: StrPath) -> Path:
    """A path that a backup may take."""
    target = Path(path)
    if exists(target):
        raise InputError(f"{target}: is there already: name another file for the backup")
    if not exists(target.parent):
        raise InputError(f"{target.parent}: no such folder: make it, or name another")
    return target
