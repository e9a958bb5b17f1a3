"""What several tests of policies share: problems on which every policy may run, and live play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from sidelight.compiled import cached
from sidelight.engine.contract import Data, Floats, Words
from sidelight.engine.runner import begin, step
from sidelight.engine.streams import base_words, seed_stream
from sidelight.policies.rule import Rule
from sidelight.simulate import recording
from sidelight.simulate.entry import Entry, Stage, enter, set_stage

# What a policy must be told, and has no default for.
ASKED = {"eps-greedy-lp": "gap=0.1"}


def ready(name: str) -> str:
    """The policy with what it must be told."""
    return f"{name}:{ASKED[name]}" if name in ASKED else name


@cached
def policy_stream(base, replicate, stream):  # type: ignore[no-untyped-def]
    """The state of the policy's own stream."""
    seed_stream(stream, base, replicate, 0)


def friendly(actions: int = 4, sigma: float = 1.0) -> sl.Problem:
    """Full information, one variance: within the assumptions of every policy."""
    means = np.linspace(0.8, 0.2, actions)
    return sl.Problem(sl.Feedback.full_information(actions, sigma), means)


def accepts(text: str, problem: sl.Problem, horizon: int = 100) -> bool:
    """Whether the policy may run on this problem."""
    try:
        enter(text, problem, horizon)
    except sl.InputError:
        return False
    return True


class Fixed:
    """Always the same action."""

    def __init__(self, action: Any, name: str = "fixed") -> None:
        self.action, self.name = action, name

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> Any:
        return self.action


@dataclass
class Live:
    """A policy in use, called as the contract says, one decision at a time."""

    rule: Rule
    entry: Entry
    stage: Stage
    data: Data
    memory: Floats
    stream: Words
    t: int = 0

    def ask(self, stream: Words | None = None) -> tuple[int, int]:
        """Choose; with a copy of the stream if one is given."""
        own = self.stream if stream is None else stream
        prepared = self.entry.prepared
        action, why = self.rule.choose(
            self.t + 1, self.data, self.stage.known, prepared.parameters, self.memory, own
        )
        return int(action), int(why)

    def state(self) -> bytes:
        """Everything that choosing must not change."""
        arrays = [*self.data, self.memory, self.entry.prepared.parameters]
        return b"".join(array.tobytes() for array in arrays)


def live(text: str, problem: sl.Problem, horizon: int, seed: int = 1) -> Live:
    """The policy before its first decision, with the luck of replicate 0."""
    entry, stage = enter(text, problem, horizon), set_stage(problem, horizon, seed)
    stream = np.zeros(4, dtype=np.uint64)
    policy_stream(base_words(seed, "policy"), 0, stream)
    _, data = begin(stage.noise, 0, len(problem))
    return Live(entry.rule, entry, stage, data, entry.prepared.memory.copy(), stream)


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


def decisions(player: Live, horizon: int, order: Any = None) -> Iterator[tuple[int, int]]:
    """Ask, play and update; yields before each play, so that a test can look around.

    With an `order`, action j has the luck that action order[j] has without.
    """
    noise, _ = begin(player.stage.noise, 0, len(player.stage.problem))
    if order is not None:
        noise.state[:] = noise.state[order]
    for _ in range(horizon):
        action, why = player.ask()
        yield action, why
        seen = np.full(len(player.stage.problem), np.nan)
        step(action, player.stage.world, player.stage.known, noise, player.data, seen)
        player.t += 1
        prepared = player.entry.prepared
        player.rule.update(
            player.t,
            player.data,
            player.stage.known,
            prepared.parameters,
            player.memory,
            action,
            why,
        )
