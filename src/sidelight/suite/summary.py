"""What the suite says: for each problem and horizon a row for each policy, and a verdict.

    ratio        mean regret to the least mean of the policies that are fair to compare with: not
                 told the means or the gap, and without a caution that the regret may be linear on
                 such a structure. A greedy policy that is lucky in most runs has the least mean on
                 many problems, although it fails badly in the other runs.
    growth       log10 of the mean regret over that of another race, of a tenth of the rounds

Within one run of T rounds the regret after T/10 says nothing about growth where T is known: a
policy that explores for a share of the horizon and then stops would seem not to grow at all.

The default passes a race if its mean is at most 1.15 times the best other mean, or the two differ
by no more than two standard errors, and its 95 % quantile at most 1.5 times that policy's. Without
another policy there is nothing to pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..gallery import from_recipe
from ..simulate import Results
from ..study import Cell
from ..variances import Array
from .cells import DEFAULT, as_told, is_fair
from .lower import lower_bound

MEAN, TAIL, ERRORS = 1.15, 1.5, 2.0


@dataclass(frozen=True)
class Line:
    """The regret of one policy."""

    policy: str
    fair: bool
    runs: int
    mean: float
    error: float
    q95: float
    q99: float
    most: float


@dataclass(frozen=True)
class Panel:
    """All policies on one problem at one horizon, the best first.

    `bound` is NaN where there is none; `about` says which bound it is, and for which policies.
    """

    recipe: str
    actions: int
    horizon: int
    bound: float
    lines: tuple[Line, ...]
    about: str = ""

    @property
    def rivals(self) -> tuple[Line, ...]:
        """Who the default is compared with."""
        return tuple(x for x in self.lines if x.fair and x.policy != DEFAULT)

    def ratio(self, line: Line) -> float:
        """The mean to the least mean."""
        fair = [x.mean for x in self.lines if x.fair]
        return _over(line.mean, min(fair)) if fair else math.nan

    @property
    def duel(self) -> tuple[Line, Line] | None:
        """The default and the best of its rivals; None where one of them is missing."""
        own = next((x for x in self.lines if x.policy == DEFAULT), None)
        if own is None or not self.rivals:
            return None
        return own, min(self.rivals, key=lambda x: x.mean)

    def verdict(self) -> str:
        """What the default fails by; "" where it passes, and where there is no duel."""
        if self.duel is None:
            return ""
        own, best = self.duel
        said = []
        equal = own.mean - best.mean <= ERRORS * math.hypot(own.error, best.error)
        if _over(own.mean, best.mean) > MEAN and not equal:
            said.append(f"mean {_beside(own.mean, best.mean, best.policy)}")
        if _over(own.q95, best.q95) > TAIL:
            said.append(f"95 % quantile {_beside(own.q95, best.q95, best.policy)}")
        return "; ".join(said)

    def without(self, policy: str) -> Panel:
        """The same race, had this policy not been in it."""
        return replace(self, lines=tuple(x for x in self.lines if x.policy != policy))

    def far_tail(self) -> float:
        """The 99 % quantile of the default to that of its best rival; no part of the verdict."""
        return _over(self.duel[0].q99, self.duel[1].q99) if self.duel else math.nan


def _beside(own: float, other: float, policy: str) -> str:
    return (
        f"{own / other:.2f} times that of {policy}" if other > 0 else f"{own:.4g}, {policy}'s is 0"
    )


def _over(a: float, b: float) -> float:
    if b > 0:
        return a / b
    return 1.0 if a <= 0 else math.inf


def line(cell: Cell, results: Results) -> Line:
    """The row of one cell."""
    row = results.table().rows[0]
    return Line(
        policy=as_told(cell.policy, cell.problem),
        fair=is_fair(cell.policy, cell.problem, cell.horizon),
        runs=results.replicates,
        mean=row.mean,
        error=row.error,
        q95=row.q95,
        q99=row.q99,
        most=row.most,
    )


def panel(raced: Sequence[tuple[Cell, Results]]) -> Panel:
    """All cells of one problem and horizon."""
    first = raced[0][0]
    lines = sorted((line(cell, results) for cell, results in raced), key=lambda x: x.mean)
    bound, about = lower_bound(from_recipe(first.label), first.horizon)
    return Panel(first.label, len(first.problem), first.horizon, bound, tuple(lines), about)


def growth(panels: Iterable[Panel], of: Panel, line: Line) -> float:
    """The power of T from the race of a tenth of the rounds; NaN where there is none."""
    before = [
        x.mean
        for p in panels
        if p.recipe == of.recipe and p.horizon * 10 == of.horizon
        for x in p.lines
        if x.policy == line.policy
    ]
    if len(before) != 1 or min(before[0], line.mean) <= 0:
        return math.nan
    return math.log10(line.mean / before[0])


def ratios(panels: Sequence[Panel]) -> tuple[list[str], list[str], Array]:
    """Problems, policies, and the ratio of each to the best; NaN where it cannot run."""
    names = list(dict.fromkeys(x.policy for p in panels for x in p.lines))
    table = np.full((len(panels), len(names)), np.nan)
    for y, p in enumerate(panels):
        for x in p.lines:
            table[y, names.index(x.policy)] = p.ratio(x)
    played = (~np.isnan(table)).sum(axis=0)
    typical = np.nan_to_num(np.minimum(table, 100.0)).sum(axis=0) / np.maximum(played, 1)
    order = np.lexsort((typical, -played))  # who runs on most problems first, then who loses least
    problems = [f"{p.recipe}, {p.horizon:.0e}".replace("e+0", "e") for p in panels]
    return problems, [names[x] for x in order], table[:, order]
