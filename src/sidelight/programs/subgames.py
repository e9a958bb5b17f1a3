"""How badly any part of a graph can show itself: the hardest cover over all subsets of vertices.

For a set A of at least two vertices let A^S be its members that some member shows, and

    rho_LP(A, A^S)  =  min sum(c)   over c >= 0 on A with sum_{j in A: i in S_j} c_j >= 1 on A^S.

`hardest_cover` is the largest of these over all A; the paper calls its inverse eta_min. Up to
`MAX_VERTICES` vertices every A is looked at, in exact arithmetic, so the answer is a proof:

1. A greedy cover that is no larger than the hardest one known rules A out.
2. Otherwise A is reduced (a player that shows a part of what another shows is not needed; a target
   with more observers than another is covered with it), and what is left, the core, is solved by
   the simplex method in rationals. Few cores are different, so each is solved once.

For larger graphs, cut the vertices into groups whose members all show each other. Within a group
one play covers any part of it, or two where several members do not show themselves. The sum over
groups bounds the hardest cover, and so does the number of vertices.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..variances import BoolArray

Core = tuple[int, ...]  # rows as bitsets of columns

MAX_VERTICES = 14


def hardest_cover(observes: BoolArray) -> Fraction:
    """max over A of rho_LP(A, A^S): exact for up to `MAX_VERTICES`, otherwise an upper bound.

    0 for a single vertex, where there is no set to look at.
    """
    return _hardest_cover(observes.tobytes(), len(observes))


@lru_cache(maxsize=256)
def _hardest_cover(packed: bytes, n: int) -> Fraction:
    observes = np.frombuffer(packed, dtype=bool).reshape(n, n)
    if n < 2:
        return Fraction(0)
    ceiling = Fraction(min(n, _grouped_cover(observes)))
    return _largest(_bitsets(observes), ceiling) if n <= MAX_VERTICES else ceiling


def _grouped_cover(observes: BoolArray) -> int:
    """The sum over groups of mutual observers of what covers any part of them."""
    mutual = observes & observes.T
    left = np.ones(len(observes), dtype=bool)
    total = 0
    for v in np.argsort(-mutual.sum(axis=1), kind="stable"):
        if not left[v]:
            continue
        group, fitting = [int(v)], mutual[v] & left
        fitting[v] = False
        while fitting.any():
            u = int(np.where(fitting, mutual[:, fitting].sum(axis=1), -1).argmax())
            group.append(u)
            fitting &= mutual[u]
            fitting[u] = False
        left[group] = False
        # Any one covers itself if it is alone in A: only two that hide from themselves need two.
        total += 2 if (~observes[group, group]).sum() > 1 else 1
    return total


def _largest(shows: list[int], ceiling: Fraction) -> Fraction:
    """The largest over all subsets; at once if one meets the ceiling."""
    n = len(shows)
    seen = [0] * (1 << n)
    for a in range(1, 1 << n):
        low = a & -a
        seen[a] = seen[a ^ low] | shows[low.bit_length() - 1]
    sets = [a for a in range(1, 1 << n) if a & (a - 1) and a & seen[a]]
    sets.sort(key=lambda a: -(a & seen[a]).bit_count())
    best = Fraction(0)
    for a in sets:
        targets = a & seen[a]
        if best == ceiling or targets.bit_count() <= best:
            break
        rows = [shows[j] & targets for j in range(n) if a >> j & 1]
        if _greedy_cover(rows, targets) > best:
            best = max(best, _packing(_core(rows)))
    return best


def _greedy_cover(rows: list[int], targets: int) -> int:
    count = 0
    while targets:
        targets &= ~max(rows, key=lambda row: (row & targets).bit_count())
        count += 1
    return count


def _core(rows: list[int]) -> Core:
    """What is left when needless rows and columns are dropped, in a standard form."""
    while True:
        kept = _maximal(rows)
        columns = _transposed(kept)
        # A column whose observers contain those of another is covered together with it.
        needed = _maximal([~column for column in columns], first=True)
        smaller = _transposed([~column for column in needed])
        if len(smaller) == len(rows) and len(needed) == len(columns):
            return tuple(sorted(smaller))
        rows = smaller


def _maximal(masks: list[int], first: bool = False) -> list[int]:
    """The masks that no other contains, one of each; in the order given if `first`."""
    unique = list(dict.fromkeys(masks))
    kept = [m for m in unique if not any(m != o and m & ~o == 0 for o in unique)]
    return kept if first else sorted(kept)


def _transposed(masks: list[int]) -> list[int]:
    width = max(mask.bit_length() for mask in masks)
    columns = [sum((mask >> i & 1) << j for j, mask in enumerate(masks)) for i in range(width)]
    return [column for column in columns if column]


@lru_cache(maxsize=4096)
def _packing(core: Core) -> Fraction:
    """max sum(y) over y >= 0 with sum of y over each row at most 1: the dual of the cover.

    The simplex method with Bland's rule, which cannot cycle, on the tableau with slacks.
    """
    m, n = len(core), max(row.bit_length() for row in core)
    zero, one = Fraction(0), Fraction(1)
    tableau = [
        [one if row >> i & 1 else zero for i in range(n)]
        + [one if k == j else zero for k in range(m)]
        + [one]
        for j, row in enumerate(core)
    ]
    costs = [one] * n + [zero] * (m + 1)
    basis = list(range(n, n + m))
    while (enter := next((i for i, cost in enumerate(costs[:-1]) if cost > 0), None)) is not None:
        rising = [j for j, row in enumerate(tableau) if row[enter] > 0]
        leave = min(rising, key=lambda j: (tableau[j][-1] / tableau[j][enter], basis[j]))
        pivot = [x / tableau[leave][enter] for x in tableau[leave]]
        for j, row in enumerate(tableau):
            if j != leave and row[enter]:
                tableau[j] = [x - row[enter] * p for x, p in zip(row, pivot, strict=True)]
        costs = [x - costs[enter] * p for x, p in zip(costs, pivot, strict=True)]
        tableau[leave], basis[leave] = pivot, enter
    return -costs[-1]


def _bitsets(observes: BoolArray) -> list[int]:
    return [sum(1 << int(j) for j in np.flatnonzero(row)) for row in observes]
