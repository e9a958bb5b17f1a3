"""The worst case of a policy, as far as a search finds it: means at which it loses most.

Where a policy is worst is not known in general. Lower bounds show where to look first:

    proof      the base and the alternatives of `bounds.exact_pairs`: on some of these means every
               policy loses at least what the bound says, up to what the search rounds
    one leads  an action at the upper end of the range, or slightly below, and all others the same
               gap below it
    the rest   one action leads, rivals lie a gap below it, outsiders at the bottom of the range;
               rivals are all others, or all of one kind, or one of each kind; the leader stands at
               the top of the range, in its middle, or as low as the gap allows

The first and the last action of every kind lead. Gaps lie on a grid around the one that the horizon
cannot resolve, B(T)/T, and reach up to the whole range (corners) and down to almost nothing (ties).
All these means are raced with few runs; the better half again with twice as many, and so on. Then
the best are changed: one mean at a time, all gaps together, the level of all means. At last the
best before and after the changes, and the worst means of the proof, are raced in runs that decided
nothing so far: of many means raced with few runs, the first is often a lucky one.

A budget counts runs, each of T rounds, and no clock is looked at. Every race has the same luck (the
same seed and replicates), so that the same call gives the same means on any machine, with any
number of threads. The mean that was selected for being large would be too large: the `value` is
that of fresh runs, in which the search had no part. It is an estimate from below of the worst case,
up to its `error`: there may be worse means that the search did not find.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .bounds.exact_pairs import exact_pairs
from .bounds.kinds import alike
from .bounds.pairing import PairsProof
from .curves import minimax_rate
from .errors import InputError
from .feedback import Feedback
from .labels import display
from .notebook import silent
from .problem import Problem
from .setting import Given, resolved, whole
from .simulate.simulate import name_of, policy_of, simulate
from .simulate.statistics import short
from .variances import Array

RUNS = 5000
LEAST_RUNS = 200
# Parts of the budget: for the first races, for changes, and for the last race; the rest is for the
# fresh runs.
FIRST_SHARE, CHANGE_SHARE, LAST_SHARE = 0.45, 0.22, 0.13
# Gaps, in units of B(T)/T; parts of the range come on top.
GAPS = (0.25, 0.7, 1.4, 2.8, 5.6, 11.0)
PARTS = (0.1, 0.3, 1.0)
FIRST_RUNS = 6
BELOW = 0.95  # slightly below the upper end
KEPT = 3  # that are changed
FACTORS = (1.4, 1 / 1.4)
SHIFTS = (0.5, -0.5)
HALVINGS = 3
MOST_KINDS = 8
LAST, FRESH = 5 * 10**5, 10**6  # the first replicates of the last race, and of the fresh runs
DIGITS = 6


@dataclass(frozen=True, eq=False)
class WorstCase:
    """The means at which a policy was found to lose most, and what it loses there.

    `value` is the mean regret of `fresh` runs that the search did not see, and `error` its standard
    error. `runs` counts all runs; `tried` the different means.
    """

    policy: str
    value: float
    error: float
    means: Array
    horizon: int
    seed: int
    runs: int
    fresh: int
    tried: int

    def __repr__(self) -> str:
        return f"<WorstCase of {self.policy!r}: {self.value:.6g} in {self.horizon:,} rounds>"

    def __str__(self) -> str:
        means = ", ".join(f"{mean:.4g}" for mean in self.means)
        return (
            f"{display(self.policy)} loses {short(self.value)} ± {short(self.error)} in "
            f"{self.horizon:,} rounds at means ({means}), the worst of {self.tried} that were tried"
        )


def worst_case(
    policy: str | object,
    feedback: Given,
    upper: float | None = None,
    horizon: float | None = None,
    seed: int = 0,
    runs: int = RUNS,
) -> WorstCase:
    """Search for the means in [0, upper] at which a policy loses most in so many rounds.

    `runs` is the budget, counted in runs of the policy; the same call gives the same answer on any
    machine. A `Setting` may say the range and the horizon.
    """
    known, D, T = resolved(feedback, upper, horizon, "worst_case")
    if len(known) == 1:
        raise InputError("with one action there is nothing to lose: worst_case needs two or more")
    budget = whole("runs", runs, LEAST_RUNS, None)
    rounds = whole("horizon", T, 1, None)
    search = _Search(policy_of(policy), known, float(D), rounds, whole("seed", seed, 0, None))
    proof = _proved_hard(known, float(D), rounds)
    others = [point for point in _first(known, float(D), rounds) if point not in proof]
    first = search.screened([*proof, *others], int(FIRST_SHARE * budget))
    best = search.changed(first[:KEPT], int(CHANGE_SHARE * budget))
    last = [best, *first[: KEPT - 1], *[point for point in first if point in proof][:1]]
    best = search.decided(list(dict.fromkeys(last)), int(LAST_SHARE * budget))
    fresh = max(2, budget - search.runs)
    regrets = search.regrets(best, fresh, FRESH)
    means = np.array(best)
    means.setflags(write=False)
    return WorstCase(
        policy=name_of(search.policy),
        value=float(regrets.mean()),
        error=float(regrets.std(ddof=1) / math.sqrt(fresh)),
        means=means,
        horizon=rounds,
        seed=search.seed,
        runs=search.runs,
        fresh=fresh,
        tried=len(search.means),
    )


Point = tuple[float, ...]


class _Search:
    """Races of one policy at different means, under the same luck."""

    def __init__(
        self, policy: Any, feedback: Feedback, upper: float, horizon: int, seed: int
    ) -> None:
        self.policy, self.feedback, self.upper = policy, feedback, upper
        self.horizon, self.seed = horizon, seed
        self.runs = 0
        self.means: dict[Point, list[float]] = {}

    def regrets(self, point: Point, count: int, first: int) -> Array:
        """The final regret of so many runs, numbered from `first` on."""
        self.runs += count
        problem = Problem(self.feedback, point, self.upper)
        played = simulate(
            problem,
            self.policy,
            self.horizon,
            count,
            seed=self.seed,
            first=first,
            checkpoints=[self.horizon],
            progress=silent,
        )
        return np.asarray(played.final[0])

    def mean(self, point: Point, count: int) -> float:
        """The mean regret of the first so many runs; those that were played are remembered."""
        known = self.means.setdefault(point, [])
        if len(known) < count:
            known += self.regrets(point, count - len(known), len(known)).tolist()
        # Nine digits, so that last bits decide nothing.
        return float(f"{math.fsum(known[:count]) / count:.9g}")

    def screened(self, points: list[Point], budget: int) -> list[Point]:
        """The points in the order of their means, the best half always with twice as many runs."""
        end = self.runs + budget
        left = points[: max(1, budget // (2 * FIRST_RUNS))]
        count = max(FIRST_RUNS, budget // (2 * len(left)))
        behind: list[Point] = []
        while True:
            left = sorted(left, key=lambda point: -self.mean(point, count))
            half = max(KEPT, len(left) // 2)
            if half >= len(left) or self.runs + count * half > end:
                return left + behind
            left, behind, count = left[:half], left[half:] + behind, 2 * count

    def changed(self, points: Sequence[Point], budget: int) -> Point:
        """The best of these points and of their neighbours."""
        end = self.runs + budget
        # Each halving tries about 2 K + 4 neighbours of the best point.
        tries = HALVINGS * (2 * len(self.feedback) + 4) + len(points)
        count = max(2 * FIRST_RUNS, budget // tries)
        best = max(points, key=lambda point: self.mean(point, count))
        for halving in range(HALVINGS):
            for _ in range(2):
                before = best
                for near in self._neighbours(best, halving):
                    if self.runs + count > end:
                        return best
                    if self.mean(near, count) > self.mean(best, count):
                        best = near
                if best == before:
                    break
        return best

    def decided(self, points: Sequence[Point], budget: int) -> Point:
        """The point that loses most in runs that had no part in finding any of them."""
        count = max(2, budget // len(points))
        means = [math.fsum(self.regrets(point, count, LAST).tolist()) for point in points]
        return points[int(np.argmax([float(f"{mean:.9g}") for mean in means]))]

    def _neighbours(self, point: Point, halving: int) -> Iterator[Point]:
        """All gaps together, the level of all means, then each mean by a part of the least gap."""
        theta, D = np.array(point), self.upper
        top = theta.max()
        gaps = top - theta
        scale = 0.5**halving
        for factor in FACTORS:
            yield _point(top - gaps * factor**scale, D)
        least = float(gaps[gaps > 0].min()) if (gaps > 0).any() else 0.1 * D
        for shift in SHIFTS:
            yield _point(theta + shift * scale * least, D)
        for i in range(len(theta)):
            for shift in SHIFTS:
                moved = theta.copy()
                moved[i] += shift * scale * max(least, gaps[i])
                yield _point(moved, D)


def _proved_hard(feedback: Feedback, upper: float, horizon: int) -> list[Point]:
    """The base and the alternatives of a proof: every policy loses on some of these means."""
    proof = exact_pairs(feedback, upper, horizon).certificate
    assert isinstance(proof, PairsProof)
    means = [proof.case.means, *(a.means for a in proof.alternatives)] if proof.value else []
    return list(dict.fromkeys(_point(np.array(theta, dtype=float), upper) for theta in means))


def _first(feedback: Feedback, upper: float, horizon: int) -> Iterator[Point]:
    """Leaders, rivals and outsiders: corners first, then the gaps that are most often worst."""
    unit = minimax_rate(feedback, upper)(horizon) / horizon
    sizes = [*(min(g * unit, upper) for g in GAPS), *(part * upper for part in PARTS)]
    gaps = {float(f"{gap:.{DIGITS}g}") for gap in sizes}
    order = sorted(gaps, key=lambda gap: (gap != upper, abs(math.log(gap / unit / 2.0))))
    kinds = alike(feedback.precision)[:MOST_KINDS]
    leaders = list(dict.fromkeys(i for kind in kinds for i in (kind[0], kind[-1])))
    K = len(feedback)
    everybody = {i: [j for j in range(K) if j != i] for i in leaders}
    one_leads = [
        [_placed(K, i, everybody[i], (top, gap), upper) for gap in order for i in leaders]
        for top in (upper, BELOW * upper)
    ]
    at_the_end, elsewhere = (
        [
            _placed(K, kind[0], rivals, (top, gap), upper)
            for gap in order
            for kind in kinds
            for rivals in _rivals(K, kinds, kind[0])
            for top in tops(gap)
        ]
        for tops in (lambda _: (upper,), lambda gap: ((upper + gap) / 2, gap))
    )
    yield from dict.fromkeys((*one_leads[0], *at_the_end, *one_leads[1], *elsewhere))


def _placed(
    actions: int, leader: int, rivals: Sequence[int], place: tuple[float, float], upper: float
) -> Point:
    """The leader at a level, rivals a gap below it, the others at 0: `place` is level and gap."""
    top, gap = place
    theta = np.zeros(actions)
    theta[list(rivals)] = top - gap
    theta[leader] = top
    return _point(theta, upper)


def _rivals(actions: int, kinds: Sequence[Sequence[int]], leader: int) -> Iterator[list[int]]:
    """All others; all of one kind; one of each kind."""
    yield [i for i in range(actions) if i != leader]
    for kind in kinds:
        rivals = [i for i in kind if i != leader]
        if len(rivals) > 1:
            yield rivals
        if rivals and actions > 2:
            yield rivals[:1]


def _point(theta: Array, upper: float) -> Point:
    return tuple(float(f"{x:.{DIGITS}g}") for x in np.clip(theta, 0.0, upper))
