"""The index policy, slow and obvious: as a player, and its regret bound by simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from naive.algorithms import Past, means
from sidelight import Problem
from sidelight.belief import precisions

Array = npt.NDArray[np.float64]


def counts_to(T: float) -> list[int]:
    """1, 2, 3, ...: each the next whole number, or five per cent more if that is more."""
    counts = [1]
    while max(counts[-1] + 1, counts[-1] * 21 // 20) <= T:
        counts.append(max(counts[-1] + 1, counts[-1] * 21 // 20))
    return counts


def width(s: int, K: int, T: float) -> float:
    """b(s) for sigma = 1, to six digits."""
    a, c = 1.07 - 0.76 / K, 0.13 + 1.04 / K**2
    return float(f"{math.sqrt(2 * a / s * (max(0.0, math.log(T / (K * s))) + c)):.6g}")


def index(t: int, past: Past, problem: Problem, _: Mapping[str, float], __: object) -> int:
    """The player: the largest index; among actions never seen the one played least."""
    K, T = len(problem), past.notes["horizon"]
    if t == 1:
        past.notes["index"], past.notes["passed"] = [math.inf] * K, [0] * K
        past.notes["counts"] = counts_to(T)
    weight = precisions(problem.feedback, problem.upper).max()
    sigma = problem.feedback.uniform_sigma
    assert sigma is not None
    found, counts = past.notes["index"], past.notes["counts"]
    for j, (mean, n) in enumerate(zip(means(past), past.information, strict=True)):
        passed = sum(s <= round(n / weight) for s in counts)
        if passed > past.notes["passed"][j]:
            found[j] = min(found[j], mean + sigma * width(counts[passed - 1], K, T))
            past.notes["passed"][j] = passed
    if math.inf in found:
        unseen = [j for j in range(K) if found[j] == math.inf]
        return min(unseen, key=lambda j: (past.plays[j], j))
    return int(found.index(max(found)))


def survival(y: float, counts: list[int], widths: list[float], points: int = 3001) -> list[float]:
    """P(S_s/s + b >= y at the first counts), for each count, by Simpson's rule on a fine grid."""
    found: list[float] = []
    density = weights = grid = np.zeros(0)
    for k, (s, b) in enumerate(zip(counts, widths, strict=True)):
        low = s * (y - b)
        new = np.linspace(low, max(9 * math.sqrt(s), low + math.sqrt(s)), points)
        simpson = np.ones(points)
        simpson[1:-1:2], simpson[2:-1:2] = 4, 2
        simpson *= (new[1] - new[0]) / 3
        if k == 0:
            density = np.exp(-(new**2) / (2 * s)) / math.sqrt(2 * math.pi * s)
        else:
            step = s - counts[k - 1]
            kernel = np.exp(-((new[:, None] - grid) ** 2) / (2 * step))
            density = kernel @ (weights * density) / math.sqrt(2 * math.pi * step)
        grid, weights = new, simpson
        found.append(float(weights @ density))
    return found


def regret_of_two(gap: float, T: int) -> float:
    """The exact expected regret on a bandit with two actions and sigma = 1, in up to four rounds.

    Both are played once. The third play is of the larger first value. If that was action 2, the
    fourth is of action 2 if its average of two, plus its width, is not below the first value of
    action 1 plus its width; likewise for action 1.
    """
    b1, b2 = width(1, 2, T), width(2, 2, T)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    plays = 1.0
    if T >= 3:
        plays += float(ndtr(-gap / math.sqrt(2)))
    if T >= 4:  # u is the first value of the action that is played third, v <= u the other one's
        for played, other in ((-gap, 0.0), (0.0, -gap)):
            u = played + 9 * nodes[:, None]
            v = u - 6 + 6 * nodes
            mass = 54 * weights[:, None] * weights * density(u - played) * density(v - other)
            again = ndtr(u + played - 2 * (v + b1 - b2))
            plays += float((mass * (again if played < 0 else 1 - again)).sum())
    return gap * plays


def density(z: Array) -> Array:
    """Of a standard normal."""
    return np.asarray(np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi))
