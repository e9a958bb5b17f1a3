"""A study: problems x policies x horizons, so many replicates of each, written in one file.

    name = "labs"
    seed = 1
    replicates = 200
    horizons = [1e3, 1e4]
    problems = [
        "dosing.toml",                                        # a file beside the study
        "cycle:actions=7",                                    # a problem of the gallery
        { recipe = "revealing", actions = [5, 10], gap = 0.2 },   # a list of values is a grid
    ]
    policies = [
        "ids",
        { name = "minimax", delta = [0.01, 0.1] },
        "mine.py:Greedy",                                     # your own: a file beside the study
    ]

A race is one problem at one horizon with all policies that can run there; a policy that refuses the
problem is left out, with its reason. A race is made of cells: blocks of replicates of one policy.
How large the blocks are depends on the study alone, never on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ..errors import InputError
from ..problem import Problem
from ..simulate.wait import Wait
from .cells import Cell

if TYPE_CHECKING:
    from ..policies.specification import Specification

BLOCK_ROUNDS = 10**7  # about a second of work
MAX_CELLS = 200_000


@dataclass(frozen=True, eq=False)
class Race:
    """One problem at one horizon; `refused` says why a policy is not in it."""

    label: str
    problem: Problem
    horizon: int
    policies: tuple[Specification, ...]
    refused: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.label}, T = {self.horizon:,}"


@dataclass(frozen=True, eq=False)
class Study:
    """A study, checked; `problems` by label."""

    name: str
    problems: Mapping[str, Problem]
    policies: Sequence[str | Specification]
    horizons: tuple[int, ...]
    replicates: int = 100
    seed: int = 0
    block: int | None = None
    checkpoints: tuple[int, ...] | None = None
    delay: Wait | None = None

    @cached_property
    def entrants(self) -> tuple[Specification, ...]:
        """The policies, parsed."""
        from ..policies.own import find  # noqa: PLC0415 - imports numba

        found = tuple(map(find, self.policies))
        for policy in found:
            if policy.rule.origin is not None and not policy.rule.origin.reference:
                raise InputError(
                    f"{policy} was given as an object, which no file can name: give a study "
                    "'file.py:Name' or 'package.module:Name'"
                )
        return found

    @cached_property
    def races(self) -> tuple[Race, ...]:
        """Every problem at every horizon."""
        return tuple(
            self._race(label, problem, horizon)
            for label, problem in self.problems.items()
            for horizon in self.horizons
        )

    def _race(self, label: str, problem: Problem, horizon: int) -> Race:
        from ..policies.entry import fits  # noqa: PLC0415 - imports numba
        from ..simulate.stage import revealed  # noqa: PLC0415

        setting = revealed(problem, horizon)
        refused: dict[str, str] = {}
        for policy in self.entrants:
            try:
                fits(policy, setting)
            except InputError as error:
                refused[str(policy)] = str(error)
        fit = tuple(policy for policy in self.entrants if str(policy) not in refused)
        if not fit:
            reason = next(iter(refused.values()))
            raise InputError(f"{label}, T = {horizon:,}: no policy of the study can run: {reason}")
        return Race(label, problem, horizon, fit, refused)

    def check_size(self) -> None:
        """Refuse more cells than a disk likes, before they are made."""
        cells = sum(
            len(race.policies) * -(-self.replicates // (self.block or block_size(race.horizon)))
            for race in self.races
        )
        if cells > MAX_CELLS:
            raise InputError(
                f"the study has {cells:,} cells, each a file: set `block` to a number of "
                "replicates that makes fewer"
            )

    @cached_property
    def cells_by_race(self) -> tuple[tuple[Race, tuple[Cell, ...]], ...]:
        """The cells of every race."""
        return tuple((race, tuple(self._cells_of(race))) for race in self.races)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Everything there is to compute, race by race."""
        return tuple(cell for _, cells in self.cells_by_race for cell in cells)

    def _cells_of(self, race: Race) -> Iterator[Cell]:
        """The cells of one race, policy by policy."""
        points = self.checkpoints and tuple(t for t in self.checkpoints if t < race.horizon)
        for policy in race.policies:
            whole = Cell(
                label=race.label,
                problem=race.problem,
                policy=policy,
                horizon=race.horizon,
                first=0,
                replicates=self.replicates,
                seed=self.seed,
                checkpoints=points,
                delay=self.delay,
            )
            yield from blocks(whole, self.block)


def block_size(horizon: int) -> int:
    """Replicates in a cell, if the study does not say."""
    return max(1, BLOCK_ROUNDS // horizon)


def blocks(cell: Cell, size: int | None = None) -> Iterator[Cell]:
    """The cell in blocks of so many replicates; if it is not said, of about a second of work."""
    size = size or block_size(cell.horizon)
    end = cell.first + cell.replicates
    for first in range(cell.first, end, size):
        yield replace(cell, first=first, replicates=min(size, end - first))
