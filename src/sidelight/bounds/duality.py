"""From a solver's multipliers to a proof.

A solver answers in floats, to its own tolerance. Its multipliers become weights of certificate
rows, as the rational numbers that they are, and the rows are then worth what exact arithmetic says.
At a horizon T any weights w >= 0 prove

    sum_k w_k need_k + T min_j (gap_j - sum_k w_k load_k(j)) ,

and T turns a rounding error of 1e-17 in a bracket into a visible loss. Let mu be what the best
actions, whose gap is 0, spend: sum_k w_k load_k(j). Weights scaled down by

    factor = min_j (gap_j + mu) / sum_k w_k load_k(j)      (over the positive denominators)

leave no bracket below -mu, so they prove factor * sum_k w_k need_k - T mu, which has only a
relative loss. Without a horizon all brackets must be >= 0, and the same factor with mu = 0 is the
only one that proves anything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..problem import Problem
from .case import Case
from .certificate import Alternative, Certificate, Rows, tally, worth
from .inputs import positive
from .rational import float_down, short_down

# A shift so far beyond all gaps that a logarithm is linear to more digits than floats have.
HUGE = 2**80


def exact_case(
    problem: Problem, horizon: float | None = None, worst_case: float | None = None
) -> Case:
    """The problem in exact numbers: every float is a binary fraction."""
    variance = problem.feedback.variance
    exact = {float(v): None if math.isinf(v) else Fraction(float(v)) for v in np.unique(variance)}
    return Case(
        variance=tuple(tuple(exact[float(v)] for v in row) for row in variance),
        means=tuple(Fraction(float(mean)) for mean in problem.means),
        upper=Fraction(problem.upper),
        horizon=None if horizon is None else positive(horizon, "horizon", "rounds"),
        worst_case=None if worst_case is None else positive(worst_case, "worst_case", "regret"),
    )


def proved(case: Case, rows: Rows) -> Certificate:
    """The certificate of the rows, as they are or scaled down, whichever proves more.

    Its value is what they prove, rounded down, and at least 0.
    """
    needed, spent = tally(case, rows)
    factors = sorted({Fraction(1), _affordable(case, spent)})
    worths = [worth(case, f * needed, [f * s for s in spent]) for f in factors]
    factor = factors[worths.index(max(worths))]
    kept = tuple((short_down(factor * weight), row) for weight, row in rows if factor * weight)
    return Certificate(case, kept, lower_float(worth(case, *tally(case, kept))))


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


def _affordable(case: Case, spent: Sequence[Fraction]) -> Fraction:
    """The largest factor that all gaps can afford, at most 1, as a short binary fraction."""
    free = max(s for gap, s in zip(case.gaps, spent, strict=True) if gap == 0)
    mu = Fraction(0) if case.horizon is None else free
    ratios = [(gap + mu) / s for gap, s in zip(case.gaps, spent, strict=True) if s > 0]
    lowest = min(ratios, default=Fraction(1))
    return Fraction(1) if lowest >= 1 else Fraction(max(float_down(lowest), 0.0))
