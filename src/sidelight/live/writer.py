"""One thread that writes: what waits together is committed together.

A commit waits for the disk, and one commit can carry many appends. The thread takes all that wait,
writes them in one transaction with a savepoint each, commits, and then answers each. An append that
does not fit fails alone. While the disk is busy with one commit, the next group gathers.

A failed sync is never tried again: the system may have dropped the pages that it could not write,
and a second sync of the same file would succeed without them. So the first failure of the database
ends the writer for good; the next process reads what is on disk. For the same reason the writer
moves the log into the database (a checkpoint) by itself, and looks at the outcome: SQLite's own
automatic checkpoint ignores errors. After a failure the connection is left open until the process
ends, for closing it would be another checkpoint.

A file that was removed or replaced takes commits, and loses them with the process. So the writer
looks after each commit whether its name still leads to the file.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import sqlalchemy as sa

from ..errors import InputError, StoreError, UnknownOutcomeError
from .store import Failed

GROUP = 512  # appends in a transaction
CHECKPOINT = 250  # commits, about 1,000 pages of log where appends come alone,
MANY = 2000  # appends, about as many where they come together

T = TypeVar("T")
Job = Callable[[sa.Connection], Any]
AGAIN = "start the process again; what was acknowledged is safe"


class Writer:
    """The only one that writes into a file."""

    def __init__(
        self,
        connection: sa.Connection,
        explain: Callable[[BaseException], str],
        look: Callable[[], None],
        on_failure: Failed | None = None,
        checkpoint_every: int = CHECKPOINT,
    ) -> None:
        self.commits = 0
        self._connection, self._explain, self._on_failure = connection, explain, on_failure
        self._look = look  # an error where the file is no longer there
        self._every, self._appends = checkpoint_every, 0
        self._waiting: deque[tuple[Future[Any], Job]] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._failure = ""
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._run, name="sidelight-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[sa.Connection], T]) -> Future[T]:
        """Let the thread do a job in its next transaction."""
        if os.getpid() != self._process:
            raise InputError("the store was opened before a fork: open it in the new process")
        future: Future[T] = Future()
        with self._changed:
            if self._failure:
                raise StoreError(self._failure)
            if self._closing:
                raise InputError("the store is closed: open it again")
            self._waiting.append((future, job))
            self._changed.notify()
        return future

    @property
    def failure(self) -> str:
        """Why nothing is written any more; "" while all is well."""
        return self._failure

    def close(self) -> None:
        """Write what waits, and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if os.getpid() == self._process and threading.current_thread() is not self._thread:
            self._thread.join()

    def disconnect(self) -> None:
        """Close the connection of a writer that ended well."""
        self._connection.close()

    def _run(self) -> None:
        while group := self._take():
            committed = self._write(group)
            self._appends += len(group)
            if committed and (self.commits % self._every == 0 or self._appends >= MANY):
                self._checkpoint("PASSIVE")
                self._appends = 0
            if self._failure:
                return
        self._checkpoint("TRUNCATE")

    def _take(self) -> list[tuple[Future[Any], Job]]:
        with self._changed:
            while not self._waiting and not self._closing:
                self._changed.wait()
            count = min(len(self._waiting), GROUP)
            return [self._waiting.popleft() for _ in range(count)]

    def _write(self, group: list[tuple[Future[Any], Job]]) -> bool:
        """Whether there was a commit."""
        group = [(future, job) for future, job in group if future.set_running_or_notify_cancel()]
        if not group:
            return False
        committing = False
        try:
            transaction = self._begin(group)
            if transaction is None:
                return False
            answers = [self._attempt(job) for _, job in group]
            committing = True
            self._commit(transaction)
        except BaseException as error:
            self._fail(error, [future for future, _ in group], committing)
            return False
        self.commits += 1
        for (future, _), (value, failure) in zip(group, answers, strict=True):
            if failure is None:
                future.set_result(value)
            else:
                future.set_exception(failure)
        return True

    def _begin(self, group: list[tuple[Future[Any], Job]]) -> sa.RootTransaction | None:
        """Begin; None where another program holds the file, which is no failure of the disk."""
        try:
            return self._connection.begin()
        except sa.exc.OperationalError as error:
            if not isinstance(error.orig, sqlite3.Error) or not is_busy(error.orig):
                raise
            for future, _ in group:
                future.set_exception(StoreError(f"{self._explain(error)}: nothing was written"))
            return None

    def _attempt(self, job: Job) -> tuple[Any, Exception | None]:
        """What a job returns or raises. Errors of the database are no matter of one job."""
        try:
            return job(self._connection), None
        except (sa.exc.DBAPIError, UnicodeDecodeError):  # the latter: a damaged name of a table
            raise
        except Exception as error:
            return None, error

    def _commit(self, transaction: sa.RootTransaction) -> None:
        transaction.commit()
        self._look()

    def _checkpoint(self, how: str) -> None:
        """Move the log into the database; readers in the way only put it off."""
        raw = self._connection.connection.driver_connection  # SQLAlchemy would begin a transaction
        assert isinstance(raw, sqlite3.Connection)
        try:
            raw.execute(f"PRAGMA wal_checkpoint({how})").fetchall()
        except BaseException as error:
            if not is_busy(error):
                self._fail(error, [], committing=False)

    def _fail(self, error: BaseException, group: list[Future[Any]], committing: bool) -> None:
        """End for good, and tell everybody who waits."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._connection))  # never closed: see above
        said = self._explain(error)
        with self._changed:
            self._failure = f"{said}: nothing more is written: {AGAIN}"
            waiting = [future for future, _ in self._waiting]
            self._waiting.clear()
        for future in group:
            unknown = f"{said}: whether this was kept is not known: {AGAIN}, and ask by its key"
            kind, text = (
                (UnknownOutcomeError, unknown) if committing else (StoreError, self._failure)
            )
            future.set_exception(kind(text))
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(StoreError(self._failure))
        if self._on_failure:
            self._on_failure(StoreError(self._failure))


def is_busy(error: BaseException | None) -> bool:
    """Whether SQLite says that somebody else holds the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    )
