"""Optimism with side observations: UCB-N and UCB-MaxN (Caron, Kveton, Lelarge and Bhagat 2012).

After one look at every action, with the index

    u_j(t) = theta-hat_j + sqrt(exploration * log t / n_j)        n_j = information, in 1/variance

    UCB-N      plays k = argmax u_j
    UCB-MaxN   plays the largest theta-hat among the actions that show k

The original counts observations on a graph; with information for counts the same index serves any
variance matrix, and with variance 1 on a graph it is the original. For UCB-MaxN a neighbour that
shows k barely could be chosen for ever, so only those count whose precision for k is at least
`quality` times the best one.

The index of an action shrinks only when it is seen. So every action must show itself: otherwise
the one with the largest index is played for ever.

Leaders that last. The full search is not needed in every round. Let i have been played at t0, and

    M = max_{j != i} theta-hat_j + w(t0 + GUARD) / sqrt(n_j),     w(t) = sqrt(exploration * log t)

As long as nothing but i itself was seen since, and t <= t0 + GUARD, every other index is at most M,
because w grows. So while theta-hat_i + w(t0) / sqrt(n_i) > M, action i is the argmax, exactly. The
memory holds i, M, w(t0), the last such t, and what the belief had seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine.compiled import cached, inlined
from ..engine.intrinsics import sqrt
from ..engine.runner import make_record, make_run
from .argmax import first_largest_index
from .greedy import no_update
from .rule import Prepared, Rule, Setting, in_range, needs_self_observation

DEFAULTS = {"exploration": 2.0}


def prepare_n(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Every action must show itself."""
    needs_self_observation("ucb-n", setting.feedback)
    exploration = in_range("ucb-n", parameters, "exploration", 0, np.inf)
    return Prepared(np.array([exploration]), np.empty(0))


def prepare_maxn(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Every action must show itself."""
    needs_self_observation("ucb-maxn", setting.feedback)
    exploration = in_range("ucb-maxn", parameters, "exploration", 0, np.inf)
    quality = in_range("ucb-maxn", parameters, "quality", 0, 1)
    return Prepared(np.array([exploration, quality]), np.empty(0))


@inlined
def choose_n(t, belief, known, parameters, memory, stream):
    """The largest index."""
    if t <= known.observer.size:
        return known.observer[t - 1], 0
    width = sqrt(parameters[0] * math.log(t))
    return first_largest_index(belief.means, belief.errors, width), 1


@inlined
def choose_maxn(t, belief, known, parameters, memory, stream):
    """The largest mean among the good observers of the largest index."""
    if t <= known.observer.size:
        return known.observer[t - 1], 0
    width = sqrt(parameters[0] * math.log(t))
    k = first_largest_index(belief.means, belief.errors, width)
    enough = parameters[1] * known.precision[known.observer[k], k]
    best = -np.inf
    action = k
    for i in range(known.observer.size):
        if known.precision[i, k] >= enough and belief.means[i] > best:
            best = belief.means[i]
            action = np.int64(i)
    return action, 1


_run_n = make_run(choose_n, no_update)
_record_n = make_record(choose_n, no_update)
_run_maxn = make_run(choose_maxn, no_update)
_record_maxn = make_record(choose_maxn, no_update)


@cached
def run_n(world: Any, known: Any, parameters: Any, memory: Any, job: Any) -> None:
    """The loop of `ucb-n`."""
    _run_n(world, known, parameters, memory, job)


@cached
def record_n(world, known, parameters, memory, job, tape):
    """The recorded loop of `ucb-n`."""
    _record_n(world, known, parameters, memory, job, tape)


@cached
def run_maxn(world: Any, known: Any, parameters: Any, memory: Any, job: Any) -> None:
    """The loop of `ucb-maxn`."""
    _run_maxn(world, known, parameters, memory, job)


@cached
def record_maxn(world, known, parameters, memory, job, tape):
    """The recorded loop of `ucb-maxn`."""
    _record_maxn(world, known, parameters, memory, job, tape)


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
    update=no_update,
    run=run_n,
    record=record_n,
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
    run=run_maxn,
    record=record_maxn,
)
