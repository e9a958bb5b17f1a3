"""The relaxed lower bound b'(theta, B) [cor:lb-0] and the hardest subgame, by definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .graphs import coverage, subsets

Array = npt.NDArray[np.float64]

POINTS = 301


def information_needs(theta: Array, D: float, T: float, B: float) -> Array:
    """m_i by trying many sizes of each change; a grid can only fall short of the maximum."""
    best = int(theta.argmax())
    gaps = theta[best] - theta
    second = float(np.delete(gaps, best).min())
    needs = []
    for i, mean in enumerate(theta):
        gap = second if i == best else gaps[i]
        rising, falling = (mean, D - mean) if i == best else (D - mean, mean)
        up = _largest(gap, rising, -gap, T / (8 * B))
        down = _largest(0.0, falling, gap, T / (8 * B))
        needs.append(max(0.0, up if gap >= 4 * B / T else min(up, down)))
    return np.array(needs)


def _largest(low: float, high: float, shift: float, t: float) -> float:
    """max of log(t (e + shift)) / e^2 over low < e <= high."""
    if high <= low:
        return -math.inf
    parts = np.geomspace(1e-12, 1.0, POINTS)
    for _ in range(3):  # one peak: look again between its neighbours
        sizes = low + (high - low) * parts
        with np.errstate(divide="ignore"):
            values = np.log(t * np.maximum(sizes + shift, 0.0)) / sizes**2
        k = int(values.argmax())
        parts = np.linspace(parts[max(k - 1, 0)], parts[min(k + 1, POINTS - 1)], POINTS)
    return float(values.max())


def finite_time(variance: Array, theta: Array, D: float, T: float, B: float) -> float:
    """b'(theta, B): the cheapest plan of T plays that buys the needs; inf if there is none."""
    from scipy.optimize import linprog  # noqa: PLC0415 - keeps collection fast

    needs = information_needs(theta, D, T, B)
    rows = needs > 0
    P = 1.0 / variance
    # In units of T, each row divided by its need: all numbers near 1.
    result: Any = linprog(
        theta.max() - theta,
        A_ub=-(P.T[rows] * T / needs[rows, None]),
        b_ub=-np.ones(rows.sum()),
        A_eq=np.ones((1, len(theta))),
        b_eq=[1.0],
        method="highs-ds",
    )
    return math.inf if result.status == 2 else float(result.fun) * T


def hardest_cover(observes: npt.NDArray[np.bool_]) -> float:
    """1/eta_min = max of rho_LP(A, A^S) over all A with two members or more."""
    hardest = 0.0
    for A in subsets(range(len(observes))):
        shown = [i for i in A if any(observes[j][i] for j in A)]
        if len(A) >= 2 and shown:
            hardest = max(hardest, 1 / coverage(observes, A, shown))
    return hardest


def strong_form(k: int, sigma: float, T: float) -> float:
    """sigma sqrt(k T / (32 e))."""
    return sigma * math.sqrt(k * T / (32 * math.e))


def hidden_form(rho: float, sigma: float, D: float, T: float) -> float:
    """The root of B^3 = rho (D - 8 sqrt(e) B / T) sigma^2 T^2 / (128 e), by bisection."""
    low, high = 0.0, D * T
    for _ in range(200):
        B = (low + high) / 2
        level = D - 8 * math.sqrt(math.e) * B / T
        if rho * level * sigma**2 * T**2 / (128 * math.e) > B**3:
            low = B
        else:
            high = B
    return low
