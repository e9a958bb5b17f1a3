"""What the suite races: one cell for each problem, horizon and policy that can run there.

In every problem the actions are shuffled, so that no policy gains from an order in which the best
action comes first. A finished cell is a file of `Results` named by the hash of everything that
produced it, the compiled sources included: running again computes only what is missing.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..document import to_table
from ..errors import InputError
from ..feedback import Feedback
from ..gallery import CATALOGUE, from_recipe
from ..problem import Problem
from ..simulate import Results, simulate

if TYPE_CHECKING:
    from ..simulate.simulate import Progress

# The gallery, and the same families where gaps are too small for the horizon or the hub is best.
RECIPES = (
    *CATALOGUE,
    "revealing:gap=0.1",
    "revealing:gap=0.05",
    "apple-tasting:gap=0.05",
    "apple-tasting:best=0",
    "bandit:gap=0.02",
    "star:hub_gap=0.6",
    "loopless:gap=0.02",
)
HORIZONS = (10_000, 100_000)
REPLICATES = 300
SEED = 2015
LARGE = 50  # actions; above, what solves linear programs or integrals in a round is left out
# Policies whose rounds take microseconds: their longest horizon, and the most replicates.
SLOW = {"v-ids": (1e4, 60), "asymptotic-sigma": (1e5, 100), "ossb": (1e5, 100)}
SMALL_ONLY = {"asymptotic", "asymptotic-sigma", "ossb", "minimax", "minimax-sigma", "v-ids"}


@dataclass(frozen=True, eq=False)
class Cell:
    """One policy on one problem, so many times."""

    recipe: str
    problem: Problem
    policy: str
    horizon: int
    replicates: int

    @property
    def name(self) -> str:
        """The policy without its parameters."""
        return self.policy.partition(":")[0]

    def is_fair(self) -> bool:
        """Whether the policy knows nothing it could not know, and is not known to be linear."""
        from ..policies.setting import Need  # noqa: PLC0415 - imports numba
        from ..simulate.entry import enter  # noqa: PLC0415

        entry = enter(self.policy, self.problem, self.horizon)
        return not entry.caution and not {Need.GAP, Need.TRUTH} & set(entry.rule.needs)

    def key(self) -> str:
        """A hash of everything that the outcome depends on."""
        from ..compiled import fingerprint  # noqa: PLC0415 - imports numba

        parts = {
            "problem": to_table(self.problem.to_document()),
            "policy": self.policy,
            "horizon": self.horizon,
            "replicates": self.replicates,
            "seed": SEED,
            "engine": fingerprint(),
        }
        text = json.dumps(parts, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def shuffled(problem: Problem, recipe: str) -> Problem:
    """The problem with its actions in an order that depends on the recipe alone."""
    digest = hashlib.sha256(recipe.encode()).digest()
    order = np.random.default_rng(int.from_bytes(digest[:8], "little")).permutation(len(problem))
    feedback = problem.feedback
    turned = Feedback(
        feedback.variance[np.ix_(order, order)], labels=[feedback.labels[i] for i in order]
    )
    return Problem(turned, problem.means[order], problem.upper, name=recipe)


def cells(
    recipes: Sequence[str] = RECIPES,
    horizons: Sequence[int] = HORIZONS,
    replicates: int = REPLICATES,
    policies: Sequence[str] | None = None,
) -> Iterator[Cell]:
    """Every cell, problem by problem."""
    from ..policies import registry  # noqa: PLC0415 - imports numba

    for recipe in recipes:
        problem = shuffled(from_recipe(recipe), recipe)
        for horizon in horizons:
            for name in policies or registry.names():
                policy = _text(name, problem)
                if _is_affordable(name, problem, horizon) and _runs(policy, problem, horizon):
                    runs = min(replicates, SLOW.get(name, (0, replicates))[1])
                    yield Cell(recipe, problem, policy, horizon, runs)


def _text(name: str, problem: Problem) -> str:
    """The policy as it is raced: one that needs a gap is told the true one."""
    from ..policies import registry  # noqa: PLC0415 - imports numba
    from ..policies.setting import Need  # noqa: PLC0415

    if Need.GAP not in registry.parse(name)[0].needs:
        return name
    gaps = problem.gaps[problem.gaps > 0]
    return f"{name}:gap={gaps.min() if len(gaps) else 1:.12g}"


def _is_affordable(name: str, problem: Problem, horizon: int) -> bool:
    if len(problem) > LARGE and name in SMALL_ONLY:
        return False
    return horizon <= SLOW.get(name, (math.inf, 0))[0]


def _runs(policy: str, problem: Problem, horizon: int) -> bool:
    from ..simulate.entry import enter  # noqa: PLC0415 - imports numba

    try:
        enter(policy, problem, horizon)
    except InputError:
        return False
    return True


def run_cell(cell: Cell, folder: Path, progress: Progress | None = None) -> tuple[Results, bool]:
    """The results of a cell, and whether they had to be computed."""
    path = folder / f"{cell.key()}.parquet"
    if path.exists():
        try:
            return Results.load(path), False
        except InputError:  # damaged: compute it again
            path.unlink()
    results = simulate(
        cell.problem,
        cell.policy,
        cell.horizon,
        cell.replicates,
        seed=SEED,
        checkpoints=[max(cell.horizon // 10, 1)],
        progress=progress,
    )
    results.save(path)
    return results, True
