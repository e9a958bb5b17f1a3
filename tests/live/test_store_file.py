"""What only the store in a file does: its settings, one writer, and group commit."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from sidelight import ConflictError, InputError, StoreError
from sidelight import UnknownOutcomeError as Unknown
from sidelight.live import lockfile, schema
from sidelight.live.events import Entry, check_chain
from sidelight.live.sqlite import SqliteStore
from sidelight.live.store import open_store
from sidelight.live.writer import Writer
from stores import told


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


def python(script: str, *arguments: object, **how: Any) -> subprocess.CompletedProcess[str]:
    """A script in a process of its own."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **how)


# ---- settings ------------------------------------------------------------------------------------


def test_commits_are_synced_and_the_log_is_written_ahead(path: Path) -> None:
    with SqliteStore(path) as store:
        store.append("a", 0, told(1))
        assert path.with_name("events.db-wal").stat().st_size > 0
        raw = store._writing()._connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        settings = ("journal_mode", "synchronous", "wal_autocheckpoint")
        found = [raw.execute(f"PRAGMA {name}").fetchone()[0] for name in settings]
        assert found == ["wal", 2, 0]
    assert not path.with_name("events.db-wal").exists()


def test_a_setting_that_does_not_stay_is_an_error(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sidelight.live import sqlite_file  # noqa: PLC0415

    monkeypatch.setitem(sqlite_file.SETTINGS, "synchronous", 9)
    with pytest.raises(InputError, match=r"SQLite keeps synchronous = .*put the file on a local"):
        open_store(path)
    monkeypatch.undo()
    open_store(path).close()


def test_readers_cannot_write(path: Path) -> None:
    with SqliteStore(path) as store:
        with store._reading() as connection, pytest.raises(sa.exc.OperationalError) as caught:
            connection.exec_driver_sql("INSERT INTO event VALUES ('a', 1, '', '', '', '', '')")
        assert "readonly database" in str(caught.value)


def test_the_log_is_moved_into_the_file_now_and_then(path: Path) -> None:
    with SqliteStore(path) as store:
        store._writing()._every = 10
        for n in range(100):
            store.append("a", n, [Entry("told", {"x": "x" * 4000})])
        assert path.stat().st_size > 90 * 4096
        assert path.with_name("events.db-wal").stat().st_size < 90 * 4096
        assert check_chain(store.read("a")) is None


def test_the_steps_are_in_order_and_the_last_is_known() -> None:
    assert schema.steps() == ["0001"]
    assert schema.steps()[-1] == schema.LATEST


# ---- one writer ----------------------------------------------------------------------------------


def test_a_second_writer_is_told_who_is_the_first(path: Path) -> None:
    with open_store(path) as store:
        with pytest.raises(InputError, match="this process writes into it already: close it"):
            open_store(path)
        done = python("import sys, sidelight.live.store as s; s.open_store(sys.argv[1])", path)
        said = done.stderr.splitlines()[-1]
        assert f"process {os.getpid()} writes into it already" in said
        assert "open the store for reading only" in said
        assert store.append("a", 0, told(1))[0].n == 1
    open_store(path).close()


def test_a_link_to_the_file_is_the_file(path: Path, tmp_path: Path) -> None:
    with open_store(path):
        (tmp_path / "link.db").symlink_to(path)
        with pytest.raises(InputError, match="writes into it already"):
            open_store(tmp_path / "link.db")


def test_a_lock_left_by_a_killed_process_is_in_nobodys_way(path: Path) -> None:
    path.with_name("events.db.lock").write_text("1\nThis process writes into it.\n")
    open_store(path).close()


def test_a_lock_file_that_was_removed_locks_nobody_out(path: Path) -> None:
    lock = path.with_name("events.db.lock")
    with open_store(path):
        lock.unlink()
        lock.write_text("of somebody else")
    assert lock.exists()
    open_store(path).close()
    assert not lock.exists()


def test_without_flock_the_file_is_the_lock(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockfile, "fcntl", None)
    lock = path.with_name("events.db.lock")
    said = r"no such process any more, remove .*db\.lock"
    with open_store(path), pytest.raises(InputError, match=said):
        open_store(path)
    assert not lock.exists()
    open_store(path).close()


def test_a_store_does_not_survive_a_fork(path: Path) -> None:
    with open_store(path) as store:

        def child() -> None:
            try:
                store.append("a", 0, told(1))
            except InputError as error:
                os._exit(7 if "open it in the new process" in str(error) else 1)
            os._exit(1)

        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        process.join(60)
        assert process.exitcode == 7


# ---- group commit --------------------------------------------------------------------------------


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Something that happens in every commit."""

    def install(before: Callable[[], object]) -> None:
        commit = Writer._commit

        def later(self: Writer, transaction: sa.RootTransaction) -> None:
            before()
            commit(self, transaction)

        monkeypatch.setattr(Writer, "_commit", later)

    return install


def test_what_waits_together_is_committed_together(
    path: Path, slow: Callable[[Callable[[], object]], None]
) -> None:
    """The first commit is held up until 100 others wait: they need one more."""
    begun, go = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        assert go.wait(60)

    slow(hold)
    with SqliteStore(path) as store:
        first = store.submit("first", 0, told(1))
        assert begun.wait(60)
        others = [store.submit(f"e{i % 7}", i // 7, told(i)) for i in range(100)]
        assert not any(future.done() for future in [first, *others])
        go.set()
        wait([first, *others], 60)
        assert store.commits == 2
        assert sum(len(list(store.read(f"e{i}"))) for i in range(7)) == 100


def test_many_who_wait_need_few_commits(
    path: Path, slow: Callable[[Callable[[], object]], None]
) -> None:
    slow(lambda: time.sleep(0.02))
    with SqliteStore(path) as store, ThreadPoolExecutor(64) as pool:

        def append(i: int) -> None:
            for n in range(4):
                store.append(f"e{i}", n, told(n))

        list(pool.map(append, range(64)))
        assert sum(len(list(store.read(f"e{i}"))) for i in range(64)) == 256
        assert store.commits <= 256 // 4


def test_a_conflict_fails_alone_in_its_group(
    path: Path, slow: Callable[[Callable[[], object]], None]
) -> None:
    begun, go = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        assert go.wait(60)

    slow(hold)
    with SqliteStore(path) as store:
        store_first = store.submit("a", 0, told(1, key="k"))
        assert begun.wait(60)
        good = store.submit("a", 1, told(2))
        number = store.submit("a", 1, told(3))
        key = store.submit("a", 2, [*told(4), *told(5, key="k")])
        broken = store.submit("a", 2, told(float("inf")))
        after = store.submit("a", 2, told(6))
        go.set()
        assert [future.result()[0].n for future in (store_first, good, after)] == [1, 2, 3]
        for future, error in ((number, ConflictError), (key, ConflictError), (broken, InputError)):
            with pytest.raises(error):
                future.result()
        assert store.commits == 2
        assert [event.data["x"] for event in store.read("a")] == [1, 2, 6]
        assert check_chain(store.read("a")) is None


def test_closing_writes_what_waits(
    path: Path, slow: Callable[[Callable[[], object]], None]
) -> None:
    slow(lambda: time.sleep(0.05))
    store = open_store(path)
    waiting = [store.submit("a", n, told(n)) for n in range(30)]
    store.close()
    assert all(future.done() for future in waiting)
    with open_store(path) as store:
        assert len(list(store.read("a"))) == 30


def test_what_was_called_off_is_not_written(
    path: Path, slow: Callable[[Callable[[], object]], None]
) -> None:
    begun, go = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        assert go.wait(60)

    slow(hold)
    with open_store(path) as store:
        first = store.submit("a", 0, told(1))
        assert begun.wait(60)
        off = store.submit("b", 0, told(1))
        assert off.cancel()
        go.set()
        first.result()
        assert store.experiments() == ["a"]


# ---- the writer ends for good --------------------------------------------------------------------


def test_a_failed_commit_ends_the_writer_for_good(
    path: Path, slow: Callable[[Callable[[], object]], None]
) -> None:
    begun, go = threading.Event(), threading.Event()
    failures: list[StoreError] = []
    broken = threading.Event()

    def fail() -> None:
        if broken.is_set():
            begun.set()
            assert go.wait(60)
            raise sqlite3.OperationalError("disk I/O error")

    slow(fail)
    store = SqliteStore(path, on_failure=failures.append)
    kept = store.append("a", 0, told(1))
    broken.set()
    committing = store.submit("a", 1, told(2))
    assert begun.wait(60)
    waiting = store.submit("a", 2, told(3))
    go.set()
    with pytest.raises(Unknown, match=r"not known: start the process again.*ask by its key"):
        committing.result(60)
    with pytest.raises(StoreError, match="nothing more is written: start the process") as error:
        waiting.result(60)
    assert not isinstance(error.value, Unknown)
    with pytest.raises(StoreError, match="nothing more is written"):
        store.append("a", 1, told(2))
    assert list(store.read("a")) == kept
    assert len(failures) == 1
    store.close()
    with pytest.raises(InputError, match="this process writes into it"):
        open_store(path)  # the connection is left as it is until the process ends


def test_another_program_that_holds_the_file_is_no_failure_of_the_disk(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sidelight.live import sqlite_file  # noqa: PLC0415

    monkeypatch.setattr(sqlite_file, "BUSY", 0.0)
    with open_store(path) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"another program holds it.*nothing was written"):
            store.append("a", 0, told(1))
        other.close()
        assert store.append("a", 0, told(1))[0].n == 1


def test_an_insert_that_fails_half_way_leaves_nothing(path: Path) -> None:
    """The driver cannot write the second row of an append: the first one must go, too."""
    times = iter(["fine", "fine", "\ud800", "fine"])

    def fail() -> None:
        with store.turn("a") as turn:
            turn.append(1, told(2))
            turn.append(2, told(3))

    with open_store(path, clock=lambda: next(times)) as store:
        store.append("a", 0, told(1))
        with pytest.raises(UnicodeEncodeError):
            fail()
        assert len(list(store.read("a"))) == 1
        assert store.append("a", 1, told(4))[0].n == 2


def test_closing_says_when_the_log_cannot_be_moved(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(path)
    store.append("a", 0, told(1))

    def fail(self: Writer, how: str) -> None:
        self._fail(sqlite3.OperationalError("disk I/O error"), [], committing=False)

    monkeypatch.setattr(Writer, "_checkpoint", fail)
    with pytest.raises(StoreError, match="start the process again; what was acknowledged is safe"):
        store.close()
    store.close()
