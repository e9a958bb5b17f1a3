"""Thompson sampling with side observations: TS-N (Tossou, Dimitrakakis and Dubhashi 2017), TS-MaxN.

Each round draws one sample from the posterior of every mean, and plays as if the samples were the
means. n_j is the information about action j (the sum of 1/variance), S_j the precision-weighted sum
of its values, and theta_j its mean.

    theta_j ~ N(upper/2, 1/n0) a priori,  n0 = prior / upper^2
    sample  theta~_j ~ N((S_j + n0 upper/2) / (n_j + n0), 1/(n_j + n0))

    TS-N      plays k = argmax theta~_j
    TS-MaxN   plays the largest posterior mean among the actions that show k

The default prior=4 is worth four observations with the standard deviation `upper`. With this prior
the first round needs no special case, and the rule is the same in any units. Each round draws K
normals from the policy's own stream, in the order of the actions.

TS-MaxN is after Liu, Zheng and Shroff (2018), whose version is for graphs. With graded variances,
an action that hardly shows k could be chosen for ever. So only two kinds of actions count: those
whose precision for k is at least `quality` times the best precision for k, and k itself. Without k,
an action that shows everything best and pays nothing would be played for ever. This rule is ours.

Thompson sampling plays actions whose means are uncertain, and never pays to see another action. So
every action must show itself; otherwise the regret is linear.

The memory holds three numbers for each action: the information n_j, and the mean and the deviation
of the posterior that belong to this n_j. `choose` uses them only if the belief still has this n_j.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled import inlined
from ..engine.intrinsics import sqrt
from ..engine.streams import draw
from ..setting import Setting
from .needs import Need
from .rule import LEAST, MOST, Prepared, Rule, in_range


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """The memory starts with the prior."""
    prior = in_range("ts-n", parameters, "prior", LEAST, MOST)
    return from_prior(prior, setting, [])


def prepare_maxn(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """The same, with the quality that an observation must have."""
    prior = in_range("ts-maxn", parameters, "prior", LEAST, MOST)
    return from_prior(prior, setting, [in_range("ts-maxn", parameters, "quality", LEAST, 1)])


def from_prior(prior: float, setting: Setting, more: list[float]) -> Prepared:
    """Information and sum of the prior, and `more`."""
    n0, middle = prior / setting.upper**2, setting.upper / 2
    memory = np.tile([0.0, (n0 * middle) / n0, 1.0 / np.sqrt(n0)], len(setting.feedback))
    return Prepared(np.array([n0, n0 * middle, *more]), memory)


@inlined
def choose(t, belief, known, parameters, memory, stream):
    """The largest of one posterior sample for each action."""
    return np.int64(largest_sample(belief, parameters, memory, stream)), 0


@inlined
def choose_maxn(t, belief, known, parameters, memory, stream):
    """The largest mean among the good observers of the largest sample."""
    k = largest_sample(belief, parameters, memory, stream)
    enough = parameters[2] * known.precision[known.observer[k], k]
    best = -np.inf
    action = np.int64(k)
    for i in range(known.observer.size):
        if known.precision[i, k] >= enough or np.uint64(i) == k:
            mean, _ = posterior(belief, parameters, i)
            if mean > best:
                best = mean
                action = np.int64(i)
    return action, 0


@inlined
def largest_sample(belief, parameters, memory, stream):
    """The action with the largest posterior sample, one sample for each action."""
    best = -np.inf
    action: Any = np.uint64(0)
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    for j in range(np.uint64(belief.sums.size)):
        z, s0, s1, s2, s3 = draw(stream, s0, s1, s2, s3)
        place = np.uint64(3) * j
        mean, error = memory[place + np.uint64(1)], memory[place + np.uint64(2)]
        if memory[place] != belief.information[j]:
            mean, error = posterior(belief, parameters, j)
        sample = mean + error * z
        if sample > best:
            best = sample
            action = j
    stream[0], stream[1], stream[2], stream[3] = s0, s1, s2, s3
    return action


@inlined
def posterior(belief: Any, parameters: Any, j: Any) -> Any:
    """Mean and standard deviation of theta_j given the belief."""
    information = belief.information[j] + parameters[0]
    return (belief.sums[j] + parameters[1]) / information, 1.0 / sqrt(information)


@inlined
def update(t, belief, known, parameters, memory, action, why):
    """Store the posterior of what the action showed."""
    i = np.uint64(action)
    for k in range(np.uint64(known.start[i]), np.uint64(known.start[i + np.uint64(1)])):
        j = np.uint64(known.shown[k])
        place = np.uint64(3) * j
        memory[place] = belief.information[j]
        mean, error = posterior(belief, parameters, j)
        memory[place + np.uint64(1)], memory[place + np.uint64(2)] = mean, error


TS_N = Rule(
    name="ts-n",
    summary="Thompson sampling; learns from side observations",
    source="Tossou, Dimitrakakis and Dubhashi 2017, Thompson sampling for stochastic bandits with "
    "graph feedback",
    words=("sample",),
    defaults={"prior": 4.0},
    prepare=prepare,
    choose=choose,
    update=update,
    needs=(Need.SELF_OBSERVATION,),
)

TS_MAXN = Rule(
    name="ts-maxn",
    summary="the largest mean among those that show the largest posterior sample",
    source="after Liu, Zheng and Shroff 2018, Analysis of Thompson sampling for graphical bandits "
    "without the graphs",
    words=("sample",),
    defaults={"prior": 4.0, "quality": 0.5},
    prepare=prepare_maxn,
    choose=choose_maxn,
    update=update,
    needs=(Need.SELF_OBSERVATION,),
)
