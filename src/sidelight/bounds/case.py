"""The problem that a proof speaks about, in exact numbers.

Certificates are evaluated on this, not on floats: gaps, and the information P = 1/variance of one
play, rounded up (against the claim) to a short number so that sums of many stay short.

The theorems speak of T whole rounds. Their proofs hold for every T > 0 if the last round counts as
the part of a round that is left: in the plays, which sum to T, and in the regret. What it shows
comes too late to change a decision, so the information in whole rounds is still an upper bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TypeVar

from ..feedback import Feedback
from .rational import decimal_up, inverse_up, products_up

ZERO = Fraction(0)


class RefutedError(Exception):
    """A row that the problem does not allow: the certificate proves nothing."""


@lru_cache(maxsize=8)
def rational_variance(feedback: Feedback) -> tuple[tuple[Fraction | None, ...], ...]:
    """The variances as rationals, None where nothing is seen; shared by all cases."""
    entries = feedback.variance.tolist()
    known = {v: None if math.isinf(v) else Fraction(v) for row in entries for v in row}
    return tuple(tuple(known[v] for v in row) for row in entries)


Entry = TypeVar("Entry")


def rows_of(rows: Iterable[Iterable[Entry]]) -> tuple[tuple[Entry, ...], ...]:
    """The same rows in tuples, which nobody can change; what is made of tuples stays as it is."""
    if type(rows) is tuple and all(type(row) is tuple for row in rows):
        return rows
    return tuple(tuple(row) for row in rows)


def fixed(thing: object, **fields: object) -> None:
    """Set fields of a frozen thing that is being made."""
    for name, value in fields.items():
        object.__setattr__(thing, name, value)


@dataclass(frozen=True)
class Case:
    """The problem that a certificate speaks about, in exact numbers.

    `variance` has None where nothing is observed. `horizon` and `worst_case` are None for
    asymptotic statements.
    """

    variance: tuple[tuple[Fraction | None, ...], ...]
    means: tuple[Fraction, ...]
    upper: Fraction
    horizon: Fraction | None = None
    worst_case: Fraction | None = None

    def __post_init__(self) -> None:
        fixed(self, variance=rows_of(self.variance), means=tuple(self.means))

    @property
    def actions(self) -> range:
        """All actions."""
        return range(len(self.means))

    @cached_property
    def best(self) -> int:
        """The best action; the lowest index of several."""
        return max(range(len(self.means)), key=lambda i: self.means[i])

    @cached_property
    def gaps(self) -> tuple[Fraction, ...]:
        """What each play costs."""
        return tuple(self.means[self.best] - mean for mean in self.means)

    @cached_property
    def second_gap(self) -> Fraction:
        """The smallest gap of the other actions: 0 if the optimum is tied."""
        if len(self.means) == 1:
            raise RefutedError("a single action has no second best")
        return min(gap for i, gap in enumerate(self.gaps) if i != self.best)

    def sees(self, played: int, observed: int) -> bool:
        """Whether playing the one shows the other."""
        return self.variance[played][observed] is not None

    def fixed(self, observed: int) -> bool:
        """Whether this mean costs nothing to observe as T grows: playing the best action shows it,
        or some action shows it without noise. A row per log T must not move it."""
        return self.sees(self.best, observed) or observed in self._exact

    def precision(self, played: int, observed: int) -> Fraction:
        """1/variance rounded up, 0 where unobserved; an exact observation has none to use."""
        if self.variance[played][observed] == 0:
            raise RefutedError(
                f"action {observed} is seen exactly: no information about it is needed"
            )
        return self._precision[played][observed]

    def told(self, moves: Sequence[Fraction]) -> list[Decimal]:
        """sum_i moves_i^2 / variance[j, i] for each action j, rounded up: what a play of j tells.

        `moves` are the changes of all means. No mean may move that some action shows without noise:
        one play of that action would tell.
        """
        if any(move and i in self._exact for i, move in enumerate(moves)):
            raise RefutedError("an alternative moves a mean that is seen exactly")
        squares = [decimal_up(move**2) for move in moves]
        return products_up(self._seen, squares)

    @cached_property
    def _exact(self) -> frozenset[int]:
        """The actions that somebody sees without noise."""
        return frozenset(i for row in self.variance for i, v in enumerate(row) if v == 0)

    @cached_property
    def _seen(self) -> tuple[tuple[tuple[int, ...], tuple[Decimal, ...]], ...]:
        """For each action the others that it shows with noise, and P."""
        decimals = {p: decimal_up(p) for row in self._precision for p in row}
        shown = [[i for i in self.actions if row[i]] for row in self._precision]
        return tuple(
            (tuple(seen), tuple(decimals[row[i]] for i in seen))
            for row, seen in zip(self._precision, shown, strict=True)
        )

    @cached_property
    def _precision(self) -> tuple[tuple[Fraction, ...], ...]:
        known = {v: inverse_up(v) for row in self.variance for v in row if v}
        return tuple(tuple(known[v] if v else ZERO for v in row) for row in self.variance)

    def require(self, action: object) -> None:
        """Refuse what is not the number of an action: a negative index would mean another one."""
        if not isinstance(action, int) or not 0 <= action < len(self.means):
            raise RefutedError(f"there is no action {action!r}")

    @cached_property
    def _in_fractions(self) -> bool:
        """Whether all numbers are exact: a float, or a kind of number of the caller, is not."""
        single = {type(x) for x in (self.upper, self.horizon, self.worst_case) if x is not None}
        seen = {type(v) for row in self.variance for v in row if v is not None}
        return single | seen | set(map(type, self.means)) <= {Fraction}

    def validate(self) -> None:
        """Refuse what is not a problem of the paper [sec:pre]."""
        if not self._in_fractions:
            raise RefutedError("a number of the problem is not a Fraction")
        K = len(self.means)
        if K == 0 or len(self.variance) != K or any(len(row) != K for row in self.variance):
            raise RefutedError("a problem has a mean for each action and a square of variances")
        if any(v is not None and v < 0 for row in self.variance for v in row):
            raise RefutedError("a variance is negative")
        if any(all(row[i] is None for row in self.variance) for i in self.actions):
            raise RefutedError("an action is seen by nobody, which the theorems exclude")
        if self.upper <= 0 or not all(0 <= mean <= self.upper for mean in self.means):
            raise RefutedError("the upper end is not positive, or a mean lies outside [0, upper]")
        if any(x is not None and x <= 0 for x in (self.horizon, self.worst_case)):
            raise RefutedError("horizon and worst case must be positive")
        if self.horizon is None and self.worst_case is not None:
            raise RefutedError("a claim per log T has no worst case")

    def at_horizon(self) -> tuple[Fraction, Fraction]:
        """Horizon and worst case, for the rows that need them."""
        T, B = self.horizon, self.worst_case
        if T is None or B is None:
            raise RefutedError("this claim needs a horizon and a worst-case regret")
        return T, B
