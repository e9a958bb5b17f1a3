"""Policies in Python that fail, or are interrupted: what is kept."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import sidelight as sl
from races import Fixed
from sidelight.engine.runner import DONE
from sidelight.simulate import stage as stages
from sidelight.simulate.own import play_own

bandit = sl.gallery("bandit")


class Failing:
    """Fails at round 7 of every replicate."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        if belief.rounds == 6:
            raise RuntimeError("out of ideas")
        return 0


def test_a_policy_that_cannot_be_copied_does_not_spoil_the_race() -> None:
    locked = Fixed(threading.Lock(), "locked")
    with pytest.raises(sl.PolicyError, match="policy 'locked', replicate 0") as caught:
        sl.simulate(bandit, ["greedy", locked], 50, 4)
    assert caught.value.results.policies == ("greedy",)


def test_ctrl_c_after_a_policy_failed_keeps_the_others() -> None:
    class Stopped:
        """Is interrupted in its third replicate."""

        def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
            played.append(belief.rounds)
            if len(played) > 2 * 30:
                raise KeyboardInterrupt
            return 0

    played: list[int] = []
    with pytest.raises(sl.Interrupted, match="'Failing', round 7 of replicate 0") as caught:
        sl.simulate(bandit, [Failing(), Stopped()], 30, 8)
    assert caught.value.results.policies == ("Stopped",)
    assert caught.value.results.replicates == 2

    def press(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(sl.Interrupted) as caught:
        sl.simulate(bandit, Failing(), 30, 8, progress=press)
    assert caught.value.results is None


def test_ctrl_c_after_the_last_round_of_a_replicate_finds_its_outcome() -> None:
    stage = stages.set_stage(bandit, 5, 0)
    outcome = np.full((2, 1), np.nan), np.zeros((2, len(bandit)), dtype=np.int64)
    job = stages.new_job(stage, 0, np.array([5]), *outcome)

    def press() -> None:
        if job.control[DONE] == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_own(Fixed(1), "fixed", stage, [job], press)
    assert job.regret[0, 0] == pytest.approx(5 * bandit.gaps[1])
    assert job.plays[0, 1] == 5
