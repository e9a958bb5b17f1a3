"""The information m_i that cor:lb-0 asks for, by trying very many changes of a mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sidelight.variances import Array

Objective = Callable[[Array], Array]


def largest(objective: Objective, room: Array) -> Array:
    """max over 0 < s <= room, for each of many rooms: a dense logarithmic grid, then twice denser.

    -inf where there is no room. The objective is given a grid for each room, of shape (n, points).
    """
    top = np.full(len(room), -np.inf)
    has = np.flatnonzero(room > 0)
    low, high = np.full(len(room), -40.0), np.zeros(len(room))
    for points in (1501, 101, 101):
        steps = np.linspace(0.0, 1.0, points)
        logs = low[:, None] + (high - low)[:, None] * steps
        logs[:, -1] = high
        values = np.full(logs.shape, -np.inf)
        size = room[:, None] * np.exp(logs)
        values[has] = objective(size)[has]
        best = values.argmax(axis=1)
        top = np.maximum(top, values.max(axis=1))
        width = (high - low) / (points - 1)
        middle = low + best * width
        low, high = np.maximum(middle - width, -40.0), np.minimum(middle + width, 0.0)
    return top


def needs(means: Array, upper: Array, horizon: Array, worst_case: Array) -> Array:
    """m[case, action] for means[case, action] and one upper end, horizon and regret for each case.

    s is how far a change goes beyond the gap (up) or how far it goes (down).
    """
    t, D = (horizon / (8 * worst_case))[:, None], upper
    out = np.zeros(means.shape)
    order = np.argsort(-means, axis=1, kind="stable")
    rows = np.arange(len(means))
    best, second = order[:, 0], order[:, 1]
    top, runner_up = means[rows, best], means[rows, second]
    for i in range(means.shape[1]):
        theta, is_best = means[:, i], best == i
        gap = np.where(is_best, top - runner_up, top - theta)[:, None]
        beyond = np.where(is_best, runner_up, D - top)
        other_room = np.where(is_best, D - theta, theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            up = largest(lambda s, d=gap: np.log(t * s) / (s + d) ** 2, beyond)  # type: ignore[misc]
            down = largest(lambda s, d=gap: np.log(t * (s + d)) / s**2, other_room)  # type: ignore[misc]
        small = gap[:, 0] * horizon < 4 * worst_case
        out[:, i] = np.maximum(0.0, np.where(small, np.minimum(up, down), up))
    return out


def positive(means: Array, upper: float, horizon: float, worst_case: float) -> list[bool]:
    """Which m_i are positive, by the conditions that follow from the definition."""
    unit = worst_case / horizon
    order = np.argsort(-means, kind="stable")
    top, second = means[order[0]], means[order[1]]
    gap = top - second
    answers = []
    for i, theta in enumerate(means):
        if i == order[0]:
            answers.append(second > 8 * unit and (gap >= 4 * unit or upper - second > 8 * unit))
        else:
            answers.append(upper - top > 8 * unit and (top - theta >= 4 * unit or top > 8 * unit))
    return [bool(answer) for answer in answers]
