"""A problem as the engine reads it, and one policy on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..belief import known
from ..engine.contract import Floats, Ints, Known, Words
from ..engine.delays import Delay, at_once
from ..engine.runner import AHEAD, Job, World, new_desk
from ..engine.streams import base_words
from ..policies.adopted import blaming
from ..policies.entry import Entry
from ..policies.needs import Revealed
from ..problem import Problem
from ..setting import Setting


@dataclass(frozen=True, eq=False)
class Stage:
    """A problem as the engine reads it, and the base words of the two kinds of streams."""

    problem: Problem
    world: World
    known: Known
    seed: int
    noise: Words
    policy: Words
    delay: Delay


def set_stage(
    problem: Problem,
    horizon: int | None,
    seed: int,
    delay: Delay | None = None,
    role: str = "noise",
) -> Stage:
    """The problem as arrays of the engine's own: frozen ones would be compiled for separately.

    `horizon` is what policies are told; None where they are told nothing.
    """
    knowledge = known(problem.feedback, problem.upper, horizon)
    shown = np.nonzero(problem.feedback.observes)
    world = World(
        means=np.array(problem.means),
        gaps=np.array(problem.gaps),
        sd=np.sqrt(problem.feedback.variance[shown]),
        weight=knowledge.precision[shown],
    )
    noise, policy = base_words(seed, role), base_words(seed, "policy")
    return Stage(problem, world, knowledge, seed, noise, policy, delay or at_once())


def on_other_means(stage: Stage, means: Floats) -> Stage:
    """The same stage where the truth is another."""
    problem = Problem(stage.problem.feedback, means, stage.problem.upper)
    world = stage.world._replace(means=np.array(problem.means), gaps=np.array(problem.gaps))
    return replace(stage, problem=problem, world=world)


def revealed(problem: Problem, horizon: int | None) -> Revealed:
    """What a policy may know of the problem, with the means for those that are told them."""
    return Revealed(Setting(problem.feedback, problem.upper, horizon), problem.means)


def new_job(
    stage: Stage,
    first: int,
    checkpoints: Ints,
    regret: Floats,
    plays: Ints,
) -> Job:
    """Replicates first, first + 1, ..., as many as `regret` has rows."""
    control = np.zeros(AHEAD + 1, dtype=np.int64)
    return Job(
        stage.noise,
        stage.policy,
        first,
        checkpoints,
        regret,
        plays,
        control,
        stage.delay,
    )


def run(entry: Entry, stage: Stage, job: Job) -> None:
    """Play the replicates of a job."""
    desk = new_desk(len(stage.problem), stage.delay, entry.prepared.memory)
    with blaming(entry.rule):
        entry.rule.run(stage.world, stage.known, entry.prepared.parameters, desk, job)
