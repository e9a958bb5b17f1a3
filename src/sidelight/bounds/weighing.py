"""From the weights of a solver to a proof in rational numbers.

Rows `Alternative` are homogeneous: weights w_k prove, with W_i = sum_k w_k h_k(i), that

    regret >= T min_i (gap_i + W_i)         and, if all W_i > 0, that nobody can do it (Farkas).

The right side is T times a small difference of numbers as large as the gaps: an error of 1e-10 in
the weights would cost 100 at T = 1e12. But any multiple s w of the weights is as good a proof, and
the best one is found exactly: min_i (gap_i + s W_i) is concave and piecewise linear in s. Shrinking
s restores what an error in W_i took away for an action with gap_i > 0, at a loss that is
proportional to the error, relative to the value. So weights in floats, solved for the vertex that
they belong to (`programs.cutting`), lose nothing that can be seen; long decimals are not needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..programs.separation import Array, Cuts, Setting
from .case import ZERO, Case
from .certificate import Alternative, Certificate, tally
from .rational import float_down

KEPT_BITS = 160


def alternatives(problem: Setting, case: Case, cuts: Cuts) -> list[Alternative]:
    """Cuts in units of the upper end as rows of a certificate; what did not move is exact."""
    D = float(case.upper)
    means = np.clip(cuts.means * D, 0.0, D)
    return [
        Alternative(
            tuple(
                old if still else Fraction(float(new))
                for new, still, old in zip(row, kept, case.means, strict=True)
            ),
            Fraction(float(u * D)),
        )
        for row, kept, u in zip(means, cuts.means == problem.theta, cuts.shifts, strict=True)
    ]


def prove(case: Case, rows: Sequence[Alternative], weights: Sequence[Fraction]) -> Certificate:
    """The best certificate with weights in these proportions."""
    used = [(w, row) for w, row in zip(weights, rows, strict=True) if w > 0]
    slopes = [-spent for spent in tally(case, used)[1]]
    if used and min(slopes) > 0:
        return Certificate(case, tuple(used), math.inf)
    scale = _shortened(best_multiple(case.gaps, slopes))
    if scale == 0:
        return Certificate(case, (), 0.0)
    T, _ = case.at_horizon()
    value = T * min(gap + scale * slope for gap, slope in zip(case.gaps, slopes, strict=True))
    scaled = tuple((scale * w, row) for w, row in used)
    return Certificate(case, scaled, max(0.0, float_down(value)))


def best_multiple(heights: Sequence[Fraction], slopes: Sequence[Fraction]) -> Fraction:
    """The s >= 0 that maximises min_i (heights_i + s slopes_i), if some slope is not positive.

    A walk along the lower envelope of the lines, from s = 0 until it stops rising.
    """
    lines = list(zip(heights, slopes, strict=True))
    s = ZERO
    height, slope = min(lines)
    while slope > 0:
        # Lines that are less steep, and above here, take over where they meet this one.
        meets = [((h - height) / (slope - m), m, h) for h, m in lines if m < slope]
        s, slope, height = min(meets)
    return s


def _shortened(s: Fraction) -> Fraction:
    """About 160 bits of s: the rest would only lengthen the file."""
    if s == 0:
        return s
    shift = KEPT_BITS - s.numerator.bit_length() + s.denominator.bit_length()
    scaled = s * Fraction(2) ** shift
    return Fraction(math.floor(scaled)) / Fraction(2) ** shift


def as_fractions(weights: Array) -> list[Fraction]:
    """Floats, exactly."""
    return [Fraction(float(w)) for w in weights]
