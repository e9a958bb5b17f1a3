"""Exp3.G, Exp3-IX and Exp3-WIX as their description reads: players of `naive.loop`.

The values of a round are taken from what changed in the past; the weights are kept in `past.notes`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from naive.algorithms import Past
from sidelight import Problem

Matrix = list[list[float]]


def precisions(problem: Problem) -> Matrix:
    """1/variance, at most 10^12/upper^2, 0 where nothing is seen."""
    most = 1e12 / problem.upper**2
    rows = problem.feedback.variance.tolist()
    return [
        [0.0 if x == math.inf else most if x * most <= 1 else 1 / x for x in row] for row in rows
    ]


def strong(P: Matrix, least: float, j: int) -> bool:
    """Whether j shows itself, or all others show it."""
    others = [P[i][j] >= least for i in range(len(P)) if i != j]
    return P[j][j] >= least or all(others)


def useful(P: Matrix) -> float:
    """The largest precision that leaves the class as it is."""
    K = len(P)
    values = sorted({x for row in P for x in row if x > 0}, reverse=True)
    whole = all(strong(P, values[-1], j) for j in range(K))
    for least in values:
        seen = all(any(P[i][j] >= least for i in range(K)) for j in range(K))
        if all(strong(P, least, j) for j in range(K)) if whole else seen:
            return least
    raise AssertionError


def alone(P: Matrix, least: float) -> int:
    """Actions that do not show each other: always the one with fewest neighbours left."""
    K = len(P)
    near = [{j for j in range(K) if j != i and max(P[i][j], P[j][i]) >= least} for i in range(K)]
    left, found = set(range(K)), 0
    while left:
        chosen = min(sorted(left), key=lambda i: len(near[i] & left))
        left -= near[chosen] | {chosen}
        found += 1
    return found


def cover(P: Matrix, least: float, weak: list[int]) -> list[int]:
    """Actions that show all of `weak`: always the one that adds most; needless ones dropped."""
    shows = [{j for j in weak if row[j] >= least} for row in P]
    left, chosen = set(weak), []
    while left:
        best = max(range(len(P)), key=lambda i: (len(shows[i] & left), -i))
        chosen.append(best)
        left -= shows[best]
    for i in reversed(list(chosen)):
        rest = [k for k in chosen if k != i]
        if all(any(j in shows[k] for k in rest) for j in weak):
            chosen = rest
    return chosen


def softmax(weights: list[float], eta: float) -> list[float]:
    """exp(eta w), with sum 1."""
    powers = [math.exp(eta * (w - max(weights))) for w in weights]
    return [x / sum(powers) for x in powers]


def pick(p: list[float], luck: Any) -> int:
    """The first action whose cumulated probability exceeds the number drawn."""
    u = (next(luck.words) >> 11) / 2**53
    return next((i for i, total in enumerate(accumulate(p[:-1])) if u < total), len(p) - 1)


def losses(past: Past, problem: Problem, least: float) -> dict[int, tuple[float, float]]:
    """For each action with a new value: its loss, and the precision of the value."""
    m = math.sqrt(2 * math.log(past.notes["horizon"])) / math.sqrt(least)
    found = {}
    for j in range(len(problem)):
        gained = past.information[j] - past.notes["n"][j]
        if gained > 1e-9 * past.information[j]:
            value = (past.sums[j] - past.notes["S"][j]) / gained
            part = (problem.upper + m - value) / (problem.upper + 2 * m)
            found[j] = min(max(part, 0.0), 1.0), gained
    return found


def begin(past: Past, K: int) -> None:
    """No weights yet."""
    past.notes["w"], past.notes["p"], past.notes["Q"] = [0.0] * K, [1 / K] * K, 0.0


def keep(past: Past) -> None:
    """Remember the information and the sums before the play."""
    past.notes["n"], past.notes["S"] = list(past.information), list(past.sums)


def exp3_g(t: int, past: Past, problem: Problem, _: Mapping[str, float], luck: Any) -> int:
    """Explicit exploration."""
    K, P, T = len(problem), precisions(problem), past.notes["horizon"]
    least = useful(P)
    weak = [j for j in range(K) if not strong(P, least, j)]
    U = cover(P, least, weak) if weak else list(range(K))
    if weak:
        gamma = min((len(U) * math.log(K) / T) ** (1 / 3), 0.5)
        eta = gamma * gamma / len(U)
    else:
        gamma = min(1 / math.sqrt(alone(P, least) * T), 0.5)
        eta = 2 * gamma
    if t == 1:
        begin(past, K)
    else:
        for j, (loss, gained) in losses(past, problem, least).items():
            if gained >= least * (1 - 1e-6):
                chance = sum(past.notes["p"][i] for i in range(K) if P[i][j] >= least)
                past.notes["w"][j] -= loss / chance
    q = softmax(past.notes["w"], eta)
    p = [(1 - gamma) * q[j] + (gamma / len(U) if j in U else 0.0) for j in range(K)]
    past.notes["p"] = p
    keep(past)
    return pick(p, luck)


def implicit(t: int, past: Past, problem: Problem, luck: Any, noisy: bool) -> int:
    """Implicit exploration."""
    K, P = len(problem), precisions(problem)
    least = min(P[j][j] for j in range(K))

    def quality(x: float) -> float:
        return min(x / least, 1.0) if noisy else float(x >= least * (1 - 1e-6))

    if t == 1:
        begin(past, K)
    else:
        rate = math.sqrt(math.log(K) / (K + past.notes["Q"]))
        p = past.notes["p"]
        chance = [sum(p[i] * quality(P[i][j]) for i in range(K)) for j in range(K)]
        for j, (loss, gained) in losses(past, problem, least).items():
            past.notes["w"][j] -= quality(gained) * loss / (chance[j] + rate)
        past.notes["Q"] += sum(p[j] / (chance[j] + rate) for j in range(K))
    p = softmax(past.notes["w"], math.sqrt(math.log(K) / (K + past.notes["Q"])))
    past.notes["p"] = p
    keep(past)
    return pick(p, luck)


def exp3_ix(t: int, past: Past, problem: Problem, _: Mapping[str, float], luck: Any) -> int:
    """An observation counts, or it does not."""
    return implicit(t, past, problem, luck, noisy=False)


def exp3_wix(t: int, past: Past, problem: Problem, _: Mapping[str, float], luck: Any) -> int:
    """The noisier, the less."""
    return implicit(t, past, problem, luck, noisy=True)
