"""Random covering programs, and their least cost by HiGHS."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Program:
    """min <cost, c> with c @ precision >= need, c >= 0; a cost of inf excludes an action."""

    precision: Floats
    need: Floats
    cost: Floats
    second: Floats


def random_matrix(rng: np.random.Generator, K: int) -> Floats:
    """Sparse or dense, 0 and 1 or graded, sometimes with equal rows; every column is covered."""
    density = rng.choice([0.0, 0.1, 0.3, 0.6, 1.0])
    observes = rng.random((K, K)) < density
    if rng.random() < 0.5:
        observes |= np.eye(K, dtype=bool)
    if rng.random() < 0.2:
        observes[rng.integers(K)] = observes[rng.integers(K)]
    for j in np.flatnonzero(~observes.any(axis=0)):
        observes[rng.integers(K), j] = True
    if rng.random() < 0.6:
        return np.where(observes, 1.0, 0.0)
    decades = rng.choice([0.0, 0.5, 1.5])
    graded: Floats = np.where(observes, 10 ** rng.uniform(-decades, decades, (K, K)), 0.0)
    return graded


def random_program(rng: np.random.Generator, K: int) -> Program:
    """With ties, zero costs, equal needs, needs of 0, excluded actions, as in policies."""
    precision = random_matrix(rng, K)
    kind = rng.choice(["plan", "unit", "ties", "generic"])
    if kind == "plan":  # Algorithm 1: gaps, and 2 / gap^2
        means = rng.random(K) if rng.random() < 0.7 else rng.choice([0.2, 0.5, 0.7, 0.9], K)
        cost = means.max() - means
        smallest = max(np.sort(cost)[min(1, K - 1)], 1e-3)
        need = 2 / np.maximum(cost, smallest) ** 2
        second = np.eye(K)[means.argmax()]
    elif kind == "unit":  # Algorithm 2: equal needs and costs, and a second cost
        cost, need, second = np.ones(K), np.ones(K), rng.random(K)
    elif kind == "ties":
        cost = rng.integers(0, 3, K).astype(float)
        need, second = rng.integers(1, 4, K).astype(float), rng.integers(0, 2, K).astype(float)
    else:
        cost, second = 10 ** rng.uniform(-2, 2, K), rng.normal(size=K) ** 2
        need = 10 ** rng.uniform(-2, 2, K)
    if rng.random() < 0.3:
        need = np.where(rng.random(K) < 0.4, 0.0, need)
    if rng.random() < 0.3:
        cost = np.where(rng.random(K) < 0.3, np.inf, cost)
        covered = (precision[np.isfinite(cost)] > 0).any(axis=0)
        need = np.where(covered, need, 0.0)
    return Program(precision, need, cost, second)


def least_cost(program: Program) -> float:
    """The optimum by HiGHS, on rows divided by their needs and columns by their largest entry.

    HiGHS leaves out entries below 1e-9, so that needs and precisions must not differ by more.
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - keeps collection fast

    asked, allowed = program.need > 0, np.isfinite(program.cost)
    if not asked.any():
        return 0.0
    rows = (program.precision[np.ix_(allowed, asked)] / program.need[asked]).T
    size = rows.max(axis=0)
    useful = size > 0
    cost = program.cost[allowed][useful] / size[useful]
    most = cost.max() or 1.0
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    result = linprog(
        cost / most,
        A_ub=-rows[:, useful] / size[useful],
        b_ub=-np.ones(asked.sum()),
        method="highs-ds",
        options=tight,
    )
    assert result.status == 0, result.message
    assert math.isfinite(result.fun)
    return float(result.fun * most)
