"""Hidden sets: actions that only others show, and what it costs to see them.

Let U be a set of weakly observable actions of which none shows another. All information about the
members of U comes from plays of other actions. Let c_j count the plays of j. Then one unit of
information about every member of U takes at least so many plays:

    R(U)  =  min sum(c)     over c >= 0 with sum_j c_j / variance[j, i] >= 1 for i in U
          =  max sum(y)     over y >= 0 with sum_{i in U} y_i / variance[j, i] <= 1 for all j.

The y_i are prices of information about the members. For variance 1, R(U) is the fractional cover
rho_LP of the paper. Any U and any feasible y give a valid lower bound on regret, and the search for
the best U only makes it larger. R grows with U: only maximal sets are tried, all of them if there
are few.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..variances import Array, BoolArray
from .effort import GUESS_SHARE, Effort
from .independent import largest_independent_set
from .solver import solve_linear

# Maximal sets that are tried in turn, and the largest graph in which they are listed.
MAX_TRIED, MAX_LISTED = 64, 40


@dataclass(frozen=True, eq=False)
class HiddenSet:
    """Actions that hide from each other, the price of information about each, and R(U).

    There may be a set with a larger R if the search was `stopped` when its effort was over, or if
    it was `sampled`: there are too many sets, and so only some of them are tried.
    """

    actions: tuple[int, ...]
    prices: Array
    value: float
    stopped: bool = False
    sampled: bool = False

    @property
    def complete(self) -> bool:
        """Whether every set was tried."""
        return not (self.stopped or self.sampled)


def hidden_set(variance: Array, weak: Sequence[int], effort: Effort | None = None) -> HiddenSet:
    """A set with large R(U) among the `weak` actions that are not seen exactly; maybe empty."""
    effort = effort or Effort()
    sharpest = variance.min(axis=0)
    members = [i for i in weak if sharpest[i] > 0]
    best = HiddenSet((), np.zeros(0), 0.0)
    if not members:
        return best
    seen = variance[np.ix_(members, members)] < np.inf
    linked = seen | seen.T
    np.fill_diagonal(linked, False)
    worth = sharpest[members]
    guesses = _guesses(variance[:, members] < np.inf, linked, worth, effort)
    small = len(linked) <= MAX_LISTED
    every = _maximal_sets(linked) if small else iter(())
    for chosen in itertools.chain(guesses, itertools.islice(every, MAX_TRIED)):
        actions = tuple(sorted(members[v] for v in chosen))
        with np.errstate(over="ignore"):  # an infinite sum is larger, too
            promising = sharpest[list(actions)].sum() > best.value
        if promising:
            best = max(best, _priced(variance, actions, effort), key=lambda s: s.value)
        if effort.is_over():
            break
    sampled = not small or (not effort.stopped and next(every, None) is not None)
    return replace(best, stopped=effort.stopped, sampled=sampled)


def _priced(variance: Array, actions: tuple[int, ...], effort: Effort) -> HiddenSet:
    """The prices of a set by linear programming: feasible, and the best if the effort allows."""
    columns = variance[:, list(actions)]
    sharpest = columns.min(axis=0)
    share = sharpest / columns  # in [0, 1]; 0 where unseen
    # Players that show nothing here only blow up the program; equal ones do too.
    kinds = np.unique(share[share.any(axis=1)], axis=0)
    solved = solve_linear(np.ones(len(kinds)), kinds.T, sharpest / sharpest.max(), effort)
    raw = np.ones(len(actions)) if solved.multipliers is None else solved.multipliers
    raw = np.maximum(raw, 0.0)
    raw /= (kinds @ raw).max()
    prices = raw * sharpest
    with np.errstate(over="ignore"):  # cut at the largest float: a bound from less still holds
        total = min(float(prices.sum()), float(np.finfo(float).max))
    return HiddenSet(actions, prices, total)


def _guesses(
    hits: BoolArray, linked: BoolArray, worth: Array, effort: Effort
) -> Iterator[tuple[int, ...]]:
    """Promising independent sets of `linked`, made maximal."""
    by_worth = [int(v) for v in np.argsort(-worth, kind="stable")]
    yield _extended([], linked, by_worth)
    largest = largest_independent_set(linked, effort.part(GUESS_SHARE)).witness
    yield _extended(largest, linked, by_worth)
    # Where no player shows two of them, every member has to be paid for separately.
    shared = hits.T.astype(np.float32) @ hits.astype(np.float32) > 0
    alone = largest_independent_set(linked | shared, effort.part(GUESS_SHARE)).witness
    yield _extended(alone, linked, by_worth)


def _extended(chosen: Sequence[int], linked: BoolArray, order: Sequence[int]) -> tuple[int, ...]:
    free = np.asarray(~linked[list(chosen)].any(axis=0))
    free[list(chosen)] = False
    grown = list(chosen)
    for v in order:
        if free[v]:
            grown.append(v)
            free &= ~linked[v]
            free[v] = False
    return tuple(sorted(grown))


def _maximal_sets(linked: BoolArray) -> Iterator[tuple[int, ...]]:
    """All maximal independent sets, by Bron and Kerbosch with a pivot on the complement graph."""
    n = len(linked)
    apart = [sum(1 << u for u in range(n) if u != v and not linked[v, u]) for v in range(n)]

    def grow(chosen: tuple[int, ...], open_: int, closed: int) -> Iterator[tuple[int, ...]]:
        if not open_ | closed:
            yield chosen
            return
        pivot = max(_bits(open_ | closed), key=lambda v: (open_ & apart[v]).bit_count())
        for v in _bits(open_ & ~apart[pivot]):
            yield from grow((*chosen, v), open_ & apart[v], closed & apart[v])
            open_ &= ~(1 << v)
            closed |= 1 << v

    return grow((), (1 << n) - 1, 0)


def _bits(mask: int) -> list[int]:
    return [v for v in range(mask.bit_length()) if mask >> v & 1]
