"""What the suite says: for each problem and horizon a row for each policy, and a verdict.

    ratio        mean regret to the least mean of the policies that are fair to compare with: not
                 told the means or the gap, and not known to be linear on such a structure. Greed
                 that is lucky in most runs has the least mean on many problems, and no excuse
                 where it is not.
    growth       log10 of the mean regret at T over that at T/10
    to bound     mean regret to the general lower bound b, at the minimax rate as worst case

The default passes a row if its mean is at most 1.15 times the best other mean, or the two differ by
no more than two standard errors, and its 95 % quantile at most 1.5 times that policy's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .. import bounds
from ..curves import minimax_rate
from ..problem import Problem
from ..simulate import Results
from ..simulate.statistics import short
from ..study import Cell
from ..variances import Array
from .cells import BLOCK, DEFAULT, NEAR, is_fair, name_of
from .reasons import REASONS

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
    growth: float


@dataclass(frozen=True)
class Panel:
    """All policies on one problem at one horizon, the best first."""

    recipe: str
    actions: int
    horizon: int
    bound: float
    lines: tuple[Line, ...]

    @property
    def rivals(self) -> tuple[Line, ...]:
        """Who the default is compared with."""
        return tuple(x for x in self.lines if x.fair and x.policy != DEFAULT)

    def ratio(self, line: Line) -> float:
        """The mean to the least mean."""
        best = min((x.mean for x in self.lines if x.fair), default=math.nan)
        return _over(line.mean, best)

    def verdict(self) -> str:
        """ "" where the default passes, else what it fails by."""
        own = next((x for x in self.lines if x.policy == DEFAULT), None)
        if own is None or not self.rivals:
            return ""
        best = min(self.rivals, key=lambda x: x.mean)
        said = []
        equal = own.mean - best.mean <= ERRORS * math.hypot(own.error, best.error)
        if _over(own.mean, best.mean) > MEAN and not equal:
            said.append(f"mean {_over(own.mean, best.mean):.2f} times that of {best.policy}")
        if _over(own.q95, best.q95) > TAIL:
            said.append(f"95 % quantile {_over(own.q95, best.q95):.2f} times that of {best.policy}")
        return "; ".join(said)


def _over(a: float, b: float) -> float:
    if b > 0:
        return a / b
    return 1.0 if a <= 0 else math.inf


def line(cell: Cell, results: Results) -> Line:
    """The row of one cell."""
    early, row = results.mean()[0, 0], results.table().rows[0]
    return Line(
        policy=name_of(cell.policy),
        fair=is_fair(cell.policy, cell.problem, cell.horizon),
        runs=results.replicates,
        mean=row.mean,
        error=row.error,
        q95=row.q95,
        q99=row.q99,
        most=row.most,
        growth=math.log10(row.mean / early) if early > 0 else math.nan,
    )


def lower_bound(problem: Problem, horizon: int) -> float:
    """The general lower bound b; NaN where it does not hold."""
    worst = minimax_rate(problem.feedback, problem.upper)(horizon)
    found = bounds.general(problem, horizon, worst)
    return found.value if found.valid and math.isfinite(found.value) else math.nan


def panel(raced: Sequence[tuple[Cell, Results]]) -> Panel:
    """All cells of one problem and horizon."""
    first = raced[0][0]
    lines = sorted((line(cell, results) for cell, results in raced), key=lambda x: x.mean)
    return Panel(
        recipe=first.label,
        actions=len(first.problem),
        horizon=first.horizon,
        bound=lower_bound(first.problem, first.horizon),
        lines=tuple(lines),
    )


def ratios(panels: Sequence[Panel]) -> tuple[list[str], list[str], Array]:
    """Problems, policies, and the ratio of each to the best; NaN where it cannot run."""
    names = list(dict.fromkeys(x.policy for p in panels for x in p.lines))
    table = np.full((len(panels), len(names)), np.nan)
    for y, p in enumerate(panels):
        for x in p.lines:
            table[y, names.index(x.policy)] = p.ratio(x)
    played = (~np.isnan(table)).sum(axis=0)
    typical = np.nan_to_num(np.minimum(table, 100.0)).sum(axis=0) / played
    order = np.lexsort((typical, -played))  # who runs on most problems first, then who loses least
    problems = [f"{p.recipe}, {p.horizon:.0e}".replace("e+0", "e") for p in panels]
    return problems, [names[x] for x in order], table[:, order]


def to_markdown(panels: Iterable[Panel], command: str) -> str:
    """The page."""
    panels = tuple(panels)
    failed = [p for p in panels if p.verdict()]
    text = [
        "# The suite: every policy on every problem of the gallery",
        "",
        f"Made by `{command}`. Pseudo-regret; actions in random order; the same luck for all.",
        f"Every policy plays {BLOCK} replicates, those within {NEAR:g} times the best mean all.",
        "At a million rounds only fast policies play, on some of the problems.",
        "A difference below two standard errors is none. A star marks policies that are not",
        "compared with: told the means or the gap, or known to be linear on such a structure.",
        "*to best*: mean to the least mean of the others. *growth*: log10 of the mean at T over",
        "that at T/10. *to bound*: mean to the general lower bound, at the minimax rate as worst",
        "case.",
        "",
        f"`{DEFAULT}` passes {len(panels) - len(failed)} of {len(panels)} rows: mean at most "
        f"{MEAN} times the best other policy's (or equal), 95 % quantile at most {TAIL} times. ",
        "The others:",
        "",
    ]
    text += [f"- {p.recipe}, T = {p.horizon:,}: {p.verdict()}{_why(p)}" for p in failed] or [
        "- none"
    ]
    for p in panels:
        text += ["", *_page(p)]
    return "\n".join(text) + "\n"


def _why(p: Panel) -> str:
    reason = REASONS.get(p.recipe)
    return f" (why: {reason})" if reason else ""


def _page(p: Panel) -> list[str]:
    bound = "no lower bound" if math.isnan(p.bound) else f"lower bound {p.bound:.4g}"
    rows = [
        f"## {p.recipe}, T = {p.horizon:,}",
        "",
        f"{p.actions} actions, {bound}.",
        "",
        "| policy | runs | mean | error | 95% | 99% | most | to best | growth | to bound |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for x in p.lines:
        numbers = [x.runs, x.mean, x.error, x.q95, x.q99, x.most, p.ratio(x), x.growth]
        to_bound = x.mean / p.bound if p.bound > 0 else math.nan
        name = f"**{x.policy}**" if x.policy == DEFAULT else x.policy + "*" * (not x.fair)
        rows.append("| " + " | ".join([name, *map(short, [*numbers, to_bound])]) + " |")
    return rows
