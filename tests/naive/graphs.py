"""Observability, independence, domination and coverage, by trying everything."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]


def subsets(actions: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """All subsets, small ones first."""
    members = list(actions)
    sizes = range(len(members) + 1)
    return itertools.chain.from_iterable(itertools.combinations(members, k) for k in sizes)


def is_strong(observes: BoolArray, i: int) -> bool:
    """i shows itself, or every other action shows i [cor:lb-minimax]."""
    others = [j for j in range(len(observes)) if j != i]
    return bool(observes[i][i]) or all(observes[j][i] for j in others)


def is_independent(observes: BoolArray, chosen: Sequence[int]) -> bool:
    """For every i in the set, S_i meets the set in i at most."""
    return all(not observes[i][j] for i in chosen for j in chosen if i != j)


def independence_number(observes: BoolArray) -> int:
    """The size of the largest independent set; large ones are tried first."""
    everyone = range(len(observes))
    tried = (c for size in reversed(everyone) for c in itertools.combinations(everyone, size + 1))
    return next(len(chosen) for chosen in tried if is_independent(observes, chosen))


def dominates(observes: BoolArray, chosen: Sequence[int], targets: Sequence[int]) -> bool:
    """Each target is shown by a member of the set."""
    return all(any(observes[i][j] for i in chosen) for j in targets)


def domination_number(observes: BoolArray) -> int:
    """The size of the smallest set that dominates the weakly observable actions."""
    everyone = range(len(observes))
    weak = [i for i in everyone if not is_strong(observes, i)]
    return next(len(chosen) for chosen in subsets(everyone) if dominates(observes, chosen, weak))


def coverage(observes: BoolArray, players: Sequence[int], targets: Sequence[int]) -> float:
    """m(A, A') as a max-min over distributions on A, with the level as a variable of its own."""
    from scipy.optimize import linprog  # noqa: PLC0415 - keeps collection fast

    n = len(players)
    result: Any = linprog(
        [*np.zeros(n), -1.0],
        A_ub=[[*(-float(observes[i][j]) for i in players), 1.0] for j in targets],
        b_ub=np.zeros(len(targets)),
        A_eq=[[*np.ones(n), 0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)],
        method="highs-ipm",
    )
    return float(-result.fun)


def effective_independence(variance: npt.NDArray[np.float64]) -> float:
    """min over thresholds v of (v / r) independence(G_v), every threshold tried."""
    levels = sorted({v for v in variance.flat if v < np.inf})
    everyone = range(len(variance))
    strong = all(is_strong(variance < np.inf, i) for i in everyone)

    def good(v: float) -> bool:
        graph = variance <= v
        seen = all(graph[:, j].any() for j in everyone)
        return all(is_strong(graph, i) for i in everyone) if strong else seen

    usable = [v for v in levels if good(v)]
    r = usable[0]
    if r == 0:
        return independence_number(variance <= 0)
    return min(v / r * independence_number(variance <= v) for v in usable)
