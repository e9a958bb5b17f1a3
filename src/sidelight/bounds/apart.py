"""A bound on explore-then-commit for any number of actions: every gap by itself.

Let Z be the error of the best action's average (`commitment` has the notation), and lambda >= 0 any
function of Z. The policy chooses one action I, and I = i needs that the average of i is at least
that of the best action. So, given Z = z,

    E d_I  =  sum_i d_i P(I = i)  <=  lambda(z) + sum_i (d_i - lambda(z))+ Phi(-(d_i + z)/s_i),

because the chances sum to one. Hence R is at most

    (T - n) E lambda(Z) + sum_i max_d { n_i d + (T - n) E (d - lambda(Z))+ Phi(-(d + Z)/s_i) }

and each maximum is over one gap alone. With lambda(z) = (level - slope z)+ the bound is 1.2 to 1.45
times the true worst case of 3 to 100 equally known actions; without lambda it would grow like K.

The proof cuts the line of z into cells on which lambda is constant, and [0, D] into cells of gaps;
each factor is taken at the end of its cell that makes it largest. The values of Phi are those of
`gaussian`, and floats are trusted with sums and products, as in `commitment`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..variances import Array
from .case import RefutedError
from .commitment import MOST, SAFE, Exploration, Indices, looked_up
from .gaussian import REACH, table
from .rational import float_up

# Multiples of the lattice's step in the smallest standard deviation, and at most in the reach.
FINENESS, LATTICE = 64, 6000
# Cells in one standard deviation of z, and in one of a difference: fewer for many kinds of actions.
CELLS = (32, 16, 8, 4)
WORK = 4e8
# Gaps that noise does not bridge, in standard deviations of a difference.
BRIDGED = 9
# What the difference of two numbers up to 1 may lack, and more.
OFF = 2.0**-50
UNIT = 64
LEVELS = (-64, 160, 8)  # from, to, step
SLOPES = (0, 48, 64)
# With more kinds of actions than this, one threshold in four is tried.
FEW = 6
assert 2 * math.ceil(REACH) * 2 * CELLS[0] + 100 < MOST  # terms of a sum


@dataclass(frozen=True)
class Threshold:
    """lambda(z) = max(0, level - slope z), z in standard deviations of the best action's average,
    level and slope in parts of `UNIT`. Any two whole numbers are allowed."""

    level: int
    slope: int

    def at(self, z: Array) -> Array:
        """lambda, in the same standard deviations."""
        return np.maximum(0.0, (self.level - self.slope * z) / UNIT)


@dataclass(frozen=True, eq=False)
class Rival:
    """A kind of actions that may be taken for the best one: how many they are, the plays of each,
    upper ends of cells of gaps, and Phi(-(d + z)/s_i) for each of these (rows) and each z."""

    count: int
    plays: float
    tops: Array
    reached: Array


@dataclass(frozen=True, eq=False)
class Led:
    """A kind of best actions: cells of z, their masses, what lies below them, and all rivals."""

    starts: Indices
    masses: Array
    below: float
    rivals: list[Rival]


class Apart:
    """The bound for one plan, by kinds of actions."""

    def __init__(self, plan: Exploration) -> None:
        plan.validate()
        if plan.is_blind:
            raise RefutedError("the plan leaves an action unseen")
        self.plan = plan
        self.kinds = plan.kinds
        self.spreads = [plan.spreads[kind[0]] or Fraction(0) for kind in self.kinds]
        sds = [math.sqrt(v) for v in self.spreads if v] or [float(plan.upper)]
        if not min(sds):
            raise RefutedError("the noise is out of all proportion to the range")
        reach = BRIDGED * math.sqrt(2) * max(sds)
        self.step = Fraction(max(min(sds) / FINENESS, reach / LATTICE))
        each = 4 * BRIDGED**2 * len(self.kinds) ** 2
        self.cells = next((c for c in CELLS if each * c * c <= WORK), CELLS[-1])
        self.upper, self.rest = float_up(plan.upper), float_up(plan.rest)

    def bound(self, best: int, threshold: Threshold) -> float:
        """A number not below R, wherever an action of this kind is best."""
        unit = math.sqrt(self.spreads[best])
        led = _led(self, best)
        scaled = np.asarray(led.starts * (float(self.step) / unit if unit else 0.0), dtype=float)
        levels = np.minimum(unit * threshold.at(scaled), self.upper)
        # Below the first cell lambda is D, and no gap exceeds it.
        total = self.rest * (float(led.masses @ levels) + self.upper * led.below)
        for rival in led.rivals:
            total += rival.count * self._largest(rival, levels, led.masses)
        return float(total * SAFE)

    def led_by(self, best: int) -> Led:
        """What is the same for every threshold."""
        starts, masses, below = self._errors(self.spreads[best])
        counts = [len(kind) - (k == best) for k, kind in enumerate(self.kinds)]
        rivals = [self._rival(best, k, starts, count) for k, count in enumerate(counts) if count]
        return Led(starts, masses, below, rivals)

    def _rival(self, best: int, k: int, starts: Indices, count: int) -> Rival:
        own, pair = self.spreads[k], self.spreads[k] + self.spreads[best]
        plays = float(self.plan.plays[self.kinds[k][0]])
        if not pair:  # both are known: the worst gap is the whole range
            return Rival(count, plays, np.full(1, self.upper), np.zeros((1, len(starts))))
        lows, tops = self._gaps(math.sqrt(pair) / float(self.step))
        beyond = -(lows[:, None] + starts[None, :])
        if own:
            reached = looked_up(table(self.step**2 / own), beyond)
        else:
            reached = (beyond >= 0).astype(float)
        return Rival(count, plays, tops, reached)

    def _errors(self, noise: Fraction) -> tuple[Indices, Array, float]:
        """Lower ends of the cells of z, their masses (the last cell has no end), and what lies
        below all of them: masses that are not too small."""
        if not noise:
            return np.zeros(1, dtype=np.int64), np.ones(1), 0.0
        sd = math.sqrt(noise) / float(self.step)
        stride = max(1, int(sd / self.cells))
        n = math.ceil(float(REACH) * sd / stride)
        starts = np.arange(-n, n + 1) * stride
        ends = table(self.step**2 / noise)
        above, rest = looked_up(ends, starts), looked_up(ends, -starts)
        masses = np.append(above[1:] + rest[:-1] - 1.0, rest[-1]) + OFF
        return starts, masses, float(above[0])

    def _largest(self, rival: Rival, levels: Array, masses: Array) -> float:
        """max over d of n_i d + (T - n) E (d - lambda)+ Phi(-(d + Z)/s_i), rounded up."""
        kept = rival.tops[:, None] - levels
        np.maximum(kept, 0.0, out=kept)
        kept += OFF * self.upper
        kept *= rival.reached
        wrong = (kept @ masses) * SAFE
        return float((rival.plays * rival.tops + self.rest * wrong).max()) * SAFE

    def _gaps(self, sd: float) -> tuple[Indices, Array]:
        """Lower ends of the cells of gaps, as multiples of the step, and upper ends."""
        stride = max(1, int(sd / self.cells))
        lows = np.arange(math.ceil(BRIDGED * sd / stride)) * stride
        lows = lows[[m * self.step < self.plan.upper for m in lows.tolist()]]
        tops = [float_up(min(m * self.step, self.plan.upper)) for m in lows[1:].tolist()]
        return lows, np.array([*tops, self.upper])


@lru_cache(maxsize=1)
def _led(apart: Apart, best: int) -> Led:
    """Remembered: a search asks about many thresholds, one best action after the other."""
    return apart.led_by(best)


def exceeded_apart(plan: Exploration, value: float, thresholds: Sequence[Threshold]) -> str | None:
    """None if the regret is at most `value` whatever the means; otherwise why that is not shown."""
    apart = Apart(plan)
    if len(thresholds) != len(apart.kinds):
        return "there is one threshold for each kind of actions"
    bounds = [apart.bound(k, threshold) for k, threshold in enumerate(thresholds)]
    # Written so that a bound that is not a number counts as too large.
    if all(bound <= value for bound in bounds):
        return None
    return f"the bound for single gaps is {max(bounds):.6g}"


def best_thresholds(plan: Exploration) -> tuple[tuple[Threshold, ...], float]:
    """The best threshold of a grid for each kind of actions, and the bound they give."""
    apart = Apart(plan)
    grid = [Threshold(level, slope) for slope in SLOPES for level in range(*LEVELS)]
    if len(apart.kinds) > FEW:
        grid = grid[::4]
    chosen = []
    for k in range(len(apart.kinds)):
        bounds = [(apart.bound(k, t), t.level, t.slope) for t in grid]
        value, level, slope = min(bounds)
        chosen.append((Threshold(level, slope), value))
    return tuple(t for t, _ in chosen), max(value for _, value in chosen)
