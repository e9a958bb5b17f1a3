"""The least cost of playing against one alternative: in rounds, by dynamic programming on a grid;
and from below, what a given curve proves, in exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np
from scipy.optimize import linprog


def least_cost(
    price: Sequence[float], stake: Sequence[float], information: Sequence[float], T: int
) -> float:
    """min over policies of E sum_t [price_a + stake_a X], X = 1 at the start, after T rounds.

    A play of a multiplies X by exp(sqrt(2 I_a) Z - I_a). The grid is fine in log X; where X leaves
    it, the value is continued as the cost of the best single action, which is larger.
    """
    logs = np.linspace(-14, 14, 6001)
    x = np.exp(logs)
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    weights = weights / weights.sum()
    value = np.zeros_like(x)
    for left in range(T):
        options = []
        for p, s, information_of in zip(price, stake, information, strict=True):
            after = np.zeros_like(x)
            for z, weight in zip(nodes, weights, strict=True):
                moved = logs + np.sqrt(2 * information_of) * z - information_of
                known = np.interp(moved, logs, value)
                stay = np.min(
                    [left * (q + r * np.exp(moved)) for q, r in zip(price, stake, strict=True)],
                    axis=0,
                )
                inside = (moved >= logs[0]) & (moved <= logs[-1])
                after += weight * np.where(inside, known, stay)
            options.append(p + s * x + after)
        value = np.min(options, axis=0)
    return float(np.interp(0.0, logs, value))


Row = Sequence[Fraction]
Costs = Sequence[tuple[Fraction, Fraction, Fraction]]


def curve(x: Row, bends: Row) -> tuple[list[Row], Row, Row]:
    """V from -V_xx, which is linear between the nodes x, and 0 outside: V(0) = 0, V_x = 0 at the
    end. For each cell the coefficients of V as a cubic in u, which goes from 0 to 1 through the
    cell; and V_x and V at the nodes. In exact numbers."""
    widths = [b - a for a, b in pairwise(x)]
    slopes = [Fraction(0)]
    for w, m, n in zip(reversed(widths), reversed(bends[:-1]), reversed(bends[1:]), strict=True):
        slopes.insert(0, slopes[0] + w * (m + n) / 2)
    values = [slopes[0] * x[0]]
    cubics: list[Row] = []
    for k, w in enumerate(widths):
        m, n = bends[k], bends[k + 1]
        # V_x = slope at the end + w (m (1 - u) + (n - m) (1 - u^2) / 2), integrated once more
        linear = w * slopes[k + 1] + w * w * (m + (n - m) / 2)
        cubics.append([values[k], linear, -w * w * m / 2, -w * w * (n - m) / 6])
        values.append(sum(cubics[-1], Fraction(0)))
    return cubics, slopes, values


def bernstein(c: Row) -> list[Fraction]:
    """Coefficients in the basis of Bernstein of c_0 + c_1 u + c_2 u^2 + c_3 u^3."""
    return [
        sum((Fraction(comb(i, j), comb(3, j)) * c[j] for j in range(i + 1)), Fraction(0))
        for i in range(4)
    ]


def certified(x: Row, lengths: Row, bends: Sequence[Row], costs: Costs) -> float:
    """The most that the V that `bends` make can prove: V(0, 1) minus the integral of d + e.

    `lengths` are those of the slabs of time, the last one first; `costs` has price, stake and
    information of each action. In each slab d, e >= 0 are such that d + e x is at least the defect
    -(V_t + price + stake x + I x^2 V_xx) for any action: in coefficients of Bernstein on each cell,
    at either end of the slab, and outside of all cells, where V is linear or constant.
    """
    curves = [curve(x, row) for row in bends]
    lost = 0.0
    for n, length in enumerate(lengths, start=1):
        (cubics, slopes, values), (earlier, before, lower) = curves[n], curves[n - 1]
        points: list[tuple[Fraction, Fraction]] = []
        for price, stake, information in costs:
            below = ((slopes[0] - before[0]) / length - stake) * x[0] - price
            above = (values[-1] - lower[-1]) / length - price - stake * x[-1]
            points += [(x[0], below), (x[-1], above)]
            for k, (a, b) in enumerate(pairwise(x)):
                w = b - a
                change = [(p - q) / length for p, q in zip(cubics[k], earlier[k], strict=True)]
                gain = [price + stake * a, stake * w, Fraction(0), Fraction(0)]
                for bend in (bends[n], bends[n - 1]):
                    m, rise = bend[k], bend[k + 1] - bend[k]
                    square = [a * a, 2 * a * w, w * w]
                    moved = [
                        square[0] * m,
                        square[0] * rise + square[1] * m,
                        square[1] * rise + square[2] * m,
                        square[2] * rise,
                    ]
                    lacking = [
                        c + information * s - g for c, s, g in zip(change, moved, gain, strict=True)
                    ]
                    points += [(a + w * i / 3, y) for i, y in enumerate(bernstein(lacking))]
        lost += least_charge(points) * float(length)
    return float(curves[-1][2][list(x).index(Fraction(1))]) - lost


def least_charge(points: Sequence[tuple[Fraction, Fraction]]) -> float:
    """min d + e over d, e >= 0 with d + e x >= y for all points (x, y)."""
    at = np.array([[float(x), float(y)] for x, y in points])
    found = linprog([1.0, 1.0], A_ub=-np.c_[np.ones(len(at)), at[:, 0]], b_ub=-at[:, 1])
    assert found.success
    return float(found.fun)


def curvatures(x: np.ndarray, times: np.ndarray, T: float, costs: np.ndarray) -> np.ndarray:
    """-V_xx at times and nodes by implicit steps, each with the actions improved until they stay.

    `costs` has the prices, the stakes and the information of the actions in its three rows.
    """
    d, inner = np.diff(x), x[1:-1]
    left, right = 2 / (d[:-1] * (d[:-1] + d[1:])), 2 / (d[1:] * (d[:-1] + d[1:]))
    price, stake, information = (row[:, None] for row in costs)
    cost, speed = price + stake * inner, information * inner**2
    nodes, first = np.arange(len(inner)), x[0] / x[1]
    value, bend = np.zeros(len(inner)), np.zeros(len(inner))
    bends = np.zeros((len(times), len(x)))
    for n in range(1, len(times)):
        step, known = (times[n] - times[n - 1]) * T, value
        chosen, best = None, np.argmin(cost - speed * bend, axis=0)
        while chosen is None or (best != chosen).any():
            chosen = best
            q = step * speed[chosen, nodes]
            matrix = np.diag(1 + q * (left + right))
            matrix -= np.diag((q * right)[:-1], 1) + np.diag((q * left)[1:], -1)
            matrix[0, 0] -= q[0] * left[0] * first
            matrix[-1, -1] -= q[-1] * right[-1]
            value = np.linalg.solve(matrix, known + step * cost[chosen, nodes])
            whole = np.concatenate([[first * value[0]], value, value[-1:]])
            bend = np.maximum(0.0, (value - whole[:-2]) * left - (whole[2:] - value) * right)
            best = np.argmin(cost - speed * bend, axis=0)
        bends[n, 1:-1] = bend
    return bends
