"""Races over drawn means: each replicate is the plain race on its means, and says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import sidelight as sl
from naive import posterior as naive
from sidelight.simulate.header import parse, to_table
from sidelight.simulate.ingredients import differences, planned, recorded
from sidelight.simulate.joining import join
from sidelight.simulate.posterior import drawn, within

MEANS, ERRORS = [0.02, 0.5, 0.9, 0.4], [0.2, 0.1, 0.05, 0.0]
problem = sl.Problem(sl.Feedback.full_information(4), MEANS, errors=ERRORS, played=[1, 2, 3, 4])
POLICIES = ["greedy", "uniform", "oracle-lp"]


class Last:
    """A policy of the caller's."""

    name = "last"

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        return len(belief.means) - 1


def test_means_are_drawn_as_their_definition_says() -> None:
    found = drawn(problem, 3, 5, 20)
    slow = [[naive.mean_of(problem, 3, r, i) for i in range(4)] for r in range(5, 25)]
    assert found == pytest.approx(np.array(slow), abs=1e-11)
    assert (found[:, 3] == 0.4).all()
    assert np.array_equal(found[7:9], drawn(problem, 3, 12, 2))


def test_they_have_the_law_that_they_should_have() -> None:
    """The Kolmogorov test of 4,000 draws of each action: a false alarm in 3 of 1,000 seeds."""
    found = drawn(problem, 1, 0, 4_000)
    for i in range(3):
        ends = (0 - MEANS[i]) / ERRORS[i], (1 - MEANS[i]) / ERRORS[i]
        law = stats.truncnorm(*ends, loc=MEANS[i], scale=ERRORS[i])
        assert stats.kstest(found[:, i], law.cdf).pvalue > 0.001
    assert found.min() >= 0
    assert found.max() <= 1


def test_quantiles_stay_in_the_range() -> None:
    u = np.array([2.0**-54, 0.5, 1 - 2.0**-53])
    for mean, error in ((0.0, 1e-300), (1.0, 1e300), (0.5, 1e-12), (0.0, 0.0)):
        found = within(u, np.full(3, mean), np.full(3, error), 1.0)
        assert ((found >= 0) & (found <= 1)).all()


def test_a_replicate_is_the_race_on_its_means() -> None:
    race = sl.simulate(problem, [*POLICIES, Last()], 200, 6, seed=3, first=2, means="posterior")
    for row, theta in enumerate(drawn(problem, 3, 2, 6)):
        alone = sl.Problem(problem.feedback, theta)
        plain = sl.simulate(alone, [*POLICIES, Last()], 200, 1, seed=3, first=2 + row)
        assert np.array_equal(race.regret[:, row], plain.regret[:, 0])
        assert np.array_equal(race.plays[:, row], plain.plays[:, 0])
    assert race.posterior
    assert (race.regret[POLICIES.index("oracle-lp")] == 0).all()  # it is told the means drawn


def test_threads_blocks_and_files_change_nothing(tmp_path: Path) -> None:
    def race(first: int, count: int, threads: int) -> sl.Results:
        return sl.simulate(
            problem, "greedy", 100, count, seed=9, first=first, threads=threads, means="posterior"
        )

    whole, parts = race(0, 7, 1), [race(4, 3, 2), race(0, 4, 2)]
    joined = join(parts)
    assert np.array_equal(whole.regret, joined.regret)
    assert joined.posterior
    whole.save(tmp_path / "r.parquet")
    again = sl.Results.load(tmp_path / "r.parquet")
    assert again.posterior
    assert again.problem == problem
    with pytest.raises(sl.InputError, match="means drawn in all or in none"):
        join([race(0, 4, 1), sl.simulate(problem, "greedy", 100, 3, seed=9, first=4)])
    plain = planned(problem, [], 100, 9)
    assert "the means were drawn for every replicate" in differences(recorded(whole), plain)


def test_a_damaged_header_is_refused() -> None:
    table = to_table(sl.simulate(problem, "greedy", 10, 1, means="posterior"))
    assert parse(table).provenance["means"] == "posterior"
    other = {**table, "provenance": {**table["provenance"], "means": "prior"}}
    without = {**table, "problem": {k: v for k, v in table["problem"].items() if k != "errors"}}
    for wrong in (other, without):
        with pytest.raises(sl.DamagedError, match="means is not as a race writes it"):
            parse(wrong)


def test_bad_requests_are_refused() -> None:
    bare = sl.Problem(problem.feedback, MEANS)
    with pytest.raises(sl.InputError, match=r"this problem has none: give it an \[errors\] table"):
        sl.simulate(bare, "greedy", 10, means="posterior")
    with pytest.raises(sl.InputError, match="there is only 'posterior'"):
        sl.simulate(problem, "greedy", 10, means="prior")
    with pytest.raises(sl.InputError, match="standard errors of its means"):
        drawn(bare, 0, 0, 1)
