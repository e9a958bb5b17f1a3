"""What a report speaks about, computed before anything is written.

Races on the same problem make a chapter, in the order of their horizons. Each race has its
analysis, the same as that of `sidelight analyze`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ..analysis import Analysis, analyze
from ..bounds import Bound
from ..bounds.hard_sets import known_structure
from ..bounds.titles import LOWER, UPPER
from ..curves import Curve, curves
from ..errors import InputError
from ..extras import check
from ..labels import display
from ..markup import count
from ..problem import Problem
from ..simulate import Results
from ..simulate.pictures import BOUND_POINTS, OVERLAID
from ..structure import Structure
from ..writing import slug

LIMITS = ("asymptotic", "graves_lai")  # per log T: the slope in the limit, no bound at a horizon
WORST_CASES = ("minimax", "minimax_computed", "commit")  # on the worst problem, not on this one


@dataclass(frozen=True, eq=False)
class AnalysedRace:
    """One race, what is known about its problem at its horizon, and its place in the page."""

    results: Results
    analysis: Analysis
    curves: tuple[Curve, ...]
    key: str
    title: str

    @property
    def bound(self) -> Bound | None:
        """The best lower bound on this problem at this horizon; None where there is none.

        A race over drawn means has none: a bound speaks of one set of means.
        """
        if self.results.posterior:
            return None
        found = [self.analysis.bounds[name] for name in ("general", "finite_time")]
        useful = [bound for bound in found if bound.valid and 0 < bound.value < math.inf]
        return max(useful, key=lambda bound: bound.value, default=None)


@dataclass(frozen=True, eq=False)
class Chapter:
    """A problem and its races."""

    problem: Problem
    name: str
    key: str
    structure: Structure
    races: tuple[AnalysedRace, ...]

    @property
    def file(self) -> str:
        """How the names of its files begin."""
        name = slug(self.name.lower(), "a-z0-9", "unnamed", most=40)
        return f"{self.key.removeprefix('problem-')}-{name}"


@dataclass(frozen=True, eq=False)
class Weighed:
    """A bound, and the trivial one: what can be lost at all in T rounds, T times the largest gap.

    `value` is that of the bound at the horizon: for a limit, the constant times log T.
    """

    title: str
    kind: str  # lower, upper or limit
    bound: Bound
    value: float
    trivial: float

    @property
    def share(self) -> float:
        """The value in parts of the trivial bound; NaN where nothing can be lost."""
        return self.value / self.trivial if self.trivial > 0 else math.nan

    @property
    def vacuous(self) -> bool:
        """Whether the bound says nothing new: a lower one of 0, or an upper one above the trivial.

        A limit of 0 says much: regret is bounded. For a limit above the trivial bound the horizon
        is too short to mean anything.
        """
        if not self.bound.valid or self.trivial == 0:
            return False
        if self.kind == "lower":
            return self.value <= 0
        return self.value >= self.trivial


Races = Iterable[Results] | Iterable[Chapter]
Progress = Callable[[int, int], None]


def chapters(races: Races, progress: Progress | None = None) -> tuple[Chapter, ...]:
    """The races, by problem in the order of their first race, and by horizon, all analysed.

    That takes minutes on large problems; `progress(done, total)` is called after each chapter.
    Chapters stay as they are, so that what was computed once can be written in several ways.
    """
    given = list(races)
    ready = tuple(chapter for chapter in given if isinstance(chapter, Chapter))
    if ready and len(ready) == len(given):
        return ready
    check("a report", "figures")
    grouped: dict[Problem, list[Results]] = {}
    for race in given:
        if not isinstance(race, Results):
            raise InputError(f"a report needs Results of races, not {type(race).__name__}")
        grouped.setdefault(race.problem, []).append(race)
    if not grouped:
        raise InputError("a report needs at least one race: run the study first")
    made: list[Chapter] = []
    for name, (problem, found) in zip(_names(grouped), grouped.items(), strict=True):
        ordered = sorted(found, key=lambda race: race.horizon)
        made.append(_chapter(problem, name, len(made) + 1, ordered))
        if progress is not None:
            progress(len(made), len(grouped))
    return tuple(made)


def _names(problems: Iterable[Problem]) -> list[str]:
    """Every problem by its name; a number follows where two share one."""
    names = [display(problem.name) or "unnamed problem" for problem in problems]
    return [
        f"{name} ({names[: k + 1].count(name)})" if names.count(name) > 1 else name
        for k, name in enumerate(names)
    ]


def _chapter(problem: Problem, name: str, number: int, found: list[Results]) -> Chapter:
    key = f"problem-{number}"
    shape = known_structure(problem.feedback, None)
    titles = [_title(race, found) for race in found]
    drawn = _over_time(problem, [race.horizon for race in found])
    races = tuple(
        AnalysedRace(
            race,
            analyze(problem, float(race.horizon)),
            () if race.posterior else tuple(_until(curve, race.horizon) for curve in drawn),
            f"{key}-race-{k}",
            title,
        )
        for k, (race, title) in enumerate(zip(found, titles, strict=True), start=1)
    )
    return Chapter(problem, name, key, shape, races)


def _over_time(problem: Problem, horizons: list[int]) -> tuple[Curve, ...]:
    """The lower bounds on this problem, once for all of its races; none for a single round."""
    last = max(horizons)
    if last == 1:
        return ()
    spaced = np.geomspace(min(10, last), last, BOUND_POINTS)
    points = {float(T) for T in (*spaced[:-1], *horizons) if T > 1}
    return curves(problem, points, names=OVERLAID)


def _until(curve: Curve, horizon: int) -> Curve:
    kept = curve.horizons <= horizon
    return Curve(curve.name, curve.kind, curve.horizons[kept], curve.values[kept], curve.note)


def _title(race: Results, others: list[Results]) -> str:
    """The horizon, and whatever else tells the race from the others on this problem."""
    same = [other for other in others if other.horizon == race.horizon]
    said = count(race.horizon, "round")
    if len({other.provenance.get("delay") for other in same}) > 1:
        said += f", delay {race.provenance.get('delay') or 'none'}"
    if len({other.posterior for other in same}) > 1:
        said += f", means {'drawn' if race.posterior else 'as estimated'}"
    if len({other.seed for other in same}) > 1:
        said += f", seed {race.seed}"
    return said


def weigh(analysis: Analysis) -> tuple[Weighed, ...]:
    """Every bound and guarantee of an analysis, against the trivial one."""
    problem, T = analysis.subject, analysis.horizon
    assert isinstance(problem, Problem)
    weighed = []
    for found, titles, side in (
        (analysis.bounds, LOWER, "lower"),
        (analysis.guarantees, UPPER, "upper"),
    ):
        for name, bound in found.items():
            limit = side == "lower" and name in LIMITS
            most = problem.upper if name in WORST_CASES else float(problem.gaps.max())
            value = bound.value * (math.log(T) if limit and bound.value > 0 else 1.0)
            kind = "limit" if limit else side
            weighed.append(Weighed(titles[name], kind, bound, value, T * most))
    return tuple(weighed)
