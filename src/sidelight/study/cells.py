"""A cell: one policy on one problem for one horizon, a block of replicates. It fits in one file.

The name of the file is a hash of everything that the content depends on:

    problem, policy, all its parameters, horizon, checkpoints, seed, block of replicates, delay,
    the edition of the engine and that of the policy; of a policy of the caller also a hash of its
    source

so that a finished cell is found again by any study that needs it, and never taken for another. The
editions are numbers that are raised when compiled code starts to give other numbers; a test holds
them to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .. import files
from ..engine import contract
from ..notebook import silent
from ..problem import Problem
from ..simulate import simulate, storage
from ..simulate.simulate import Progress
from ..simulate.wait import Wait

if TYPE_CHECKING:
    from ..policies.specification import Specification

KEY = "cell"  # the provenance in the file has its name, so that a copy under another name shows


@dataclass(frozen=True, eq=False)
class Cell:
    """What to compute; `label` is what the study calls the problem."""

    label: str
    problem: Problem
    policy: Specification
    horizon: int
    first: int
    replicates: int
    seed: int
    checkpoints: tuple[int, ...] | None = None
    delay: Wait | None = None

    @property
    def place(self) -> tuple[str, str, int, int]:
        """Where the cell stands in its study."""
        return self.label, str(self.policy), self.horizon, self.first

    @property
    def rounds(self) -> int:
        """How much there is to play."""
        return self.horizon * self.replicates

    def __str__(self) -> str:
        last = self.first + self.replicates - 1
        runs = f"replicates {self.first}-{last}" if last > self.first else f"replicate {last}"
        return f"{self.label}, {self.policy}, T = {self.horizon:,}, {runs}"

    @cached_property
    def ingredients(self) -> Mapping[str, Any]:
        """Everything that the content of the file depends on."""
        parameters = self.policy.parameters
        return {
            # in variances, as long ago: another spelling would lose all finished cells
            "problem": _digest(files.to_json(self.problem.to_document(), "variance")),
            "policy": str(self.policy),
            "parameters": {key: repr(value) for key, value in sorted(parameters.items())},
            "horizon": self.horizon,
            "checkpoints": self.checkpoints and list(self.checkpoints),
            "seed": self.seed,
            "first": self.first,
            "replicates": self.replicates,
            "delay": None if self.delay is None else str(self.delay),
            "engine": contract.EDITION,
            "edition": self.policy.edition,
            "format": storage.FORMAT,
            **({"source": self.policy.rule.digest} if self.policy.rule.digest else {}),
        }

    def __getstate__(self) -> dict[str, Any]:
        """What travels to workers: not the key, which each of them finds out by itself."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def key(self) -> str:
        """The name of the file, without its suffix."""
        return key_of(self.ingredients)

    def compute(self, progress: Progress | None = None) -> bytes:
        """The content of the file: the same bytes wherever and whenever it is computed."""
        results = simulate(
            self.problem,
            self.policy,
            self.horizon,
            self.replicates,
            seed=self.seed,
            threads=1,
            checkpoints=self.checkpoints,
            delay=self.delay,
            first=self.first,
            progress=progress or silent,
        )
        signed = {**results.provenance, KEY: self.key}
        return storage.to_bytes(replace(results, provenance=signed))


def key_of(ingredients: Mapping[str, Any]) -> str:
    """The name of the cell that is made of these."""
    return _digest(json.dumps(ingredients, sort_keys=True))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
