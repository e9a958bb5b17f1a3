"""Many callers of one experiment: shared commits, keys of several decisions, all or none."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight import Feedback, InputError, KeyReusedError, Learner, NotRunningError, StoreError
from sidelight.errors import ContradictionError, ItemError, NotShownError
from sidelight.live.bodies import created
from sidelight.live.replay import replayed
from sidelight.live.sqlite import SqliteStore
from sidelight.live.store import Store
from sidelight.live.together import MARK, Recorded, Together, Told, check_tells, keys_of

PATIENCE = 60


@pytest.fixture
def crew() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as threads:
        yield threads


@pytest.fixture
def shop(store: Store, crew: ThreadPoolExecutor) -> Together:
    """A new experiment: A shows A and B, B shows B."""
    feedback = Feedback([[1.0, 2.0], [float("inf"), 1.0]], ["A", "B"])
    store.append("shop", 0, [created(Learner(feedback, "ucb-n", horizon=1000, seed=3))])
    return Together(store, "shop", crew)


def answer(future: Future[Any]) -> Any:
    """What a future has, in bounded time."""
    return future.result(PATIENCE)


def as_replayed(shop: Together) -> str:
    """The learner that the events make."""
    return replayed(shop.events, shop.name).learner.to_json()


def test_one_key_and_number_have_one_answer(shop: Together) -> None:
    first = answer(shop.decide(3, "visit"))
    again = answer(shop.decide(3, "visit"))
    assert first.new
    assert not again.new
    assert [decision.id for decision in first.decisions] == [1, 2, 3]
    assert again.decisions == first.decisions
    for count in (1, 2, 4):
        with pytest.raises(KeyReusedError, match="another number"):
            answer(shop.decide(count, "visit"))
    assert answer(shop.decide(1, "other")).decisions[0].id == 4
    assert shop.rounds == 4
    assert shop.to_json() == as_replayed(shop)


def test_the_number_in_an_answer_is_that_of_the_last_event(shop: Together) -> None:
    for change in (lambda: shop.decide(2), lambda: shop.observe([Told(1, {})]), shop.decide):
        found = answer(change())
        last = shop.store.last("shop")
        assert last is not None
        assert found.n == last.n


def test_keys_of_several_things_leave_room_for_their_numbers() -> None:
    assert keys_of("k" * 197, 10, {})[0][-1] == "k" * 197 + MARK + "10"
    with pytest.raises(InputError, match="197 characters at most"):
        keys_of("k" * 198, 10, {})
    with pytest.raises(InputError, match="unit separator"):
        keys_of(f"a{MARK}2", 1, {})


def test_items_are_taken_all_or_none(shop: Together) -> None:
    decisions = answer(shop.decide(4)).decisions
    before, events = shop.to_json(), len(list(shop.events()))
    a = next(d.id for d in decisions if d.label == "A")
    b = next(d.id for d in decisions if d.label == "B")
    good = Told(a, {"A": 0.5, "B": 0.25}, "one")
    for bad, cause in (
        (Told(b, {"A": 0.5}), NotShownError),
        (Told(99, {"A": 0.5}), InputError),
        (Told(a, {"A": 0.75}), ContradictionError),
        (Told(b, {"B": 0.5}, "one"), KeyReusedError),
        (Told(a, {"A": 0.75, "B": 0.25}, "one"), KeyReusedError),
        (Told(b, {"B": 1e9}), InputError),
    ):
        with pytest.raises(ItemError, match="item 2") as caught:
            answer(shop.observe([good, bad]))
        assert type(caught.value.cause) is cause
        assert caught.value.place == 1
    assert (shop.to_json(), len(list(shop.events()))) == (before, events)
    taken = answer(shop.observe([good, good, Told(b, {"B": 0.5}, last=True)]))
    assert (taken.accepted, taken.duplicate, taken.late) == (2, 1, 0)
    assert shop.to_json() == as_replayed(shop)


def test_records_are_taken_all_or_none_and_one_key_stands_for_all(shop: Together) -> None:
    items = [Recorded("A", {"A": 0.5}), Recorded("B", {"B": 0.25})]
    with pytest.raises(ItemError, match="item 3"):
        answer(shop.note([*items, Recorded("B", {"A": 0.5})]))
    assert shop.belief.rounds == 0
    assert answer(shop.note(items, "import")).accepted == 2
    again = answer(shop.note(items, "import"))
    assert (again.accepted, again.duplicate) == (0, 2)
    for other in (items[:1], [*items, items[0]]):
        with pytest.raises(KeyReusedError):
            answer(shop.note(other, "import"))
    for other in ([replace(items[0], key="own"), items[1]], [items[0], replace(items[1], key="x")]):
        with pytest.raises(ItemError, match="a key for all items, and this item one of its own"):
            answer(shop.note(other, "import"))
    assert shop.belief.rounds == 2
    assert shop.to_json() == as_replayed(shop)


def test_late_values_are_welcome_and_counted(shop: Together) -> None:
    (decision,) = answer(shop.decide()).decisions
    answer(shop.observe([Told(decision.id, {}, last=True)]))
    taken = answer(shop.observe([Told(decision.id, {decision.label: 0.5})]))
    assert (taken.accepted, taken.late) == (1, 1)


def test_a_paused_experiment_refuses_questions_and_a_closed_one_everything(shop: Together) -> None:
    answer(shop.decide(1, "before"))
    shop.set_state("paused")
    with pytest.raises(NotRunningError):
        answer(shop.decide())
    assert not answer(shop.decide(1, "before")).new
    shop.set_state("closed")
    for change in (shop.observe([Told(1, {})]), shop.note([])):
        with pytest.raises(NotRunningError):
            answer(change)


@contextmanager
def held(store: Store) -> Iterator[list[int]]:
    """Nothing is committed in this block; the list gets the size of every append after it."""
    sizes: list[int] = []
    gate = threading.Event()
    patch = pytest.MonkeyPatch()
    with patch.context():
        if isinstance(store, SqliteStore):
            writer = store._writing()
            commit = writer._commit
            write = writer._write

            def wait(transaction: Any) -> None:
                gate.wait(PATIENCE)
                commit(transaction)

            def count(group: list[Any]) -> bool:
                sizes.append(len(group))
                return write(group)

            patch.setattr(writer, "_commit", wait)
            patch.setattr(writer, "_write", count)
        else:
            turn = store.turn

            @contextmanager
            def slow(name: str) -> Iterator[Any]:
                gate.wait(PATIENCE)
                with turn(name) as mine:
                    append = mine.append

                    def note(after: int, entries: Any) -> Any:
                        sizes.append(len(entries))
                        return append(after, entries)

                    patch.setattr(mine, "append", note)
                    yield mine

            patch.setattr(store, "turn", slow)
        yield sizes
        gate.set()


def test_callers_who_wait_together_share_a_commit(shop: Together) -> None:
    answer(shop.decide())
    with held(shop.store) as sizes:
        waiting = [shop.decide(1, f"visit-{i}") for i in range(40)]
        assert not any(future.done() for future in waiting)
    found = [answer(future).decisions[0].id for future in waiting]
    assert sorted(found) == list(range(2, 42))
    assert len(sizes) <= 4
    assert shop.to_json() == as_replayed(shop)


def test_one_key_asked_twice_at_once_is_one_decision(shop: Together) -> None:
    answer(shop.decide())
    with held(shop.store):
        waiting = [shop.decide(2, "same") for _ in range(20)]
    assert {tuple(d.id for d in answer(future).decisions) for future in waiting} == {(2, 3)}
    assert sum(answer(future).new for future in waiting) == 1


def test_a_refusal_in_a_shared_turn_is_nobody_elses(shop: Together) -> None:
    answer(shop.decide())
    with held(shop.store):
        good, bad, more = shop.decide(), shop.observe([Told(77, {})]), shop.decide()
    assert answer(good).decisions[0].id == 2
    assert answer(more).decisions[0].id == 3
    with pytest.raises(ItemError, match="no decision has the id 77"):
        answer(bad)


def test_a_failed_append_is_forgotten_by_memory(
    tmp_path: Any, crew: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SqliteStore(tmp_path / "events.db") as store:
        learner = Learner(Feedback.full_information(3), "ucb-n", horizon=1000)
        store.append("shop", 0, [created(learner)])
        shop = Together(store, "shop", crew)
        answer(shop.decide())
        lost: Future[Any] = Future()
        monkeypatch.setattr(store, "submit", lambda *_: lost)
        first, second = shop.decide(1, "a"), shop.decide(1, "b")
        monkeypatch.undo()
        lost.set_exception(StoreError("the disk was busy"))
        for future in (first, second):
            with pytest.raises(StoreError, match="busy"):
                answer(future)
        assert shop.rounds == 1
        assert answer(shop.decide(1, "b")).decisions[0].id == 2
        assert shop.to_json() == as_replayed(shop)


items = st.builds(
    Told,
    st.integers(0, 4),
    st.dictionaries(st.sampled_from("AB"), st.sampled_from([0.25, 0.5, 1e6]), max_size=2),
    st.sampled_from([None, "k1", "k2"]),
    st.booleans(),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(items, max_size=5), st.lists(items, max_size=3))
def test_a_batch_is_refused_exactly_where_one_after_the_other_would_be(
    batch: list[Told], before: list[Told]
) -> None:
    feedback = Feedback([[1.0, 2.0], [float("inf"), 1.0]], ["A", "B"])
    learner = Learner(feedback, "uniform", seed=1)
    for _ in range(3):
        learner.ask()
    learner.propose()
    for item in before:
        _try(learner, item)
    said = learner.to_json()
    try:
        check_tells(learner, batch)
        wrong = None
    except ItemError as error:
        wrong = error.place, type(error.cause)
    assert learner.to_json() == said
    found = None
    for place, item in enumerate(batch):
        if cause := _try(learner, item):
            found = place, cause
            break
    assert found == wrong


def _try(learner: Learner, item: Told) -> type[InputError] | None:
    try:
        learner.tell(item.id, item.values, item.key, item.last)
    except InputError as error:
        return type(error)
    return None
