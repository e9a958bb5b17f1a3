"""Theorem thm:lb-0 as the paper states it, and the loss of a plan, by trying everything."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sidelight.variances import Array


def _cvxpy() -> Any:
    """cvxpy, which is slow to import and not fully typed."""
    return importlib.import_module("cvxpy")


def counts(actions: int, rounds: int) -> Array:
    """All vectors of play counts with this sum."""
    every = itertools.product(range(rounds + 1), repeat=actions)
    return np.array([c for c in every if sum(c) == rounds], dtype=float)


def informations(theta: Array, other: Array, precision: Array) -> Array:
    """I_i(theta, theta'): what one play of i tells."""
    return np.asarray(0.5 * precision @ np.square(theta - other))


def least_other_regret(weights: Array, losses: Array, information: float) -> float:
    """f: the least expected loss under any q' with KL(q || q') <= r, as a conic program."""
    cp = _cvxpy()
    other = cp.Variable(len(weights), nonneg=True)
    charged = np.flatnonzero(weights > 0)
    divergence = cp.sum(cp.rel_entr(weights[charged], other[charged]))
    goal = cp.Minimize(losses @ other)
    cp.Problem(goal, [cp.sum(other) == 1, divergence <= information]).solve(solver=cp.CLARABEL)
    return float(goal.value)


def dual_other_regret(weights: Array, losses: Array, information: float) -> float:
    """f as the supremum over s of exp(E log(l + s) - r) - s, on a fine grid."""
    s = np.concatenate([[0.0], np.geomspace(1e-9, 1e6, 400_001) * max(losses.max(), 1e-9)])
    charged = weights > 0
    with np.errstate(divide="ignore"):
        logs = np.log(losses[charged, None] + s)
    return float((np.exp(weights[charged] @ logs - information) - s).max())


def literal_bound(
    theta: Array, precision: Array, rounds: int, worst_case: float, others: Sequence[Array]
) -> float:
    """b(theta, B) over distributions of play counts, for finitely many alternatives; or inf."""
    cp = _cvxpy()
    table = counts(len(theta), rounds)
    q = cp.Variable(len(table), nonneg=True)
    limits = [cp.sum(q) == 1]
    for other in others:
        there = cp.Variable(len(table), nonneg=True)
        losses = table @ (other.max() - other)
        told = table @ informations(theta, other, precision)
        limits += [
            cp.sum(there) == 1,
            losses @ there <= worst_case,
            cp.sum(cp.rel_entr(q, there)) <= told @ q,
        ]
    program = cp.Problem(cp.Minimize((table @ (theta.max() - theta)) @ q), limits)
    program.solve(solver=cp.CLARABEL)
    return float(program.value)


def loss_at(theta: Array, info: Array, plan: Array, other: Array, shift: float) -> float:
    """exp(sum_i p_i log(gap'_i + u) - r) - u at one alternative and u > 0.

    `info` is T P, the upper end is 1, and u is taken out of the exponential to keep the digits.
    """
    logs = np.log1p((other.max() - other) / shift)
    told = 0.5 * plan @ info @ np.square(theta - other)
    return shift * math.expm1(float(plan @ logs) - told)


def loss_by_search(theta: Array, info: Array, plan: Array, rng: np.random.Generator) -> float:
    """The loss of a plan: random alternatives near and far, the best few polished."""
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import

    K = len(theta)

    def minus(z: Array) -> float:
        return -loss_at(theta, info, plan, np.clip(z[:K], 0.0, 1.0), math.exp(z[K]))

    starts = []
    for _ in range(3000):
        size = 10 ** rng.uniform(-4, 0)
        other = np.clip(theta + size * rng.normal(size=K), 0.0, 1.0)
        starts.append(np.append(other, rng.uniform(-20, 5)))
    starts.sort(key=minus)
    options = {"maxiter": 4000, "maxfev": 4000, "xatol": 1e-9, "fatol": 1e-12}
    best = 0.0
    for start in starts[:6]:
        at = start
        for _ in range(2):
            at = minimize(minus, at, method="Nelder-Mead", options=options).x
        best = max(best, -minus(at))
    return max(best, float(plan @ (theta.max() - theta)))
