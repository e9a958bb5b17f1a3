"""The constant of log T that every consistent policy pays [eq:lb-asy], and the exact one.

A policy is consistent if R_T(theta) = o(T^a) for every a > 0 and each theta. (The paper writes a
supremum over theta, and no policy is consistent in that sense.) If the best action is unique, the
regret of such a policy on theta is at least (1 - o(1)) log T times

    asymptotic   min <c, gaps>  over c >= 0,  n_i >= 2/gap_i^2,  n_best >= 2/gap_second^2
    graves_lai   min <c, gaps>  over c >= 0,  1/n_k + 1/n_best <= gap_k^2 / 2  for all k != best

Here c_j counts the plays of action j per log T, and n_i = sum_j c_j / variance[j, i] is what they
tell about action i. The first constant is the paper's. The second is exact, between one and two
times the first: other means under which k beats the best action are hardest to notice if both means
move. If the best action shows an action, or any action shows it without noise, its observation is
free: then n = inf, and its mean is called fixed. The other means must stay in [0, upper], so this
becomes of the condition about k:

    neither mean fixed       it stands
    best mean fixed          n_k >= 2/gap_k^2, unless the best mean is `upper`: k cannot rise higher
    mean of k fixed          n_best >= 2/gap_k^2, unless the mean of k is 0: nothing lies below
    both fixed               there is none

The paper overlooks the two exceptions, and then its formula is no bound: `valid` is False.

For every split x in [0, 1] the condition about k implies x^2 n_k + (1-x)^2 n_best >= 2/gap_k^2, and
all splits together imply it. That is a linear program with infinitely many rows. Rows are added at
the split x = n_best / (n_k + n_best) that the last plan violates most. Each program bounds the
constant from below, and its plan, scaled up until it satisfies the conditions, from above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..problem import Problem
from ..programs.allocation import allocate, least_at, topped_up
from ..variances import Array, BoolArray
from .bound import Binding, Bound
from .case import Case
from .certificate import Certificate, Pair, Row
from .duality import certify, exact_case
from .rational import float_down

# The search for splits stops when both bounds agree to this part of the value: the solver satisfies
# rows to 1e-10, and less than 1e-9 is promised. Each step divides the distance by four.
AGREED = 3e-10
MOST_STEPS = 40

# What an observation at the ends of the range of floats is taken to tell.
SMALLEST, LARGEST = 1e-300, 1e300

# Two values of the same program, with and without rows that do not matter.
SAME = 1e-11

CONSISTENT = "holds, times log T, for every policy with regret o(T^a) on each problem for all a > 0"


def asymptotic(problem: Problem) -> Bound:
    """The paper's constant: regret at least value * log T [eq:lb-asy].

    The plan is the one of Algorithm 1: among the cheapest, it plays the best action least.
    """
    case = exact_case(problem)
    if len(problem) == 1 or case.second_gap == 0:
        return _degenerate(case, "asymptotic", "eq:lb-asy")
    fixed = np.array([case.fixed(i) for i in range(len(problem))])
    pairs = _paper_pairs(case, fixed)
    loads, ones = _loads(problem, pairs), np.ones(len(pairs))
    found = allocate(problem.gaps, loads, ones)
    plan = least_at(case.best, problem.gaps, loads, ones, found)
    stands = np.array([not _outside(case, fixed, pair) for pair in pairs])
    prices = found.prices
    if prices[~stands].any():
        less = allocate(problem.gaps, loads, stands.astype(float))
        if less.value < found.value * (1 - SAME):
            rows = _weighted(case, pairs, prices)
            refused = Certificate(case, rows, found.value)
            why = _not_a_bound(problem, [p for p, ok in zip(pairs, stands, strict=True) if not ok])
            return Bound("asymptotic", found.value, False, why, refused, plan, "eq:lb-asy")
        prices = less.prices
    return _bound(problem, "asymptotic", plan, certify(case, _weighted(case, pairs, prices)))


def graves_lai(problem: Problem) -> Bound:
    """The exact constant: regret at least value * log T, and no better constant is possible."""
    case = exact_case(problem)
    if len(problem) == 1 or case.second_gap == 0:
        return _degenerate(case, "graves_lai", "exact form of eq:lb-asy")
    pairs, prices, plan = _search(problem, case)
    return _bound(problem, "graves_lai", plan, certify(case, _weighted(case, pairs, prices)))


def _search(problem: Problem, case: Case) -> tuple[list[Pair], Array, Array]:
    """Rows and prices that bound the constant from below, and a plan that does from above."""
    gaps = problem.gaps
    first = _exact_pairs(case, _fixed(problem))
    both = sorted({pair.action for pair in first if 0 < pair.split < 1})
    up = _loads(problem, [Pair(k, Fraction(1)) for k in both])
    down = _loads(problem, [Pair(k, Fraction(0)) for k in both])
    kept, added = first, list[Pair]()
    for _ in range(MOST_STEPS):
        pairs = [*kept, *added]
        found = allocate(gaps, _loads(problem, pairs), np.ones(len(pairs)))
        n_k, n_best = _told(found.plan, up), _told(found.plan, down)
        plan = _satisfying(found.plan, gaps, up, (n_k, n_best))
        if gaps @ plan <= found.value * (1.0 + AGREED):
            break
        used = [pair for pair, price in zip(pairs, found.prices, strict=True) if price > 0]
        kept = list(dict.fromkeys([*first, *used]))
        splits = n_best / (n_k + n_best)
        violated = np.flatnonzero(1.0 / n_k + 1.0 / n_best > 1.0)
        added = [Pair(both[i], Fraction(float(splits[i]))) for i in violated]
    return pairs, found.prices, plan


def _satisfying(plan: Array, gaps: Array, up: Array, told: tuple[Array, Array]) -> Array:
    """A plan that meets 1/n_k + 1/n_best <= 1 in units of the needs: the cheaper of two repairs.

    Either everything is scaled up, or n_best stays and each n_k is topped up on its own.
    """
    n_k, n_best = told
    with np.errstate(over="ignore"):
        excess = float(np.max(1.0 / n_k + 1.0 / n_best, initial=1.0))
        longer = np.minimum(plan * excess, LARGEST)
    if (n_best <= 1.0).any():
        return longer
    fuller = topped_up(plan, gaps, up, 1.0 / (1.0 - 1.0 / n_best))
    return min(longer, fuller, key=lambda c: float(gaps @ c))


def _paper_pairs(case: Case, fixed: BoolArray) -> list[Pair]:
    """One row for each action: it alone moves. For the best action: to the second best."""
    others = [k for k in range(len(case.means)) if k != case.best]
    seconds = [k for k in others if case.gaps[k] == case.second_gap]
    second = min(seconds, key=lambda k: fixed[k])
    return [Pair(second, Fraction(0)), *(Pair(k, Fraction(1)) for k in others)]


def _exact_pairs(case: Case, fixed: BoolArray) -> list[Pair]:
    """The conditions that stand, each by its extreme splits and the middle one."""
    pairs: list[Pair] = []
    for k in range(len(case.means)):
        if k == case.best:
            continue
        splits = [Fraction(end) for end, i in enumerate((case.best, k)) if not fixed[i]]
        if len(splits) == 2:
            splits.append(Fraction(1, 2))
        rows = [Pair(k, split) for split in splits]
        pairs += [pair for pair in rows if not _outside(case, fixed, pair)]
    return pairs


def _fixed(problem: Problem) -> BoolArray:
    """Whether observing an action is free, as far as floats can tell."""
    P = problem.feedback.precision
    return np.asarray(problem.feedback.observes[problem.best] | np.isinf(P).any(axis=0))


def _outside(case: Case, fixed: BoolArray, pair: Pair) -> bool:
    """Whether the one mean that can move would have to leave [0, upper]."""
    if pair.split == 1:
        return bool(fixed[case.best]) and case.means[case.best] == case.upper
    return pair.split == 0 and bool(fixed[pair.action]) and case.means[pair.action] == 0


def _loads(problem: Problem, pairs: Sequence[Pair]) -> Array:
    """What a play of each action tells about each pair, in parts of what is needed.

    inf, which drops the row, where a mean would have to move that is seen without noise.
    """
    P = problem.feedback.precision
    actions = [pair.action for pair in pairs]
    x = np.array([float(pair.split) for pair in pairs])
    gap = problem.gaps[actions] / math.sqrt(2.0)
    rise = _information(P[:, actions], x * gap)
    fall = _information(P[:, [problem.best] * len(pairs)], (1.0 - x) * gap)
    return np.minimum(rise + fall, np.where(np.isinf(rise) | np.isinf(fall), np.inf, LARGEST))


def _told(plan: Array, loads: Array) -> Array:
    with np.errstate(over="ignore", under="ignore"):
        return np.clip(plan @ loads, SMALLEST, LARGEST)


def _information(precision: Array, change: Array) -> Array:
    """precision * change^2, with 0 * inf = 0; what is seen never becomes unseen by underflow."""
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        product = np.minimum(change * precision * change, LARGEST)
    product = np.where(np.isinf(precision), np.inf, np.maximum(product, SMALLEST))
    return np.where((precision > 0) & (change > 0), product, 0.0)


def _weighted(case: Case, pairs: Sequence[Pair], prices: Array) -> tuple[tuple[Fraction, Row], ...]:
    """The rows in use, with weights for needs of 2/gap^2 in place of 1."""
    return tuple(
        (Fraction(float(price)) * case.gaps[pair.action] ** 2 / 2, pair)
        for pair, price in zip(pairs, prices, strict=True)
        if price > 0
    )


def _bound(problem: Problem, name: str, plan: Array, certificate: Certificate) -> Bound:
    method = "eq:lb-asy" if name == "asymptotic" else "exact form of eq:lb-asy"
    prices = np.zeros(len(problem))
    for weight, row in certificate.rows:
        if isinstance(row, Pair):
            prices[row.action] += float_down(weight * row.split**2)
            prices[problem.best] += float_down(weight * (1 - row.split) ** 2)
    priced = np.flatnonzero(prices > 0)
    told = _told(plan, problem.feedback.precision[:, priced])
    binding = tuple(
        Binding(int(i), float(n), float(prices[i])) for i, n in zip(priced, told, strict=True)
    )
    return Bound(name, certificate.value, True, CONSISTENT, certificate, plan, method, binding)


def _degenerate(case: Case, name: str, method: str) -> Bound:
    """A single action, or several best ones."""
    if len(case.means) == 1:
        nothing = Certificate(case, (), 0.0)
        return Bound(
            name, 0.0, True, "a single action is the best one", nothing, np.zeros(1), method
        )
    why = (
        "several actions are best: the formula asks for infinitely much information to tell them "
        "apart, though nobody needs to; use finite_time"
    )
    return Bound(name, math.inf, False, why, Certificate(case, (), math.inf), None, method)


def _not_a_bound(problem: Problem, pairs: Sequence[Pair]) -> str:
    best = problem.feedback.labels[problem.best]
    if any(pair.split == 1 for pair in pairs):
        reason = f"the best mean, of {best!r}, is {problem.upper:g}, and no mean can be higher"
    else:
        other = problem.feedback.labels[pairs[0].action]
        reason = f"{best!r} cannot fall below the mean of {other!r}, which is 0"
    return f"the formula asks for information that nobody needs: {reason}; use graves_lai"
