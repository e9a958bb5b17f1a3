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
from ..programs.separation import Setting, setting
from .bound import Bound
from .certificate import Certificate
from .duality import exact_case
from .hard_means import hardest
from .minimax import minimax
from .weighing import alternatives, as_fractions

FINAL_TOLERANCE = 1e-6
# Time for the last digits of the means found, as a part of the time for finding them.
FINISH = 0.5
# How far below the value of the program the claim is put, until exact arithmetic confirms it.
SPARES = (1e-10, 1e-8, 1e-6, 1e-4, 1e-2)


def minimax_computed(
    feedback: Feedback, upper: float, horizon: float, *, budget: float = 10.0
) -> Bound:
    """A lower bound on the worst-case regret of every policy, with the means that show it.

    The search for the means takes about `budget` seconds or less. Without the time limit it is
    deterministic; a larger budget never finds less. Where the search finds nothing harder than the
    closed forms of `minimax`, theirs is the answer.
    """
    load_solver()
    deadline = time.monotonic() + budget
    middle = Problem(feedback, np.full(len(feedback), 0.5 * upper), upper)
    exact_case(middle, horizon)
    T = float(horizon)
    closed = minimax(feedback, upper, horizon, budget)
    if len(feedback) == 1 or not closed.valid:
        nothing = Certificate(exact_case(middle, horizon), (), 0.0)
        why = "nothing has to be learnt: no two actions are seen with noise only"
        return Bound("minimax_computed", 0.0, True, why, nothing)
    found = hardest(feedback.variance, middle.upper, T, deadline)
    problem = Problem(feedback, np.minimum(found.theta * middle.upper, middle.upper), middle.upper)
    scaled = setting(problem.means, feedback.variance, problem.upper, T)
    final = least(scaled, found.found, FINAL_TOLERANCE, deadline=deadline + FINISH * budget)
    certificate = _certificate(problem, scaled, final, horizon)
    if certificate is None or certificate.value < closed.value:
        method = f"{closed.method}: the search found no harder means"
        return replace(closed, name="minimax_computed", method=method)
    why = f"no policy has less regret over {T:g} rounds, whatever the means in [0, {upper:g}]"
    return Bound(
        name="minimax_computed",
        value=certificate.value,
        valid=True,
        why=why,
        certificate=certificate,
        allocation=T * final.plan,
        method="thm:lb-0 at the means found",
        means=problem.means,
    )


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
