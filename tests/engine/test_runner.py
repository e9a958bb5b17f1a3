"""The loop over rounds: what is drawn, what is learnt, what is counted.

Statistical tests have fixed seeds; drawn anew, each would fail with the probability ALARM or less.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import sidelight as sl
from races import Turns, entered, friendly, luck
from sidelight.belief import known
from sidelight.engine import runner
from sidelight.engine.contract import no_data
from sidelight.engine.delays import fixed
from sidelight.engine.streams import base_words, normals
from sidelight.player import Player
from sidelight.simulate.source import Source
from sidelight.simulate.stage import new_job, revealed, set_stage
from sidelight.simulate.stage import run as play_job

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
    source, player = Source(stage, 0), Player(Turns(), revealed(problem, 50))
    data = player.data
    information, sums, count = np.zeros(len(problem)), np.zeros(len(problem)), 0
    for _ in range(50):
        choice = player.choose()
        action, seen = choice.action, source.play(choice.action)
        player.tell(choice, seen)
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


UNEVEN = [[0, 1, 1, 0], [0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 0]]  # one is played twice in a row
SHORT_CUTS = {  # policies that promise plays, or that see at once when they stay with an action
    "one is left": ("minimax:delta=0.9", sl.gallery("bandit", actions=3, sigma=0.05)),
    "batches": (
        "minimax",
        sl.Problem(sl.Feedback.uniform(np.array(UNEVEN, dtype=bool)), [0.5, 0.6, 0.4, 0.2]),
    ),
    "bandit": ("ucb-n", sl.gallery("bandit")),
    "star": ("ucb-n", sl.gallery("star")),
}


@pytest.mark.parametrize("case", SHORT_CUTS)
def test_short_cuts_of_the_loop_change_nothing(case: str) -> None:
    (policy, problem), horizon = SHORT_CUTS[case], 700
    checkpoints = [1, 2, 3, 50, 51, 333, horizon]
    trace = sl.trace(problem, policy, horizon, seed=5)
    results = sl.simulate(problem, policy, horizon, 1, seed=5, checkpoints=checkpoints)
    plays = np.cumsum(np.eye(len(problem))[trace.actions], axis=0)
    assert plays[-1].tolist() == results.plays[0, 0].tolist()
    lost = (plays @ problem.gaps)[results.checkpoints - 1]
    assert results.regret[0, 0] == pytest.approx(lost, rel=1e-12)


def test_plays_that_were_promised_are_drawn_and_counted() -> None:
    """Sums as after single plays; means and errors are left to the play that follows."""
    problem = sl.gallery("graded")
    stage = set_stage(problem, 50, 8)
    for action in range(len(problem)):
        noise, ahead = luck(stage)
        runner._play_ahead((action, 7), (stage.world, stage.known, noise, ahead))
        runner.play(action, stage.world, stage.known, noise, ahead)
        noise, single = luck(stage)
        for _ in range(8):
            runner.play(action, stage.world, stage.known, noise, single)
        for one, other in zip(ahead, single, strict=True):
            assert one == pytest.approx(other, rel=1e-12)


def test_an_action_is_alone_if_it_shows_itself_and_nothing_else() -> None:
    observes = [[1, 0, 0], [1, 0, 0], [0, 1, 1]]
    seen = known(sl.Feedback.uniform(np.array(observes, dtype=bool)), 1.0, 10)
    assert [bool(runner.alone(i, seen)) for i in range(3)] == [True, False, False]


def test_a_desk_is_cleared_for_every_replicate() -> None:
    stage = set_stage(friendly(3), 40, 0, fixed(2))
    fresh = np.array([1.0, 2.0])
    desk, used = (runner.new_desk(3, stage.delay, fresh) for _ in range(2))
    job = new_job(stage, 0, np.array([40]), np.zeros((1, 1)), np.zeros((1, 3), dtype=np.int64))
    for part in (*used.belief, *used.mail, *used.noise, used.stream, used.memory):
        part[...] = 7
    for one in (desk, used):
        runner.clear(one, job, 5)
    assert [*map(bytes, desk.belief)] == [*map(bytes, used.belief)] == [*map(bytes, no_data(3))]
    assert (desk.mail.first == used.mail.first).all()
    assert (desk.mail.stream == used.mail.stream).all()
    assert (desk.noise.state == used.noise.state).all()
    assert (desk.noise.place == used.noise.place).all()
    assert (desk.stream == used.stream).all()
    assert used.memory.tolist() == fresh.tolist()


def test_a_job_stops_when_asked_and_counts_its_rounds() -> None:
    problem = friendly()
    horizon = 3 * runner.SEGMENT
    entry, stage = entered("uniform", problem, horizon), set_stage(problem, horizon, 0)

    def run(stop: int) -> runner.Job:
        outcome = np.full((2, 1), -1.0), np.zeros((2, 4), dtype=np.int64)
        job = new_job(stage, 0, np.array([horizon]), *outcome)
        job.control[runner.STOP] = stop
        play_job(entry, stage, job)
        return job

    assert run(stop=0).control[runner.DONE] == 2 * horizon
    assert run(stop=1).control[runner.DONE] == 0
    assert (run(stop=1).regret == -1).all()


def test_policies_compiled_by_different_processes_stay_themselves(tmp_path: Path) -> None:
    # Two processes fill an empty cache, one policy each; a third reads both from there.
    script = (
        "import sys, sidelight as sl\n"
        "races = sl.simulate(sl.gallery('bandit'), sys.argv[1:], 300, 2, seed=2)\n"
        "print(*races.regret[:, :, -1].ravel(), sep='\\n')\n"
    )

    def regrets(*policies: str) -> list[str]:
        command = [sys.executable, "-c", script, *policies]
        cache = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        run = subprocess.run(command, env=cache, capture_output=True, text=True, check=True)
        return run.stdout.split()

    alone = [regrets("greedy"), regrets("uniform")]
    assert alone[0] != alone[1]
    assert regrets("greedy", "uniform") == [*alone[0], *alone[1]]
