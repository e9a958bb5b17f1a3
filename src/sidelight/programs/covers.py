"""Covering: choose rows of a 0/1 matrix so that every column is hit.

    smallest cover       min |A|        A a set of rows, every column has a one in some row of A
    fractional cover     min sum(plan)  plan >= 0, every column gets at least 1 from the plan

The second is a linear program and bounds the first below. Its dual is a fractional packing,

    max sum(prices)      prices >= 0 on columns, every row pays at most 1,

and any feasible prices bound both covers below (weak duality): that is the proof they carry. A
greedy cover that meets the bound, rounded up, is proved smallest without a search; otherwise HiGHS
searches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..variances import Array, BoolArray
from .effort import Effort
from .solver import solve_binary, solve_linear

# Solvers answer to about 1e-9; an integer bound is rounded up only past this slack.
SLACK = 1e-6


@dataclass(frozen=True, eq=False)
class FractionalCover:
    """A plan over rows, the prices of columns that prove it, and the value: `plan.sum()`.

    The value is inf where no row hits some column, and nan where the effort was not enough;
    then the plan is empty. In every case `prices.sum()` bounds every cover below.
    """

    value: float
    plan: Array
    prices: Array


@dataclass(frozen=True)
class SetBracket:
    """A set of the kind asked for, and what is proved about the size of the best one."""

    witness: tuple[int, ...]
    lower: int
    upper: int


def fractional_cover(hits: BoolArray, effort: Effort | None = None) -> FractionalCover:
    """The cheapest plan that covers every column of `hits`."""
    rows, columns = hits.shape
    if columns == 0:
        return FractionalCover(0.0, np.zeros(rows), np.zeros(0))
    if not hits.any(axis=0).all():
        return FractionalCover(math.inf, np.zeros(rows), np.zeros(columns))
    if hits.all(axis=1).any():
        plan, prices = np.zeros(rows), np.zeros(columns)
        plan[hits.all(axis=1).argmax()] = prices[0] = 1.0
        return FractionalCover(1.0, plan, prices)
    kinds, first = np.unique(hits, axis=1, return_index=True)
    demand = np.ones(kinds.shape[1])
    solved = solve_linear(np.ones(rows), kinds.T.astype(float), demand, effort)
    if solved.x is None or solved.multipliers is None:
        # Equal prices that even the longest row can pay: a weak bound, but a bound.
        equal = np.full(columns, 1.0 / hits.sum(axis=1).max())
        return FractionalCover(math.nan, np.zeros(rows), equal)
    # The solver is a hair off in either direction; scaling makes both sides feasible.
    plan = np.maximum(solved.x, 0.0)
    plan /= (kinds.T @ plan).min()
    price = np.maximum(solved.multipliers, 0.0)
    price /= max(1.0, (kinds @ price).max())
    prices = np.zeros(columns)
    prices[first] = price
    return FractionalCover(float(plan.sum()), plan, prices)


def smallest_cover(
    hits: BoolArray, relaxed: FractionalCover, effort: Effort | None = None
) -> SetBracket:
    """The fewest rows that cover every column; `relaxed` is the fractional cover of the same."""
    effort = effort or Effort()
    if not hits.any(axis=0).all():
        raise ValueError("a column that no row hits cannot be covered")
    greedy = greedy_cover(hits)
    lower = max(math.ceil(relaxed.prices.sum() - SLACK), int(bool(greedy)))
    if lower == len(greedy):
        return SetBracket(greedy, lower, lower)
    kinds = np.unique(hits, axis=1)
    demand = np.ones(kinds.shape[1])
    solved = solve_binary(np.ones(len(hits)), kinds.T.astype(float), demand, effort)
    best = greedy
    if solved.x is not None:
        found = tuple(int(i) for i in np.flatnonzero(solved.x))
        best = min(found, greedy, key=len) if hits[list(found)].any(axis=0).all() else greedy
    if math.isfinite(solved.bound):
        lower = max(lower, math.ceil(solved.bound - SLACK))
    return SetBracket(best, min(lower, len(best)), len(best))


def greedy_cover(hits: BoolArray) -> tuple[int, ...]:
    """Take the row that hits most of what is left, until nothing is; then drop needless rows."""
    left = np.ones(hits.shape[1], dtype=bool)
    gains = hits.sum(axis=1)  # what each row would newly hit
    chosen: list[int] = []
    while left.any():
        row = int(gains.argmax())
        chosen.append(row)
        newly = hits[row] & left
        gains -= hits[:, newly].sum(axis=1)
        left &= ~newly
    times = hits[chosen].sum(axis=0)
    for row in reversed(list(chosen)):
        if (times[hits[row]] > 1).all():
            chosen.remove(row)
            times = times - hits[row]
    return tuple(sorted(chosen))
