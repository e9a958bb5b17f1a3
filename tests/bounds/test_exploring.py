"""The search for a plan: its guesses against slow definitions, and how far it goes."""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from naive import commitment as naive
from naive.structures import scattered
from sidelight import Feedback
from sidelight.bounds.exploring import (
    Explored,
    Planner,
    _changes,
    _supports,
    single_gaps,
    worst,
)
from sidelight.bounds.kinds import alike
from sidelight.bounds.promising import _planner, is_planned, planned, promised


def known(plays: tuple[int, ...], sds: tuple[float, ...], T: float = 1000.0) -> Explored:
    return Explored(np.array(plays, dtype=float), np.array(sds), 1.0, T - sum(plays))


@pytest.mark.parametrize(
    ("sds", "off"),
    [
        ((0.1, 0.1, 0.1), 1e-8),
        ((0.1, 0.3, 0.2), 1e-8),
        ((0.4, 0.05, 0.2), 1e-8),
        ((0.0, 0.1, 0.0), 0.07),  # against an exact average the integrand jumps between nodes
        ((0.3, 0.0, 0.2), 0.07),
    ],
)
def test_regrets(sds: tuple[float, ...], off: float) -> None:
    plays = (20, 30, 10)
    explored = known(plays, sds)
    rng = np.random.default_rng(1)
    gaps = rng.exponential(0.2, (40, 3))
    gaps[:, 0] = 0.0
    for row, regret in zip(gaps, explored.regrets(gaps), strict=True):
        exact = naive.regret(row.tolist(), plays, np.array(sds), 1000)
        assert regret == pytest.approx(exact, abs=1000 * row.max() * off)


@pytest.mark.parametrize(
    ("plays", "sds"),
    [((20, 20), (0.2, 0.2)), ((20, 35), (0.2, 0.1)), ((5, 60), (0.05, 0.4)), ((3, 3), (2.0, 1.0))],
)
def test_the_worst_of_two_is_found(plays: tuple[int, ...], sds: tuple[float, ...]) -> None:
    exact = naive.worst(plays, np.array(sds), 1.0, 1000, 161)
    assert worst(known(plays, sds)) == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize(
    ("plays", "sds"),
    [((30, 20, 25), (0.2, 0.1, 0.15)), ((20, 20, 20), (0.2, 0.2, 0.2)), ((50, 0, 0), (0.1,) * 3)],
)
def test_the_worst_of_three_is_found(plays: tuple[int, ...], sds: tuple[float, ...]) -> None:
    grid = naive.worst(plays, np.array(sds), 1.0, 1000, 11)
    assert grid * 0.998 <= worst(known(plays, sds), thorough=True) < 1.05 * grid


@pytest.mark.parametrize(
    ("plays", "sds"),
    [
        ((20, 20), (0.2, 0.2)),
        ((20,) * 6, (0.1,) * 6),
        ((40, 0, 0, 0), (0.1, 0.3, 0.3, 0.3)),
        ((10, 30, 30), (0.4, 0.1, 0.1)),
        ((1, 1), (0.0, 0.0)),
    ],
)
def test_single_gaps(plays: tuple[int, ...], sds: tuple[float, ...]) -> None:
    exact = max(naive.single(best, plays, np.array(sds), 1000) for best in range(len(plays)))
    assert single_gaps(known(plays, sds)) == pytest.approx(exact, rel=0.02)


# ---- plans --------------------------------------------------------------------------------------


def test_changes_of_a_plan() -> None:
    assert _changes(1, 2.0) == [(2.0,), (0.5,)]
    two = _changes(2, 2.0)
    assert sorted(two) == sorted(
        [
            *((2.0, 2.0), (0.5, 0.5), (0.0, 1.0), (1.0, 0.0)),
            *((2.0, 1.0), (0.5, 1.0), (1.0, 2.0), (1.0, 0.5)),
        ]
    )
    assert len(_changes(8, 2.0)) == 2 + 3 * 8
    assert _changes(9, 2.0) == [(2.0,) * 9, (0.5,) * 9]


@pytest.mark.parametrize("actions", [2, 4, 5, 7])
def test_supports_show_everything(actions: int) -> None:
    """Each action shows itself, and the first some others, all with noise of their own."""
    precision = np.diag(np.arange(1.0, actions + 1))
    precision[0, :] = 7.0
    precision[1, 2:] = 5.0
    kinds = alike(precision)
    found = _supports(Planner(precision, 1.0, 1000.0, few=True), kinds)
    shows = np.array([(precision[kind] > 0).any(axis=0) for kind in kinds])
    order = sorted(range(len(kinds)), key=lambda c: -int(shows[c].sum()))[:6]
    every = [
        tuple(c in chosen for c in range(len(kinds)))
        for size in range(1, 7)
        for chosen in itertools.combinations(sorted(order), size)
        if shows[list(chosen)].any(axis=0).all()
    ]
    assert found == [*every[:11], (True,) * len(kinds)]
    assert (len(every) > 11) is (actions > 4)


# ---- promises -----------------------------------------------------------------------------------


@pytest.mark.parametrize("upper", [1, 3])
def test_a_promise_is_the_guess_and_as_little_as_can_be_proved(upper: int) -> None:
    made = promised(Feedback.bandit(2, sigma=upper), Fraction(upper), Fraction(100))
    value = made.promise.value
    assert made.found * 1.002 <= value <= made.found * 1.002 * (1 + 1e-5)
    assert float(f"{value:.6g}") == value
    assert not made.loose


def test_where_the_lowest_rung_does_not_hold_the_next_one_does() -> None:
    made = promised(Feedback([[1.0, 1.0], [np.inf] * 2]), Fraction(1), Fraction(1000))
    assert made.found * 1.005 <= made.promise.value <= made.found * 1.005 * (1 + 1e-5)
    assert not dataclasses.replace(made.promise, value=made.found * 1.002).check()


@pytest.mark.parametrize(
    ("feedback", "T"),
    [
        (Feedback.bandit(3), 1.0),
        (Feedback.bandit(2), 2.0),
    ],
)
def test_where_no_plan_is_worth_its_rounds(feedback: Feedback, T: float) -> None:
    """Nothing is played and nothing but T D is promised, and no longer search would help."""
    made = promised(feedback, Fraction(1), Fraction(T))
    assert made.promise.value == T
    assert made.promise.plan.plays == (0,) * len(feedback)
    assert math.isnan(made.found)
    assert not made.loose


def test_nine_actions_are_still_a_matter_of_boxes() -> None:
    """What is seen exactly at once costs the rounds of the plan, one for each action."""
    made = promised(Feedback(np.zeros((9, 9))), Fraction(1), Fraction(1000))
    assert made.promise.fineness is not None
    assert 8 <= made.promise.value <= 8.8 * (1 + 1e-5)
    assert _planner(Feedback.bandit(9), 1.0, 1000.0).few
    assert not _planner(Feedback.bandit(10), 1.0, 1000.0).few


@pytest.mark.parametrize("seed", range(12))
def test_whether_there_is_a_plan_is_known_without_the_search(seed: int) -> None:
    """Short horizons are too short for a plan on some structures, and long enough on others."""
    feedback = scattered(np.random.default_rng([9, seed]), 2 + seed % 2)
    for horizon in (1, 2, 3, 4, 6):
        found = planned(feedback, 1.0, float(horizon))
        assert is_planned(feedback, 1.0, float(horizon)) == (found is not None)


def test_plans_without_a_search_at_both_ends() -> None:
    assert is_planned(Feedback.bandit(1), 1.0, 1.0)
    assert not is_planned(Feedback.bandit(2), 1.0, 1.0)
    assert is_planned(Feedback.bandit(2), 1.0, 5.0)
