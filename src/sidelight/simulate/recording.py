"""How a trace is made: a player on the luck of replicate 0, every round written down."""

from __future__ import annotations

from itertools import islice

import numpy as np

from ..player import Player
from ..policies.specification import Specification
from ..problem import Problem
from ..variances import frozen
from .own import copied, play
from .source import Source
from .stage import revealed, set_stage
from .trace import Trace
from .warming import announce


def record(problem: Problem, policy: object, name: str, horizon: int, seed: int) -> Trace:
    """Every round of replicate 0."""
    from .. import __version__  # noqa: PLC0415 - the package is complete only now

    if isinstance(policy, Specification):
        if policy.rule.is_compiled:
            announce({f"single rounds of {policy.name}": policy.rule.choose.for_python})
    else:
        policy = copied(policy, name, 0)
    player = Player(policy, revealed(problem, horizon), seed=seed)
    stage = set_stage(problem, horizon, seed)
    actions, batches = (np.zeros(horizon, dtype=np.int64) for _ in range(2))
    seen, why = np.zeros((horizon, len(problem))), []
    for t, (choice, values) in enumerate(islice(play(player, Source(stage, 0)), horizon)):
        actions[t], batches[t], seen[t] = choice.action, choice.batch or 0, values
        why.append(choice.why)
    return Trace(
        problem=problem,
        policy=name,
        parameters=dict(player.parameters),
        seed=seed,
        version=__version__,
        actions=frozen(actions),
        observations=frozen(seen),
        why=tuple(why),
        round=frozen(batches) if player.has_batches else None,
    )
