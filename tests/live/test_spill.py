"""A mapping with its older entries in a temporary file is the dict that it stands for."""

from __future__ import annotations

import ast
import gc
import os
import sqlite3
import subprocess
import sys
import tracemalloc
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import StoreError
from sidelight.live import spill
from sidelight.live.history import History
from sidelight.live.spill import Spill, Table
from sidelight.live.state import write

from .test_learner_state import busy

FEW, FEWER = 8, 4
KEYS = st.one_of(st.integers(-3, 40), st.text(min_size=1, max_size=3))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearly everything is moved to the file."""
    monkeypatch.setattr(spill, "KEEP", FEW)
    monkeypatch.setattr(spill, "MOVE", FEWER)


def pack(value: int) -> bytes:
    return value.to_bytes(8, "little", signed=True)


def unpack(packed: bytes) -> int:
    return int.from_bytes(packed, "little", signed=True)


def table(name: str = "rows") -> Table[Any, int]:
    return Table(Spill(), name, pack, unpack)


@given(st.lists(st.tuples(KEYS, st.integers(-(2**63), 2**63 - 1)), max_size=80))
def test_it_is_a_dict(items: list[tuple[Any, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "KEEP", FEW)
        patch.setattr(spill, "MOVE", FEWER)
        found, plain = table(), dict[Any, int]()
        for key, value in items:
            assert (key in found) == (key in plain)
            assert found.get(key) == plain.get(key)
            (found.replace if key in plain else found.add)(key, value)
            plain[key] = value
            assert found[key] == value
            assert len(found) == len(plain)
        assert list(found) == list(plain)
        assert list(found.entries()) == list(plain.items()) == list(found.items())


@pytest.mark.usefixtures("few")
def test_only_the_newest_are_in_memory() -> None:
    found = table()
    for n in range(1000):
        found.add(n, n * n)
        assert len(found._newest) < FEW + FEWER
    assert [*found.values()] == [n * n for n in range(1000)]
    with pytest.raises(KeyError):
        found[1000]


@pytest.mark.usefixtures("few")
def test_several_mappings_share_a_file() -> None:
    shared = Spill()
    one, two = (Table[int, int](shared, name, pack, unpack) for name in ("one", "two"))
    for n in range(100):
        one.add(n, n)
        two.add(n, -n)
    assert list(one.values()) == [-value for value in two.values()] == list(range(100))


def test_a_learner_with_a_short_past_makes_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlite3.connect", None)
    learner = busy(rounds=60)
    assert learner.ask(key="visit 1").id == 2


LEFT = """
import os
from sidelight.live import spill
spill.KEEP, spill.CACHED = 256, -64
rows = spill.Table(spill.Spill(), "rows", str.encode, bytes.decode)
for n in range(20_000):
    rows.add(n, f"a text of some length, number {n}")
assert rows[7] == "a text of some length, number 7"
opened = [f"/proc/self/fd/{file}" for file in os.listdir("/proc/self/fd")]
print([os.readlink(file) for file in opened if os.path.islink(file)])
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nobody says which files are open")
def test_the_file_has_no_name(tmp_path: Path) -> None:
    """So nothing is left behind, not even after a kill."""
    apart = {**os.environ, "SQLITE_TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", LEFT], env=apart, capture_output=True, text=True, check=True
    )
    (opened,) = (name for name in ast.literal_eval(done.stdout) if name.startswith(str(tmp_path)))
    assert opened.endswith("(deleted)")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("few")
def test_where_the_disk_is_full_entries_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    found = table()
    for n in range(20):
        found.add(n, n)
    moved = found._moved
    assert moved
    page = found._spill.database().execute("PRAGMA page_count").fetchone()[0]
    found._spill.database().execute(f"PRAGMA max_page_count = {page}")
    for n in range(20, 2000):
        found.add(n, n)
    assert len(found._newest) > 1000
    assert list(found.entries()) == [(n, n) for n in range(2000)]
    found._spill.database().execute("PRAGMA max_page_count = 1000000")  # there is room again
    for n in range(2000, 2010):
        found.add(n, n)
    assert len(found._newest) < FEW + FEWER
    assert list(found.entries()) == [(n, n) for n in range(2010)]


@pytest.mark.usefixtures("few")
def test_where_the_disk_is_full_no_change_of_an_old_entry_is_lost() -> None:
    learner = sl.Learner(sl.Feedback.full_information(3), "uniform", seed=1)
    learner.tell(learner.ask().id, {0: 0.5})
    learner.tell(learner.ask().id, {0: 0.5})
    for _ in range(100):
        learner.tell(learner.ask().id, [0.1, 0.2, 0.3])
    database = learner.history.told._spill.database()
    page = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count = {page}")
    assert 2 not in learner.history.told._newest
    assert learner.tell(2, {1: 0.25}, key="late")
    for _ in range(500):
        learner.tell(learner.ask().id, [0.1, 0.2, 0.3])
    assert len(learner.history.told._newest) > 100  # the file takes no more
    for room in (page, 100_000):
        database.execute(f"PRAGMA max_page_count = {room}")
        for _ in range(2 * FEWER):
            learner.ask()
            learner.tell(1, {1: 0.75})
        assert learner.history.told[2] == {0: 0.5, 1: 0.25}
        assert not learner.tell(2, {1: 0.25}, key="late")
        with pytest.raises(sl.InputError, match=r"was 0\.25 and cannot become 0\.75"):
            learner.tell(2, {1: 0.75})
    assert learner.belief.information.tolist() == [602, 602, 600]
    again = sl.Learner.from_json(learner.to_json())
    assert again.history.told[2] == {0: 0.5, 1: 0.25}


@pytest.mark.usefixtures("few")
def test_a_learner_that_cannot_read_its_past_has_changed_nothing() -> None:
    learner = sl.Learner(sl.Feedback.full_information(3), "uniform", seed=1)
    for _ in range(100):
        learner.tell(learner.ask().id, {0: 0.1})
    before = write(learner)
    spilled = learner.history.told._spill
    database, spilled._database = spilled.database(), sqlite3.connect(":memory:")
    with pytest.raises(StoreError, match="temporary file"):
        learner.tell(2, {1: 0.25}, key="late")
    with pytest.raises(StoreError, match="temporary file"):
        learner.tell(2, {}, key="no more", last=True)
    spilled._database.close()
    spilled._database = database
    assert write(learner) == before
    assert learner.tell(2, {1: 0.25}, key="late")


@pytest.mark.usefixtures("few")
def test_changed_entries_go_into_the_file_too() -> None:
    found = table()
    plain: dict[int, int] = {}
    for n in range(200):
        found.add(n, n)
        plain[n] = n
    for n in range(0, 200, 3):
        found.replace(n, -n)
        plain[n] = -n
    assert len(found._changed) < FEWER
    assert list(found.entries()) == list(plain.items()) == list(found.items())


@pytest.mark.usefixtures("few")
def test_a_file_that_cannot_be_read_is_said() -> None:
    found = table()
    for n in range(100):
        found.add(n, n)
    found._spill.database().close()
    assert found[99] == 99
    assert found.get(-1) is None  # it is new: the file need not be read
    for asks in (lambda: found[0], lambda: 0 in found, lambda: list(found)):
        with pytest.raises(StoreError, match=r"temporary file .* or open the experiment again"):
            asks()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.usefixtures("few")
def test_a_forked_process_leaves_the_file_to_its_parent() -> None:
    found = table()
    for n in range(100):
        found.add(n, n)
    child = os.fork()
    if child == 0:
        left = 1
        with suppress(BaseException):
            for n in range(100, 200):
                found.add(n, -n)
            with pytest.raises(StoreError, match=r"of which this one is a copy.* open the exp"):
                found[0]
            left = 0 if found[150] == -150 else 2
        os._exit(left)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    for n in range(100, 200):
        found.add(n, n)
    assert list(found.entries()) == [(n, n) for n in range(200)]


# ---- learners ------------------------------------------------------------------------------------


def test_a_learner_is_the_same_with_its_past_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that can happen happens, and the text of the learner has all of it."""
    whole = busy(rounds=150)
    monkeypatch.setattr(spill, "KEEP", FEW)
    monkeypatch.setattr(spill, "MOVE", FEWER)
    moved = busy(rounds=150)
    assert moved.history.tells._moved > 100
    assert moved.history.choices[3] == whole.history.choices[3]
    assert write(moved) == write(whole)
    assert write(sl.Learner.from_json(write(moved))) == write(whole)
    assert moved.pending == whole.pending
    for t in range(150):
        if t % 3:
            assert moved.ask(key=f"visit {t}") == whole.ask(key=f"visit {t}")
    assert moved.rounds == whole.rounds == 150  # no new one was made
    with pytest.raises(sl.InputError, match="'now 1' was used before"):
        moved.tell(100, {1: 0.5}, key="now 1")
    with pytest.raises(sl.InputError, match="'import' was used before"):
        moved.record(2, {2: 0.5}, key="import")
    assert not moved.record(2, {2: 0.25}, key="import")


@pytest.mark.usefixtures("few")
def test_values_of_an_old_decision_are_welcome() -> None:
    learner = sl.Learner(sl.Feedback.full_information(3), "uniform", seed=1)
    for _ in range(100):
        learner.ask()
    assert learner.tell(2, {0: 0.5})
    for n in range(3, 90):
        learner.tell(n, [0.1, 0.2, 0.3])
    assert learner.tell(2, {1: 0.25})
    assert learner.history.told[2] == {0: 0.5, 1: 0.25}
    with pytest.raises(sl.InputError, match=r"was 0\.5 and cannot become 0\.75"):
        learner.tell(2, {0: 0.75})


@pytest.mark.usefixtures("few")
def test_shadow_decisions_are_known_for_ever() -> None:
    learner = sl.Learner(sl.Feedback.bandit(3), "uniform", seed=1)
    for n in range(100):
        learner.propose(key=f"k{n}")
    assert learner.decision(1).shadow
    with pytest.raises(sl.InputError, match="for nobody to carry out"):
        learner.tell(1, [0.5, 0.5, 0.5])


@pytest.mark.usefixtures("few")
def test_an_experiment_answers_what_is_in_the_file_and_replays_it(tmp_path: Path) -> None:
    made: list[int] = []
    for _ in range(2):  # the second time from the events alone
        with sl.open(tmp_path / "x.db", sl.Feedback.bandit(3), seed=2) as shop:
            for n in range(60):
                decision = shop.ask(key=f"visit {n}")
                shop.tell(decision.id, {decision.label: n / 60}, key=f"sale {n}")
                made.append(decision.id)
    assert made == [*range(1, 61)] * 2


def test_memory_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was 920 bytes for a decision with its value and two keys, and then 440."""
    monkeypatch.setattr(spill, "KEEP", 256)
    learner = sl.Learner(sl.Feedback.bandit(10), "uniform", seed=1)

    def live(numbers: range) -> None:
        for n in numbers:
            decision = learner.ask(key=f"visit-{n}")
            learner.tell(decision.id, {decision.label: n * 1e-9}, key=f"sale-{n}")

    tracemalloc.start()
    try:
        live(range(1024))
        before, _ = tracemalloc.get_traced_memory()
        live(range(1024, 1024 + 16 * spill.MOVE))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert learner.rounds == 1024 + 16 * spill.MOVE
    history = learner.history
    tables = (history.choices._rows, history.told, history.asked, history.tells)
    sieves = sum(8 * len(layer) for found in tables for layer in found._sieve._layers)
    assert sieves < len(tables) * 4 * (learner.rounds + spill.LAYER)  # two bytes, twice the room
    assert after - before - sieves < 10 * learner.rounds  # bytes


def test_a_sieve_knows_all_its_keys_and_few_others() -> None:
    sieve = spill.Sieve()
    assert not sieve.may_have("a key")
    for n in range(20_000):
        sieve.add(f"visit-{n}")
        sieve.add(n)
    assert all(sieve.may_have(n) and sieve.may_have(f"visit-{n}") for n in range(20_000))
    others = [*range(-20_000, 0), *(f"sale-{n}" for n in range(20_000))]
    # It is 2.3 % with a standard error of 0.1: texts have other hashes in every process.
    assert sum(map(sieve.may_have, others)) < 0.03 * len(others)


def test_a_history_has_no_file_of_its_own_until_it_is_long() -> None:
    history = History()
    history.note_tell("key", 1, [0, 3], last=False)
    assert history.tells["key"] == (1, frozenset({0, 3}), False)
    assert history.choices._rows._spill is history.tells._spill
    assert history.tells._spill._database is None


def test_an_experiment_that_is_closed_lets_go_of_its_file_at_once(tmp_path: Path) -> None:
    gc.disable()  # nothing may refer to itself in a circle
    try:
        shop = sl.open(tmp_path / "x.db", sl.Feedback.bandit(3), seed=2)
        shop.ask()
        learner = weakref.ref(shop.learner)
        shop.close()
        del shop
        assert learner() is None
    finally:
        gc.enable()
