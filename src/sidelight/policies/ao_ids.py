"""Asymptotically minded information directed sampling, for any observable variance matrix.

The idea. If the evidence that the leader is best is strong enough, play the leader. Otherwise play
the mixture of two actions that pays least for information about the most likely ways in which
another action could beat the leader. The design is ours, after the method of Kirschner, Lattimore,
Vernade and Szepesvari (2021) for linear bandits.

Symbols. theta-hat_j is the precision-weighted mean of action j, n_j the information about it (the
sum of 1/variance), i1 the leader, d_j how far theta-hat_j is below that of the leader, and P_ik the
precision with which a play of action i shows action k. The evidence that j does not beat i1 is

    Z_j = d_j^2 / (2 (1/n_i1 + 1/n_j))

1. If min_j Z_j >= log t + log(1 + log t), play i1. Otherwise this is exploration round s, and
   beta = log s.
2. The most likely way in which j beats i1 moves the mean of i1 down by x1_j and that of j up by
   xz_j, until the two meet:

       x1_j = d_j n_j / (n_i1 + n_j),    xz_j = d_j n_i1 / (n_i1 + n_j)

   With weights q_j ~ exp(-(Z_j - min Z)) on these alternatives, the worth of knowing a mean is

       w_j  = q_j (xz_j + sqrt(beta/n_j))^2,    w_i1 = sum_j q_j (x1_j + sqrt(beta/n_i1))^2

3. The cost Delta_i and the gain I_i of a play of action i are

       Delta_i = d_i + max_k (theta-hat_k + sqrt(2 max(beta, 1/2) / n_k)) - theta-hat_i1
       I_i     = 1/2 sum_k P_ik w_k

   and the mixture of least Delta^2/I is played (`information_ratio`).

Before all this, the policy plays the best observer of every action of which no value has come yet.
No theorem covers this policy. In measurements its tails are thin, it pays close to the asymptotic
price early, and it pays several times too much where the gaps are small for the horizon.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled import compiled, inlined
from ..setting import Setting
from .covering import unseen
from .parts.argmax import first_largest
from .parts.information_ratio import best_mixture, toss
from .rule import Prepared, Rule

INITIAL, EXPLOIT, LEARN = range(3)


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Accept any observable matrix. The memory counts exploration rounds."""
    return Prepared(np.empty(0), np.zeros(1))


@compiled
def evidence(n: Any, means: Any, leader: Any, Z: Any) -> Any:
    """Fill in Z_j; return the least of them."""
    least = np.inf
    for j in range(n.size):
        if j != leader:
            d = means[leader] - means[j]
            Z[j] = d * d / (2.0 * (1.0 / n[leader] + 1.0 / n[j]))
            least = min(least, Z[j])
    return least


@compiled
def worth(n: Any, means: Any, leader: Any, beta: Any, Z: Any, least: Any) -> Any:
    """w_k, the worth of knowing the mean of each action k."""
    w, total = np.zeros(n.size), 0.0
    for j in range(n.size):
        if j != leader:
            total += math.exp(least - Z[j])
    for j in range(n.size):
        if j != leader:
            q = math.exp(least - Z[j]) / total
            d = means[leader] - means[j]
            both = n[leader] + n[j]
            up = d * (n[leader] / both) + math.sqrt(beta / n[j])
            down = d * (n[j] / both) + math.sqrt(beta / n[leader])
            w[j] = q * up * up
            w[leader] += q * down * down
    return w


@compiled
def plan(t: Any, belief: Any, known: Any, explored: Any) -> Any:
    """The mixture (i, j, p) to play in round t, and whether the round explores."""
    K = known.observer.size
    n, means = belief.information, belief.means
    leader = first_largest(means)
    single = (leader, leader, 0.0)
    Z, cost, gain = np.empty((3, K))
    least = evidence(n, means, leader, Z)
    if least >= math.log(t) + math.log(1.0 + math.log(t)):
        return single, EXPLOIT
    beta = math.log(explored + 1.0)
    w = worth(n, means, leader, beta, Z, least)
    top = -np.inf
    for k in range(K):
        top = max(top, means[k] + math.sqrt(2.0 * max(beta, 0.5) / n[k]))
    for i in range(K):
        cost[i] = means[leader] - means[i] + (top - means[leader])
        total = 0.0
        for k in range(known.start[i], known.start[i + 1]):
            total += known.precision[i, known.shown[k]] * w[known.shown[k]]
        gain[i] = 0.5 * total
    return best_mixture(cost, gain, leader), LEARN


@inlined
def choose(t, belief, known, parameters, memory, stream):
    """The leader if the evidence is strong enough, else an action of the mixture."""
    first = unseen(belief)
    if first >= 0:
        return known.observer[first], INITIAL
    (i, j, weight), why = plan(t, belief, known, memory[0])
    return toss(i, j, weight, stream), why


@inlined
def update(t, belief, known, parameters, memory, action, why):
    """Count the exploration rounds."""
    if why == LEARN:
        memory[0] += 1.0


AO_IDS = Rule(
    name="ao-ids",
    summary="information directed sampling towards the asymptotic bound; any observable structure",
    source="after Kirschner, Lattimore, Vernade and Szepesvari 2021, Asymptotically optimal "
    "information-directed sampling; no regret bound is proved here",
    words=("initial", "exploit", "learn"),
    defaults={},
    prepare=prepare,
    choose=choose,
    update=update,
)
