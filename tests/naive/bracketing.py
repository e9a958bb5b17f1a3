"""The loss of a plan, bounded from above: what no grid can miss [thm:lb-0].

Notation as in `separation`. h_k is concave, so it lies below its tangents, and exp(line) - u is
convex: between two shifts, F_k = exp(h_k) - u is at most its value at the ends or where the two
tangents cross. Intervals are split until the excess over the largest F seen is small. Before the
first shift, F_k <= exp(h_k) there, as h_k does not decrease. Beyond a shift u, Jensen gives

    F_k  <=  max over theta' of (<p, gap'> + u) exp(-r) - u ,

which is sharp where u is large, and where tangents lose their digits.

A plan whose loss is at most beta by this measure is feasible, up to rounding in floats: its cost is
an upper bound on the value of the general bound, as the rows found are a lower one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.programs.separation import (
    NEXT_TO_ZERO,
    Oracle,
    ScaledProblem,
    quiet,
    separate,
)
from sidelight.variances import Array, BoolArray, IntArray

LAST_SHIFT = 1e12
MOST_INTERVALS = 10_000
# Jensen's inequality is of no use for shifts well below the gaps.
FAR = 0.1


@quiet
def loss_above(problem: ScaledProblem, plan: Array, tolerance: float = 1e-7) -> float:
    """A bound on the loss of the plan per round, about this close to it."""
    oracle = Oracle(problem, plan)
    best = oracle.best
    lowest = separate(problem, plan, max(oracle.told, 1e-9)).loss
    first = np.maximum(1e-9 * plan[best] * lowest, NEXT_TO_ZERO)
    left = _points(oracle, best, first)
    right = _points(oracle, best, np.full(len(best), LAST_SHIFT))
    above = max(
        lowest,
        float(np.exp(left.height).max()),
        float(_beyond(oracle, best, right.u).max()),
    )
    for _ in range(100):
        tops, crossing = _tangent_tops(left, right)
        goal = lowest + tolerance * max(lowest, 1e-6)
        far = (tops > goal) & (left.u > FAR)
        tops[far] = np.minimum(tops[far], _beyond(oracle, left.k[far], left.u[far]))
        open_ = tops > goal
        above = max(above, float(tops[~open_].max(initial=0.0)))
        if not open_.any() or open_.sum() > MOST_INTERVALS:
            return max(above, float(tops[open_].max(initial=0.0)))
        left, right = left.only(open_), right.only(open_)
        middle = _points(oracle, left.k, _between(left.u, right.u, crossing[open_]))
        lowest = max(lowest, float((np.exp(middle.height) - middle.u).max()))
        left, right = left.joined(middle), middle.joined(right)
    return max(above, float(tops[open_].max(initial=0.0)))


@dataclass(frozen=True, eq=False)
class _Points:
    """Values and slopes of h_k at shifts u."""

    k: IntArray
    u: Array
    height: Array
    slope: Array

    def only(self, keep: BoolArray) -> _Points:
        return _Points(self.k[keep], self.u[keep], self.height[keep], self.slope[keep])

    def joined(self, other: _Points) -> _Points:
        pairs = zip(
            (self.k, self.u, self.height, self.slope),
            (other.k, other.u, other.height, other.slope),
            strict=True,
        )
        k, u, height, slope = (np.concatenate(pair) for pair in pairs)
        return _Points(k.astype(np.intp), u, height, slope)


def _points(oracle: Oracle, k: IntArray, u: Array) -> _Points:
    reply = oracle.reply(k, u)
    return _Points(k, u, reply.height, reply.slope)


def _tangent_tops(left: _Points, right: _Points) -> tuple[Array, Array]:
    """An upper bound on F between the points, and where the tangents of h cross."""
    bend = left.slope - right.slope
    z = (right.height - left.height + left.slope * left.u - right.slope * right.u) / bend
    z = np.where(bend > 0, np.clip(z, left.u, right.u), right.u)
    crossing = np.exp(left.height + left.slope * (z - left.u)) - z
    ends = np.maximum(np.exp(left.height) - left.u, np.exp(right.height) - right.u)
    return np.maximum(crossing, ends), z


def _between(low: Array, high: Array, wish: Array) -> Array:
    """A point well inside the interval: the one wished for, or the geometric mean."""
    middle = np.sqrt(low) * np.sqrt(high)
    inside = (wish > low * 1.05) & (wish < high / 1.05)
    return np.asarray(np.where(inside, wish, middle))


def _beyond(oracle: Oracle, k: IntArray, u: Array) -> Array:
    """Bounds on F_k beyond the shift u.

    With log(m) <= log(M) + (m - M)/M for any M, the alternatives decouple as in the oracle. The
    bound is sharp if M is the m of its own maximiser, which a few steps approach.
    """
    M = oracle.told + u
    above = np.full(len(k), np.inf)
    for _ in range(4):
        gain, earned = _linear(oracle, k, M)
        spare = M - u
        above = np.minimum(above, M * np.expm1(gain - spare / M) + spare)
        M = u + earned
    return above


def _linear(oracle: Oracle, k: IntArray, M: Array) -> tuple[Array, Array]:
    """The largest <p, gap'>/M - r with best action k, from above, and <p, gap'> there."""
    n, base, low, high = oracle.n[k], oracle.theta[k], oracle.low[k], oracle.high[k]
    for _ in range(50):
        v = 0.5 * (low + high)
        up = _pull(oracle, k, v, M) > n * (v - base)
        low, high = np.where(up, v, low), np.where(up, high, v)
    x = _drops(oracle, low, M)
    x[np.arange(len(k)), k] = base - low
    earned = np.maximum(low[:, None] - oracle.theta + x, 0.0) @ oracle.p
    # The maximand is concave in v: in the rest of the bracket its slope limits what it gains.
    rest = np.maximum(_pull(oracle, k, low, M) - n * (low - base), 0.0) * (high - low)
    return earned / M - 0.5 * np.square(x) @ oracle.n + rest, earned


def _drops(oracle: Oracle, v: Array, M: Array) -> Array:
    """How far the others fall if each unit of gap_i is worth p_i/M."""
    x = oracle.q / M[:, None]
    x = np.minimum(np.maximum(x, oracle.theta - v[:, None]), oracle.theta)
    x[:, oracle.fixed] = 0.0
    return np.asarray(x)


def _pull(oracle: Oracle, k: IntArray, v: Array, M: Array) -> Array:
    """How hard the others pull the level of k upwards."""
    x = _drops(oracle, v, M)
    held = (x <= oracle.theta - v[:, None]) & (x < oracle.theta) & ~oracle.fixed
    pull = np.where(held, oracle.n * x, oracle.p / M[:, None])
    pull[np.arange(len(v)), k] = 0.0
    return np.asarray(pull.sum(axis=1))
