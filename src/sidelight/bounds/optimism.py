"""What an index policy never loses more than, where every action shows itself: the proof.

The policy `index` has counts s_1 < ... < s_m and widths b_1, ..., b_m. The index of action i is

    U_i = min over s_k <= n_i of (average of the first s_k values seen of i) + b_k,

infinite before the first count; n_i is the number of values seen. The policy plays the largest.
Values have one variance, sigma^2, and we take sigma = 1. Let `*` be a best action, T the horizon.

    U* = min over all k of (average of the first s_k values of *) + b_k,    X = mean of * minus U*

The index of `*` is never below U*. So i, with the gap d_i, is not played any more once its index is
below U*. The values of i are independent of X, and the average of i lies below U* where its error
plus b_k lies below d_i - X. With G_k as in `passage`, i is played at most so often, given X:

    H(d_i - X),   H(y) = s_1 + sum_k (s_{k+1} - s_k) G_k(y),   s_{m+1} = T.

A play of i shows i, so that values seen through other actions only make n_i grow faster. Moreover
all plays together are at most T. For any function lambda >= 0 therefore

    R = E sum_i d_i N_i <= T E lambda(X) + sum_i E (d_i - lambda(X))+ H(d_i - X)
                        <= T E lambda(X) + (K - 1) max_d E (d - lambda(X))+ H(d - X),

and P(X <= x) = G_m(-x). We take lambda(x) = level + slope x, cut to [0, D].

*The sums.* X lies in cells (x_j, x_{j+1}] on which lambda is constant; gaps lie in cells [d, d'].
There (d' - lambda)+ H(d - x_{j+1}) is an upper bound, because H falls. Its expectation, summed by
parts, is a sum of values of the distribution function of X, each times a number: where that is
positive, the larger end of its bracket counts, otherwise the smaller one. Between two levels
y_j < y of the table of H, log-concavity gives G(y) <= G(y_j) r^t <= G(y_j) (1 - t (1 - r)), where
r = G(y_j)/G(y_{j-1}) and t <= 1 is the part of the last step that y lies further on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..variances import Array
from .passage import Passage

# The lattice is in units of sqrt(K/T), at which gaps begin to tell.
NEAR = 8.0
LEVEL_STEP, CELL_STEP, GAP_STEP = 0.04, 0.005, 0.005
LEVEL_RATIO, CELL_RATIO, GAP_RATIO = 1.03, 1.01, 1.01
UNIT = 64  # level and slope of lambda are whole multiples of a 64th
SAFE = 1.0 + 2.0**-38  # more than all the roundings of a sum of 6,000 terms
TINY = 2.0**-48
ROWS = 8  # gaps at a time: their numbers stay in the cache, which is twice as fast as 128

Rows = tuple[Array, Array]

# The search for lambda: steps in which level and slope are changed.
STEPS = (32, 16, 8, 4, 2, 1)


@dataclass(frozen=True)
class Threshold:
    """lambda(x) = level + slope x; level in 64ths of sqrt(K/T), slope in 64ths."""

    level: int
    slope: int


class Optimism:
    """Tables for one policy, in units in which sigma = 1, and the bound."""

    def __init__(
        self, actions: int, upper: float, horizon: float, counts: Sequence[int], widths: Array
    ) -> None:
        self.K, self.D, self.T = actions, upper, horizon
        self.unit = math.sqrt(actions / horizon)
        self.levels = self._lattice(upper + NEAR * self.unit, LEVEL_STEP, LEVEL_RATIO)
        self.passage = Passage(counts, widths, len(self.levels))
        self._plays()
        reach = self._lattice(upper, CELL_STEP, CELL_RATIO)
        self.cells = reach[reach >= -NEAR * self.unit]
        self.above, self.below = self.passage.final(-self.cells)
        self.gaps = self._gaps()

    def _lattice(self, most: float, step: float, ratio: float) -> Array:
        """Numbers from -most to most: close to each other near 0, then further apart."""
        near = min(NEAR * self.unit, most)
        found = [np.arange(0.0, near, step * self.unit)]
        if near < most:
            found.append(near * ratio ** np.arange(math.ceil(math.log(most / near, ratio))))
        positive = np.unique(np.minimum(np.append(np.concatenate(found), most), most))
        return np.concatenate([-positive[:0:-1], positive])

    def _gaps(self) -> Array:
        lattice = self._lattice(self.D, GAP_STEP, GAP_RATIO)
        return lattice[lattice >= 0]

    def _plays(self) -> None:
        """H at the levels, rounded up, and how much it falls in one more step of the lattice."""
        above, below = self.passage.survival(self.levels)
        s = self.passage.counts
        steps = np.append(np.diff(s), max(self.T - s[-1], 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = above[:, 1:] / below[:, :-1]
        ratio = np.where(below[:, :-1] > 0, np.minimum(ratio * SAFE, 1.0), 1.0)
        falls = np.concatenate([np.zeros((len(s), 1)), above[:, 1:] * (1.0 - ratio)], axis=1)
        self.most = np.minimum((s[0] + steps @ above) * SAFE, self.T * SAFE)
        self.falls = (steps @ falls) / SAFE
        self.last_step = np.append(np.inf, np.diff(self.levels))

    def plays(self, levels: Array) -> Array:
        """Numbers not below H."""
        levels = levels - np.abs(levels) * TINY  # a difference that may have been rounded up
        at = np.searchsorted(self.levels, levels, side="right") - 1
        inside = np.maximum(at, 0)
        t = (levels - self.levels[inside]) / self.last_step[inside] / SAFE
        found = self.most[inside] - np.clip(t, 0.0, 1.0) * self.falls[inside]
        found = np.maximum(found, 0.0) + self.most[inside] * TINY
        return np.where(at < 0, self.T, found * SAFE)

    def bound(self, threshold: Threshold, rows: Iterable[Rows] | None = None) -> float:
        """A number not below the regret, for gaps in the cells of `rows`; in all, if None."""
        lambdas = self._lambdas(threshold)
        lost = self.T * self._expected(np.append(lambdas, self.D)[None, :])[0]
        worst = 0.0
        for tops, most in self.rows(self.gaps) if rows is None else rows:
            kept = np.maximum(tops[:, None] - lambdas, 0.0) * SAFE
            whole = np.zeros((len(tops), len(lambdas) + 1))
            np.multiply(kept, most, out=whole[:, :-1])
            worst = max(worst, float(self._expected(whole).max()))
        return float((lost + (self.K - 1) * worst) * SAFE)

    def rows(self, gaps: Array) -> Iterator[Rows]:
        """For the cells between these gaps, a few at a time: upper ends, and numbers not below H
        for each cell of X. No threshold changes them."""
        for first in range(0, len(gaps) - 1, ROWS):
            tops = gaps[first + 1 : first + 1 + ROWS]
            lows = gaps[first : first + len(tops)]
            yield tops, self.plays(lows[:, None] - self.cells)

    def _lambdas(self, threshold: Threshold) -> Array:
        """lambda on the cells that end at the points of the lattice."""
        level, slope = threshold.level / UNIT * self.unit, threshold.slope / UNIT
        return np.clip(level + slope * self.cells, 0.0, self.D)

    def _expected(self, values: Array) -> Array:
        """Numbers not below the expectation of a function of X with these values on the cells, the
        last of which begins at D: sums by parts."""
        falls = values[:, :-1] - values[:, 1:]
        spare = np.abs(values).max(axis=1) * 2.0**-36
        up = np.maximum(falls, 0.0) @ self.above
        down = np.maximum(-falls, 0.0) @ self.below
        return np.asarray(values[:, -1] + up * SAFE - down / SAFE + spare)


def best_threshold(optimism: Optimism) -> Threshold:
    """Level and slope that are improved one after the other, on few gaps; any would be valid."""
    few = optimism.gaps[:: max(1, len(optimism.gaps) // 200)]
    few = np.append(few, optimism.D) if few[-1] < optimism.D else few
    best = Threshold(0, 0) if optimism.K == 2 else Threshold(-UNIT // 2, UNIT)
    rows = list(optimism.rows(few))
    value = optimism.bound(best, rows)
    for step in STEPS:
        for _ in range(4):
            before = value
            for level, slope in ((step, 0), (-step, 0), (0, step), (0, -step)):
                tried = Threshold(best.level + level, best.slope + slope)
                new = optimism.bound(tried, rows)
                if new < value * (1 - 1e-9):
                    best, value = tried, new
            if value == before:
                break
    return best
