"""Races for reports, made up: a report does not ask where the numbers come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

import sidelight as sl
from sidelight.analysis import Analysis, analyze
from sidelight.report.facts import AnalysedRace, Chapter

VERSIONS = {"sidelight": "0.1.0", "numpy": "2.0", "numba": "0.61"}


def made(
    problem: sl.Problem,
    means: Mapping[str, float],
    horizon: int = 1000,
    replicates: int = 100,
    **provenance: object,
) -> sl.Results:
    """A race in which each policy loses `mean` in all, with a tenth of that as noise.

    No mean is more than half of the range in every round.
    """
    rng = np.random.default_rng(1)
    checkpoints = np.unique(np.geomspace(1, horizon, min(horizon, 20)).astype(np.int64))
    luck = 1 + 0.1 * rng.standard_normal((len(means), replicates))
    lost = np.minimum(list(means.values()), horizon * problem.upper / 2)
    final = lost[:, None] * luck
    return from_final(problem, tuple(means), final, checkpoints, **provenance)


def from_final(
    problem: sl.Problem,
    names: Sequence[str],
    final: Any,
    checkpoints: Any,
    **provenance: object,
) -> sl.Results:
    """A race with these regrets at its end, which grew evenly."""
    times = np.asarray(checkpoints, dtype=np.int64)
    values = np.asarray(final, dtype=float)
    plays = np.zeros((*values.shape, len(problem)), dtype=np.int64)
    plays[..., 0] = times[-1]
    return sl.Results(
        problem=problem,
        policies=tuple(names),
        checkpoints=times,
        regret=values[:, :, None] * (times / times[-1]),
        plays=plays,
        seed=1,
        horizon=int(times[-1]),
        provenance={
            "versions": VERSIONS,
            "parameters": {name: {"exploration": 0.5} for name in names},
            "delay": None,
            "remarks": {},
            **provenance,
        },
    )


@cache
def _examined(problem: sl.Problem, horizon: int) -> Analysis:
    return analyze(problem, float(horizon))


def race(results: sl.Results) -> AnalysedRace:
    """A race as rules see it, without the curves that take long."""
    analysis = _examined(results.problem, results.horizon)
    return AnalysedRace(results, analysis, (), "problem-1-race-1", f"{results.horizon:,} rounds")


def chapter(*races: sl.Results) -> Chapter:
    """The chapter of races on one problem."""
    problem = races[0].problem
    found = tuple(race(results) for results in races)
    return Chapter(problem, problem.name, "problem-1", sl.structure(problem.feedback), found)
