"""Who is best where many can be: one coarse integral in place of pairs.

`ids` takes an action that beats the leader for the best one. Where many can beat it, most of those
that do are not the best, and pairs promise too much of each. Let mu_k, s_k be the posteriors before
the cut and m_k their means after it (`cut`), f_k and F_k the densities and distribution functions
of what is left, G = prod_k F_k that of the largest mean, h_k = f_k/F_k, and A* the best action:

    p_a  = P(A* = a)                   = int G h_a
    e_aa = E[theta_a - m_a ; A* = a]   = int (x - m_a) G h_a
    e_aj = E[theta_j - m_j ; A* = a]   = (mu_j - m_j) p_a - s_j^2 int G h_a (f_j - f_j(0))/F_j
    r    = E max_k theta_k - m_i1      = sum_a (e_aa + p_a (m_a - m_i1))

There are K^2 of the e_aj; 3 K will do: those with the leader i1 as a or as j, and those of the
event "neither j nor i1 is best", e_oj and its p_oj, with the sum of the other h_a for h_a. Then

    v_i1 = sum_a e_ai1^2/p_a
    v_j  = e_jj^2/p_j + e_i1j^2/p_i1 + e_oj^2/p_oj

The first is the variance of theta_i1 explained by knowing who is best; the second that of theta_j
explained by knowing whether j, the leader or somebody else is. Told apart, the others would add 3 %
or so: each of them says about theta_j only that it is not the largest. (e_oj is -e_jj - e_i1j, but
where p_oj vanishes that would be rounding divided by rounding.)

Steps are as long as the narrowest posterior not yet passed, with two Gauss nodes each. Where D cuts
into posteriors, the largest mean lies about 1/sum_k f_k(D) below D: steps are no longer than half
of what is left up to D, down to that. r is then good to 1.5 % and v to 3 % of the largest, with
means far below 0, of which the cut leaves little, to 5 and 10 %; a race on the gallery cannot tell
it from `v-ids`, which computes all K^2 integrals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled import compiled, inlined
from .guard import density

REACH = 5.0  # standard deviations, beyond which an action is passed
NONE = 1e-6  # a probability that does not count
NODES, WEIGHTS = np.polynomial.legendre.leggauss(2)
NODES, WEIGHTS = (1.0 + NODES) / 2.0, WEIGHTS / 2.0  # as parts of a step


@compiled
def ends(whole: Any, reach: Any) -> Any:
    """Where the largest mean can lie."""
    (mu, s, _, _, _), (least, most) = whole
    low = high = -np.inf
    for k in range(mu.size):
        low, high = max(low, mu[k] - reach * s[k]), max(high, mu[k] + reach * s[k])
    return max(low, least), min(high, most)


@compiled
def narrowest(x: Any, whole: Any, reach: Any) -> Any:
    """The least s_k of those that are not passed at x."""
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
    """Fill h_k and s_k (f_k - f_k(0))/F_k at x; return G, or 0 where it does not count.

    `foot` is phi(mu_k/s_k), or 0 where nothing is cut off below.
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
    """How far below D the largest mean lies: 1/sum_k f_k(D), infinite where D cuts into nothing."""
    (_, s, under, over, edge), _ = whole
    total = 0.0
    for k in range(s.size):
        total += edge[k] / s[k] / s[k] / (1.0 - under[k] - over[k])
    return 1.0 / total


@compiled
def integrate(whole: Any, m: Any, leader: Any, sums: Any) -> None:
    """Add up the integrals of G h_a, (x - m_a) G h_a, and G h_a s_j (f_j - f_j(0))/F_j.

    The last one thrice: a the leader, j the leader, and a all but j and the leader; for these that
    of G h_a too.
    """
    (mu, s, under, _, _), (_, most) = whole
    p, shift, of_leader, by_leader, others, by_others = sums
    K = m.size
    h, fall, foot = np.zeros((3, K))
    for k in range(K):
        if under[k] > 0.0:
            foot[k] = density(mu[k] / s[k])
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
def share(e: Any, p: Any) -> Any:
    """e^2/p, and nothing of what is impossible."""
    return e * (e / p) if p > 0.0 else 0.0


@compiled
def weigh_all(whole: Any, m: Any, leader: Any, pairs: Any, v: Any) -> Any:
    """Fill v_j and return r.

    Where the integral finds nothing, because two neighbouring floats are further apart than a
    posterior is wide, v and r stay those of the `pairs`.
    """
    (mu, s, _, _, _), _ = whole
    sums = np.zeros((6, m.size))
    integrate(whole, m, leader, sums)
    total = sums[0].sum()
    if not total > 0.0:
        return pairs
    sums /= total  # coarse, so that p does not quite add up to 1
    p, shift, of_leader, by_leader, others, by_others = sums
    r, own = shift[leader], share(shift[leader], p[leader])
    for j in range(m.size):
        if j == leader:
            continue
        r += shift[j] - p[j] * (m[leader] - m[j])
        below = mu[j] - m[j]
        v[j] = share(shift[j], p[j])
        v[j] += share(below * p[leader] - s[j] * by_leader[j], p[leader])
        v[j] += share(below * others[j] - s[j] * by_others[j], others[j])
        own += share((mu[leader] - m[leader]) * p[j] - s[leader] * of_leader[j], p[j])
    v[leader] = own
    return max(r, 0.0)
