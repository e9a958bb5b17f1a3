"""The loss of a plan: closed forms, dense search, brackets from above."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import alternatives as naive
from naive import bracketing
from naive.bracketing import loss_above
from naive.random_problems import random_case
from naive.structures import matrix
from sidelight.programs import separation
from sidelight.programs.separation import Cuts, ScaledProblem, cut_rows, scale_problem, separate


def loss(name: str, means: list[float], plays: list[float]) -> tuple[float, float]:
    T = sum(plays)
    problem = scale_problem(np.array(means), matrix(name, len(means)), 1.0, T)
    plan = np.array(plays) / T
    return T * separate(problem, plan, 1e-4).loss, T * loss_above(problem, plan)


@pytest.mark.parametrize(
    ("name", "means", "plays", "value", "rel"),
    [
        ("bandit", [0.5, 0.5], [5e3, 5e3], 27.0116046865, 1e-7),
        ("full", [0.5, 0.5], [5e3, 5e3], 19.1000888445, 1e-7),
        ("full", [0.7, 0.5], [100.0, 0.0], 1.1327568265, 1e-7),
        ("bandit", [0.7, 0.5], [100.0, 0.0], 31.5480495728, 1e-7),
        ("bandit", [0.7, 0.5], [9900.0, 100.0], 21.24524, 1e-5),
        ("full", [0.5, 0.5], [1e4, 0.0], 85.7763884961, 1e-7),
    ],
)
def test_reference_losses(
    name: str, means: list[float], plays: list[float], value: float, rel: float
) -> None:
    found, above = loss(name, means, plays)
    assert found == pytest.approx(value, rel=rel)
    assert found * (1 - 1e-12) <= above <= found * (1 + 2e-7)


def other_regret(weights: list[float]) -> float:
    table = naive.counts(2, 2)
    theta, other = np.array([0.6, 0.5]), np.array([0.4, 0.9])
    q = np.array(weights)
    told = float(q @ table @ naive.informations(theta, other, np.eye(2)))
    losses = table @ (other.max() - other)
    dual = naive.dual_other_regret(q, losses, told)
    assert dual == pytest.approx(naive.least_other_regret(q, losses, told), abs=1e-6)
    return dual


def test_the_least_regret_under_the_alternative_is_the_dual_supremum() -> None:
    # Counts in the order (0,2), (1,1), (2,0); the grid over s is good to nine digits.
    assert other_regret([0.2, 0.3, 0.5]) == pytest.approx(0.482756220641, rel=1e-9)
    assert other_regret([0.35, 0.0, 0.65]) == pytest.approx(0.448553225354, rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_the_oracle_finds_what_a_dense_search_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem, plan = random_case(rng, 2 + seed % 2)
    found = separate(problem, plan, 1e-3).loss
    searched = naive.loss_by_search(problem.theta, problem.info, plan, rng)
    assert searched <= found * (1 + 1e-9)
    # Nelder-Mead stops short of corners of the box by about this much.
    assert searched == pytest.approx(found, rel=2e-3)


@pytest.mark.parametrize("seed", range(20))
def test_tangents_bracket_the_loss(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    problem, plan = random_case(rng, int(rng.integers(1, 6)))
    found = separate(problem, plan, 1e-4).loss
    above = loss_above(problem, plan, tolerance=1e-5)
    assert found * (1 - 1e-12) <= above
    # Below beta the oracle need not look closely.
    assert above <= max(found, 1e-4) * (1 + 2e-5)


@pytest.mark.parametrize("seed", range(20))
def test_reported_values_are_those_of_the_reported_alternatives(seed: int) -> None:
    rng = np.random.default_rng(2000 + seed)
    problem, plan = random_case(rng, 4)
    found = separate(problem, plan, 1e-3)
    assert ((found.cuts.means >= 0) & (found.cuts.means <= 1)).all()
    for value, other, shift in zip(found.values, found.cuts.means, found.cuts.shifts, strict=True):
        here = naive.loss_at(problem.theta, problem.info, plan, other, shift)
        assert here == pytest.approx(value, rel=1e-9, abs=1e-12 * (1 + shift))
        assert here <= found.loss * (1 + 1e-12)


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1.0), st.sampled_from([1e-9, 1e-3, 1.0, 1e12]))
@settings(deadline=None, max_examples=100)
def test_rows_are_their_definition(seed: int, beta: float, shift: float) -> None:
    rng = np.random.default_rng(seed)
    problem, _ = random_case(rng, 3)
    other = rng.random(3)
    (row,) = cut_rows(problem, Cuts(other[None, :], np.array([shift])), beta)
    gaps = other.max() - other
    told = 0.5 * problem.info @ np.square(other - problem.theta)
    # log((gap + u)/(beta + u)) by its series where u is huge, so that the test keeps its digits.
    x = (gaps - beta) / (beta + shift)
    logs = x if shift > 1e6 else np.log((gaps + shift) / (beta + shift))
    expected: npt.NDArray[np.float64] = logs - told
    assert row == pytest.approx(expected, rel=1e-9, abs=1e-20)


def test_a_coordinate_that_somebody_sees_exactly_is_not_moved() -> None:
    variance = np.array([[0.0, np.inf, np.inf], [np.inf, 1.0, np.inf], [np.inf, np.inf, 1.0]])
    problem = scale_problem(np.array([0.5, 0.6, 0.4]), variance, 1.0, 1e4)
    assert problem.fixed.tolist() == [True, False, False]
    found = separate(problem, np.array([0.0, 1.0, 0.0]), 1e-4)
    assert (found.cuts.means[:, 0] == 0.5).all()
    # Only action 2 can overtake; the best action must then stay above 0.5.
    assert found.loss == pytest.approx(loss_above(problem, np.array([0.0, 1.0, 0.0])), rel=1e-6)


def test_if_all_is_seen_exactly_nothing_misleads() -> None:
    problem = scale_problem(np.array([0.5, 0.6]), np.zeros((2, 2)), 1.0, 1e4)
    assert separate(problem, np.array([0.0, 1.0]), 1e-4).loss == 0.0
    assert separate(problem, np.array([0.5, 0.5]), 1e-4).loss == pytest.approx(0.05)


def test_an_unobserved_action_costs_all_that_it_could_be_worth() -> None:
    problem = scale_problem(
        np.array([0.7, 0.5]), np.array([[1.0, np.inf], [np.inf, np.inf]]), 1.0, 100
    )
    # As row 44 of the table, whatever the plan does not say about action 1.
    assert 100 * separate(problem, np.array([1.0, 0.0]), 1e-4).loss == pytest.approx(31.5480495728)


def test_one_action_cannot_lose() -> None:
    problem = scale_problem(np.array([0.3]), np.ones((1, 1)), 1.0, 1e4)
    assert separate(problem, np.ones(1), 1e-4).loss == 0.0


@pytest.mark.parametrize("seed", range(100, 112))
def test_no_simple_alternative_is_worse_than_the_reply(seed: int) -> None:
    """Action k rises to a level, and those above fall to it: the reply costs as much at least."""
    problem, plan = random_case(np.random.default_rng(seed), 4)
    shifts = np.geomspace(1e-4, 10.0, 8)
    with np.errstate(all="ignore"):
        oracle = separation.Oracle(problem, plan)
        replies = {
            k: oracle.losses(np.full(8, k), shifts) for k in oracle.best[plan[oracle.best] < 1]
        }
        for k, losses in replies.items():
            for level in np.linspace(oracle.low[k], oracle.high[k], 40):
                other = np.minimum(problem.theta, level)
                other[k] = level
                for u, loss in zip(shifts, losses, strict=True):
                    here = naive.loss_at(problem.theta, problem.info, plan, other, u)
                    assert here <= loss + 1e-9 * (abs(loss) + u)


@pytest.mark.parametrize("seed", range(12))
def test_nothing_beyond_a_shift_is_above_its_bound(seed: int) -> None:
    """Jensen's bound holds for every larger shift, and is close where the shift is large."""
    rng = np.random.default_rng(4000 + seed)
    problem, plan = random_case(rng, 4)
    if seed % 3 == 0:  # somebody sees an action exactly
        fixed = np.arange(4) == seed % 4
        info = np.where(fixed, 0.0, problem.info)
        problem = ScaledProblem(problem.theta, info, fixed)
    with np.errstate(all="ignore"):
        oracle = separation.Oracle(problem, plan)
        k = np.repeat(oracle.best, 5)
        u = np.tile([0.1, 1.0, 10.0, 1e3, 1e6], len(oracle.best))
        above = bracketing._beyond(oracle, k, u)
        spare = 1e-9 * np.abs(above)  # rounding
        for factor in (1.0, 1.1, 3.0, 100.0, 1e4):
            assert (oracle.losses(k, factor * u) <= above + spare + 1e-14 * factor * u).all()
        far = u >= 1e3
        assert above[far] == pytest.approx(oracle.losses(k, u)[far], rel=1e-3, abs=1e-3)


def test_blocks_of_questions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, plan = random_case(np.random.default_rng(7), 4)
    whole = separate(problem, plan, 1e-3)
    monkeypatch.setattr(separation, "BLOCK", 7 * len(plan))
    parts = separate(problem, plan, 1e-3)
    assert parts.loss == whole.loss
    assert parts.values.tolist() == whole.values.tolist()


def test_units_do_not_matter() -> None:
    plain = scale_problem(np.array([0.7, 0.5, 0.35]), matrix("bandit", 3), 1.0, 1e4)
    large = scale_problem(3 * np.array([0.7, 0.5, 0.35]), 9 * matrix("bandit", 3), 3.0, 1e4)
    assert large.theta == pytest.approx(plain.theta, rel=1e-15)
    assert large.info == pytest.approx(plain.info, rel=1e-14)


def test_extreme_units_stay_finite() -> None:
    for size in (1e-150, 1e150):
        variance = matrix("bandit", 2) * size * size
        problem = scale_problem(np.array([0.7, 0.5]) * size, variance, size, 1e4)
        assert math.isfinite(separate(problem, np.array([0.99, 0.01]), 1e-4).loss)
