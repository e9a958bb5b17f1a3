"""Both versions of Algorithm 2 for any variances, as lists and loops.

Players of `naive.loop`. Programs with tied optima are solved in whole numbers, so that the first of
the optima is the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from naive.algorithms import first_optimum, keep_survivors, means, plays_of_batch
from naive.tracking import fitting, precisions, shower
from sidelight import Feedback, Problem


def independent(shows: list[list[bool]]) -> int:
    """How many actions are taken if each time the one with fewest neighbours is, and they go."""
    K = len(shows)
    left = list(range(K))
    size = 0
    while left:
        linked = {i: [j for j in left if j != i and (shows[i][j] or shows[j][i])] for i in left}
        chosen = min(left, key=lambda i: len(linked[i]))
        left = [j for j in left if j != chosen and j not in linked[chosen]]
        size += 1
    return size


def cover(shows: list[list[bool]], targets: list[int]) -> int:
    """How many actions show all targets if each time the one is taken that shows most.

    At the end those are given back, the last one first, without whom all targets are shown, too.
    """
    taken: list[int] = []
    left = targets
    while left:
        best = max(range(len(shows)), key=lambda i: sum(shows[i][j] for j in left))
        left = [j for j in left if not shows[best][j]]
        taken.append(best)
    for one in reversed(list(taken)):
        others = [i for i in taken if i != one]
        if all(any(shows[i][j] for i in others) for j in targets):
            taken = others
    return len(taken)


def threshold(problem: Problem, horizon: int) -> Problem:
    """The problem with all observations up to the best v, as if they had the variance v."""
    variance, K = problem.feedback.variance.tolist(), len(problem)
    values = sorted({x for row in variance for x in row if x < math.inf})
    if len(values) == 1:
        return problem
    rates = {}
    for v in values:
        shows = [[x <= v for x in row] for row in variance]
        if all(any(shows[i][j] for i in range(K)) for j in range(K)):
            weak = [
                j
                for j in range(K)
                if not shows[j][j] and not all(shows[i][j] for i in range(K) if i != j)
            ]
            if weak:
                rates[v] = (cover(shows, weak) * problem.upper * v) ** (1 / 3) * horizon ** (2 / 3)
            else:
                rates[v] = math.sqrt(v * independent(shows) * horizon)
    best = min(rates, key=lambda v: rates[v])
    cut = [[best if x <= best else math.inf for x in row] for row in variance]
    return Problem(Feedback(np.array(cut)), problem.means, problem.upper)


def batch(t: int, past: Any, problem: Problem, delta: float) -> list[int]:
    """Algorithm 2 on a graph with one variance, where information is not a count."""
    notes, K = past.notes, len(problem)
    sigma = problem.feedback.uniform_sigma
    assert sigma is not None
    n = past.information
    unit = min(1 / sigma**2 if sigma else math.inf, 1e12 / problem.upper**2)
    theta = means(past)
    r = notes["round"] = notes["round"] + 1
    if r > 1:
        width = math.sqrt(2 * math.log(8 * K**2 * r**3 / delta)) if sigma else 0.0
        keep_survivors(notes, theta, n, width)
    return plays_of_batch(t, past, problem, theta, n, unit)


# ---- the cost version ----------------------------------------------------------------------------


def phase(t: int, past: Any, problem: Problem, L: float) -> list[list[int]] | None:
    """The four quarters of a phase; None where the best survivor is to be played."""
    notes, K, D = past.notes, len(problem), problem.upper
    P = precisions(problem).tolist()
    theta = means(past)
    top = max(theta[j] for j in notes["alive"])
    gaps = [max(top - x, 0.0) if n else 0.0 for x, n in zip(theta, past.information, strict=True)]
    left = notes["horizon"] - t
    while True:
        eps = notes["eps"]
        need, cost = [0.0] * K, [0.0] * K
        for j in range(K):
            if j in notes["alive"]:
                need[j] = max(64 * L / eps**2 - past.information[j], 0.0)
                cost[j] = min(gaps[j], eps) + eps / 4
            else:
                cost[j] = min(D, gaps[j] + eps / 4)
        plan = first_optimum(cost, gaps, P, need)
        if sum(plan) > left:  # the plays cost different amounts, and fewer dear ones may do
            task = 0, np.zeros(K), np.array(need)
            shorter = fitting(np.array(P), task, np.array(cost), 0.0, left)
            if shorter is None:
                return None
            plan = shorter.tolist()
        spent = sum(c * x for c, x in zip(plan, cost, strict=True))
        if spent > eps * left:
            return None
        plays = [max(math.ceil(c - 1e-7), 0) for c in plan]
        if any(plays):
            break
        notes["eps"] = eps / 2
    return [
        [
            i
            for i in range(K)
            for _ in range(math.ceil(plays[i] * q / 4) - math.ceil(plays[i] * (q - 1) / 4))
        ]
        for q in (1, 2, 3, 4)
    ]


def survivors(past: Any, L: float) -> list[int]:
    """Who is not worse than another survivor, by the likelihood ratio."""
    alive, n, theta = past.notes["alive"], past.information, means(past)

    def is_worse(j: int, k: int) -> bool:
        if theta[k] <= theta[j] or not n[j] or not n[k]:
            return False
        return bool((theta[k] - theta[j]) ** 2 >= 2 * L * (1 / n[k] + 1 / n[j]))

    return [j for j in alive if not any(is_worse(j, k) for k in alive)]


def by_cost(t: int, past: Any, problem: Problem, L: float) -> list[int]:
    """The plays that follow after t rounds."""
    notes = past.notes
    if len(notes["alive"]) == 1:
        return [notes["alive"][0]]
    if t == 0:
        return sorted(shower(precisions(problem), j) for j in range(len(problem)))
    alive = survivors(past, L)
    if len(alive) < len(notes["alive"]):
        notes |= {"alive": alive, "quarters": None}
        if len(alive) == 1:
            return [alive[0]]
    while notes["quarters"]:
        quarter = notes["quarters"].pop(0)
        if quarter:
            return list(quarter)
    if notes["quarters"] is not None:  # a phase has ended
        notes["eps"] /= 2
        notes["quarters"] = None
    quarters = phase(t, past, problem, L)
    if quarters is None:
        theta = means(past)
        best = max(notes["alive"], key=lambda j: theta[j])
        return [best] * max(1, t // 8)
    notes["quarters"] = quarters
    return list(notes["quarters"].pop(0))


def minimax_sigma(
    t: int, past: Any, problem: Problem, parameters: Mapping[str, float], _: object
) -> int:
    """Algorithm 2 on the observations that are good enough, or by cost."""
    notes = past.notes
    delta = parameters["delta"] or 1 / max(2, notes["horizon"])
    if t == 1:
        notes |= {"round": 0, "alive": list(range(len(problem))), "batch": [], "quarters": None}
        notes |= {"eps": problem.upper, "graph": threshold(problem, notes["horizon"])}
    if not notes["batch"]:
        if parameters["version"] == 0:
            notes["batch"] = batch(t - 1, past, notes["graph"], delta)
        else:
            L = math.log(len(problem) / delta)
            notes["batch"] = by_cost(t - 1, past, problem, L)
    return int(notes["batch"].pop(0))
