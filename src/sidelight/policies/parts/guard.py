"""Can information still repay itself before the horizon?

The idea. Near the horizon, information comes too late to be of use. The guard asks for every action
i whether some block of b plays of i can repay itself: whether the better decisions in the rounds
after the block can be worth more than the block costs. If no block of any action can, the policy
stops exploring.

Symbols. The mean theta_j of action j has the posterior N(m_j, 1/n_j), independent of the others.
The leader i1 has the largest m_j. d_j = m_i1 - m_j is what a play of j costs. P_ij is the precision
(1/variance) with which a play of action i shows action j. `left` is the number of rounds left. phi
and Q are the density and the upper tail of a standard normal.

The worth of a block. b plays of action i take

    w_j = 1/n_j - 1/(n_j + b P_ij)

off the variance of theta_j. So by the end of the block, the difference of the posterior means of j
and the leader will have moved by N(0, s_j^2), s_j^2 = w_i1 + w_j. If j is ahead then, j will be
played instead of the leader. In each round after the block, this is worth at most

    W_i(b) = sum of EI_j over all j but the leader
    EI_j   = s_j psi(d_j/s_j),   psi(z) = phi(z) - z Q(z)

The block costs b d_i. It can repay itself only if (left - b) W_i(b) > b d_i. The guard tries all
actions i but the leader and all b = 1, 2, 4, ... below `left`.

Mostly no block can repay itself, and four facts make this fast to see:

  * W_i grows with b. So a shorter block b' < b can repay itself only if
    b' < left W_i(b)/(W_i(b) + d_i).
  * No block of i is worth more than knowing for certain all that i shows: w_j = 1/n_j.
  * psi is convex and decreasing as a function of z^2. So a table brackets psi without computing an
    exponential: the next entry of the table is below psi, and the chord between two neighbouring
    entries is above psi. W_i(b) is computed exactly only if the two ends of the bracket disagree.
  * An action j that i does not show has w_j = 0. Its EI_j is at most that of the action nearest to
    the leader (the least d_j) with the variance w_i1 alone.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...compiled import compiled, inlined, kernel

FINE, END = 4, 512  # entries of the table for each unit of z^2, and the last; psi is 1e-30 there


@inlined
def upper_tail(z: Any) -> Any:
    """Q(z), the probability that a standard normal exceeds z."""
    return 0.5 * math.erfc(z * 0.7071067811865476)


@inlined
def density(z: Any) -> Any:
    """phi(z), the density of a standard normal at z."""
    return 0.3989422804014327 * math.exp(-0.5 * z * z)


@inlined
def improvement(behind: Any, s: Any) -> Any:
    """The expectation of max(X, 0), where X is N(-behind, s^2)."""
    if s <= 0.0:
        return 0.0
    z = behind / s
    return max(s * density(z) - behind * upper_tail(z), 0.0)


def _psi(z: float) -> float:
    """psi(z): `improvement` for s = 1, in plain Python, so that the import compiles nothing."""
    return float(max(density.py_func(z) - z * upper_tail.py_func(z), 0.0))


PSI = np.array([_psi(math.sqrt(k / FINE)) for k in range(END + 1)])
LESS, MORE = PSI * (1 - 1e-9), PSI * (1 + 1e-9)  # so that rounding cannot turn a bound over


@inlined
def between(behind: Any, variance: Any) -> Any:
    """A lower and an upper bound of `improvement`, at a tenth of the time of `improvement`."""
    s = math.sqrt(variance)
    x = FINE * behind * behind / variance
    if not x < END:
        return 0.0, s * MORE[END]
    k = int(x)
    return s * LESS[k + 1], s * (MORE[k] + (x - k) * (MORE[k + 1] - MORE[k]))


@inlined
def _taken_off(n: Any, more: Any) -> Any:
    """1/n - 1/(n + more), computed without squares, because squares overflow in extreme units."""
    return more / (n + more) / n


@kernel
def worth(block: Any, i: Any, leader: Any, state: Any, known: Any) -> Any:
    """W_i(b): the worth of a block of b plays of action i, for each round after the block."""
    n, m, _ = state
    lead = _taken_off(n[leader], block * known.precision[i, leader])
    total = 0.0
    for j in range(n.size):
        if j != leader:
            other = _taken_off(n[j], block * known.precision[i, j])
            total += improvement(m[leader] - m[j], math.sqrt(lead + other))
    return total


@kernel
def worth_between(block: Any, i: Any, leader: Any, state: Any, known: Any) -> Any:
    """A lower and an upper bound of W_i(b)."""
    n, m, nearest = state
    lead = _taken_off(n[leader], block * known.precision[i, leader])
    first, last = known.start[i], known.start[i + 1]
    least, most = 0.0, 0.0
    for k in range(first, last):
        j = known.shown[k]
        if j != leader:
            other = _taken_off(n[j], block * known.precision[i, j])
            low, high = between(m[leader] - m[j], lead + other)
            least += low
            most += high
    if lead > 0.0:
        most += (n.size - (last - first)) * between(nearest, lead)[1]
    return least, most


@inlined
def _repays(left: Any, block: Any, i: Any, leader: Any, state: Any, known: Any) -> Any:
    """Whether a block of plays of action i can repay itself, and an upper bound of W_i(b)."""
    cost = block * (state[1][leader] - state[1][i])
    least, most = worth_between(block, i, leader, state, known)
    if (left - block) * least > cost:
        return True, most
    if (left - block) * most > cost:
        most = worth(block, i, leader, state, known)
    return (left - block) * most > cost, most


@inlined
def _nearest(m: Any, leader: Any) -> Any:
    """The least d_j of all actions but the leader."""
    nearest = np.inf
    for j in range(m.size):
        if j != leader:
            nearest = min(nearest, m[leader] - m[j])
    return nearest


@inlined
def _certainty(n: Any, m: Any, leader: Any, most: Any) -> Any:
    """Fill in upper bounds of EI_j for the case that all means become known; return their sum."""
    total = 0.0
    for j in range(n.size):
        most[j] = 0.0
        if j != leader:
            most[j] = between(m[leader] - m[j], 1.0 / n[leader] + 1.0 / n[j])[1]
        total += most[j]
    return total


@inlined
def _shown(i: Any, known: Any, most: Any) -> Any:
    """The sum of most[j] over the actions j that action i shows."""
    total = 0.0
    for k in range(known.start[i], known.start[i + 1]):
        total += most[known.shown[k]]
    return total


@inlined
def _block_of(i: Any, w: Any, span: Any, leader: Any, state: Any, known: Any) -> Any:
    """The longest block of i found that can repay itself, or 0; w is at least W_i(b) for all b."""
    left, block = span
    cost = state[1][leader] - state[1][i]
    while block >= 1.0:
        if block * (w + cost) < left * w:
            found, w = _repays(left, block, i, leader, state, known)
            if found:
                return block
        block *= 0.5
    return 0.0


@compiled
def purchase(left: Any, leader: Any, n: Any, m: Any, known: Any, last: Any) -> Any:
    """A purchase: an action and a number of plays that can repay themselves; (-1, 0) if none can.

    `last` is the purchase found the last time, or (-1, 0). It is tried first, to save time: `last`
    can change which purchase is found, but not whether one is found.
    """
    state = n, m, _nearest(m, leader)
    buyer, block = last
    tried = 0.0 < block < left and buyer != leader
    if tried and _repays(left, block, buyer, leader, state, known)[0]:
        return last
    longest = 0.5
    while 2.0 * longest < left:
        longest *= 2.0
    most = np.empty(n.size)
    total = _certainty(n, m, leader, most)
    for i in range(n.size):
        if i != leader:
            w = total if known.precision[i, leader] > 0.0 else _shown(i, known, most)
            block = _block_of(i, w, (left, longest), leader, state, known)
            if block > 0.0:
                return np.int64(i), block
    return np.int64(-1), 0.0
