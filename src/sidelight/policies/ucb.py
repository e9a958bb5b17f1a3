"""Optimism with side observations: UCB-N and UCB-MaxN (Caron, Kveton, Lelarge and Bhagat 2012).

First the policy looks at every action once. Then it plays by an index, an optimistic estimate of
the mean of each action j: theta-hat_j is the precision-weighted mean, n_j the information about j.

    u_j(t) = theta-hat_j + sqrt(exploration * log t / n_j)        n_j = information, in 1/variance

    UCB-N      plays k = argmax u_j
    UCB-MaxN   plays the largest theta-hat among the actions that show k

The original counts observations on a graph; with information for counts the same index serves any
variance matrix, and with variance 1 on a graph it is the original. In UCB-MaxN, an action that
hardly shows k could be chosen for ever. So only two kinds of actions count: those whose precision
for k is at least `quality` times the best precision for k, and k itself. Without k, an action that
shows everything best and pays nothing would be played for ever.

The index of an action shrinks only when the action is seen. So every action must show itself;
otherwise the action with the largest index is played for ever.

The search for the largest index can be short. Let i be the action played last, S_i the set of
actions that i shows, u a round, and

    w(t) = sqrt(exploration * log t),     M = max_{j not in S_i} theta-hat_j + w(u) / sqrt(n_j)

As long as nothing outside S_i was seen since, and t <= u, every index outside S_i is at most M,
because w grows. So if the index of i is above M and above all others within S_i, it is exactly the
largest of all. A leader mostly stays the leader, and the processor guesses this ahead of the index.
The memory holds i, M, u and `seen`; where S_i is most of the actions, a full search is faster.
The first values of w are looked up: a logarithm takes longer than the noise of a round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled import cached, inlined
from ..engine.contract import Floats
from ..engine.intrinsics import sqrt
from ..setting import Setting
from .greedy import no_update
from .needs import Need
from .parts.argmax import first_largest_index
from .rule import LEAST, MOST, Prepared, Rule, in_range

DEFAULTS = {"exploration": 2.0}
TABLE = 1 << 17  # at most so many values of w, one megabyte
KEPT = 64  # rounds until M is taken anew

LEADER, BEYOND, UNTIL, SEEN = range(4)  # places in the memory


def prepare_n(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Every action must show itself."""
    exploration = in_range("ucb-n", parameters, "exploration", 0, MOST)
    return Prepared(widths(exploration, setting), np.array([-1.0, 0.0, 0.0, -1.0]))


def prepare_maxn(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Every action must show itself."""
    exploration = in_range("ucb-maxn", parameters, "exploration", 0, MOST)
    quality = in_range("ucb-maxn", parameters, "quality", LEAST, 1)
    return Prepared(np.array([exploration, quality]), np.empty(0))


def widths(exploration: float, setting: Setting) -> Floats:
    """`exploration`, then w(1), w(2), ...: w(t) stands at place t."""
    table = np.full(min(setting.rounds or KEPT, TABLE) + 1, exploration)
    fill_widths(table)
    return table


@cached
def fill_widths(table: Any) -> None:
    """Fill in w(t), compiled, so that the table has the same bits as values beyond the table."""
    for t in range(1, table.size):
        table[t] = sqrt(table[0] * math.log(t))


@inlined
def width(t, parameters):
    """w(t), looked up or computed."""
    if t < parameters.size:
        return parameters[np.uint64(t)]
    return sqrt(parameters[0] * math.log(t))


@inlined
def choose_n(t, belief, known, parameters, memory, stream):
    """The largest index."""
    if t <= known.observer.size:
        return known.observer[t - 1], 0
    w = width(t, parameters)
    if t <= memory[UNTIL] and belief.seen[0] == memory[SEEN]:
        i = np.uint64(np.int64(memory[LEADER]))  # directly to unsigned takes ten instructions
        own = belief.means[i] + w * belief.errors[i]
        beaten = own <= memory[BEYOND]
        for k in range(np.uint64(known.start[i]), np.uint64(known.start[i + np.uint64(1)])):
            j = np.uint64(known.shown[k])
            if belief.means[j] + w * belief.errors[j] >= own and j != i:
                beaten = True
                break
        if not beaten:
            return np.int64(i), 1
    return first_largest_index(belief.means, belief.errors, w), 1


@inlined
def update_n(t, belief, known, parameters, memory, action, why):
    """Keep M while the same action is played; compute M when an action is played twice in a row."""
    i = np.uint64(action)
    shown = known.start[i + np.uint64(1)] - known.start[i]
    if memory[LEADER] != action or 2 * shown >= known.observer.size:
        memory[LEADER], memory[UNTIL] = action, 0
    elif t < memory[UNTIL] and belief.seen[0] == memory[SEEN] + shown:
        memory[SEEN] = belief.seen[0]
    else:
        w = width(t + KEPT, parameters)
        beyond = -np.inf
        for j in range(np.uint64(known.observer.size)):
            index = belief.means[j] + w * belief.errors[j]
            if index > beyond and known.precision[i, j] == 0.0:
                beyond = index
        memory[BEYOND] = beyond
        memory[UNTIL], memory[SEEN] = t + KEPT, belief.seen[0]


@inlined
def again_n(t, belief, known, parameters, memory, action):
    """`update_n` and `choose_n` in one, while the index of the action is above M."""
    i = np.uint64(action)
    if memory[LEADER] != action or t >= memory[UNTIL] or belief.seen[0] != memory[SEEN] + 1.0:
        return False
    if belief.means[i] + width(t + 1, parameters) * belief.errors[i] <= memory[BEYOND]:
        return False
    memory[SEEN] = belief.seen[0]
    return True


@inlined
def choose_maxn(t, belief, known, parameters, memory, stream):
    """The largest mean among the good observers of the largest index."""
    if t <= known.observer.size:
        return known.observer[t - 1], 0
    w = sqrt(parameters[0] * math.log(t))
    k = first_largest_index(belief.means, belief.errors, w)
    enough = parameters[1] * known.precision[known.observer[k], k]
    best = -np.inf
    action = k
    for i in range(known.observer.size):
        if (known.precision[i, k] >= enough or i == k) and belief.means[i] > best:
            best = belief.means[i]
            action = np.int64(i)
    return action, 1


SOURCE = (
    "Caron, Kveton, Lelarge and Bhagat 2012, Leveraging side observations in stochastic bandits"
)

UCB_N = Rule(
    name="ucb-n",
    summary="the largest upper confidence bound; learns from side observations",
    source=SOURCE,
    words=("initial", "optimism"),
    defaults=DEFAULTS,
    prepare=prepare_n,
    choose=choose_n,
    update=update_n,
    again=again_n,
    needs=(Need.SELF_OBSERVATION,),
)

UCB_MAXN = Rule(
    name="ucb-maxn",
    summary="the largest mean among those that show the largest upper confidence bound",
    source=SOURCE,
    words=("initial", "optimism"),
    defaults=DEFAULTS | {"quality": 0.5},
    prepare=prepare_maxn,
    choose=choose_maxn,
    update=no_update,
    needs=(Need.SELF_OBSERVATION,),
)
