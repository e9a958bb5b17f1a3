"""The oracle of the lower bound: it knows the means, and pays exactly what the bound asks.

c is the plan of the exact asymptotic bound (`bounds.graves_lai`) at the true means: c_i plays of
action i for each unit of log t. b is the best action, and N_i the number of plays of i before round
t. The oracle plays

    track     the action with the least N_i/c_i, if N_i < c_i log t for some i
    exploit   otherwise b

The regret over T rounds is the constant of the bound times log T, up to one play of each action.
This number is no lower bound at a finite horizon: good policies go below it. If several actions are
best, there is no plan, and the oracle plays one of them.

The plan is made in units of a power of 2 near the range of the means. Often many plans are optimal,
and rounding decides which one a solver finds. So units that differ by a power of 2 give the same
plan to the last bit; other units may give another plan, as good.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..bounds import graves_lai
from ..compiled import inlined
from ..engine.contract import Floats
from ..feedback import Feedback
from ..problem import Problem
from ..setting import Setting
from .greedy import no_update
from .needs import Need, Revealed, UnfitError
from .rule import Prepared, Rule


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """The best action, then the plan."""
    if not isinstance(setting, Revealed):
        raise UnfitError("policy 'oracle-lp' is told the true means, which only a simulation has")
    problem = _in_units_of_range(setting.feedback, setting.means, setting.upper)
    plan = graves_lai(problem).allocation
    chosen = np.zeros(1 + len(problem))
    chosen[0] = problem.best
    if plan is not None:
        chosen[1:] = plan
        chosen[1 + problem.best] = 0.0  # it is played all the time
    return Prepared(chosen, np.empty(0))


def _in_units_of_range(feedback: Feedback, means: Floats, upper: float) -> Problem:
    """The problem divided by a power of 2, which rounds nothing, such that 1 <= upper < 2."""
    unit = math.ldexp(1.0, math.frexp(upper)[1] - 1)
    with np.errstate(over="ignore", under="ignore"):
        variance = np.minimum(feedback.variance / unit / unit, np.finfo(float).max)
    variance[~feedback.observes] = np.inf
    return Problem(Feedback(variance, feedback.labels), means / unit, upper / unit)


@inlined
def choose(t, belief, known, parameters, memory, stream):
    """The action with the least part of its plan done, if any is behind; else the best action."""
    log = math.log(t)
    action, least = np.int64(parameters[0]), log
    for i in range(np.uint64(known.observer.size)):
        c = parameters[i + np.uint64(1)]
        done = belief.plays[i] / c if c > 0.0 else np.inf
        if done < least:
            action, least = np.int64(i), done
    return action, np.int64(1) if least < log else np.int64(0)


ORACLE_LP = Rule(
    name="oracle-lp",
    summary="knows the means, and pays what the asymptotic lower bound asks; a reference line",
    source="the plan of the exact form of [eq:lb-asy] in Wu, Gyorgy and Szepesvari 2015, after "
    "Graves and Lai 1997",
    words=("exploit", "track"),
    defaults={},
    prepare=prepare,
    choose=choose,
    update=no_update,
    needs=(Need.TRUTH,),
)
