"""The best promise that explore-then-commit can make on a structure: search, then proof.

The plan comes from `exploring`, which also guesses its worst case. The value is that guess plus as
little as boxes can prove; where there are too many actions for boxes, every gap is taken by itself.
No clock is looked at: the rungs of the ladder, the boxes of a proof and the turns of a search are
counted. Values are rounded up to six digits, so that the last bits of a mathematical library do not
show.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..feedback import Feedback
from .apart import best_thresholds
from .case import RefutedError
from .commitment import MOST_ACTIONS, Exploration
from .exploring import Explored, Planner, best_plan, has_plan, worst
from .kinds import alike
from .promise import MOST_KINDS, Promise, trivial

# How far above the guess boxes are tried, relatively, for so many actions; and their fineness.
LADDERS = {
    5: ((0.002, 0.005, 0.02, 0.1), 384),
    7: ((0.01, 0.04, 0.15), 256),
    9: ((0.1, 0.3), 128),
}
# With more kinds of actions no plan is looked for: the proof would take minutes.
SEARCHED = 24
# A proof that may lie further above the worst case, relatively, is called loose.
LOOSE = 0.03
# A plan that may lose so much of the whole is not worth a proof.
HOPELESS = 0.98
DIGITS = Context(prec=6, rounding=ROUND_CEILING)


@dataclass(frozen=True)
class Promised:
    """A promise, the worst regret that a search found for its plan, in the units of the promise,
    and whether a longer proof might promise less."""

    promise: Promise
    found: float
    loose: bool


@lru_cache(maxsize=256)
def planned(feedback: Feedback, upper: float, horizon: float) -> tuple[int, ...] | None:
    """How often `commit` plays each action before it commits; None if it has no plan.

    There is none if no plan shows everything within the horizon, and none is looked for if the
    actions are of more than `SEARCHED` kinds. The guarantee is about this plan, proved or not.
    """
    if len(feedback) == 1:
        return (0,)
    if too_many_kinds(feedback):
        return None
    return best_plan(_planner(feedback, upper, horizon))


def is_planned(feedback: Feedback, upper: float, horizon: float) -> bool:
    """Whether `planned` finds a plan, without the search for a good one."""
    if len(feedback) == 1 or too_many_kinds(feedback):
        return len(feedback) == 1
    return has_plan(_planner(feedback, upper, horizon))


def too_many_kinds(feedback: Feedback) -> bool:
    """Whether no plan is looked for, because few actions show, and are shown, alike."""
    return len(alike(feedback.precision)) > SEARCHED


def promised(feedback: Feedback, upper: Fraction, horizon: Fraction) -> Promised:
    """The plan that a search finds best, and what it provably never loses more than."""
    variance = tuple(
        tuple(None if math.isinf(v) else Fraction(float(v)) for v in row)
        for row in feedback.variance
    )
    plays = planned(feedback, float(upper), float(horizon))
    plan = Exploration(variance, upper, horizon, plays or (0,) * len(feedback))
    if len(feedback) == 1:
        return Promised(Promise(plan, 0.0, fineness=1), 0.0, loose=False)
    fallback = Promised(trivial(plan), math.nan, loose=plays is None and too_many_kinds(feedback))
    if plays is None or plan.is_blind:
        return fallback
    known = _planner(feedback, float(upper), float(horizon)).known(plays)
    assert known is not None
    proved = _proved(plan, known)
    return proved if proved.promise.value < fallback.promise.value else fallback


def _planner(feedback: Feedback, upper: float, horizon: float) -> Planner:
    with np.errstate(all="ignore"):
        precision = np.where(feedback.observes, upper / feedback.variance * upper, 0.0)
    return Planner(precision, 1.0, horizon, len(feedback) <= MOST_ACTIONS)


def _proved(plan: Exploration, known: Explored) -> Promised:
    """By boxes, on the lowest rung that holds; otherwise by single gaps."""
    K = len(plan.plays)
    found = math.nan  # in the units of the plan
    if K <= MOST_ACTIONS:
        in_ranges = worst(known, thorough=True)
        found = in_ranges * float(plan.upper)
        if in_ranges >= HOPELESS * float(plan.horizon):
            return Promised(trivial(plan), found, loose=False)
        rungs, fineness = next(LADDERS[most] for most in LADDERS if most >= K)
        # From the top: a rung that does not hold uses up all its boxes, and lower ones do not hold.
        kept = None
        for spare in sorted(rungs, reverse=True):
            value = _rounded(in_ranges * (1 + spare), plan.upper)
            promise = Promise(plan, value, fineness=fineness)
            if not promise.check():
                break
            kept = Promised(promise, found, loose=spare > LOOSE)
        if kept is not None:
            return kept
    if len(plan.kinds) > MOST_KINDS:
        return Promised(trivial(plan), found, loose=True)
    try:
        thresholds, bound = best_thresholds(plan.in_units())
    except RefutedError:
        return Promised(trivial(plan), found, loose=True)
    promise = Promise(plan, _rounded(bound, plan.upper), thresholds=thresholds)
    return Promised(promise if promise.check() else trivial(plan), found, loose=True)


def _rounded(value: float, upper: Fraction) -> float:
    """value times the range, rounded up to six digits."""
    exact = Fraction(value) * upper
    return float(DIGITS.divide(Decimal(exact.numerator), Decimal(exact.denominator)))
