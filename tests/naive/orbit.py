"""Relabellings of a structure, slow and obvious: all permutations are tried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Order = tuple[int, ...]


def automorphisms(variance: Array) -> list[Order]:
    """Every order p with variance[p(i), p(j)] = variance[i, j]."""
    K = len(variance)
    return [
        p
        for p in permutations(range(K))
        if all(variance[p[i], p[j]] == variance[i, j] for i in range(K) for j in range(K))
    ]


def generated(orders: Iterable[Order], actions: int) -> set[Order]:
    """The group that these orders generate: all products of them."""
    group = {tuple(range(actions))}
    while True:
        more = {tuple(p[i] for i in g) for p in orders for g in group} | group
        if more == group:
            return group
        group = more


def relabelled(means: Sequence[float], order: Order) -> list[float]:
    """The mean of action i is that of action order[i]."""
    return [means[i] for i in order]
