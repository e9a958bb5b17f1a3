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

What costs nothing is taken first: a column that a free row feeds has price exactly 0.

With a total, the least cost may be subtracted from all, so that some row is free; it takes up the
rest of the total. If the rest is too little to feed its columns, each play gets a price mu of its
own: for every mu >= 0, the value is at least V(cost + mu) - mu total, where V is the value without
a total, and the best mu gives equality. Each plan c bounds this concave function of mu by the line
<cost, c> + mu (sum(c) - total). The search keeps one plan that is too long and one too short, and
takes mu where their lines meet; the mixture of the two with the right length is the answer.

No plan exists iff the fewest plays, min sum(c), exceed the total, and the prices of that program
are the proof (a Farkas ray).

A column with an infinite entry asks for nothing: any small purchase meets it, and the value is
then an infimum that no plan attains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..variances import Array
from .solver import solve_linear

# HiGHS takes entries below 1e-9 for 0 and violations below 1e-10 for none. Entries are enlarged by
# the square of this factor, and everything else by the factor itself.
ZOOM = 32.0

# Part of the value that a price must bring in to be kept.
NOTHING = 1e-13

# No need, plan or price is larger than this.
LARGEST = 1e300

# Room for rounding where one plan is compared with another, as a part of cost or plays.
SPARE = 1e-10

# Two bounds of the value that agree to this part of it are equal but for rounding. The search for
# the price of a play halts anyway after so many steps; the prices found so far are prices.
AGREED = 1e-13
MOST_MEETINGS = 60


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
    P, needs = precision[:, asked], np.minimum(need[asked], LARGEST)
    # Plans and prices may leave the range of floats at its ends; they are cut off there.
    with np.errstate(all="ignore"):
        found = _unlimited(cost, P, needs) if total is None else _limited(cost, P, needs, total)
    prices = np.zeros(len(need))
    prices[asked] = _cut(found.prices)
    return Allocation(found.status, found.value, _cut(found.plan), prices)


def least_at(row: int, cost: Array, precision: Array, need: Array, optimal: Allocation) -> Array:
    """Among the cheapest plans without a total, one that buys `row` least [eq:lb-asy, c(theta)]."""
    asked = np.flatnonzero((need > 0) & ~np.isinf(precision).any(axis=0))
    P, needs = precision[:, asked], need[asked]
    # Only rows that pay for themselves are in a cheapest plan (complementary slackness).
    columns = np.flatnonzero(P @ optimal.prices[asked] >= cost * (1.0 - SPARE))
    with np.errstate(all="ignore"):
        rows = (P[columns] / needs).T
        unit = 1.0 / np.where(rows.any(axis=0), rows.max(axis=0, initial=0.0), 1.0)
        spent = cost[columns] * unit / (optimal.value or 1.0)
        program = np.vstack([rows * unit, -spent])
    if not np.isfinite(program).all():
        return optimal.plan
    target = (columns == row).astype(float)
    solved = solve_linear(target, program, np.append(np.ones(len(asked)), -1.0))
    if solved.x is None:  # the solver sees no plan within rounding: the one we have will do
        return optimal.plan
    plan = np.zeros(len(cost))
    plan[columns] = np.maximum(solved.x, 0.0) * unit
    plan = topped_up(plan, cost, P, needs)
    return plan if plan[row] < optimal.plan[row] * (1.0 - SPARE) else optimal.plan


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
    short = _unlimited(np.ones(len(cost)), P, need)
    if short.value > total:
        return Allocation("infeasible", math.inf, np.zeros(len(cost)), short.prices)
    extra = cost - cost.min()
    long = _unlimited(extra, P, need)
    left = total - long.plan.sum()
    if left >= 0:
        plan, prices = long.plan.copy(), long.prices
        plan[int(cost.argmin())] += left
    else:
        plan, prices = _meet(extra, P, need, total, (long, short))
    return Allocation("optimal", float(cost @ plan), plan, prices)


def _meet(
    cost: Array, P: Array, need: Array, total: float, ends: tuple[Allocation, Allocation]
) -> tuple[Array, Array]:
    """The mixture of a plan that is too long and one that is not, and its prices."""
    long, short = (end.plan for end in ends)
    prices = ends[0].prices  # for mu = 0, the best where the shorter plan costs no more
    best = float(need @ prices)
    for _ in range(MOST_MEETINGS):
        mu = np.maximum(cost @ (short - long), 0.0) / (long - short).sum()
        length = (total - short.sum()) / (long - short).sum()
        mixture = length * long + (1.0 - length) * short
        if not 0.0 < mu < math.inf:
            break
        plan, offered = _cover(cost + mu, P, need)
        value = float(need @ offered) - mu * total
        if value >= best:
            best, prices = value, offered
        if best >= float(cost @ mixture) * (1.0 - AGREED):
            break
        if plan.sum() > total:
            long = plan
        else:
            short = plan
    return mixture, prices


def _cover(cost: Array, P: Array, need: Array) -> tuple[Array, Array]:
    """Plan and prices when every cost is positive and every column is seen."""
    plan, prices = np.zeros(len(cost)), np.zeros(len(need))
    asked = np.flatnonzero(need > 0)
    if not len(asked):
        return plan, prices
    with np.errstate(all="ignore"):
        # Logarithms, because precisions and gaps may be at opposite ends of what a float can hold.
        offers = np.log(P[:, asked].T) - np.log(cost)  # information for one unit of money
        best = offers.max(axis=1)
        kappa = np.log(need[asked]) - best
        rows = np.exp(offers - best[:, None])
        demand = np.exp(kappa - kappa.max())
        solved = solve_linear(np.full(len(cost), ZOOM), ZOOM**2 * rows, ZOOM * demand)
        if solved.x is None or solved.multipliers is None:
            raise RuntimeError("HiGHS finds no plan for a covering program that always has one")
        money, offered = ZOOM * np.maximum(solved.x, 0.0), ZOOM * solved.multipliers
        plan = money * np.exp(kappa.max() - np.log(cost))
        offered = _polished(offered, money, rows, demand) * np.exp(-best)
    prices[asked] = _cut(offered)
    return topped_up(_cut(plan), cost, P, need), prices


def _polished(prices: Array, x: Array, rows: Array, demand: Array) -> Array:
    """Feasible prices: the solver's, or those that the rows in use pay exactly, if worth more.

    One step of Newton's method on the equations that hold at the optimum brings the violations
    that the solver tolerates down to rounding. Prices that are paid for next to nothing only take
    room from the others.
    """
    raw = np.maximum(prices, 0.0)
    used, bought = raw * demand > NOTHING * (raw @ demand), x > 0
    active = rows[np.ix_(used, bought)]
    step = np.linalg.lstsq(active.T, 1.0 - raw[used] @ active, rcond=None)[0]
    kept, moved = np.where(used, raw, 0.0), np.zeros(len(raw))
    moved[used] = np.maximum(raw[used] + step, 0.0)
    candidates = [_affordable(y, rows) for y in (raw, kept, moved)]
    return max(candidates, key=lambda y: float(y @ demand))


def _affordable(prices: Array, offers: Array) -> Array:
    """Each price lowered to what the dearest row that feeds its column can carry."""
    asked = prices @ offers
    share = 1.0 / np.maximum(asked, 1.0)
    return np.asarray(prices * np.where(offers > 0, share, 1.0).min(axis=1))


def topped_up(plan: Array, cost: Array, P: Array, need: Array) -> Array:
    """The plan with what it leaves unmet bought in the cheapest way."""
    plan = plan.copy()
    with np.errstate(all="ignore"):
        for i in np.flatnonzero(_unmet(plan, P, need) > 0):
            unmet = need[i] - P[:, i] @ plan
            if unmet > 0:
                seers = np.flatnonzero(P[:, i])
                j = seers[(cost[seers] / P[seers, i]).argmin()]
                plan[j] += unmet / P[j, i]
    return _cut(plan)


def _cut(values: Array) -> Array:
    return np.clip(np.nan_to_num(values, nan=0.0), 0.0, LARGEST)


def _unmet(plan: Array, P: Array, need: Array) -> Array:
    return np.maximum(need - plan @ P, 0.0)
