"""Exponential weights with side observations: Exp3.G, Exp3-IX and Exp3-WIX.

These policies are made for adversaries: the losses l_j in [0, 1] of the actions j may be anything.
Each policy estimates every loss by l^_j, so that the estimates are right on average (or nearly so),
and plays an action with a probability that falls exponentially with the sum of its estimates. Let p
be the distribution of the next play, I the action played, o_j the probability that a play shows j,
and w_ij a weight between 0 and 1 (below):

    exp3-g    l^_j = l_j 1{I shows j} / o_j            q_j ~ exp(-eta sum l^_j),
                                                       p = (1 - gamma) q + gamma uniform(U)
    exp3-ix   l^_j = l_j 1{I shows j} / (o_j + gamma)      p_j ~ exp(-eta_t sum l^_j)
    exp3-wix  l^_j = w_Ij l_j / (sum_i p_i w_ij + gamma)   p_j ~ exp(-eta_t sum l^_j)

Exp3.G (Alon, Cesa-Bianchi, Dekel and Koren 2015) knows the horizon T. With K actions, alpha the
independence number, and delta the size of a set that shows all weakly observable actions,

    strongly observable   U = all actions,  gamma = min(1/sqrt(alpha T), 1/2),  eta = 2 gamma
    weakly observable     U = that set,     gamma = min((delta log K / T)^(1/3), 1/2),
                                            eta = gamma^2 / delta

Exp3-IX (Kocak, Neu, Valko and Munos 2014) and Exp3-WIX (Kocak, Neu and Valko 2016) tune themselves:

    eta_t = gamma_t = sqrt(log K / (K + sum_{s < t} Q_s)),     Q_s = sum_j p_j / (o_j + gamma_s)

(with sum_i p_i w_ij for o_j in Exp3-WIX).

From values to losses. A value x of j becomes l = (D + m - x) / (D + 2 m) cut to [0, 1], D = upper,
m = sd sqrt(2 log T); if the horizon is unknown, m is 6 sd. One sd serves all observations, so the
loss of every action is the same function of its mean. On a graph, sd is sigma. For graded
variances v = sd^2 is the least one for which the observations of variance at most v still have the
class of the whole structure (every action strongly observable, or every action observed); Exp3-IX
and Exp3-WIX need actions that show themselves, so for them v is the largest variance with which an
action shows itself. Exp3.G and Exp3-IX ignore noisier observations. Exp3-WIX gives them the weight
w_ij = min(1, v / variance_ij), which is the square of the quality s_ij of the paper: a value times
s_ij has its signal multiplied by s_ij, and noise of the standard deviation sd.

The numbers alpha and delta are hard to compute; both are found greedily, which is never more for
alpha and never less for delta than the true number.

The contract hands `update` no values, but they follow from the belief: the memory holds the
information and the sums before the play, and (S_j - S_j before)/(n_j - n_j before) is the mean of
the values of j that came since, n_j - n_j before their precision. Values that come late count in
the round in which they come, with the p of that round. Values that are lost in rounding, because
one exact value has outweighed all others, do not count.

Constants are as we know them; the texts of the papers were not at hand to compare. The published
regret bounds are for bounded losses and graphs: sqrt(alpha T) and (delta log K)^(1/3)
T^(2/3), up to logarithms, and sqrt(alpha* T) for Exp3-WIX. Gaussian values that are cut, graded
variances and the greedy numbers are ours; no theorem covers them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..belief import precisions
from ..compiled import compiled, inlined
from ..engine.contract import Floats
from ..engine.streams import uniform
from ..programs.covers import greedy_cover
from ..programs.independent import greedy_independent_set
from ..setting import Setting
from ..structure import strongly_observable
from ..variances import BoolArray
from .needs import Need
from .rule import Prepared, Rule

LEAST, MARGIN, GAMMA, ETA, EXPLORE = range(5)  # places in the parameters; EXPLORE: gamma uniform(U)
ROUNDING = 1e-9  # a smaller part of the information than this is not told from rounding
ENOUGH = 1 - 1e-6  # of the precision asked for: the rest is rounding
WIDE = 6.0  # standard deviations, where the number of values to come is unknown


def least_precision(precision: Floats) -> float:
    """The largest P for which the entries of at least P have the class of the whole structure."""
    strong = bool(strongly_observable(precision > 0).all())

    def enough(graph: BoolArray) -> bool:
        kept = strongly_observable(graph) if strong else graph.any(axis=0)
        return bool(kept.all())

    values = np.unique(precision[precision > 0])
    low, high = 0, len(values) - 1  # the entries of at least values[low] are enough
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if enough(precision >= values[middle]) else (low, middle - 1)
    return float(values[low])


def rates(graph: BoolArray, horizon: int) -> tuple[float, float, Floats]:
    """gamma, eta and gamma times the uniform distribution on U."""
    K = len(graph)
    weak = ~strongly_observable(graph)
    share = np.zeros(K)
    if weak.any():
        members = list(greedy_cover(graph[:, weak]))
        gamma = min((len(members) * math.log(K) / horizon) ** (1 / 3), 0.5)
        share[members] = gamma / len(members)
        return gamma, gamma * gamma / len(members), share
    gamma = min(1 / math.sqrt(len(greedy_independent_set(graph)) * horizon), 0.5)
    share[:] = gamma / K
    return gamma, 2 * gamma, share


def margin(least: float, horizon: int | None) -> float:
    """The margin m: how far outside the range of the means a value is cut."""
    deviations = WIDE if horizon is None else math.sqrt(2 * math.log(horizon))
    return deviations / math.sqrt(least)


def start(K: int, own: int) -> Floats:
    """The memory: p, the log-weights, information and sums before the play, then `own` numbers."""
    memory = np.zeros(4 * K + own)
    memory[:K] = 1.0 / K
    return memory


def prepare_g(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Every observable structure; the horizon is needed."""
    assert setting.rounds is not None  # setting.check has seen to it
    precision = precisions(setting.feedback, setting.upper)
    least = least_precision(precision)
    gamma, eta, share = rates(precision >= least, setting.rounds)
    chosen = [least, margin(least, setting.rounds), gamma, eta]
    K = len(setting.feedback)
    memory = start(K, 0)
    memory[:K] = (1 - gamma) / K + share
    return Prepared(np.concatenate([chosen, share]), memory)


def prepare_ix(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Every action must show itself."""
    least = float(precisions(setting.feedback, setting.upper).diagonal().min())
    chosen = np.array([least, margin(least, setting.rounds)])
    return Prepared(chosen, start(len(setting.feedback), 1))


@inlined
def sample(memory, actions, stream):
    """An action with the probabilities at the start of the memory."""
    u = uniform(stream)
    total = 0.0
    for i in range(actions - 1):
        total += memory[i]
        if u < total:
            return np.int64(i)
    return np.int64(actions - 1)


@inlined
def choose(t, belief, known, parameters, memory, stream):
    """An action, drawn with the probabilities that the last `update` stored."""
    return sample(memory, belief.sums.size, stream), 0


@inlined
def loss(j, belief, known, parameters, memory):
    """The loss of j that came since the last play, and its precision, which is 0 if none came."""
    K = belief.sums.size
    n, S = belief.information[j], belief.sums[j]
    gained, more = n - memory[2 * K + j], S - memory[3 * K + j]
    memory[2 * K + j], memory[3 * K + j] = n, S
    if gained <= ROUNDING * n:
        return 0.0, 0.0
    m = parameters[MARGIN]
    cut = min(max((known.upper + m - more / gained) / (known.upper + 2.0 * m), 0.0), 1.0)
    return cut, gained


@compiled
def shown_chance(j: Any, known: Any, parameters: Any, memory: Any) -> Any:
    """o_j, the probability that a play shows j well enough."""
    total = 0.0
    for i in range(known.observer.size):
        if known.precision[i, j] >= parameters[LEAST]:
            total += memory[i]
    return total


@compiled
def shown_weight(j: Any, known: Any, parameters: Any, memory: Any) -> Any:
    """The sum over i of p_i w_ij."""
    total = 0.0
    for i in range(known.observer.size):
        total += memory[i] * min(known.precision[i, j] / parameters[LEAST], 1.0)
    return total


@compiled
def softmax(weights: Any, eta: Any, out: Any) -> None:
    """out ~ exp(eta weights), a distribution; the largest weight is subtracted first."""
    top = weights.max()
    total = 0.0
    for j in range(weights.size):
        out[j] = math.exp(eta * (weights[j] - top))
        total += out[j]
    for j in range(weights.size):
        out[j] /= total


@compiled
def learn_g(belief: Any, known: Any, parameters: Any, memory: Any) -> None:
    """Update the weights with the losses that a play has shown; make the next distribution."""
    K = belief.sums.size
    weights = memory[K : 2 * K]
    for j in range(K):
        suffered, gained = loss(j, belief, known, parameters, memory)
        if gained >= ENOUGH * parameters[LEAST]:
            weights[j] -= suffered / shown_chance(j, known, parameters, memory)
    softmax(weights, parameters[ETA], memory[:K])
    for j in range(K):
        memory[j] = (1.0 - parameters[GAMMA]) * memory[j] + parameters[EXPLORE + j]


@compiled
def learn_ix(belief: Any, known: Any, parameters: Any, memory: Any, weigh: Any) -> None:
    """As `learn_g`, with implicit exploration; `weigh` says whether noisy values count less."""
    K = belief.sums.size
    rate = math.sqrt(math.log(K) / (K + memory[4 * K]))
    weights = memory[K : 2 * K]
    spread = 0.0
    for j in range(K):
        suffered, gained = loss(j, belief, known, parameters, memory)
        if weigh:
            chance = shown_weight(j, known, parameters, memory)
            part = min(gained / parameters[LEAST], 1.0)
        else:
            chance = shown_chance(j, known, parameters, memory)
            part = 1.0 if gained >= ENOUGH * parameters[LEAST] else 0.0
        spread += memory[j] / (chance + rate)
        weights[j] -= part * suffered / (chance + rate)
    memory[4 * K] += spread
    softmax(weights, math.sqrt(math.log(K) / (K + memory[4 * K])), memory[:K])


@inlined
def update_g(t, belief, known, parameters, memory, action, why):
    """Take in the losses."""
    learn_g(belief, known, parameters, memory)


@inlined
def update_ix(t, belief, known, parameters, memory, action, why):
    """Take in the losses."""
    learn_ix(belief, known, parameters, memory, False)


@inlined
def update_wix(t, belief, known, parameters, memory, action, why):
    """Take in the losses."""
    learn_ix(belief, known, parameters, memory, True)


EXP3_G = Rule(
    name="exp3-g",
    summary="exponential weights with explicit exploration; any observable structure",
    source="Alon, Cesa-Bianchi, Dekel and Koren 2015, Online learning with feedback graphs: beyond "
    "bandits; for bounded losses on graphs",
    words=("weights",),
    defaults={},
    prepare=prepare_g,
    choose=choose,
    update=update_g,
    needs=(Need.HORIZON,),
)

EXP3_IX = Rule(
    name="exp3-ix",
    summary="exponential weights with implicit exploration",
    source="Kocak, Neu, Valko and Munos 2014, Efficient learning by implicit exploration in bandit "
    "problems with side observations; for bounded losses on graphs",
    words=("weights",),
    defaults={},
    prepare=prepare_ix,
    choose=choose,
    update=update_ix,
    needs=(Need.SELF_OBSERVATION,),
)

EXP3_WIX = Rule(
    name="exp3-wix",
    summary="exponential weights that trust noisy side observations less",
    source="Kocak, Neu and Valko 2016, Online learning with noisy side observations; for bounded "
    "losses",
    words=("weights",),
    defaults={},
    prepare=prepare_ix,
    choose=choose,
    update=update_wix,
    needs=(Need.SELF_OBSERVATION,),
)
