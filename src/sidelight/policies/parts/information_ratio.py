"""The mixture of actions that pays least for its information.

Every action i has an expected regret Delta_i >= 0 and a gain of information g_i >= 0. Information
directed sampling (Russo and Van Roy 2018) plays the distribution pi over actions that minimises

    (pi . Delta)^2 / (pi . g)

where pi . Delta and pi . g are the averages of Delta_i and g_i under pi. Some minimiser plays at
most two actions. For the weight p on action j and 1 - p on action i, where Delta_j > Delta_i and
g_j > g_i, the derivative of the ratio vanishes at

    p = Delta_i / (Delta_j - Delta_i) - 2 g_i / (g_j - g_i)

An action that costs no less and shows no more than another one is not needed. So only the frontier
is searched: actions in the order of increasing cost, each showing more than all before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled import compiled, inlined
from ...engine.streams import uniform


@inlined
def _next_on_frontier(cost: Any, gain: Any, least: Any) -> Any:
    """The cheapest action with a gain above `least`; of equals, the one with most gain; else -1."""
    found = -1
    for i in range(cost.size):
        if gain[i] > least and (
            found < 0 or cost[i] < cost[found] or (cost[i] == cost[found] and gain[i] > gain[found])
        ):
            found = i
    return found


@compiled
def best_mixture(cost: Any, gain: Any, otherwise: Any) -> Any:
    """The mixture (i, j, p): j with probability p, else i; `otherwise` alone if no gain exists."""
    frontier = np.empty(cost.size, dtype=np.int64)
    size = 0
    action = _next_on_frontier(cost, gain, 0.0)
    cheapest = _cheapest(cost, gain)
    if gain[cheapest] <= 0.0:  # an action that shows nothing may still be one of the two
        frontier[0], size = cheapest, 1
    while action >= 0:
        frontier[size] = action
        size += 1
        action = _next_on_frontier(cost, gain, gain[action])
    best, mixture = np.inf, (np.int64(otherwise), np.int64(otherwise), 0.0)
    for a in range(size):
        i = frontier[a]
        if gain[i] > 0.0 and cost[i] * cost[i] < best * gain[i]:
            best, mixture = cost[i] * cost[i] / gain[i], (i, i, 0.0)
        for b in range(a + 1, size):
            j = frontier[b]
            dearer, richer = cost[j] - cost[i], gain[j] - gain[i]
            if dearer <= 0.0:
                continue
            p = cost[i] / dearer - 2.0 * gain[i] / richer
            if 0.0 < p < 1.0:
                spent, shown = cost[i] + p * dearer, gain[i] + p * richer
                if spent * spent < best * shown:
                    best, mixture = spent * spent / shown, (i, j, p)
    return mixture


@inlined
def _cheapest(cost: Any, gain: Any) -> Any:
    """The action with the least cost; of equals, the one with the most gain."""
    found = 0
    for i in range(1, cost.size):
        if cost[i] < cost[found] or (cost[i] == cost[found] and gain[i] > gain[found]):
            found = i
    return found


@inlined
def toss(first, second, weight, stream):
    """`second` with probability `weight`, else `first`; no coin is tossed for weight 0."""
    if weight > 0.0 and uniform(stream) < weight:
        return second
    return first
