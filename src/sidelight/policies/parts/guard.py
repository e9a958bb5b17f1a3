"""Whether information can still repay itself before the horizon.

Let theta_j ~ N(m_j, 1/n_j), independent, and i1 the leader. b plays of action i take off

    w_j = 1/n_j - 1/(n_j + b P_ij)

of the variance of theta_j, so that the difference of the two means will have moved by N(0, s_j^2),
s_j^2 = w_i1 + w_j, when they are known. In each of the rounds left after them that is worth at most

    W_i(b) = sum_j EI_j,   EI_j = s psi(d_j/s),   psi(z) = phi(z) - z Q(z),   d_j = m_i1 - m_j

and the block costs b d_i. It can repay itself only where (left - b) W_i(b) > b d_i. Sought is any
action and any b = 1, 2, 4, ... < left for which it can; mostly there is none, and this must be seen
fast:

  * W_i grows with b. So b' < b can repay itself only if b' < left W_i(b)/(W_i(b) + d_i).
  * All of i's blocks are worth less than knowing for certain what i shows (w_j = 1/n_j).
  * psi is convex and falls as a function of z^2: a table has it between the next entry and the
    chord, without an exponential. Only where these two disagree is W_i(b) computed.
  * What i does not show moves by the leader's part alone, and by no more than the nearest one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...compiled import compiled, inlined, kernel

FINE, END = 4, 512  # entries for each unit of z^2, and their number: psi is 1e-30 at the end


@inlined
def upper_tail(z: Any) -> Any:
    """Q(z), the probability that a standard normal exceeds z."""
    return 0.5 * math.erfc(z * 0.7071067811865476)


@inlined
def density(z: Any) -> Any:
    """phi(z) of a standard normal."""
    return 0.3989422804014327 * math.exp(-0.5 * z * z)


@inlined
def improvement(behind: Any, s: Any) -> Any:
    """E(X)+ of X ~ N(-behind, s^2)."""
    if s <= 0.0:
        return 0.0
    z = behind / s
    return max(s * density(z) - behind * upper_tail(z), 0.0)


def _psi(z: float) -> float:
    """E(X)+ of X ~ N(-z, 1): `improvement` in plain Python, which compiles nothing at import."""
    return float(max(density.py_func(z) - z * upper_tail.py_func(z), 0.0))


PSI = np.array([_psi(math.sqrt(k / FINE)) for k in range(END + 1)])
LESS, MORE = PSI * (1 - 1e-9), PSI * (1 + 1e-9)  # so that rounding cannot turn a bound over


@inlined
def between(behind: Any, variance: Any) -> Any:
    """Two numbers with `improvement` between them, at a tenth of its price."""
    s = math.sqrt(variance)
    x = FINE * behind * behind / variance
    if not x < END:
        return 0.0, s * MORE[END]
    k = int(x)
    return s * LESS[k + 1], s * (MORE[k] + (x - k) * (MORE[k + 1] - MORE[k]))


@inlined
def _taken_off(n: Any, more: Any) -> Any:
    """1/n - 1/(n + more), without squares, which overflow in extreme units."""
    return more / (n + more) / n


@kernel
def worth(block: Any, i: Any, leader: Any, state: Any, known: Any) -> Any:
    """W_i(b)."""
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
    """Two numbers with W_i(b) between them."""
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
    """Whether this block can repay itself, and an upper bound of W_i(b)."""
    cost = block * (state[1][leader] - state[1][i])
    least, most = worth_between(block, i, leader, state, known)
    if (left - block) * least > cost:
        return True, most
    if (left - block) * most > cost:
        most = worth(block, i, leader, state, known)
    return (left - block) * most > cost, most


@inlined
def _nearest(m: Any, leader: Any) -> Any:
    """The least d_j of another action."""
    nearest = np.inf
    for j in range(m.size):
        if j != leader:
            nearest = min(nearest, m[leader] - m[j])
    return nearest


@inlined
def _certainty(n: Any, m: Any, leader: Any, most: Any) -> Any:
    """Fill upper bounds of EI_j where both means will be known for certain; return their sum."""
    total = 0.0
    for j in range(n.size):
        most[j] = 0.0
        if j != leader:
            most[j] = between(m[leader] - m[j], 1.0 / n[leader] + 1.0 / n[j])[1]
        total += most[j]
    return total


@inlined
def _shown(i: Any, known: Any, most: Any) -> Any:
    """The sum over what i shows."""
    total = 0.0
    for k in range(known.start[i], known.start[i + 1]):
        total += most[known.shown[k]]
    return total


@inlined
def _block_of(i: Any, w: Any, span: Any, leader: Any, state: Any, known: Any) -> Any:
    """A block of plays of i that can repay itself; 0 if there is none. W_i(b) <= w for all b."""
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
    """An action and a block that can repay themselves; (-1, 0) if there is none.

    `last` is what was found before, or (-1, 0), and is tried first. Whether there is a purchase
    does not depend on it.
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
