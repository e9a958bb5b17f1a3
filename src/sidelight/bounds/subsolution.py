"""What it costs to play against one alternative: a control problem in one variable, from below.

Let X be the likelihood ratio of an alternative to the base, a martingale with X = 1 at the start.
While action a is played it moves with the rate I_a, the information in one play, and a unit of time
costs price_a + stake_a X. The least expected cost W(t, X) of the rest of the T rounds satisfies

    W_t + min_a [ price_a + stake_a x + I_a x^2 W_xx ] = 0,     W(T, x) = 0 .

Time runs continuously here: a policy in rounds is one that changes its action at whole times only,
and E X is constant within a round, so its cost is at least W(0, 1).

Any V with V(T, .) = 0 and V_t + price_a + stake_a x + I_a x^2 V_xx >= -e(t) x everywhere and for
all a proves W(0, 1) >= V(0, 1) - integral of e: by Ito's formula, because the mean of X is 1 at all
times. Where V comes from does not matter. Here a solution by finite differences gives -V_xx >= 0 at
nodes; V is made from these numbers again, exactly:

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
from scipy.linalg import solve_banded

from ..variances import Array

REACH = 7.5  # the mesh covers likelihood ratios from exp(-REACH) to exp(REACH)
MOST = 4000
ROUNDING = 2.0**-39  # more than MOST roundings of 2^-53, twice
ITERATIONS = 25


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
def mesh(cells: int, slabs: int) -> Mesh:
    """A mesh that is even in log x, and finer where little time is left."""
    half = cells // 2
    x = np.exp(np.linspace(-REACH, REACH, 2 * half + 1))
    x[half] = 1.0
    growth = 6.0 / slabs
    times = [0.0, 1e-3]
    while times[-1] < 1.0:
        times.append(min(1.0, times[-1] + min(1.0 / slabs, growth * times[-1])))
    return Mesh(x, half, np.array(times))


def curvatures(on: Mesh, T: float, duel: Duel) -> Array:
    """-V_xx at the times (rows) and nodes of the mesh, by implicit steps of finite differences.

    Each step is solved by improving the actions until they are the best: V is concave.
    """
    x, d = on.x, on.widths
    inner = x[1:-1]
    left, right = 2 / (d[:-1] * (d[:-1] + d[1:])), 2 / (d[1:] * (d[:-1] + d[1:]))
    price, stake = np.array(duel.price), np.array(duel.stake)
    cost = price[:, None] + stake[:, None] * inner
    speed = np.array(duel.information)[:, None] * inner**2
    nodes, first = np.arange(len(inner)), x[0] / x[1]
    value, bend = np.zeros(len(inner)), np.zeros(len(inner))
    bends = np.zeros((len(on.times), len(x)))
    for n in range(1, len(on.times)):
        step = (on.times[n] - on.times[n - 1]) * T
        chosen, known = np.full(len(inner), -1), value
        for _ in range(ITERATIONS):
            best = np.argmin(cost - speed * bend, axis=0)
            if np.array_equal(best, chosen):
                break
            chosen = best
            q = step * speed[chosen, nodes]
            bands = np.zeros((3, len(inner)))
            bands[0, 1:], bands[2, :-1] = -(q * right)[:-1], -(q * left)[1:]
            bands[1] = 1 + q * (left + right)
            bands[1, 0] -= q[0] * left[0] * first
            bands[1, -1] -= q[-1] * right[-1]
            value = solve_banded((1, 1), bands, known + step * cost[chosen, nodes])
            whole = np.concatenate([[first * value[0]], value, value[-1:]])
            bend = np.maximum(0.0, (value - whole[:-2]) * left - (whole[2:] - value) * right)
        bends[n, 1:-1] = bend
    return bends


def estimate(on: Mesh, T: float, duel: Duel) -> float:
    """V(0, 1) without its proof, to search with."""
    _, values = _integrated(on, curvatures(on, T, duel)[-1:])
    return float(values[0, on.start])


def guess(on: Mesh, T: float, duel: Duel) -> float:
    """The same as `estimate`, compiled: for searches, which ask a thousand times."""
    from ..programs.duels import least_cost  # noqa: PLC0415 - numba takes half a second to import

    row = (np.array(duel.price), np.array(duel.stake), np.array(duel.information))
    return float(least_cost(on.x, on.times, T, row, on.start))


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
        inside = _defect(on, duel, (change / lengths[n - 1], size), ends)
        slope = (slopes[n, 0] - slopes[n - 1, 0], slopes[n, 0] + slopes[n - 1, 0])
        level = (values[n, -1] - values[n - 1, -1], values[n, -1] + values[n - 1, -1])
        outside = _outside(on, duel, slope, level, lengths[n - 1])
        lost += max(inside, outside, 0.0) * lengths[n - 1]
    return float(values[-1, on.start] * (1 - ROUNDING) - lost * (1 + ROUNDING))


def _cubic(x: Array, bends: Array) -> Array:
    """Bernstein coefficients of -x^2 V_xx on each cell."""
    a, b, m, n = x[:-1], x[1:], bends[:-1], bends[1:]
    return np.stack(
        [a * a * m, (a * a * n + 2 * a * b * m) / 3, (2 * a * b * n + b * b * m) / 3, b * b * n]
    )


def _defect(on: Mesh, duel: Duel, falling: tuple[Array, Array], ends: list[Array]) -> float:
    """The largest -(V_t + price + stake x + I x^2 V_xx) / x, rounded up.

    `falling` is -V_t on each cell, and the sum of the sizes of what it was computed from.
    """
    x, d = on.x, on.widths
    places = np.stack([x[:-1], x[:-1] + d / 3, x[1:] - d / 3, x[1:]])
    least = x[:-1]
    fall, size = falling
    worst = 0.0
    for price, stake, information in zip(duel.price, duel.stake, duel.information, strict=True):
        gain = price + stake * places
        for bent in ends:
            speed = information * bent
            short = fall + speed - gain + ROUNDING * (size + speed + gain)
            worst = _larger(worst, float((short / least).max()))
    return worst * (1 + ROUNDING)


def _outside(
    on: Mesh, duel: Duel, slope: tuple[float, float], level: tuple[float, float], length: float
) -> float:
    """The same below the first node, where V = slope x, and above the last, where V is constant.

    There -V_t / x is the difference of slopes, and -V_t that of levels. What is lacking per x is
    largest at the node: below because prices are not negative, above because V_t does not depend
    on x.
    """
    worst = 0.0
    for price, stake in zip(duel.price, duel.stake, strict=True):
        below, above = stake + price / on.x[0], price + stake * on.x[-1]
        for (change, size), gain, per in ((slope, below, 1.0), (level, above, on.x[-1])):
            short = change / length - gain + ROUNDING * (size / length + gain)
            worst = _larger(worst, float(short / per))
    return worst * (1 + ROUNDING)


def _larger(worst: float, short: float) -> float:
    """The larger of two; what is not a number counts as inf, where `max` might forget it."""
    return math.inf if math.isnan(short) else max(worst, short)
