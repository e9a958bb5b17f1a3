"""The loop over rounds for a policy of the caller's: readable, in Python, on the same noise.

It calls `choose(belief, rng)` with a `Belief` that never changes and a numpy Generator that depends
on (seed, replicate) alone, and takes the observations from the compiled streams.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from ..belief import Belief
from ..engine.contract import Floats, Ints
from ..engine.delays import begin_mail, delayed_step
from ..engine.runner import DONE, STOP, Job, begin, step
from ..errors import InputError, PolicyError
from .entry import Stage


def play_own(policy: Any, name: str, stage: Stage, job: Job, report: Callable[[], object]) -> None:
    """Fill the rows of a job, one replicate after the other; report after every round."""
    for row in range(len(job.regret)):
        replicate = job.first + row
        match = Match(policy, name, stage, replicate)
        for column, checkpoint in enumerate(job.checkpoints):
            while match.t < checkpoint:
                if job.control[STOP]:
                    return
                match.play_round()
                if match.t == checkpoint:
                    job.regret[row, column] = match.data.plays @ stage.world.gaps
                    job.plays[row] = match.data.plays
                # Only now: Ctrl-C from here on must find the outcome of a round that counts.
                job.control[DONE] += 1
                report()


class Match:
    """One replicate of one policy of the caller's."""

    def __init__(self, policy: Any, name: str, stage: Stage, replicate: int) -> None:
        self.name, self.stage, self.replicate, self.t = name, stage, replicate, 0
        self.policy = self._copied(policy)  # what it remembers ends with the replicate
        key = np.random.SeedSequence(stage.seed, spawn_key=(replicate,))
        self.rng = np.random.default_rng(key)
        self.noise, self.data = begin(stage.noise, replicate, len(stage.problem))
        self.mail = begin_mail(stage.delay, replicate, len(stage.problem))
        self.belief = Belief.empty(stage.problem.feedback, stage.problem.upper)

    def play_round(self) -> tuple[int, Floats]:
        """The action of the next round, and what it showed; NaN where nothing."""
        self.t += 1
        action = self._choose()
        seen = np.full(len(self.belief), np.nan)
        stage, luck = self.stage, (self.noise, self.data)
        if stage.delay.longest < 0:
            step(action, stage.world, stage.known, *luck, seen)
        else:
            delayed_step(self.t, action, stage.world, stage.known, *luck, self.mail, stage.delay)
        self.belief = self.belief.with_data(self.data)
        return action, seen

    def _copied(self, policy: Any) -> Any:
        try:
            return copy.deepcopy(policy)
        except Exception as error:
            raise PolicyError(
                f"policy {self.name!r}, replicate {self.replicate}: it cannot be copied "
                f"({type(error).__name__}: {error}), and each replicate needs its own: leave out "
                "files and locks, or give it a __deepcopy__"
            ) from error

    def _choose(self) -> int:
        where = f"policy {self.name!r}, round {self.t} of replicate {self.replicate}"
        try:
            action = self.policy.choose(self.belief, self.rng)
        except Exception as error:
            raise PolicyError(f"{where}: choose raised {type(error).__name__}: {error}") from error
        try:
            return self.belief.check_action(action)
        except InputError as error:
            raise PolicyError(f"{where}: choose returned {error}") from None


def recorded(policy: Any, name: str, stage: Stage, horizon: int) -> tuple[Ints, Floats]:
    """Actions and observations of every round of replicate 0."""
    actions = np.empty(horizon, dtype=np.int64)
    seen = np.empty((horizon, len(stage.problem)))
    match = Match(policy, name, stage, 0)
    for t in range(horizon):
        actions[t], seen[t] = match.play_round()
    return actions, seen
