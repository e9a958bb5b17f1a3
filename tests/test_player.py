"""One player for all who drive a policy: it plays what the compiled loop plays."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from races import Fixed, Turns, accepts, friendly, ready
from sidelight.engine.contract import LATE
from sidelight.engine.delays import at_once
from sidelight.engine.streams import base_words, seed_stream, stream_words
from sidelight.player import Choice
from sidelight.policies import registry
from sidelight.policies.adopted import CHOSEN
from sidelight.simulate.own import play
from sidelight.simulate.racing import delay_of
from sidelight.simulate.simulate import Plan
from sidelight.simulate.source import Source
from sidelight.simulate.stage import revealed, set_stage
from sidelight.simulate.wait import wait_of

HORIZON = 150
everyone = pytest.mark.parametrize("name", registry.names())


def played(
    policy: Any, problem: sl.Problem, delay: Any, replicate: int
) -> tuple[sl.Player, list[int]]:
    """The player after the rounds of one replicate, on the luck of the simulator; its actions."""
    empty = np.array([HORIZON])
    plan = Plan(problem, (), (), HORIZON, 1, 3, 1, empty, wait_of(delay))
    stage = set_stage(problem, HORIZON, 3, delay_of(plan))
    player = sl.Player(policy, revealed(problem, HORIZON), seed=3, replicate=replicate)
    rounds = islice(play(player, Source(stage, replicate)), HORIZON)
    return player, [choice.action for choice, *_ in rounds]


@pytest.mark.parametrize("delay", [None, 3, 40, "geometric:10"])
@everyone
def test_it_plays_what_a_race_plays(name: str, delay: float | str | None) -> None:
    """The same regret after every round, and so the same action, but for actions of equal gaps."""
    every = range(1, HORIZON + 1)
    for problem in (friendly(), sl.gallery("graded"), sl.gallery("loopless")):
        if not accepts(ready(name), problem, HORIZON):
            continue
        race = sl.simulate(problem, ready(name), HORIZON, 2, seed=3, delay=delay, checkpoints=every)
        for replicate in range(2):
            player, actions = played(ready(name), problem, delay, replicate)
            regret = np.cumsum(problem.gaps[actions])
            np.testing.assert_allclose(race.regret[0, replicate], regret, rtol=1e-9, atol=1e-9)
            assert player.data.plays.tolist() == race.plays[0, replicate].tolist()
            assert player.t == HORIZON


@pytest.mark.parametrize("delay", [None, 3, "geometric:10"])
def test_an_object_plays_what_a_race_plays(delay: float | str | None) -> None:
    class Noisy:
        """Looks at the belief and at its own luck."""

        def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
            noise = rng.normal(size=len(belief))
            return int(np.nan_to_num(belief.means + noise, nan=9.0).argmax())

    problem = sl.gallery("graded")
    race = sl.simulate(problem, Noisy(), HORIZON, 2, seed=3, delay=delay)
    for replicate in range(2):
        player, _ = played(Noisy(), problem, delay, replicate)
        assert player.data.plays.tolist() == race.plays[0, replicate].tolist()
        assert player.memory.size == 0


@everyone
def test_no_means_are_needed(name: str) -> None:
    """Feedback and range are enough, but for the oracle; a horizon only where it is a need."""
    if name == "oracle-lp":
        with pytest.raises(sl.InputError, match="only a simulation has"):
            sl.Player(name, friendly().feedback)
        return
    problem = friendly()
    with_means = sl.Player(ready(name), revealed(problem, 90), seed=1)
    without = sl.Player(ready(name), problem.feedback, problem.upper, 90, seed=1)
    rng = np.random.default_rng(0)
    for _ in range(90):
        one, other = with_means.choose(), without.choose()
        assert one == other
        values = rng.normal(size=4)
        with_means.tell(one, values)
        without.tell(other, values)
    assert without.memory.tolist() == with_means.memory.tolist()


@everyone
def test_values_may_come_in_parts_and_in_any_order(name: str) -> None:
    """Whoever is told the rest before the next choice has lost nothing."""
    if name == "oracle-lp":
        return
    feedback = friendly().feedback
    whole, parts = (sl.Player(ready(name), feedback, horizon=60, seed=1) for _ in range(2))
    rng = np.random.default_rng(0)
    for _ in range(60):
        choice, same = whole.choose(), parts.choose()
        assert choice == same
        values = rng.normal(size=4)
        whole.tell(choice, values)
        order = rng.permutation(4)
        for group in (order[:1], order[1:3], order[3:]):
            parts.tell(same, {feedback.labels[j]: values[j] for j in group})
    assert [*map(bytes, whole.data)] == [*map(bytes, parts.data)]


def test_what_is_under_way_is_known() -> None:
    feedback = sl.gallery("graded").feedback
    player = sl.Player("uniform", feedback)
    choices = [player.choose() for _ in range(5)]
    assert player.belief.rounds == 5
    assert player.data.pending == pytest.approx(player.data.plays @ feedback.precision)
    for late, choice in enumerate(reversed(choices)):
        shown = player.shown(choice.action).tolist()
        player.take(choice, shown, [0.25] * len(shown))
        assert player.data.seen[0] // LATE == late  # only the last play is not late
    assert player.data.pending.tolist() == [0.0] * len(feedback)
    looked = player.data.information > 0
    assert player.data.means[looked] == pytest.approx(0.25)


def test_values_that_never_come_are_forgotten_and_stay_welcome() -> None:
    player = sl.Player("uniform", sl.Feedback.full_information(2))
    choice = player.choose()
    player.forget(choice, [0, 1])
    assert player.data.pending.tolist() == [0.0, 0.0]
    assert player.data.seen[0] == LATE  # whoever counted on them must look again
    player.tell(choice, [1.0, 2.0])
    assert player.belief.means.tolist() == [1.0, 2.0]
    assert player.data.pending.tolist() == [0.0, 0.0]


def test_a_play_that_nobody_asked_for_counts_and_is_no_round() -> None:
    player = sl.Player("ucb-n", sl.Feedback.bandit(3), horizon=50)
    player.record(2, {2: 0.75})
    assert (player.t, player.belief.plays.tolist()) == (0, [0, 0, 1])
    assert player.belief.mean(2) == 0.75
    assert player.data.seen[0] == LATE + 1
    assert player.choose() == Choice(1, 0, "initial")


def test_a_choice_says_why_and_counts_batches_of_its_own() -> None:
    player = sl.Player("minimax", sl.Feedback.bandit(3), horizon=500)
    assert player.choose() == Choice(1, 0, "strong", 1)
    assert player.has_batches
    own = sl.Player(Fixed(1), sl.Feedback.bandit(3))
    assert own.choose() == Choice(1, 1, CHOSEN)
    assert not own.has_batches


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"b": 1.0}, "'a' does not show 'b'"),
        ({"z": 1.0}, "'z'"),
        ([1.0], "one for each action"),
        ([np.inf, np.nan], "must be finite"),
    ],
)
def test_what_cannot_be_told_changes_nothing(values: Any, message: str) -> None:
    player = sl.Player("uniform", sl.Feedback.bandit(2, labels=["a", "b"]), seed=4)
    choice = Choice(1, 0, "uniform")
    with pytest.raises(sl.InputError, match=message):
        player.tell(choice, values)
    assert player.data.seen[0] == 0


def test_what_an_object_answers_is_checked() -> None:
    with pytest.raises(
        sl.PolicyError, match=r"'fixed', round 1 of replicate 0: .* 7, which is not"
    ):
        sl.Player(Fixed(7), sl.Feedback.bandit(2)).choose()
    player = sl.Player(Turns(), sl.Feedback.bandit(2))
    assert [player.choose().action for _ in range(4)] == [0, 1, 0, 1]


@pytest.mark.parametrize(("replicate", "action"), [(0, 0), (1, 5), (2**32 - 1, 2**31)])
def test_a_stream_begins_alike_in_both_languages(replicate: int, action: int) -> None:
    base, state = base_words(2015, "policy"), np.zeros(4, dtype=np.uint64)
    seed_stream(state, base, replicate, action)
    assert stream_words(base, replicate, action).tolist() == state.tolist()


def test_values_come_at_once_unless_said() -> None:
    source = Source(set_stage(friendly(), 10, 0, at_once()), 0)
    seen = source.play(2)
    (letter,) = source.arrivals()
    assert (letter.round, letter.action, letter.values.tolist()) == (1, 2, seen.tolist())
    assert source.arrivals() == []


FITS = """
import json, sys
import numba
import sidelight as sl
from numba.core import event
from sidelight.policies import registry
from sidelight.policies.entry import fitting
from sidelight.simulate.stage import revealed

compiled = event.RecordingListener()
event.register("numba:compile", compiled)
answers = {}
for name in ("bandit", "graded", "loopless"):
    wanted = [registry.parse(text) for text in json.loads(sys.argv[1])]
    fit, refused = fitting(wanted, revealed(sl.gallery(name), 1000))
    answers[name] = [len(fit), len(refused)]
print(json.dumps([answers, len(compiled.buffer)]))
"""


def test_whether_policies_fit_compiles_nothing() -> None:
    names = json.dumps([ready(name) for name in registry.names()])
    done = subprocess.run(
        [sys.executable, "-c", FITS, names], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers, compilations = json.loads(done.stdout)
    assert compilations == 0
    assert answers["bandit"] == [len(registry.names()), 0]
    assert all(fit and refused for fit, refused in (answers["graded"], answers["loopless"]))
