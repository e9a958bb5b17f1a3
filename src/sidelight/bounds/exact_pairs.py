"""The minimax lower bound by exact pairs: one problem against others that look like it for a while.

`hard_pairs` searches for a base, alternatives and weights; what it finds is proved by `pairing`.
The search is counted, not timed, unless a user sets a limit in seconds.

What every policy loses in T' <= T rounds it has lost after T rounds: a proof for T' is one for T.
Where T is so large that the rounding of floats is more than what is to be proved, a few shorter
horizons are tried. The proof then speaks of T' rounds, and says so.
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

Variances = tuple[tuple[Fraction | None, ...], ...]

NAME = "exact_pairs"
METHOD = "pairs of problems, as a control problem in the likelihood ratio"
FINE = (800, 200)
DOWN = Context(prec=6, rounding=ROUND_FLOOR)
MARGIN = 1e-7
# With more actions the search would take minutes: none is made.
MOST_ACTIONS = 30
# Horizons that are tried below a large one, from above, in units of the variance with which the
# action that is hardest to see is seen, over the square of the range. Up to RELIABLE floats lose
# little.
RELIABLE = 10**9
RUNGS = (10**14, 10**12, 3 * 10**10, 10**10, 3 * 10**9, RELIABLE)


def exact_pairs(
    feedback: Feedback, upper: float, horizon: float, *, budget: float | None = None
) -> Bound:
    """A lower bound on the worst-case regret of every policy, by pairs of problems.

    The value is the same on every run, unless `budget` limits the search to so many seconds. Over
    very many rounds the proof may speak of fewer: its `case.horizon` and `why` say of how many.
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
    case = Case(variance, (), D, T)
    scaled = tuple(tuple(None if v is None else v / D**2 for v in row) for row in variance)
    too_many = len(feedback) > MOST_ACTIONS
    if too_many:
        proof, stopped = _proof(Ground(scaled, T), None, case), True
    else:
        proof, stopped = _best_proof(scaled, case, budget)
    means = np.array([float(mean) for mean in proof.case.means])
    means.setflags(write=False)
    why = _why(proof, T, too_many)
    return Bound(NAME, proof.value, True, why, proof, method=METHOD, means=means, stopped=stopped)


def _why(proof: PairsProof, T: Fraction, too_many: bool) -> str:
    """What the bound says, and of how many rounds its proof speaks."""
    if too_many:
        return f"regret is never negative, and no search was made: more than {MOST_ACTIONS} actions"
    if proof.value == 0:
        return "regret is never negative, and the search found no pair of problems that proves more"
    shorter = proof.case.horizon
    assert shorter is not None
    proved = f"no policy has less regret over {grouped(float(shorter))} rounds"
    hence = "" if shorter == T else f", hence none over {grouped(float(T))} rounds"
    return f"{proved}{hence}, whatever the means in [0, {float(proof.case.upper):g}]"


def _best_proof(scaled: Variances, case: Case, budget: float | None) -> tuple[PairsProof, bool]:
    """The proof for this horizon, or for a shorter one that proves more; was a search cut off?"""
    T = case.horizon
    assert T is not None
    whole = Effort.on(len(scaled), budget)
    best = _searched(scaled, case, T, whole)
    stopped = whole.stopped
    for shorter in _shorter(scaled, T):
        effort = Effort.on(len(scaled), None if budget is None else whole.seconds)
        tried = _searched(scaled, case, shorter, effort)
        stopped = stopped or effort.stopped
        best = max(best, tried, key=lambda proof: proof.value)
    return best, stopped


def _searched(scaled: Variances, case: Case, horizon: Fraction, effort: Effort) -> PairsProof:
    ground = Ground(scaled, horizon)
    found = hardest_pairs(ground, effort)
    return rounded_down(_proof(ground, found, replace(case, horizon=horizon)))


def _shorter(scaled: Variances, T: Fraction) -> list[Fraction]:
    """Shorter horizons to try, from above: none where T is not large."""
    columns = [[v for v in column if v is not None] for column in zip(*scaled, strict=True)]
    unit = max((min(column) for column in columns if column), default=ZERO)
    if RELIABLE * unit >= T:
        return []
    rungs = [Fraction(int(rung * unit)) for rung in RUNGS]
    return [rung for rung in rungs if 1 <= rung < T]


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
