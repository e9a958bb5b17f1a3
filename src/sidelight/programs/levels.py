"""The level of the best action in the worst alternative, compiled: the inner loop of `separation`.

For a best action k and a shift u, the level v is where the pull of the other actions upwards equals
the resistance n_k (v - theta_k) of action k itself. `separation` says what the letters mean. The
pull is convex and decreasing in v; a safeguarded iteration fits A/(1 + s w) to it.

Numbers are added in the order in which numpy adds a row, so that `levels` gives to the last bit
what arrays of numpy would give (`tests/naive/levels.py`), in a tenth of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled import cached, compiled

ITERATIONS = 80
LANES = 8


@compiled
def _total(row: Any) -> Any:
    """The sum of a row as numpy adds it: eight sums side by side, then the rest one by one."""
    n = len(row)
    done = n - n % LANES
    total = 0.0
    if done:
        lane = row[:LANES].copy()
        for i in range(LANES, done):
            lane[i % LANES] += row[i]
        total = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + (
            (lane[4] + lane[5]) + (lane[6] + lane[7])
        )
    for i in range(done, n):
        total += row[i]
    return total


@compiled
def _pull(about: Any, k: int, u: float, v: float, scratch: Any) -> tuple[float, float]:
    """How hard the other actions pull the level v upwards, and how fast that fades."""
    theta, n, p, q, fixed = about
    pulls, fades = scratch
    for i in range(len(theta)):
        pulls[i] = fades[i] = 0.0
        if i == k:
            continue
        e = (v + u) - theta[i]
        s = np.sqrt(e * e + 4 * q[i])
        x = 2 * q[i] / (e + s) if e > 0 else 0.5 * (s - e)
        x = 0.0 if fixed[i] else min(max(x, theta[i] - v), theta[i])
        if x >= theta[i] or fixed[i]:
            y = max(e + x, u)
            pulls[i] = p[i] / y
            fades[i] = pulls[i] / y if pulls[i] > 0 else 0.0
        else:
            pulls[i] = n[i] * x
            if pulls[i] > 0:
                fades[i] = n[i] if x <= theta[i] - v else n[i] * x / s
    return _total(pulls), _total(fades)


@compiled
def _level(about: Any, ends: Any, k: int, u: float, scratch: Any) -> Any:
    """The level of action k at shift u, between both ends."""
    low, top = ends
    theta, n = about[0][k], about[1][k]
    pull, _ = _pull(about, k, u, top, scratch)
    if pull >= n * (top - theta) or low >= top:
        return top if pull >= n * (top - theta) else low
    level, high, before = low, top, 0.0
    for _ in range(ITERATIONS):
        v = level
        pull, fade = _pull(about, k, u, v, scratch)
        resist = n * (v - theta)
        surplus = pull - resist
        bend = fade / pull if pull > 0 else 0.0
        b = n + resist * bend
        step = 2 * surplus / (b + np.sqrt(max(b * b + 4 * n * bend * surplus, 0.0)))
        if surplus == 0:
            step = 0.0
        low = v if surplus >= 0 else low
        high = v if surplus <= 0 else high
        level = v + step
        # Past a kink of the pull, the fits of both sides may lead back and forth for ever.
        astray = surplus * before < 0 and abs(surplus) > 0.5 * abs(before)
        if astray or not low <= level <= high:
            level = 0.5 * (low + high)
        if not abs(level - v) > 1e-15 + 1e-10 * abs(v - theta):
            break
        before = surplus
    return level


@cached
def levels(about: Any, ends: Any, k: Any, u: Any) -> Any:
    """The level of each action in `k` at each shift in `u`.

    `about` has, for every action, theta, n, p, q and whether it is seen exactly; `ends` has the
    lowest and the highest level.
    """
    low, high = ends
    scratch = (np.empty(len(low)), np.empty(len(low)))
    found = np.empty(len(k))
    for row in range(len(k)):
        mine = k[row]
        found[row] = _level(about, (low[mine], high[mine]), mine, u[row], scratch)
    return found
