"""Who is best of many: all integrals of the description, each as a sum over the same points."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from naive.cut import Cut

Floats = npt.NDArray[np.float64]


def lower_tail(z: Floats) -> Floats:
    """P(N(0, 1) < z), as Abramowitz and Stegun have it."""
    w = 1 / (1 + 0.2316419 * abs(z))
    coefficients = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530, 0]
    tail = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * np.polyval(coefficients, w)
    return np.where(z > 0, 1 - tail, tail)


def below(x: float, all_: list[Cut]) -> Floats:
    """Every F_k(x); what lies more than five deviations below x is below it."""
    mu, s, under, left = np.array([(y.mu, y.s, y.below, y.left) for y in all_]).T
    return np.where(x > mu + 5 * s, 1.0, (lower_tail((x - mu) / s) - under) / left)


def depth(all_: list[Cut]) -> float:
    """1 over the sum of all densities at the upper end."""
    total = sum(y.edge / y.s**2 / y.left for y in all_)
    return 1 / total if total else math.inf


def points(all_: list[Cut], upper: float, beyond: float = 0.0) -> list[tuple[float, float]]:
    """Places and weights: two Gauss points for each step."""
    is_cut, end = any(x.left < 1 for x in all_), upper + beyond
    low, high = (-beyond, end) if is_cut else (-math.inf, math.inf)
    x = max(low, *(y.mu - 5 * y.s for y in all_))
    high = min(high, max(y.mu + 5 * y.s for y in all_))
    found: list[tuple[float, float]] = []
    while x < high:
        step = min(high - x, max((end - x) / 2, depth(all_)) if is_cut else math.inf)
        step = min(step, *(y.s for y in all_ if y.mu + 5 * y.s > x))
        here = [x + step * (1 - 3**-0.5) / 2, x + step * (1 + 3**-0.5) / 2]
        found += [(y, step / 2) for y in here]
        x += step
    return found


def crowd(
    all_: list[Cut],
    at: list[tuple[float, float]],
    low: float = 0.0,
    stake: tuple[float, float] = (1.0, 0.0),
) -> tuple[float, list[float]]:
    """r and every v_j, from integrals over these points; `low` is the lower end.

    Terms count by how far ahead an action is if it is best, to a power: `stake` has D and the
    power.
    """
    mu, s, m, under, left = np.array([(y.mu, y.s, y.m, y.below, y.left) for y in all_]).T
    K, lead = len(m), int(m.argmax())
    p, own, moved = np.zeros(K), np.zeros(K), np.zeros((K, K))
    for x, weight in at:
        F = below(x, all_)
        if F.prod() <= 1e-6:
            continue
        f = np.exp(-(((x - mu) / s) ** 2) / 2) / math.sqrt(2 * math.pi) / s / left
        f[x > mu + 5 * s] = 0
        z = (low - mu) / s
        foot = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) / s / left * (under > 0)
        part = weight * F.prod() * f / F
        p += part
        own += part * (x - m)
        moved += np.outer(part, mu - m - s**2 * (f - foot) / F)
    p, own, moved = p / p.sum(), own / p.sum(), moved / p.sum()
    moved[np.arange(K), np.arange(K)] = own
    r = float((own + p * (m - m[lead])).sum())
    possible = p > 0
    ahead = np.maximum(own + p * (m - m[lead]) - moved[:, lead], 0)
    counts = np.where(possible, (ahead / np.where(possible, p, 1) / stake[0]) ** stake[1], 0)
    others = np.arange(K) != lead
    down = np.maximum(-moved[others, lead], 0)
    counts[lead] = counts[others] @ down / down.sum()
    v = []
    for j in range(K):
        if j == lead:
            v.append(float((counts * moved[:, j] ** 2)[possible] @ (1 / p[possible])))
            continue
        others = [a for a in range(K) if a not in (j, lead)]
        cells = [([j], own[j]), ([lead], moved[lead, j]), (others, moved[others, j].sum())]
        found = sum(e**2 / p[who].sum() for who, e in cells if p[who].sum() > 0)
        v.append(float(counts[j] * found))
    return r, v
