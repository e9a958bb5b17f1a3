"""Explore-then-commit, slow and obvious: its regret by quadrature, by a grid, and by playing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.integrate import simpson
from scipy.special import ndtr

from naive.algorithms import Past, means
from sidelight import Problem
from sidelight.belief import precisions
from sidelight.bounds.promising import planned

Array = npt.NDArray[np.float64]
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")


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
        density = Fraction(1 / (2 * PI).sqrt())
    return Fraction(1, 2) + density * total


def density(square: Fraction) -> Fraction:
    """phi(t) to fifty digits, given t^2."""
    with localcontext() as context:
        context.prec = 60
        t2 = Decimal(square.numerator) / Decimal(square.denominator)
        return Fraction((-t2 / 2).exp() / (2 * PI).sqrt())


def off(own: Fraction, others: Sequence[Fraction], strip: Fraction, h: Fraction) -> Fraction:
    """2 M / (exp(2 pi a / h) - 1) to fifty digits, where a^2 = strip and M is
    exp(a^2 / (2 own)) prod_v (1 + (a / sqrt(v)) exp(a^2 / (2 v)) / sqrt(2 pi))."""
    with localcontext() as context:
        context.prec = 60
        a2, width = (Decimal(x.numerator) / Decimal(x.denominator) for x in (strip, h))
        M = (a2 * own.denominator / own.numerator / 2).exp()
        for v in others:
            square = a2 * v.denominator / v.numerator
            M *= 1 + square.sqrt() * (square / 2).exp() / (2 * PI).sqrt()
        return Fraction(2 * M / ((2 * PI * a2.sqrt() / width).exp() - 1))


def spreads(variance: Array, plays: Sequence[int]) -> Array:
    """Standard deviations of the averages, weighed by precision."""
    information = np.zeros(len(plays))
    for j, n in enumerate(plays):
        for i in range(len(plays)):
            if n > 0 and variance[j, i] < np.inf:
                information[i] += n / variance[j, i]
    return np.asarray(1 / np.sqrt(information))


def chance(gaps: Sequence[float], sds: Array, i: int) -> float:
    """P(the average of i is the largest), by a sum over many points.

    Some averages may be exact, and ties among these count for nobody."""
    if sds[i] == 0:
        beaten = [
            ndtr((gaps[j] - gaps[i]) / sds[j]) if sds[j] else float(gaps[j] > gaps[i])
            for j in range(len(gaps))
            if j != i
        ]
        return float(np.prod(beaten))
    # Below an exact average of another action nothing counts, and there the integrand may jump.
    low = max([-gaps[i] - 9 * sds[i], *(-d for d, s in zip(gaps, sds, strict=True) if s == 0)])
    if low >= -gaps[i] + 9 * sds[i]:
        return 0.0
    x = np.linspace(low, -gaps[i] + 9 * sds[i], 3001)
    value = np.exp(-0.5 * ((x + gaps[i]) / sds[i]) ** 2) / (sds[i] * np.sqrt(2 * np.pi))
    for j in range(len(gaps)):
        if j != i:
            value = value * (ndtr((x + gaps[j]) / sds[j]) if sds[j] else 1.0)
    return float(simpson(value, x=x))


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


def apart(
    best: int, plays: Sequence[int], sds: Array, T: float, line: tuple[float, float]
) -> float:
    """(T - n) E lambda(Z) + sum_i max_d { n_i d + (T - n) E (d - lambda(Z))+ Phi(-(d + Z)/s_i) }
    for d in [0, 1], where lambda(z) = (level - slope z)+ in standard deviations of the best action,
    not above 1; the maxima on a grid."""
    level, slope = line
    z = np.linspace(-9, 9, 6001)
    weight = np.exp(-0.5 * z * z) / np.exp(-0.5 * z * z).sum()
    if sds[best] == 0:
        z, weight = np.zeros(1), np.ones(1)
    lam = np.minimum(sds[best] * np.maximum(0.0, level - slope * z), 1.0)
    rest = T - sum(plays)
    total = rest * float(weight @ lam)
    for i, (n, s) in enumerate(zip(plays, sds, strict=True)):
        options = []
        near = np.linspace(0, min(1.0, 9 * float(np.hypot(s, sds[best]))), 150)
        for d in [*near, 1.0] if i != best else []:
            away = d + sds[best] * z
            reached = ndtr(-away / s) if s > 0 else (away <= 0).astype(float)
            options.append(n * d + rest * float(weight @ (np.maximum(d - lam, 0.0) * reached)))
        total += max(options, default=0.0)
    return total


def single(best: int, plays: Sequence[int], sds: Array, T: float) -> float:
    """The same with one number lambda for all z, the best of a grid, and d in [0, 1]."""
    rest, unit = T - sum(plays), float(np.hypot(sds[best], sds.max()))
    lambdas = np.linspace(0, min(1.0, 4 * unit), 401)
    total = rest * lambdas
    for i, (n, s) in enumerate(zip(plays, sds, strict=True)):
        if i != best:
            pair = float(np.hypot(s, sds[best]))
            options = np.array([*np.linspace(0, min(1.0, 7 * pair), 401), 1.0])
            beaten = ndtr(-options / pair) if pair else np.zeros(len(options))
            kept = np.maximum(options[:, None] - lambdas, 0.0) * beaten[:, None]
            total = total + (n * options[:, None] + rest * kept).max(axis=0)
    return float(total.min())


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
