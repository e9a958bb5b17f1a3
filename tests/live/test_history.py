"""The past of a learner in columns is the past in plain lists and dicts, and takes less memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import sidelight as sl
from sidelight.live.history import Choices, History, Records, Told
from sidelight.player import Choice

VALUES = (0.0, 5e-324, -1.5, 0.1, 1e308)


def test_decisions_come_back_as_they_were() -> None:
    rng = np.random.default_rng(1)
    choices, plain = Choices(), []
    for t in range(1, 200):
        word = f"word {rng.integers(5)}"
        batch = None if rng.random() < 0.5 else int(rng.integers(2**40))
        plain.append(Choice(t, int(rng.integers(1000)), word, batch))
        choices.append(plain[-1])
        assert len(choices) == t
    assert list(choices) == plain
    assert choices[-1] == plain[-1]
    assert choices[10:40:7] == plain[10:40:7]
    for place in (len(plain), -len(plain) - 1):
        with pytest.raises(IndexError):
            choices[place]
    assert not Choices()


def test_a_number_that_does_not_fit_changes_nothing() -> None:
    choices = Choices()
    choices.append(Choice(1, 0, "a"))
    with pytest.raises(OverflowError):
        choices.append(Choice(2, 1, "b", 2**63))
    assert list(choices) == [Choice(1, 0, "a")]
    choices.append(Choice(2, 2, "b", 2**63 - 1))
    assert choices[-1] == Choice(2, 2, "b", 2**63 - 1)


def test_values_come_back_as_they_were() -> None:
    rng = np.random.default_rng(2)
    told, records = Told(), Records()
    plain: dict[int, dict[int, float]] = {}
    for _ in range(300):
        t = int(rng.integers(1, 50))
        known = plain.setdefault(t, {})
        actions = [j for j in rng.permutation(8).tolist() if j not in known][:3]
        new = {j: VALUES[rng.integers(len(VALUES))] for j in actions}
        known.update(new)
        told.add(t, new)
        records.add(f"key {t}", t, known)
    assert list(told.items()) == list(plain.items())  # in the order in which they came
    assert dict(records) == {f"key {t}": (t, known) for t, known in plain.items()}
    assert [list(values) for values in told.values()] == [list(values) for values in plain.values()]
    assert all(type(j) is int for values in told.values() for j in values)
    assert 50 not in told
    assert told.get(50) is None
    assert len(told) == len(plain) == len(records)


def test_a_decision_that_showed_nothing_yet_and_one_that_showed_nothing_at_all() -> None:
    told = Told()
    told.add(3, {})
    assert dict(told) == {3: {}}


def test_tells_of_the_same_actions_share_what_they_say() -> None:
    history = History()
    for t in (1, 2):
        history.note_tell(f"key {t}", t, [0, 3], last=False)
    history.note_tell("another", 3, [3], last=True)
    assert history.tells["key 1"] == (1, frozenset({0, 3}), False)
    assert history.tells["another"] == (3, frozenset({3}), True)
    assert history.tells["key 1"][1] is history.tells["key 2"][1]


def test_a_decision_with_its_value_and_two_keys_takes_half_a_kilobyte() -> None:
    """As objects of Python they took 920 bytes; the keys themselves are 120 of these."""
    learner = sl.Learner(sl.Feedback.bandit(10), "uniform", seed=1)

    def live(numbers: range) -> None:
        for n in numbers:
            decision = learner.ask(key=f"visit-{n}")
            learner.tell(decision.id, {decision.label: n * 1e-9}, key=f"sale-{n}")

    live(range(100))
    tracemalloc.start()
    try:
        live(range(100, 5_000))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken < 500 * 4_900
