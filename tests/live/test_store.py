"""The contract of the event store: every test here runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from sidelight import ConflictError, InputError
from sidelight.live import rows
from sidelight.live.events import TYPES, Entry, check_chain
from sidelight.live.store import Store, open_store
from stores import told

# ---- appending and reading -----------------------------------------------------------------------


def test_a_new_store_is_empty(store: Store) -> None:
    assert store.experiments() == []
    assert list(store.read("a")) == []
    assert store.last("a") is None
    assert store.find("a", "told", "k") is None


def test_what_is_appended_is_read_again(store: Store) -> None:
    first = store.append("a", 0, [Entry("created", {"seed": 7}), *told(0.1, 0.2)])
    second = store.append("a", 3, [Entry("decided", {"action": "B"}, "visit-1")])
    assert [event.n for event in first + second] == [1, 2, 3, 4]
    assert list(store.read("a")) == first + second
    assert list(store.read("a", after=2)) == [first[2], *second]
    assert list(store.read("a", after=9)) == []
    assert store.last("a") == second[0]
    assert store.find("a", "decided", "visit-1") == second[0]
    assert store.find("a", "told", "visit-1") is None
    assert check_chain(store.read("a")) is None


def test_what_was_appended_is_there_after_opening_again(where: str) -> None:
    with open_store(where) as store:
        events = store.append("a", 0, told(1, 2, 3))
    with open_store(where) as store:
        assert list(store.read("a")) == events
        assert store.append("a", 3, told(4))[0].n == 4
        assert check_chain(store.read("a")) is None


def test_experiments_do_not_know_each_other(store: Store) -> None:
    for name in ("b", "a", "a.b", "a-b", "0"):
        store.append(name, 0, told(1, key="same"))
    assert store.experiments() == ["0", "a", "a-b", "a.b", "b"]
    assert all(store.last(name) for name in store.experiments())


def test_every_body_and_key_comes_back(store: Store) -> None:
    bodies: list[dict[str, object]] = [
        {"x": 5e-324, "y": -0.0, "z": 0.1 + 0.2, "w": 1.7976931348623157e308, "n": 2**80},
        {"\0": "\ud800 \U0001f600 ' \" \\ % :x", "": [[], {}, None, True, "\n"]},
        {"long": "x" * 100_000},
    ]
    keys = ["ü 😀", "x" * 200, "'; DROP TABLE event; --"]
    made = [Entry("told", body, key) for body, key in zip(bodies, keys, strict=True)]
    store.append("a", 0, made)
    assert [event.data for event in store.read("a")] == bodies
    assert [store.find("a", "told", key) for key in keys] == list(store.read("a"))
    assert check_chain(store.read("a")) is None


@pytest.mark.parametrize("type_", TYPES)
def test_every_type_has_its_keys(store: Store, type_: str) -> None:
    store.append("a", 0, [Entry(other, {}, "k") for other in TYPES])
    assert store.find("a", type_, "k") == list(store.read("a"))[TYPES.index(type_)]


def test_no_key_is_no_conflict(store: Store) -> None:
    store.append("a", 0, told(1, 1, 1))
    assert store.append("a", 3, told(1))[0].n == 4


def test_long_chains_are_read_in_pages(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "PAGE", 3)
    for count in (1, 3, 7):
        name = f"of-{count}"
        events = store.append(name, 0, told(*range(count)))
        assert list(store.read(name)) == events
        with store.turn(name) as turn:
            assert list(turn.read()) == events


def test_a_reader_sees_what_comes_while_it_reads(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "PAGE", 2)
    store.append("a", 0, told(1, 2, 3))
    reading = store.read("a")
    assert next(reading).n == 1
    store.append("a", 3, told(4))
    assert [event.n for event in reading] == [2, 3, 4]


def test_an_answer_may_be_waited_for_later(store: Store) -> None:
    waiting = [store.submit("a", n, told(n)) for n in range(20)]
    assert [event.n for future in waiting for event in future.result()] == list(range(1, 21))
    assert check_chain(store.read("a")) is None


def test_the_time_is_that_of_the_clock(where: str) -> None:
    with open_store(where, clock=lambda: "noon") as store:
        assert store.append("a", 0, told(1))[0].time == "noon"
        with store.turn("a") as turn:
            turn.append(1, told(2))
        assert [event.time for event in store.read("a")] == ["noon", "noon"]


# ---- conflicts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_taken_number_is_a_conflict(store: Store, after: int) -> None:
    before = store.append("a", 0, told(1, 2))
    with pytest.raises(ConflictError, match=f"the last event is 2, not {after}"):
        store.append("a", after, told(3))
    assert list(store.read("a")) == before


def test_a_taken_key_is_a_conflict_that_has_the_answer(store: Store) -> None:
    (first,) = store.append("a", 0, told(1, key="k"))
    with pytest.raises(ConflictError, match=r"event 1 \(told\) has the key 'k' already") as caught:
        store.append("a", 1, told(2, key="k"))
    assert caught.value.event == first
    assert list(store.read("a")) == [first]


def test_whoever_repeats_gets_the_first_answer(store: Store) -> None:
    """The same call again, after others came: its key decides, not its number."""
    (first,) = store.append("a", 0, told(1, key="k"))
    store.append("a", 1, told(2, 3))
    with pytest.raises(ConflictError, match=r"event 1 .* has the key 'k' already") as caught:
        store.append("a", 0, told(1, key="k"))
    assert caught.value.event == first
    with pytest.raises(ConflictError) as caught, store.turn("a") as turn:
        turn.append(0, told(1, key="k"))
    assert caught.value.event == first


def test_an_append_is_all_or_nothing(store: Store) -> None:
    store.append("a", 0, told(1, key="k"))
    with pytest.raises(ConflictError):
        store.append("a", 1, [*told(2, 3), *told(4, key="k"), *told(5)])
    assert len(list(store.read("a"))) == 1
    assert store.append("a", 1, told(6))[0].n == 2


@pytest.mark.parametrize(
    ("experiment", "entry"),
    [("A", Entry("told", {})), ("a", Entry("said", {})), ("a", Entry("told", {}, ""))],
)
def test_what_is_no_event_is_refused(store: Store, experiment: str, entry: Entry) -> None:
    with pytest.raises(InputError):
        store.append(experiment, 0, [entry])
    with pytest.raises(InputError), store.turn("a") as turn:
        turn.append(0, [entry if experiment == "a" else Entry("said", {})])
    assert store.experiments() == []


def test_a_body_that_cannot_be_written_fails_alone(store: Store) -> None:
    with pytest.raises(InputError, match="no place for nan"):
        store.append("a", 0, told(float("nan")))
    assert store.append("a", 0, told(1))[0].n == 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.read("A"),
        lambda store: store.last("../a"),
        lambda store: store.find("a", "said", "k"),
        lambda store: store.find("a", "told", ""),
        lambda store: store.export("nobody"),
    ],
)
def test_questions_are_looked_at(store: Store, ask: Callable[[Store], object]) -> None:
    with pytest.raises(InputError):
        ask(store)


# ---- turns ---------------------------------------------------------------------------------------


def test_a_turn_is_kept_when_its_block_has_ended(store: Store) -> None:
    store.append("a", 0, told(1))
    with store.turn("a") as turn:
        assert [event.n for event in turn.read()] == [1]
        made = turn.append(1, told(2, key="k"))
        made += turn.append(2, told(3))
        assert [event.n for event in turn.read(after=1)] == [2, 3]
        assert turn.find("told", "k") == made[0]
        assert turn.find("told", "other") is None
        assert turn.last() == made[1]
        assert [event.n for event in store.read("a")] == [1]
    assert list(store.read("a", after=1)) == made
    assert check_chain(store.read("a")) is None


def test_a_turn_that_fails_leaves_nothing(store: Store) -> None:
    def fail() -> None:
        with store.turn("a") as turn:
            turn.append(0, told(1))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(store.read("a")) == []
    with store.turn("a") as turn:
        assert turn.last() is None
    assert store.experiments() == []


def test_a_turn_that_has_ended_takes_nothing(store: Store) -> None:
    with store.turn("a") as turn:
        turn.append(0, told(1))
    with pytest.raises(InputError, match="the turn has ended: take another"):
        turn.append(1, told(2))
    assert len(list(store.read("a"))) == 1


def test_a_turn_goes_on_after_a_conflict(store: Store) -> None:
    store.append("a", 0, told(1, key="k"))
    with store.turn("a") as turn:
        turn.append(1, told(2, key="l"))
        for key in ("k", "l"):
            with pytest.raises(ConflictError, match="already") as caught:
                turn.append(2, told(3, key=key))
            assert caught.value.event == turn.find("told", key)
        with pytest.raises(ConflictError, match="the last event is 2, not 0"):
            turn.append(0, told(3))
        turn.append(2, told(3))
    assert [event.data["x"] for event in store.read("a")] == [1, 2, 3]


def test_turns_of_one_experiment_come_one_after_another(store: Store) -> None:
    def increase(_: int) -> None:
        with store.turn("a") as turn:
            last = turn.last()
            turn.append(last.n if last else 0, told(last.data["x"] + 1 if last else 1))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(increase, range(40)))
    assert [event.data["x"] for event in store.read("a")] == list(range(1, 41))


def test_turns_of_two_experiments_do_not_wait_for_each_other(store: Store) -> None:
    with store.turn("a") as one, store.turn("b") as other:
        one.append(0, told(1))
        other.append(0, told(2))
    assert store.experiments() == ["a", "b"]


def test_appends_from_many_threads_leave_no_gap(store: Store) -> None:
    """Everybody guesses the number, and whoever was second reads and guesses again."""

    def append(x: int) -> None:
        while True:
            last = store.last("a")
            try:
                store.append("a", last.n if last else 0, told(x, key=f"k{x}"))
                return
            except ConflictError:
                continue

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(append, range(36)))
    assert sorted(event.data["x"] for event in store.read("a")) == list(range(36))
    assert check_chain(store.read("a")) is None


def test_reading_does_not_wait_for_writing(store: Store) -> None:
    """While a turn is open, others read; and what they read is a whole number of appends."""
    store.append("a", 0, told(1, 2))
    stop = threading.Event()
    seen: list[int] = []

    def watch() -> None:
        while not stop.is_set():
            seen.append(len(list(store.read("a"))))

    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        with store.turn("a") as turn:
            before = len(seen)
            while len(seen) < before + 3:
                assert not watching.done()
            turn.append(2, told(3, 4))
        for n in range(4, 24, 2):
            store.append("a", n, told(n, n))
        stop.set()
        watching.result()
    assert seen == sorted(seen)
    assert all(count % 2 == 0 for count in seen)


# ---- closing -------------------------------------------------------------------------------------


def test_a_closed_store_says_so(where: str) -> None:
    store = open_store(where)
    store.append("a", 0, told(1))
    store.close()
    store.close()
    for ask in (
        lambda: store.last("a"),
        lambda: store.append("a", 1, told(2)),
        lambda: store.backup("x.db"),
        lambda: list(store.read("a")),
    ):
        with pytest.raises(InputError, match="closed: open it again"):
            ask()


def test_a_store_for_reading_only_refuses_to_write(where: str) -> None:
    with pytest.raises(InputError):
        open_store(where, read_only=True)
    with open_store(where) as store, open_store(where, read_only=True) as reader:
        events = store.append("a", 0, told(1, 2))
        assert list(reader.read("a")) == events
        with pytest.raises(InputError, match="for reading only"):
            reader.append("a", 2, told(3))
        with pytest.raises(InputError, match="for reading only"), reader.turn("a") as turn:
            turn.append(2, told(3))
        with pytest.raises(InputError, match="for reading only"):
            reader.load(store.export("a"))
        assert list(store.read("a")) == events
