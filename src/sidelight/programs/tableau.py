"""The covering program of every LP policy, compiled [eq:lb-asy, alg:asym, alg:minimax]:

    minimise <cost, c>   subject to   sum_i c_i P[i, j] >= need_j,   c >= 0,

solved through its dual, max <need, y> with P y <= cost, y >= 0, on a dense tableau. y = 0 is always
feasible because costs are not negative; c is read from the reduced costs of the slacks.

Optima are often not unique: the best action costs nothing, and with unit costs whole faces tie. So
the answer is the lexicographic minimum of (<cost, c>, <second, c>, c_0, c_1, ...), which is unique.
On the tableau this is the lexicographic ratio test: a tie between rows is decided by the second
right-hand side, then by the columns of the slacks. It also excludes cycling.

A basis is the set I of actions played and the set J of needs met exactly, with the inverse of
P[I, J]. For new needs and costs `holds` only asks whether this basis still is the optimum, which
costs one product with the inverse; `solve` starts again from y = 0. Measured (benchmarks/tableau.py)
the basis changes in well under 1 % of rounds, so a warm start would save nothing.

Rows and columns of P are scaled by powers of 2, which rounds nothing, until their largest entries
are near 1. Needs and costs are not: a difference of them counts as zero where it is below 1e-12 of
the largest term it is made of. They may differ by any power of ten, and no small need is dropped.

`matrix` is any tuple with the fields of `Matrix`; a cost of inf excludes the action, a need of 0
asks for nothing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

OPTIMAL, INFEASIBLE, STOPPED = 0, 1, 2

# A difference below this part of its terms is a tie.
TIE = 1e-12
# What rounding leaves of a 0 in a table whose entries are near 1, after a few hundred pivots.
NOISE = 1e-14
# A plan that falls short of a need by this part of it meets it.
SHORT = 1e-11

compiled = numba.njit(error_model="numpy")  # divide without asking first: measured faster


class Matrix(NamedTuple):
    """P by rows, dense, and which columns of each row are not 0."""

    precision: Floats
    start: Ints
    shown: Ints


class Workspace(NamedTuple):
    """The tableau: basic variables in rows, the others in columns; a slack has number K + i.

    `rise` holds the reduced costs, `level` and `second` the two right-hand sides; row 0 of each is
    the number, row 1 the largest term that went into it.
    """

    table: Floats
    rise: Floats
    level: Floats
    second: Floats
    row: Ints  # the variable of each row
    column: Ints
    place: Ints  # the column of each slack, -1 where it is basic
    scale: Floats  # of each variable: needs, then slacks


def matrix(precision: npt.ArrayLike) -> Matrix:
    """P as the compiled functions read it."""
    dense = np.ascontiguousarray(precision, dtype=np.float64)
    lists = [np.flatnonzero(row) for row in dense]
    start = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return Matrix(dense, start, np.concatenate(lists).astype(np.int64))


def room(actions: int) -> int:
    """How many floats a stored basis takes."""
    return 2 * actions * actions + 5 * actions + 2


@compiled
def workspace(actions: int) -> Any:
    """Fresh arrays for `solve`."""
    return Workspace(
        np.empty((actions, actions)),
        np.empty((2, actions)),
        np.empty((2, actions)),
        np.empty((2, actions)),
        np.empty(actions, np.int64),
        np.empty(actions, np.int64),
        np.empty(actions, np.int64),
        np.empty(2 * actions),
    )


# ---- the simplex method ---------------------------------------------------------------------


@compiled
def _power(largest: float) -> float:
    """The power of 2 that brings a positive number near 1, and 1 for 0."""
    return 2.0 ** -math.floor(math.log2(largest)) if largest > 0 else 1.0


@compiled
def _scale(work: Any, height: int, width: int, K: int) -> None:
    """Bring the largest entry of each row near 1, then that of each column."""
    for r in range(height):
        largest = 0.0
        for q in range(width):
            largest = max(largest, work.table[r, q])
        factor = _power(largest)
        work.scale[work.row[r]] = factor
        work.level[0, r] *= factor
        work.second[0, r] *= factor
        for q in range(width):
            work.table[r, q] *= factor
    for q in range(width):
        largest = 0.0
        for r in range(height):
            largest = max(largest, work.table[r, q])
        factor = _power(largest)
        work.scale[work.column[q]] = factor
        work.rise[0, q] *= factor
        for r in range(height):
            work.table[r, q] *= factor


@compiled
def _load(matrix: Any, need: Any, cost: Any, second: Any, work: Any) -> Any:
    """The tableau at y = 0: slacks basic, one column for each need; its height and width."""
    K = len(need)
    width = 0
    for j in range(K):
        if need[j] > 0:
            work.column[width] = j
            work.rise[0, width] = need[j]
            width += 1
    height = 0
    for i in range(K):
        work.place[i] = -1
        if cost[i] < np.inf:
            work.row[height] = K + i
            work.level[0, height] = cost[i]
            work.second[0, height] = second[i]
            for q in range(width):
                work.table[height, q] = matrix.precision[i, work.column[q]]
            height += 1
    _scale(work, height, width, K)
    work.rise[1] = np.abs(work.rise[0])
    work.level[1] = np.abs(work.level[0])
    work.second[1] = np.abs(work.second[0])
    return height, width


@compiled
def _sign(difference: float, term: float) -> int:
    """The sign of a difference between a term and one of about its size, 0 for a tie."""
    if abs(difference) <= TIE * abs(term):
        return 0
    return 1 if difference > 0 else -1


@compiled
def _inverse(work: Any, r: int, action: int, K: int) -> float:
    """The entry of the basis inverse in row r and the column of an action's slack."""
    q = work.place[action]
    if q >= 0:
        return float(work.table[r, q])
    return 1.0 if work.row[r] == K + action else 0.0


@compiled
def _before(work: Any, a: int, b: int, q: int, K: int) -> bool:
    """Does row a leave before row b when q enters: the lexicographic ratio test."""
    here, there = work.table[a, q], work.table[b, q]
    x, y = work.level[0, a] * there, work.level[0, b] * here
    sign = _sign(x - y, max(x, y))
    if sign == 0:
        x, y = work.second[0, a] * there, work.second[0, b] * here
        sign = _sign(x - y, max(abs(x), abs(y)))
    action = 0
    while sign == 0 and action < K:
        x, y = _inverse(work, a, action, K) * there, _inverse(work, b, action, K) * here
        sign = _sign(x - y, max(abs(x), abs(y)))
        action += 1
    return sign < 0


@compiled
def _reduce(pair: Any, k: int, change: float) -> None:
    """Subtract a change from number k of a pair (numbers, sizes), with a tie made an exact 0."""
    pair[1, k] = max(pair[1, k], abs(change))
    new = pair[0, k] - change
    pair[0, k] = new if abs(new) > TIE * pair[1, k] else 0.0


@compiled
def _pivot(work: Any, r: int, q: int, height: int, width: int, K: int) -> None:
    """Exchange the basic variable of row r and the other one of column q."""
    table = work.table
    inverse = 1.0 / table[r, q]
    table[r, q] = 1.0
    for k in range(width):
        table[r, k] *= inverse
    for pair in (work.level, work.second):
        pair[0, r] *= inverse
        pair[1, r] *= inverse
    for i in range(height):
        factor = table[i, q]
        if i == r or factor == 0.0:
            continue
        table[i, q] = 0.0
        for k in range(width):
            old = table[i, k]
            new = old - factor * table[r, k]
            table[i, k] = new if abs(new) > TIE * abs(old) + NOISE else 0.0
        _reduce(work.level, i, factor * work.level[0, r])
        work.level[0, i] = max(0.0, work.level[0, i])
        _reduce(work.second, i, factor * work.second[0, r])
    factor = work.rise[0, q]
    work.rise[:, q] = 0.0
    for k in range(width):
        _reduce(work.rise, k, factor * table[r, k])
    work.row[r], work.column[q] = work.column[q], work.row[r]
    if work.row[r] >= K:
        work.place[work.row[r] - K] = -1
    if work.column[q] >= K:
        work.place[work.column[q] - K] = q


@compiled
def _entering(work: Any, width: int, bland: bool) -> int:
    """The column with the largest reduced cost, or by Bland's rule the first variable; or -1."""
    rise = work.rise[0]
    best = -1
    for q in range(width):
        if rise[q] > 0.0 and (
            best < 0 or (work.column[q] < work.column[best] if bland else rise[q] > rise[best])
        ):
            best = q
    return best


@compiled
def _leaving(work: Any, q: int, height: int, bland: bool, K: int) -> int:
    """The row that limits column q, or -1 where none does."""
    best = -1
    for i in range(height):
        if work.table[i, q] <= 0.0:
            continue
        if best < 0:
            best = i
        elif bland:
            x = work.level[0, i] * work.table[best, q]
            sign = _sign(x - work.level[0, best] * work.table[i, q], x)
            if sign < 0 or (sign == 0 and work.row[i] < work.row[best]):
                best = i
        elif _before(work, i, best, q, K):
            best = i
    return best


@compiled
def _simplex(work: Any, height: int, width: int, patience: int, K: int) -> int:
    """Pivot until no reduced cost is positive: Dantzig's rule, after `patience` pivots Bland's."""
    for pivots in range(4 * patience):
        bland = pivots >= patience
        q = _entering(work, width, bland)
        if q < 0:
            return OPTIMAL
        r = _leaving(work, q, height, bland, K)
        if r < 0:
            return INFEASIBLE
        _pivot(work, r, q, height, width, K)
    return STOPPED


# ---- the stored basis -----------------------------------------------------------------------
# store = [m | actions of I | needs of J | signs of J's rows | signs of the slacks' rows, 0 in I |
#          where each row of the inverse starts | actions of its entries | their values]
# A sign is that of the first entry of a row of the basis inverse: the last word in a tie.


@compiled
def _row_sign(work: Any, r: int, K: int) -> float:
    for action in range(K):
        entry = _inverse(work, r, action, K)
        if entry != 0.0:
            return 1.0 if entry > 0 else -1.0
    return 1.0


@compiled
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
    entries = 2 + 5 * K
    found, filled = 0, 0
    for j in range(K):
        for r in range(height):
            if work.row[r] == K + j:
                store[1 + 3 * K + j] = _row_sign(work, r, K)
            if work.row[r] != j:
                continue
            store[1 + K + found] = j
            store[1 + 2 * K + found] = _row_sign(work, r, K)
            store[1 + 4 * K + found] = filled
            for s in range(m):
                i = int(store[1 + s])
                value = work.table[r, work.place[i]]
                if value != 0.0:
                    store[entries + filled] = i
                    store[entries + K * K + filled] = value * work.scale[j] * work.scale[K + i]
                    filled += 1
            found += 1
    store[1 + 4 * K + found] = filled


@compiled
def solve(matrix: Any, need: Any, cost: Any, second: Any, store: Any, patience: int) -> int:
    """Find the optimal basis from nothing and store it; `patience` 0 stands for a generous one."""
    K = len(need)
    work = workspace(K)
    height, width = _load(matrix, need, cost, second, work)
    status = _simplex(work, height, width, patience if patience else 100 + 20 * K, K)
    if status == OPTIMAL:
        _save(work, store, height, K)
    else:
        store[0] = -1.0
    return status


@compiled
def read_plan(need: Any, store: Any, plan: Any) -> bool:
    """The plan c of the stored basis for these needs; False where a play count is negative."""
    K = len(need)
    m = int(store[0])
    entries, values = 2 + 5 * K, 2 + 5 * K + K * K
    plan[:] = 0.0
    largest = 0.0
    for s in range(m):
        b = need[int(store[1 + K + s])]
        largest = max(largest, b)
        for e in range(int(store[1 + 4 * K + s]), int(store[2 + 4 * K + s])):
            plan[int(store[entries + e])] += store[values + e] * b
    fine = m >= 0
    for s in range(m):
        i = int(store[1 + s])
        if plan[i] < 0.0:
            fine = fine and plan[i] >= -TIE * largest
            plan[i] = 0.0
    return fine


@compiled
def covers(matrix: Any, need: Any, store: Any, plan: Any, cover: Any) -> bool:
    """Does the plan meet every need, to within SHORT; `cover` gets what it buys."""
    K = len(need)
    cover[:] = 0.0
    for s in range(int(store[0])):
        i = int(store[1 + s])
        c = plan[i]
        for e in range(matrix.start[i], matrix.start[i + 1]):
            j = matrix.shown[e]
            cover[j] += c * matrix.precision[i, j]
    fine = True
    for j in range(K):
        fine = fine and cover[j] >= need[j] * (1.0 - SHORT)
    return fine


@compiled
def prices_hold(matrix: Any, cost: Any, second: Any, store: Any, first: Any, other: Any) -> bool:
    """Is no row of the dual negative, lexicographically: does nothing cheaper exist?

    `first`, `other` get the prices of the needs in J under both costs.
    """
    K = len(cost)
    m = int(store[0])
    entries, values = 2 + 5 * K, 2 + 5 * K + K * K
    for s in range(m):
        y, size, z, size2 = 0.0, 0.0, 0.0, 0.0
        for e in range(int(store[1 + 4 * K + s]), int(store[2 + 4 * K + s])):
            i = int(store[entries + e])
            v = store[values + e]
            y += v * cost[i]
            size += abs(v * cost[i])
            z += v * second[i]
            size2 += abs(v * second[i])
        sign = _sign(y, size)
        if sign == 0:
            y = 0.0
            sign = _sign(z, size2)
        if sign < 0 or (sign == 0 and store[1 + 2 * K + s] < 0):
            return False
        first[s], other[s] = y, z
    if m == K:
        return True
    return _slacks_hold(matrix, cost, second, store, first, other)


@compiled
def _slacks_hold(matrix: Any, cost: Any, second: Any, store: Any, first: Any, other: Any) -> bool:
    """The rows of actions outside I: what they show is not worth more than they cost."""
    K = len(cost)
    m = int(store[0])
    for i in range(K):
        if store[1 + 3 * K + i] == 0.0 or cost[i] == np.inf:
            continue
        worth, worth2 = 0.0, 0.0
        size2 = abs(second[i])
        for s in range(m):
            p = matrix.precision[i, int(store[1 + K + s])]
            worth += p * first[s]
            worth2 += p * other[s]
            size2 += abs(p * other[s])
        sign = _sign(cost[i] - worth, cost[i] + worth)
        if sign == 0:
            sign = _sign(second[i] - worth2, size2)
        if sign < 0 or (sign == 0 and store[1 + 3 * K + i] < 0):
            return False
    return True


@compiled
def holds(matrix: Any, need: Any, cost: Any, second: Any, store: Any, scratch: Any) -> bool:
    """Is the stored basis the optimum for these numbers? scratch[0] gets its plan."""
    return (
        store[0] >= 0.0
        and read_plan(need, store, scratch[0])
        and covers(matrix, need, store, scratch[0], scratch[1])
        and prices_hold(matrix, cost, second, store, scratch[1], scratch[2])
    )


@compiled
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


@compiled
def best_plan(matrix: Any, need: Any, cost: Any, second: Any, store: Any, scratch: Any) -> int:
    """Put the optimal plan in scratch[0]: by the stored basis if it holds, else by a new one.

    The plan always meets the needs if any plan can. Only where the status is STOPPED, which no test
    has seen without forcing it, may a cheaper one exist.
    """
    if holds(matrix, need, cost, second, store, scratch):
        return OPTIMAL
    status = solve(matrix, need, cost, second, store, 0)
    if not (
        read_plan(need, store, scratch[0]) and covers(matrix, need, store, scratch[0], scratch[1])
    ):
        _meet(matrix, need, cost, scratch[0])
    return status
