"""The cheapest plan that buys the information asked for: the covering program

    minimise <cost, c>   subject to   c >= 0,   n = P^T c >= need,   and sum(c) = total if given,

where c_j says how often row j of P is bought and n_i is what column i collects. Its dual,

    maximise <need, y> + total * level   over y >= 0, level with P y + level <= cost
    (without a total: level = 0),

says that for every y >= 0 the value is at least <need, y> + total * min_j (cost_j - (P y)_j).

Scaling. Let kappa_i be the cost of column i's need alone, bought in the cheapest way. Without a
total the value lies between max kappa and sum kappa. So the program is solved in the money spent
on each row, in units of max kappa, with row i divided by its best offer: then every cost is 1,
the largest entry of each row of the program is 1 and each right-hand side is kappa_i / max kappa.
A right-hand side below the solver's tolerance is worth nothing, so what the solver leaves unmet is
bought in the cheapest way afterwards; prices that a cost cannot carry are lowered.

What costs nothing is taken first: a column that a free row feeds has price exactly 0. With a total
the free rows take up the rest of it. Only if the rest is too little to feed their columns the
program with the equation is solved. No plan exists iff the fewest plays, min sum(c), exceed the
total, and the prices of that program are the proof (a Farkas ray).

A column with an infinite entry asks for nothing: any small purchase meets it, and the value is
then an infimum that no plan attains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .solver import Array, solve_linear

# Room for rounding in the second stage: the cost may exceed the optimum by this part of it.
SPARE = 1e-11


@dataclass(frozen=True, eq=False)
class Allocation:
    """The plan and the prices that prove it.

    `value` is the cost of the plan. If nothing meets the needs it is inf, the plan is 0 and the
    prices are a ray: <need, prices> > total * max_j (P prices)_j (without a total: > 0 = P prices).
    """

    status: Literal["optimal", "infeasible"]
    value: float
    plan: Array
    prices: Array


def allocate(cost: Array, precision: Array, need: Array, total: float | None = None) -> Allocation:
    """The cheapest plan; `precision` is P, with rows that are bought and columns that need."""
    asked = np.flatnonzero((need > 0) & ~np.isinf(precision).any(axis=0))
    P, needs = precision[:, asked], need[asked]
    if total is None:
        found = _unlimited(cost, P, needs)
    else:
        found = _limited(cost, P, needs, total)
    prices = np.zeros(len(need))
    prices[asked] = found.prices
    return Allocation(found.status, found.value, found.plan, prices)


def least_at(row: int, cost: Array, precision: Array, need: Array, optimal: Allocation) -> Array:
    """Among the cheapest plans without a total, one that buys `row` least [eq:lb-asy, c(theta)]."""
    asked = np.flatnonzero((need > 0) & ~np.isinf(precision).any(axis=0))
    columns = np.flatnonzero((cost == 0) | (optimal.value > 0))
    rows = (precision[np.ix_(columns, asked)] / need[asked]).T
    if not (len(asked) and rows[:, columns == row].any()):
        return optimal.plan
    unit = 1.0 / np.where(rows.any(axis=0), rows.max(axis=0), 1.0)
    spent = cost[columns] * unit / (optimal.value or 1.0)
    solved = solve_linear(
        (columns == row).astype(float),
        np.vstack([rows * unit, -spent]),
        np.append(np.ones(len(asked)), -(1.0 + SPARE)),
    )
    if solved.x is None:  # the solver sees no plan within rounding: the one we have will do
        return optimal.plan
    plan = np.zeros(len(cost))
    plan[columns] = np.maximum(solved.x, 0.0) * unit
    return _topped_up(plan, cost, precision[:, asked], need[asked])


def _unlimited(cost: Array, P: Array, need: Array) -> Allocation:
    """Any number of plays."""
    unseen = ~P.any(axis=0)
    if unseen.any():
        return Allocation("infeasible", math.inf, np.zeros(len(cost)), unseen.astype(float))
    free = cost == 0
    fed = P[free].any(axis=0)
    plan, prices = np.zeros(len(cost)), np.zeros(len(need))
    plan[~free], prices[~fed] = _cover(cost[~free], P[np.ix_(~free, ~fed)], need[~fed])
    value = float(cost @ plan)
    plan[free], _ = _cover(np.ones(int(free.sum())), P[free][:, fed], _unmet(plan, P, need)[fed])
    return Allocation("optimal", value, plan, prices)


def _limited(cost: Array, P: Array, need: Array, total: float) -> Allocation:
    """Exactly `total` plays."""
    fewest = _unlimited(np.ones(len(cost)), P, need)
    if fewest.value > total:
        return Allocation("infeasible", math.inf, np.zeros(len(cost)), fewest.prices)
    found = _unlimited(cost, P, need)
    left = total - found.plan.sum()
    cheapest = int(cost.argmin())
    if left >= 0 and cost[cheapest] == 0:
        plan = found.plan.copy()
        plan[cheapest] += left
        return Allocation("optimal", found.value, plan, found.prices)
    roomy = fewest.plan.copy()
    roomy[cheapest] += total - fewest.plan.sum()
    unit = P.max(axis=0)
    scale = cost.max() or 1.0
    solved = solve_linear(cost / scale, (P / unit).T, need / (total * unit), total=1.0)
    if solved.x is None or solved.multipliers is None:  # the fewest plays fill the total exactly
        return Allocation("optimal", float(cost @ roomy), roomy, found.prices)
    share = np.maximum(solved.x, 0.0)
    prices = np.maximum(solved.multipliers, 0.0) * scale / unit
    plan = _blended(share * (total / share.sum()), roomy, P, need)
    return Allocation("optimal", float(cost @ plan), plan, prices)


def _cover(cost: Array, P: Array, need: Array) -> tuple[Array, Array]:
    """Plan and prices when every cost is positive and every column is seen."""
    plan, prices = np.zeros(len(cost)), np.zeros(len(need))
    asked = np.flatnonzero(need > 0)
    if not len(asked):
        return plan, prices
    offers = (P[:, asked] / cost[:, None]).T  # information for one unit of money
    best = offers.max(axis=1)
    kappa = need[asked] / best
    unit = kappa.max()
    solved = solve_linear(np.ones(len(cost)), offers / best[:, None], kappa / unit)
    if solved.x is None or solved.multipliers is None:
        raise RuntimeError("HiGHS finds no plan for a covering program that always has one")
    plan = np.maximum(solved.x, 0.0) * unit / cost
    prices[asked] = _affordable(np.maximum(solved.multipliers, 0.0), offers / best[:, None]) / best
    return _topped_up(plan, cost, P, need), prices


def _affordable(prices: Array, offers: Array) -> Array:
    """Each price lowered to what the dearest row that feeds its column can carry."""
    asked = prices @ offers
    share = 1.0 / np.maximum(asked, 1.0)
    return np.asarray(prices * np.where(offers > 0, share, 1.0).min(axis=1))


def _topped_up(plan: Array, cost: Array, P: Array, need: Array) -> Array:
    """The plan with what it leaves unmet bought in the cheapest way."""
    plan = plan.copy()
    for i in np.flatnonzero(_unmet(plan, P, need) > 0):
        unmet = need[i] - P[:, i] @ plan
        if unmet > 0:
            seers = np.flatnonzero(P[:, i])
            j = seers[(cost[seers] / P[seers, i]).argmin()]
            plan[j] += unmet / P[j, i]
    return plan


def _blended(plan: Array, roomy: Array, P: Array, need: Array) -> Array:
    """As little of the roomy plan mixed in as it takes to meet every need."""
    short, spare = _unmet(plan, P, need), roomy @ P - need
    bad = short > 0
    if not bad.any():
        return plan
    part = float(np.max(short[bad] / np.maximum(short + spare, short)[bad]))
    return np.asarray((1.0 - part) * plan + part * roomy)


def _unmet(plan: Array, P: Array, need: Array) -> Array:
    return np.maximum(need - plan @ P, 0.0)
