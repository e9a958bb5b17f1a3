"""eps-greedy-LP and UCB-LP as their description reads: players of `naive.loop`.

The covering program has many optima; the plan is that of `programs.allocate`, whose cost is
compared with a solver's in tests/policies/test_covering.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from naive.algorithms import Past
from naive.exp3 import precisions
from sidelight import Problem
from sidelight.programs import allocate


def plan(problem: Problem) -> list[float]:
    """z, in plays for information 1."""
    P = np.array(precisions(problem)) * problem.upper**2
    z = allocate(np.ones(len(P)), P, np.ones(len(P))).plan
    z[z * P.max(axis=1) <= 1e-9] = 0
    z /= (P.T @ z).min()
    return [float(x) * problem.upper**2 for x in z]


def kept(past: Past, problem: Problem) -> list[float]:
    """The plan, computed once."""
    if "z" not in past.notes:
        past.notes["z"] = plan(problem)
    z: list[float] = past.notes["z"]
    return z


def first_look(past: Past, problem: Problem) -> int | None:
    """Who shows best what was not seen, and at best is not coming; None where all was seen."""
    every, P = range(len(problem)), precisions(problem)
    unseen = [j for j in every if past.information[j] == 0]
    if not unseen:
        return None
    j = next((j for j in unseen if past.pending[j] == 0), unseen[0])
    best = max(P[i][j] for i in every)
    return j if P[j][j] == best else [P[i][j] for i in every].index(best)


def eps_greedy_lp(
    t: int, past: Past, problem: Problem, parameters: Mapping[str, float], luck: Any
) -> int:
    """One look at everything, then a coin decides between the plan and the largest mean."""
    look, z = first_look(past, problem), kept(past, problem)
    if look is not None:
        return look
    d = parameters["gap"] * problem.upper
    if (next(luck.words) >> 11) / 2**53 * t >= parameters["c"] * sum(z) / d**2:
        theta = [s / n for s, n in zip(past.sums, past.information, strict=True)]
        return theta.index(max(theta))
    u = (next(luck.words) >> 11) / 2**53
    totals = accumulate(x / sum(z) for x in z)
    return next((a for a, total in enumerate(totals) if u < total), len(problem) - 1)


def ucb_lp(t: int, past: Past, problem: Problem, _: Mapping[str, float], __: object) -> int:
    """Stages of ever finer resolution."""
    K, P, z, T = len(problem), precisions(problem), kept(past, problem), past.notes["horizon"]
    if t == 1:
        past.notes |= {"m": 0, "active": list(range(K)), "for plan": [0] * K}
    last = math.floor(math.log2(T / math.e) / 2)
    theta = [s / n if n > 0 else 0.0 for s, n in zip(past.sums, past.information, strict=True)]
    while len(past.notes["active"]) > 1 and past.notes["m"] <= last:
        active, D = past.notes["active"], problem.upper / 2 ** past.notes["m"]
        need = 8 * math.log(T / 4 ** past.notes["m"]) / D**2
        coming = [x + y for x, y in zip(past.information, past.pending, strict=True)]
        poor = [j for j in active if coming[j] < need]
        if all(past.information[j] >= need for j in active):
            top = max(theta[j] for j in active)
            past.notes["active"] = [j for j in active if theta[j] >= top - D]
            past.notes["m"] += 1
        elif not poor:
            break
        elif sum(z) * problem.upper <= 2 * D * sum(1 / P[j][j] for j in active):
            lag = [z[a] * need - past.notes["for plan"][a] if z[a] > 0 else -1e99 for a in range(K)]
            past.notes["for plan"][lag.index(max(lag))] += 1
            return lag.index(max(lag))
        else:
            return int(min(poor, key=lambda j: (coming[j], j)))
    return int(max(past.notes["active"], key=lambda j: (theta[j], -j)))
