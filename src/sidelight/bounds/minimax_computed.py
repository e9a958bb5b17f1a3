"""The minimax lower bound that the general bound proves, computed [thm:lb-0].

If, for some theta, no plan satisfies the rows of [thm:lb-0] for a worst-case regret B, then no
policy has worst-case regret B. The largest such B for a theta is

    T min over plans p of the loss of p ,

a convex program, and the best theta is found by search (`hard_means`). Whatever the search finds is
proved: the rows refute every policy that claims B. No closed form, no assumption on the variances,
and constants that are several times those of [cor:lb-minimax].
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np

from ..feedback import Feedback
from ..problem import Problem
from ..programs import load_solver
from ..programs.cutting import Least, least
from ..programs.separation import Setting, seconds_to_separate, setting
from ..programs.solver import seconds_left
from .bound import Bound
from .certificate import Certificate
from .duality import exact_case
from .hard_means import hardest
from .minimax import minimax
from .weighing import alternatives, as_fractions

NAME = "minimax_computed"
FINAL_TOLERANCE = 1e-6
# The parts of the budget after which the closed forms, and the means, are to be found.
SETS, SEARCH = 0.25, 0.7
# The shortest search asks the oracle twice, and its proof takes about as long as a third time.
LEAST = 3
# How far below the value of the program the claim is put, until exact arithmetic confirms it.
SPARES = (1e-10, 1e-8, 1e-6, 1e-4, 1e-2)


def minimax_computed(
    feedback: Feedback, upper: float, horizon: float, *, budget: float = 10.0
) -> Bound:
    """A lower bound on the worst-case regret of every policy, with the means that show it.

    The search takes about `budget` seconds or less, and the proof that it ends with a second or two
    for a hundred actions. Without the time limit it is deterministic; a larger budget never finds
    less. Where the search finds nothing harder than the closed forms of `minimax`, or has no time
    for a single step, theirs is the answer.
    """
    load_solver()
    start = time.monotonic()
    middle = Problem(feedback, np.full(len(feedback), 0.5 * upper), upper)
    exact_case(middle, horizon)
    T = float(horizon)
    closed = minimax(feedback, upper, horizon, SETS * budget)
    if len(feedback) == 1 or not feedback.variance.min(axis=0).any():
        why = "nothing has to be learnt: there is one action, or every action is seen exactly"
        return replace(closed, name=NAME, valid=True, why=why)
    if seconds_left(start + budget) < LEAST * seconds_to_separate(len(feedback)):
        return _instead(closed, "there was no time for a search")
    found = hardest(feedback.variance, middle.upper, T, start + SEARCH * budget)
    problem = Problem(feedback, np.minimum(found.theta * middle.upper, middle.upper), middle.upper)
    scaled = setting(problem.means, feedback.variance, problem.upper, T)
    final = found.found
    if seconds_left(start + budget) > 0:
        better = least(scaled, final, FINAL_TOLERANCE, deadline=start + budget)
        final = max(final, better, key=lambda result: result.lower)
    certificate = _certificate(problem, scaled, final, horizon)
    if certificate is None or certificate.value < closed.value:
        return _instead(closed, "the search found no harder means")
    why = f"no policy has less regret over {T:g} rounds, whatever the means in [0, {upper:g}]"
    return Bound(
        name=NAME,
        value=certificate.value,
        valid=True,
        why=why,
        certificate=certificate,
        allocation=T * final.plan,
        method="thm:lb-0 at the means found",
        means=problem.means,
    )


def _instead(closed: Bound, why: str) -> Bound:
    """The best closed form; where none holds, that nobody gains by regret."""
    if not closed.valid:
        return replace(closed, name=NAME, valid=True, why=f"regret is never negative, and {why}")
    return replace(closed, name=NAME, method=f"{closed.method}: {why}")


def _certificate(
    problem: Problem, scaled: Setting, final: Least, horizon: float
) -> Certificate | None:
    """The refutation of the largest B that exact arithmetic confirms, or None for none."""
    used = final.weights > 0
    for spare in SPARES:
        B = final.lower * (1 - spare) * float(horizon) * problem.upper
        if not 0 < B < math.inf:
            return None
        case = exact_case(problem, horizon, B)
        rows = alternatives(scaled, case, final.cuts.only(used))
        weights = as_fractions(final.weights[used])
        certificate = Certificate(case, tuple(zip(weights, rows, strict=True)), B, "minimax")
        if certificate.check():
            return certificate
    return None
