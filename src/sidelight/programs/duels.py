"""What a duel costs, in floats and quickly: the control problem of `bounds.subsolution`, compiled.

A duel is one alternative against the base. Its least cost W(t, x) satisfies

    W_t + min_a [ price_a + stake_a x + speed_a x^2 W_xx ] = 0 ,     W(T, x) = 0 ,

x the likelihood ratio, with W = 0 at x = 0 and W_x = 0 beyond the last node. Every step of time is
implicit, and is solved by improving the actions until they are the best. Nothing here is trusted:
`least_cost` is a guess to search with, and `bounds.subsolution` makes from `curvatures` a curve
that proves itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled import cached, compiled

ITERATIONS = 60


@compiled
def _best(row: Any, bend: Any, x: Any, chosen: Any) -> bool:
    """The best action at every inner node, into `chosen`; whether none has changed."""
    price, stake, speed = row
    same = True
    for i in range(len(bend)):
        node = x[i + 1]
        least, best = np.inf, 0
        for a in range(len(price)):
            cost = price[a] + stake[a] * node - speed[a] * node * node * bend[i]
            if cost < least:
                least, best = cost, a
        if best != chosen[i]:
            chosen[i] = best
            same = False
    return same


@compiled
def _solve(bands: Any, right: Any, value: Any) -> None:
    """A system with three bands: no pivoting, because the diagonal is the larger part."""
    lower, diagonal, upper = bands
    n = len(value)
    for i in range(1, n):
        factor = lower[i] / diagonal[i - 1]
        diagonal[i] -= factor * upper[i - 1]
        right[i] -= factor * right[i - 1]
    value[n - 1] = right[n - 1] / diagonal[n - 1]
    for i in range(n - 2, -1, -1):
        value[i] = (right[i] - upper[i] * value[i + 1]) / diagonal[i]


@compiled
def _integrated(x: Any, bend: Any, start: int) -> Any:
    """V at a node from -V_xx: V(0) = 0, and V_x = 0 at the last node."""
    n = len(x)
    whole = np.zeros(n)
    whole[1 : n - 1] = bend
    slope = 0.0
    slopes = np.zeros(n)
    for i in range(n - 2, -1, -1):
        slope += (x[i + 1] - x[i]) * (whole[i] + whole[i + 1]) / 2
        slopes[i] = slope
    total = slopes[0] * x[0]
    for i in range(start):
        d = x[i + 1] - x[i]
        total += d * slopes[i + 1] + d * d * (whole[i] / 6 + whole[i + 1] / 3)
    return total


@compiled
def _system(at: Any, step: float, row: Any, chosen: Any, known: Any) -> Any:
    """The equations of one step of time, if these actions are chosen: bands and right side."""
    x, bands, right = at
    price, stake, speed = row
    n = len(known)
    for i in range(n):
        a, node = chosen[i], x[i + 1]
        before, after = node - x[i], x[i + 2] - node
        q = step * speed[a] * node * node
        left = q * 2 / (before * (before + after))
        beyond = q * 2 / (after * (before + after))
        bands[0][i], bands[1][i], bands[2][i] = -left, 1 + left + beyond, -beyond
        right[i] = known[i] + step * (price[a] + stake[a] * node)
        if i == 0:
            bands[1][i] -= left * (x[0] / x[1])
        if i == n - 1:
            bands[1][i] -= beyond


@compiled
def _bend(x: Any, value: Any, bend: Any) -> None:
    """-V_xx at the inner nodes by finite differences, into `bend`; what is negative is 0."""
    n = len(value)
    for i in range(n):
        before, after = x[i + 1] - x[i], x[i + 2] - x[i + 1]
        fall = value[i] - (value[i - 1] if i > 0 else x[0] / x[1] * value[0])
        rise = (value[i + 1] if i < n - 1 else value[i]) - value[i]
        bend[i] = max(0.0, 2 * (fall / before - rise / after) / (before + after))


@compiled
def _solved(x: Any, times: Any, T: float, row: Any, limits: Any, bends: Any) -> None:
    """-V_xx at all times and inner nodes, into `bends`.

    `limits` are the improvements of the actions in a step of time, and how many more all steps may
    share.
    """
    n = len(x) - 2
    chosen = np.empty(n, dtype=np.int64)
    value, bend, known = np.zeros(n), np.zeros(n), np.zeros(n)
    bands = (np.empty(n), np.empty(n), np.empty(n))
    right = np.empty(n)
    most, reserve = limits
    for k in range(1, len(times)):
        step = (times[k] - times[k - 1]) * T
        known[:] = value
        chosen[:] = -1
        for done in range(most + reserve):
            if _best(row, bend, x, chosen):
                break
            if done >= most:
                reserve -= 1
            _system((x, bands, right), step, row, chosen, known)
            _solve(bands, right, value)
            _bend(x, value, bend)
        bends[k, 1 : n + 1] = bend


@cached
def curvatures(x: Any, times: Any, T: float, row: Any, limits: Any) -> Any:
    """-V_xx at the times (rows) and nodes, 0 at both ends; for what proves itself."""
    bends = np.zeros((len(times), len(x)))
    _solved(x, times, T, row, limits, bends)
    return bends


@cached
def least_cost(x: Any, times: Any, T: float, row: Any, start: int) -> Any:
    """W(0, x[start]), roughly: `row` has prices, stakes and speeds, `times` go from 0 to 1."""
    bends = np.zeros((len(times), len(x)))
    _solved(x, times, T, row, (ITERATIONS, 0), bends)
    return _integrated(x, bends[-1, 1:-1], start)
