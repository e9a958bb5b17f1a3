"""The least cost of playing against one alternative, in rounds: dynamic programming on a grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def least_cost(
    price: Sequence[float], stake: Sequence[float], information: Sequence[float], T: int
) -> float:
    """min over policies of E sum_t [price_a + stake_a X], X = 1 at the start, after T rounds.

    A play of a multiplies X by exp(sqrt(2 I_a) Z - I_a). The grid is fine in log X; where X leaves
    it, the value is continued as the cost of the best single action, which is larger.
    """
    logs = np.linspace(-14, 14, 6001)
    x = np.exp(logs)
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    weights = weights / weights.sum()
    value = np.zeros_like(x)
    for left in range(T):
        options = []
        for p, s, information_of in zip(price, stake, information, strict=True):
            after = np.zeros_like(x)
            for z, weight in zip(nodes, weights, strict=True):
                moved = logs + np.sqrt(2 * information_of) * z - information_of
                known = np.interp(moved, logs, value)
                stay = np.min(
                    [left * (q + r * np.exp(moved)) for q, r in zip(price, stake, strict=True)],
                    axis=0,
                )
                inside = (moved >= logs[0]) & (moved <= logs[-1])
                after += weight * np.where(inside, known, stay)
            options.append(p + s * x + after)
        value = np.min(options, axis=0)
    return float(np.interp(0.0, logs, value))
