"""Algorithm 1: follow the plan of the asymptotic lower bound [alg:asym].

The idea. The asymptotic lower bound comes with a plan: how often each action must be played, for
each unit of log t, to tell the best action from the others at the least cost. The policy computes
the plan for the estimated means. While the plays so far are as informative as a plan asks, the
policy plays the action that looks best. Otherwise it plays an action that is behind the plan, and
from time to time an action that shows what was seen least.

Symbols. theta-hat_j is the average of the observations of action j, i_1 the action with the largest
theta-hat_j, d_j the gap to i_1, and d_2 the smallest gap of an action other than i_1. n_j and N_i
are the numbers of observations of j and of plays of i before round t. K is the number of actions,
sigma the standard deviation of observations. The plans that tell the best action from the others
are

    C_theta-hat = { c >= 0 : sum of c_i over i that show j >= 2 sigma^2 / d_j^2 for every j }

with d_2 in place of d_j for j = i_1. c(theta-hat) is the cheapest of them. The rounds are

    initial   t <= K: play an observer of action t                                        [line 2]
    exploit   if N / (4 alpha log t) is in C_theta-hat, play i_1                        [lines 5-7]
    forced    else if min n_j < beta(n_e) / K, show an action that was seen least      [lines 9-10]
    track     else play an action with N_i < c_i(theta-hat) 4 alpha log t             [lines 11-12]

n_e is the number of rounds that were forced or track, and beta(n) = a n^b. Multiplied out, the
condition of line 5 is n_j d_j^2 >= 8 alpha sigma^2 log t for every j (d_2 for i_1): to exploit, no
program has to be solved.

What the paper leaves free: an observer of j is j itself if j shows itself, else the first action
that shows j. Of equal means and of equal counts the first action is taken. c(theta-hat) is the
least of (cost, plays of i_1, c_0, c_1, ...) in this order. Of the actions behind the plan, the one
furthest behind is played. If two means tie exactly, no plan exists: an action seen least is shown,
and the round counts as track. An action whose observations are all late is shown, too.

The parameters, with their defaults: `alpha=2.1` scales the information that is asked for; `a=0.5`
and `b=0.5` set how often rounds are forced. The theorem [thm:alg1-ub1] needs alpha > 2; smaller
values run, without the theorem. Ties or near-ties under weak observability make the regret linear:
the plan asks for information without end.

Memory: n_e; the decision for the next round, with its round and the number of values seen; then
needs, gaps, the unit vector of i_1, the plan, and the stored basis. `update` decides, because only
`update` may write. If values came after the decision, `choose` decides again, in a copy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..belief import precisions
from ..compiled import inlined, inlined_kernel, kernel
from ..errors import InputError
from ..programs.basis import best_plan, index, room
from ..setting import Setting
from .needs import Need
from .parts.ahead import AHEAD, EXPLORED, decided_ahead
from .parts.tracking import beware_of_ties
from .rule import MOST, Prepared, Rule, in_range

WORDS = ("initial", "exploit", "forced", "track")
EXPLOIT, FORCED, TRACK = range(1, 4)


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Accept one variance, and alpha > 0, 0 < a <= 1/2, 0 < b < 1."""
    sigma = setting.feedback.uniform_sigma or 0.0
    alpha = in_range("asymptotic", parameters, "alpha", 0, MOST)
    a = in_range("asymptotic", parameters, "a", 0, 0.5)
    b = in_range("asymptotic", parameters, "b", 0, 1)
    if b == 1:
        raise InputError("asymptotic:b=1 is too large: choose a smaller one")
    unit = precisions(setting.feedback, setting.upper).max()
    K = len(setting.feedback)
    memory = np.zeros(AHEAD + 6 * K + room(K))
    memory[AHEAD + 6 * K] = -1.0  # no basis is stored
    return Prepared(np.array([4 * alpha, a, b, 1 / unit, float(sigma == 0)]), memory)


@inlined
def _furthest_behind(plan: Any, scale: Any, plays: Any) -> Any:
    """The action with the largest plan_i * scale - N_i."""
    best, action = -np.inf, index(0)
    for i in range(index(plays.size)):
        behind = plan[i] * scale - plays[i]
        if behind > best:
            best, action = behind, i
    return np.int64(action)


@inlined
def _leader_and_least(means: Any, information: Any) -> Any:
    """The action with the best mean and the action seen least; of equals, the first."""
    leader, least = index(0), index(0)
    best, fewest = means[0], information[0]
    for j in range(index(1), index(means.size)):
        mean, count = means[j], information[j]
        leader = j if mean > best else leader
        best = mean if mean > best else best
        least = j if count < fewest else least
        fewest = count if count < fewest else fewest
    return leader, least


@inlined
def _tracked(belief: Any, known: Any, leader: Any, second: Any, scale: Any, memory: Any) -> Any:
    """The action furthest behind the plan c(theta-hat)."""
    K = known.observer.size
    need, cost = memory[AHEAD : AHEAD + K], memory[AHEAD + K : AHEAD + 2 * K]
    unit = memory[AHEAD + 2 * K : AHEAD + 3 * K]
    scratch = memory[AHEAD + 3 * K : AHEAD + 6 * K]
    for j in range(index(K)):
        gap = cost[j] if j != leader else second
        need[j] = 2.0 / (gap * gap)
        unit[j] = 0.0
    unit[leader] = 1.0
    best_plan(known, need, cost, unit, memory[AHEAD + 6 * K :], scratch)
    return _furthest_behind(scratch, scale, belief.plays)


@kernel
def _decide(t: Any, belief: Any, known: Any, parameters: Any, memory: Any) -> Any:
    """The action and the reason of round t > K [alg:asym, lines 4-16]."""
    K = index(known.observer.size)
    means, information = belief.means, belief.information
    leader, least = _leader_and_least(means, information)
    cost = memory[AHEAD + known.observer.size : AHEAD + 2 * known.observer.size]
    evidence, second = np.inf, np.inf
    for j in range(K):
        gap = means[leader] - means[j]
        cost[j] = gap
        if j != leader:
            second = min(second, gap)
            evidence = min(evidence, information[j] * gap * gap)
    evidence = min(evidence, information[leader] * second * second)
    scale = parameters[0] * math.log(t)
    if parameters[4] != 0.0 or (second > 0.0 and evidence >= 2.0 * scale):
        return np.int64(leader), EXPLOIT
    explored = memory[EXPLORED]
    beta = math.sqrt(explored) if parameters[2] == 0.5 else explored ** parameters[2]
    count = np.rint(information[least] * parameters[3])
    if count == 0.0 or count * known.observer.size < parameters[1] * beta:
        return known.observer[least], FORCED
    if second * second < 1e-300:
        return known.observer[least], TRACK
    return _tracked(belief, known, leader, second, scale, memory), TRACK


@inlined_kernel
def _decided(given: Any, memory: Any) -> Any:
    t, belief, known, parameters = given
    return _decide(t, belief, known, parameters, memory)


choose, update = decided_ahead(_decided, FORCED, called=False)  # counts exploration: line 14


ASYMPTOTIC = Rule(
    name="asymptotic",
    summary="tracks the plan of the asymptotic lower bound: the paper's first algorithm",
    source="Wu, Gyorgy and Szepesvari 2015, Algorithm 1",
    words=WORDS,
    caution=beware_of_ties,
    defaults={"alpha": 2.1, "a": 0.5, "b": 0.5},
    prepare=prepare,
    choose=choose,
    update=update,
    needs=(Need.UNIFORM,),
)
