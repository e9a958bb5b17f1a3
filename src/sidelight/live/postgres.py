"""The store on a server: PostgreSQL, for any number of processes that write.

Whoever appends takes the lock of the experiment (an advisory lock that lasts as long as the
transaction), reads what is there, and appends, so that numbers have no gaps whoever writes. The
server syncs its log before it answers a commit (`synchronous_commit`, `fsync`: both are looked at).

A connection may be lost. Before the commit was sent, nothing was kept. After that nobody knows, and
the error says so: repeat with the same key, and the answer is the first one if there was one.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import psycopg  # noqa: F401 - the driver that SQLAlchemy finds by name
import sqlalchemy as sa

from ..errors import InputError, SidelightError, StoreError, UnknownOutcomeError
from ..writing import StrPath, sync_folder
from . import rows, schema
from .events import Entry, Event, check_entries, check_key, check_name, check_type, utc_now
from .sql import OVER, TURN, SqlStore, new_file
from .store import Clock

CONNECT = 10  # seconds
SILENCE = 30  # seconds without an answer to what was sent, until the connection counts as lost
SCHEMA = "sidelight schema"  # the lock under which the tables are made
REQUIRED = {"fsync": "on", "full_page_writes": "on", "server_encoding": "UTF8"}


class PostgresStore(SqlStore):
    """Events in a database of PostgreSQL; see `store.Store`."""

    shared = True

    def __init__(self, address: str, *, read_only: bool = False, clock: Clock = utc_now) -> None:
        self._clock, self._read_only, self._closed = clock, read_only, False
        self._process = os.getpid()
        try:
            url = sa.make_url(address).set(drivername="postgresql+psycopg")
        except (sa.exc.ArgumentError, ValueError):
            raise InputError("no address: it is postgresql://user@host:port/database") from None
        self.where = url.set(drivername="postgresql").render_as_string(hide_password=True)
        self._engine = sa.create_engine(url, pool_pre_ping=True, connect_args=_options(read_only))
        try:
            with self._transaction() as connection:
                self._prepare(connection)
        except BaseException as error:
            self._engine.dispose()
            if isinstance(error, StoreError):
                raise InputError(str(error)) from None
            raise

    def _prepare(self, connection: sa.Connection) -> None:
        for name, wanted in REQUIRED.items():
            found = connection.exec_driver_sql(f"SHOW {name}").scalar()
            if found != wanted:
                advice = "what it acknowledged might be lost; change that on the server"
                raise InputError(f"{self.where}: {name} is {found}, not {wanted}: {advice}")
        if self._read_only:
            if schema.needs_work(connection, self.where):
                raise InputError(f"{self.where}: empty or older: open it for writing once")
            return
        _lock(connection, SCHEMA)
        if schema.needs_work(connection, self.where):
            schema.upgrade(connection)

    # ---- writing ---------------------------------------------------------------------------------

    def submit(self, experiment: str, after: int, entries: Sequence[Entry]) -> Future[list[Event]]:
        """Append at once; the answer is there when this returns."""
        entries = list(entries)
        check_entries(experiment, after, entries)
        future: Future[list[Event]] = Future()
        try:
            with self.turn(experiment) as turn:
                events = turn.append(after, entries)
            future.set_result(events)
        except SidelightError as error:
            future.set_exception(error)
        return future

    def flush(self) -> None:
        """Nothing waits: `submit` answers when it has written."""

    @contextmanager
    def turn(self, experiment: str) -> Iterator[PostgresTurn]:
        """The experiment for one caller alone, of all processes."""
        check_name(experiment)
        if self._read_only:
            raise InputError(f"{self.where}: was opened for reading only")
        with self._transaction() as connection:
            _lock(connection, experiment)
            turn = PostgresTurn(connection, experiment, self._clock)
            try:
                yield turn
            finally:
                turn.ended = True

    def _take_over(self, events: list[Event]) -> None:
        if self._read_only:
            raise InputError(f"{self.where}: was opened for reading only")
        with self._transaction() as connection:
            _lock(connection, events[0].experiment)
            rows.insert_after(connection, None, events)

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        """Commit at the end of the block, or keep nothing."""
        with self._connected() as connection:
            try:
                with _rolled_back(connection):
                    yield connection
            except sa.exc.DBAPIError as error:
                raise StoreError(f"{self.where}: {_cause(error)}; nothing was kept") from None
            try:
                connection.commit()
            except sa.exc.DBAPIError as error:
                said = f"{self.where}: {_cause(error)} while it committed"
                advice = "whether this was kept is not known: repeat it with the same key"
                raise UnknownOutcomeError(f"{said}; {advice}") from None

    @contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        if self._closed:
            raise InputError(f"{self.where}: the store is closed: open it again")
        if os.getpid() != self._process:  # two processes would talk over one connection
            raise InputError("the store was opened before a fork: open it in the new process")
        try:
            connection = self._engine.connect()
        except (sa.exc.DBAPIError, sa.exc.TimeoutError) as error:
            said = " ".join(str(getattr(error, "orig", None) or error).split())
            advice = "see whether the server runs and lets this user in"
            raise StoreError(f"{self.where}: no connection ({said}): {advice}") from None
        with connection:
            yield connection

    def check(self) -> None:
        """`StoreError` where the server cannot be reached, or does not write.

        A message in the write-ahead log, which nobody reads, is committed and synced as events are.
        A server that is a copy of another refuses it.
        """
        if self._read_only:
            with self._reading() as connection:
                connection.scalar(sa.select(1))
            return
        with self._transaction() as connection:
            connection.execute(sa.select(sa.func.pg_logical_emit_message(True, "sidelight", "")))

    # ---- reading ---------------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._connected() as connection:
            try:
                yield connection
            except sa.exc.DBAPIError as error:
                raise StoreError(f"{self.where}: {_cause(error)}; ask again") from None

    def backup(self, path: StrPath) -> None:
        """Copy all events into a file of SQLite, with their chains checked."""
        from .sqlite import SqliteStore  # noqa: PLC0415 - a server alone does not need it
        from .sqlite_file import explained, lock_path  # noqa: PLC0415

        target = new_file(path)
        half = target.with_name(f".{uuid.uuid4().hex}.tmp")
        try:
            with SqliteStore(half) as copy:
                for experiment in self.experiments():
                    copy.load(self.export(experiment))
            with explained(target):
                half.rename(target)
                sync_folder(target.parent)
        finally:
            half.unlink(missing_ok=True)
            lock_path(half).unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the connections."""
        self._closed = True
        self._engine.dispose(close=os.getpid() == self._process)  # else they are the parent's


class PostgresTurn:
    """A transaction that holds the lock of an experiment."""

    def __init__(self, connection: sa.Connection, experiment: str, clock: Clock) -> None:
        self._connection, self._experiment, self._clock = connection, experiment, clock
        self.ended = False

    def last(self) -> Event | None:
        """The last event, those of this turn included."""
        return rows.last(self._connection, self._experiment)

    def read(self, after: int = 0) -> Iterator[Event]:
        """The events after n, those of this turn included."""
        while page := rows.read(self._connection, self._experiment, after, rows.PAGE):
            yield from page
            after = page[-1].n

    def find(self, kind: str, key: str) -> Event | None:
        """The event of that type with that key, or None."""
        check_type(kind)
        check_key(key)
        return rows.find(self._connection, self._experiment, kind, key)

    def append(self, after: int, entries: Sequence[Entry]) -> list[Event]:
        """Append; kept, and acknowledged, when the block has ended without an error."""
        if self.ended:
            raise InputError(OVER)
        entries = list(entries)
        check_entries(self._experiment, after, entries)
        return rows.append(self._connection, self._experiment, after, entries, self._clock())


def _options(read_only: bool) -> dict[str, Any]:
    settings = {
        "synchronous_commit": "on",
        "lock_timeout": f"{TURN:.0f}s",
        "default_transaction_read_only": "on" if read_only else "off",
        "default_transaction_isolation": "read\\ committed",
    }
    return {
        "connect_timeout": CONNECT,
        "tcp_user_timeout": SILENCE * 1000,
        "application_name": "sidelight",
        "client_encoding": "utf8",
        "options": " ".join(f"-c {name}={value}" for name, value in settings.items()),
    }


def _lock(connection: sa.Connection, name: str) -> None:
    """Wait for the lock of that name, and hold it until the transaction ends.

    Two names with one number only wait for each other without need.
    """
    number = int.from_bytes(sha256(f"sidelight {name}".encode()).digest()[:8], signed=True)
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(number)))


@contextmanager
def _rolled_back(connection: sa.Connection) -> Iterator[None]:
    """Roll back where the block fails; a connection that is lost has done so by itself."""
    try:
        yield
    except BaseException:
        try:
            connection.rollback()
        except sa.exc.SQLAlchemyError:
            connection.invalidate()
        raise


def _cause(error: sa.exc.DBAPIError) -> str:
    code = getattr(error.orig, "sqlstate", None)
    if code == "55P03":
        return f"another turn has lasted {TURN:g} s: end it first"
    if code in {"53100", "58030"}:
        return "the server's disk is full or failed: see its log"
    if code in {"42501", "3F000"}:
        return "this user lacks a right in the database: grant it"
    if code == "25006":
        return "the server is read only: connect to the one that is written to"
    said = " ".join(str(error.orig).split())
    lost = error.connection_invalidated or code is None or code.startswith(("08", "57P"))
    return f"the connection was lost ({said})" if lost else said
