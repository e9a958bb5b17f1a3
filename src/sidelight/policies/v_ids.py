"""Variance-based information directed sampling (V-IDS) with exact integrals: slow.

The idea is that of `ids`: every action gets an expected regret and a gain of information, and the
policy plays the mixture that pays least for its information. `ids` approximates both numbers by
pairs, and counts information by what is at stake; `v-ids` integrates over the value of the largest
mean, and counts all information alike.

Symbols. The posterior of the mean theta_k of action k is N(mu_k, s_k^2), independent of the others,
with s_k^2 = c/n_k; the precision n_k includes the prior, and the prior and the inflation c are
those of `ids`. m_k = mu_k is its mean, nn_k = n_k/c, i1 the leader and A* the best action. f_k and
F_k are the density and the distribution function of theta_k, G = prod_k F_k is the distribution
function of the largest mean, and h_k = f_k/F_k. P_ij is the precision with which a play of action i
shows action j. All integrals are over x, the value of the largest mean:

    p_a  = P(A* = a)                       = int G h_a
    e_aa = E[theta_a - m_a ; A* = a]       = int (x - m_a) G h_a
    e_aj = E[theta_j - m_j ; A* = a]       = - s_j^2 int G h_a h_j             (a != j)
    v_j  = sum_a e_aj^2 / p_a              the variance of theta_j explained by knowing A*
    r    = E max_k theta_k - m_i1          = int F_i1 (1 - prod_{k != i1} F_k)

    Delta_i = r + m_i1 - m_i                       the expected regret of a play of i
    g_i     = sum_j v_j nn_j P_ij / (nn_j + P_ij)  its gain of information

Half of g_i approximates the information that a play of i gives about A*. The policy plays the
mixture with the least Delta^2/g (Russo and Van Roy 2018; Liu, Buccapatnam and Shroff 2018 on
graphs). The mixture is stored and computed again when the belief has moved (`lazy`), and a known
horizon adds the guard of `ids`.

With `range=1` the posteriors are cut to [0, D] as in `ids` (`cut`). Then m_k and 1/nn_k are the
mean and the variance after the cut, f_k and F_k belong to the cut posterior, and e_aj has two more
terms:

    e_aj = (mu_j - m_j) p_a - s_j^2 int G h_a (f_j - f_j(0))/F_j

A larger `range` cuts further out, as in `ids`, and f_j(0) becomes the density at the lower end.

The parameters are those of `ids` but `margin` and `stake`, with other defaults: `tail=0`,
`prior=4`, `refresh=0.01`, `guard=2`, `early=1`, `range=0`. The authors bound the Bayesian regret by
the information ratio, for the exact posterior (tail=1), computed in every round (refresh=0) and
without a guard (guard=0). With the inflation nothing is proved.

Accuracy. The integrals run from max_k (mu_k - 8 s_k) to max_k (mu_k + 8 s_k), within the range. So
every F_k is at least 6e-16 before the cut, and what is less likely than about 1e-15 counts as
impossible. Steps are as long as the narrowest posterior not yet passed, with six Gauss nodes each:
exact to 1e-9 with few actions, to 1e-6 with 100 equal ones, to 1e-4 where the cut leaves only tails
(but where D cuts into many posteriors narrower than D/16, v comes out too small, up to five times).
The first steps are left out, up to where another action is no longer surely above (or the leader
itself): the largest mean does not lie there, and that part of r is known in closed form.

Gains are rounded to single precision relative to the largest one. So actions in the same position
tie in spite of rounding, and the first is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled import compiled, inlined
from ..setting import Setting
from .ids import gains, inflation
from .parts import lazy
from .parts.crowd import ends, narrowest
from .parts.guard import density, purchase, upper_tail
from .parts.information_ratio import best_mixture
from .parts.lazy import BLOCK, BUYER, EARLY, GUARD, TAIL, make_lazy, posterior
from .rule import Prepared, Rule

REACH = 8.0  # an action is passed this many standard deviations above its mean
NONE = 1e-20  # a probability that does not count next to those left out beyond REACH
PART = 1 / 16  # of the range: steps are not longer
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
NODES = (1.0 + NODES) / 2.0  # as parts of a step


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """The parameters and an empty memory; every observable matrix of variances is accepted."""
    return lazy.prepare("v-ids", setting, parameters)


@inlined
def step_from(x: Any, whole: Any) -> Any:
    """The length of the step that begins at x."""
    return min(narrowest(x, whole, REACH), PART * whole[1][1])


@compiled
def start(whole: Any, leader: Any) -> Any:
    """The ends of the integral: below the first, some action but the leader is surely above."""
    (mu, s, under, over, _), _ = whole
    x, high = ends(whole, REACH)
    while x < high:
        after = min(x + step_from(x, whole), high)
        others = 1.0
        for k in range(mu.size):
            if k != leader:
                part = upper_tail((mu[k] - after) / s[k]) - under[k]
                others *= part / (1.0 - under[k] - over[k])
        if others >= NONE or after <= x:
            break
        x = after
    return x, high


@compiled
def below(x: Any, leader: Any, whole: Any) -> Any:
    """The part of r up to x: the integral of F_i1, because another action is surely above x.

    If the leader is surely above x, this part is nothing next to the probabilities left out.
    """
    (mu, s, under, over, _), (least, _) = whole
    total = _integral(x, mu[leader], s[leader])
    if least > -np.inf:
        total -= _integral(least, mu[leader], s[leader]) + (x - least) * under[leader]
        total /= 1.0 - under[leader] - over[leader]
    return total


@inlined
def _integral(x: Any, mu: Any, s: Any) -> Any:
    """The integral of the distribution function of N(mu, s^2) up to x."""
    z = (x - mu) / s
    return s * (density(z) + z * upper_tail(-z))


@compiled
def node(x: Any, whole: Any, leader: Any, h: Any, foot: Any) -> Any:
    """Fill in h_k and f_k(0)/F_k at x; return G, and F_i1 (1 - prod of the other F_k)."""
    (mu, s, under, over, _), (least, _) = whole
    h[:], foot[:] = 0.0, 0.0
    own, others, missing = 1.0, 1.0, 0.0  # F_i1, the product of the others, and 1 - that
    for k in range(mu.size):
        z = (x - mu[k]) / s[k]
        tail = 0.0 if z > REACH else upper_tail(abs(z))
        part = (1.0 - tail if z > 0.0 else tail) - under[k]  # F Z
        if part <= 0.0:
            return 0.0, 0.0
        if under[k] > 0.0:
            foot[k] = density((least - mu[k]) / s[k]) / (s[k] * part)
        if z > REACH:
            continue
        Z = 1.0 - under[k] - over[k]
        F = part / Z
        above = (tail - over[k]) / Z if z > 0.0 else 1.0 - F
        h[k] = density(z) / (s[k] * part)
        if k == leader:
            own = F
        else:
            missing += others * above
            others *= F
    return own * others, own * missing


@compiled
def integrate(whole: Any, m: Any, leader: Any, p: Any, shift: Any, cross: Any, base: Any) -> Any:
    """Fill in p_a, e_aa (in `shift`), and both parts of e_aj; return r.

    The upper half of `cross` holds int G h_a h_j, and `base` holds int G h_a f_j(0)/F_j.
    """
    K, N = m.size, NODES.size
    p[:], shift[:], cross[:], base[:] = 0.0, 0.0, 0.0, 0.0
    h, foot, mass = np.empty((N, K)), np.empty((N, K)), np.empty(N)
    is_cut = whole[1][0] > -np.inf
    x, high = start(whole, leader)
    regret = below(x, leader, whole)
    while x < high:
        step = min(step_from(x, whole), high - x)
        for g in range(N):
            weight = 0.5 * step * WEIGHTS[g]
            G, less = node(x + step * NODES[g], whole, leader, h[g], foot[g])
            regret += weight * less
            mass[g] = weight * G
        for a in range(K):
            for g in range(N):
                part = mass[g] * h[g, a]
                if part < NONE:
                    continue
                p[a] += part
                shift[a] += part * (x + step * NODES[g] - m[a])
                for j in range(a + 1, K):
                    cross[a, j] += part * h[g, j]
                if is_cut:
                    for j in range(K):
                        base[a, j] += part * foot[g, j]
        x = x + step if x + step > x else high
    return regret


@compiled
def explained(whole: Any, m: Any, p: Any, shift: Any, cross: Any, base: Any, v: Any) -> None:
    """Fill in v_j."""
    (mu, s, _, _, _), _ = whole
    K = m.size
    share, square = np.empty(K), s * s
    for a in range(K):
        share[a] = 1.0 / p[a] if p[a] > 0.0 else 0.0
        v[a] = shift[a] * (shift[a] * share[a])
    for a in range(K):
        own = 0.0
        for j in range(a + 1, K):
            of_j = square[j] * (cross[a, j] - base[a, j]) + (m[j] - mu[j]) * p[a]
            of_a = square[a] * (cross[a, j] - base[j, a]) + (m[a] - mu[a]) * p[j]
            v[j] += of_j * (of_j * share[a])
            own += of_a * (of_a * share[j])
        v[a] += own


@compiled
def rounded(gain: Any) -> None:
    """Round gains to single precision, as parts of the largest gain."""
    top = gain.max()
    if top > 0.0:
        for i in range(gain.size):
            gain[i] = np.float64(np.float32(gain[i] / top))


@compiled
def plan(played: Any, belief: Any, known: Any, parameters: Any, memory: Any) -> Any:
    """The mixture (i, j, p) to play after `played` rounds, the leader, and the purchase."""
    K = known.observer.size
    c = inflation(played, parameters[TAIL])
    n, m, leader, whole = posterior(belief, known, parameters, c)
    nothing = leader, leader, 0.0
    bought = np.int64(memory[BUYER]), memory[BLOCK]
    if K == 1:
        return nothing, leader, bought
    if known.horizon > 0 and parameters[GUARD] != 0.0:
        left = float(known.horizon - played)
        bought = purchase(left, leader, n / (parameters[GUARD] * c), m, known, bought)
        if bought[0] < 0:
            return nothing, leader, bought
    p, shift, v, cost, gain = np.empty((5, K))
    cross, base = np.empty((2, K, K))
    regret = integrate(whole, m, leader, p, shift, cross, base)
    explained(whole, m, p, shift, cross, base, v)
    gains(n, v, c, belief, known, gain)
    rounded(gain)
    for i in range(K):
        cost[i] = parameters[EARLY] * regret + (m[leader] - m[i])
    return best_mixture(cost, gain, leader), leader, bought


choose, update = make_lazy(plan)


V_IDS = Rule(
    name="v-ids",
    summary="what `ids` was made from, by quadrature: slow; any observable structure",
    source="Russo and Van Roy 2018, Learning to optimize via information-directed sampling; Liu, "
    "Buccapatnam and Shroff 2018, Information directed sampling for stochastic bandits with graph "
    "feedback",
    words=lazy.WORDS,
    defaults={
        "tail": 0.0,
        "prior": 4.0,
        "refresh": 0.01,
        "guard": 2.0,
        "early": 1.0,
        "range": 0.0,
    },
    prepare=prepare,
    choose=choose,
    update=update,
    edition=3,
)
