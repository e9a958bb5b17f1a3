"""A learner as a child would write it: a list of plays, and sums in fractions over the list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


class RefusedError(Exception):
    """What cannot have been seen, or contradicts what was said."""


@dataclass
class Play:
    """An action, what it showed, and whether somebody waits for the rest."""

    action: int
    told: dict[int, Fraction] = field(default_factory=dict)
    waiting: bool = True


@dataclass
class NaiveLearner:
    """Which action to play is not its business: it is told."""

    variance: list[list[float]]
    upper: float
    patience: int | None = None
    decisions: list[Play] = field(default_factory=list)
    records: list[Play] = field(default_factory=list)
    said: dict[tuple[str, str], Any] = field(default_factory=dict)

    def shown(self, action: int) -> list[int]:
        """What a play shows."""
        return [j for j, v in enumerate(self.variance[action]) if v < math.inf]

    def decide(self, action: int, key: str | None) -> None:
        """A decision was made."""
        if self.patience is not None:
            for past in self.decisions[: max(0, len(self.decisions) - self.patience)]:
                past.waiting = False
        self.decisions.append(Play(action))
        if key is not None:
            self.said["ask", key] = len(self.decisions)

    def check(self, action: int, values: Mapping[Any, Any]) -> dict[int, Fraction]:
        """The values, if the action can show them."""
        for j, x in values.items():
            if j not in self.shown(action) or not math.isfinite(x):
                raise RefusedError
            far = 12 * math.sqrt(self.variance[action][j])
            if x < -far or x > self.upper + far:
                raise RefusedError
        return {j: Fraction(x) for j, x in values.items()}

    def tell(self, number: int, values: Mapping[Any, Any], key: str | None, last: bool) -> None:
        """Values of a decision."""
        if not 1 <= number <= len(self.decisions):
            raise RefusedError
        play = self.decisions[number - 1]
        seen = self.check(play.action, values)
        if any(play.told.get(j, x) != x for j, x in seen.items()):
            raise RefusedError
        if key is not None and self.said.setdefault(("tell", key), (number, seen, last)) != (
            number,
            seen,
            last,
        ):
            raise RefusedError
        play.told.update(seen)
        if last:
            play.waiting = False

    def record(self, action: int, values: Mapping[Any, Any], key: str | None) -> None:
        """A play that nobody decided."""
        seen = self.check(action, values)
        if key is not None:
            before = self.said.setdefault(("record", key), (action, seen))
            if before != (action, seen):
                raise RefusedError
            if before[1] is not seen:
                return
        self.records.append(Play(action, seen, False))

    # ---- what follows from the lists --------------------------------------------------------

    @property
    def plays(self) -> list[Play]:
        """All of them."""
        return [*self.decisions, *self.records]

    def weight(self, i: int, j: int) -> Fraction:
        """1/variance, at most 10^12/upper^2."""
        most = Fraction(10**12) / Fraction(self.upper) ** 2
        variance = Fraction(self.variance[i][j])
        return most if variance == 0 else min(1 / variance, most)

    def count(self, i: int) -> int:
        """How often an action was played."""
        return sum(play.action == i for play in self.plays)

    def information(self, j: int) -> Fraction:
        """The sum of precisions of what was seen of j."""
        return sum((self.weight(p.action, j) for p in self.plays if j in p.told), Fraction(0))

    def total(self, j: int) -> Fraction:
        """The sum of precision times value."""
        seen = [p for p in self.plays if j in p.told]
        return sum((self.weight(p.action, j) * p.told[j] for p in seen), Fraction(0))

    def missing(self, play: Play) -> list[int]:
        """What a play shows that was not told."""
        return [j for j in self.shown(play.action) if j not in play.told]

    def pending(self, j: int) -> Fraction:
        """The sum of precisions of what is waited for."""
        awaited = [p for p in self.decisions if p.waiting and j in self.missing(p)]
        return sum((self.weight(p.action, j) for p in awaited), Fraction(0))

    def awaited(self) -> dict[int, list[int]]:
        """The decisions that are waited for, and what is missing."""
        found = {n: self.missing(p) for n, p in enumerate(self.decisions, 1) if p.waiting}
        return {n: missing for n, missing in found.items() if missing}

    def values(self, i: int, j: int) -> list[Fraction]:
        """Everything that plays of i showed of j."""
        return [p.told[j] for p in self.plays if p.action == i and j in p.told]
