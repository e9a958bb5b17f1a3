"""The default policy `ids`: buy information where it costs least; any observable variances.

The idea. The policy keeps a Gaussian posterior for the mean of every action. The leader is the
action with the largest posterior mean. For every other action j, the policy asks three questions.
How likely does j beat the leader? How much better would j be? How far do the two means move if j
does beat the leader? The answers give every action two numbers: the regret that a play of it is
expected to cost, and the information that a play of it brings about which action is best. The
policy then plays the mixture of at most two actions that pays least for its information: the
mixture with the least (expected regret)^2 / information (`information_ratio`). This rule is V-IDS
of Russo and Van Roy (2018), with two changes. The event "j is best" is replaced by the event "j
beats the leader", which needs no numerical integral. And information counts by what is at stake:
to know which of two nearly equal actions is ahead is worth little, so that it must not keep the
policy from looking at a third one that may be far ahead. No theorem bounds the regret of `ids`.

Symbols. K is the number of actions, and i1 is the leader. D = `upper` is the end of the range
[0, D] of the means. P_ij is the precision (1/variance) with which a play of action i shows action
j, 0 where i does not show j. phi and Q are the density and the upper tail of a standard normal.

The posterior. The mean theta_j of action j is N(mu_j, s_j^2), independent of the others. The prior
has the mean D/2 and is worth `prior` observations with the standard deviation D. The variance is
s_j^2 = c/n_j: n_j is the precision of the posterior, prior included, and c is the inflation
(below). The posterior is then cut to [-w, D + w] (`cut`), the range and w = 5 D/K more at each end.
The more actions there are, the more of those that were hardly seen promise values beyond D, so the
closer is the cut. Z_j is the probability that theta_j lies there, m_j and 1/nn_j are the mean and
the variance after the cut, and B_j = {theta_j > D + w} is the part that was cut off above.

One pair: the leader and another action j. The leader is taken for a normal with the mean m_i1 and
the variance 1/nn_i1, whose value lies between the ends. So wherever theta_j is above D + w, j would
have won; the cut takes these wins away, and the formulas subtract them. Wherever theta_j is below
-w, j would have lost, and there is nothing to subtract. Let s^2 = 1/nn_i1 + s_j^2 be the variance
of the difference, and z = (m_i1 - mu_j)/s. Then

    q_j  = (Q(z) - P(B_j))/Z_j
           the probability that j beats the leader
    EI_j = (s phi(z) - (m_i1 - mu_j) Q(z) - E[theta_j - m_i1 ; B_j])/Z_j
           the expected improvement: how much j is expected to be ahead, 0 where j is behind
    u_j  = (s_j^2 phi(z)/s - E[theta_j - mu_j ; B_j])/(Z_j q_j) + mu_j - m_j
           the rise: how far the mean of j lies above m_j, given that j beats the leader
    x_j  = phi(z)/(nn_i1 s Z_j q_j)
           the fall: how far the mean of the leader lies below m_i1, given the same
    a_j  = u_j + x_j - (m_i1 - m_j), or 0 if this is less
           the stake: how far j is ahead on average, given the same (EI_j/q_j, but for the limits)

Because the leader is not exactly normal, these numbers have limits. No rise and no fall leads
beyond the ends, and no rise is negative. q_j and EI_j are at most what any two variables with these
means and variances allow: with d = m_i1 - m_j and V = 1/nn_i1 + 1/nn_j, the limits are V/(V + d^2)
for q_j (Cantelli) and (sqrt(V + d^2) - d)/2 for EI_j (Scarf 1958). q_j is also at most 0.9.

From pairs to actions. The odds o_j = q_j/(1 - q_j) are turned into probabilities of being best,
p_i1 = 1/(1 + sum_j o_j) for the leader and p_j = o_j p_i1 for the others. All sums over j leave out
the leader. The part of the variance of a mean that is explained by knowing the best action, each
term times the square of the stake, as a part of the range, is

    v_j  = (a_j/D)^2 p_j u_j^2 (1 + o_j)                    for the mean of action j
    v_i1 = sum_j (a_j/D)^2 p_j x_j (x_j + sum_k o_k x_k)    for the mean of the leader

(The square was chosen by measurement. With one rival alone the stake is a common factor, which
changes nothing.) A play of action i then costs the expected regret Delta_i and brings the
information g_i,

    Delta_i = r + m_i1 - m_i,   r = min(sum_j EI_j, E[max(D - theta_i1, 0)])
    g_i     = sum_j v_j nn_j P_ij/(nn_j + P_ij)             this sum includes the leader

r is the regret of not knowing the best action. It is at most what the leader lacks to D, because no
mean is above D; without this limit, the w beyond D would be hope that no action can fulfil. For
the limit, theta_i1 is N(m_i1, 1/(c nn_i1)): it has no inflation. Where the range is not believed
(`cut`), nothing is cut and there is no limit.

The factor nn_j P_ij/(nn_j + P_ij) is 1/(1/nn_j + 1/P_ij), one over the variance of the value of j
that the play will show. So g_i adds up, over the values that a play of i shows, the part of their
variance that is explained by knowing the best action.

Many actions. Where many actions may be best, the pairs promise too much: among 100 equal actions
the sum of the EI_j is 22 times the amount by which the best action is expected to be ahead of the
leader. So with more than 20 actions and p_i1 < 1/3, an integral over all actions takes the place
of the pairs (`crowd`).

Inflation. An action is given up once the log-likelihood against it is about c log t. Bandit
policies with the optimal constant c = 1 lose more than x with a probability like 1/x (Fan and Glynn
2021, The fragility of optimized bandit algorithms). A larger c costs more on average and makes this
tail lighter. For `ids`, this is a heuristic. By default c = 1 + 3 log(L)/L with L = log(t + 8),
where t is the number of plays so far: c is 2.06 at the start, 2.10 after seven rounds and 1.64
after 10^5, and falls slowly to 1.

A known horizon adds two things. First, information that is learnt early is of use for longer, so
the largest EI_j (or the limit of r, if that is less) counts `early` times in Delta_i, and the
policy buys information sooner. (If the whole sum counted `early` times, that would be too much with
many actions, because the sum counts them as if all could be best at once. Where the integral takes
the place of the pairs, it replaces the sum; the largest EI_j is still that of a pair.) Second, a
guard ends the exploration: if no block of plays of any action can repay itself in the rounds that
are left, the policy plays the leader (`guard`).

Values that come late. Precision f_j (`belief.pending`) that was bought and is still on its way must
not be bought twice. With h_j = nn_j + f_j, the term of action j in g_i becomes
v_j nn_j^2 P_ij/(h_j (h_j + P_ij)).

The parameters, with their defaults:

    tail=0        the inflation c as a constant; 0 stands for the schedule above
    prior=4       how many observations the prior is worth
    refresh=0.01  the mixture is stored, and computed again when the belief has moved by about this
                  part (`lazy`); 0 computes the mixture in every round
    guard=1.5     the guard multiplies the posterior variances by this number, so that it ends the
                  exploration later; with 1, too many runs end with a wrong leader
                  (`benchmarks/variants.py`); 0 leaves out the guard, and `early` with it
    early=2       how many times the largest EI_j counts in Delta_i; 1 changes nothing; without a
                  known horizon it is always 1
    stake=2       the power of a_j/D by which information counts; 0 counts all alike, as V-IDS does:
                  while two equal actions can be told apart at no cost, no other one is looked at
    margin=5      the posteriors are cut to [-w, D + w], w = margin D/K; without a margin (0) an
                  action at D that was hardly seen looks worse than one that is known to be next to
                  D, and is looked at too late or never
    range=1       the cut is to an interval so many times as wide as [0, D], with the same middle,
                  and the margin comes on top. 0 does not cut, whatever the margin, and r has no
                  limit: actions that were hardly seen are looked at again and again for values
                  above D, which costs most where there are many actions
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled import compiled, inlined
from ..setting import Setting
from .parts import lazy
from .parts.crowd import stakes, weigh_all
from .parts.guard import density, improvement, purchase, upper_tail
from .parts.information_ratio import best_mixture
from .parts.lazy import BLOCK, BUYER, EARLY, GUARD, STAKE, TAIL, make_lazy, posterior
from .rule import Prepared, Rule

TINY = 1e-300
FEW = 20  # with no more actions than these, pairs are always good enough
CROWD = 1 / 3  # with more actions, pairs are good enough only while p_i1 is at least this
LIKELY = 0.9  # a limit of q_j, more than j can have: the leader has the larger mean


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """The parameters and an empty memory; every observable matrix of variances is accepted."""
    return lazy.prepare("ids", setting, parameters)


@inlined
def inflation(played: Any, tail: Any) -> Any:
    """The inflation c after `played` rounds: the constant `tail`; if `tail` is 0, the schedule."""
    if tail > 0.0:
        return tail
    L = math.log(played + 8.0)
    return 1.0 + 3.0 * math.log(L) / L


@inlined
def whatever(behind: Any, variance: Any) -> Any:
    """Upper limits of P(X > 0) and E[max(X, 0)] for any X with mean -behind and this variance."""
    square = variance + behind * behind
    return min(variance / square, LIKELY), 0.5 * variance / (math.sqrt(square) + behind)


@compiled
def pairs(n: Any, m: Any, c: Any, leader: Any, whole: Any, scale: Any, v: Any) -> Any:
    """Fill in v_j; return the sum of EI_j, the largest EI_j, and p_i1.

    n (which is c nn) and m belong to the posteriors after the cut; `whole` is what `cut` returns.
    `scale` is D and the power of the stakes.
    """
    (mu, own, below, above, edge), (low, high) = whole
    lead = n[leader] / c
    regret, most, odds, pull, staked, spread = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(n.size):
        if j == leader:
            continue
        s = math.sqrt(1.0 / lead + own[j] * own[j])
        behind = m[leader] - mu[j]
        z = behind / s
        q, f = upper_tail(z), density(z)
        Z = 1.0 - below[j] - above[j]
        likely, most_better = whatever(m[leader] - m[j], 1.0 / lead + c / n[j])
        better = max(s * f - behind * q - (edge[j] - behind * above[j]), 0.0) / Z
        better = min(better, most_better)
        regret += better
        most = max(most, better)
        q = min(max(q - above[j], TINY), likely * Z)  # times Z
        mills = f / q
        rise = own[j] / s * own[j] * mills - edge[j] / q + (mu[j] - m[j])
        rise = min(max(rise, 0.0), high - m[j])
        fall = min(mills / s / lead, m[leader] - low)
        o = q / (Z - q)
        odds += o
        a = stakes(max(rise + fall - (m[leader] - m[j]), 0.0), scale)
        v[j] = a * o * rise * rise * (1.0 + o)
        pull += o * fall
        staked += a * o * fall
        spread += a * o * fall * fall
    p1 = 1.0 / (1.0 + odds)
    for j in range(n.size):
        v[j] *= p1
    v[leader] = p1 * spread + p1 * pull * staked
    return regret, most, p1


@compiled
def weigh(n: Any, m: Any, c: Any, leader: Any, whole: Any, scale: Any, v: Any) -> Any:
    """Fill in v_j; return the regret of not knowing the best action, and the largest EI_j."""
    regret, most, p1 = pairs(n, m, c, leader, whole, scale, v)
    if n.size > FEW and p1 < CROWD:
        regret = weigh_all(whole, m, leader, regret, scale, v)
    return regret, most


@inlined
def lacking(n: Any, m: Any, leader: Any, upper: Any) -> Any:
    """E[max(D - theta_i1, 0)]: how much better than the leader any action can be."""
    return improvement(m[leader] - upper, 1.0 / math.sqrt(n[leader]))


@compiled
def gains(n: Any, v: Any, c: Any, belief: Any, known: Any, gain: Any) -> None:
    """Fill in g_i, the information that a play of action i brings."""
    K = n.size
    h, w = np.empty(K), np.empty(K)
    for j in range(K):
        nn = n[j] / c
        h[j] = nn + belief.pending[j]
        w[j] = v[j] * nn * (nn / h[j])
    for i in range(n.size):
        total = 0.0
        for k in range(known.start[i], known.start[i + 1]):
            j = known.shown[k]
            P = known.precision[i, j]
            total += w[j] * P / (h[j] + P)
        gain[i] = total


@compiled
def plan(played: Any, belief: Any, known: Any, parameters: Any, memory: Any) -> Any:
    """The mixture (i, j, p) to play after `played` rounds, the leader, and the guard's purchase.

    The purchase is an action and a block of plays that can repay themselves, (-1, 0) if there are
    none. If there were none the last time, the guard is asked first: mostly there are none again,
    and then the mixture need not be computed.
    """
    K = known.observer.size
    c = inflation(played, parameters[TAIL])
    n, m, leader, whole = posterior(belief, known, parameters, c)
    guarded = known.horizon > 0 and parameters[GUARD] != 0.0
    left = float(known.horizon - played)
    nothing = leader, leader, 0.0
    bought = np.int64(memory[BUYER]), memory[BLOCK]
    asked = guarded and bought[0] < 0
    if asked:
        bought = purchase(left, leader, n / (parameters[GUARD] * c), m, known, bought)
        if bought[0] < 0:
            return nothing, leader, bought
    v, cost, gain = np.empty(K), np.empty(K), np.empty(K)
    scale = known.upper, parameters[STAKE]
    regret, most = weigh(n, m, c, leader, whole, scale, v)
    if whole[1][1] < np.inf:
        limit = lacking(n, m, leader, known.upper)
        regret, most = min(regret, limit), min(most, limit)
    regret += (parameters[EARLY] - 1.0) * most
    gains(n, v, c, belief, known, gain)
    for i in range(K):
        cost[i] = regret + (m[leader] - m[i])
    mixture = best_mixture(cost, gain, leader)
    if guarded and not asked and not (mixture[0] == leader and mixture[1] == leader):
        bought = purchase(left, leader, n / (parameters[GUARD] * c), m, known, bought)
        if bought[0] < 0:
            return nothing, leader, bought
    return mixture, leader, bought


choose, update = make_lazy(plan)


IDS = Rule(
    name="ids",
    summary="the default: pays least for what it learns; any observable structure",
    source="pairwise variance-based information directed sampling, after Russo and Van Roy 2018, "
    "Learning to optimize via information-directed sampling; no regret bound is proved",
    words=lazy.WORDS,
    defaults={
        "tail": 0.0,
        "prior": 4.0,
        "refresh": 0.01,
        "guard": 1.5,
        "early": 2.0,
        "range": 1.0,
        "margin": 5.0,
        "stake": 2.0,
    },
    prepare=prepare,
    choose=choose,
    update=update,
    edition=6,
)
