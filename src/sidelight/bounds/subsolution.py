"""What it costs to play against one alternative: a control problem in one variable, from below.

Let X be the likelihood ratio of an alternative to the base, a martingale with X = 1 at the start.
While action a is played it moves with the rate I_a, the information in one play, and a unit of time
costs price_a + stake_a X. The least expected cost W(t, X) of the rest of the T rounds satisfies

    W_t + min_a [ price_a + stake_a x + I_a x^2 W_xx ] = 0,     W(T, x) = 0 .

Time runs continuously here: a policy in rounds is one that changes its action at whole times only,
and E X is constant within a round, so its cost is at least W(0, 1).

Any V with V(T, .) = 0 and V_t + price_a + stake_a x + I_a x^2 V_xx >= -(d(t) + e(t) x) everywhere
and for all a proves W(0, 1) >= V(0, 1) - integral of d + e: by Ito's formula, because the mean of X
is 1 at all times. Where V comes from does not matter, nor how what is lacking is divided between d
and e. Here a solution by finite differences gives -V_xx >= 0 at nodes; V is made from these numbers
again, exactly:

    linear in t between the times of a mesh;   V_xx linear in x between nodes, 0 outside;
    V(t, 0) = 0;   V_x = 0 beyond the last node.

So on each cell of x, at both ends of a slab of time (in between all is linear in t), the left side
is a cubic for each action, and not below the smallest of its four Bernstein coefficients. `proved`
computes these with +, -, *, / of floats: all parts are sums of at most MOST positive terms, and
`ROUNDING` times the sum of all absolute values makes up for what rounding may do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..variances import Array

REACH = 7.5  # the mesh covers likelihood ratios up to about exp(REACH)
MOST = 4000
ROUNDING = 2.0**-39  # more than MOST roundings of 2^-53, twice
# Improvements of the actions: in most steps of time a few are enough; where the place at which the
# best action changes has far to go, it moves a node at a time, so that all steps share a reserve.
ITERATIONS, RESERVE = 25, 3000
SLOPES = 16  # values of e that are tried for each slab of time


@dataclass(frozen=True)
class Duel:
    """For each action the price of a unit of time, what it costs per X, and its information."""

    price: tuple[float, ...]
    stake: tuple[float, ...]
    information: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Nodes of x, of which one is 1, and times to go as parts of the whole, from 0 to 1."""

    x: Array
    start: int
    times: Array

    @property
    def widths(self) -> Array:
        """Widths of the cells of x."""
        return np.diff(self.x)


@lru_cache(maxsize=8)
def mesh(cells: int, slabs: int, low: float = REACH) -> Mesh:
    """A mesh that is even in log x, from exp(-low) on, and finer where little time is left.

    On one problem a policy stops looking at a ratio of about one over the horizon: `low` must reach
    there.
    """
    half = round(cells * low / (low + REACH))
    x = np.exp(np.linspace(-low, low * (cells - half) / half, cells + 1))
    x[half] = 1.0
    growth = 6.0 / slabs
    times = [0.0, 1e-3]
    while times[-1] < 1.0:
        times.append(min(1.0, times[-1] + min(1.0 / slabs, growth * times[-1])))
    return Mesh(x, half, np.array(times))


def curvatures(on: Mesh, T: float, duel: Duel) -> Array:
    """-V_xx at the times (rows) and nodes of the mesh, by implicit steps of finite differences."""
    from ..programs import duels  # noqa: PLC0415 - numba takes half a second to import

    limits = (ITERATIONS, RESERVE)
    return np.asarray(duels.curvatures(on.x, on.times, float(T), _row(duel), limits))


def estimate(on: Mesh, T: float, duel: Duel) -> float:
    """V(0, 1) without its proof, to search with."""
    _, values = _integrated(on, curvatures(on, T, duel)[-1:])
    return float(values[0, on.start])


def guess(on: Mesh, T: float, duel: Duel) -> float:
    """The same with fewer improvements: for searches, which ask a thousand times."""
    from ..programs.duels import least_cost  # noqa: PLC0415 - numba takes half a second to import

    return float(least_cost(on.x, on.times, float(T), _row(duel), on.start))


def _row(duel: Duel) -> tuple[Array, Array, Array]:
    return np.array(duel.price), np.array(duel.stake), np.array(duel.information)


def _integrated(on: Mesh, bends: Array) -> tuple[Array, Array]:
    """V_x and V at the nodes: every number is a sum of products that are not negative."""
    d = on.widths
    pieces = (bends[:, :-1] + bends[:, 1:]) * (d / 2)
    slopes = np.zeros_like(bends)
    slopes[:, :-1] = np.cumsum(pieces[:, ::-1], axis=1)[:, ::-1]
    rises = d * slopes[:, 1:] + d**2 * (bends[:, :-1] / 6 + bends[:, 1:] / 3)
    values = np.zeros_like(bends)
    values[:, 0] = slopes[:, 0] * on.x[0]
    values[:, 1:] = values[:, :1] + np.cumsum(rises, axis=1)
    return slopes, values


def proved(on: Mesh, T: float, duel: Duel, bends: Array) -> float:
    """A number not above W(0, 1), whatever the `bends` are: T rounds, or a little fewer."""
    good = bends.shape == (len(on.times), len(on.x)) and len(on.x) + len(on.times) < MOST
    if not good or not (bends >= 0).all() or bends[0].any() or bends[:, [0, -1]].any():
        return 0.0  # V is not 0 at the end, or not linear outside: nothing is proved
    numbers = np.array([duel.price, duel.stake, duel.information])
    if not (np.isfinite(bends).all() and np.isfinite(numbers).all() and (numbers >= 0).all()):
        return 0.0
    # Numbers out of all proportion become inf or NaN here, in silence, and then prove nothing.
    with np.errstate(all="ignore"):
        worth = _worth(on, T, duel, bends)
    return worth if math.isfinite(worth) else 0.0


def _worth(on: Mesh, T: float, duel: Duel, bends: Array) -> float:
    """V(0, 1) less what is lacking, rounded down; inf or NaN where floats do not reach."""
    lengths = np.diff(on.times * (T * (1 - ROUNDING)))
    slopes, values = _integrated(on, bends)
    d, x = on.widths, on.x
    third = d * slopes[:, :-1] / 3
    heights = np.stack(
        [
            values[:, :-1],
            values[:, :-1] + third,
            values[:, 1:] - d * slopes[:, 1:] / 3,
            values[:, 1:],
        ]
    )
    lost = 0.0
    for n in range(1, len(on.times)):
        ends = [_cubic(x, bends[n - 1]), _cubic(x, bends[n])]
        change = heights[:, n] - heights[:, n - 1]
        size = (heights[:, n] + heights[:, n - 1] + 2 * third[n] + 2 * third[n - 1]) / lengths[
            n - 1
        ]
        inside = _defects(on, duel, (change / lengths[n - 1], size), ends)
        slope = (slopes[n, 0] - slopes[n - 1, 0], slopes[n, 0] + slopes[n - 1, 0])
        level = (values[n, -1] - values[n - 1, -1], values[n, -1] + values[n - 1, -1])
        below, above = _outside(on, duel, slope, level, lengths[n - 1])
        lost += _cheapest(x, np.array([below, *inside, above])) * lengths[n - 1]
    return float(values[-1, on.start] * (1 - ROUNDING) - lost * (1 + ROUNDING))


def _cubic(x: Array, bends: Array) -> Array:
    """Bernstein coefficients of -x^2 V_xx on each cell."""
    a, b, m, n = x[:-1], x[1:], bends[:-1], bends[1:]
    return np.stack(
        [a * a * m, (a * a * n + 2 * a * b * m) / 3, (2 * a * b * n + b * b * m) / 3, b * b * n]
    )


def _defects(on: Mesh, duel: Duel, falling: tuple[Array, Array], ends: list[Array]) -> Array:
    """On each cell the largest -(V_t + price + stake x + I x^2 V_xx), rounded up.

    `falling` is -V_t on each cell, and the sum of the sizes of what it was computed from.
    """
    x, d = on.x, on.widths
    places = np.stack([x[:-1], x[:-1] + d / 3, x[1:] - d / 3, x[1:]])
    fall, size = falling
    worst = np.zeros(len(d))
    for price, stake, information in zip(duel.price, duel.stake, duel.information, strict=True):
        gain = price + stake * places
        for bent in ends:
            speed = information * bent
            short = fall + speed - gain + ROUNDING * (size + speed + gain)
            worst = np.maximum(worst, short.max(axis=0))  # what is not a number stays
    return worst * (1 + ROUNDING)


def _outside(
    on: Mesh, duel: Duel, slope: tuple[float, float], level: tuple[float, float], length: float
) -> tuple[float, float]:
    """The same below the first node, where V = slope x, and above the last, where V is constant.

    Below, -V_t / x is the difference of slopes, and what is lacking per x is largest at the node,
    because prices are not negative; above, -V_t is the difference of levels, and less is lacking
    further up.
    """
    worst = [0.0, 0.0]
    for price, stake in zip(duel.price, duel.stake, strict=True):
        gains = stake + price / on.x[0], price + stake * on.x[-1]
        for k, ((change, size), gain) in enumerate(zip((slope, level), gains, strict=True)):
            short = change / length - gain + ROUNDING * (size / length + gain)
            worst[k] = _larger(worst[k], float(short))
    return worst[0] * on.x[0] * (1 + ROUNDING), worst[1] * (1 + ROUNDING)


def _cheapest(x: Array, lacking: Array) -> float:
    """The least d + e with d + e x at least what is lacking, over a few values of e; rounded up.

    `lacking` has one number for what lies below the first node, one for each cell, and one for what
    lies above the last. d + e x grows with x, so its value at the lower end of a cell counts; below
    the first node both sides are linear in x, and the node counts.
    """
    if not np.isfinite(lacking).all():
        return math.inf
    lower = np.concatenate([x[:1], x])
    most = float((lacking / lower).max())
    slopes = most * (1 + ROUNDING) * np.array([0.0, *(0.25**k for k in range(SLOPES))])
    line = slopes[:, None] * lower
    left = (lacking - line + ROUNDING * (lacking + line)).max(axis=1)
    return float((slopes + np.maximum(left, 0.0)).min()) * (1 + ROUNDING)


def _larger(worst: float, short: float) -> float:
    """The larger of two; what is not a number counts as inf, where `max` might forget it."""
    return math.inf if math.isnan(short) else max(worst, short)
