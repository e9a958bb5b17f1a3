"""The covering program of every LP policy, compiled [eq:lb-asy, alg:asym, alg:minimax]:

    minimise <cost, c>   subject to   sum_i c_i P[i, j] >= need_j,   c >= 0,

solved through its dual, max <need, y> with P y <= cost, y >= 0, on a dense tableau. y = 0 is always
feasible because costs are not negative; c is read from the reduced costs of the slacks.

Optima are often not unique: the best action costs nothing, and with unit costs whole faces tie. So
the answer is the lexicographic minimum of (<cost, c>, <second, c>, c_0, c_1, ...), which is unique.
On the tableau this is the lexicographic ratio test: a tie between rows is decided by the second
right-hand side, then by the columns of the slacks. It also excludes cycling.

P is read in units of `upper`, the range of the means: times the square of a power of 2 near it. So
the answer does not depend on the user's units, not even in its last bits. Then rows and columns are
scaled by powers of 2, which rounds nothing, until their largest entries are near 1. Needs and costs
are not: a difference of them counts as zero where it is below 1e-10 of the largest term it is made
of. They may differ by any power of ten, and no small need is dropped.

`matrix` is any tuple with the fields of `Matrix`; a cost of inf excludes the action, a need of 0
asks for nothing. `basis` keeps the answer and asks whether it still is one.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled import allocating, kernel
from ..variances import Array

Ints = npt.NDArray[np.int64]

OPTIMAL, INFEASIBLE, STOPPED = 0, 1, 2

# A difference below this part of its terms is a tie. Two hundred pivots leave errors of 1e-12.
TIE = 1e-10
# What rounding leaves of a 0 in a table whose entries are near 1, after a few hundred pivots.
NOISE = 1e-14


class Matrix(NamedTuple):
    """P by rows, dense, and which columns of each row are not 0; the range that sets the units."""

    precision: Array
    start: Ints
    shown: Ints
    upper: float


class Workspace(NamedTuple):
    """The tableau: basic variables in rows, the others in columns; a slack has number K + i.

    `rise` holds the reduced costs, `level` and `second` the two right-hand sides; row 0 of each is
    the number, row 1 the largest term that went into it.
    """

    table: Array
    rise: Array
    level: Array
    second: Array
    row: Ints  # the variable of each row
    column: Ints
    place: Ints  # the column of each slack, -1 where it is basic
    scale: Array  # of each variable: needs, then slacks


def matrix(precision: npt.ArrayLike, upper: float = 1.0) -> Matrix:
    """P as the compiled functions read it."""
    dense = np.ascontiguousarray(precision, dtype=np.float64)
    lists = [np.flatnonzero(row) for row in dense]
    start = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return Matrix(dense, start, np.concatenate(lists).astype(np.int64), upper)


@allocating
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


@kernel
def _power(largest: float) -> float:
    """The power of 2 that brings a positive number near 1, and 1 for 0."""
    return math.ldexp(1.0, 1 - math.frexp(largest)[1]) if largest > 0 else 1.0


@kernel
def _scale(work: Any, height: int, width: int) -> None:
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
        work.scale[work.column[q]] *= factor
        work.rise[0, q] *= factor
        for r in range(height):
            work.table[r, q] *= factor


@kernel
def load(matrix: Any, need: Any, cost: Any, second: Any, work: Any) -> Any:
    """The tableau at y = 0: slacks basic, one column for each need; its height and width."""
    K = len(need)
    unit = _power(matrix.upper)
    square = 1.0 / (unit * unit)
    width = 0
    for j in range(K):
        work.scale[j], work.scale[K + j] = square, 1.0
        work.place[j] = -1
        if need[j] > 0:
            work.column[width] = j
            work.rise[0, width] = need[j] * square
            width += 1
    height, low, high = 0, np.inf, 0.0
    for i in range(K):
        if cost[i] < np.inf:
            work.row[height] = K + i
            work.level[0, height] = cost[i]
            work.second[0, height] = second[i]
            for q in range(width):
                entry = matrix.precision[i, work.column[q]] * square
                work.table[height, q] = entry
                low = min(low, entry if entry > 0.0 else low)
                high = max(high, entry)
            height += 1
    if low < 0.5 or high > 2.0:
        _scale(work, height, width)
    for q in range(width):
        work.rise[1, q] = work.rise[0, q]
    for r in range(height):
        work.level[1, r] = work.level[0, r]
        work.second[1, r] = abs(work.second[0, r])
    return height, width


@kernel
def sign_of(difference: float, term: float) -> int:
    """The sign of a difference between a term and one of about its size, 0 for a tie."""
    if abs(difference) <= TIE * abs(term):
        return 0
    return 1 if difference > 0 else -1


@kernel
def inverse_entry(work: Any, r: int, action: int, K: int) -> float:
    """The entry of the basis inverse in row r and the column of an action's slack."""
    q = work.place[action]
    if q >= 0:
        return float(work.table[r, q])
    return 1.0 if work.row[r] == K + action else 0.0


@kernel
def _before(work: Any, a: int, b: int, q: int, K: int) -> Any:
    """Does row a leave before row b when q enters: the lexicographic ratio test."""
    here, there = work.table[a, q], work.table[b, q]
    x, y = work.level[0, a] * there, work.level[0, b] * here
    sign = sign_of(x - y, max(x, y))
    if sign == 0:
        x, y = work.second[0, a] * there, work.second[0, b] * here
        sign = sign_of(x - y, max(abs(x), abs(y)))
    action = 0
    while sign == 0 and action < K:
        x, y = inverse_entry(work, a, action, K) * there, inverse_entry(work, b, action, K) * here
        sign = sign_of(x - y, max(abs(x), abs(y)))
        action += 1
    return sign < 0


@kernel
def _reduce(pair: Any, k: int, change: float) -> None:
    """Subtract a change from number k of a pair (numbers, sizes), with a tie made an exact 0."""
    pair[1, k] = max(pair[1, k], abs(change))
    new = pair[0, k] - change
    pair[0, k] = new if abs(new) > TIE * pair[1, k] else 0.0


@kernel
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
    work.rise[0, q] = 0.0
    work.rise[1, q] = 0.0
    for k in range(width):
        _reduce(work.rise, k, factor * table[r, k])
    work.row[r], work.column[q] = work.column[q], work.row[r]
    if work.row[r] >= K:
        work.place[work.row[r] - K] = -1
    if work.column[q] >= K:
        work.place[work.column[q] - K] = q


@kernel
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


@kernel
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
            sign = sign_of(x - work.level[0, best] * work.table[i, q], x)
            if sign < 0 or (sign == 0 and work.row[i] < work.row[best]):
                best = i
        elif _before(work, i, best, q, K):
            best = i
    return best


@kernel
def simplex(work: Any, height: int, width: int, patience: int, K: int) -> int:
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
