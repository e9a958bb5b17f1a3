"""What several tests of policies share: problems on which every policy may run, and live play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from sidelight.engine.contract import Data, Floats, Words, no_data
from sidelight.engine.draws import Noise, no_noise
from sidelight.engine.runner import begin
from sidelight.player import Player
from sidelight.policies import registry
from sidelight.policies.entry import Entry, enter, fits
from sidelight.policies.rule import Rule
from sidelight.simulate import recording
from sidelight.simulate.source import Source
from sidelight.simulate.stage import Stage, revealed, set_stage

# What a policy must be told, and has no default for.
ASKED = {"eps-greedy-lp": "gap=0.1"}


GRAPHS = {
    "bandit(2)": [[1, 0], [0, 1]],
    "bandit(3)": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "cycle(3)": [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
    "revealing(3)": [[1, 1, 1], [0, 0, 0], [0, 0, 0]],
    "star(3)": [[1, 1, 1], [0, 1, 0], [0, 0, 1]],
    "loopless(3)": [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
}


def problem_on(graph: str, means: list[float]) -> sl.Problem:
    """One of the graphs, with variance 1."""
    return sl.Problem(sl.Feedback.uniform(np.array(GRAPHS[graph], dtype=bool)), means)


def ready(name: str) -> str:
    """The policy with what it must be told."""
    return f"{name}:{ASKED[name]}" if name in ASKED else name


def friendly(actions: int = 4, sigma: float = 1.0) -> sl.Problem:
    """Full information, one variance: within the assumptions of every policy."""
    means = np.linspace(0.8, 0.2, actions)
    return sl.Problem(sl.Feedback.full_information(actions, sigma), means)


def entered(text: str, problem: sl.Problem, horizon: int) -> Entry:
    """The policy on this problem, ready to begin."""
    return enter(registry.parse(text), revealed(problem, horizon))


def accepts(text: str, problem: sl.Problem, horizon: int = 100) -> bool:
    """Whether the policy may run on this problem."""
    try:
        fits(registry.parse(text), revealed(problem, horizon))
    except sl.InputError:
        return False
    return True


class Fixed:
    """Always the same action."""

    def __init__(self, action: Any, name: str = "fixed") -> None:
        self.action, self.name = action, name

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> Any:
        return self.action


class Turns:
    """One action after the other."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        return belief.rounds % len(belief)


class Live:
    """A player that tests can look into, and ask without consequences."""

    def __init__(self, text: str, problem: sl.Problem, horizon: int, seed: int) -> None:
        self.stage = set_stage(problem, horizon, seed)
        self.player = Player(text, revealed(problem, horizon), seed=seed)
        mind: Any = self.player.mind
        self.entry: Entry = mind.entry
        self.rule: Rule = self.entry.rule
        self.data: Data = self.player.data
        self.memory: Floats = mind.memory
        self.stream: Words = mind.stream

    @property
    def t(self) -> int:
        """How many rounds are over."""
        return self.player.t

    @t.setter
    def t(self, rounds: int) -> None:
        self.player.t = rounds

    def ask(self, stream: Words | None = None) -> tuple[int, int]:
        """Call `choose` of the rule; with a copy of the stream if one is given."""
        own = self.stream if stream is None else stream
        numbers = self.entry.prepared.parameters
        action, why = self.rule.choose(
            self.t + 1, self.data, self.stage.known, numbers, self.memory, own
        )
        return int(action), int(why)

    def state(self) -> bytes:
        """Everything that choosing must not change."""
        arrays = [*self.data, self.memory, self.entry.prepared.parameters]
        return b"".join(array.tobytes() for array in arrays)


def live(text: str, problem: sl.Problem, horizon: int, seed: int = 1) -> Live:
    """The policy before its first decision, with the luck of replicate 0."""
    return Live(text, problem, horizon, seed)


def luck(stage: Stage, replicate: int = 0) -> tuple[Noise, Data]:
    """The noise of a replicate, and a belief that has seen nothing of it."""
    noise = no_noise(len(stage.problem))
    begin(noise, stage.noise, replicate)
    return noise, no_data(len(stage.problem))


def traced(
    text: str, problem: sl.Problem, horizon: int, change: Callable[[Stage], Stage], seed: int = 0
) -> sl.Trace:
    """The trace of a run on a stage that was changed."""

    def changed(problem: sl.Problem, horizon: int, seed: int) -> Stage:
        return change(set_stage(problem, horizon, seed))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording, "set_stage", changed)
        return sl.trace(problem, text, horizon, seed)


def noise_free(text: str, problem: sl.Problem, horizon: int) -> sl.Trace:
    """The trace of a run in which every value equals its mean."""

    def silent(stage: Stage) -> Stage:
        return replace(stage, world=stage.world._replace(sd=np.zeros_like(stage.world.sd)))

    return traced(text, problem, horizon, silent)


def decisions(live: Live, horizon: int, order: Any = None) -> Iterator[tuple[int, int]]:
    """What the policy decides round after round; yields before each play, to look around.

    With an `order`, action j has the luck that action order[j] has without.
    """
    source, player = Source(live.stage, 0), live.player
    if order is not None:
        source.noise.state[:] = source.noise.state[order]
    for _ in range(horizon):
        action, why = live.ask(live.stream.copy())
        seen = live.data.seen[0]
        yield action, why
        choice = player.choose()
        if live.data.seen[0] == seen:  # nobody told it anything in between
            assert (choice.action, choice.why) == (action, live.rule.words[why])
        player.tell(choice, source.play(choice.action))
        player.settle()
