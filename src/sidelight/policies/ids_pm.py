"""Information directed sampling for linear partial monitoring (Kirschner, Lattimore, Krause 2020).

The model is a linear partial monitoring game. The parameter is theta - upper/2, where theta are the
means. Action i earns coordinate i of the parameter, and shows coordinate j with the precision P_ij.
Least squares with the ridge lambda = `ridge` / upper^2 then treat every coordinate by itself: n_j
is the precision of coordinate j, the ridge included, and m_j its estimate. With K actions, in round
t, sqrt(beta) is the width of all confidence intervals:

    beta = (sqrt(2 log(1/delta) + sum_j log(n_j / lambda)) + sqrt(lambda K) upper / 2)^2,
    delta = 1/t^2                     sqrt(K) upper / 2 bounds the norm of theta - upper/2

    Delta_i = max_j (m_j + sqrt(beta/n_j)) - (m_i - sqrt(beta/n_i))      a bound on the gap of i
    I_i     = 1/2 sum_j log(1 + P_ij/n_j)                                what a play of i tells

The policy plays the mixture with the least Delta^2/I (`information_ratio`). With `directed=1` the
gain is about one question only: does the action u with the largest upper bound beat the action i1
with the largest estimate? With w the difference of the two coordinates, V the diagonal matrix of
the n_j and P_i that of the P_ij,

    I_i = 1/2 log(w' V^-1 w / w' (V + P_i)^-1 w),   w' V^-1 w = 1/n_u + 1/n_i1;

if u and i1 are the same action, the question is the mean of this action. In the gains, n_j includes
the precision of values that are on their way.

The paper proves the right exponent of the worst-case regret for every finite game of this kind, up
to logarithms: T^(1/2), T^(2/3), constant or linear. The paper bounds the gap pair by pair, and
allows other estimates and gains; the choices here are ours within that frame, so the constants are
not the paper's. The bound beta holds for all rounds at once, which makes the policy explore too
much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled import compiled, inlined
from ..setting import Setting
from .greedy import no_update
from .parts.information_ratio import best_mixture, toss
from .rule import Prepared, Rule, in_range, switch

N0, S0, DIRECTED = range(3)  # places in the parameters
SINGLE, MIXTURE = 0, 1


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Accept any observable matrix."""
    ridge = in_range("ids-pm", parameters, "ridge", 0, 1e12)
    n0 = ridge / setting.upper**2
    chosen = [n0, n0 * setting.upper / 2, switch("ids-pm", parameters, "directed")]
    return Prepared(np.array(chosen), np.empty(0))


@compiled
def width(t: Any, n: Any, lam: Any, upper: Any) -> Any:
    """The width sqrt(beta)."""
    volume = 4.0 * math.log(t)
    for j in range(n.size):
        volume += math.log(n[j] / lam)
    return math.sqrt(volume) + math.sqrt(lam * n.size) * upper / 2.0


@compiled
def all_gains(n: Any, known: Any, gain: Any) -> None:
    """Fill in I_i, the gain about all coordinates."""
    for i in range(n.size):
        total = 0.0
        for k in range(known.start[i], known.start[i + 1]):
            j = known.shown[k]
            total += math.log1p(known.precision[i, j] / n[j])
        gain[i] = 0.5 * total


@compiled
def directed_gains(n: Any, first: Any, second: Any, known: Any, gain: Any) -> None:
    """Fill in I_i, the gain about the difference of two actions."""
    P = known.precision
    for i in range(n.size):
        before, after = 1.0 / n[first], 1.0 / (n[first] + P[i, first])
        if second != first:
            before += 1.0 / n[second]
            after += 1.0 / (n[second] + P[i, second])
        gain[i] = 0.5 * math.log(before / after)


@compiled
def plan(t: Any, belief: Any, known: Any, parameters: Any) -> Any:
    """The mixture (i, j, p) to play in round t."""
    K = known.observer.size
    n, m, cost, gain = np.empty((4, K))
    for j in range(K):
        n[j] = belief.information[j] + parameters[N0]
        m[j] = (belief.sums[j] + parameters[S0]) / n[j]
    wide = width(t, n, parameters[N0], known.upper)
    leader, hopeful = 0, 0
    top = -np.inf
    for j in range(K):
        if m[j] > m[leader]:
            leader = j
        if m[j] + wide / math.sqrt(n[j]) > top:
            top, hopeful = m[j] + wide / math.sqrt(n[j]), j
    for i in range(K):
        cost[i] = top - (m[i] - wide / math.sqrt(n[i]))
    for j in range(K):
        n[j] += belief.pending[j]  # what is on its way need not be bought again
    if parameters[DIRECTED] != 0.0:
        directed_gains(n, hopeful, leader, known, gain)
    else:
        all_gains(n, known, gain)
    return best_mixture(cost, gain, leader)


@inlined
def choose(t, belief, known, parameters, memory, stream):
    """One of the two actions of the mixture."""
    first, second, weight = plan(t, belief, known, parameters)
    return toss(first, second, weight, stream), MIXTURE if weight > 0.0 else SINGLE


IDS_PM = Rule(
    name="ids-pm",
    summary="information directed sampling with confidence bounds; any observable structure",
    source="Kirschner, Lattimore and Krause 2020, Information directed sampling for linear partial "
    "monitoring",
    words=("single", "mixture"),
    defaults={"ridge": 1.0, "directed": 0.0},
    prepare=prepare,
    choose=choose,
    update=no_update,
)
