"""The fast loop for policies in Python plays what the readable one plays, bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from sidelight.belief import Beliefs
from sidelight.engine.contract import Floats, Ints
from sidelight.player import Player
from sidelight.simulate import stage as stages
from sidelight.simulate.own import play, side_by_side
from sidelight.simulate.racing import delay_of
from sidelight.simulate.simulate import Plan, check_checkpoints
from sidelight.simulate.source import Source
from sidelight.simulate.wait import wait_of

ROUNDS, REPLICATES = 150, 4
Delays = float | str | None


class Optimist:
    """UCB, one replicate at a time."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        t = belief.rounds + 1
        unseen = np.flatnonzero(belief.information == 0)
        if len(unseen):
            return int(unseen[0])
        return int((belief.means + np.sqrt(2 * np.log(t) / belief.information)).argmax())


class Optimists(Optimist):
    """The same, all replicates at once."""

    def choose_many(self, beliefs: Beliefs, rngs: Sequence[np.random.Generator]) -> Ints:
        with np.errstate(divide="ignore", invalid="ignore"):
            width = np.sqrt(2 * np.log(beliefs.rounds + 1) / beliefs.information)
        index = np.where(beliefs.information == 0, np.inf, beliefs.means + width)
        best: Ints = index.argmax(axis=1)
        return best


class Random:
    """Any action."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> Any:
        return rng.integers(len(belief))


class Hoarder:
    """Keeps beliefs, arrays of beliefs and parts of arrays, and decides by old ones."""

    def __init__(self) -> None:
        self.kept: list[Floats] = []
        self.beliefs: list[sl.Belief] = []

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        place = belief.rounds % 4
        if place == 0:
            self.beliefs.append(belief)
            self.kept.append(belief.means)
        elif place == 1:
            self.kept.append(belief.information[:])
        elif place == 2:
            self.kept.append(belief.sums[::-1])
        old = self.kept[len(self.kept) // 2]
        rounds = self.beliefs[len(self.beliefs) // 2].rounds
        return int(np.nan_to_num(old * (rounds + 1), nan=9.0).argmax())


class Sampler:
    """Thompson sampling for several replicates, each with its own random numbers."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        sd = 1 / np.sqrt(np.maximum(belief.information, 1e-3))
        return int((np.nan_to_num(belief.means) + sd * rng.standard_normal(len(belief))).argmax())

    def choose_many(self, beliefs: Beliefs, rngs: Sequence[np.random.Generator]) -> list[int]:
        return [self.choose(beliefs[r], rng) for r, rng in enumerate(rngs)]


def plan_of(problem: sl.Problem, delay: Delays) -> Plan:
    points = check_checkpoints(None, ROUNDS)
    return Plan(problem, ("x",), (None,), ROUNDS, 1, 3, 1, points, wait_of(delay))


def readable(problem: sl.Problem, policy: object, replicate: int, delay: Delays) -> Ints:
    """The plays of a replicate, by the loop over a `Player`."""
    stage = stages.set_stage(problem, ROUNDS, 3, delay_of(plan_of(problem, delay)))
    setting = stages.revealed(problem, ROUNDS)
    player = Player(policy, setting, seed=3, replicate=replicate)
    for _ in islice(play(player, Source(stage, replicate)), ROUNDS):
        pass
    return np.array(player.data.plays)


@pytest.mark.parametrize("delay", [None, 0, 7, "geometric:10"])
@pytest.mark.parametrize("make", [Optimist, Optimists, Random, Hoarder, Sampler])
@pytest.mark.parametrize("recipe", ["star", "full-information", "dosing", "revealing"])
def test_the_fast_loop_plays_what_the_readable_one_plays(
    recipe: str, make: type, delay: Delays
) -> None:
    problem = sl.gallery(recipe)
    fast = sl.simulate(problem, make(), ROUNDS, REPLICATES, seed=3, delay=delay, first=2)
    for row in range(REPLICATES):
        slow = readable(problem, make(), 2 + row, delay)
        assert fast.plays[0, row].tolist() == slow.tolist()
        assert fast.regret[0, row, -1] == slow @ np.array(problem.gaps)


def test_one_at_a_time_or_many_at_once_is_the_same_race() -> None:
    problem = sl.gallery("star")
    one = sl.simulate(problem, Optimist(), 100, 300, seed=1)
    for threads in (1, 2):
        many = sl.simulate(problem, Optimists(), 100, 300, seed=1, threads=threads)
        assert many.regret.tobytes() == one.regret.tobytes()
        assert many.plays.tobytes() == one.plays.tobytes()


def test_what_is_seen_is_what_a_belief_of_the_same_data_says() -> None:
    class Asking(Optimist):
        def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
            data = belief.plays, belief.information, belief.sums
            plain = sl.Belief(belief.feedback, belief.upper, *data, belief._precision)
            np.testing.assert_array_equal(plain.means, belief.means)
            assert plain.rounds == belief.rounds == belief.plays.sum()
            with pytest.raises(ValueError, match="read-only"):
                belief.means[0] = 1.0
            later = belief.play(0).observe(0, [0.5, *[np.nan] * (len(belief) - 1)])
            assert later.rounds == belief.rounds + 1
            assert later.sums[0] != belief.sums[0]
            assert later.means[0] == later.sums[0] / later.information[0]
            asked.append(belief.rounds)
            return super().choose(belief, rng)

    asked: list[int] = []
    sl.simulate(sl.gallery("star"), Asking(), 30, 2)
    assert asked == [*range(30), *range(30)]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([0, 0], r"returned an array of shape \(2,\) for 3 replicates"),
        ([0, 99, 0], r"round 1 of replicate 6: choose_many returned 99, which is not an action"),
        ([0.0, 0.0, 0.5], r"replicate 5: choose_many returned 0.0, which is not an action"),
        (None, r"returned an array of shape \(\)"),
    ],
)
def test_a_wrong_answer_for_many_is_said(answer: Any, said: str) -> None:
    class Wrong(Optimist):
        def choose_many(self, beliefs: Beliefs, rngs: Sequence[np.random.Generator]) -> Any:
            return answer

    with pytest.raises(sl.PolicyError, match=said):
        sl.simulate(sl.gallery("star"), Wrong(), 10, 3, first=5)


def test_ctrl_c_among_many_keeps_only_complete_replicates() -> None:
    class Stopped(Optimists):
        def choose_many(self, beliefs: Beliefs, rngs: Sequence[np.random.Generator]) -> Ints:
            if len(beliefs) < size and beliefs.rounds == 20:
                raise KeyboardInterrupt
            return super().choose_many(beliefs, rngs)

    problem = sl.gallery("star")
    size = side_by_side(stages.set_stage(problem, 30, 0))
    with pytest.raises(sl.Interrupted) as caught:
        sl.simulate(problem, Stopped(), 30, size + 2)
    assert caught.value.results.replicates == size
    whole = sl.simulate(problem, Optimist(), 30, size)
    assert caught.value.results.regret.tobytes() == whole.regret.tobytes()
