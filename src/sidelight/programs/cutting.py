"""Cutting planes: the cheapest plan that no alternative misleads, and the plan misled least.

A plan p on the simplex loses at most beta per round iff for every alternative theta' and shift u

    sum_i p_i h(i) <= 0 ,      h(i) = log((gap'_i + u)/(beta + u)) - T I_i ,

which is linear in p (`separation.cut_rows`). Two programs follow,

    cheapest    min <p, gaps>        over plans that lose at most beta        (general bound)
    least       min loss of p        over all plans                           (minimax bound)

each solved over a finite set of cuts that grows by the alternatives that mislead its plan most.
Every finite set proves a lower bound, so stopping early is safe.

The second is a convex program: the loss is a supremum of functions exp(<p, a>) - u. For cuts
fixed, weights w >= 0 exclude every beta with min_i sum_k w_k h_k(i) > 0, and the largest such beta
is one monotone equation; it is where the next program is solved (Dinkelbach), so that the excluded
beta only grows.

Plans reach down to 1e-12 and entries up to T, and HiGHS takes entries below 1e-9 for 0. Columns are
scaled so that one unit of each variable costs at most `unit`, the size of the answer, and fills at
most 1 in every row, or so that one unit is what the last plan had, if that is more; then the
entries that matter in the rows that bind are of one size. Rows have largest entry 1. The constraint
sum p = 1 is written sum p >= 1: all else is homogeneous and gaps are >= 0, so a larger sum helps
nobody.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ..variances import Array, IntArray
from .effort import Effort
from .separation import Cuts, ScaledProblem, cut_rows, separate, steps_to_separate
from .solver import solve_linear

# An alternative equal to theta with a huge shift says <p, gaps> <= beta, to a part in 1e12.
NO_CHANGE = 1e12
# Rounds of cutting: in all, and those done however little effort is left.
MAX_STEPS, FIRST_STEPS = 300, 1
KEPT_CUTS = 40
# If not even this part of the value that is needed can be proved, rounding is to blame: give up.
FAR_BELOW = 1e-6


@dataclass(frozen=True, eq=False)
class Cheapest:
    """A plan, the weights that prove its value, the cuts they belong to, and how it was found.

    `plan` is None if the cuts exclude every plan: then the weights prove that. `loss` is what the
    oracle says about the plan, `steps` the number of programs solved.
    """

    plan: Array | None
    weights: Array
    cuts: Cuts
    loss: float
    steps: int


def first_cuts(problem: ScaledProblem) -> Cuts:
    """The cut that says: the plan itself costs at most beta."""
    return Cuts(problem.theta[None, :].copy(), np.array([NO_CHANGE]))


def cheapest(
    problem: ScaledProblem, beta: float, start: Cuts | None = None, tolerance: float = 1e-9
) -> Cheapest:
    """The cheapest plan that loses at most beta per round [thm:lb-0]."""
    cuts = first_cuts(problem) if start is None else first_cuts(problem).with_(start)
    unit = beta
    loss = math.inf
    plan, last, weights = None, None, np.zeros(len(cuts))
    for step in range(1, MAX_STEPS + 1):
        rows = cut_rows(problem, cuts, beta)
        last, (plan, weights) = plan, _cheapest_under(problem.gaps, rows, unit, plan)
        if plan is None:
            return Cheapest(None, weights, cuts, loss, step)
        found = separate(problem, plan, beta)
        loss = found.loss
        # A plan that comes back unchanged is as good as floats can make it.
        if loss <= beta * (1 + tolerance) or (last is not None and np.array_equal(plan, last)):
            break
        unit = max(float(plan @ problem.gaps), 1e-6 * beta)
        cuts = cuts.with_(found.cuts)
    return Cheapest(plan, _padded(weights, cuts), cuts, loss, step)


def _padded(weights: Array, cuts: Cuts) -> Array:
    return np.pad(weights, (0, len(cuts) - len(weights)))


def _cheapest_under(
    gaps: Array, rows: Array, unit: float, guess: Array | None
) -> tuple[Array | None, Array]:
    """The cheapest plan under these rows with its weights; or None with weights that refute all.

    If a plan violates a row that the scaling made invisible, another scaling is tried.
    """
    scalings = [None] if guess is None else [guess, None, 0.5 * guess + 0.5 / len(gaps)]
    answers: list[tuple[float, Array, Array]] = []
    for scaling in scalings:
        plan, weights = _vertex(gaps, rows, unit, scaling)
        if plan is None:
            return None, weights
        size = np.abs(rows) @ plan  # 0 where the plan meets only zeros of a row
        excess = float(np.divide(rows @ plan, size, out=np.zeros(len(rows)), where=size > 0).max())
        answers.append((excess, plan, weights))
        if excess <= 1e-9:
            break
    _, plan, weights = min(answers, key=lambda answer: answer[0])
    return plan, weights


def _vertex(
    gaps: Array, rows: Array, unit: float, guess: Array | None
) -> tuple[Array | None, Array]:
    columns, sizes, scaled = _scaled(rows, gaps / unit, guess)
    demand = np.zeros(len(rows) + 1)
    demand[-1] = 1.0
    answer = solve_linear(gaps / unit / columns, np.vstack([-scaled, 1.0 / columns]), demand)
    if answer.x is None or answer.multipliers is None:
        return None, refute(rows, guess)[1]
    plan = np.maximum(answer.x, 0.0) / columns
    weights = np.maximum(answer.multipliers[:-1], 0.0) / sizes * unit
    return _settled(gaps, rows, plan / plan.sum(), weights)


def _settled(gaps: Array, rows: Array, plan: Array, weights: Array) -> tuple[Array, Array]:
    """Plan and weights with the equations of their vertex solved to full precision.

    HiGHS treats entries below 1e-9 as 0, which plans of order 1e-10 notice. On the support of the
    plan, and where weights are positive, rows_k p = 0, sum p = 1 and gap_i + sum_k w_k h_k(i) is
    the same for all i. Corrections are relative, so every number keeps its own scale.
    """
    support, active = np.flatnonzero(plan > 0), np.flatnonzero(weights > 0)
    if not len(active):
        return plan, weights
    table = rows[np.ix_(active, support)]
    plans, proofs = [plan], [weights]
    for _ in range(2):
        p, w = plans[-1], proofs[-1]
        terms = np.vstack([table * p[support], p[support]])
        target = np.append(np.zeros(len(active)), 1.0)
        plans.append(_corrected(p, support, terms, target - terms.sum(axis=1)))
        terms = (table * w[active, None]).T
        level = gaps[support] + terms.sum(axis=1)
        # One more unknown, the common level, which is about that of the cheapest action.
        value = level[gaps[support].argmin()]
        terms = np.column_stack([terms, np.full(len(support), -max(value, 1e-300))])
        proofs.append(_corrected(w, active, terms, value - level))
    plan = min(plans, key=lambda p: float((rows @ p).max()))
    weights = max(proofs, key=lambda w: float((gaps + w @ rows).min()))
    return plan / plan.sum(), weights


def _corrected(x: Array, where: IntArray, terms: Array, missing: Array) -> Array:
    """x with relative corrections e on `where` such that terms @ e = missing."""
    sizes = np.maximum(np.abs(terms).max(axis=1), 1e-300)
    e, *_ = np.linalg.lstsq(terms / sizes[:, None], missing / sizes, rcond=1e-13)
    better = x.copy()
    better[where] *= np.maximum(1 + e[: len(where)], 0.0)
    return better


def _scaled(rows: Array, costs: Array, guess: Array | None) -> tuple[Array, Array, Array]:
    """Units of the columns and of the rows, and the rows in these units."""
    columns = np.maximum(np.abs(rows).max(axis=0), np.maximum(costs, 1.0))
    if guess is not None:
        columns = np.minimum(columns, 1.0 / np.maximum(guess, 1e-300))
    columns = columns / columns.min()  # the sum of all must stay visible
    sizes = np.maximum(np.abs(rows / columns).max(axis=1), 1e-300)
    return columns, sizes, rows / columns / sizes[:, None]


def refute(rows: Array, guess: Array | None = None) -> tuple[float, Array, Array]:
    """The solution of the game min_p max_k rows_k p / size_k: value, weights of rows, and plan p.

    size_k is the largest entry of row k in scaled columns. If the value is positive, then no plan
    satisfies the rows.
    """
    columns, sizes, scaled = _scaled(rows, np.zeros(rows.shape[1]), guess)
    count = rows.shape[1]
    demand = np.zeros(len(rows) + 1)
    demand[-1] = 1.0
    table = np.block([[-scaled, np.ones((len(rows), 1))], [1.0 / columns, np.zeros((1, 1))]])
    cost = np.zeros(count + 1)
    cost[-1] = 1.0
    answer = solve_linear(cost, table, demand)
    if answer.x is None or answer.multipliers is None:
        raise RuntimeError("HiGHS found no solution of a game, which always has one")
    plan = np.maximum(answer.x[:-1], 0.0) / columns
    weights = np.maximum(answer.multipliers[:-1], 0.0) / sizes
    return float(answer.x[-1]), weights, plan / plan.sum()


@dataclass(frozen=True, eq=False)
class Least:
    """The smallest loss of any plan lies in [lower, upper], per round; the weights prove `lower`.

    The weighted cuts refute every plan at each beta < lower.
    """

    lower: float
    upper: float
    weights: Array
    cuts: Cuts
    plan: Array


def least(
    problem: ScaledProblem,
    start: Least | None,
    tolerance: float,
    *,
    enough: float = 0.0,
    above: float = math.inf,
    effort: Effort | None = None,
) -> Least:
    """The smallest loss of any plan: the minimax value as far as this theta can show it.

    `start` is the answer for a similar theta. Stops early once the value is known to stay below
    `enough` or to lie above `above`, once rounding keeps it from proving anything near `enough`,
    and when the effort is over: any cuts prove something, so that only tightness is lost.
    """
    K = len(problem.theta)
    effort = effort or Effort()
    start = start if start is not None and start.lower > 0 else None
    cuts = first_cuts(problem) if start is None else first_cuts(problem).with_(_useful(start))
    plan = np.full(K, 1.0 / K) if start is None else start.plan
    trial = max(float(plan @ problem.gaps), 1e-9) if start is None else start.lower
    found = separate(problem, plan, trial)
    effort.spend(steps_to_separate(K))
    best = Least(0.0, found.loss, np.zeros(len(cuts)), cuts, plan)
    if best.upper <= 0:
        return best
    trial = 0.5 * found.loss if start is None else min(trial, 0.9 * found.loss)
    cuts = cuts.with_(found.cuts)
    for step in range(MAX_STEPS):
        if step >= FIRST_STEPS and effort.is_over():
            break
        effort.spend(steps_to_separate(K))
        rows = cut_rows(problem, cuts, trial)
        _, weights, plan = refute(rows, plan)
        lower = _excluded(rows, cuts.shifts, weights, trial)
        found = separate(problem, plan, trial)
        if lower > best.lower:
            best = Least(lower, best.upper, weights, cuts, plan)
        best = replace(best, upper=min(best.upper, found.loss))
        if best.upper <= max(best.lower * (1 + tolerance), enough) or best.lower > above:
            break
        trial = best.lower if best.lower > 0 else 0.5 * min(trial, found.loss)
        if trial < FAR_BELOW * enough:
            break
        cuts = cuts.with_(found.cuts)
    return best


def _useful(found: Least) -> Cuts:
    """The cuts with the largest weights, but not the first cut, which is about its own theta."""
    heavy = np.argsort(-found.weights, kind="stable")[:KEPT_CUTS]
    return found.cuts.only(heavy[found.cuts.shifts[heavy] != NO_CHANGE])


def slope(problem: ScaledProblem, found: Least) -> Array:
    """The derivative of the smallest loss by each mean in theta.

    By the envelope theorem, alternatives and plan may be kept as they are; only the alternative of
    the first cut, which equals theta, moves with it.
    """
    used = found.weights > 0
    w, cuts, beta = found.weights[used], found.cuts.only(used), found.lower
    per_cut = (found.plan @ problem.info) * (cuts.means - problem.theta)
    fixed = cuts.shifts == NO_CHANGE
    best = np.arange(len(problem.theta)) == problem.theta.argmax()
    per_cut[fixed] = (best - found.plan) / NO_CHANGE
    return np.asarray(w @ per_cut / (w @ (1.0 / (beta + cuts.shifts))))


def _excluded(rows: Array, shifts: Array, weights: Array, trial: float) -> float:
    """The largest beta below which the weights refute all plans; `rows` are those at `trial`.

    beta enters each row only through -log(beta + u): one decreasing function of beta, whose zero is
    bracketed and bisected.
    """
    used = weights > 0
    w, u = weights[used], shifts[used]
    margin = float((w @ rows[used]).min())

    def left(log_beta: float) -> float:
        change = math.exp(log_beta) - trial
        return margin - float(w @ np.log1p(change / (trial + u)))

    middle = math.log(trial)
    low, high = (middle, middle + 1.0) if margin > 0 else (middle - 1.0, middle)
    while left(high) > 0:
        low, high = high, high + 2.0
    while left(low) <= 0:
        low, high = low - 4.0, low
        if low < middle - 80:
            return 0.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if left(middle) > 0 else (low, middle)
    return math.exp(low)
