"""Explore-then-commit, slow and obvious: its regret by quadrature, by a grid, and by playing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from naive.algorithms import Past, means
from sidelight import Problem
from sidelight.belief import precisions
from sidelight.bounds.promising import planned

Array = npt.NDArray[np.float64]


def cumulative(t: Fraction) -> Fraction:
    """Phi(t) to more than thirty digits: 1/2 + phi(0) sum_k (-1)^k t^(2k+1) / (2^k k! (2k+1))."""
    total, power, k = Fraction(0), Fraction(t), 0
    while abs(power) > Fraction(1, 10**60):
        total += power / (2 * k + 1)
        k += 1
        power = -power * t * t / (2 * k)
        # Long fractions are cut to ninety digits.
        power = Fraction(round(power * 10**90), 10**90)
    with localcontext() as context:
        context.prec = 60
        pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
        density = Fraction(1 / (2 * pi).sqrt())
    return Fraction(1, 2) + density * total


def spreads(variance: Array, plays: Sequence[int]) -> Array:
    """Standard deviations of the averages, weighed by precision."""
    information = np.zeros(len(plays))
    for j, n in enumerate(plays):
        for i in range(len(plays)):
            if n > 0 and variance[j, i] < np.inf:
                information[i] += n / variance[j, i]
    return np.asarray(1 / np.sqrt(information))


def chance(gaps: Sequence[float], sds: Array, i: int) -> float:
    """P(the average of i is the largest), by a sum over many points."""
    x, width = np.linspace(-gaps[i] - 9 * sds[i], -gaps[i] + 9 * sds[i], 3001, retstep=True)
    value = np.exp(-0.5 * ((x + gaps[i]) / sds[i]) ** 2) / (sds[i] * np.sqrt(2 * np.pi))
    for j in range(len(gaps)):
        if j != i:
            value = value * ndtr((x + gaps[j]) / sds[j])
    return float(value.sum() * width)


def regret(gaps: Sequence[float], plays: Sequence[int], sds: Array, T: float) -> float:
    """sum_i n_i d_i + (T - n) sum_i d_i p_i."""
    explored = sum(n * d for n, d in zip(plays, gaps, strict=True))
    rest = T - sum(plays)
    return explored + rest * sum(d * chance(gaps, sds, i) for i, d in enumerate(gaps) if d > 0)


def worst(plays: Sequence[int], sds: Array, upper: float, T: float, points: int) -> float:
    """The largest regret on a grid of gaps, for every best action."""
    K = len(plays)
    near = np.linspace(0, min(upper, 5 * float(sds.max())), points)
    levels = [*near, upper]
    found = 0.0
    for best in range(K):
        for others in product(levels, repeat=K - 1):
            gaps = [*others[:best], 0.0, *others[best:]]
            found = max(found, regret(gaps, plays, sds, T))
    return found


def played(
    variance: Array, means: Array, plays: Sequence[int], T: int, seed: int, runs: int
) -> Array:
    """The regret of each of many runs, observation by observation."""
    rng = np.random.default_rng(seed)
    K = len(plays)
    gaps = means.max() - means
    lost = np.zeros(runs)
    for run in range(runs):
        weight, total = np.zeros(K), np.zeros(K)
        for j, n in enumerate(plays):
            for _ in range(n):
                for i in range(K):
                    if variance[j, i] < np.inf:
                        seen = means[i] + np.sqrt(variance[j, i]) * rng.standard_normal()
                        weight[i] += 1 / variance[j, i]
                        total[i] += seen / variance[j, i]
        chosen = int(np.argmax(total / weight))
        lost[run] = np.dot(plays, gaps) + (T - sum(plays)) * gaps[chosen]
    return lost


def commit(t: int, past: Past, problem: Problem, _: Mapping[str, float], __: object) -> int:
    """The player: the plan, then the largest mean, for ever once the plan's values are there."""
    if t == 1:
        plays = planned(problem.feedback, problem.upper, float(past.notes["horizon"]))
        assert plays is not None
        past.notes["plan"] = [j for j, n in enumerate(plays) for _ in range(n)]
    plan = past.notes["plan"]
    if t <= len(plan):
        return int(plan[t - 1])
    if "committed" in past.notes:
        return int(past.notes["committed"])
    averages = means(past)
    leader = averages.index(max(averages))
    weights = precisions(problem.feedback, problem.upper)
    needed = weights[plan].sum(axis=0) if plan else np.zeros(len(problem))
    if all(n >= q * (1 - 1e-9) for n, q in zip(past.information, needed, strict=True)):
        past.notes["committed"] = leader
    return leader
