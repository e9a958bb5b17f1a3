"""The error of Gauss quadrature on panels, as `bounds.passage` states it, in plain formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

PHI0 = 1 / math.sqrt(2 * math.pi)


def constant(nodes: Sequence[float], weights: Sequence[float], rho: float) -> float:
    """C = 2 sum of defects + 2 (W + 2/(4n^2 - 1)) rho^-2n / (1 - 1/rho).

    A defect is what the rule makes of a Chebyshev polynomial of a degree below 2n beside its
    integral, which is 0 for odd degrees and 2/(1 - k^2) for even ones.
    """
    n, defects = len(nodes), Fraction(0)
    for k in range(2 * n):
        powers = [round(c) for c in np.polynomial.chebyshev.cheb2poly([0] * k + [1]).tolist()]
        left = Fraction(-2, 1 - k * k) if k % 2 == 0 else Fraction(0)
        for x, w in zip(nodes, weights, strict=True):
            for p, c in enumerate(powers):
                left += Fraction(w) * c * Fraction(x) ** p
        defects += abs(left)
    beyond = (sum(weights) + 2 / (4 * n * n - 1)) * rho ** (-2 * n) / (1 - 1 / rho)
    return float(2 * defects) + 2 * beyond


def panel_error(C: float, rho: float, w: float, before: float, after: float | None) -> float:
    """C exp(h^2/(2a^2) + h^2/(2c^2)) (1 + 2(w + e) phi(0)/a)/2 (1 + (w + 2e) phi(0)/c), for panels
    of width w; a is the standard deviation of the step before, c of the step after, if any."""
    h = (w / 4) * (rho - 1 / rho)
    e = (w / 4) * (rho + 1 / rho) - w / 2
    found = C * math.exp(h**2 / (2 * before**2)) * (1 + 2 * (w + e) * PHI0 / before) / 2
    if after is not None:
        found *= math.exp(h**2 / (2 * after**2)) * (1 + (w + 2 * e) * PHI0 / after)
    return found
