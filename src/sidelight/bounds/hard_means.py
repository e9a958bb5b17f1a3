"""Search for the means that make a feedback structure hardest.

Every theta in [0, D]^K yields a lower bound on the worst-case regret (`cutting.least`); the largest
is sought. The constructions behind the closed forms show where to look [cor:lb-minimax]: one action
on top, some a small gap below, the others far below,

    theta = top level v,   near ones v - x,   the rest at w .

The actions near the top are all of them, an independent set, or a pair (or more) in which none of
them shows some member: then it takes plays of the far ones, which are expensive, to tell the pair
apart. x = 0 is a tie.

The search climbs in (v, x, w) first, then in all means, along the slope that the proof of each
value gives for free. It is deterministic, and ends when it has climbed as far as it can or when its
effort is over.
"""

from __future__ import annotations

import hashlib
import operator
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..programs import Effort, largest_independent_set
from ..programs.ascent import climb
from ..programs.cutting import Least, least, slope
from ..programs.effort import SETS_SHARE
from ..programs.separation import ScaledProblem, scale_problem
from ..structure import strongly_observable
from ..variances import Array, BoolArray

# Gaps are counted in units of the resolution; the first numbers are about right for bandits.
FIRST_LEVELS = ((0.5, 2.5), (0.9, 5.0), (0.5, 0.0))
FIRST_TOLERANCE = 1e-2
CLIMB_TOLERANCE = 1e-5
# A group whose first guesses fall below this part of the best one is given up.
PROMISING = 0.7
CLIMBED_GROUPS = 2
MANY_ACTIONS = 6


@dataclass(frozen=True, eq=False)
class Hardest:
    """Means in units of the upper end, and what they prove.

    `stopped` says whether the search was cut off before it had climbed as far as it could.
    """

    theta: Array
    found: Least
    stopped: bool = False


@dataclass(frozen=True)
class Group:
    """One action on top and those near it."""

    top: int
    near: tuple[int, ...]

    def pattern(self, count: int) -> Array:
        """The matrix with theta = pattern @ (v, x, w); no column for w if no action is far."""
        pattern = np.zeros((count, 3))
        pattern[:, 2] = 1.0
        pattern[list(self.near)] = (1.0, -1.0, 0.0)
        pattern[self.top] = (1.0, 0.0, 0.0)
        return pattern if pattern[:, 2].any() else pattern[:, :2]


def hardest(variance: Array, upper: float, horizon: float, effort: Effort | None = None) -> Hardest:
    """The hardest means found."""
    search = _Search(variance, upper, horizon, effort or Effort())
    scores: list[tuple[float, int, Array, Array]] = []
    for group in groups(variance, search.effort):
        pattern = group.pattern(len(variance))
        for v, x in FIRST_LEVELS:
            levels = np.array([v, x * search.resolution, 0.0])[: pattern.shape[1]]
            enough = PROMISING * search.best.found.lower
            found = search.value(np.clip(pattern @ levels, 0.0, 1.0), FIRST_TOLERANCE, enough)
            if found is not None:
                scores.append((-found.lower, len(scores), pattern, levels))
    climbed: list[Array] = []
    for _, _, pattern, levels in sorted(scores, key=lambda score: score[:2]):
        if len(climbed) < CLIMBED_GROUPS and not any(pattern is old for old in climbed):
            climbed.append(pattern)
            search.climb(pattern, levels)
    search.climb(np.eye(len(variance)), search.best.theta)
    return replace(search.best, stopped=search.effort.stopped)


def groups(variance: Array, effort: Effort | None = None) -> Iterator[Group]:
    """Which actions to put on top and near it, the most promising first; one of each shape."""
    effort = effort or Effort()
    seen: set[bytes] = set()
    for chosen in _clusters(variance < np.inf, effort):
        tops = chosen if len(chosen) <= 3 else chosen[:1]
        for top in tops:
            group = Group(top, tuple(i for i in chosen if i != top))
            shape = _shape(variance, group)
            if shape not in seen:
                seen.add(shape)
                yield group
            if effort.is_over():
                return


def _shape(variance: Array, group: Group) -> bytes:
    """A digest that groups share if a relabelling of the actions maps one to the other.

    Actions have colours: top, near or far. Three times, the new colour of an action is a digest of
    its colour, its own variance, and the sorted variances and colours of all it shows and is shown
    by. Different groups may share a digest; this costs a start, and nothing else.
    Digests, and not Python's hashes, because these differ between builds of Python, and the starts
    of the search must not.
    """
    actions = range(len(variance))
    colours = [
        b"top" if i == group.top else b"near" if i in group.near else b"far" for i in actions
    ]
    seen = [
        [struct.pack("<dd", *pair) for pair in zip(*both, strict=True)]
        for both in zip(variance.tolist(), variance.T.tolist(), strict=True)
    ]
    for _ in range(3):
        colours = [
            _digest([colours[i], seen[i][i], *sorted(map(operator.add, seen[i], colours))])
            for i in actions
        ]
    return _digest(sorted(colours))


def _digest(parts: Iterable[bytes]) -> bytes:
    return hashlib.blake2b(b"|".join(parts), digest_size=16).digest()


def _clusters(observes: BoolArray, effort: Effort) -> Iterator[tuple[int, ...]]:
    K = len(observes)
    edges = (observes | observes.T) & ~np.eye(K, dtype=bool)
    weak = np.flatnonzero(~strongly_observable(observes))
    if len(weak):
        inside = largest_independent_set(edges[np.ix_(weak, weak)], effort.part(SETS_SHARE)).witness
        if len(inside) > 1:
            yield tuple(sorted(int(weak[i]) for i in inside))
        for i in weak[:MANY_ACTIONS]:
            others = [int(j) for j in np.flatnonzero(~observes[:, i]) if j != i]
            yield from ((int(i), j) for j in others[:MANY_ACTIONS])
    independent = largest_independent_set(edges, effort.part(SETS_SHARE)).witness
    if len(independent) > 1:
        yield tuple(sorted(independent))
    yield tuple(range(K))
    if K <= MANY_ACTIONS:
        yield from ((i, j) for i in range(K) for j in range(i + 1, K))


class _Search:
    """The best means so far, and the effort that is left."""

    def __init__(self, variance: Array, upper: float, horizon: float, effort: Effort) -> None:
        self.variance, self.upper, self.horizon = variance, upper, horizon
        self.effort = effort
        K = len(variance)
        info = scale_problem(np.zeros(K), variance, upper, horizon).info
        seen = info[info > 0]
        self.resolution = float(min(1 / np.sqrt(np.median(seen)), 0.05)) if len(seen) else 0.05
        middle = np.full(K, 0.5)
        first = least(self.problem(middle), None, FIRST_TOLERANCE, effort=effort)
        self.best = Hardest(middle, first)

    def problem(self, theta: Array) -> ScaledProblem:
        return scale_problem(theta * self.upper, self.variance, self.upper, self.horizon)

    def value(
        self, theta: Array, tolerance: float, enough: float = 0.0, start: Least | None = None
    ) -> Least | None:
        """What these means prove; None if that is not more than `enough`, or the effort is over."""
        if self.effort.is_over():
            return None
        problem = self.problem(theta)
        found = least(problem, start, tolerance, enough=enough, effort=self.effort)
        if found.lower > self.best.found.lower:
            self.best = Hardest(theta, found)
        return found if found.lower > enough else None

    def climb(self, pattern: Array, start: Array) -> None:
        """Improve the levels z in theta = pattern @ z; steps are counted in resolutions."""
        last: Least | None = None
        unit = self.resolution

        def function(z: Array) -> tuple[float, Array] | None:
            nonlocal last
            theta = np.clip(pattern @ (z * unit), 0.0, 1.0)
            last = self.value(theta, CLIMB_TOLERANCE, start=last)
            if last is None:
                return None
            return last.lower, unit * (slope(self.problem(theta), last) @ pattern)

        ends = np.zeros(len(start)), np.full(len(start), 1.0 / unit)
        climb(function, start / unit, *ends)
