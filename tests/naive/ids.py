"""The default policy as its description reads.

`ids` is a player of `naive.loop`. Everything is computed from the past in every round; only what
the description says is kept between two refreshes is kept in `past.notes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from naive.crowd import crowd, points
from naive.cut import cut, density, tail
from naive.exp3 import precisions
from sidelight import Problem

Mixture = tuple[int, int, float]


def improvement(behind: float, s: float) -> float:
    """E(N(-behind, s^2))+."""
    if s == 0:
        return 0.0
    return max(s * density(behind / s) - behind * tail(behind / s), 0.0)


def inflation(played: int, constant: float) -> float:
    """The schedule, unless a constant is given."""
    L = math.log(played + 8)
    return constant or 1 + 3 * math.log(L) / L


def best_pair(cost: list[float], gain: list[float], otherwise: int) -> Mixture:
    """The best of all single actions and of all pairs, weight p on the second."""
    best, found = math.inf, (otherwise, otherwise, 0.0)
    for i in range(len(cost)):
        if gain[i] > 0 and cost[i] ** 2 / gain[i] < best:
            best, found = cost[i] ** 2 / gain[i], (i, i, 0.0)
        for j in range(len(cost)):
            if cost[j] > cost[i] and gain[j] > gain[i]:
                p = cost[i] / (cost[j] - cost[i]) - 2 * gain[i] / (gain[j] - gain[i])
                if 0 < p < 1:
                    spent = (1 - p) * cost[i] + p * cost[j]
                    ratio = spent**2 / ((1 - p) * gain[i] + p * gain[j])
                    if ratio < best * (1 - 1e-12):
                        best, found = ratio, (i, j, p)
    return found


def gains(
    v: list[float], nn: list[float], pending: list[float], P: list[list[float]]
) -> list[float]:
    """What a play of each action takes off the explained variances v when all has come."""
    every = range(len(v))
    left = [v[j] * nn[j] ** 2 / (nn[j] + pending[j]) for j in every]
    return [sum(left[j] * P[i][j] / (nn[j] + pending[j] + P[i][j]) for j in every) for i in every]


def believed(n: list[float], m: list[float], c: float, upper: float) -> bool:
    """Whether there is a range, and no mean is too far outside."""
    s = [math.sqrt(c / x) for x in n]
    inside = all(-3 * s[j] <= m[j] <= upper + 3 * s[j] for j in range(len(n)))
    return inside and upper < math.inf


def costs_and_explained(
    n: list[float],
    m: list[float],
    c: float,
    early: float = 1.0,
    ends: tuple[float, float] = (math.inf, 0.0),
    stake: tuple[float, float] = (1.0, 0.0),
) -> tuple[list[float], list[float]]:
    """Delta and v of every action; the largest EI counts `early` times.

    `ends` are D and how far beyond it the cut is, `stake` D again and the power of the stakes.
    """
    (upper, beyond), (unit, power) = ends, stake
    K, all_ = len(n), cut(n, m, c, upper, beyond)
    limit, has_range = math.inf, believed(n, m, c, upper)
    is_cut = any(x.left < 1 for x in all_)
    m, nn = [x.m for x in all_], [x.n / c for x in all_]
    lead = m.index(max(m))
    if has_range:
        limit = improvement(m[lead] - upper, 1 / math.sqrt(nn[lead] * c))
    others = [j for j in range(K) if j != lead]
    better, odds, rise, fall, counts = [], {}, {}, {}, {}
    for j in others:
        x = all_[j]
        s, d = math.sqrt(1 / nn[lead] + x.s**2), m[lead] - x.mu
        Q, f = tail(d / s), density(d / s)
        gap, variance = m[lead] - m[j], 1 / nn[lead] + 1 / nn[j]
        most = (math.sqrt(variance + gap**2) - gap) / 2
        better.append(min(max(s * f - d * Q - (x.edge - d * x.above), 0.0) / x.left, most))
        q = min(max(Q - x.above, 1e-300) / x.left, variance / (variance + gap**2), 0.9)
        odds[j] = q / (1 - q)
        rise[j] = max((x.s**2 * f / s - x.edge) / (x.left * q) + x.mu - m[j], 0.0)
        fall[j] = f / (nn[lead] * s * x.left * q)
        if is_cut:
            rise[j], fall[j] = min(rise[j], upper + beyond - m[j]), min(fall[j], m[lead] + beyond)
    for j in others:
        counts[j] = (max(rise[j] + fall[j] + m[j] - m[lead], 0.0) / unit) ** power
    best, p1 = min(max(better, default=0.0), limit), 1 / (1 + sum(odds.values()))
    if K > 20 and p1 < 1 / 3:
        regret, v = crowd(all_, points(all_, upper, beyond), -beyond, stake)
        regret = min(regret, limit) + (early - 1) * best
        return [regret + m[lead] - m[i] for i in range(K)], v
    regret = min(sum(better), limit) + (early - 1) * best
    v = [0.0] * K
    for j in others:
        v[j] = counts[j] * odds[j] * p1 * rise[j] ** 2 * (1 + odds[j])
        falls = fall[j] + sum(odds[k] * fall[k] for k in others)
        v[lead] += counts[j] * odds[j] * p1 * fall[j] * falls
    return [regret + m[lead] - m[i] for i in range(K)], v


def worthwhile(
    n: list[float], m: list[float], wide: float, P: list[list[float]], left: int
) -> bool:
    """Whether some block of plays of some action would repay itself; variances are wide/n."""
    K = len(n)
    lead = m.index(max(m))
    less_sure = [x / wide for x in n]
    for i in range(K):
        b = 1
        while b < left and i != lead:
            worth = 0.0
            for j in range(K):
                if j != lead:
                    less = [1 / less_sure[k] - 1 / (less_sure[k] + b * P[i][k]) for k in (lead, j)]
                    worth += improvement(m[lead] - m[j], math.sqrt(max(sum(less), 0.0)))
            if (left - b) * worth > b * (m[lead] - m[i]):
                return True
            b *= 2
    return False


def with_prior(past: Any, problem: Problem, prior: float) -> tuple[list[float], list[float]]:
    """Information and sums, with a prior in the middle of the range."""
    n0 = prior / problem.upper**2
    return [x + n0 for x in past.information], [x + n0 * problem.upper / 2 for x in past.sums]


def mixture(played: int, past: Any, problem: Problem, parameters: Mapping[str, float]) -> Mixture:
    """What to play after `played` rounds."""
    P = precisions(problem)
    n, sums = with_prior(past, problem, parameters["prior"])
    m = [s / x for s, x in zip(sums, n, strict=True)]
    c = inflation(played, parameters["tail"])
    upper = problem.upper if parameters["range"] else math.inf
    beyond = (parameters["range"] - 1) / 2 * problem.upper
    beyond += parameters.get("margin", 0.0) * problem.upper / len(n)
    inside = cut(n, m, c, upper, beyond)
    n_cut, m_cut = [x.n for x in inside], [x.m for x in inside]
    lead = m_cut.index(max(m_cut))
    guard, early = parameters["guard"], parameters["early"] if parameters["guard"] else 1.0
    if guard and not worthwhile(n_cut, m_cut, guard * c, P, past.notes["horizon"] - played):
        return lead, lead, 0.0
    stake = problem.upper, parameters["stake"]
    cost, v = costs_and_explained(n, m, c, early, (upper, beyond), stake)
    return best_pair(cost, gains(v, [x / c for x in n_cut], past.pending, P), lead)


def outdated(t: int, past: Any, n: list[float], s: list[float], slack: float) -> bool:
    """Whether something moved too far since the mixture was computed."""
    then, n_then, m_then, _ = past.notes["mixture"]
    if t >= (1 + 5 * slack) * then:
        return True
    return any(
        new > (1 + slack) * old or (total - mean * new) ** 2 > slack * new
        for new, old, total, mean in zip(n, n_then, s, m_then, strict=True)
    )


def toss(found: Mixture, luck: Any) -> int:
    """One of the two actions."""
    first, second, weight = found
    return second if weight > 0 and (next(luck.words) >> 11) / 2**53 < weight else first


def lazily(find: Callable[..., Mixture]) -> Callable[..., int]:
    """A player that plays the mixture that `find` finds, and asks it only when something moved.

    Where values come late it asks in every round, unless nothing was sent and nothing came.
    """

    def play(
        t: int, past: Any, problem: Problem, parameters: Mapping[str, float], luck: Any
    ) -> int:
        n, s = with_prior(past, problem, parameters["prior"])
        if t <= 2 or past.notes["late"] or outdated(t - 1, past, n, s, parameters["refresh"]):
            found = find(t - 1, past, problem, parameters)
            means = [x / y for x, y in zip(s, n, strict=True)]
            past.notes["mixture"] = t - 1, n, means, found
        return toss(past.notes["mixture"][3], luck)

    return play


ids = lazily(mixture)
