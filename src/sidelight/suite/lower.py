"""The lower bound that the suite divides by, and whom it is about.

On one problem no bound holds for every policy: who happens to play its best action in all rounds
loses nothing. Two bounds exclude that by a condition, and the larger one is taken:

    bounds.general   policies that never lose more than B, whatever the means in the range
    bounds.orbit     policies that treat labels alike; for others it is about the mean over
                     relabellings, and says nothing of the one order that is raced

B is the least that is proved of a policy here (`sandwich.best_promise`), so that there are such
policies; where nothing below T upper is proved, the minimax rate, which may be too little. A larger
B would exclude less, and give a smaller bound.

No order of the actions plays a part, so the problem is taken as its recipe has it. Recipes of one
family have the same feedback then, and what is proved for it is found again.
"""

from __future__ import annotations

import math

from .. import bounds
from ..curves import minimax_rate
from ..problem import Problem
from ..sandwich import best_promise
from ..simulate.statistics import short


def lower_bound(problem: Problem, horizon: int) -> tuple[float, str]:
    """The bound, and its name and condition in words; NaN where there is none."""
    policy, promise = best_promise(problem.feedback, problem.upper, horizon)
    told = f"which `{policy}` keeps"
    worst = promise.value
    if worst >= horizon * problem.upper:
        told = "the minimax rate"
        worst = minimax_rate(problem.feedback, problem.upper)(horizon)
    general = bounds.general(problem, horizon, worst)
    orbit = bounds.orbit(problem, horizon)
    found = {
        "`bounds.orbit`, for policies that treat labels alike": orbit,
        f"`bounds.general`, for policies of worst case at most {short(worst)}, {told}": general,
    }
    proved = {
        words: bound.value
        for words, bound in found.items()
        if bound.valid and 0 < bound.value < math.inf
    }
    words = max(proved, key=lambda name: proved[name], default="")
    return proved.get(words, math.nan), words
