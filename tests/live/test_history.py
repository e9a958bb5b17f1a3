"""The past of a learner as bytes is the past in plain lists and dicts."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.live.history import Choices, History
from sidelight.live.spill import Spill
from sidelight.player import Choice

VALUES = (0.0, 5e-324, -1.5, 0.1, 1e308)


def test_decisions_come_back_as_they_were() -> None:
    rng = np.random.default_rng(1)
    choices, plain = Choices(Spill()), []
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
    assert not Choices(Spill())


def test_a_number_that_does_not_fit_changes_nothing() -> None:
    choices = Choices(Spill())
    choices.append(Choice(1, 0, "a"))
    with pytest.raises(OverflowError):
        choices.append(Choice(2, 1, "b", 2**63))
    assert list(choices) == [Choice(1, 0, "a")]
    choices.append(Choice(2, 2, "b", 2**63 - 1))
    assert choices[-1] == Choice(2, 2, "b", 2**63 - 1)


def test_values_come_back_as_they_were() -> None:
    rng = np.random.default_rng(2)
    history = History()
    plain: dict[int, dict[int, float]] = {}
    records = {}
    for n in range(300):
        t = int(rng.integers(1, 50))
        known = plain.setdefault(t, {})
        actions = [j for j in rng.permutation(8).tolist() if j not in known][:3]
        new = {j: VALUES[rng.integers(len(VALUES))] for j in actions}
        known.update(new)
        history.note_values(t, new)
        records[f"key {n}"] = t, dict(known)
        history.records.add(f"key {n}", records[f"key {n}"])
    told = dict(history.told)
    assert list(told.items()) == list(plain.items())  # in the order in which they came
    assert [list(values) for values in told.values()] == [list(values) for values in plain.values()]
    assert all(type(j) is int for values in told.values() for j in values)
    assert dict(history.records) == records


def test_a_decision_that_showed_nothing_yet_and_one_that_showed_nothing_at_all() -> None:
    history = History()
    history.note_values(3, {})
    assert dict(history.told) == {3: {}}


def test_tells_and_shadows_come_back_as_they_were() -> None:
    history = History()
    history.note_tell("one", 1, [3, 0], last=False)
    history.note_tell("two", 2**40, [], last=True)
    history.shadow.add(7, None)
    assert history.tells["one"] == (1, frozenset({0, 3}), False)
    assert history.tells["two"] == (2**40, frozenset(), True)
    assert dict(history.shadow) == {7: None}
    assert 7 in history.shadow
    assert 8 not in history.shadow
