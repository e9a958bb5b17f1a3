"""The store in a file: SQLite, for one process that writes and any number that read.

The process writes through one connection in one thread (`writer`); a lock file keeps others out.
All other connections are read only.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from ..errors import InputError, StoreError
from ..writing import StrPath, sync_folder
from . import rows, schema, sqlite_file
from .events import Entry, Event, check_entries, check_name, follow, utc_now
from .lockfile import LockFile
from .sql import OVER, TURN, SqlStore, new_file
from .store import Clock, Failed
from .writer import Writer


class SqliteStore(SqlStore):
    """Events in a file; see `store.Store`."""

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool = False,
        wait: float = 0.0,
        on_failure: Failed | None = None,
        clock: Clock = utc_now,
    ) -> None:
        self.path = Path(os.path.realpath(path))
        self._clock = clock
        self._turns: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._trying = threading.Lock()
        self._heads: dict[str, Event] = {}  # the last event that the writer wrote: it alone writes
        self._closed = False
        sqlite_file.look_at(self.path, read_only)
        self._readers = sqlite_file.engine(self.path, read_only=True)
        self._process = os.getpid()
        lock = sqlite_file.lock_path(self.path)
        self._lock = None if read_only else LockFile(lock, self.path, wait)
        try:
            with sqlite_file.explained(self.path):
                self._writer = None if read_only else self._start(on_failure)
                if read_only:
                    self._check_version()
        except BaseException:
            self._readers.dispose()
            if self._lock:
                self._lock.release()
            raise

    def _start(self, on_failure: Failed | None) -> Writer:
        engine = sqlite_file.engine(self.path, read_only=False)
        connection = engine.connect()
        try:
            with connection.begin() as looking:  # the settings below would change a foreign file
                needs_work = schema.needs_work(connection, str(self.path))
                looking.rollback()
            sqlite_file.set_up(connection, self.path)
            if needs_work:
                with connection.begin():
                    schema.upgrade(connection)
            sync_folder(self.path.parent)
        except BaseException:
            connection.close()
            raise
        return Writer(
            connection,
            explain=lambda error: str(sqlite_file.explain(self.path, error)),
            look=sqlite_file.watch(self.path),
            on_failure=on_failure,
        )

    def _check_version(self) -> None:
        with self._readers.connect() as connection:
            if schema.needs_work(connection, str(self.path)):
                advice = "open it for writing once"
                raise InputError(f"{self.path}: empty, or of an older sidelight: {advice}")

    @property
    def shared(self) -> bool:
        """Whether another process may write meanwhile: the lock file says that it is us."""
        return self._writer is None

    # ---- writing ---------------------------------------------------------------------------------

    def submit(self, experiment: str, after: int, entries: Sequence[Entry]) -> Future[list[Event]]:
        """Append when the writer comes to it; those that wait together are committed together."""
        entries = list(entries)
        check_entries(experiment, after, entries)
        time = self._clock()

        def job(connection: sa.Connection) -> list[Event]:
            before = self._heads.pop(experiment, None)  # forgotten, if this fails
            events = rows.append(connection, experiment, after, entries, time, before)
            self._heads[experiment] = events[-1]
            return events

        return self._writing().submit(job)

    def flush(self) -> None:
        """Wait until all that was submitted before is on disk, or has failed."""
        if self._writer is not None:
            self._writer.submit(lambda _: None).result()

    @contextmanager
    def turn(self, experiment: str) -> Iterator[SqliteTurn]:
        """The experiment for one caller of this process alone."""
        check_name(experiment)
        self._writing()
        with self._guard:
            lock = self._turns.setdefault(experiment, threading.Lock())
        if not lock.acquire(timeout=TURN):
            raise StoreError(f"{experiment}: another turn has lasted {TURN:g} s: end it first")
        turn = None
        try:
            turn = SqliteTurn(self, experiment, self._clock)
            yield turn
            if turn.made:
                made, before = turn.made, turn.before
                self._insert(before, made)
        finally:
            if turn is not None:
                turn.ended = True
            lock.release()

    def _take_over(self, events: list[Event]) -> None:
        self._insert(None, events)

    def _insert(self, before: Event | None, events: list[Event]) -> None:
        def job(connection: sa.Connection) -> None:
            self._heads.pop(events[0].experiment, None)
            rows.insert_after(connection, before, events)

        self._writing().submit(job).result()

    def _writing(self) -> Writer:
        if self._writer is None:
            raise InputError(f"{self.path}: was opened for reading only")
        return self._writer

    @property
    def commits(self) -> int:
        """How often the disk was waited for since the store was opened."""
        return self._writing().commits

    def check(self) -> None:
        """`StoreError` where the writer has ended, or the disk would not take an append now."""
        self._check_open()
        if self._writer is None:
            return
        if self._writer.failure:
            raise StoreError(self._writer.failure)
        with self._trying:
            sqlite_file.try_to_write(self.path)

    # ---- reading ---------------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        self._check_open()
        with sqlite_file.explained(self.path), self._readers.connect() as connection:
            yield connection

    def _check_open(self) -> None:
        if self._closed:
            raise InputError(f"{self.path}: the store is closed: open it again")

    def backup(self, path: StrPath) -> None:
        """Copy the database as it is now; the writer does not wait for it."""
        self._check_open()
        target = new_file(path)
        half = target.with_name(f".{uuid.uuid4().hex}.tmp")
        try:
            with sqlite_file.explained(target), self._readers.connect() as connection:
                source = connection.connection.driver_connection
                assert isinstance(source, sqlite3.Connection)
                with closing(sqlite3.connect(half)) as copy:
                    source.backup(copy)
                    sqlite_file.seal(copy, self.path)
                half.rename(target)
                sync_folder(target.parent)
        finally:
            half.unlink(missing_ok=True)

    def close(self) -> None:
        """Finish what waits, move the log into the database, and let the next writer in."""
        if self._closed:
            return
        self._closed = True
        if os.getpid() != self._process:  # a fork: file, lock and log are the parent's
            return
        self._readers.dispose()
        if self._writer and self._lock:
            known = self._writer.failure
            self._writer.close()
            if self._writer.failure:  # the file stays as it is, and locked, until the process ends
                if not known:
                    raise StoreError(self._writer.failure)
                return
            self._writer.disconnect()
            self._lock.release()


class SqliteTurn:
    """A turn gathers what it appends; the store writes it when the block has ended."""

    def __init__(self, store: SqliteStore, experiment: str, clock: Clock) -> None:
        self._store, self._experiment, self._clock = store, experiment, clock
        self.before = store.last(experiment)
        self.made: list[Event] = []
        self.ended = False

    def last(self) -> Event | None:
        """The last event, those of this turn included."""
        return self.made[-1] if self.made else self.before

    def read(self, after: int = 0) -> Iterator[Event]:
        """The events after n, those of this turn included."""
        known = self.before.n if self.before else 0
        yield from (
            event for event in self._store.read(self._experiment, after) if event.n <= known
        )
        yield from (event for event in self.made if event.n > after)

    def find(self, kind: str, key: str) -> Event | None:
        """The event of that type with that key, or None."""
        mine = (event for event in self.made if (event.type, event.key) == (kind, key))
        return next(mine, None) or self._store.find(self._experiment, kind, key)

    def append(self, after: int, entries: Sequence[Entry]) -> list[Event]:
        """Append; kept, and acknowledged, when the block has ended without an error."""
        if self.ended:
            raise InputError(OVER)
        entries = list(entries)
        check_entries(self._experiment, after, entries)
        rows.refuse_taken(self.find, entries)
        new = follow(self._experiment, self.last(), after, entries, self._clock())
        self.made += new
        return new
