"""Algorithms 1 and 2 as lists and loops, with scipy's linear program and one in fractions.

Each is a player of `naive.loop`: a function of the round and the past that names an action. What it
must remember from round to round is in `past.notes`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight import Problem

Floats = npt.NDArray[np.float64]

FEW = 10  # actions; for more, fractions take too long


@dataclass
class Past:
    """Plays, sums of precisions and of precision times value, and a policy's own notes.

    `pending` sums the precisions of what was played and has not come.
    """

    plays: list[int]
    information: list[float]
    sums: list[float]
    pending: list[float]
    notes: dict[str, Any] = field(default_factory=dict)


def means(past: Past) -> list[float]:
    """The weighted mean of each action; 0 before the first look."""
    return [s / n if n else 0.0 for s, n in zip(past.sums, past.information, strict=True)]


def implied(rows: Floats, need: Floats) -> list[int]:
    """The needs that no other one implies by asking as much of fewer actions."""
    kept: list[int] = []
    for j in sorted(range(len(need)), key=lambda j: (rows[j].sum(), -need[j])):
        if not any((rows[k] <= rows[j]).all() and need[k] >= need[j] for k in kept):
            kept.append(j)
    return kept


def least(cost: Floats, rows: Floats, need: Floats) -> Floats:
    """A c >= 0 with rows @ c >= need of least cost, by HiGHS, with all its digits."""
    from scipy.optimize import linprog  # noqa: PLC0415 - keeps collection fast

    kept = implied(rows, need)
    rows, need = rows[kept], need[kept]
    by_need = rows / need[:, None]
    size = by_need.max(axis=0)
    size[size == 0] = 1
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    result = linprog(
        cost / size / ((cost / size).max() or 1.0),
        A_ub=-by_need / size,
        b_ub=-np.ones(len(need)),
        method="highs-ds",
        options=tight,
    )
    assert result.status == 0, result.message
    played = result.x > 1e-9
    met = result.slack < 1e-9
    exact = np.zeros(len(cost))
    exact[played] = np.linalg.lstsq(rows[np.ix_(met, played)], need[met], rcond=None)[0]
    return exact


def first_optimum(
    cost: Sequence[float], second: Sequence[float], P: Sequence[Sequence[float]], need: list[float]
) -> list[float]:
    """The c >= 0 with sum_i c_i P_ij >= need_j of least (cost, second cost, c_0, ...), exactly."""
    K, targets = len(cost), [j for j, x in enumerate(need) if x > 0]
    table: list[list[Fraction]] = [
        [Fraction(P[i][j]) for j in targets]
        + [Fraction(i == k) for k in range(K)]
        + [Fraction(cost[i]), Fraction(second[i])]
        for i in range(K)
    ]
    m = len(targets)
    rise = [Fraction(need[j]) for j in targets] + [Fraction(0)] * (K + 2)

    def limit(i: int) -> tuple[Fraction, ...]:
        return tuple(x / table[i][q] for x in (table[i][-2], table[i][-1], *table[i][m:-2]))

    while any(x > 0 for x in rise[:-2]):
        q = rise.index(max(rise[:-2]))
        r = min((i for i in range(K) if table[i][q] > 0), key=limit)
        scale = table[r][q]
        table[r] = [x / scale for x in table[r]]
        for row in [*table[:r], *table[r + 1 :], rise]:
            f = row[q]
            if f:
                row[:] = [x - f * y if y else x for x, y in zip(row, table[r], strict=True)]
    return [float(-x) for x in rise[m:-2]]


def counts(past: Past, problem: Problem) -> list[int]:
    """How many times each action was seen: its information in units of one observation."""
    seen = problem.feedback.observes
    unit = float(np.minimum(problem.feedback.precision, 1e12 / problem.upper**2)[seen].max())
    return [round(n / unit) for n in past.information]


def shower(problem: Problem, j: int) -> int:
    """j if it shows itself, else the first action that shows it."""
    return j if problem.feedback.observes[j, j] else int(problem.feedback.observes[:, j].argmax())


def asymptotic(
    t: int, past: Any, problem: Problem, parameters: Mapping[str, float], _: object
) -> int:
    """Algorithm 1 for uniform variance."""
    K, sigma = len(problem), problem.feedback.uniform_sigma
    assert sigma is not None
    if t <= K:
        past.notes["explored"] = 0
        return shower(problem, t - 1)
    theta = means(past)
    n = counts(past, problem)
    best = theta.index(max(theta))
    gap = [theta[best] - x for x in theta]
    gap[best] = min((gap[j] for j in range(K) if j != best), default=math.inf)
    enough = 8 * parameters["alpha"] * sigma**2 * math.log(t)
    if sigma == 0 or all(n[j] * gap[j] ** 2 >= enough and gap[j] > 0 for j in range(K)):
        return best
    rarest = n.index(min(n))
    beta = parameters["a"] * past.notes["explored"] ** parameters["b"]
    past.notes["explored"] += 1
    if n[rarest] == 0 or n[rarest] < beta / K or gap[best] == 0:
        return shower(problem, rarest)
    need = 2 * sigma**2 / np.array(gap) ** 2
    rows = problem.feedback.observes.T.astype(float)
    cost = np.array([theta[best] - x for x in theta])
    if K <= FEW:
        second = [float(i == best) for i in range(K)]
        plan = np.array(first_optimum(cost.tolist(), second, rows.T.tolist(), need.tolist()))
    else:
        plan = least(cost, rows, need)
    plan[best] = 0
    short = need - rows @ plan
    plan[best] = max(0.0, *(short[j] for j in range(K) if rows[j, best] > 0), 0.0)
    behind = 4 * parameters["alpha"] * math.log(t) * plan - np.array(past.plays)
    # The best two actions have the same need, so that exact ties are common.
    tied = behind >= behind.max() - 1e-12 * (abs(behind.max()) + max(past.plays))
    past.notes["equals"] = np.flatnonzero(tied).tolist()
    return int(tied.argmax())


# ---- Algorithm 2 ---------------------------------------------------------------------------------


def exact_cover(rows: list[list[int]], second: Sequence[float]) -> list[Fraction]:
    """The c >= 0 with rows @ c >= 1 of least (sum, second cost, c_0, c_1, ...), without rounding.

    The simplex method on the dual, max sum(y) with rows.T @ y <= 1, in whole numbers over a common
    denominator, the last pivot (Edmonds 1967). A second cost is a float, so that a power of 2 makes
    it whole. The limits that rows set are compared by each of these costs in turn.
    """
    K, m = len(rows[0]), len(rows)
    exact = [Fraction(x) for x in second]
    unit = max(x.denominator for x in exact)
    table = [
        [rows[j][i] for j in range(m)] + [int(i == k) for k in range(K)] + [1, int(exact[i] * unit)]
        for i in range(K)
    ]
    rise = [1] * m + [0] * (K + 2)
    over = 1
    while max(rise[:-2]) > 0:
        q = rise.index(max(rise[:-2]))
        tied = [i for i in range(K) if table[i][q] > 0]
        for place in (-2, -1, *range(m, m + K)):
            limits = [Fraction(table[i][place], table[i][q]) for i in tied]
            tied = [i for i, limit in zip(tied, limits, strict=True) if limit == min(limits)]
            if len(tied) == 1:
                break
        r = tied[0]
        pivot, source = table[r][q], table[r]
        for row in [*table[:r], *table[r + 1 :], rise]:
            f = row[q]
            row[:] = [(pivot * x - f * y) // over for x, y in zip(row, source, strict=True)]
        over = pivot
    return [Fraction(-x, over) for x in rise[m:-2]]


def best_cover(
    problem: Problem, players: list[int], targets: list[int], gaps: Sequence[float]
) -> list[Fraction]:
    """c(A, A') over all actions, of least estimated regret, then least (c_0, c_1, ...)."""
    rows = [[int(problem.feedback.observes[i, j]) for i in players] for j in targets]
    plan = exact_cover(rows, [gaps[i] for i in players])
    found = [Fraction(0)] * len(problem)
    for i, c in zip(players, plan, strict=True):
        found[i] = c / sum(plan)
    return found


def next_batch(t: int, past: Any, problem: Problem, delta: float) -> list[int]:
    """The plays of the batch that starts after t rounds."""
    notes, K = past.notes, len(problem)
    sigma = problem.feedback.uniform_sigma
    assert sigma is not None
    n = counts(past, problem)
    theta = means(past)
    r = notes["round"] = notes["round"] + 1
    if r > 1:
        width = sigma * math.sqrt(2 * math.log(8 * K**2 * r**3 / delta))
        keep_survivors(notes, theta, n, width)
    return plays_of_batch(t, past, problem, theta, n)


def keep_survivors(
    notes: dict[str, Any], theta: list[float], n: Sequence[float], width: float
) -> None:
    """Drop who is worse by the confidence rule; nobody is whom nobody has seen."""
    seen = {j: width / math.sqrt(n[j]) for j in notes["alive"] if n[j]}
    bar = max((theta[j] - g for j, g in seen.items()), default=-math.inf)
    bar -= 1e-12 * abs(bar) if width == 0 else 0
    notes["alive"] = [j for j in notes["alive"] if j not in seen or theta[j] + seen[j] >= bar]


def plays_of_batch(
    t: int, past: Any, problem: Problem, theta: list[float], n: Sequence[float], unit: float = 1.0
) -> list[int]:
    """The plays among those alive; `unit` is the information of one observation."""
    notes, K, alive = past.notes, len(problem), past.notes["alive"]
    sigma = problem.feedback.uniform_sigma
    assert sigma is not None
    if len(alive) == 1:
        return [alive[0]]
    shows = problem.feedback.observes
    strong = [j for j in alive if any(shows[i, j] for i in alive)]
    weak = [j for j in alive if j not in strong]
    top = max((x for x, m in zip(theta, n, strict=True) if m), default=0.0)
    gaps = [top - x if m else 0.0 for x, m in zip(theta, n, strict=True)]
    everyone = list(range(K))
    if weak:
        cover = best_cover(problem, everyone, weak, gaps)
        m = float(min(sum(cover[i] for i in everyone if shows[i, j]) for j in weak))
        notes["alpha"] = min(notes.get("alpha", math.inf), m)
    gamma = (sigma * notes.get("alpha", 1.0) * t / problem.upper) ** (2 / 3)
    rarest = min((n[j] for j in weak), default=math.inf)
    seen = min((n[j] for j in strong), default=math.inf)
    if weak and rarest < seen and round(rarest / unit) < gamma:
        c = best_cover(problem, everyone, weak, gaps)
    elif strong:
        c = best_cover(problem, alive, strong, gaps)
    else:
        c = [Fraction(i == max(alive, key=lambda j: theta[j])) for i in range(K)]
    support = sum(x > 0 for x in c)
    return [i for i in range(K) for _ in range(math.ceil(c[i] * support))]


def minimax(t: int, past: Any, problem: Problem, parameters: Mapping[str, float], _: object) -> int:
    """Algorithm 2 for uniform variance."""
    if t == 1:
        past.notes |= {"round": 0, "alive": list(range(len(problem))), "batch": []}
    if not past.notes["batch"]:
        delta = parameters["delta"] or 1 / past.notes["horizon"]
        past.notes["batch"] = next_batch(t - 1, past, problem, delta)
    return int(past.notes["batch"].pop(0))
