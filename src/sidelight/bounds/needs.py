"""How much a policy with small worst-case regret must learn about each action [cor:lb-0, eq:eps].

Let a policy have regret at most B on every problem with means in [0, D], and put t = T / (8B). To
tell theta_i from a change by e, a policy must collect at least

    up(e)   = log(t (e - gap)) / e^2    for a change that makes i the best action,   e > gap
    down(e) = log(t (e + gap)) / e^2    for a change that makes i worse than it is,  e > 0

units of information n_i = sum_j c_j / variance[j, i]. (For the best action itself: a fall below the
second best, or a rise; the gap is then that of the second best.) The need m_i is the largest of up
over the changes that stay in [0, D]; if the gap is below 4B/T, the smaller of the largest up and
the largest down. Both objectives have one stationary point, given by the principal branch of
Lambert's W (the paper does not name the branch):

    up     e = gap + (sqrt(e)/t) exp W(gap t / (2 sqrt(e)))        e in sqrt(e): Euler's number
    down   e =       (sqrt(e)/t) exp W(-gap t / (2 sqrt(e))) - gap

so the best admissible change is that point or the end of the range. Where the range is empty there
is nothing to be told apart, and m_i = 0; the paper forgets the case in which only the range of
`down` is empty. Everything is computed from log t, so that horizons like 1e300 do no harm.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..variances import Array, BoolArray

# Gaps this close to 4B/T, relatively, are compared with it in exact arithmetic; logarithms of
# numbers that floats can hold are far more accurate.
CLOSE = 1e-9


class Needs(NamedTuple):
    """m_i, and the changes that attain it: nan where there is none to be told apart.

    `rise` is the change in the direction that changes the best action (for the best action itself
    this is a fall); `fall` the one in the other direction, where the gap is below 4B/T.
    """

    need: Array
    rise: Array
    fall: Array


class Rooms(NamedTuple):
    """For each action: the gap to be bridged, and how far the mean may move either way.

    `beyond` is rise_room - gap, from the means themselves, without cancellation.
    """

    gap: Array
    rise_room: Array
    fall_room: Array
    beyond: Array


def information_needs(means: Array, upper: float, horizon: float, worst_case: float) -> Needs:
    """The information m_i that every action asks for, and the worst changes [cor:lb-0, eq:eps]."""
    K = len(means)
    if K == 1:
        return Needs(np.zeros(1), np.full(1, np.nan), np.full(1, np.nan))
    log_t = math.log(horizon) - math.log(8.0) - math.log(worst_case)
    rooms = rooms_of(means, upper)
    up, rise = best_up(rooms.gap, rooms.beyond, log_t)
    down, fall = best_down(rooms.gap, rooms.fall_room, log_t)
    small = gap_is_small(means, rooms.gap, horizon, worst_case)
    need = np.where(small, np.minimum(up, down), up)
    return Needs(np.maximum(need, 0.0), rise, np.where(small, fall, np.nan))


def rooms_of(means: Array, upper: float) -> Rooms:
    """Gap and rooms of every action; the lowest index of several best actions is the best one."""
    best = int(means.argmax())
    top, second = means[best], np.delete(means, best).max()
    gap, beyond = top - means, np.full(len(means), upper - top)
    rise_room, fall_room = upper - means, means.copy()
    gap[best], beyond[best] = top - second, second
    rise_room[best], fall_room[best] = top, upper - top
    return Rooms(gap, rise_room, fall_room, beyond)


def best_up(gap: Array, beyond: Array, log_t: float) -> tuple[Array, Array]:
    """max and argmax of log(t (e - gap)) / e^2 over gap < e <= gap + beyond [eq:eps]."""
    from scipy.special import wrightomega  # noqa: PLC0415 - scipy is slow to import

    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        # omega(log x) = W(x), and sqrt(e)/t exp W(x) = gap / (2 W(x)): no large exponentials.
        w = wrightomega(np.log(gap) + log_t - math.log(2.0) - 0.5)
        past = np.where(w > 1.0, gap / (2.0 * w), np.exp(np.minimum(0.5 - log_t + w, 709.0)))
        past = np.minimum(past, beyond)
        change = gap + past
        value = (log_t + np.log(past)) / change / change
    empty = ~(beyond > 0)
    return np.where(empty, -np.inf, value), np.where(empty, np.nan, change)


def best_down(gap: Array, room: Array, log_t: float) -> tuple[Array, Array]:
    """max and argmax of log(t (e + gap)) / e^2 over 0 < e <= room, for gap t < 1/2 [eq:eps].

    Larger gaps are computed as if they were 1/(2t); nobody asks for those.
    """
    from scipy.special import lambertw  # noqa: PLC0415 - scipy is slow to import

    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        gap_t = np.minimum(np.exp(np.minimum(np.log(gap) + log_t, 0.0)), 0.5)
        w = lambertw(-gap_t / (2.0 * math.sqrt(math.e))).real
        stationary = np.exp(np.minimum(0.5 - log_t + w, 709.0)) - np.minimum(gap, room)
        change = np.where(stationary > 0, np.minimum(stationary, room), room)
        value = (log_t + np.log(change + gap)) / change / change
    empty = ~(room > 0)
    return np.where(empty, -np.inf, value), np.where(empty, np.nan, change)


def gap_is_small(means: Array, gap: Array, horizon: float, worst_case: float) -> BoolArray:
    """gap < 4B/T, decided exactly where rounding could matter."""
    with np.errstate(divide="ignore"):
        ratio = np.log(gap) + (math.log(horizon) - math.log(worst_case) - math.log(4.0))
    small = ratio < 0.0
    best = int(means.argmax())
    second = int(np.delete(means, best).argmax())
    second += second >= best
    for i in np.flatnonzero(np.abs(ratio) < CLOSE):
        other = second if i == best else i
        exact = Fraction(float(means[best])) - Fraction(float(means[other]))
        small[i] = exact * Fraction(horizon) < 4 * Fraction(worst_case)
    return small
