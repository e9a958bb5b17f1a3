"""How long averages stay above a rising bar: probabilities with an error bound.

Let S_1, S_2, ... be a random walk with standard normal steps, s_1 < ... < s_m whole numbers and
b_1, ..., b_m >= 0. For a level y let

    G_k(y) = P( S_{s_j} / s_j + b_j >= y  for all j <= k ).

It falls with y and with k, and is log-concave in y, because the set of (S, y) with these
inequalities is convex and the density of S is log-concave (Prekopa).

*One recursion for all levels.* The walk W = S - y s has the drift -y, and survives while
W_{s_j} >= -s_j b_j, whatever y is. The density of W_{s_k} on survival is

    f_k^y(w) = phi((w + y s_k)/r_k)/r_k  g_k(w),   r_k = sqrt(s_k),

where g_k(w), the chance that a walk from 0 to w survived, does not depend on the drift. With
g_1 = 1 and the law of a bridge, v^2 = s_k (s_{k+1} - s_k)/s_{k+1},

    g_{k+1}(x) = integral over u >= -s_k b_k of  g_k(u) phi((u - x s_k/s_{k+1})/v)/v.

*Quadrature.* Integrals go from -s_k b_k to `TOP` r_k, over panels no wider than `WIDTH` times the
smaller of two standard deviations: a, of the last step before s_k (for k = 1: of S_{s_1}), and c,
of the step that follows. The sums are exact integrals of mixtures of Gaussians up to

    truncation   P(W > TOP r) <= Phi(-REACH) for y >= -FAR/r, as TOP = FAR + REACH
    quadrature   on a panel of width w, for a function that is bounded by M inside the ellipse with
                 foci at its ends and sum of half axes rho w/2,
                 (w/2) M C,  C = 2 sum of defects + 2 (W + 2/(4n^2 - 1)) rho^-2n/(1 - 1/rho),
                 by its Chebyshev series: W is the sum of the n weights, a defect what the rule
                 makes of a Chebyshev polynomial of a degree below 2n beside its integral
    rounding     a relative error below `ROUND` in each step: sums of positive terms

On the ellipse a Gaussian density with standard deviation a is at most exp(h^2/(2a^2)) times its
value at the real part, h = (w/4)(rho - 1/rho), and real parts leave the panel by at most
e = (w/4)(rho + 1/rho) - w/2. Summed over panels and integrated over x, a step of the recursion
adds to the L1 distance between computed and true density at most the mass, times

    C exp(h^2/(2a^2) + h^2/(2c^2)) (1 + 2(w + e) phi(0)/a)/2 (1 + (w + 2e) phi(0)/c),

for any y, because a drift only moves the centres of the Gaussians. Errors of earlier steps do not
grow: a step is a contraction in L1. The last integral, G_k itself, lacks the factors with c.

Only + - * / and square roots of doubles are trusted: the exponential is our own, by two tables of
`decimal` and a polynomial.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np

from ..variances import Array
from .case import RefutedError
from .gaussian import cumulative_up, exp_minus_down
from .rational import float_up

FAR, REACH = 6.5, 7.0
TOP = FAR + REACH
NODES = 10
WIDTH = 2.0
RHO = 6.25
# Panels of one integral, and the largest sqrt(s/step): beyond them `ROUND` is not proved.
MOST_PANELS, MOST_RATIO = 200, 100.0
MOST_STAGES = 2_000
# Exponentials in all stages together: 15 to 30 nanoseconds each, so that a check takes about a
# minute. Our schedules need 7e8 at most, at 10^15 rounds and a range of a million sigma.
MOST_EXPONENTIALS = 2_000_000_000
# 2,000 terms, an exponent off by 7e-11 where it is 700 (less where it is less), and nodes that are
# off by as much: below 2^-32 together.
ROUND = 2.0**-32
PHI0 = 0.39894228040143276  # just above 1/sqrt(2 pi)
NORM = 0.3989422804014327
MOST_EXPONENT = 700.0

_PARTS = 64
_BLOCK = 1 << 13  # numbers at a time that stay in the cache: eight times as fast as all at once
_COEFFICIENTS = (1 / 720, -1 / 120, 1 / 24, -1 / 6, 0.5, -1.0, 1.0)


@lru_cache(maxsize=1)
def _table() -> Array:
    """exp(-k/64) for whole k: exp(-n) times exp(-m/64), where k = 64 n + m and m < 64."""
    whole = [float(exp_minus_down(Fraction(n))) for n in range(int(MOST_EXPONENT) + 1)]
    parts = [float(exp_minus_down(Fraction(m, _PARTS))) for m in range(_PARTS)]
    return np.multiply.outer(whole, parts).ravel()


def exp_minus(x: Array) -> Array:
    """exp(-x) for x >= 0 with a relative error below 2^-48; constant beyond `MOST_EXPONENT`."""
    flat = np.ravel(x)
    found = np.empty(len(flat))
    for first in range(0, len(flat), _BLOCK):
        part = slice(first, first + _BLOCK)
        _exp_minus(flat[part], found[part])
    return found.reshape(np.shape(x))


def _exp_minus(x: Array, out: Array) -> None:
    r = np.minimum(x, MOST_EXPONENT) * _PARTS
    k = r.astype(np.int64)
    r -= k
    r /= _PARTS
    out[:] = _COEFFICIENTS[0]
    for coefficient in _COEFFICIENTS[1:]:
        out *= r
        out += coefficient
    out *= _table()[k]


@dataclass(frozen=True, eq=False)
class Rule:
    """Nodes in [-1, 1] and positive weights, and the constant C of the error."""

    nodes: Array
    weights: Array
    off: float


@lru_cache(maxsize=1)
def gauss() -> Rule:
    """The rule of Gauss and Legendre, as floats have it, and its defects, exactly."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    if not ((np.abs(nodes) <= 1).all() and (weights > 0).all()):
        raise RefutedError("this is no quadrature rule")
    exact = [Fraction(float(x)) for x in nodes]
    mass = [Fraction(float(w)) for w in weights]
    before, now = [Fraction(1)] * NODES, exact
    total = sum(mass, Fraction(0))
    defects = abs(total - 2)
    for degree in range(1, 2 * NODES):
        integral = Fraction(0) if degree % 2 else Fraction(2, 1 - degree**2)
        found = sum((w * t for w, t in zip(mass, now, strict=True)), Fraction(0))
        defects += abs(found - integral)
        before, now = now, [2 * x * t - p for x, t, p in zip(exact, now, before, strict=True)]
    rho: Fraction = Fraction(RHO)
    power: Fraction = rho ** (2 * NODES)
    beyond = (total + Fraction(2, 4 * NODES**2 - 1)) / power / (1 - 1 / rho)
    return Rule(nodes, weights, float_up(2 * defects + 2 * beyond))


@dataclass(frozen=True, eq=False)
class Stage:
    """Nodes w at one count, and weights times g: sum of phi((w + y s)/r)/r times these is G."""

    count: float
    nodes: Array
    weighted: Array
    error: float


class Passage:
    """The survival of a walk at given counts, for widths b of the bar."""

    def __init__(self, counts: Sequence[int], widths: Array, levels: int = 0) -> None:
        """For a caller that asks for the survival at so many `levels`."""
        if len(counts) > MOST_STAGES:
            raise RefutedError(f"there are more than {MOST_STAGES} counts")
        self.tail = float_up(cumulative_up(Fraction(REACH) ** 2)[1])
        self.far = float_up(cumulative_up(Fraction(FAR) ** 2)[1])
        self.counts = np.array(counts, dtype=float)
        self.widths = widths
        self.panels = [self._panels(k) for k in range(len(counts))]
        if exponentials(self.panels, levels) > MOST_EXPONENTIALS:
            raise RefutedError("there are too many counts, or too dense ones, for a check")
        self.stages: list[Stage] = []
        error = 0.0
        for k in range(len(counts)):
            made, error = self._stage(k, error)
            self.stages.append(made)

    def _steps(self, k: int) -> tuple[float, float]:
        """Standard deviations of the steps before and after a count."""
        s = self.counts
        before = math.sqrt(s[k] - s[k - 1]) if k else math.sqrt(s[0])
        return before, math.sqrt(s[k + 1] - s[k]) if k + 1 < len(s) else before

    def _ends(self, k: int) -> tuple[float, float]:
        """Where the integral of a stage begins and ends."""
        s = self.counts[k]
        return -s * self.widths[k], TOP * math.sqrt(s)

    def _panels(self, k: int) -> int:
        """The panels of a stage, of which there must not be too many."""
        (low, high), least = self._ends(k), min(self._steps(k))
        panels = math.ceil((high - low) / (WIDTH * least))
        if panels > MOST_PANELS or math.sqrt(self.counts[k]) > MOST_RATIO * least:
            raise RefutedError("the counts are too dense, or the widths too large, for the proof")
        return panels

    def _stage(self, k: int, error: float) -> tuple[Stage, float]:
        """The nodes of a stage, and the L1 error of the density one stage later."""
        s, panels = self.counts, self.panels[k]
        (before, after), (low, high) = self._steps(k), self._ends(k)
        rule, w = gauss(), (high - low) / panels
        nodes = (low + w * (np.arange(panels)[:, None] + (1.0 + rule.nodes) / 2.0)).ravel()
        weights = np.tile(rule.weights * (w / 2.0), panels)
        g = np.ones(len(nodes)) if k == 0 else self._carried(k, nodes)
        mass = 1.0 + error
        last = mass * (_panel_error(w, before) + ROUND) + self.tail
        step = mass * (_panel_error(w, before, after) + ROUND) + self.tail
        return Stage(float(s[k]), nodes, weights * g, error + last), error + step

    def _carried(self, k: int, nodes: Array) -> Array:
        """g at the next nodes, from the stage before."""
        s, old = self.counts, self.stages[-1]
        share = s[k - 1] / s[k]
        v = math.sqrt(share * (s[k] - s[k - 1]))
        d = (nodes[:, None] * share - old.nodes) / v
        return np.asarray((exp_minus(0.5 * d * d) @ old.weighted) * (NORM / v))

    def survival(self, levels: Array) -> tuple[Array, Array]:
        """Numbers not below and not above G_k(y), a row for each count and a column for each y.

        Where y < -FAR/r, the number for the count before bounds G_k from above, and falling below
        the bar at this count costs at most Phi(-FAR).
        """
        above, below = np.ones((2, len(self.stages), len(levels)))
        for k, stage in enumerate(self.stages):
            if k:
                above[k], below[k] = above[k - 1], below[k - 1]
            near = levels * math.sqrt(stage.count) >= -FAR
            found = self._mass(stage, levels[near])
            below[k] -= self.far
            above[k, near] = np.minimum(found + stage.error, above[k, near])
            below[k, near] = found - stage.error
        return above, np.maximum(below, 0.0)

    def final(self, levels: Array) -> tuple[Array, Array]:
        """The last rows of `survival`: only one stage is looked at for each level."""
        above, below = np.ones((2, len(levels)))
        reach = np.sqrt(self.counts)
        last = np.array([int((y * reach >= -FAR).sum()) for y in levels])
        for k in np.unique(last[last > 0]):
            stage, mine = self.stages[k - 1], last == k
            found = self._mass(stage, levels[mine])
            above[mine] = np.minimum(found + stage.error, 1.0)
            below[mine] = found - stage.error
        below -= self.far * (len(self.stages) - last)
        return above, np.maximum(below, 0.0)

    @staticmethod
    def _mass(stage: Stage, levels: Array) -> Array:
        """G at these levels, as the stage has it."""
        r = math.sqrt(stage.count)
        z = (stage.nodes + levels[:, None] * stage.count) / r
        return np.asarray((exp_minus(0.5 * z * z) @ stage.weighted) * (NORM / r))


def exponentials(panels: Sequence[int], levels: int) -> int:
    """How many exponentials stages with these panels need, with the survival at so many levels."""
    nodes = [NODES * n for n in panels]
    carried = sum(n * before for before, n in pairwise(nodes))
    return carried + levels * sum(nodes)


def _panel_error(w: float, before: float, after: float | None = None) -> float:
    """The relative error of a sum over panels of width w, as the module says."""
    h = w / 4.0 * (RHO - 1.0 / RHO)
    e = w / 4.0 * (RHO + 1.0 / RHO) - w / 2.0
    exponent = h * h / (2.0 * before * before)
    spread = (1.0 + 2.0 * (w + e) * PHI0 / before) / 2.0
    if after is not None:
        exponent += h * h / (2.0 * after * after)
        spread *= 1.0 + (w + 2.0 * e) * PHI0 / after
    growth = 1.0 / float(exp_minus(np.array([exponent]))[0])
    return gauss().off * growth * spread * (1.0 + 2.0**-30)
