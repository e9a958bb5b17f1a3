"""The mixture of actions that pays least for what it learns.

Given for every action an expected regret Delta_i >= 0 and a gain of information g_i >= 0,
information directed sampling (Russo and Van Roy 2018) plays the distribution pi that minimises

    (pi . Delta)^2 / (pi . g)

Some minimiser has at most two atoms. With weight p on j and 1 - p on i, where Delta_j > Delta_i and
g_j > g_i, the ratio is stationary at

    p = Delta_i / (Delta_j - Delta_i) - 2 g_i / (g_j - g_i)

An action that costs no less and shows no more than another one is in no minimiser. So only the
frontier is searched: actions in the order of increasing cost, each showing more than all before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled import compiled, inlined
from ...engine.streams import uniform


@inlined
def _next_on_frontier(cost: Any, gain: Any, least: Any) -> Any:
    """The cheapest action with a gain above `least`, of equals the one with most; -1: none."""
    found = -1
    for i in range(cost.size):
        if gain[i] > least and (
            found < 0 or cost[i] < cost[found] or (cost[i] == cost[found] and gain[i] > gain[found])
        ):
            found = i
    return found


@compiled
def best_mixture(cost: Any, gain: Any, otherwise: Any) -> Any:
    """(i, j, p): play j with probability p, else i; `otherwise` alone where nothing is gained."""
    frontier = np.empty(cost.size, dtype=np.int64)
    size = 0
    action = _next_on_frontier(cost, gain, 0.0)
    cheapest = _cheapest(cost, gain)
    if gain[cheapest] <= 0.0:  # it shows nothing, and still may be one of the two
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
    """The action of least cost, of equals the one with most gain."""
    found = 0
    for i in range(1, cost.size):
        if cost[i] < cost[found] or (cost[i] == cost[found] and gain[i] > gain[found]):
            found = i
    return found


@inlined
def toss(first, second, weight, stream):
    """One of the two actions; the coin is tossed only where both are possible."""
    if weight > 0.0 and uniform(stream) < weight:
        return second
    return first
