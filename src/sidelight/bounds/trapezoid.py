"""A sum that is nearly the chance that one average is the largest, and how far off it may be.

p = integral of f, where f(x) = phi(x/s)/s prod_j Phi((x + e_j)/s_j) is analytic in the whole plane.
If the integrals of |f| along the lines of imaginary part within (-a, a) are at most M, then

    | h sum_k f(k h)  -  p |  <=  2 M / (exp(2 pi a / h) - 1)

(Trefethen and Weideman 2014, theorem 5.1). On such a line |phi(z)| is at most exp(a^2/2) times its
value at the real part, and |Phi(x + iy)| <= 1 + |integral of phi from x to x + iy|. So

    M <= exp(a^2/(2 s^2)) prod_j (1 + (a/s_j) exp(a^2/(2 s_j^2)) / sqrt(2 pi)) .

Terms beyond k = n are left out: they are at most 2 Phi(-n h/s) together. The sum is over multiples
of c times the step of a lattice, so that Phi is looked up. An s_j much smaller than s would ask for
a fine grid: such a j is left out of the product, which only makes the integral larger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ..variances import Array
from .gaussian import LEAST, PI_DOWN, cumulative_up, density_up, exp_minus_down, exp_minus_up
from .rational import float_up, sqrt_down, sqrt_up

# Standard deviations up to which terms are summed; the rest weighs 6e-14.
SUMMED = 7.5
# Points in one (smallest) standard deviation, and the half width of the strip in such units.
POINTS = 3
STRIP = 2
# Others whose standard deviation is smaller by more than this factor are left out.
RATIO = 12


@dataclass(frozen=True, eq=False)
class Rule:
    """Nodes (multiples of the lattice's step) and weights for one action, the others in the
    product, and how much the integral may exceed the sum."""

    nodes: npt.NDArray[np.int64]
    weights: Array
    others: tuple[int, ...]
    error: float


def rule(spreads: Sequence[Fraction], i: int, step: Fraction) -> Rule | None:
    """The rule for action i, or None where the lattice is too coarse for one.

    `spreads` are the variances of the averages.
    """
    own = spreads[i]
    if not own:
        return None
    rivals = [j for j in range(len(spreads)) if j != i]
    others = tuple(j for j in rivals if spreads[j] * RATIO**2 > own)
    least = min([own, *(spreads[j] for j in others)])
    stride = math.floor(math.sqrt(least) / float(POINTS * step))
    if stride < 1:
        return None
    h = stride * step
    count = math.ceil(SUMMED * math.sqrt(own) / float(h))
    scale = h * sqrt_up(1 / own)
    half = [max(LEAST, float_up(scale * density_up((k * h) ** 2 / own))) for k in range(count + 1)]
    weights = np.array([*reversed(half[1:]), *half])
    strip = STRIP**2 * least
    left_out = 2 * cumulative_up((count * h) ** 2 / own)[1]
    error = _off(own, [spreads[j] for j in others], strip, h) + left_out
    nodes = np.arange(-count, count + 1) * stride
    return Rule(nodes, weights, others, float_up(error))


def _off(own: Fraction, others: Sequence[Fraction], strip: Fraction, h: Fraction) -> Fraction:
    """2 M / (exp(2 pi a / h) - 1) for a^2 = strip, rounded up; a is 6 h or more."""
    M = 1 / exp_minus_down(strip / own / 2)
    for v in others:
        M *= 1 + sqrt_up(strip / v) / exp_minus_down(strip / v / 2) / sqrt_down(2 * PI_DOWN)
    small = exp_minus_up(2 * PI_DOWN * sqrt_down(strip) / h)
    return 2 * M * small / (1 - small)
