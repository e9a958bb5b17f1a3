"""What no proof can exceed: the cost of a plan that satisfies everything that holds.

A lower bound proved by rows is at most the optimum of the program from which the rows come, and
that is at most the cost of any plan that the program admits. Two programs, neither solved by the
code that checks certificates:

per log T       min <c, gaps> over c >= 0 with 1/n_k + 1/n_best <= gap_k^2 / 2 for all k, where
                n = P^T c is infinite for what the best action shows, or any one without noise; a
                mean that would have to leave [0, D] alone asks for nothing. Solved as a cone
                program by Clarabel; its plan is scaled up until it satisfies all conditions.
at a horizon    min <c, gaps> over plans that no alternative misleads by more than B [thm:lb-0].
                A plan for a slightly smaller B is accepted if the bound on its loss that misses
                nothing (`bracketing`) is at most B. Policies that do not learn come for
                nothing: always the best action, if B >= T D; the mixture that avoids none.
"""

from __future__ import annotations

import importlib
import math
from functools import cache
from typing import Any

import numpy as np

from naive.bracketing import loss_above
from sidelight.bounds.case import Case
from sidelight.programs.cutting import cheapest
from sidelight.programs.separation import scale_problem
from sidelight.variances import Array

# A plan for B / (1 + ROOM) loses at most B, with room for the tolerance of its search.
ROOM = 1e-4


@cache
def ceiling(case: Case) -> float:
    """No valid proof about this problem is worth more; inf if nothing refutes any claim."""
    return per_log(case) if case.horizon is None else at_horizon(case)


def arrays(case: Case) -> tuple[Array, Array]:
    """Means and variances as floats."""
    variance = [[math.inf if v is None else float(v) for v in row] for row in case.variance]
    return np.array([float(mean) for mean in case.means]), np.array(variance)


# ---- per log T


def per_log(case: Case) -> float:
    """The cost of a plan that meets the conditions; 0 for ties, of which no theorem speaks."""
    theta, variance = arrays(case)
    best = int(theta.argmax())
    d = theta[best] - theta
    if np.count_nonzero(d == 0) > 1:
        return 0.0
    fixed = np.isfinite(variance[best]) | (variance == 0).any(axis=0)
    P = np.where(fixed, 0.0, 1.0 / np.where(variance == 0, np.inf, variance))
    # Information about k, and about the best mean, in units of what telling k apart alone needs.
    ones = [k for k in np.flatnonzero(d) if not fixed[k] and fixed[best]]
    single = [P[:, k] * d[k] ** 2 / 2 for k in ones if theta[best] < float(case.upper)]
    falls = [k for k in np.flatnonzero(d) if fixed[k] and not fixed[best] and theta[k] > 0]
    single += [P[:, best] * d[k] ** 2 / 2 for k in falls]
    both = [k for k in np.flatnonzero(d) if not fixed[k] and not fixed[best]]
    double = [(P[:, k] * d[k] ** 2 / 2, P[:, best] * d[k] ** 2 / 2) for k in both]
    if not single and not double:
        return 0.0
    c = np.maximum(cone_plan(d, single, double), 0.0)
    with np.errstate(divide="ignore"):
        lacking = [1 / (row @ c) for row in single]
        lacking += [1 / (rise @ c) + 1 / (fall @ c) for rise, fall in double]
    return float(d @ c) * float(max(lacking))


def cone_plan(d: Array, single: list[Array], double: list[tuple[Array, Array]]) -> Array:
    """min <c, d> with <row, c> >= 1 and 1/<rise, c> + 1/<fall, c> <= 1.

    t <rise, c> >= 1 is the cone |(2, t - <rise, c>)| <= t + <rise, c>.
    """
    clarabel: Any = importlib.import_module("clarabel")
    sparse: Any = importlib.import_module("scipy.sparse")
    K, m = len(d), len(double)
    size = K + 2 * m  # the plan, then t and s for each pair
    scale = max(1.0, max((1 / row.max() for row in single), default=1.0))

    def unit(at: int) -> Array:
        return np.asarray(np.eye(1, size, at)[0])

    def padded(row: Array) -> Array:
        return np.concatenate([row * scale, np.zeros(2 * m)])

    lines = [(-unit(j), 0.0) for j in range(size)]
    lines += [(-padded(row), -1.0) for row in single]
    lines += [(unit(K + 2 * k) + unit(K + 2 * k + 1), 1.0) for k in range(m)]
    cones: list[Any] = [clarabel.NonnegativeConeT(len(lines))]
    for k, pair in enumerate(double):
        for at, row in zip((K + 2 * k, K + 2 * k + 1), pair, strict=True):
            t, n = unit(at), padded(row)
            lines += [(-(t + n), 0.0), (np.zeros(size), 2.0), (-(t - n), 0.0)]
            cones.append(clarabel.SecondOrderConeT(3))
    options = clarabel.DefaultSettings()
    options.verbose = False
    A = sparse.csc_matrix(np.array([row for row, _ in lines]))
    b = np.array([bound for _, bound in lines])
    q = np.concatenate([d * scale, np.zeros(2 * m)])
    zero = sparse.csc_matrix((size, size))
    found = clarabel.DefaultSolver(zero, q, A, b, cones, options).solve()
    return np.asarray(found.x[:K]) * scale


# ---- at a horizon


def at_horizon(case: Case) -> float:
    """The cost of a plan, or of a policy that does not learn, with worst-case regret at most B."""
    if case.worst_case is None:
        return 0.0
    theta, variance = arrays(case)
    assert case.horizon is not None
    T, D, B = float(case.horizon), float(case.upper), float(case.worst_case)
    d, beta = theta.max() - theta, B / (T * D)
    if beta >= 1:
        return 0.0
    costs = [math.inf]
    if 1 - beta <= 1 / len(d):  # every action with probability 1 - beta at least, the best one more
        costs.append(T * (1 - beta) * float(d.sum()))
    if (variance == 0).any():
        return min(costs)
    scaled = scale_problem(theta, variance, D, T)
    for room in (ROOM, 1e-2):
        plan = cheapest(scaled, beta / (1 + room), tolerance=room / 4).plan
        if plan is None:
            break
        if loss_above(scaled, plan, room / 4) <= beta:
            costs.append(T * float(plan @ d))
            break
    return min(costs)
