"""An optimum of the covering program, kept: the basis, and whether it is still optimal.

A basis is the set I of actions played and the set J of needs met exactly, with the inverse of
P[I, J]. For new needs and costs `holds` asks whether it still is the lexicographic optimum of
`tableau`, which takes one product with the inverse for the plan and one for the prices. Where it is
not, `solve` starts again from y = 0. The basis changes in under 1 % of the rounds of Algorithm 1:
a warm start would save nothing.

The optimum is unique, so the plan does not depend on which basis was stored before, but for the
last bits. The caller keeps the store where it keeps its state: the plan is a function of that state
and of the arguments, to the last bit.

A store is an array of floats, of which the first says how large the basis is (-1: there is none):

    m | actions of I | needs of J | norms of J's rows | signs of the slacks' rows, 0 in I |
    where each row of the inverse starts | actions of its entries | their values

A sign is that of the first entry of a row of the basis inverse: the last word in a tie. A norm is
the sum of a row's absolute values, with that sign.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled import allocating, inlined_kernel, kernel
from .tableau import (
    OPTIMAL,
    TIE,
    inverse_entry,
    load,
    sign_of,
    simplex,
    workspace,
)

# A plan that falls short of a need by this part of it meets it.
SHORT = 1e-11


def room(actions: int) -> int:
    """How many floats a store takes."""
    return 2 * actions * actions + 5 * actions + 2


@inlined_kernel
def index(number: Any) -> Any:
    """An index without a sign: numba then leaves out the case of negative ones, which is slow."""
    return np.uint64(np.int64(number))


@kernel
def _row_sign(work: Any, r: int, K: int) -> float:
    """The sign of the first entry of row r of the basis inverse."""
    for action in range(K):
        entry = inverse_entry(work, r, action, K)
        if entry != 0.0:
            return 1.0 if entry > 0 else -1.0
    return 1.0


@kernel
def _save_row(work: Any, store: Any, r: int, j: int, found: int, filled: int) -> int:
    """Write row r of the inverse, that of need j, as number `found`; the entries filled so far."""
    K = len(work.place)
    entries = 2 + 5 * K
    norm = 0.0
    for i in range(K):
        value = work.table[r, work.place[i]] if work.place[i] >= 0 else 0.0
        if value != 0.0:
            value *= work.scale[j] * work.scale[K + i]
            store[entries + filled] = i
            store[entries + K * K + filled] = value
            norm += abs(value)
            filled += 1
    store[1 + K + found] = j
    store[1 + 2 * K + found] = _row_sign(work, r, K) * norm
    store[2 + 4 * K + found] = filled
    return filled


@kernel
def _save(work: Any, store: Any, height: int, K: int) -> None:
    """Write the basis of the tableau into the store, in the order of actions."""
    m = 0
    for i in range(K):
        store[1 + 3 * K + i] = 1.0
        if work.place[i] >= 0:
            store[1 + m] = i
            store[1 + 3 * K + i] = 0.0
            m += 1
    store[0] = m
    store[1 + 4 * K] = 0.0
    found, filled = 0, 0
    for j in range(K):
        for r in range(height):
            if work.row[r] == K + j:
                store[1 + 3 * K + j] = _row_sign(work, r, K)
            elif work.row[r] == j:
                filled = _save_row(work, store, r, j, found, filled)
                found += 1


@allocating
def solve(matrix: Any, need: Any, cost: Any, second: Any, store: Any, patience: int) -> Any:
    """Find the optimal basis from nothing and store it; `patience` 0 stands for a generous one."""
    K = len(need)
    work = workspace(K)
    height, width = load(matrix, need, cost, second, work)
    status = simplex(work, height, width, patience if patience else 100 + 20 * K, K)
    if status == OPTIMAL:
        _save(work, store, height, K)
    else:
        store[0] = -1.0
    return status


@inlined_kernel
def read_plan(need: Any, store: Any, plan: Any) -> bool:
    """The plan c of the stored basis for these needs; False where a play count is negative."""
    K, m, one = index(len(need)), index(store[0]), index(1)
    needs, norms, ends = one + K, one + index(2) * K, index(2) + index(4) * K
    entries = index(2) + index(5) * K
    values = entries + K * K
    for i in range(K):
        plan[i] = 0.0
    largest = 0.0  # of the terms, about: plays are compared with plays, in any units
    e = index(0)
    for s in range(m):
        b = need[index(store[needs + s])]
        largest = max(largest, b * abs(store[norms + s]))
        end = index(store[ends + s])
        while e < end:
            plan[index(store[entries + e])] += store[values + e] * b
            e += one
    lowest = 0.0
    for i in range(K):
        lowest = min(lowest, plan[i])
    if lowest < 0.0:
        for i in range(K):
            plan[i] = max(plan[i], 0.0)
    return lowest >= -TIE * largest


@inlined_kernel
def covers(matrix: Any, need: Any, store: Any, plan: Any, cover: Any) -> bool:
    """Does the plan meet every need, to within SHORT; `cover` gets what it buys."""
    K, m, one = index(len(need)), index(store[0]), index(1)
    precision, start, shown = matrix.precision, matrix.start, matrix.shown
    for j in range(K):
        cover[j] = 0.0
    for s in range(m):
        i = index(store[one + s])
        c = plan[i]
        for e in range(index(start[i]), index(start[i + one])):
            j = index(shown[e])
            cover[j] += c * precision[i, j]
    short = 0
    for j in range(K):
        short += cover[j] < need[j] * (1.0 - SHORT)
    return short == 0


@kernel
def _price(cost: Any, store: Any, s: Any) -> Any:
    """The price of need s of J under a cost, and the sum of the sizes of its terms."""
    K = index(len(cost))
    ends, entries = index(1) + index(4) * K, index(2) + index(5) * K
    price, size = 0.0, 0.0
    for e in range(index(store[ends + s]), index(store[ends + s + index(1)])):
        term = store[entries + K * K + e] * cost[index(store[entries + e])]
        price += term
        size += abs(term)
    return price, size


@kernel
def _tied_row_holds(cost: Any, second: Any, store: Any, s: Any) -> Any:
    """Is the row of need s of J, whose price is about 0, lexicographically positive?"""
    price, size = _price(cost, store, s)
    sign = sign_of(price, size)
    if sign == 0:
        price, size = _price(second, store, s)
        sign = sign_of(price, size)
    return sign > 0 or (sign == 0 and store[index(1) + index(2) * index(len(cost)) + s] > 0.0)


@inlined_kernel
def prices_hold(matrix: Any, cost: Any, second: Any, store: Any, first: Any, other: Any) -> Any:
    """Whether no plan is cheaper: no row of the dual is negative, lexicographically.

    `first` gets the prices of the needs in J, `other` those under the second cost if they matter.
    """
    K, m, one = index(len(cost)), index(store[0]), index(1)
    norms, ends = one + index(2) * K, index(2) + index(4) * K
    entries = index(2) + index(5) * K
    values = entries + K * K
    top = 0.0
    for s in range(m):
        top = max(top, cost[index(store[one + s])])
    e = index(0)
    for s in range(m):
        y = 0.0
        end = index(store[ends + s])
        while e < end:
            y += store[values + e] * cost[index(store[entries + e])]
            e += one
        if y <= TIE * top * abs(store[norms + s]):
            if not _tied_row_holds(cost, second, store, s):
                return False
            y = max(0.0, y)
        first[s] = y
    return m == K or _slacks_hold(matrix.precision, cost, second, store, first, other)


@inlined_kernel
def _slacks_hold(P: Any, cost: Any, second: Any, store: Any, first: Any, other: Any) -> bool:
    """The rows of actions outside I: what they show is not worth more than they cost."""
    K, m, one = index(len(cost)), index(store[0]), index(1)
    needs, signs = one + K, one + index(3) * K
    known = False
    for i in range(K):
        if store[signs + i] == 0.0 or cost[i] == np.inf:
            continue
        worth = 0.0
        for s in range(m):
            worth += P[i, index(store[needs + s])] * first[s]
        sign = sign_of(cost[i] - worth, cost[i] + worth)
        if sign == 0:
            if not known:
                known = True
                for s in range(m):
                    other[s] = _price(second, store, s)[0]
            rest = second[i]
            size = abs(second[i])
            for s in range(m):
                term = P[i, index(store[needs + s])] * other[s]
                rest -= term
                size += abs(term)
            sign = sign_of(rest, size)
        if sign < 0 or (sign == 0 and store[signs + i] < 0.0):
            return False
    return True


@kernel
def is_unique(matrix: Any, cost: Any, store: Any, first: Any) -> bool:
    """Is the stored optimum the only one, whatever the second cost: does no row of the dual tie?"""
    K = len(cost)
    m = int(store[0])
    for s in range(m):
        price, size = _price(cost, store, index(s))
        if sign_of(price, size) <= 0:
            return False
        first[s] = price
    for i in range(K):
        if store[1 + 3 * K + i] != 0.0 and cost[i] < np.inf:
            worth = 0.0
            for s in range(m):
                worth += matrix.precision[i, int(store[1 + K + s])] * first[s]
            if sign_of(cost[i] - worth, cost[i] + worth) <= 0:
                return False
    return True


@inlined_kernel
def _each_alone(need: Any, store: Any, plan: Any) -> bool:
    """Where each action shows one and each is shown by one, what to play does not depend on costs.

    Then the inverse has K entries, one in each row, and the plan follows from them.
    """
    K, one = index(len(need)), index(1)
    if index(store[0]) != K or index(store[one + index(5) * K]) != K:
        return False
    entries = index(2) + index(5) * K
    for s in range(K):
        plan[index(store[entries + s])] = (
            store[entries + K * K + s] * need[index(store[one + K + s])]
        )
    return True


@inlined_kernel
def holds(matrix: Any, need: Any, cost: Any, second: Any, store: Any, scratch: Any) -> Any:
    """Is the stored basis the optimum for these numbers? The first K of `scratch` get its plan."""
    K = len(need)
    plan, first, other = scratch[:K], scratch[K : 2 * K], scratch[2 * K :]
    return store[0] >= 0.0 and (
        _each_alone(need, store, plan)
        or (
            read_plan(need, store, plan)
            and covers(matrix, need, store, plan, first)
            and prices_hold(matrix, cost, second, store, first, other)
        )
    )


@kernel
def _meet(matrix: Any, need: Any, cost: Any, plan: Any) -> None:
    """Make a plan meet its needs: each short one gets more of its cheapest observer."""
    K = len(need)
    for j in range(K):
        bought, observer, price = 0.0, -1, np.inf
        for i in range(K):
            p = matrix.precision[i, j]
            bought += plan[i] * p
            if p > 0.0 and cost[i] / p < price:
                observer, price = i, cost[i] / p
        if bought < need[j] * (1.0 - SHORT) and observer >= 0:
            plan[observer] += (need[j] - bought) / matrix.precision[observer, j]


@kernel
def solve_plan(matrix: Any, need: Any, cost: Any, second: Any, store: Any, plan: Any) -> Any:
    """Find and store the optimal basis, and put its plan in `plan`.

    The plan always meets the needs if any plan can. Only where the status is STOPPED, which no test
    has seen without forcing it, may a cheaper one exist.
    """
    status = solve(matrix, need, cost, second, store, 0)
    if status == OPTIMAL:
        read_plan(need, store, plan)
    else:
        for i in range(len(need)):
            plan[i] = 0.0
    _meet(matrix, need, cost, plan)
    return status


@inlined_kernel
def best_plan(matrix: Any, need: Any, cost: Any, second: Any, store: Any, scratch: Any) -> None:
    """Put the optimal plan in the first K of `scratch`, which has room for 3 K numbers.

    It comes from the stored basis if that still is optimal, else from a new one.
    """
    if not holds(matrix, need, cost, second, store, scratch):
        solve_plan(matrix, need, cost, second, store, scratch[: len(need)])
