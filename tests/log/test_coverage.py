"""Logs of known problems: intervals cover, false alarms are as rare as stated, bias is found.

Every count is compared with the law that it has if the statement is true: the bound is exceeded
with a probability of at most 1e-4 then (`most`), so that all bounds of this file together give a
false alarm in fewer than 1 of 200 choices of seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

import logs
import sidelight as sl
from naive.log import Row

inf = float("inf")
GRADED = np.square([[1, 2, 3, inf], [0.5, 1, 2, 4], [2.0, 2, 1, 1], [inf, 1, 1, 0.5]]) / 4
problem = sl.Problem(sl.Feedback(GRADED, list("abcd")), [0.3, 0.5, 0.4, 0.6])
HUB = sl.Problem(
    sl.Feedback([[1, inf, inf], [inf, 1, inf], [1.0, 1, 1]], list("abt")), [0.3, 0.5, 0.2]
)
FULL = sl.Problem(sl.Feedback.full_information(3, labels=list("abc")), [0.3, 0.5, 0.4])

KINDS: dict[str, Callable[[int, int], list[Row]]] = {
    "uniform": lambda rounds, seed: logs.drawn(problem, "uniform", rounds, seed),
    "ids": lambda rounds, seed: logs.drawn(problem, "ids", rounds, seed),
    "gaps": lambda rounds, seed: logs.with_gaps(
        logs.drawn(problem, "uniform", rounds, seed), 0.4, seed
    ),
    "errors": lambda rounds, seed: logs.with_errors(
        logs.drawn(problem, "uniform", rounds, seed), 0.01, seed, 0.5
    ),
}


class Tally(NamedTuple):
    """How often intervals missed, of how many, and how many logs had a false alarm."""

    missed_means: int
    means: int
    missed_sigmas: int
    sigmas: int
    biased: int
    not_gaussian: int


def tally(kind: str, rounds: int, number: int) -> Tally:
    """The fits of logs with the seeds 0, 1, ..."""
    means, sigmas, biased, odd = [], [], 0, 0
    for seed in range(number):
        fit = sl.from_log(logs.frame(KINDS[kind](rounds, seed)), shift=10, upper=50).fit
        for action in fit.actions:
            truth = problem.means[problem.feedback.index(action.label)] + 10
            means.append(action.low <= truth <= action.high)
        for pair in fit.pairs:
            place = problem.feedback.index(pair.played), problem.feedback.index(pair.observed)
            if pair.low is not None and pair.high is not None:
                sigmas.append(pair.low <= np.sqrt(problem.feedback.variance[place]) <= pair.high)
        biased, odd = biased + bool(fit.biased), odd + bool(fit.not_gaussian)
    missed = len(means) - sum(means), len(sigmas) - sum(sigmas)
    return Tally(missed[0], len(means), missed[1], len(sigmas), biased, odd)


def most(trials: int, share: float = 0.05) -> int:
    """The count that is exceeded with a probability of at most 1e-4."""
    return int(stats.binom.isf(1e-4, trials, share))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_intervals_cover_and_false_alarms_are_rare(kind: str) -> None:
    """100 logs of 300 plays, about 1,000 rows (600 with gaps)."""
    found = tally(kind, 300, 100)
    assert found.missed_means <= most(found.means)
    assert found.missed_sigmas <= most(found.sigmas)
    assert found.biased <= most(100)
    assert found.not_gaussian <= most(100)


@pytest.mark.campaign
@pytest.mark.parametrize("rounds", [60, 300, 600])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_same_with_many_logs(kind: str, rounds: int) -> None:
    """400 logs. The means of logs that accuse a right pair leave data out, and Meier's error is
    an approximation: up to 6.5 % of intervals may miss, not 5 %."""
    found = tally(kind, rounds, 400)
    sys.stdout.write(f"{kind}, {rounds} plays: {found}\n")  # for docs/trust.md
    assert found.missed_means <= most(found.means, 0.065)
    assert found.missed_sigmas <= most(found.sigmas, 0.06)
    assert found.biased <= most(400)
    assert found.not_gaussian <= most(400)


@pytest.mark.parametrize(
    ("truth", "pair", "rounds"), [(FULL, (0, 1), 667), (FULL, (2, 0), 667), (HUB, (2, 1), 1_200)]
)
def test_a_bias_of_half_a_standard_deviation_is_found(
    truth: sl.Problem, pair: tuple[int, int], rounds: int
) -> None:
    """In at least 95 of 100 logs of 2,000 rows, and no other pair with it in more than most(100).

    Each pair of `FULL` has 222 values: Welch's statistic is about 5.3, and Holm asks for 2.6."""
    played, observed = (truth.feedback.labels[k] for k in pair)
    found = others = 0
    for seed in range(100):
        rows = logs.drawn(truth, "uniform", rounds, seed, {pair: 0.5})
        accused = {
            (p.played, p.observed)
            for p in sl.from_log(logs.frame(rows)[:2_000], shift=5).fit.biased
        }
        found += (played, observed) in accused
        others += bool(accused - {(played, observed)})
    assert found >= 95
    assert others <= most(100)
