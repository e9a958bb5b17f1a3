"""Search for the pairs of problems that prove most (`exact_pairs`), in units of the range.

The base has a leader; rivals lie below it by a gap, and outsiders have the mean 0, where seeing
through them costs most. Each alternative raises one rival and lowers the leader: by how much in
all is its swing, and the fall is a part of it. (With a part of 1 only the leader moves: so it is
where a rival shows itself to all, and the leader does not.) Rivals that play the same part in the
structure have the same gap, swing and fall. The price of an action is split among the alternatives
in proportion to what it shows of their rivals, or goes to its own alternative if the action is a
rival itself: both are tried where they differ.

For each choice of leader and outsiders the swings are scanned, and the best choices are improved
one number at a time, by steps that shrink. The search runs in floats, and rounds what it compares
to nine digits; `arranged` makes the same pairs in exact numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from ..programs import Effort
from ..variances import Array
from .kinds import alike
from .pairing import MOST_DUELS
from .subsolution import Duel, guess, mesh

COARSE = (100, 24)
# The swing, as a part of the range, is scanned downwards from 1 by this factor.
SCAN, SCANNED = 0.6, 26
# Parts of the swing that are the fall, and the gap, at the start.
STARTS = ((0.23, 0.385), (1.0, 0.5))
# gap/swing, fall/swing, the logarithm of the swing, the logarithm of the weight, of each kind of
# rivals; at last the weight of the base. First steps, each halved a few times.
STEPS = (0.12, 0.12, 0.35, 0.4)
STEP_BASE = 0.12
HALVINGS, SWEEPS = 6, 12
KEPT = 3
# Parameters are decimals of so many digits, so that last bits decide nothing.
DIGITS = 6
MOST_KINDS = 4
MOST_SHAPES = 40
# Up to this many actions every pair of actions, with all others far below, is tried.
MANY_ACTIONS = 6
# Steps of work (`programs.effort`): of one set of pairs, and of each of its control problems.
STEPS_OF_PAIRS, STEPS_OF_DUEL = 500, 500

Number = TypeVar("Number", float, Fraction)


@dataclass(frozen=True)
class Shape:
    """Who leads, and which actions are rivals, by kinds; the rest are outsiders.

    With `own`, the price of a rival goes to its own alternative, whatever else the rival shows.
    """

    leader: int
    rivals: tuple[tuple[int, ...], ...]
    own: bool = False

    @property
    def challengers(self) -> list[int]:
        """All rivals."""
        return [i for kind in self.rivals for i in kind]


@dataclass(frozen=True, eq=False)
class Ground:
    """The structure in units of the range: exact variances, None where nothing is seen."""

    variance: tuple[tuple[Fraction | None, ...], ...]
    horizon: Fraction

    @cached_property
    def exact(self) -> frozenset[int]:
        """Actions that somebody sees without noise: their means cannot be mistaken."""
        return frozenset(i for row in self.variance for i, v in enumerate(row) if v == 0)

    @cached_property
    def precision(self) -> Array:
        """1/variance in floats; 0 where nothing is seen, and for exact observations."""
        rows = [[1 / v if v else Fraction(0) for v in row] for row in self.variance]
        return np.array([[_as_float(p) for p in row] for row in rows])

    def parts(self, shape: Shape, number: Callable[[float], Number]) -> list[list[Number]]:
        """How much of the price of each action (rows) goes to each of the rivals (columns)."""
        rivals = shape.challengers
        rows = []
        for played, line in enumerate(self.variance):
            shown = [1 / v if (v := line[i]) else Fraction(0) for i in rivals]
            if shape.own and played in rivals:
                shown = [Fraction(played == i) for i in rivals]
            total = sum(shown, Fraction(0))
            shares = [p / total if total else Fraction(1, len(rivals)) for p in shown]
            exact = number is not float
            rows.append([share if exact else float(share) for share in shares])
        return rows  # type: ignore[return-value]


@dataclass(frozen=True)
class Pair(Generic[Number]):
    """One alternative: its means, its weight, and its part of the price of each action."""

    means: list[Number]
    weight: Number
    prices: list[Number]


def short(x: float) -> Fraction:
    """A number of the search as a decimal of few digits."""
    return Fraction(f"{x:.{DIGITS}g}")


def arranged(
    ground: Ground,
    shape: Shape,
    numbers: Sequence[float],
    parts: list[list[Number]],
    number: Callable[[float], Number],
) -> tuple[list[Number], list[Pair[Number]]]:
    """The means of the base, and the alternatives, from the numbers of the search."""
    zero: Number = number(0.0)
    one: Number = number(1.0)
    base_weight = number(min(max(numbers[-1], 0.02), 0.98))
    gaps: dict[int, Number] = {}
    rises: dict[int, Number] = {}
    falls: dict[int, Number] = {}
    shares: dict[int, Number] = {}
    for p, kind in enumerate(shape.rivals):
        part, down, log_swing, share = numbers[4 * p : 4 * p + 4]
        swing = number(math.exp(min(log_swing, math.log(2.0))))
        lowered = number(0.0 if shape.leader in ground.exact else min(max(down, 0.0), 1.0))
        for i in kind:
            gaps[i] = swing * number(min(max(part, 0.0), 0.99))
            rises[i], falls[i] = swing * (one - lowered), swing * lowered
            shares[i] = number(math.exp(share))
    top: Number = one
    for i, rise in rises.items():
        top = max(zero, min(top, one + gaps[i] - rise))
    means = [zero] * len(ground.variance)
    means[shape.leader] = top
    for i, gap in gaps.items():
        means[i] = max(top - gap, zero)
    whole = sum(shares.values(), zero)
    pairs = []
    for column, (i, rise) in enumerate(rises.items()):
        moved = list(means)
        moved[i] = min(means[i] + rise, one)
        moved[shape.leader] = max(top - falls[i], zero)
        prices = [
            base_weight * (top - mean) * row[column] for mean, row in zip(means, parts, strict=True)
        ]
        pairs.append(Pair(moved, (one - base_weight) * shares[i] / whole, prices))
    return means, pairs


def hardest_pairs(ground: Ground, effort: Effort) -> tuple[Shape, tuple[float, ...]] | None:
    """The best shape and its numbers; None where nothing is worth anything."""
    starts = []
    for shape in _shapes(ground):
        if effort.is_over():
            break
        search = _Search(ground, shape, effort)
        scan = [_start(shape, SCAN**k, *first) for first in STARTS for k in range(SCANNED)]
        worths = [search.worth(numbers) for numbers in scan]
        k = int(np.argmax(worths))
        starts.append((worths[k], search, scan[k]))
    starts.sort(key=lambda start: -start[0])
    climbed = [search.improved(worth, numbers) for worth, search, numbers in starts[:KEPT]]
    ends = [(end, start[1].shape) for end, start in zip(climbed, starts, strict=False)]
    (worth, numbers), shape = max(
        ends, key=lambda end: end[0][0], default=((0.0, ()), Shape(0, ()))
    )
    return (shape, numbers) if worth > 0 else None


class _Search:
    """One shape, and what its numbers would prove, roughly."""

    def __init__(self, ground: Ground, shape: Shape, effort: Effort) -> None:
        self.ground, self.shape, self.effort = ground, shape, effort
        self.parts = ground.parts(shape, float)

    def worth(self, numbers: Sequence[float]) -> float:
        """What the pairs would prove."""
        means, pairs = arranged(self.ground, self.shape, numbers, self.parts, float)
        base, P = np.array(means), self.ground.precision
        duels: Counter[Duel] = Counter()
        for pair in pairs:
            told = P @ np.square(base - pair.means) / 2
            best = max(pair.means)
            rows = sorted(
                (nine(price), nine(pair.weight * (best - mean)), nine(information))
                for price, mean, information in zip(pair.prices, pair.means, told, strict=True)
            )
            price, stake, information = zip(*rows, strict=True)
            duels[Duel(price, stake, information)] += 1
        self.effort.spend(STEPS_OF_PAIRS + STEPS_OF_DUEL * len(duels))
        on, T = mesh(*COARSE), _as_float(self.ground.horizon)
        total = sum(times * guess(on, T, duel) for duel, times in duels.items())
        return nine(total) if math.isfinite(total) else 0.0

    def improved(self, worth: float, numbers: tuple[float, ...]) -> tuple[float, tuple[float, ...]]:
        """Change one number at a time, as long as that helps, by steps that are halved."""
        steps = (*STEPS * len(self.shape.rivals), STEP_BASE)
        for halving in range(HALVINGS):
            for _ in range(SWEEPS):
                before = worth
                if self.effort.is_over():
                    return worth, numbers
                for place, step in enumerate(steps):
                    for sign in (1, -1):
                        tried = list(numbers)
                        tried[place] = round(tried[place] + sign * step / 2**halving, DIGITS)
                        new = self.worth(tried)
                        if new > worth:
                            worth, numbers = new, tuple(tried)
                            break
                if worth == before:
                    break
        return worth, numbers


def _start(shape: Shape, swing: float, fall: float, gap: float) -> tuple[float, ...]:
    return (*(gap, fall, math.log(swing), 0.0) * len(shape.rivals), 0.4)


def nine(x: float) -> float:
    """Nine digits, so that last bits decide nothing."""
    return float(f"{x:.9g}")


def _as_float(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf


# ---- leaders, rivals, outsiders ------------------------------------------------------------------


def _shapes(ground: Ground) -> list[Shape]:
    """Leaders and rivals to try: see `_sets` for the actions that are either."""
    kinds = alike(ground.precision)
    found: list[Shape] = []
    for chosen in _sets(ground, kinds):
        representatives = [next((i for i in kind if i in chosen), None) for kind in kinds]
        leaders = sorted(chosen) if len(chosen) == 2 else representatives
        for leader in leaders:
            rivals = [[i for i in k if i != leader and i in chosen - ground.exact] for k in kinds]
            parts = tuple(tuple(part) for part in rivals if part)
            if leader is None or not parts or sum(map(len, parts)) > MOST_DUELS:
                continue
            merged = tuple(i for part in parts for i in part)
            # Many kinds share their numbers.
            chosen_parts = parts if len(parts) <= MOST_KINDS else (merged,)
            found.append(Shape(leader, chosen_parts, own=True))
            if _differ(ground, merged):
                found.append(Shape(leader, chosen_parts))
    return list(dict.fromkeys(found))[:MOST_SHAPES]


def _sets(ground: Ground, kinds: list[list[int]]) -> list[frozenset[int]]:
    """All actions; all but a kind; one kind; sets whose members do not show each other; pairs."""
    everything = frozenset(i for kind in kinds for i in kind)
    firsts = [kind[0] for kind in kinds]
    sets = [everything]
    if len(kinds) > 1:
        sets += [everything - frozenset(kind) for kind in kinds]
        sets += [frozenset(kind) for kind in kinds]
    shown = ground.precision > 0
    for first in firsts:
        for second in sorted(everything - {first}):
            hidden = [first]
            for i in (second, *sorted(everything - {second})):
                if not shown[np.ix_([*hidden, i], [*hidden, i])].any():
                    hidden.append(i)
            sets.append(frozenset(hidden))
    if len(everything) <= MANY_ACTIONS:
        sets += [frozenset((first, i)) for first in firsts for i in sorted(everything - {first})]
    return [chosen for chosen in dict.fromkeys(sets) if len(chosen) > 1]


def _differ(ground: Ground, rivals: Sequence[int]) -> bool:
    """Whether some rival shows another one: then its price may be split in two ways."""
    return any(ground.precision[a, i] > 0 for a in rivals for i in rivals if a != i)
