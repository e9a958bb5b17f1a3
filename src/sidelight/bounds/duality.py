"""From a solver's multipliers to a certificate.

A solver answers in floats, to its own tolerance. Its multipliers become weights of certificate
rows, as the rational numbers that they are, and the rows are then worth what exact arithmetic says.
At a horizon T any weights w >= 0 prove

    sum_k w_k need_k + T min_j (gap_j - sum_k w_k load_k(j)) ,

and T turns a rounding error of 1e-17 in a bracket into a visible loss. So the weights are scaled:
any multiple of them is a proof too. How the best multiple is found depends on the rows.

`certify` takes rows with needs. Let mu be what the best actions, whose gap is 0, spend:
sum_k w_k load_k(j). Weights scaled down by

    factor = min_j (gap_j + mu) / sum_k w_k load_k(j)      (over the positive denominators)

leave no bracket below -mu, so they prove factor * sum_k w_k need_k - T mu, which has only a
relative loss. Without a horizon all brackets must be >= 0, and the same factor with mu = 0 is the
only one that proves anything.

`certify_alternatives` takes rows `Alternative`, which need nothing. With the slopes
W_j = -sum_k w_k load_k(j), the multiple s w of the weights proves

    regret >= T min_j (gap_j + s W_j)      and, if all W_j > 0, that no such policy exists (Farkas).

The minimum is concave and piecewise linear in s, so the best s is found exactly. A smaller s
restores what an error in W_j took away for an action with gap_j > 0, and what this costs is
proportional to the error, relative to the value. So weights in floats, solved for the vertex that
they belong to (`programs.cutting`), lose nothing that can be seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..problem import Problem
from ..programs.separation import Cuts, ScaledProblem
from ..variances import Array
from .case import ZERO, Case, rational_variance
from .certificate import Alternative, Certificate, Rows, tally, worth
from .inputs import positive
from .rational import float_down, short_down

# A shift so far beyond all gaps that a logarithm is linear to more digits than floats have.
HUGE = 2**80
# Bits of the best multiple that are kept: more would only lengthen the file.
KEPT_BITS = 160


def exact_case(
    problem: Problem, horizon: float | None = None, worst_case: float | None = None
) -> Case:
    """The problem in exact numbers: every float is a binary fraction."""
    return Case(
        variance=rational_variance(problem.feedback),
        means=tuple(Fraction(float(mean)) for mean in problem.means),
        upper=Fraction(problem.upper),
        horizon=None if horizon is None else positive(horizon, "horizon", "rounds"),
        worst_case=None if worst_case is None else positive(worst_case, "worst_case", "regret"),
    )


def certify(case: Case, rows: Rows) -> Certificate:
    """The certificate of the rows, as they are or scaled down, whichever proves more.

    Its value is what they prove, rounded down, and at least 0.
    """
    needed, spent = tally(case, rows)
    factors = sorted({Fraction(1), _affordable(case, spent)})
    worths = [worth(case, f * needed, [f * s for s in spent]) for f in factors]
    factor = factors[worths.index(max(worths))]
    kept = tuple((short_down(factor * weight), row) for weight, row in rows if factor * weight)
    return Certificate(case, kept, lower_float(worth(case, *tally(case, kept))))


def _affordable(case: Case, spent: Sequence[Fraction]) -> Fraction:
    """The largest factor that all gaps can afford, at most 1, as a short binary fraction."""
    free = max(s for gap, s in zip(case.gaps, spent, strict=True) if gap == 0)
    mu = ZERO if case.horizon is None else free
    ratios = [(gap + mu) / s for gap, s in zip(case.gaps, spent, strict=True) if s > 0]
    lowest = min(ratios, default=Fraction(1))
    return Fraction(1) if lowest >= 1 else Fraction(max(float_down(lowest), 0.0))


def alternatives(problem: ScaledProblem, case: Case, cuts: Cuts) -> list[Alternative]:
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


def certify_alternatives(
    case: Case, rows: Sequence[Alternative], weights: Sequence[Fraction]
) -> Certificate:
    """The best certificate with weights in these proportions."""
    used = [(w, row) for w, row in zip(weights, rows, strict=True) if w > 0]
    slopes = [-spent for spent in tally(case, used)[1]]
    if used and min(slopes) > 0:
        return Certificate(case, tuple(used), math.inf)
    scale = short_down(best_multiple(case.gaps, slopes), KEPT_BITS)
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


def conclusive(certificate: Certificate) -> Certificate:
    """The same proof; if it shows regret above B, extended to: no policy has regret at most B.

    The alternative theta' = theta with a huge shift u says sum_j c_j log((gap_j + u)/(B/T + u)) <=
    0, and u times that logarithm is gap_j - B/T to a part in 1/u: the regret is at most B.
    """
    case = certificate.case
    _, B = case.at_horizon()
    if not B < certificate.value < math.inf:
        return certificate
    shift = case.upper * HUGE
    rows = (*certificate.rows, (shift, Alternative(case.means, shift)))
    if worth(case, *tally(case, rows)) < math.inf:
        return certificate
    return Certificate(case, rows, math.inf)


def lower_float(value: Fraction | float) -> float:
    """What a proof of this value allows to claim: a float not above it, and at least 0."""
    return max(float_down(value), 0.0) if isinstance(value, Fraction) else value


def as_fractions(weights: Array) -> list[Fraction]:
    """Floats, exactly."""
    return [Fraction(float(w)) for w in weights]
