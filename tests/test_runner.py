"""The loop over rounds: what is drawn, what is learnt, what is counted.

Statistical tests have fixed seeds; drawn anew, each would fail with the probability ALARM or less.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import sidelight as sl
from races import friendly
from sidelight.engine import runner
from sidelight.engine.contract import no_data
from sidelight.engine.streams import base_words, normals
from sidelight.simulate.entry import enter, new_job, set_stage

ALARM = 1e-4


def test_values_have_the_declared_means_and_variances() -> None:
    problem = sl.gallery("random-precisions", actions=4)
    trace = sl.trace(problem, "uniform", 40_000, seed=3)
    scores = []
    for i, j in np.argwhere(problem.feedback.observes):
        x = trace.observations[trace.actions == i, j]
        z = (x - problem.means[j]) / np.sqrt(problem.feedback.variance[i, j])
        assert len(z) > 5_000
        scores += [z.mean() * np.sqrt(len(z)), (np.square(z).mean() - 1) * np.sqrt(len(z) / 2)]
    assert np.abs(scores).max() < stats.norm.isf(ALARM / 2 / len(scores))


def test_what_is_not_shown_is_not_seen() -> None:
    problem = sl.gallery("revealing")
    trace = sl.trace(problem, "uniform", 500)
    assert np.array_equal(~np.isnan(trace.observations), problem.feedback.observes[trace.actions])


def test_exact_observations_have_no_noise() -> None:
    problem = sl.gallery("test-rigs")
    trace = sl.trace(problem, "uniform", 200)
    exact = problem.feedback.variance[trace.actions] == 0
    assert exact.any()
    means = np.broadcast_to(problem.means, exact.shape)
    assert (trace.observations[exact] == means[exact]).all()


def test_the_luck_of_an_action_does_not_depend_on_who_shows_it() -> None:
    problem = sl.gallery("graded")
    seed, horizon = 6, 300
    for policy in ("uniform", "greedy"):
        trace = sl.trace(problem, policy, horizon, seed)
        for j in range(len(problem)):
            shown = ~np.isnan(trace.observations[:, j])
            sd = np.sqrt(problem.feedback.variance[trace.actions[shown], j])
            z = np.empty(int(shown.sum()))
            normals(base_words(seed, "noise"), 0, j, z)
            assert (trace.observations[shown, j] == problem.means[j] + sd * z).all()


def test_regret_is_plays_times_gaps_at_every_checkpoint() -> None:
    problem = sl.gallery("bandit")
    trace = sl.trace(problem, "ts-n", 1_000, seed=2)
    results = sl.simulate(problem, "ts-n", 1_000, 1, seed=2)
    plays = np.cumsum(np.eye(len(problem))[trace.actions], axis=0)
    regret = (plays @ problem.gaps)[results.checkpoints - 1]
    assert results.regret[0, 0] == pytest.approx(regret, rel=1e-12)
    assert (results.plays[0, 0] == plays[-1]).all()


@pytest.mark.parametrize("recipe", ["bandit", "full-information", "graded", "test-rigs"])
def test_the_belief_is_the_sums_that_it_says(recipe: str) -> None:
    problem = sl.gallery(recipe)
    stage = set_stage(problem, 50, 8)
    noise, data = runner.begin(stage.noise, 0, len(problem))
    information, sums, count = np.zeros(len(problem)), np.zeros(len(problem)), 0
    for t in range(50):
        action = t % len(problem)
        seen = np.full(len(problem), np.nan)
        runner.step(action, stage.world, stage.known, noise, data, seen)
        weight = np.where(np.isnan(seen), 0.0, stage.known.precision[action])
        information, sums = information + weight, sums + weight * np.nan_to_num(seen)
        count += int((weight > 0).sum())
        looked = information > 0
        assert (data.information == information).all()
        assert (data.sums == sums).all()
        assert (data.means[looked] == sums[looked] / information[looked]).all()
        assert (data.errors[looked] == 1 / np.sqrt(information[looked])).all()
        assert (data.means[~looked] == 0).all()
        assert np.isinf(data.errors[~looked]).all()
        assert data.seen[0] == count
    assert data.plays.sum() == 50


@pytest.mark.parametrize("actions", [1, 3, 8, 9])
def test_the_fast_path_of_full_information_learns_the_same(actions: int) -> None:
    # `play` has a path of its own for rows that show everything; `step` has not.
    problem, horizon = friendly(actions), 400
    trace = sl.trace(problem, "ucb-n", horizon, seed=5)
    results = sl.simulate(problem, "ucb-n", horizon, 1, seed=5)
    assert np.bincount(trace.actions, minlength=actions).tolist() == results.plays[0, 0].tolist()


def test_an_empty_belief_is_the_same_in_both_languages() -> None:
    _, compiled = runner.begin(base_words(0, "noise"), 0, 3)
    for here, there in zip(no_data(3), compiled, strict=True):
        assert here.dtype == there.dtype
        assert here.tobytes() == there.tobytes()


def test_a_job_stops_when_asked_and_counts_its_rounds() -> None:
    problem = friendly()
    horizon = 3 * runner.SEGMENT
    entry, stage = enter("uniform", problem, horizon), set_stage(problem, horizon, 0)
    prepared = entry.prepared

    def run(stop: int) -> runner.Job:
        outcome = np.full((2, 1), -1.0), np.zeros((2, 4), dtype=np.int64)
        job = new_job(stage, 0, np.array([horizon]), *outcome)
        job.control[runner.STOP] = stop
        entry.rule.run(stage.world, stage.known, prepared.parameters, prepared.memory, job)
        return job

    assert run(stop=0).control[runner.DONE] == 2 * horizon
    assert run(stop=1).control[runner.DONE] == 0
    assert (run(stop=1).regret == -1).all()
