"""The guarantees in floats, as their theorems state them, and Algorithm 2 on two bandit actions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """Everything that occurs in the table of guarantees."""

    K: int
    T: float
    D: float
    sigma: float
    delta: float
    kappa: int
    rho: int
    rho_lp: float
    weak: int
    eta: float
    d_min: float = math.nan
    d_max: float = math.nan

    @property
    def L(self) -> float:  # noqa: N802 - its name in the paper
        """log(2 K T / delta)."""
        return math.log(2 * self.K * self.T / self.delta)

    @property
    def a(self) -> float:
        """max(1, rho_LP)."""
        return max(1.0, self.rho_lp)

    @property
    def settled(self) -> float:
        """T0', by the largest real root of its cubic."""
        a, ratio = self.a, (self.sigma / self.D) ** (2 / 3)
        A = (2 * a ** (1 / 3) + 2 * a ** (-2 / 3) / self.eta) * ratio
        roots: Any = np.roots([1.0, -A, 0.0, -2 * self.K * self.weak * a])
        return float(max(root.real for root in roots if abs(root.imag) < 1e-9 * abs(root))) ** 3


def worst_case(n: Numbers) -> list[float]:
    """[thm:ub-alg2] and its sharper versions, in the order of the library."""
    K, T, D, sigma, L = n.K, n.T, n.D, n.sigma, n.L
    if n.weak == 0:
        paper = 2 * K * D + 80 * sigma * math.sqrt(6 * n.kappa * T * math.log(K) * L)
        return [paper, 2 * K * D + 8 * sigma * math.sqrt(12 * L * T / n.eta)]
    rate = (D ** (1 / 3)) * (sigma * T) ** (2 / 3)
    rest = 125 * sigma**2 * K**3 / D + 13 * K**3 * D
    ours = n.a ** (1 / 3) * rate * (2 + 6 * math.sqrt(6 * L))
    return [
        n.rho ** (1 / 3) * rate * 7 * math.sqrt(6 * L) + rest,
        n.rho_lp ** (1 / 3) * rate * 7 * math.sqrt(6 * L) + rest,
        ours + D * (n.settled + 2 * K + 2 * K * n.weak * n.a),
    ]


def one_problem(n: Numbers) -> list[float]:
    """[thm:ub2-alg2] with max(1, rho), and its sharper versions, in the order of the library."""
    K, D, sigma, L = n.K, n.D, n.sigma, n.L
    noise = 125 * sigma**2 / D**2 + 10

    def paper(r: float, factor: float) -> float:
        main = 1603 * r * D * sigma**2 / n.d_min**2 * L**1.5
        last = 15 * (r * D * sigma**2) ** (1 / 3) * factor * K**2 * math.sqrt(L)
        return float(main + 14 * K**3 * D + 125 * sigma**2 * K**3 / D + last)

    both = [paper(max(1, n.rho), noise), paper(n.a, noise ** (2 / 3))]
    if n.weak == 0:
        strong = 2 * K * n.d_max + 384 * sigma**2 * L / (n.eta * n.d_min)
        last_time = min(n.T, 1 + _largest_root(192 * sigma**2 / (n.eta * n.d_min**2), n))
        short = math.log(2 * K * last_time / n.delta)
        return [*both, strong, 2 * K * n.d_max + 384 * sigma**2 * short / (n.eta * n.d_min)]
    a, T0 = n.a, n.settled
    plays = 192 * a * sigma**2 * L / n.d_min**2 + 2 * a * K * (n.weak - 1) + T0 + 4 * K
    scale = (a * D / sigma) ** (1 / 3)
    tail = 96 * scale**2 * sigma**2 * L / n.d_min**2 + T0 ** (2 / 3)
    return [*both, n.d_max * plays + 6 * math.sqrt(6 * L) * sigma * scale * tail]


def _largest_root(c: float, n: Numbers) -> float:
    """The largest root of x = c log(2 K (x + 1) / delta), by bisection from far outside."""
    low, high = c, 1e6 * (c + 1) * math.log(2 * n.K * (c + 2) / n.delta)
    for _ in range(300):
        x = (low + high) / 2
        low, high = (x, high) if x < c * math.log(2 * n.K * (x + 1) / n.delta) else (low, x)
    return high


def asymptotic(
    observes: npt.NDArray[np.bool_],
    gaps: Sequence[float],
    sigma: float,
    horizon: int,
    parameters: tuple[float, float, float, float],
) -> float:
    """[thm:alg1-ub1] with every term of the sum; parameters are alpha, a, b, eps."""
    alpha, a, b, eps = parameters
    K, d_max, d_min = len(gaps), max(gaps), sorted(gaps)[1]
    seen = [d_min if gap == 0 else gap for gap in gaps]
    plays = [
        max((2 * sigma**2 / (seen[j] - 2 * eps) ** 2 for j in range(K) if row[j]), default=0.0)
        for row in observes
    ]
    log_T = math.log(horizon)
    s = np.arange(horizon + 1, dtype=float)
    slow = math.fsum(np.exp(-a * s**b * eps**2 / (2 * K * sigma**2)))
    beta = a * math.floor(4 * alpha * log_T * sum(plays) + K) ** b
    cost = 4 * alpha * log_T * sum(c * gap for c, gap in zip(plays, gaps, strict=True))
    fixed = 2 * K + 2 + 4 * K / (alpha - 2)
    return float(d_max * (fixed + 4 * K * slow + 2 * beta) + cost)


def elimination_on_two_arms(gap: float, horizon: int, delta: float, seed: int) -> float:
    """The regret of Algorithm 2 on two bandit actions with sigma = 1: both, until one is out."""
    rounds = horizon // 2
    noise = np.random.default_rng(seed).standard_normal((2, rounds))
    counts = np.arange(1, rounds + 1)
    difference = gap + (noise[0] - noise[1]).cumsum() / counts
    # After the r-th batch each action has r observations, and the algorithm is in round r + 1.
    width = np.sqrt(2 * np.log(8 * 2**2 * (counts + 1.0) ** 3 / delta) / counts)
    out = np.flatnonzero(np.abs(difference) > 2 * width)
    played = int(counts[out[0]]) if len(out) else rounds
    wrong = len(out) > 0 and difference[out[0]] < 0
    return gap * (horizon - played if wrong else played)
