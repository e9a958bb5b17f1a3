"""What the store says of files that are no store, or a damaged, newer or missing one."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from sidelight import DamagedError, InputError, MissingExtraError
from sidelight.live import schema
from sidelight.live.events import Entry
from sidelight.live.store import open_store
from stores import told


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


def test_a_file_that_is_no_database(path: Path) -> None:
    path.write_text("name,price\n" * 1000)
    with pytest.raises(InputError, match="no SQLite database: name another file"):
        open_store(path)
    assert path.read_text() == "name,price\n" * 1000
    assert list(path.parent.iterdir()) == [path]


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with pytest.raises(InputError, match="no SQLite database"):
        open_store(path, read_only=True)
    open_store(path).close()
    open_store(path, read_only=True).close()


def test_a_database_of_something_else(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"a database of something else \(customers\)"):
        open_store(path)
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    assert found == [("customers",)]
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_database_of_a_newer_sidelight(path: Path) -> None:
    with open_store(path) as store:
        store.append("a", 0, told(1))
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE {schema.VERSIONS} SET version_num = '9999'")
    connection.close()
    for read_only in (False, True):
        with pytest.raises(InputError, match=r"newer sidelight \(step 9999\): update sidelight"):
            open_store(path, read_only=read_only)


def test_a_damaged_file_is_said_to_be_damaged(path: Path, tmp_path: Path) -> None:
    with open_store(path) as store:
        store.append("a", 0, [Entry("told", {"x": "x" * 1000}) for _ in range(200)])
    whole = path.read_bytes()
    hurt = bytearray(whole)
    for page in range(3, len(whole) // 4096):
        hurt[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(hurt)
    with open_store(path) as store:
        with pytest.raises(DamagedError, match=r"the database is damaged .*restore a backup"):
            list(store.read("a"))
        with pytest.raises(DamagedError, match="damaged"):
            store.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
    path.write_bytes(whole[:5000])
    with pytest.raises(DamagedError, match="damaged"):
        open_store(path)


@pytest.mark.parametrize("size", [100, 511, 512, 4096])
def test_a_file_that_is_cut_short_is_not_begun_anew(path: Path, size: int) -> None:
    with open_store(path) as store:
        store.append("a", 0, told(1))
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(DamagedError, match="restore a backup"):
        open_store(path)
    assert path.stat().st_size == size


def test_no_folder_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder: make it"):
        open_store(tmp_path / "nowhere" / "events.db")
    with pytest.raises(InputError, match="no such file"):
        open_store(tmp_path / "events.db", read_only=True)
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        open_store(tmp_path)
    with pytest.raises(InputError, match=r"mysql://...: no such database"):
        open_store("mysql://localhost/x")


def test_a_missing_package_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("sidelight.live.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    from sidelight.live.store import open_store as door  # noqa: PLC0415

    with pytest.raises(MissingExtraError, match=r"the event store needs .*sidelight\[service\]"):
        door(path)


def test_a_schema_that_is_no_text_is_damage(path: Path) -> None:
    """SQLite says what is wrong with bytes that Python cannot read."""
    open_store(path).close()
    content = path.read_bytes()
    assert content.count(b"CREATE TABLE event") == 1
    path.write_bytes(content.replace(b"CREATE TABLE event", b"CREATE TABL\xd2 event"))
    with pytest.raises(DamagedError, match="restore a backup"):
        open_store(path)
