"""Policies that track the exact program, as lists and loops, with a simplex method of their own.

Players of `naive.loop`. The exact program is min <c, cost> over c >= 0 with 1/n_b + 1/n_j <= 1/p_j:
for a share u = A/n_b it is a linear program, and the best u lies where the largest of the curves
u -> <prices, needs(u)>, which bound its value from below, is least.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from naive.algorithms import means
from naive.random_problems import scaled
from sidelight import Problem
from sidelight.bounds import graves_lai

Floats = npt.NDArray[np.float64]


def precisions(problem: Problem) -> Floats:
    """1/variance, at most 10^12/upper^2."""
    return np.minimum(problem.feedback.precision, 1e12 / problem.upper**2)


def shower(P: Floats, j: int) -> int:
    """Who shows j best: j itself among equals, else the first."""
    return j if P[j, j] == P[:, j].max() else int(P[:, j].argmax())


def covering(cost: Floats, P: Floats, need: Floats) -> tuple[Floats, Floats]:
    """The c >= 0 with P.T @ c >= need of least cost, and the prices of the needs.

    The simplex method on the dual, max <need, y> with P y <= cost, y >= 0, on a table with one row
    for each action. Estimates are generic, so that nothing ties but what is exactly 0.
    """
    K, asked = len(cost), np.flatnonzero(need > 0)
    m = len(asked)
    across = P[:, asked].max(axis=1, initial=0.0)
    across[across == 0] = 1.0
    table = np.hstack([P[:, asked] / across[:, None], np.eye(K), (cost / across)[:, None]])
    down = table[:, :m].max(axis=0)
    table[:, :m] /= down
    rise = np.concatenate([need[asked] / down, np.zeros(K + 1)])
    basis = list(range(m, m + K))
    while (rise[:-1] > 1e-12 * need[asked].max(initial=0.0) / 1e3).any():
        q = int(rise[:-1].argmax())
        rows = np.flatnonzero(table[:, q] > 1e-11)
        r = int(rows[(table[rows, -1] / table[rows, q]).argmin()])
        table[r] /= table[r, q]
        for i in range(K):
            if i != r:
                table[i] -= table[i, q] * table[r]
        rise -= rise[q] * table[r]
        rise[q] = 0.0
        basis[r] = q
    plan, prices = np.maximum(-rise[m:-1], 0.0) / across, np.zeros(K)
    for i, k in enumerate(basis):
        if k < m:
            prices[asked[k]] = max(table[i, -1], 0.0) / down[k]
    return plan, prices


def needs(u: Any, leader: int, pair: Floats, solo: Floats) -> Floats:
    """What is to be known of each action if 1/n of the leader takes the share u, or each of u."""
    top = pair.max()
    part = np.multiply.outer(u, pair / top)
    asked = np.where(pair > 0, pair / (1 - part), solo)
    asked[..., leader] = np.maximum(top / u, solo[leader])
    return np.asarray(asked)


def lowest(curves: list[Floats], task: tuple[int, Floats, Floats], high: float) -> float:
    """Where the largest of the curves is least, by a finer and finer grid."""
    a, b = min(1e-9, high), high
    for _ in range(12):
        grid = np.linspace(a, b, 33)
        k = int((needs(grid, *task) @ np.transpose(curves)).max(axis=1).argmin())
        a, b = float(grid[max(k - 1, 0)]), float(grid[min(k + 1, 32)])
    return (a + b) / 2


def exact(P: Floats, task: tuple[int, Floats, Floats], cost: Floats) -> Floats:
    """The plan of the exact program."""
    leader, pair, solo = task
    if not pair.any():
        return covering(cost, P, solo)[0]
    high = 1 - 1e-9
    if solo[leader] > 0:
        high = min(high, float(pair.max() / solo[leader]))
    curves: list[Floats] = []
    u = high / 2
    for _ in range(40):
        need = needs(u, *task)
        plan, prices = covering(cost, P, need)
        if curves and cost @ plan <= max(float(y @ need) for y in curves) * (1 + 1e-13):
            break
        curves.append(prices)
        u = lowest(curves, task, high)
    return plan


def fitting(
    P: Floats, task: tuple[int, Floats, Floats], base: Floats, price: float, budget: float
) -> Floats | None:
    """The cheapest plan of at most `budget` plays; None if there is none."""
    long = exact(P, task, base + price)
    if long.sum() <= budget:
        return long
    short = exact(P, task, np.ones(len(base)))
    if short.sum() > budget:
        return None
    for _ in range(60):
        level = max(price, float(base @ (short - long) / (long.sum() - short.sum())))
        plan = exact(P, task, base + level)
        if (base + level) @ plan >= (base + level) @ long * (1 - 1e-13):
            break
        if plan.sum() > budget:
            long = plan
        else:
            short = plan
    share = (budget - short.sum()) / (long.sum() - short.sum())
    return np.asarray(share * long + (1 - share) * short)


def estimates(past: Any) -> tuple[list[float], list[float], int, list[float]]:
    """Means, their variances, the leader, the gaps."""
    theta = means(past)
    lead = theta.index(max(theta))
    variance = [1 / n if n else math.inf for n in past.information]
    return theta, variance, lead, [theta[lead] - x for x in theta]


def outdated(t: int, past: Any, refresh: float) -> bool:
    """Whether the plan is to be made again."""
    if "plan" not in past.notes:
        return True
    theta, variance, lead, _ = estimates(past)
    made, then, mean, leader = past.notes["from"]
    return (
        lead != leader
        or t >= (1 + 5 * refresh) * made
        or any(n > (1 + refresh) * m for n, m in zip(past.information, then, strict=True))
        or any((x - y) ** 2 > refresh * v for x, y, v in zip(theta, mean, variance, strict=True))
    )


def note(t: int, past: Any, plan: Floats | None) -> None:
    """Keep the plan and what it is made from."""
    if plan is not None:
        plan = np.where(plan > 1e-9 * plan.sum(), plan, 0)
    theta, _, lead, _ = estimates(past)
    past.notes |= {"plan": plan, "from": (t, list(past.information), theta, lead)}


def furthest_behind(plan: Floats, plays: list[int]) -> tuple[int, float]:
    """The least N/c, and whose it is."""
    best, least = 0, math.inf
    for i, (n, c) in enumerate(zip(plays, plan, strict=True)):
        if c > 0 and n / c < least * (1 - 1e-6):
            best, least = i, n / c
    return best, least


def undecided(problem: Problem, past: Any) -> list[int]:
    """The actions to compare with the leader: not those where both were seen without noise."""
    _, variance, lead, _ = estimates(past)
    exactly = problem.upper**2 / 1e12 * (1 + 1e-9)
    return [
        j
        for j, v in enumerate(variance)
        if j != lead and not (v <= exactly and variance[lead] <= exactly)
    ]


# ---- asymptotic-sigma ----------------------------------------------------------------------------


def sigma_plan(
    f: float, t: int, past: Any, problem: Problem, parameters: Mapping[str, float]
) -> Floats | str | None:
    """The plan in units of f; None if it is too long, "tie" if there is none."""
    P, K = precisions(problem), len(problem)
    _, variance, lead, gaps = estimates(past)
    pair, solo, base = np.zeros(K), np.zeros(K), np.array(gaps)
    budget = (past.notes["horizon"] - t + 1) / f if parameters["budget"] else math.inf
    others = undecided(problem, past)
    if parameters["program"] == 0:
        wide = {j: max(gaps[j], math.sqrt(variance[j] + variance[lead])) for j in others}
        for j in others:
            pair[j] = 2 / wide[j] ** 2
        return fitting(P, (lead, pair, solo), base, min(wide.values()) / f, budget)
    if any(gaps[j] == 0 for j in others):
        return "tie"
    for j in others:
        solo[j] = 2 / gaps[j] ** 2
    solo[lead] = solo.max()
    plan = fitting(P, (lead, pair, solo), base, 0.0, budget)
    if plan is not None and plan.sum() != budget:
        plan[lead] = 0
        missing = solo - plan @ P
        seen = P[lead] > 0
        plan[lead] = max(0.0, *(missing[seen] / P[lead][seen])) if seen.any() else 0.0
    return plan


def asymptotic_sigma(
    t: int, past: Any, problem: Problem, parameters: Mapping[str, float], _: object
) -> int:
    """Track the exact program, within the rounds left."""
    K, P, notes = len(problem), precisions(problem), past.notes
    if t <= K:
        notes["explored"] = 0
        return shower(P, t - 1)
    __, variance, lead, gaps = estimates(past)
    f = math.log(t) + math.log(1 + math.log(t))
    if parameters["alpha"] > 0:
        f = 4 * parameters["alpha"] * math.log(t)
    own, paper = variance[lead], parameters["program"] == 1
    doubt = [max(v, own) if paper else v + own for v in variance]
    others = undecided(problem, past)
    if all(gaps[j] > 0 and gaps[j] ** 2 >= 2 * f * doubt[j] for j in others):
        return lead
    looks = [past.information[j] / P[shower(P, j), j] for j in range(K)]
    rarest = looks.index(min(looks))
    beta = parameters["a"] * notes["explored"] ** parameters["b"]
    notes["explored"] += 1
    if looks[rarest] == 0 or looks[rarest] < beta / K:
        return shower(P, rarest)
    stale = outdated(t, past, parameters["refresh"])
    if not stale and isinstance(notes["plan"], np.ndarray):
        stale = furthest_behind(notes["plan"], past.plays)[1] >= f
    if stale:
        plan = sigma_plan(f, t, past, problem, parameters)
        notes["tie"] = isinstance(plan, str)
        note(t, past, None if isinstance(plan, str) else plan)
    if notes["tie"]:
        return shower(P, rarest)
    return lead if notes["plan"] is None else furthest_behind(notes["plan"], past.plays)[0]


# ---- OSSB, and the clairvoyant -------------------------------------------------------------------


def bound_plan(past: Any, problem: Problem) -> Floats | None:
    """The plan of the lower bound at the estimates; None if two means tie."""
    P, K = precisions(problem), len(problem)
    _, __, lead, gaps = estimates(past)
    pair, solo = np.zeros(K), np.zeros(K)
    shown = P[lead] > 0
    for j in undecided(problem, past):
        if shown[j] and shown[lead]:
            continue
        if gaps[j] == 0:
            return None
        need = 2 / gaps[j] ** 2
        if shown[lead]:
            solo[j] = need
        elif shown[j]:
            solo[lead] = max(solo[lead], need)
        else:
            pair[j] = need
    plan = exact(P, (lead, pair, solo), np.array(gaps))
    plan[lead] = 0  # it shows nothing that is asked for
    return plan


def ossb(t: int, past: Any, problem: Problem, parameters: Mapping[str, float], _: object) -> int:
    """OSSB with information for counts."""
    K, P, notes = len(problem), precisions(problem), past.notes
    if t <= K:
        notes["explored"] = 0
        return shower(P, t - 1)
    looks = [past.information[j] / P[shower(P, j), j] for j in range(K)]
    if min(looks) == 0:
        notes["explored"] += 1
        return shower(P, looks.index(0))
    if outdated(t, past, parameters["refresh"]):
        note(t, past, bound_plan(past, problem))
    scale = (1 + parameters["gamma"]) * math.log(t)
    plan = notes["plan"]
    if plan is not None and all(n >= c * scale for n, c in zip(past.plays, plan, strict=True)):
        return estimates(past)[2]
    notes["explored"] += 1
    if plan is None or min(looks) <= parameters["epsilon"] * notes["explored"]:
        return shower(P, looks.index(min(looks)))
    return furthest_behind(plan, past.plays)[0]


def oracle_lp(t: int, past: Any, problem: Problem, _: Mapping[str, float], __: object) -> int:
    """The plan of the true means, then the best action."""
    if t == 1:  # several plans may be best: the one found in units of a power of 2
        unit = 2.0 ** math.floor(math.log2(problem.upper))
        past.notes["plan"] = graves_lai(scaled(problem, 1 / unit)).allocation
    plan = past.notes["plan"]
    if plan is None:
        return problem.best
    behind = [
        (past.plays[i] / c, i)
        for i, c in enumerate(plan)
        if i != problem.best and c > 0 and past.plays[i] / c < math.log(t)
    ]
    return min(behind)[1] if behind else problem.best
