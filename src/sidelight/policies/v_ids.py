"""Variance-based information directed sampling by quadrature: slow, and exact but for 1e-9.

Posteriors are independent, theta_k ~ N(m_k, s_k^2) with s_k^2 = c/n_k; prior and inflation c are
those of `ids`. With f_k, F_k their densities and distribution functions, G = prod_k F_k the
distribution function of the largest mean and h_k = f_k/F_k, all by one integral over x:

    p_a = P(A* = a)                        = int G h_a
    e_aa = E[theta_a - m_a ; A* = a]       = int (x - m_a) G h_a
    e_aj = E[theta_j - m_j ; A* = a]       = - s_j^2 int G h_a h_j             (a != j)
    v_j = sum_a e_aj^2 / p_a               variance of theta_j explained by knowing A*
    r = E max_k theta_k - m_i1             = int F_i1 (1 - prod_{k != i1} F_k)

    Delta_i = r + m_i1 - m_i,     g_i = sum_j v_j nn_j P_ij / (nn_j + P_ij),   nn = n/c

Half of g_i approximates the information that a play of i gives about A*. Played is the mixture of
least Delta^2/g (Russo and Van Roy 2018; Liu, Buccapatnam and Shroff 2018 on graphs). The guard for
a known horizon is that of `ids`; nothing is stored from round to round, and everything computed in
every round. Their theory bounds the Bayesian regret by the information ratio, for the exact
posterior (tail = 1) and without a guard; with the inflation nothing is proved.

The integrals run from low = max_k (m_k - 8 s_k) to max_k (m_k + 8 s_k), so that every F_k is at
least 6e-16 and what is less likely than about 1e-15 counts as impossible. Below low the largest
mean does not lie; r has a part there, known in closed form, as some other action is surely above.
Steps are as long as the narrowest posterior that they meet, min_k max(s_k, distance to m_k - 8 s_k)
over those not yet passed, with six Gauss nodes each.

Gains are rounded to single precision relative to the largest one, so that actions in the same
position tie in spite of rounding, and the lowest is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled import cached, compiled, inlined
from ..engine.runner import make_run
from .greedy import no_update
from .guard import density, purchase, upper_tail
from .ids import (
    EARLY,
    GUARD,
    N0,
    S0,
    TAIL,
    checked,
    gains,
    inflation,
    reason,
    toss,
)
from .information_ratio import best_mixture
from .rule import Prepared, Rule
from .setting import Setting

REACH = 8.0  # standard deviations
NODES, WEIGHTS = (np.array(x) for x in np.polynomial.legendre.leggauss(6))


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Any observable matrix will do."""
    return Prepared(checked("v-ids", setting, {**parameters, "refresh": 0.0}), np.empty(0))


@compiled
def ends(m: Any, s: Any) -> Any:
    """Where the largest mean can lie."""
    low = high = -np.inf
    for k in range(m.size):
        low, high = max(low, m[k] - REACH * s[k]), max(high, m[k] + REACH * s[k])
    return low, high


@compiled
def step_from(x: Any, m: Any, s: Any) -> Any:
    """How far to the next break: the narrowest posterior between here and there."""
    step = np.inf
    for k in range(m.size):
        if m[k] + REACH * s[k] > x:
            step = min(step, max(s[k], m[k] - REACH * s[k] - x))
    return step


@compiled
def below(low: Any, leader: Any, m: Any, s: Any) -> Any:
    """The part of r below `low`: there somebody else is surely above, or the leader surely too."""
    z = (low - m[leader]) / s[leader]
    return s[leader] * (density(z) + z * upper_tail(-z))


@compiled
def node(x: Any, m: Any, s: Any, leader: Any, h: Any) -> Any:
    """Fill h_k at x; return G, and F_i1 (1 - prod of the others)."""
    log_all, own = 0.0, 0.0
    for k in range(m.size):
        z = (x - m[k]) / s[k]
        log_F = math.log1p(-upper_tail(z)) if z > 0.0 else math.log(upper_tail(-z))
        h[k] = density(z) / (s[k] * math.exp(log_F))
        if k == leader:
            own = log_F
        else:
            log_all += log_F
    return math.exp(log_all + own), -math.exp(own) * math.expm1(log_all)


@compiled
def integrate(m: Any, s: Any, leader: Any, p: Any, shift: Any, cross: Any) -> Any:
    """Fill p_a, e_aa and the upper half of int G h_a h_j; return r."""
    K = m.size
    p[:], shift[:], cross[:] = 0.0, 0.0, 0.0
    h = np.empty(K)
    x, high = ends(m, s)
    regret = below(x, leader, m, s)
    while x < high:
        step = min(step_from(x, m, s), high - x)
        for g in range(NODES.size):
            at = x + 0.5 * step * (1.0 + NODES[g])
            weight = 0.5 * step * WEIGHTS[g]
            G, less = node(at, m, s, leader, h)
            regret += weight * less
            for a in range(K):
                part = weight * G * h[a]
                p[a] += part
                shift[a] += part * (at - m[a])
                for j in range(a + 1, K):
                    cross[a, j] += part * h[j]
        x = x + step if x + step > x else high
    return regret


@compiled
def explained(s: Any, p: Any, shift: Any, cross: Any, v: Any) -> None:
    """Fill v_j."""
    for j in range(s.size):
        total = 0.0
        for a in range(s.size):
            if p[a] > 0.0:
                moved = shift[j] if a == j else s[j] * s[j] * cross[min(a, j), max(a, j)]
                total += moved * (moved / p[a])
        v[j] = total


@compiled
def rounded(gain: Any) -> None:
    """To single precision, as parts of the largest."""
    top = gain.max()
    if top > 0.0:
        for i in range(gain.size):
            gain[i] = np.float64(np.float32(gain[i] / top))


@compiled
def plan(played: Any, belief: Any, known: Any, parameters: Any) -> Any:
    """The mixture (i, j, p) to play after `played` rounds, and the leader."""
    K = known.observer.size
    n, m, s, p, shift, v, cost, gain = np.empty((8, K))
    leader = 0
    c = inflation(played, parameters[TAIL])
    for j in range(K):
        n[j] = belief.information[j] + parameters[N0]
        m[j] = (belief.sums[j] + parameters[S0]) / n[j]
        s[j] = math.sqrt(c / n[j])
        if m[j] > m[leader]:
            leader = j
    single = (np.int64(leader), np.int64(leader), 0.0)
    if K == 1:
        return single, np.int64(leader)
    if known.horizon > 0 and parameters[GUARD] != 0.0:
        left = float(known.horizon - played)
        nothing = np.int64(-1), 0.0
        buyer, _ = purchase(left, leader, n / (parameters[GUARD] * c), m, known, nothing)
        if buyer < 0:
            return single, np.int64(leader)
    cross = np.empty((K, K))
    regret = integrate(m, s, leader, p, shift, cross)
    explained(s, p, shift, cross, v)
    gains(n, v, c, belief, known, gain)
    rounded(gain)
    for i in range(K):
        cost[i] = parameters[EARLY] * regret + (m[leader] - m[i])
    return best_mixture(cost, gain, leader), np.int64(leader)


@inlined
def choose(t, belief, known, parameters, memory, stream):
    """One of the two actions of the mixture."""
    (first, second, weight), leader = plan(t - 1, belief, known, parameters)
    action = toss(first, second, weight, stream)
    return action, reason(action, leader)


_run = make_run(choose, no_update)


@cached
def run(world: Any, known: Any, parameters: Any, memory: Any, job: Any) -> None:
    """The loop of `v-ids`."""
    _run(world, known, parameters, memory, job)


V_IDS = Rule(
    name="v-ids",
    summary="what `ids` approximates, by quadrature: slow; any observable structure",
    source="Russo and Van Roy 2018, Learning to optimize via information-directed sampling; Liu, "
    "Buccapatnam and Shroff 2018, Information directed sampling for stochastic bandits with graph "
    "feedback",
    words=("exploit", "learn"),
    defaults={"tail": 0.0, "prior": 4.0, "guard": 2.0, "early": 1.0},
    prepare=prepare,
    choose=choose,
    update=no_update,
    run=run,
)
