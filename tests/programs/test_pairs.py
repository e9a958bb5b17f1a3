"""The exact program: reference values, random and hostile matrices, budgets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from naive import tracking
from naive.structures import structure
from sidelight import Problem
from sidelight.bounds import graves_lai
from sidelight.compiled import cached
from sidelight.programs.basis import room
from sidelight.programs.pairs import WITHIN_BLOCKS, within
from sidelight.programs.tableau import matrix

Floats = npt.NDArray[np.float64]


@cached
def solve(P, task, given, price, store, work):  # type: ignore[no-untyped-def]
    """One budgeted program."""
    return within(P, task, given, price, store, work)


def plan_of(
    P: Floats, task: tuple[int, Floats, Floats], base: Floats, price: float, budget: float
) -> Floats | None:
    """The plan, or None where none fits."""
    K = len(P)
    leader, pair, solo = task
    store, work, second = np.zeros(room(K)), np.zeros(WITHIN_BLOCKS * K), np.zeros(K)
    store[0], second[leader] = -1.0, 1.0
    compiled = (leader, float(pair.max()), pair, solo)
    fits = solve(matrix(P), compiled, (base, second, budget), price, store, work)
    return work[:K].copy() if fits else None


def conditions(problem: Problem) -> tuple[int, Floats, Floats]:
    """The task of the exact lower bound at the true means."""
    best, K = problem.best, len(problem)
    pair, solo = np.zeros(K), np.zeros(K)
    shown = problem.feedback.observes[best]
    for j in range(K):
        need = 2 / problem.gaps[j] ** 2 if j != best else 0.0
        if j == best or (shown[j] and shown[best]):
            continue
        if shown[best]:
            solo[j] = need
        elif shown[j]:
            solo[best] = max(solo[best], need)
        else:
            pair[j] = need
    return best, pair, solo


def assert_feasible(P: Floats, task: tuple[int, Floats, Floats], plan: Floats) -> None:
    leader, pair, solo = task
    n = plan @ P
    assert (plan >= 0).all()
    assert (n >= solo * (1 - 1e-9)).all()
    for j in np.flatnonzero(pair):
        assert pair[j] / n[leader] + pair[j] / n[j] <= 1 + 1e-9


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("revealing", (0.0, 0.5, 0.3, 0.3, 0.3)),
        ("cycle", (0.7, 0.5, 0.35)),
        ("cycle", (0.5, 0.7, 0.35)),
        ("cycle", (0.9, 0.5, 0.4, 0.3, 0.2)),
        ("star", (0.2, 0.9, 0.5, 0.4, 0.3)),
        ("het3", (0.35, 0.7, 0.5)),
    ],
)
def test_the_value_is_that_of_the_lower_bound(name: str, means: tuple[float, ...]) -> None:
    problem = Problem(structure(name, len(means)), means)
    P, task = problem.feedback.precision, conditions(problem)
    plan = plan_of(P, task, np.array(problem.gaps), 0.0, np.inf)
    assert plan is not None
    assert_feasible(P, task, plan)
    assert plan @ problem.gaps == pytest.approx(graves_lai(problem).value, rel=1e-8)


def least(cost: Floats, P: Floats, need: Floats) -> Floats | None:
    """What scipy finds for the covering program; None where the numbers differ too much for it."""
    from scipy.optimize import linprog  # noqa: PLC0415 - keeps collection fast

    asked = need > 0
    rows = P.T[asked] / need[asked, None]
    size = rows.max(axis=0)
    size[size == 0] = 1
    scaled = cost / size
    result = linprog(
        scaled / scaled.max(), A_ub=-rows / size, b_ub=-np.ones(len(rows)), method="highs-ds"
    )
    return result.x / size if result.status == 0 else None


def hostile(rng: np.random.Generator) -> tuple[Floats, tuple[int, Floats, Floats], Floats]:
    """Standard deviations from 1e-6 to 1e6, needs over ten powers of ten, some actions tied."""
    K = int(rng.integers(2, 9))
    P = 10.0 ** rng.uniform(-12, 12, (K, K)) * (rng.random((K, K)) < rng.uniform(0.2, 1))
    P[rng.integers(K), ~P.any(axis=0)] = 10.0 ** rng.uniform(-12, 12)
    leader = int(rng.integers(K))
    gaps = 10.0 ** rng.uniform(-5, 0, K)
    if rng.random() < 0.3:
        gaps[:] = gaps[0]
    gaps[leader] = 0.0
    pair, solo = np.zeros(K), np.zeros(K)
    others = [j for j in range(K) if j != leader]
    for j in others:
        (pair if rng.random() < 0.8 else solo)[j] = 2 / gaps[j] ** 2
    if rng.random() < 0.3:
        solo[leader] = 2 / gaps[others].min() ** 2
    return P, (leader, pair, solo), gaps


@pytest.mark.parametrize("seed", range(60))
def test_plans_are_feasible_and_no_dearer_than_scipy_s(seed: int) -> None:
    rng = np.random.default_rng(seed)
    P, task, gaps = hostile(rng)
    price = float(gaps[gaps > 0].min()) * 10.0 ** rng.uniform(-3, 0)
    plan = plan_of(P, task, gaps, price, np.inf)
    assert plan is not None
    assert_feasible(P, task, plan)
    for share in (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):  # a covering program at any other split
        need = tracking.needs(share, *task) if task[1].any() else task[2]
        other = least(gaps + price, P, need)
        if other is not None and ((other @ P) >= need * (1 - 1e-9)).all() and (other >= 0).all():
            assert plan @ (gaps + price) <= other @ (gaps + price) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_budgets_are_kept_and_used(seed: int) -> None:
    rng = np.random.default_rng(seed + 1000)
    P, task, gaps = hostile(rng)
    price = float(gaps[gaps > 0].min()) * 1e-3
    free = plan_of(P, task, gaps, price, np.inf)
    shortest = plan_of(P, task, np.ones(len(P)), 0.0, np.inf)
    assert free is not None
    assert shortest is not None
    low, high = shortest.sum(), free.sum()
    assert low <= high * (1 + 1e-9)
    assert plan_of(P, task, gaps, price, low * 0.999) is None
    if low < high * (1 - 1e-6):
        budget = low + (high - low) * rng.uniform(0.05, 0.95)
        plan = plan_of(P, task, gaps, price, budget)
        assert plan is not None
        assert_feasible(P, task, plan)
        assert plan.sum() <= budget * (1 + 1e-9)
        assert gaps @ free <= gaps @ plan * (1 + 1e-9)
        # the mixture of the free and the shortest plan of this length is feasible too
        share = (budget - low) / (high - low)
        mixture = share * free + (1 - share) * shortest
        assert plan @ gaps <= mixture @ gaps * (1 + 1e-9)


def mild(rng: np.random.Generator) -> tuple[Floats, tuple[int, Floats, Floats], Floats]:
    """Numbers that scipy can handle: all others are told from the leader, in pairs."""
    K = int(rng.integers(3, 7))
    P = np.where(rng.random((K, K)) < 0.6, rng.uniform(0.1, 9.0, (K, K)), 0.0)
    P[rng.integers(K), ~P.any(axis=0)] = 1.0
    leader, gaps = int(rng.integers(K)), rng.uniform(0.1, 1.0, K)
    gaps[leader] = 0.0
    pair = np.array([2 / gap**2 if gap > 0 else 0.0 for gap in gaps])
    return P, (leader, pair, np.zeros(K)), gaps


@pytest.mark.parametrize("seed", range(30))
def test_no_plan_within_the_budget_is_cheaper(seed: int) -> None:
    """At every split of the work in a pair it is a linear program with one row for the budget."""
    from scipy.optimize import linprog  # noqa: PLC0415 - keeps collection fast

    P, task, gaps = mild(np.random.default_rng([2, seed]))
    price = 1e-3
    free, shortest = (
        plan_of(P, task, base, level, np.inf)
        for base, level in ((gaps, price), (np.ones(len(P)), 0.0))
    )
    assert free is not None
    assert shortest is not None
    for part in (0.2, 0.6):
        budget = shortest.sum() + part * (free.sum() - shortest.sum())
        plan = plan_of(P, task, gaps, price, budget)
        assert plan is not None
        cost = float(plan @ (gaps + price))
        for share in np.linspace(0.05, 0.95, 19):
            rows = np.vstack([-P.T, np.ones(len(P))])
            limits = np.append(-tracking.needs(share, *task), budget)
            other = linprog(gaps + price, A_ub=rows, b_ub=limits, method="highs-ds")
            assert other.status != 0 or cost <= other.fun * (1 + 1e-7)


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e3])
@pytest.mark.parametrize("seed", range(6))
def test_units_do_not_matter(seed: int, size: float) -> None:
    """Needs in another unit scale the plan; costs in another unit change nothing."""
    P, (leader, pair, solo), gaps = mild(np.random.default_rng([3, seed]))
    solo = solo.copy()
    if seed % 2:
        solo[leader] = 0.7 * pair.max()
        pair[(leader + 1) % len(pair)], solo[(leader + 1) % len(pair)] = 0.0, 5.0
    plan = plan_of(P, (leader, pair, solo), gaps, 1e-3, np.inf)
    scaled = plan_of(P, (leader, size * pair, size * solo), gaps, 1e-3, np.inf)
    dearer = plan_of(P, (leader, pair, solo), size * gaps, size * 1e-3, np.inf)
    assert plan is not None
    assert scaled == pytest.approx(size * plan, rel=1e-6, abs=1e-7 * size * plan.max())
    assert dearer == pytest.approx(plan, rel=1e-6, abs=1e-7 * plan.max())


def test_a_second_solution_from_the_stored_basis_is_the_same() -> None:
    problem = Problem(structure("cycle", 5), (0.9, 0.5, 0.4, 0.3, 0.2))
    P, (leader, pair, solo) = matrix(problem.feedback.precision), conditions(problem)
    K = 5
    store, work, second = np.zeros(room(K)), np.zeros(WITHIN_BLOCKS * K), np.zeros(K)
    store[0] = -1.0
    plans = []
    for _ in range(2):
        given = (np.array(problem.gaps), second, np.inf)
        assert solve(P, (leader, float(pair.max()), pair, solo), given, 0.0, store, work)
        plans.append(work[:K].copy())
    assert plans[1] == pytest.approx(plans[0], rel=1e-9)
