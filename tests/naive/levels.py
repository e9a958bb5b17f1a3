"""Levels of best actions by arrays of numpy: what `programs.levels` computes one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.variances import Array, IntArray

About = tuple[Array, Array, Array, Array, Any]


def _pull(about: About, k: IntArray, u: Array, v: Array) -> tuple[Array, Array]:
    theta, n, p, q, fixed = about
    e = (v + u)[:, None] - theta
    s = np.sqrt(np.square(e) + 4 * q)
    x = np.where(e > 0, 2 * q / (e + s), 0.5 * (s - e))
    x = np.minimum(np.maximum(x, theta - v[:, None]), theta)
    x[:, fixed] = 0.0
    y = np.maximum(e + x, u[:, None])
    bottom = (x >= theta) | fixed
    held = ~bottom & (x <= theta - v[:, None])
    rate = p / y
    pull = np.where(bottom, rate, n * x)
    fade = np.where(bottom, rate / y, np.where(held, n, n * x / s))
    fade = np.where(pull > 0, fade, 0.0)
    rows = np.arange(len(k))
    pull[rows, k] = fade[rows, k] = 0.0
    return pull.sum(axis=1), fade.sum(axis=1)


def _step(about: About, k: IntArray, u: Array, v: Array) -> tuple[Array, Array]:
    theta, n = about[0][k], about[1][k]
    pull, fade = _pull(about, k, u, v)
    resist = n * (v - theta)
    surplus = pull - resist
    bend = np.where(pull > 0, fade / pull, 0.0)
    b = n + resist * bend
    step = 2 * surplus / (b + np.sqrt(np.maximum(b * b + 4 * n * bend * surplus, 0)))
    return np.where(surplus == 0, 0.0, step), surplus


@np.errstate(all="ignore")
def levels(about: About, ends: tuple[Array, Array], k: IntArray, u: Array) -> Array:
    """The level of each action in `k` at each shift in `u`."""
    theta, n = about[:2]
    top = ends[1][k]
    pull, _ = _pull(about, k, u, top)
    level = np.where(pull >= n[k] * (top - theta[k]), top, ends[0][k])
    open_ = np.flatnonzero(level < top)
    low, high = ends[0][k[open_]], top[open_]
    before = np.zeros(len(open_))
    for _ in range(80):
        if not len(open_):
            break
        v = level[open_]
        step, surplus = _step(about, k[open_], u[open_], v)
        low = np.where(surplus >= 0, v, low)
        high = np.where(surplus <= 0, v, high)
        wish = v + step
        astray = (surplus * before < 0) & (np.abs(surplus) > 0.5 * np.abs(before))
        fits = (wish >= low) & (wish <= high) & ~astray
        level[open_] = wish = np.where(fits, wish, 0.5 * (low + high))
        going = np.abs(wish - v) > 1e-15 + 1e-10 * np.abs(v - theta[k[open_]])
        open_, low, high, before = open_[going], low[going], high[going], surplus[going]
    return level
