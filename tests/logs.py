"""Logs drawn from known problems, as lists of rows: round, played, observed, value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

import sidelight as sl
from naive.log import Row


def drawn(
    problem: sl.Problem,
    policy: str,
    rounds: int,
    seed: int,
    bias: Mapping[tuple[int, int], float] | None = None,
) -> list[Row]:
    """What a policy played and saw; `bias` is added to the values of these pairs."""
    if policy != "uniform":
        return traced(problem, policy, rounds, seed)
    labels = problem.feedback.labels
    actions = np.random.default_rng([seed, 1]).integers(len(problem), size=rounds)
    rng = np.random.default_rng([seed, 2])
    rows: list[Row] = []
    for t, i in enumerate(actions.tolist()):
        for j in np.flatnonzero(problem.feedback.observes[i]).tolist():
            sd = float(np.sqrt(problem.feedback.variance[i, j]))
            extra = (bias or {}).get((i, j), 0.0)
            value = float(problem.means[j] + extra + sd * rng.standard_normal())
            rows.append((t, labels[i], labels[j], value))
    return rows


def traced(problem: sl.Problem, policy: str, rounds: int, seed: int) -> list[Row]:
    """What a policy, which looks at what it sees, played and saw."""
    found, labels = sl.trace(problem, policy, rounds, seed=seed), problem.feedback.labels
    return [
        (t, labels[i], labels[j], float(seen[j]))
        for t, (i, seen) in enumerate(zip(found.actions.tolist(), found.observations, strict=True))
        for j in np.flatnonzero(~np.isnan(seen)).tolist()
    ]


def with_gaps(rows: Sequence[Row], share: float, seed: int) -> list[Row]:
    """The log without a share of its rows."""
    lost = np.random.default_rng([seed, 3]).random(len(rows)) < share
    return [row for row, gone in zip(rows, lost, strict=True) if not gone]


def with_errors(rows: Sequence[Row], share: float, seed: int, size: float) -> list[Row]:
    """The log with gross errors: a share of values is off by 20 to 1,000 times `size`."""
    rng = np.random.default_rng([seed, 4])
    wrong = rng.random(len(rows)) < share
    off = size * rng.choice([-1, 1], len(rows)) * 20 ** (1 + 1.3 * rng.random(len(rows)))
    return [
        (t, i, j, value + (float(far) if bad else 0.0))
        for (t, i, j, value), bad, far in zip(rows, wrong, off, strict=True)
    ]


def frame(rows: Sequence[Row]) -> pl.DataFrame:
    """The rows as a frame."""
    names = ("round", "played", "observed", "value")
    return pl.DataFrame(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
