"""Bounds on the loss of a plan from above: each step against what it bounds, on a dense grid."""

from __future__ import annotations

import numpy as np
import pytest

from naive import bracketing
from naive.bracketing import loss_above
from naive.random_problems import random_case
from sidelight.programs import separation
from sidelight.programs.separation import Oracle, ScaledProblem, separate
from sidelight.variances import Array

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # divisions by 0, as in `quiet`


def largest_gain(oracle: Oracle, k: int, M: float) -> float:
    """The largest <p, gap'>/M - r with best action k, on a grid of levels and of drops."""
    best = -np.inf
    for v in np.linspace(oracle.low[k], oracle.high[k], 201):
        total = -0.5 * oracle.n[k] * (v - oracle.theta[k]) ** 2
        for i in range(len(oracle.theta)):
            if i != k:
                low, high = max(0.0, oracle.theta[i] - v), oracle.theta[i]
                x = np.zeros(1) if oracle.fixed[i] else np.linspace(low, high, 201)
                gap = v - oracle.theta[i] + x
                total += (oracle.p[i] * gap / M - 0.5 * oracle.n[i] * np.square(x)).max()
        best = max(best, total)
    return best


@pytest.mark.parametrize("seed", range(12))
def test_the_largest_gain_is_that_of_a_dense_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem, plan = random_case(rng, 3)
    if seed % 3 == 0:  # somebody sees an action exactly
        fixed = np.arange(3) == seed // 3 % 3
        problem = ScaledProblem(problem.theta, np.where(fixed, 0.0, problem.info), fixed)
    oracle = Oracle(problem, plan)
    for M in (0.03, 0.3, 3.0):
        gains, earned = bracketing._linear(oracle, oracle.best, np.full(len(oracle.best), M))
        assert (earned >= 0).all()
        for k, gain in zip(oracle.best, gains, strict=True):
            searched = largest_gain(oracle, int(k), M)
            assert searched <= gain + 1e-12
            # The grid is off by at most half a step in each coordinate, and the gain is concave.
            step = 1 / 200
            curvature = 0.125 * step**2 * oracle.n.sum()
            assert gain <= searched + curvature + 2 * step / M * plan[oracle.n == 0].sum()


@pytest.mark.parametrize("seed", range(12))
def test_between_two_shifts_nothing_is_above_the_tangents(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    problem, plan = random_case(rng, 4)
    oracle = Oracle(problem, plan)
    k = np.repeat(oracle.best, 20)
    low = 10 ** rng.uniform(-6, 0.5, len(k))
    high = low * 10 ** rng.uniform(0.01, 2, len(k))
    left, right = bracketing._points(oracle, k, low), bracketing._points(oracle, k, high)
    tops, crossing = bracketing._tangent_tops(left, right)
    assert ((crossing >= low) & (crossing <= high)).all()
    inside = bracketing._between(low, high, crossing)
    assert ((inside > low) & (inside < high)).all()
    for part in np.linspace(0, 1, 9):
        losses = oracle.losses(k, low ** (1 - part) * high**part)
        assert (losses <= tops + 1e-9 * (tops + high)).all()
    near = bracketing._points(oracle, k, low * 1.001)
    tops, _ = bracketing._tangent_tops(left, near)
    # Over an interval that short, F hardly changes: it rises by less than exp(h) over u, or falls.
    assert tops == pytest.approx(
        oracle.losses(k, low), abs=2e-3 * (np.exp(left.height) + low).max()
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_bound_that_stops_early_is_true(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(200 + seed)
    problem, plan = random_case(rng, 4)
    found = separate(problem, plan, 1e-4).loss
    closely = loss_above(problem, plan)
    monkeypatch.setattr(bracketing, "MOST_INTERVALS", 3)
    assert found * (1 - 1e-12) <= closely <= loss_above(problem, plan) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_does_not_rest_on_what_the_oracle_found(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(300 + seed)
    problem, plan = random_case(rng, 3)
    found = separate(problem, plan, 1e-4)

    def blind(problem: ScaledProblem, plan: Array, beta: float) -> separation.Separation:
        return separation.Separation(1e-3 * found.loss, found.cuts, found.values)

    monkeypatch.setattr(bracketing, "separate", blind)
    above = loss_above(problem, plan, tolerance=1e-3)
    assert found.loss * (1 - 1e-12) <= above <= found.loss * (1 + 1e-2)
