"""How a trace is made: the recorded loop of a built-in policy, or the loop in Python."""

from __future__ import annotations

import numpy as np

from ..engine.contract import Floats, Ints
from ..engine.runner import Tape
from ..feedback import frozen
from ..problem import Problem
from .entry import Stage, announce, enter, new_job, set_stage
from .own import recorded
from .trace import CHOSEN, Trace


def record(problem: Problem, policy: object, name: str, horizon: int, seed: int) -> Trace:
    """Every round of replicate 0."""
    from .. import __version__  # noqa: PLC0415 - the package is complete only now

    stage = set_stage(problem, horizon, seed)
    if not isinstance(policy, str):
        actions, seen = recorded(policy, name, stage, horizon)
        words, number = (CHOSEN,) * horizon, None
        parameters: dict[str, float] = {}
    else:
        actions, seen, words, number, parameters = _built_in(policy, stage, horizon)
    return Trace(
        problem=problem,
        policy=name,
        parameters=parameters,
        seed=seed,
        version=__version__,
        actions=frozen(actions),
        observations=frozen(seen),
        why=words,
        round=None if number is None else frozen(number),
    )


Rounds = tuple[Ints, Floats, tuple[str, ...], Ints | None, dict[str, float]]


def _built_in(policy: str, stage: Stage, horizon: int) -> Rounds:
    entry = enter(policy, stage.problem, horizon)
    rule, prepared = entry.rule, entry.prepared
    actions, why, number = (np.zeros(horizon, dtype=np.int64) for _ in range(3))
    seen = np.full((horizon, len(stage.problem)), np.nan)
    nothing = np.empty((0, 1)), np.empty((0, len(stage.problem)), dtype=np.int64)
    job = new_job(stage, 0, np.array([horizon]), *nothing)
    tape = Tape(actions, why, number, seen)
    announce({rule.name: rule.record})
    rule.record(stage.world, stage.known, prepared.parameters, prepared.memory, job, tape)
    words = tuple(rule.words[w] for w in why)
    return actions, seen, words, number if rule.rounds else None, dict(entry.parameters)
