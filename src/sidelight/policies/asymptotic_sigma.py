"""Algorithm 1 for every observable variance matrix: follow the plan of the exact program.

The idea is that of `asymptotic`: play the action that looks best while it is known well enough to
be the best, else follow the cheapest plan that would make it known. Two things differ: information
takes the place of counts, and the plan is that of the exact lower bound (`bounds.graves_lai`).

Symbols. theta-hat_j is the precision-weighted mean of action j, n_j the information about it (the
sum of 1/variance), i the leader, d_j the gap to the leader, and s_j^2 = 1/n_i + 1/n_j the variance
of the estimated gap. N_k is the number of plays of action k before round t, P_kj the precision with
which a play of k shows j, pmax_j the largest P_kj for j, K the number of actions, and f(t) = log t
+ log(1 + log t). The rounds are

    initial   t <= K: play the best observer of action t
    exploit   if Z_j = d_j^2 / (2 s_j^2) >= f(t) for every j, play i
    forced    else if the fewest looks n_j/pmax_j are below beta(n_e)/K, show that action j
    track     else play the action k with the least N_k/c_k of the plan c
    short     as track, but no plan fits into the rounds that are left: play i

Z_j is the log-likelihood ratio against "j is at least as good as i": the leader is confirmed by a
test, where Algorithm 1 compares counts. n_e is the number of rounds that are neither initial nor
exploit, and beta(n) = a n^b. The plan c solves, at theta-hat,

    minimise  <c, d + price>   over c >= 0, with the information n = P^T c that c brings,
              1/n_i + 1/n_j <= g_j^2/(2 f) for every j,    sum(c) <= rounds left

    g_j = max(d_j, s_j)           a gap is not believed to be smaller than its error; otherwise
                                  early noise would ask for millions of plays
    price = min_j g_j / f(t)      the price of a round; without it, a leader that shows others
                                  slowly, at no cost, would be played until they are known

The price vanishes as t grows, so the plan tends to that of the exact lower bound.

The parameters, with their defaults:

    alpha=0        if positive, f(t) = 4 alpha log t, as in Algorithm 1
    a=0.5, b=0.5   how often rounds are forced: beta(n) = a n^b
    program=exact  the program above. `program=paper` takes the plan and the test of Algorithm 1,
                   with information for counts: n_j >= 2 f/d_j^2, for i the same with the smallest
                   gap of another action; no price, no s_j; of the cheapest plans the one that
                   plays i least. With one variance it is the plan of `asymptotic`.
    budget=1       1: the plan must fit into the rounds left, if the horizon is known; 0: need not
    refresh=0.01   make the plan again when the estimates have moved by about this part; 0: always

Two means that were both seen without noise (1/n at the cut of `belief`) are settled, even if equal.

No theorem covers this policy: the paper's is for one variance, `program=paper` and alpha > 2. Near
ties under weak observability, regret is linear until no plan fits any more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled import compiled, inlined
from ..engine.intrinsics import borrowed
from ..errors import InputError
from ..programs.basis import index
from ..programs.pairs import within
from ..setting import Setting
from .parts.ahead import EXPLORED, decided_ahead
from .parts.tracking import (
    FITS,
    GAPS,
    MADE,
    NO_PLAN,
    PAIR,
    PLAN,
    READY,
    SOLO,
    SQUARE,
    TOO_LONG,
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
from .rule import Prepared, Rule, from_zero, in_range, switch

NAME = "asymptotic-sigma"
WORDS = ("initial", "exploit", "forced", "track", "short")
EXPLOIT, FORCED, TRACK, SHORT = range(1, 5)
ALPHA, A, B, PAPER, BUDGET, REFRESH, EXACT = range(7)  # places in the parameters


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Accept any observable matrix, 0 < a <= 1/2, 0 < b < 1, alpha and refresh not negative."""
    a = in_range(NAME, parameters, "a", 0, 0.5)
    b = in_range(NAME, parameters, "b", 0, 1)
    if b == 1:
        raise InputError(f"{NAME}:b=1 is too large: choose a smaller one")
    alpha = from_zero(NAME, parameters, "alpha", 1e6)
    refresh = from_zero(NAME, parameters, "refresh", 1)
    budget = switch(NAME, parameters, "budget")
    exact = exact_variance(setting.upper)
    chosen = [alpha, a, b, parameters["program"], budget, refresh, exact]
    return Prepared(np.array(chosen), tracking_memory(len(setting.feedback)))


@inlined
def _threshold(t: Any, alpha: Any) -> Any:
    """The threshold f(t) of the test."""
    log = math.log(t)
    return 4.0 * alpha * log if alpha > 0.0 else log + math.log(1.0 + log)


@inlined
def _is_settled(belief: Any, leader: Any, f: Any, parameters: Any) -> bool:
    """Whether the test of the chosen program confirms that the leader is the best action."""
    means, errors = belief.means, belief.errors
    i = index(leader)
    own, exact, paper = errors[i] * errors[i], parameters[EXACT], parameters[PAPER] != 0.0
    for j in range(index(means.size)):
        if j == i:
            continue
        gap, other = means[i] - means[j], errors[j] * errors[j]
        if own <= exact and other <= exact:
            continue
        doubt = max(own, other) if paper else own + other
        if not gap * gap >= 2.0 * f * doubt or gap == 0.0:
            return False
    return True


@compiled
def fill_task(belief: Any, leader: int, parameters: Any, f: float, memory: Any) -> Any:
    """Write gaps, the unit vector of the leader and the conditions of the program into memory.

    Return the price of a round (negative if means tie), an infinite budget, and the largest
    condition on a pair.
    """
    means, errors = belief.means, belief.errors
    K = means.size
    gaps, unit = block(memory, GAPS, K), block(memory, UNIT, K)
    pair, solo = block(memory, PAIR, K), block(memory, SOLO, K)
    own, exact, paper = errors[leader] * errors[leader], parameters[EXACT], parameters[PAPER]
    smallest, top = np.inf, 0.0
    for j in range(K):
        gaps[j], unit[j], pair[j], solo[j] = means[leader] - means[j], 0.0, 0.0, 0.0
    for j in range(K):
        gap, other = gaps[j], errors[j] * errors[j]
        if j == leader or (own <= exact and other <= exact):
            continue
        if paper == 0.0:
            gap = max(gap, math.sqrt(own + other))
            pair[j] = 2.0 / (gap * gap)
            top = max(top, pair[j])
        elif gap * gap >= SQUARE:
            solo[j] = 2.0 / (gap * gap)
            solo[leader] = max(solo[leader], solo[j])
        smallest = min(smallest, gap)
    unit[leader] = 1.0
    if smallest * smallest < SQUARE:
        return -1.0, np.inf, top
    return smallest / f if paper == 0.0 else 0.0, np.inf, top


@compiled
def _decided(given: Any, memory: Any) -> Any:
    """The action and the reason of round t > K."""
    t, belief, known, parameters = borrowed(given)
    memory = borrowed(memory)
    K = known.observer.size
    leader, least, looks = leader_and_least(belief, known)
    f = _threshold(t, parameters[ALPHA])
    if looks > 0.0 and _is_settled(belief, leader, f, parameters):
        return leader, EXPLOIT
    explored = memory[EXPLORED]
    beta = math.sqrt(explored) if parameters[B] == 0.5 else explored ** parameters[B]
    if looks == 0.0 or looks * K < parameters[A] * beta:
        return known.observer[least], FORCED
    stale = is_stale(t, belief, leader, parameters[REFRESH], memory)
    action, done = least_done(block(memory, PLAN, K), belief.plays)
    if stale or (memory[FITS] == READY and done >= f and memory[MADE] != t):
        remember(t, belief, leader, memory)
        price, budget, top = fill_task(belief, leader, parameters, f, memory)
        memory[FITS] = NO_PLAN
        if price >= 0.0:
            if parameters[BUDGET] != 0.0 and known.horizon > 0:
                budget = (known.horizon - t + 1.0) / f
            work, store = work_space(memory, K)
            task = (leader, top, block(memory, PAIR, K), block(memory, SOLO, K))
            costs = (block(memory, GAPS, K), block(memory, UNIT, K), budget)
            fits = within(known, task, costs, price, store, work)
            memory[FITS] = READY if fits else TOO_LONG
            keep_plan(work[:K], block(memory, PLAN, K))
        action, done = least_done(block(memory, PLAN, K), belief.plays)
    if memory[FITS] == NO_PLAN:
        return known.observer[least], TRACK
    if memory[FITS] == TOO_LONG:
        return leader, SHORT
    return action, TRACK


choose, update = decided_ahead(_decided, exploring=FORCED)


ASYMPTOTIC_SIGMA = Rule(
    name=NAME,
    summary="tracks the exact program of the asymptotic lower bound; any observable structure",
    source="Algorithm 1 of Wu, Gyorgy and Szepesvari 2015 with information for counts; no theorem "
    "covers it",
    words=WORDS,
    defaults={"alpha": 0.0, "a": 0.5, "b": 0.5, "program": 0.0, "budget": 1.0, "refresh": 0.01},
    prepare=prepare,
    choose=choose,
    update=update,
    caution=beware_of_ties,
    choices={"program": ("exact", "paper")},
    edition=2,
)
