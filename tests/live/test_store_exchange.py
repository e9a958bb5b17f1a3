"""Events leave the store and come back: exports, backups; on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sidelight import DamagedError, InputError
from sidelight.live import exchange
from sidelight.live.events import Entry, check_chain
from sidelight.live.store import Store, open_store
from stores import told


def fill(store: Store, count: int = 6) -> None:
    store.append("a", 0, [Entry("created", {"π": 3.5e-310}), *told(*range(count - 1))])
    store.append("b", 0, told(0.1, key="k\u00e9"))


# ---- lines of JSON -------------------------------------------------------------------------------


def test_a_line_is_an_event_with_its_body(store: Store) -> None:
    fill(store)
    (line,) = store.export("b")
    event = store.last("b")
    assert event is not None
    assert "\n" not in line
    assert json.loads(line) == {**vars(event), "body": {"x": 0.1}}
    assert line.startswith('{"body":{"x":0.1},"experiment":"b","hash":"')


def test_an_export_is_taken_over_whole(store: Store, tmp_path: Path) -> None:
    fill(store)
    with open_store(tmp_path / "other.db") as other:
        assert other.load([*store.export("a"), "", "\n"]) == "a"
        assert other.experiments() == ["a"]
        assert list(other.read("a")) == list(store.read("a"))
        assert list(other.export("a")) == list(store.export("a"))
        assert other.append("a", 6, told(7))[0].n == 7
        assert check_chain(other.read("a")) is None


def test_a_file_is_taken_over_by_each_kind_of_store(store: Store, tmp_path: Path) -> None:
    with open_store(tmp_path / "other.db") as other:
        fill(other)
        assert [store.load(other.export(name)) for name in ("b", "a")] == ["b", "a"]
        assert list(store.read("a")) == list(other.read("a"))
        with pytest.raises(InputError, match="a is here already"):
            store.load(other.export("a"))


def changed(line: str, **changes: object) -> str:
    return json.dumps({**json.loads(line), **changes})


@pytest.mark.parametrize(
    ("n", "line", "said"),
    [
        (3, "", "event 3 is missing"),
        (3, "x", "line 3 is no JSON"),
        (3, "[1]", "line 3 is no event"),
        (3, "{}", "line 3 is no event: it needs body, experiment"),
        (3, json.dumps(sorted(exchange.FIELDS)), "line 3 is no event"),
        (3, {"body": {"x": 99}}, "event 3 is not as it was written"),
        (3, {"body": [1]}, "line 3: the body of an event is an object"),
        (3, {"time": "later"}, "event 3 is not as it was written"),
        (3, {"time": 3}, "line 3: n is a number, time and hash are plain text"),
        (3, {"time": "\ud800"}, "line 3: n is a number, time and hash are plain text"),
        (3, {"n": 4}, "event 3 is missing"),
        (3, {"n": True}, "line 3: n is a number"),
        (3, {"n": "3"}, "line 3: n is a number"),
        (3, {"type": "said"}, "line 3: no type of events"),
        (3, {"key": ""}, "line 3: a key is text"),
        (3, {"experiment": "b"}, "event 3 is of 'b', not of 'a'"),
        (3, {"experiment": "B"}, "line 3: no name of an experiment"),
        (1, {"hash": "0" * 64}, "event 1 is not as it was written"),
    ],
)
def test_a_damaged_export_is_refused(
    tmp_path: Path, n: int, line: str | dict[str, object], said: str
) -> None:
    with open_store(tmp_path / "one.db") as store, open_store(tmp_path / "other.db") as other:
        fill(store)
        lines = list(store.export("a"))
        lines[n - 1] = line if isinstance(line, str) else changed(lines[n - 1], **line)
        with pytest.raises(DamagedError, match=said):
            other.load(lines)
        assert other.experiments() == []


def test_an_empty_export_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="the file is empty"):
        store.load([])


def test_a_body_that_is_no_json_cannot_be_exported() -> None:
    from sidelight.live.events import Event  # noqa: PLC0415

    with pytest.raises(DamagedError, match="a: event 1: the body of an event is no JSON"):
        list(exchange.to_lines([Event("a", 1, "t", "told", None, "{", "h")]))


# ---- backups -------------------------------------------------------------------------------------


def test_a_backup_is_a_store(store: Store, tmp_path: Path) -> None:
    fill(store)
    target = tmp_path / "backups"
    target.mkdir()
    store.backup(target / "one.db")
    assert [path.name for path in target.iterdir()] == ["one.db"]
    store.append("a", 6, told(99))
    with open_store(target / "one.db") as copy:
        assert copy.experiments() == ["a", "b"]
        assert list(copy.read("a")) == list(store.read("a"))[:-1]
        assert list(copy.read("b")) == list(store.read("b"))
        assert copy.append("a", 6, told(100))[0].n == 7


def test_an_empty_store_has_a_backup(store: Store, tmp_path: Path) -> None:
    store.backup(tmp_path / "copy.db")
    with open_store(tmp_path / "copy.db", read_only=True) as copy:
        assert copy.experiments() == []


def test_a_backup_replaces_nothing(store: Store, tmp_path: Path) -> None:
    (tmp_path / "kept.db").write_text("mine")
    with pytest.raises(InputError, match="name another file for the backup"):
        store.backup(tmp_path / "kept.db")
    with pytest.raises(InputError, match="no such folder"):
        store.backup(tmp_path / "nowhere" / "copy.db")
    assert (tmp_path / "kept.db").read_text() == "mine"


def test_backups_while_others_write_are_whole(store: Store, tmp_path: Path) -> None:
    """Each holds all that was acknowledged when it began, and nothing but a first part of all."""
    acknowledged = [0]

    def write() -> None:
        for n in range(0, 400, 2):
            store.append("a", n, told(n, n + 1))
            acknowledged[0] = n + 2

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        for number in range(5):
            at_least = acknowledged[0]
            store.backup(tmp_path / f"{number}.db")
            with open_store(tmp_path / f"{number}.db") as copy:
                events = list(copy.read("a"))
            assert len(events) >= at_least
            assert len(events) % 2 == 0
            assert check_chain(events) is None
        writing.result()
    assert len(list(store.read("a"))) == 400
