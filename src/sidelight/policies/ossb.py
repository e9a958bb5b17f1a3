"""Optimal sampling for structured bandits: OSSB (Combes, Magureanu and Proutiere 2017).

The idea. The policy looks at every action once. From then on it compares its plays with the plan of
the exact asymptotic lower bound at the estimated means. If all plays are done, it plays the leader.
Otherwise it follows the plan, and now and then looks at the action that was looked at least.

Symbols. theta-hat_j is the precision-weighted mean of action j, n_j the information about it (the
sum of 1/variance), i the leader, and d_j the gap to the leader. pmax_j is the largest precision
with which any action shows j, so n_j/pmax_j counts looks at j. N_k is the number of plays of k
before round t, c_k the plan for each unit of log t, and s the number of rounds that did not
exploit.

    exploit    if N_k >= (1 + gamma) c_k log t for every k, play i
    estimate   else s grows by 1; if the fewest looks n_j/pmax_j are at most epsilon s, play the
               best observer of that action j
    track      else play the action k with the least N_k/c_k

The plan is the authors' program for Gaussian side observations: minimise <c, d> such that the plan
tells theta-hat from all means under which another action is best. What the leader shows is free,
however noisy, since the leader is played all the time. S_i is the set of actions that the leader
shows, and n is now the information that the plan brings. The conditions for an action j are

    1/n_i + 1/n_j <= d_j^2/2      if neither i nor j is in S_i
    n_j >= 2/d_j^2                if only i is in S_i
    n_i >= 2/d_j^2                if only j is in S_i
    none                          if both are in S_i

In the original, every play shows the played action itself, and looks are plays.

The parameters, with their defaults: `epsilon=0.01` sets how often the policy estimates;
`gamma=0.01` is what it does in excess of the plan; `refresh=0.01` makes the plan again when the
estimates have moved by about this part (`tracking`), and `refresh=0` in every round, as in the
original.

The authors proved, for their model: asymptotically optimal as epsilon and gamma tend to 0, if the
solution of the program is unique and continuous. Early gaps that are tiny by chance make huge
plans; ties under weak observability make the regret linear. If all variances are finite, the plan
is empty, and the policy is greedy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled import compiled, inlined
from ..engine.intrinsics import borrowed
from ..programs.basis import index
from ..programs.pairs import EXACT_BLOCKS, exact_plan
from ..setting import Setting
from .parts.ahead import EXPLORED, decided_ahead
from .parts.tracking import (
    FITS,
    GAPS,
    NO_PLAN,
    PAIR,
    PLAN,
    READY,
    SOLO,
    SQUARE,
    UNIT,
    beware_of_ties,
    block,
    exact_variance,
    is_stale,
    keep_plan,
    leader_and_least,
    least_done,
    remember,
    tracking_memory,
    work_space,
)
from .rule import Prepared, Rule, from_zero, in_range

WORDS = ("initial", "exploit", "estimate", "track")
EXPLOIT, ESTIMATE, TRACK = range(1, 4)
EPSILON, GAMMA, REFRESH, EXACT = range(4)  # places in the parameters
NOISY = 100.0  # a variance this many times the best one is hardly an observation


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Accept any observable matrix, 0 < epsilon <= 1, gamma > 0."""
    epsilon = in_range("ossb", parameters, "epsilon", 0, 1)
    gamma = in_range("ossb", parameters, "gamma", 0, 1e6)
    refresh = from_zero("ossb", parameters, "refresh", 1)
    chosen = [epsilon, gamma, refresh, exact_variance(setting.upper)]
    return Prepared(np.array(chosen), tracking_memory(len(setting.feedback)))


def caution(setting: Setting, parameters: Mapping[str, float]) -> str:
    """Warn of ties, and of leaders that show others too noisily to be corrected."""
    P = setting.feedback.precision
    with np.errstate(invalid="ignore"):
        poor = (P > 0) & (P.max(axis=0) > NOISY * P)
    if poor.any():
        i, j = np.argwhere(poor)[0]
        labels = setting.feedback.labels
        return (
            f"it takes what the leader shows to be free, and {labels[i]!r} shows {labels[j]!r} so "
            "noisily that a wrong leader may be kept for a very long time"
        )
    return beware_of_ties(setting, parameters)


@compiled
def fill_task(belief: Any, known: Any, leader: int, exact: float, memory: Any) -> float:
    """Write gaps, unit vector and conditions; return the largest on a pair, -1 if means tie."""
    means, errors = belief.means, belief.errors
    K = means.size
    gaps, unit = block(memory, GAPS, K), block(memory, UNIT, K)
    pair, solo = block(memory, PAIR, K), block(memory, SOLO, K)
    own, shown = errors[leader] * errors[leader], known.precision[leader]
    for j in range(K):
        unit[j] = pair[j] = solo[j] = 0.0
    unit[leader] = 1.0
    tied, top = False, 0.0
    for j in range(K):
        gap = means[leader] - means[j]
        gaps[j] = gap
        if j == leader or (shown[leader] > 0.0 and shown[j] > 0.0):
            continue
        if own <= exact and errors[j] * errors[j] <= exact:
            continue
        if gap * gap < SQUARE:
            tied = True
            continue
        need = 2.0 / (gap * gap)
        if shown[leader] > 0.0:
            solo[j] = need
        elif shown[j] > 0.0:
            solo[leader] = max(solo[leader], need)
        else:
            pair[j] = need
            top = max(top, need)
    return -1.0 if tied else top


@inlined
def _is_done(plan: Any, plays: Any, scale: Any) -> bool:
    """Whether N_k >= c_k scale for all actions k."""
    behind = 0
    for k in range(index(plays.size)):
        behind += plays[k] < plan[k] * scale
    return behind == 0


@compiled
def _decided(given: Any, memory: Any) -> Any:
    """The action and the reason of round t > K."""
    t, belief, known, parameters = borrowed(given)
    memory = borrowed(memory)
    K = known.observer.size
    plan = block(memory, PLAN, K)
    leader, least, looks = leader_and_least(belief, known)
    if looks == 0.0:
        return known.observer[least], ESTIMATE
    if is_stale(t, belief, leader, parameters[REFRESH], memory):
        remember(t, belief, leader, memory)
        memory[FITS] = NO_PLAN
        top = fill_task(belief, known, leader, parameters[EXACT], memory)
        if top >= 0.0:
            work, store = work_space(memory, K)
            task = (leader, top, block(memory, PAIR, K), block(memory, SOLO, K))
            gaps, unit = block(memory, GAPS, K), block(memory, UNIT, K)
            exact_plan(known, task, gaps, unit, store, work[: EXACT_BLOCKS * K])
            keep_plan(work[:K], plan)
            memory[FITS] = READY
    scale = (1.0 + parameters[GAMMA]) * math.log(t)
    if memory[FITS] == READY and _is_done(plan, belief.plays, scale):
        return leader, EXPLOIT
    if looks <= parameters[EPSILON] * (memory[EXPLORED] + 1.0) or memory[FITS] == NO_PLAN:
        return known.observer[least], ESTIMATE
    return least_done(plan, belief.plays)[0], TRACK


choose, update = decided_ahead(_decided, exploring=ESTIMATE)


OSSB = Rule(
    name="ossb",
    summary="tracks the plan of the asymptotic lower bound at the estimates; any structure",
    source="Combes, Magureanu and Proutiere 2017, Minimal exploration in structured stochastic "
    "bandits; side observations of any variance are our reading of it",
    words=WORDS,
    defaults={"epsilon": 0.01, "gamma": 0.01, "refresh": 0.01},
    prepare=prepare,
    choose=choose,
    update=update,
    caution=caution,
)
