"""The belief: two sums that commute, and nothing that a policy could break."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.belief import CAP, best_observers, known, precisions
from strategies import feedbacks

inf = float("inf")
prices = sl.Feedback([[1, 4, 1], [inf, 1, 1], [inf, inf, 0]], labels=["a", "b", "c"])


def test_nothing_is_known_at_first() -> None:
    belief = sl.Belief.empty(prices)
    assert len(belief) == 3
    assert belief.rounds == 0
    assert belief.labels == ("a", "b", "c")
    assert (belief.plays == 0).all()
    assert (belief.information == 0).all()
    assert np.isnan(belief.means).all()
    assert "3 actions never seen" in repr(belief)


def test_observations_are_weighted_by_their_precision() -> None:
    belief = sl.Belief.empty(prices)
    belief = belief.play(0).observe(0, [0.2, 0.6, 0.5])
    belief = belief.play(1).observe(1, {"b": 0.1})
    assert belief.plays.tolist() == [1, 1, 0]
    assert belief.information.tolist() == [1, 1.25, 1]
    assert belief.mean("a") == 0.2
    assert belief.mean("b") == pytest.approx((0.6 / 4 + 0.1) / 1.25)


def test_a_belief_never_changes() -> None:
    first = sl.Belief.empty(prices)
    second = first.play(0).observe(0, [1, 1, 1])
    assert first.rounds == 0
    assert (first.information == 0).all()
    for array in (second.plays, second.information, second.means, second.sums):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        first.plays = second.plays  # type: ignore[misc]


def test_a_belief_survives_pickling() -> None:
    belief = pickle.loads(pickle.dumps(sl.Belief.empty(prices).play(2).observe(2, {"c": 0.3})))
    assert belief.mean("c") == pytest.approx(0.3)


@settings(deadline=None, max_examples=50)
@given(st.permutations(range(6)))
def test_the_order_of_observations_does_not_matter(order: list[int]) -> None:
    came = [(i % 2, np.array([0.5, 0.25, 0.125]) * (i + 1)) for i in range(6)]
    came = [(i, np.where(prices.observes[i], values, np.nan)) for i, values in came]
    one = two = sl.Belief.empty(prices)
    for k in range(6):
        one, two = one.observe(*came[k]), two.observe(*came[order[k]])
    assert two.information == pytest.approx(one.information)
    assert two.means == pytest.approx(one.means)


def test_a_part_of_the_values_is_enough() -> None:
    belief = sl.Belief.empty(prices).observe(0, [np.nan, 0.5, np.nan])
    assert belief.information.tolist() == [0, 0.25, 0]


@pytest.mark.parametrize(
    ("action", "values", "message"),
    [
        (3, [0, 0, 0], "whole number from 0 to 2"),
        (-1, [0, 0, 0], "whole number from 0 to 2"),
        (1.0, [0, 0, 0], "whole number"),
        (True, [0, 0, 0], "whole number"),
        (float("nan"), [0, 0, 0], "whole number"),
        (0, [0, 0], "give one for each action"),
        (0, [0, 0, np.inf], "must be finite"),
        (0, {"d": 1.0}, "no action is called 'd'"),
        (0, {"a": "x"}, "must hold numbers"),
        (1, [0.5, 0.5, 0.5], "'b' does not show 'a'"),
    ],
)
def test_wrong_observations_are_refused(action: int, values: object, message: str) -> None:
    with pytest.raises(sl.InputError, match=message):
        sl.Belief.empty(prices).observe(action, values)  # type: ignore[arg-type]


def test_exact_observations_have_the_documented_precision() -> None:
    assert precisions(prices, 1.0)[2, 2] == CAP
    assert precisions(prices, 10.0)[2, 2] == CAP / 100
    assert sl.Belief.empty(prices, 10.0).observe(2, {"c": 4.0}).mean("c") == 4.0


@pytest.mark.parametrize("upper", [1e-200, 1e200])
def test_extreme_units_are_refused(upper: float) -> None:
    with pytest.raises(sl.InputError, match="choose units"):
        sl.Belief.empty(prices, upper)


@settings(deadline=None, max_examples=100)
@given(feedbacks(), st.sampled_from([1e-50, 1.0, 1e50]))
def test_compiled_rules_read_the_same_structure(feedback: sl.Feedback, upper: float) -> None:
    read = known(feedback, upper, 7)
    assert np.isfinite(read.precision).all()
    assert ((read.precision > 0) == feedback.observes).all()
    assert (read.upper, read.horizon, known(feedback, upper).horizon) == (upper, 7, 0)
    for i in range(len(feedback)):
        shown = read.shown[read.start[i] : read.start[i + 1]]
        assert shown.tolist() == np.flatnonzero(feedback.observes[i]).tolist()
    for j, i in enumerate(read.observer):
        column = read.precision[:, j]
        assert column[i] == column.max()
        assert i == j or column[j] < column[i]
        assert i == j or (column[:i] < column[i]).all()


def test_the_best_observer_is_oneself_among_equals() -> None:
    assert best_observers(np.array([[1.0, 2, 0], [1, 2, 3], [2, 2, 3]])).tolist() == [2, 1, 2]


def test_a_belief_and_its_data_hold_the_same() -> None:
    belief = sl.Belief.empty(prices).play(0).observe(0, [0.2, np.nan, 0.5]).play(1)
    data = belief.to_data()
    assert data.means.tolist() == [0.2, 0, 0.5]
    assert data.errors.tolist() == [1, np.inf, 1]
    data.plays[2] += 4
    again = belief.with_data(data)
    assert again.plays.tolist() == [1, 1, 4]
    assert belief.plays.tolist() == [1, 1, 0]
    assert again.means[:1] == belief.means[:1]
