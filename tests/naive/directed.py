"""ids-pm, ao-ids and v-ids as their descriptions read: players of `naive.loop`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from naive.algorithms import Past
from naive.covering_players import first_look
from naive.cut import Cut, cut, density, tail
from naive.exp3 import precisions
from naive.ids import (
    Mixture,
    best_pair,
    gains,
    inflation,
    lazily,
    toss,
    with_prior,
    worthwhile,
)
from sidelight import Problem

Floats = npt.NDArray[np.float64]


def ids_pm(t: int, past: Past, problem: Problem, parameters: Mapping[str, float], luck: Any) -> int:
    """Confidence bounds and information gains."""
    K, P = len(problem), precisions(problem)
    lam = parameters["ridge"] / problem.upper**2
    n = [x + lam for x in past.information]
    m = [(s + lam * problem.upper / 2) / x for s, x in zip(past.sums, n, strict=True)]
    size = sum(math.log(x / lam) for x in n)
    radius = math.sqrt(4 * math.log(t) + size) + math.sqrt(lam * K) * problem.upper / 2
    high = [m[j] + radius / math.sqrt(n[j]) for j in range(K)]
    cost = [max(high) - (m[i] - radius / math.sqrt(n[i])) for i in range(K)]
    lead, u = m.index(max(m)), high.index(max(high))
    n = [x + coming for x, coming in zip(n, past.pending, strict=True)]
    if parameters["directed"]:
        asked = {lead, u}
        before = sum(1 / n[j] for j in sorted(asked))
        after = [sum(1 / (n[j] + P[i][j]) for j in sorted(asked)) for i in range(K)]
        gain = [math.log(before / x) / 2 for x in after]
    else:
        gain = [sum(math.log1p(P[i][j] / n[j]) for j in range(K)) / 2 for i in range(K)]
    return toss(best_pair(cost, gain, lead), luck)


def ao_ids(t: int, past: Past, problem: Problem, _: Mapping[str, float], luck: Any) -> int:
    """Evidence, alternatives, and the price of an action."""
    K, P, n = len(problem), precisions(problem), past.information
    look = first_look(past, problem)
    if look is not None:
        return look
    theta = [s / x for s, x in zip(past.sums, n, strict=True)]
    lead = theta.index(max(theta))
    d = [theta[lead] - x for x in theta]
    others = [j for j in range(K) if j != lead]
    Z = {j: d[j] ** 2 / (2 * (1 / n[lead] + 1 / n[j])) for j in others}
    if all(z >= math.log(t) + math.log(1 + math.log(t)) for z in Z.values()):
        return lead
    past.notes["s"] = past.notes.get("s", 0) + 1
    beta = math.log(past.notes["s"])
    powers = {j: math.exp(min(Z.values()) - Z[j]) for j in others}
    w = [0.0] * K
    for j in others:
        q = powers[j] / sum(powers.values())
        up, down = d[j] * n[lead] / (n[lead] + n[j]), d[j] * n[j] / (n[lead] + n[j])
        w[j] = q * (up + math.sqrt(beta / n[j])) ** 2
        w[lead] += q * (down + math.sqrt(beta / n[lead])) ** 2
    top = max(theta[k] + math.sqrt(2 * max(beta, 0.5) / n[k]) for k in range(K))
    cost = [d[i] + (top - theta[lead]) for i in range(K)]
    gain = [sum(P[i][k] * w[k] for k in range(K)) / 2 for i in range(K)]
    return toss(best_pair(cost, gain, lead), luck)


def nodes(mu: Floats, s: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Points and weights between all breaks mu_k + s_k {-8, -7.5, ..., 8} where the maximum lies.

    Breaks closer than a quarter of the narrowest posterior are one; a range has 32 more.
    """
    breaks = np.concatenate([mu + s * z for z in np.arange(-8, 8.5, 0.5)])
    breaks = np.unique(np.round(breaks / (s.min() / 4))) * (s.min() / 4)
    breaks = np.union1d(breaks[(breaks > low) & (breaks < high)], np.linspace(low, high, 33))
    x, w = np.polynomial.legendre.leggauss(4)
    half = np.diff(breaks) / 2
    at = breaks[:-1, None] + half[:, None] * (1 + x)
    return at.ravel(), (half[:, None] * w).ravel()


def best_action(all_: list[Cut], upper: float, beyond: float) -> tuple[Floats, Floats, float]:
    """P(A* = a), E[theta_j - m_j ; A* = a], and E max - max m, by quadrature."""
    from scipy.special import ndtr  # noqa: PLC0415 - keeps collection fast

    mu, s, m, below, left = np.array([(x.mu, x.s, x.m, x.below, x.left) for x in all_]).T
    is_cut = bool((left < 1).any())
    low, high = (-beyond, upper + beyond) if is_cut else (-math.inf, math.inf)
    K, lead = len(m), int(m.argmax())
    x, w = nodes(mu, s, max(low, (mu - 8 * s).max()), min(high, (mu + 8 * s).max()))

    def densities(x: Floats) -> Floats:
        return np.asarray(np.exp(-(((x - mu) / s) ** 2) / 2) / math.sqrt(2 * math.pi) / s / left)

    z = (x[:, None] - mu) / s
    F, f = (ndtr(z) - below) / left, densities(x[:, None])
    G = np.exp(np.log(F).sum(axis=1))
    first = (w * G)[:, None] * f / F  # the density of the maximum, by who attains it
    p = first.sum(axis=0)
    at_low = densities(np.full(K, -beyond)) * (below > 0)
    moved = np.outer(p, mu - m) - (first.T @ ((f - at_low) / F)) * s**2
    moved[np.arange(K), np.arange(K)] = (first * (x[:, None] - m)).sum(axis=0)
    above = np.delete((ndtr(-z) - [y.above for y in all_]) / left, lead, axis=1)
    with np.errstate(divide="ignore"):  # just above 0 others may be above for certain
        some = -np.expm1(np.log1p(-above).sum(axis=1))
    return p, moved, float((w * F[:, lead] * some).sum() + before(x[0], all_[lead], low))


def before(x: float, own: Cut, low: float) -> float:
    """The integral of a distribution function from `low` up to x."""
    z, a = (x - own.mu) / own.s, (low - own.mu) / own.s
    total = own.s * (density(z) + z * tail(-z))
    if low > -math.inf:
        total -= own.s * (density(a) + a * tail(-a)) + (x - low) * own.below
    return total / own.left


def mixture(played: int, past: Past, problem: Problem, parameters: Mapping[str, float]) -> Mixture:
    """Regret and explained variances by quadrature."""
    P = np.array(precisions(problem))
    n, sums = with_prior(past, problem, parameters["prior"])
    c = inflation(played, parameters["tail"])
    upper = problem.upper if parameters["range"] else math.inf
    beyond = (parameters["range"] - 1) / 2 * problem.upper
    all_ = cut(n, [x / y for x, y in zip(sums, n, strict=True)], c, upper, beyond)
    n, m = [x.n for x in all_], [x.m for x in all_]
    lead = m.index(max(m))
    left = past.notes["horizon"] - played
    guard, early = parameters["guard"], parameters["early"] if parameters["guard"] else 1.0
    if len(n) == 1 or (guard and not worthwhile(n, m, guard * c, P.tolist(), left)):
        return lead, lead, 0.0
    p, moved, regret = best_action(all_, upper, beyond)
    if np.delete(p, lead).sum() < 1e-20:  # what is left to learn is rounding
        return lead, lead, 0.0
    v = (moved**2 / np.where(p > 0, p, 1)[:, None]).sum(axis=0)
    gain = np.array(gains(v.tolist(), [x / c for x in n], past.pending, P.tolist()))
    gain = (gain / (gain.max() or 1)).astype(np.float32).astype(float)
    return best_pair([early * regret + m[lead] - x for x in m], list(gain), lead)


v_ids = lazily(mixture)
