"""Which action is best when many can be: one coarse integral in place of pairs.

The idea. `ids` compares every action with the leader, one pair at a time, and treats an action that
beats the leader as the best one. Where many actions can beat the leader, most of those that do are
not the best, and the pairs promise too much. Then this module integrates over the value of the
largest mean, with all actions at once.

Symbols. i1 is the leader, A* the best action; -w and D + w are the ends to which posteriors are
cut. The posterior of the mean theta_k is N(mu_k, s_k^2) before the cut, and m_k is its mean after
the cut (`cut`). f_k and F_k are the density and the distribution function after the cut.
G = prod_k F_k is the distribution function of the largest mean, and h_k = f_k/F_k. Integrals are
over x, the value of the largest mean:

    p_a  = P(A* = a)                   = int G h_a
    e_aa = E[theta_a - m_a ; A* = a]   = int (x - m_a) G h_a
    e_aj = E[theta_j - m_j ; A* = a]   = (mu_j - m_j) p_a - s_j^2 int G h_a (f_j - f_j(-w))/F_j
    r    = E max_k theta_k - m_i1      = sum_a (e_aa + p_a (m_a - m_i1))

r is the regret of not knowing the best action. With K actions there are K^2 numbers e_aj, but 3 K
of them are enough: those in which a or j is the leader, and for every j those of the event "neither
j nor the leader is best". The last are called e_oj, with the probability p_oj; their integrals have
the sum of h_a over all other actions a in place of h_a. The explained variances are then

    v_i1 = sum_a e_ai1^2/p_a
    v_j  = e_jj^2/p_j + e_i1j^2/p_i1 + e_oj^2/p_oj

v_i1 is the variance of theta_i1 explained by knowing the best action. v_j is the variance of
theta_j explained by knowing whether j, the leader or another action is best. To know which other
action would add about 3 % to v_j: each of them says about theta_j only that theta_j is not the
largest. (e_oj is equal to -e_jj - e_i1j, but is integrated: where p_oj vanishes, the difference
would be rounding divided by rounding.)

The stakes. How far action j is ahead of the leader on average, if j is best, is

    a_j = E[theta_j - theta_i1 | A* = j] = m_j - m_i1 + (e_jj - e_ji1)/p_j

and not less than 0. `ids` counts v_j, and the term of j in the sum v_i1, as many times as a power
of a_j/D says. The term of the leader itself in v_i1 counts as the others do on average, weighed by
-e_ji1, as in pairs: if j is best, the leader lies lower, and e_i1i1 is the sum of the -e_ji1.

Accuracy. Steps are as long as the narrowest posterior not yet passed, with two Gauss nodes each.
Where D + w cuts into posteriors, the largest mean lies about 1/sum_k f_k(D + w) below it. So no
step is longer than half of the way up to there, until the way is that short. r is then good to
1.5 %, and v to 3 % of the largest v_j. With means far below -w, of which the cut leaves little, r
is good to 5 % and v to 10 %. A race on the gallery cannot tell this integral from `v-ids`, which
computes all K^2 integrals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled import compiled, inlined
from .guard import density

REACH = 5.0  # an action is passed this many standard deviations above its mean
NONE = 1e-6  # a probability too small to count
NODES, WEIGHTS = np.polynomial.legendre.leggauss(2)
NODES, WEIGHTS = (1.0 + NODES) / 2.0, WEIGHTS / 2.0  # as parts of a step


@compiled
def ends(whole: Any, reach: Any) -> Any:
    """The interval in which the largest mean can lie."""
    (mu, s, _, _, _), (least, most) = whole
    low = high = -np.inf
    for k in range(mu.size):
        low, high = max(low, mu[k] - reach * s[k]), max(high, mu[k] + reach * s[k])
    return max(low, least), min(high, most)


@compiled
def narrowest(x: Any, whole: Any, reach: Any) -> Any:
    """The least s_k of the actions that are not passed at x."""
    (mu, s, _, _, _), _ = whole
    step = np.inf
    for k in range(mu.size):
        if mu[k] + reach * s[k] > x:
            step = min(step, s[k])
    return step


@inlined
def tail_of(z: Any, density: Any) -> Any:
    """Q(z) of z >= 0 to 7.5e-8, twice as fast as by erfc (Abramowitz and Stegun 1964, 26.2.17)."""
    w = 1.0 / (1.0 + 0.2316419 * z)
    total = 1.330274429
    for coefficient in (-1.821255978, 1.781477937, -0.356563782, 0.319381530):
        total = total * w + coefficient
    return density * w * total


@compiled
def node(x: Any, whole: Any, foot: Any, h: Any, fall: Any) -> Any:
    """Fill in h_k and s_k (f_k - f_k(-w))/F_k at x; return G, or 0 if G is too small to count.

    foot[k] is phi((low - mu_k)/s_k), the normal density at the lower end, or 0 if nothing is cut
    off below.
    """
    (mu, s, under, over, _), _ = whole
    G = 1.0
    for k in range(mu.size):
        z = (x - mu[k]) / s[k]
        if z > REACH:
            h[k], fall[k] = 0.0, -foot[k] / (1.0 - under[k])
            continue
        f = density(z)
        tail = tail_of(abs(z), f)
        part = (1.0 - tail if z > 0.0 else tail) - under[k]  # F_k times the mass that is left
        G *= part / (1.0 - under[k] - over[k])
        if not G > NONE:
            return 0.0
        h[k], fall[k] = f / part / s[k], (f - foot[k]) / part
    return G


@compiled
def depth(whole: Any) -> Any:
    """How far below D + w the largest mean lies: 1/sum_k f_k(D + w); infinite if nothing is cut."""
    (_, s, under, over, edge), _ = whole
    total = 0.0
    for k in range(s.size):
        total += edge[k] / s[k] / s[k] / (1.0 - under[k] - over[k])
    return 1.0 / total


@compiled
def integrate(whole: Any, m: Any, leader: Any, sums: Any) -> None:
    """Add up the integrals of G h_a, (x - m_a) G h_a, and G h_a s_j (f_j - f_j(-w))/F_j.

    The last integral has three versions: a is the leader; j is the leader; a is any action but j
    and the leader. The third version has its own integral of G h_a, too.
    """
    (mu, s, under, _, _), (bottom, most) = whole
    p, shift, of_leader, by_leader, others, by_others = sums
    K = m.size
    h, fall, foot = np.zeros((3, K))
    for k in range(K):
        if under[k] > 0.0:
            foot[k] = density((bottom - mu[k]) / s[k])
    x, high = ends(whole, REACH)
    least = depth(whole)
    while x < high:
        to_end = max((most - x) / 2.0, least)
        step = min(narrowest(x, whole, REACH), high - x, to_end)
        for g in range(NODES.size):
            y = x + step * NODES[g]
            mass = step * WEIGHTS[g] * node(y, whole, foot, h, fall)
            if mass > 0.0:
                lead, every = mass * h[leader], mass * h.sum()
                for k in range(K):
                    part = mass * h[k]
                    rest = max(every - lead - part, 0.0)
                    p[k] += part
                    shift[k] += part * (y - m[k])
                    of_leader[k] += part * fall[leader]
                    by_leader[k] += lead * fall[k]
                    others[k] += rest
                    by_others[k] += rest * fall[k]
        x = x + step if x + step > x else high


@inlined
def stakes(ahead: Any, scale: Any) -> Any:
    """How many times information counts about an action that may be ahead by so much."""
    upper, power = scale
    return (ahead / upper) ** power


@inlined
def share(e: Any, p: Any) -> Any:
    """e^2/p, or 0 if the event is impossible (p = 0)."""
    return e * (e / p) if p > 0.0 else 0.0


@compiled
def weigh_all(whole: Any, m: Any, leader: Any, pairs: Any, scale: Any, v: Any) -> Any:
    """Fill in v_j, counted by the stakes, and return r; `scale` is D and the power of the stakes.

    If two neighbouring floats are further apart than a posterior is wide, the integral finds
    nothing. Then v stays as it is, and `pairs`, the regret by pairs, is returned.
    """
    (mu, s, _, _, _), _ = whole
    sums = np.zeros((6, m.size))
    integrate(whole, m, leader, sums)
    total = sums[0].sum()
    if not total > 0.0:
        return pairs
    sums /= total  # the integral is coarse, and p does not quite add up to 1
    p, shift, of_leader, by_leader, others, by_others = sums
    r, own, staked, pull = shift[leader], 0.0, 0.0, 0.0
    for j in range(m.size):
        if j == leader:
            continue
        better = shift[j] - p[j] * (m[leader] - m[j])
        r += better
        moved = (mu[leader] - m[leader]) * p[j] - s[leader] * of_leader[j]
        a = stakes(max(better - moved, 0.0) / p[j], scale) if p[j] > 0.0 else 0.0
        staked += a * max(-moved, 0.0)
        pull += max(-moved, 0.0)
        below = mu[j] - m[j]
        v[j] = share(shift[j], p[j])
        v[j] += share(below * p[leader] - s[j] * by_leader[j], p[leader])
        v[j] += share(below * others[j] - s[j] * by_others[j], others[j])
        v[j] *= a
        own += a * share(moved, p[j])
    v[leader] = own + (share(shift[leader], p[leader]) * staked / pull if pull > 0.0 else 0.0)
    return max(r, 0.0)
