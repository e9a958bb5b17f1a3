"""A file of SQLite as the store needs it: found, opened, set up, sealed; and what its errors mean.

With a write-ahead log and `synchronous=FULL` a commit returns when the log is synced, and readers
see it after that. The settings are read back: a file system that cannot do this is refused.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.pool import NullPool, QueuePool

from ..errors import DamagedError, InputError, SidelightError, StoreError
from ..writing import exists

MAGIC = b"SQLite format 3\0"
BUSY = 5.0  # seconds until another program that writes into the file is an error
ROOM = 2**16  # bytes that the disk must have left: the log grows by some pages with each append
SETTINGS = {"journal_mode": "wal", "synchronous": 2, "wal_autocheckpoint": 0}
APPLE = {"fullfsync": 1, "checkpoint_fullfsync": 1}  # there a plain sync does not reach the disk


def lock_path(path: Path) -> Path:
    """Where the writer of a file leaves its number."""
    return path.with_name(path.name + ".lock")


def look_at(path: Path, read_only: bool) -> None:
    """Refuse what is no database, before anything is made beside it."""
    if not exists(path.parent):
        raise InputError(f"{path.parent}: no such folder: make it, or name another")
    if not exists(path):
        if read_only:
            raise InputError(f"{path}: no such file")
        return
    try:
        with path.open("rb") as stream:
            start = stream.read(len(MAGIC))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    if exists(path.with_name(path.name + "-journal")):
        return  # power failed while the file was made: SQLite mends that
    if start != MAGIC and (start or read_only):
        raise InputError(f"{path}: no SQLite database: name another file")


def engine(path: Path, read_only: bool) -> sa.Engine:
    """Connections to a file: many to read, or one to write."""
    mode = "ro" if read_only else "rwc"
    address = f"file:{quote(str(path))}?mode={mode}"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY
        )

    if read_only:
        return sa.create_engine("sqlite://", creator=connect, poolclass=QueuePool, max_overflow=-1)
    made = sa.create_engine("sqlite://", creator=connect, poolclass=NullPool)

    @sa.event.listens_for(made, "begin")
    def _begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return made


def set_up(connection: sa.Connection, path: Path) -> None:
    """Set what durability needs, and read it back."""
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    raw.execute("PRAGMA synchronous")  # reads the file, whose errors come before ours
    for name, value in {**SETTINGS, **APPLE}.items():
        raw.execute(f"PRAGMA {name} = {value}").fetchall()
        (found,) = raw.execute(f"PRAGMA {name}").fetchone()
        if found != value:
            advice = "put the file on a local disk"
            raise InputError(f"{path}: SQLite keeps {name} = {found}, not {value}: {advice}")


def watch(path: Path) -> Callable[[], None]:
    """A call that fails once the path no longer leads to the file that it leads to now."""
    first = path.stat()

    def look() -> None:
        try:
            now = path.stat()
        except FileNotFoundError:
            raise StoreError(f"{path}: was removed while it was open") from None
        if (now.st_dev, now.st_ino) != (first.st_dev, first.st_ino):
            raise StoreError(f"{path}: was replaced by another file while it was open")

    return look


def try_to_write(path: Path) -> None:
    """`StoreError` where the disk takes nothing: beside the file, which a failure would spoil."""
    trial = path.with_name(path.name + ".trial")
    try:
        try:
            with trial.open("wb") as stream:
                stream.write(bytes(ROOM))
                stream.flush()
                os.fsync(stream.fileno())
        finally:
            trial.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(str(explain(path, error))) from None


def seal(copy: sqlite3.Connection, source: Path) -> None:
    """Make a copy one file without a log, and look through it."""
    (found,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise DamagedError(f"{source}: is damaged ({found}): there is no backup of it as it is")
    copy.execute("PRAGMA journal_mode = DELETE").fetchall()


# ---- errors --------------------------------------------------------------------------------------

_CAUSES = {
    sqlite3.SQLITE_NOTADB: "no SQLite database: name another file",
    sqlite3.SQLITE_FULL: "the disk is full: make room",
    sqlite3.SQLITE_READONLY: "cannot be written: let this user write it and its folder",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: let this user read and write it and its folder",
    sqlite3.SQLITE_PERM: "cannot be opened: let this user read and write it",
    sqlite3.SQLITE_BUSY: "another program holds it: end that program",
    sqlite3.SQLITE_LOCKED: "another program holds it: end that program",
    sqlite3.SQLITE_IOERR: "the disk failed to read or write: see the messages of the system",
}


def explain(path: Path, error: BaseException) -> SidelightError:
    """An error of the database as one sentence with advice."""
    if isinstance(error, StoreError):
        return error
    if isinstance(error, sa.exc.DBAPIError) and error.orig is not None:
        error = error.orig
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    text_is_none = isinstance(error, UnicodeDecodeError) or "Could not decode" in str(error)
    if code == sqlite3.SQLITE_CORRUPT or text_is_none:
        return DamagedError(f"{path}: the database is damaged ({error}): restore a backup")
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        code = sqlite3.SQLITE_FULL
    if isinstance(error, sqlite3.Error | OSError):
        return InputError(f"{path}: {_CAUSES.get(code, str(error))}")
    return StoreError(f"{path}: {type(error).__name__}: {error}")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Errors of the database inside the block as our own."""
    try:
        yield
    except (sa.exc.DBAPIError, sqlite3.Error, OSError, UnicodeDecodeError) as error:
        raise explain(path, error) from None
