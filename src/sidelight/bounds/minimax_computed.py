"""The minimax lower bound, computed: the larger of what two searches prove.

*Rows* [thm:lb-0]. If, for some theta, no plan satisfies the rows of [thm:lb-0] for a worst-case
regret B, then no policy has worst-case regret B. The largest such B for a theta is

    T min over plans p of the loss of p ,

a convex program, and the best theta is found by search (`hard_means`). Whatever the search finds is
proved: the rows refute every policy that claims B. No closed form, no assumption on the variances,
and constants that are several times those of [cor:lb-minimax].

*Pairs* (`exact_pairs`). A base against alternatives, as control problems. With up to thirty actions
they mostly prove more: the rows know how often an action is played, and not when.

With up to ten actions both searches run until they have converged. With more they stop after a
fixed amount of work; the bound then says that it was `stopped`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..feedback import Feedback
from ..numerals import grouped
from ..problem import Problem
from ..programs import Effort, check_budget, load_solver
from ..programs.cutting import Least, least
from ..programs.effort import MEANS_SHARE
from ..programs.separation import ScaledProblem, scale_problem, steps_to_separate
from ..setting import Given, resolved
from .bound import Bound, Candidate
from .certificate import Certificate
from .duality import alternatives, as_fractions, exact_case
from .exact_pairs import exact_pairs
from .hard_means import hardest
from .kept import kept
from .minimax import minimax

NAME = "minimax_computed"
FINAL_TOLERANCE = 1e-6
# The shortest search asks the oracle twice, and its proof takes about as long as a third time.
LEAST = 3
# Of the seconds that a user gives: for the pairs; the rest is for the rows.
PAIRS_SHARE = 0.4
# How far below the value of the program the claim is put, until exact arithmetic confirms it.
SPARES = (1e-10, 1e-8, 1e-6, 1e-4, 1e-2)


def minimax_computed(
    feedback: Given,
    upper: float | None = None,
    horizon: float | None = None,
    *,
    budget: float | None = None,
) -> Bound:
    """A lower bound on the worst-case regret of every policy, with the means that show it.

    The value is the same on every run, unless `budget` limits the searches to so many seconds.
    `method` says which search proved it; `candidates` holds both. Where neither proves more than
    the closed forms of `minimax`, theirs is the answer. A `Setting` may say the range and the
    horizon.
    """
    known, upper, horizon = resolved(feedback, upper, horizon, "bounds.minimax_computed")
    middle = Problem(known, np.full(len(known), 0.5 * upper), upper)
    exact_case(middle, horizon)
    return _computed(known, middle.upper, horizon, check_budget(budget))


@lru_cache(maxsize=64)
def _computed(feedback: Feedback, upper: float, horizon: float, budget: float | None) -> Bound:
    """The bound, remembered: an analysis, its figure and its page ask for the same one."""
    shares = [None if budget is None else budget * part for part in (PAIRS_SHARE, 1 - PAIRS_SHARE)]
    pairs = exact_pairs(feedback, upper, horizon, budget=shares[0])
    rows = by_rows(feedback, upper, horizon, shares[1])
    best = replace(pairs, name=NAME) if pairs.value > rows.value else rows
    candidates = tuple(
        Candidate(bound.method, "ours", bound.value, True, bound.why, certificate=bound.certificate)
        for bound in (rows, pairs)
    )
    return replace(best, candidates=candidates, stopped=pairs.stopped or rows.stopped)


@kept
def by_rows(feedback: Feedback, upper: float, horizon: float, budget: float | None) -> Bound:
    """The largest B that rows of [thm:lb-0] refute, at the hardest means found."""
    load_solver()
    effort = Effort.on(len(feedback), budget)
    T = float(horizon)
    closed = minimax(feedback, upper, horizon, budget)
    if len(feedback) == 1 or not feedback.variance.min(axis=0).any():
        why = "nothing has to be learnt: there is one action, or every action is seen exactly"
        return replace(closed, name=NAME, valid=True, why=why)
    if effort.left < LEAST * steps_to_separate(len(feedback)) or effort.is_over():
        return _instead(replace(closed, stopped=True), "no search was made")
    found = hardest(feedback.variance, upper, T, effort.part(MEANS_SHARE))
    problem = Problem(feedback, np.minimum(found.theta * upper, upper), upper)
    scaled = scale_problem(problem.means, feedback.variance, upper, T)
    better = least(scaled, found.found, FINAL_TOLERANCE, effort=effort)
    final = max(found.found, better, key=lambda result: result.lower)
    certificate = _certificate(problem, scaled, final, horizon)
    stopped = effort.stopped or found.stopped
    if certificate is None:
        return _instead(closed, "the numbers are too large, or too small, for a search")
    if certificate.value < closed.value:
        found_none = "" if stopped else "the search found no harder means"
        return _instead(replace(closed, stopped=stopped or closed.stopped), found_none)
    why = (
        f"no policy has less regret over {grouped(T)} rounds, whatever the means in [0, {upper:g}]"
    )
    allocation = T * final.plan
    allocation.setflags(write=False)  # the bound is remembered, and shared by all who ask for it
    return Bound(
        name=NAME,
        value=certificate.value,
        valid=True,
        why=why,
        certificate=certificate,
        allocation=allocation,
        method="thm:lb-0 at the means found",
        means=problem.means,
        stopped=stopped,
    )


def _instead(closed: Bound, why: str) -> Bound:
    """The best closed form in place of a search, or 0 where none holds: regret is not negative."""
    if not closed.valid:
        nothing = f"regret is never negative, and {why or 'the search stopped early'}"
        return replace(closed, name=NAME, valid=True, why=nothing)
    return replace(closed, name=NAME, method=f"{closed.method}: {why}" if why else closed.method)


def _certificate(
    problem: Problem, scaled: ScaledProblem, final: Least, horizon: float
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
