"""The minimax lower bound by exact pairs: one problem against others that look like it for a while.

`hard_pairs` searches for a base, alternatives and weights; what it finds is proved by `pairing`.
The search is counted, not timed, unless a user sets a limit in seconds.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..errors import InputError
from ..feedback import Feedback
from ..numerals import grouped
from ..programs import Effort, check_budget
from .bound import Bound
from .case import ZERO, Case, RefutedError, rational_variance
from .hard_pairs import Ground, Shape, arranged, hardest_pairs, short
from .inputs import positive
from .kept import kept
from .pairing import Alternative, PairsProof

NAME = "exact_pairs"
METHOD = "pairs of problems, as a control problem in the likelihood ratio"
FINE = (800, 200)
DOWN = Context(prec=6, rounding=ROUND_FLOOR)
MARGIN = 1e-7
# With more actions the search would take minutes: none is made.
MOST_ACTIONS = 30


def exact_pairs(
    feedback: Feedback, upper: float, horizon: float, *, budget: float | None = None
) -> Bound:
    """A lower bound on the worst-case regret of every policy, by pairs of problems.

    The value is the same on every run, unless `budget` limits the search to so many seconds.
    """
    if not isinstance(feedback, Feedback):
        raise InputError(
            f"bounds.exact_pairs needs a Feedback, not {type(feedback).__name__}: "
            "for a Problem pass problem.feedback and problem.upper"
        )
    D, T = positive(upper, "upper", "payoff"), positive(horizon, "horizon", "rounds")
    return _exact_pairs(feedback, D, T, check_budget(budget))


@lru_cache(maxsize=64)
@kept
def _exact_pairs(feedback: Feedback, D: Fraction, T: Fraction, budget: float | None) -> Bound:
    """The bound, remembered."""
    variance = rational_variance(feedback)
    scaled = tuple(tuple(None if v is None else v / D**2 for v in row) for row in variance)
    ground = Ground(scaled, T)
    too_many = len(feedback) > MOST_ACTIONS
    effort = Effort.on(len(feedback), budget)
    found = None if too_many else hardest_pairs(ground, effort)
    box = f"over {grouped(float(T))} rounds, whatever the means in [0, {float(D):g}]"
    why = f"no policy has less regret {box}"
    proof = rounded_down(_proof(ground, found, Case(variance, (), D, T)))
    value = proof.value
    means = np.array([float(mean) for mean in proof.case.means])
    means.setflags(write=False)
    if value == 0:
        why = "regret is never negative, and no pair of problems proves more"
    if too_many:
        why = f"regret is never negative, and no search was made: more than {MOST_ACTIONS} actions"
    stopped = too_many or effort.stopped
    return Bound(NAME, value, True, why, proof, method=METHOD, means=means, stopped=stopped)


def _proof(ground: Ground, found: tuple[Shape, tuple[float, ...]] | None, case: Case) -> PairsProof:
    """The pairs in exact numbers, and in the units of the case."""
    if found is None:
        return PairsProof(replace(case, means=(ZERO,) * len(ground.variance)), (), 0.0, *FINE)
    shape, numbers = found
    means, pairs = arranged(ground, shape, numbers, ground.parts(shape, short), short)
    D = case.upper
    alternatives = tuple(
        Alternative(tuple(m * D for m in a.means), a.weight, tuple(p * D for p in a.prices))
        for a in pairs
    )
    return PairsProof(
        replace(case, means=tuple(mean * D for mean in means)), alternatives, 0.0, *FINE
    )


def rounded_down(proof: PairsProof) -> PairsProof:
    """The proof with the largest value that it confirms, in six digits.

    Another machine solves the control problems with other last bits.
    """
    try:
        worth = proof.certified()
    except (RefutedError, OverflowError):
        worth = 0.0
    digits = DOWN.create_decimal_from_float(worth * (1 - MARGIN))
    return replace(proof, value=float(digits))
