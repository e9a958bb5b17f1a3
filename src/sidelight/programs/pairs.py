"""The exact program of the asymptotic lower bound, compiled [exact form of eq:lb-asy]:

    minimise <cost, c>   over c >= 0, n = P^T c,
    1/n_b + 1/n_j <= 1/pair_j   where pair_j > 0,       n_j >= solo_j   elsewhere, and for b

b is the leader and pair_j = 2/gap_j^2. For a given n_b this is a covering program (`tableau`). With
A = max pair_j and n_b = A/u, 0 < u < 1, its needs are

    need_b = A/u,      need_j(u) = pair_j / (1 - u pair_j/A),

and both are convex in u. Let V(u) be its value and y optimal prices at one u. They stay feasible at
every other, so

    L_y(u) = <y, need(u)> <= V(u) everywhere, with equality where y was found.

V is the largest of such curves. The search keeps one curve that falls and one that rises, solves
where the larger of both is least, and ends when the program agrees with them: mostly after one or
two solutions, because prices seldom change. A last bisection is never needed, not even where the
optimum lies on a kink.

`within` adds sum(c) <= budget. With a price on each play, cost = base + price, plans get shorter as
the price rises. Two plans, one too long and one short enough, name the price at which they cost the
same; a plan cheaper than both at that price replaces one of them, and if there is none, the mixture
of both that has the length of the budget is optimal: the conditions are convex in c.

Every plan satisfies the conditions to within the slack of `basis`, whenever the search ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled import kernel
from .basis import best_plan, index

STEPS = 60  # solutions in one search; tests need six at most
EDGE = 1e-9  # u stays this far from 0 and 1
FLAT = 1e-11  # a slope below this part of V/u is none
SAME = 1e-13  # V is on the curves known so far
BISECTIONS = 52

PRICES = 60  # prices tried for one budget
AGREED = 1e-13

# Blocks of K floats in which the two programs work; the first holds the plan.
EXACT_BLOCKS, WITHIN_BLOCKS = 7, 10


@kernel
def _copy(source: Any, target: Any) -> None:
    """Element by element: numba would make room for a second copy."""
    for i in range(len(source)):
        target[i] = source[i]


@kernel
def _needs(task: Any, u: float, need: Any) -> None:
    """The needs of the covering program at u."""
    leader, top, pair, solo = task
    for j in range(len(pair)):
        need[j] = pair[j] / (1.0 - u * (pair[j] / top)) if pair[j] > 0.0 else solo[j]
    if top > 0.0:
        need[leader] = max(top / u, solo[leader])


@kernel
def _worth(task: Any, u: float, prices: Any) -> Any:
    """L_y(u)."""
    leader, top, pair, solo = task
    total = prices[leader] * (top / u)
    for j in range(len(pair)):
        if pair[j] > 0.0:
            total += prices[j] * (pair[j] / (1.0 - u * (pair[j] / top)))
        elif j != leader:
            total += prices[j] * solo[j]
    return total


@kernel
def _slope(task: Any, u: float, prices: Any) -> Any:
    """The derivative of L_y at u."""
    leader, top, pair, _ = task
    total = -prices[leader] * (top / u) / u
    for j in range(len(pair)):
        if pair[j] > 0.0 and prices[j] > 0.0:
            part = pair[j] / top
            rest = 1.0 - u * part
            total += prices[j] * (pair[j] / rest) * part / rest
    return total


@kernel
def _lowest(task: Any, prices: Any, low: float, high: float) -> Any:
    """Where L_y is least in [low, high]."""
    if _slope(task, high, prices) <= 0.0:
        return high
    if _slope(task, low, prices) >= 0.0:
        return low
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if _slope(task, middle, prices) < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def _least_of_both(task: Any, left: Any, right: Any, low: float, high: float) -> Any:
    """Where the larger of a curve that falls at `low` and one that rises at `high` is least."""
    u = _lowest(task, left, low, high)
    if _worth(task, u, left) >= _worth(task, u, right):
        return u
    u = _lowest(task, right, low, high)
    if _worth(task, u, right) >= _worth(task, u, left):
        return u
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if _worth(task, middle, left) > _worth(task, middle, right):
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def _read_prices(cost: Any, store: Any, prices: Any) -> None:
    """The prices of all needs under the stored basis; the layout is that of `basis`."""
    K, m, one = index(len(cost)), index(store[0]), index(1)
    ends, entries = one + index(4) * K, index(2) + index(5) * K
    for j in range(K):
        prices[j] = 0.0
    for s in range(m):
        price = 0.0
        for e in range(index(store[ends + s]), index(store[ends + s + one])):
            price += store[entries + K * K + e] * cost[index(store[entries + e])]
        prices[index(store[one + K + s])] = max(price, 0.0)


@kernel
def _first_guess(task: Any, cost: Any, store: Any, prices: Any, high: float) -> Any:
    """Where the curve of the stored basis is least; the middle if there is none."""
    if store[0] < 0.0:
        return 0.5 * high
    _read_prices(cost, store, prices)
    return _lowest(task, prices, min(EDGE, high), high)


@kernel
def exact_plan(matrix: Any, task: Any, cost: Any, second: Any, store: Any, work: Any) -> None:
    """Put the optimal plan of the exact program in the first K of `work`, which has EXACT_BLOCKS K.

    `task` is (leader, max pair, pair, solo). If no pair is positive it is one covering program.
    """
    leader, top, pair, solo = task
    K = len(pair)
    need, prices = work[3 * K : 4 * K], work[4 * K : 5 * K]
    left, right = work[5 * K : 6 * K], work[6 * K : 7 * K]
    low, high, u = 0.0, 1.0, 0.5
    if top > 0.0:
        high = 1.0 - EDGE
        if solo[leader] > 0.0:
            high = min(high, top / solo[leader])
        low = min(EDGE, high)
        u = _first_guess(task, cost, store, prices, high)
    falls = rises = False
    for _ in range(STEPS):
        _needs(task, u, need)
        best_plan(matrix, need, cost, second, store, work[: 3 * K])
        if top == 0.0 or store[0] < 0.0:
            return
        _read_prices(cost, store, prices)
        value, slope = _worth(task, u, prices), _slope(task, u, prices)
        agreed = falls and value <= _worth(task, u, left) * (1.0 + SAME)
        agreed = agreed or (rises and value <= _worth(task, u, right) * (1.0 + SAME))
        if agreed or abs(slope) * u <= FLAT * value:
            return
        if slope < 0.0:
            low, falls = u, True
            _copy(prices, left)
        else:
            high, rises = u, True
            _copy(prices, right)
        if high - low <= SAME * high:
            return
        if falls and rises:
            u = _least_of_both(task, left, right, low, high)
        else:
            u = _lowest(task, prices, low, high)


@kernel
def length(plan: Any) -> Any:
    """sum(c)."""
    total = 0.0
    for i in range(len(plan)):
        total += plan[i]
    return total


@kernel
def _spent(base: Any, plan: Any) -> Any:
    """<base, c>."""
    total = 0.0
    for i in range(len(plan)):
        total += base[i] * plan[i]
    return total


@kernel
def within(matrix: Any, task: Any, given: Any, price: float, store: Any, work: Any) -> Any:
    """The cheapest plan with sum(c) <= budget, in the first K of `work`; False if there is none.

    `given` is (base, second, budget); each play costs `price` more than base. Where no plan is
    short enough, the shortest is left in `work`. `work` has WITHIN_BLOCKS K.
    """
    base, second, budget = given
    K = len(base)
    cost = work[7 * K : 8 * K]
    plan, long, short = work[:K], work[8 * K : 9 * K], work[9 * K : 10 * K]
    level = price
    for step in range(PRICES):  # one place where a program is solved: compilers copy what is called
        for i in range(K):
            cost[i] = 1.0 if level == np.inf else base[i] + level
        exact_plan(matrix, task, cost, second, store, work[: EXACT_BLOCKS * K])
        fits = length(plan) <= budget
        if step < 2 and fits == (step == 0):
            return fits
        if step >= 2:
            before = _spent(base, long) + level * length(long)
            if _spent(base, plan) + level * length(plan) >= before * (1.0 - AGREED):
                break
        _copy(plan, short if fits else long)
        level = np.inf
        if step > 0:
            saved = length(long) - length(short)
            level = max(price, (_spent(base, short) - _spent(base, long)) / saved)
    share = (budget - length(short)) / (length(long) - length(short))
    for i in range(K):
        plan[i] = share * long[i] + (1.0 - share) * short[i]
    return True
