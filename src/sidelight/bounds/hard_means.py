"""Search for the means that make a feedback structure hardest.

Every theta in [0, D]^K yields a lower bound on the worst-case regret (`cutting.least`); the largest
is sought. The constructions behind the closed forms show where to look [cor:lb-minimax]: one action
on top, some a small gap below, the others far below,

    theta = top level v,   near ones v - x s,   the rest at w ,

where s is the resolution of T observations. Which actions are near: all of them, an independent
set, or a pair (or more) in which a member is shown by none of them, so that telling them apart
takes plays of the far ones, which are expensive. x = 0 is a tie.

The search is for (v, x, w) first, then for each mean by itself: steps that help are kept, others
halved. It is deterministic but for the time at which it is cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..feedback import BoolArray
from ..programs import largest_independent_set
from ..programs.cutting import Least, least
from ..programs.separation import Array, Cuts, Setting, setting
from ..programs.solver import seconds_left
from ..structure import strongly_observable

# Gaps are counted in units of the resolution; the first numbers are about right for bandits.
FIRST_LEVELS = ((0.5, 2.5, 0.0), (0.9, 5.0, 0.0), (0.5, 0.0, 0.0))
FIRST_STEPS = (0.1, 1.5, 0.2)
SMALLEST_STEP = 1 / 64
SEARCH_TOLERANCE = 1e-3
KEPT_CUTS = 40
MANY_ACTIONS = 6


@dataclass(frozen=True, eq=False)
class Hardest:
    """Means in units of the upper end, and what they prove."""

    theta: Array
    found: Least


@dataclass(frozen=True)
class Group:
    """One action on top and those near it."""

    top: int
    near: tuple[int, ...]

    def means(self, count: int, levels: Array, resolution: float) -> Array:
        """theta for the levels (v, x, w)."""
        v, x, w = levels
        theta = np.full(count, min(w, v))
        theta[list(self.near)] = max(v - x * resolution, 0.0)
        theta[self.top] = v
        return theta


def hardest(variance: Array, upper: float, horizon: float, deadline: float) -> Hardest:
    """The hardest means found in time."""
    search = _Search(variance, upper, horizon, deadline)
    scores = []
    for group in groups(variance < np.inf):
        for levels in FIRST_LEVELS:
            levels_ = np.array(levels)
            found = search.value(group.means(len(variance), levels_, search.resolution))
            scores.append((found.lower if found else 0.0, len(scores), group, levels_))
    scores.sort(key=lambda score: (-score[0], score[1]))
    tried: list[Group] = []
    for _, _, group, levels_ in scores:
        if group not in tried and len(tried) < 3:
            tried.append(group)
            search.over_levels(group, levels_)
    search.over_means()
    return search.best


def groups(observes: BoolArray) -> Iterator[Group]:
    """Which actions to put on top and near it; the most promising first."""
    seen: set[Group] = set()
    for chosen in _clusters(observes):
        tops = chosen if len(chosen) <= 3 else chosen[:1]
        for top in tops:
            group = Group(top, tuple(i for i in chosen if i != top))
            if group not in seen:
                seen.add(group)
                yield group


def _clusters(observes: BoolArray) -> Iterator[tuple[int, ...]]:
    K = len(observes)
    edges = (observes | observes.T) & ~np.eye(K, dtype=bool)
    weak = np.flatnonzero(~strongly_observable(observes))
    if len(weak):
        inside = largest_independent_set(edges[np.ix_(weak, weak)]).witness
        if len(inside) > 1:
            yield tuple(sorted(int(weak[i]) for i in inside))
        for i in weak[: 1 + MANY_ACTIONS // 2]:
            yield from ((int(i), int(j)) for j in np.flatnonzero(~observes[:, i]) if j != i)
    independent = largest_independent_set(edges).witness
    if len(independent) > 1:
        yield tuple(sorted(independent))
    yield tuple(range(K))
    if K <= MANY_ACTIONS:
        yield from ((i, j) for i in range(K) for j in range(i + 1, K))


class _Search:
    """The best means so far, and the clock."""

    def __init__(self, variance: Array, upper: float, horizon: float, deadline: float) -> None:
        self.variance, self.upper, self.horizon = variance, upper, horizon
        self.deadline = deadline
        K = len(variance)
        info = setting(np.zeros(K), variance, upper, horizon).info
        seen = info[info > 0]
        self.resolution = float(min(1 / np.sqrt(np.median(seen)), 0.05)) if len(seen) else 0.0
        middle = np.full(K, 0.5)
        self.best = Hardest(middle, least(self.problem(middle), None, SEARCH_TOLERANCE))

    def problem(self, theta: Array) -> Setting:
        return setting(theta * self.upper, self.variance, self.upper, self.horizon)

    def value(self, theta: Array, enough: float = 0.0, known: Cuts | None = None) -> Least | None:
        """What these means prove; None if out of time, or if it is not more than `enough`."""
        if seconds_left(self.deadline) == 0.0:
            return None
        found = least(self.problem(theta), known, SEARCH_TOLERANCE, enough=enough)
        if found.lower > self.best.found.lower:
            self.best = Hardest(theta, found)
        return found if found.lower > enough else None

    def over_levels(self, group: Group, levels: Array) -> None:
        """Improve the levels of a group."""
        K = len(self.variance)

        def theta(z: Array) -> Array:
            inside = np.array([min(max(z[0], 0.0), 1.0), max(z[1], 0.0), min(max(z[2], 0.0), 1.0)])
            return group.means(K, inside, self.resolution)

        free = 3 if len(group.near) + 1 < K else 2
        self._climb(theta, levels, np.array(FIRST_STEPS[:free]))

    def over_means(self) -> None:
        """Improve each mean of the best by itself."""
        start = self.best.theta
        steps = np.full(len(start), 2 * self.resolution)
        self._climb(lambda z: np.clip(z, 0.0, 1.0), start, steps)

    def _climb(self, theta: Callable[[Array], Array], at: Array, steps: Array) -> None:
        """Try a step each way in each of the first coordinates; halve them if none helps."""
        here = self.value(theta(at))
        scale = 1.0
        while here is not None and scale >= SMALLEST_STEP and seconds_left(self.deadline):
            moved = False
            for j, sign in ((j, sign) for j in range(len(steps)) for sign in (1.0, -1.0)):
                there = at.copy()
                there[j] += sign * scale * steps[j]
                if np.array_equal(theta(there), theta(at)):
                    continue
                better = here.lower * (1 + SEARCH_TOLERANCE)
                found = self.value(theta(there), better, _active(here))
                if found is not None:
                    at, here, moved = there, found, True
            scale = scale if moved else scale / 2


def _active(found: Least) -> Cuts:
    """The cuts in the proof, and the latest others."""
    heavy = np.argsort(-found.weights, kind="stable")[:KEPT_CUTS]
    return found.cuts.only(heavy)
