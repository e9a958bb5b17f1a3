"""The default: information directed sampling on pairs, for every observable variance matrix.

A posteriori theta_j ~ N(mu_j, s_j^2), independent, with a prior worth `prior` observations with the
standard deviation D = `upper`, all cut to the range [0, D] (`cut`), which leaves them the means m_j
and the variances 1/nn_j. Let i1 be the leader, with the largest m. It is taken for normal with its
two moments, but for one that lies in the range: what another one loses by the cut would have won
above D and lost below 0. With B_j = {theta_j > D}, Z_j the part of theta_j that is left, phi and Q
the normal density and upper tail, and for every other j

    s^2 = 1/nn_i1 + s_j^2,   z = (m_i1 - mu_j)/s
    q_j  = (Q(z) - P(B_j))/Z_j                          how likely j beats the leader
    EI_j = (s phi(z) - (m_i1 - mu_j) Q(z) - E[theta_j - m_i1 ; B_j])/Z_j        what it would gain
    u_j  = (s_j^2 phi(z)/s - E[theta_j - mu_j ; B_j])/(Z_j q_j) + mu_j - m_j    its rise if it does
    x_j  = phi(z)/(nn_i1 s Z_j q_j)                     the fall of the leader then

Neither rise nor fall leads out of the range, and q_j and EI_j are no more than any two variables
with these means and variances allow: with d = m_i1 - m_j and V = 1/nn_i1 + 1/nn_j, V/(V + d^2)
(Cantelli) and (sqrt(V + d^2) - d)/2 (Scarf 1958). An action then costs and shows

    Delta_i = sum_j EI_j + m_i1 - m_i
    g_i     = sum_j v_j nn_j P_ij/(nn_j + P_ij)
    v_j     = p_j u_j^2 (1 + o_j),  v_i1 = sum_j p_j x_j^2 + (sum_j p_j x_j)^2/p_i1
    o_j = q_j/(1 - q_j),  p_i1 = 1/(1 + sum_j o_j),  p_j = o_j p_i1

v_j is the variance of theta_j explained by knowing who is best, and g_i what a play of i takes off
it. Played is the mixture of least Delta^2/g (`information_ratio`), which is V-IDS of Russo and Van
Roy (2018) with "j is best" replaced by "j beats the leader": no quadrature, and the same regret
within noise (`v-ids:range=1` is the original). No theorem covers it. Where many may be best, that
is another thing: of 100 alike the sum of the EI_j is 22 times what the best one is ahead of the
leader. So with more than 20 actions, and p_i1 < 1/3, an integral takes the place of pairs
(`crowd`). Without the cut (`range=0`) an action that is hardly seen is looked at again and again
for values above D, which costs most where actions are many or the best mean is near D.

Before the cut s_j^2 = c/n_j, n_j the precision of the posterior. With the inflation c, an action is
given up once the log-likelihood against it is about c log t. Bandit policies with the optimal
constant, c = 1, lose more than x with a probability like 1/x (Fan and Glynn 2021, The fragility of
optimized bandit algorithms); a larger c pays more for a lighter tail. For this policy that is a
heuristic. By default c = 1 + 3 log L/L, L = log(t + 8), t the plays so far: 2.06 at the start, 2.10
after seven rounds, 1.64 at 10^5, then slowly to 1. `tail` sets a constant instead.

A known horizon adds two things. What is learnt early is of use for longer, so the largest EI_j
counts `early` times in the sum, and information is bought sooner. (The whole sum would be too much
where actions are many: it counts them as if all could be best at once. By the integral r takes the
place of the sum, and the largest EI_j is still that of a pair.) And a guard ends it: with
variances `guard` times as large, where no block of plays of any action can repay itself in the
rounds left (`guard`), the leader is played. With guard = 1 too many runs end with a wrong leader
(`benchmarks/variants.py`). `guard=0` leaves out both.

Values in flight (`belief.pending`, f) are information that was bought: with h = nn + f, a play of i
is worth v_j nn_j^2 P_ij/(h_j (h_j + P_ij)).

The mixture is stored and computed again when the belief has moved (`lazy`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled import compiled, inlined
from ..setting import Setting
from .parts import lazy
from .parts.crowd import weigh_all
from .parts.guard import density, purchase, upper_tail
from .parts.information_ratio import best_mixture
from .parts.lazy import BLOCK, BUYER, EARLY, GUARD, TAIL, make_lazy, posterior
from .rule import Prepared, Rule

TINY = 1e-300
FEW = 20  # actions, for which pairs will do whatever is known
CROWD = 1 / 3  # where p_i1 is less, and actions are more than few, they will not
LIKELY = 0.9  # more than q_j can be: the leader has the larger mean


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Any observable matrix will do."""
    return lazy.prepare("ids", setting, parameters)


@inlined
def inflation(played: Any, tail: Any) -> Any:
    """c: the constant `tail`, or the schedule where that is 0."""
    if tail > 0.0:
        return tail
    L = math.log(played + 8.0)
    return 1.0 + 3.0 * math.log(L) / L


@inlined
def whatever(behind: Any, variance: Any) -> Any:
    """The most that P(X > 0) and E(X)+ can be, if X has the mean -behind and this variance."""
    square = variance + behind * behind
    return min(variance / square, LIKELY), 0.5 * variance / (math.sqrt(square) + behind)


@compiled
def pairs(n: Any, m: Any, c: Any, leader: Any, whole: Any, v: Any) -> Any:
    """Fill the explained variances v_j; return the sum and the largest of EI_j, and p_i1.

    `whole` is what `cut` returns.
    """
    (mu, own, below, above, edge), (low, high) = whole
    lead = n[leader] / c
    regret, most, odds, pull, spread = 0.0, 0.0, 0.0, 0.0, 0.0
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
        v[j] = o * rise * rise * (1.0 + o)
        pull += o * fall
        spread += o * fall * fall
    p1 = 1.0 / (1.0 + odds)
    for j in range(n.size):
        v[j] *= p1
    v[leader] = p1 * spread + p1 * pull * pull  # (p1 pull)^2 / p1
    return regret, most, p1


@compiled
def weigh(n: Any, m: Any, c: Any, leader: Any, whole: Any, v: Any) -> Any:
    """Fill v_j; return what not knowing the best one costs, and the largest of EI_j."""
    regret, most, p1 = pairs(n, m, c, leader, whole, v)
    if n.size > FEW and p1 < CROWD:
        regret = weigh_all(whole, m, leader, regret, v)
    return regret, most


@compiled
def gains(n: Any, v: Any, c: Any, belief: Any, known: Any, gain: Any) -> None:
    """Fill g_i, what a play of i takes off the explained variances."""
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
    """The mixture (i, j, p) to play after `played` rounds, the leader, and what justifies it.

    Where nothing was worth buying the last time, that is asked first, and mostly the answer.
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
    regret, most = weigh(n, m, c, leader, whole, v)
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
    },
    prepare=prepare,
    choose=choose,
    update=update,
    edition=4,
)
