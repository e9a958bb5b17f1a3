"""The outcome of a race: pseudo-regret <N, gaps> of every policy and replicate at checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..engine.contract import Floats, Ints
from ..problem import Problem


@dataclass(frozen=True, eq=False)
class Results:
    """What a race gave, and what is needed to get the same bytes again.

    `regret` has the shape (policy, replicate, checkpoint), `plays` (policy, replicate, action) and
    is taken at the horizon, which is the last checkpoint.
    """

    problem: Problem
    policies: tuple[str, ...]
    checkpoints: Ints
    regret: Floats
    plays: Ints
    seed: int
    horizon: int
    provenance: Mapping[str, Any]
