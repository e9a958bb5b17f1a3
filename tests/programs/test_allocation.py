"""Covering programs: cheapest plans, prices that prove them, rays where there is no plan."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from naive import simplex
from sidelight.programs.allocation import Allocation, _affordable, allocate, least_at
from sidelight.variances import Array

BANDIT = np.eye(3)


def lower(cost: Array, P: Array, need: Array, found: Allocation, total: float | None) -> float:
    """What the prices prove; without a total they must be affordable, but for rounding."""
    slack = float((cost - P @ found.prices).min())
    if total is None:
        assert slack >= -1e-14
        return float(need @ found.prices)
    return float(need @ found.prices) + total * slack


def program(seed: int, wild: bool = False) -> tuple[Array, Array, Array, float]:
    """A random program in which every column is seen; `total` is sometimes too small."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 7))
    P = np.where(rng.random((K, K)) < rng.uniform(0.3, 1.0), rng.uniform(0.1, 9.0, (K, K)), 0.0)
    if wild:
        P = np.where(P > 0, 10 ** rng.uniform(-12, 12, (K, K)), 0.0)
    P[rng.integers(K)] = np.where(P.any(axis=0), P[rng.integers(K)], 1.0)
    P[0] = np.where(P.any(axis=0), P[0], 1.0)
    cost = rng.random(K)
    cost[rng.random(K) < 0.3] = 0.0
    cost[rng.integers(K)] = 0.0
    need = np.where(rng.random(K) < 0.8, 10 ** rng.uniform(-1, 3, K), 0.0)
    return cost, P, need, float(10 ** rng.uniform(0, 5))


def exact(cost: Array, P: Array, need: Array, total: float | None) -> float:
    def rational(values: Array) -> list[Fraction]:
        return [Fraction(float(v)) for v in values]

    value = simplex.minimum(
        rational(cost),
        [rational(row) for row in P.T],
        rational(need),
        None if total is None else Fraction(total),
    )
    return math.inf if value is None else float(value)


def highs(cost: Array, P: Array, need: Array, total: float, method: str) -> float:
    result: Any = linprog(
        cost,
        A_ub=-P.T,
        b_ub=-need,
        A_eq=np.ones((1, len(cost))),
        b_eq=[total],
        method=method,
    )
    return float(result.fun) if result.status == 0 else math.inf


@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize("limited", [False, True])
def test_plan_and_prices_meet_at_the_exact_value(limited: bool, wild: bool) -> None:
    outcomes = set()
    for seed in range(70):
        cost, P, need, total = program(seed, wild)
        limit = total if limited else None
        found, value = allocate(cost, P, need, limit), exact(cost, P, need, limit)
        outcomes.add((found.status, value > 0))
        assert (found.status == "infeasible") == math.isinf(value)
        if math.isinf(value):
            assert need @ found.prices > total * (P @ found.prices).max()
            assert found.value == math.inf
            continue
        assert found.value == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert found.plan @ P == pytest.approx(np.maximum(found.plan @ P, need), rel=1e-12)
        assert (found.plan >= 0).all()
        assert (found.prices >= 0).all()
        assert not limited or found.plan.sum() == pytest.approx(total, rel=1e-12)
        # Rounding of the slack, about 1e-16 here, is multiplied by the total.
        assert lower(cost, P, need, found, limit) == pytest.approx(value, rel=1e-9, abs=1e-9)
    assert {("optimal", True), ("optimal", False)} <= outcomes
    assert ("infeasible", True) in outcomes or not limited


def test_simplex_and_interior_point_agree() -> None:
    for seed in range(40):
        cost, P, need, total = program(1000 + seed)
        found = allocate(cost, P, need, total)
        for method in ("highs-ds", "highs-ipm"):
            # These solve the program as it stands, to tolerances of 1e-7.
            value = highs(cost, P, need, total, method)
            assert found.value == pytest.approx(value, rel=1e-6, abs=1e-6)


def test_small_needs_beside_large_ones_are_met() -> None:
    need = np.array([2e8, 2e8, 8.0])
    found = allocate(np.array([1.0, 2.0, 3.0]), BANDIT, need)
    assert found.plan == pytest.approx(need, rel=1e-12)
    assert found.prices == pytest.approx([1.0, 2.0, 3.0], rel=1e-12)
    assert found.value == pytest.approx(6e8 + 24)


def test_needs_below_every_tolerance_are_met() -> None:
    need = np.array([1e14, 1e-3, 8.0])
    found = allocate(np.array([1.0, 2.0, 3.0]), BANDIT, need)
    assert (found.plan @ BANDIT >= need * (1 - 1e-12)).all()
    assert found.value == pytest.approx(1e14)


def test_what_a_free_row_feeds_has_no_price() -> None:
    P = np.array([[1.0, 1.0, 0.0], [5.0, 0.0, 1.0], [0.0, 9.0, 0.0]])
    found = allocate(np.array([0.0, 1.0, 1.0]), P, np.array([10.0, 10.0, 2.0]))
    assert found.prices.tolist()[:2] == [0.0, 0.0]
    assert found.value == pytest.approx(2.0)
    assert found.plan == pytest.approx([10.0, 2.0, 0.0])


def test_a_total_that_the_free_row_cannot_fill_costs_more() -> None:
    P = np.array([[1.0, 0.0], [3.0, 1.0]])
    cost, need = np.array([0.0, 1.0]), np.array([20.0, 2.0])
    assert allocate(cost, P, need).value == pytest.approx(2.0)
    found = allocate(cost, P, need, 10.0)  # c = (10 - x, x): 10 + 2x >= 20
    assert found.value == pytest.approx(5.0)
    assert found.plan == pytest.approx([5.0, 5.0])
    assert found.prices == pytest.approx([0.5, 0.0])
    assert allocate(cost, P, need, 20 / 3 - 1e-6).status == "infeasible"
    assert allocate(cost, P, need, 20 / 3 + 1e-6).status == "optimal"


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1], [2, 1, 0]])
@pytest.mark.parametrize("total", [10.5, 12.5, 14.0, 15.0, 20.0])
def test_a_shorter_plan_at_the_same_cost_has_prices_too(order: list[int], total: float) -> None:
    """One paid row shows what another shows and what the free row shows: length costs nothing."""
    P = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])[order]
    cost, need = np.array([0.0, 1.0, 1.0])[order], np.array([10.0, 5.0])
    found = allocate(cost, P, need, total)
    assert found.value == pytest.approx(5.0)
    assert found.plan.sum() == pytest.approx(total)
    assert (found.plan @ P >= need * (1 - 1e-12)).all()
    assert lower(cost, P, need, found, total) == pytest.approx(5.0)


def test_prices_are_lowered_until_every_row_can_carry_them() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        offers = np.where(rng.random((4, 5)) < 0.6, rng.random((4, 5)), 0.0)
        prices = 3 * rng.random(4)
        found = _affordable(prices, offers)
        assert (found @ offers <= 1 + 1e-12).all()
        assert (found <= prices).all()
        # Nothing is lowered by more than the row that is asked for most needs.
        assert (found >= prices / np.maximum((prices @ offers).max(), 1.0) * (1 - 1e-12)).all()
    assert _affordable(np.array([0.5, 0.2]), np.eye(2)).tolist() == [0.5, 0.2]


def test_with_costs_for_all_the_rest_of_the_total_goes_to_the_cheapest() -> None:
    found = allocate(np.array([3.0, 1.0, 2.0]), BANDIT, np.array([1.0, 0.0, 0.0]), 10.0)
    assert found.plan == pytest.approx([1.0, 9.0, 0.0])
    assert found.value == pytest.approx(12.0)


def test_an_unseen_column_with_a_need_has_no_plan() -> None:
    P = np.array([[1.0, 0.0], [0.0, 0.0]])
    for total in (None, 1e4):
        found = allocate(np.array([0.0, 0.2]), P, np.array([10.0, 5.0]), total)
        assert (found.status, found.value) == ("infeasible", math.inf)
        assert found.prices.tolist() == [0.0, 1.0]
    assert allocate(np.array([0.0, 0.2]), P, np.array([10.0, 0.0])).status == "optimal"


def test_an_exactly_seen_column_asks_for_nothing() -> None:
    P = np.array([[1.0, 0.0], [0.0, np.inf]])
    found = allocate(np.array([0.0, 0.2]), P, np.array([10.0, 5.0]), 100.0)
    assert found.value == 0.0
    assert found.prices.tolist() == [0.0, 0.0]


def test_nothing_is_asked_for() -> None:
    for total, plan in ((None, 0.0), (7.0, 7.0)):
        found = allocate(np.zeros(1), np.ones((1, 1)), np.zeros(1), total)
        assert (found.value, found.plan.tolist()) == (0.0, [plan])


def test_the_second_stage_buys_a_row_least_at_the_same_cost() -> None:
    """Row 1 is free; rows 0 and 2 both show column 1, at prices that leave a choice."""
    P = np.array([[0.0, 2.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    cost, need = np.array([1.0, 0.0, 1.0]), np.array([0.0, 6.0, 2.0])
    optimal = allocate(cost, P, need)
    plan = least_at(1, cost, P, need, optimal)
    assert optimal.value == pytest.approx(2.0)
    assert plan == pytest.approx([2.0, 2.0, 0.0], abs=1e-9)


def test_the_second_stage_never_spends_more_or_buys_more() -> None:
    better = kept = 0
    for seed in range(40):
        cost, P, need, _ = program(2000 + seed)
        optimal = allocate(cost, P, need)
        row = int(np.flatnonzero(cost == 0)[0])
        plan = least_at(row, cost, P, need, optimal)
        assert cost @ plan == pytest.approx(optimal.value, rel=1e-8, abs=1e-9)
        assert (plan @ P >= need * (1 - 1e-9)).all()
        # The least number of plays of the row, with the cost as one more (slightly loose) row.
        result: Any = linprog(
            np.arange(len(cost)) == row,
            A_ub=np.vstack([-P.T, cost]),
            b_ub=np.append(-need, optimal.value * (1 + 1e-9) + 1e-9),
        )
        assert plan[row] == pytest.approx(result.fun, rel=1e-5, abs=1e-5)
        better += plan[row] < optimal.plan[row] * (1 - 1e-6)
        kept += plan is optimal.plan
        assert plan is optimal.plan or plan[row] < optimal.plan[row]  # no change without a gain
    assert better > 0
    assert kept > 0
