"""How a trace is made: the loop of a built-in policy with a tape, or the loop in Python."""

from __future__ import annotations

import numpy as np

from ..engine.contract import Floats, Ints
from ..problem import Problem
from ..variances import frozen
from .entry import Stage, announce, enter, new_job, new_tape, set_stage
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
    tape = new_tape(horizon, len(stage.problem))
    outcome = np.zeros((1, 1)), np.zeros((1, len(stage.problem)), dtype=np.int64)
    job = new_job(stage, 0, np.array([horizon]), *outcome, tape)
    announce({rule.name: rule.run})
    rule.run(stage.world, stage.known, prepared.parameters, prepared.memory, job)
    words = tuple(rule.words[why] for why in tape.why)
    number = tape.round if rule.rounds else None
    return tape.action, tape.seen, words, number, dict(entry.parameters)
