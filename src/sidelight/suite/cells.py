"""What the suite races: every policy that can run, on every problem and horizon.

In every problem the actions are shuffled, so that no policy gains from an order in which the best
action comes first. A policy plays a block of replicates; if its mean is more than twice the least
it plays no others. A million rounds are for a few, and with many actions some play short races
only: the constants below say which, and `page` says it in words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..feedback import Feedback
from ..gallery import CATALOGUE, from_recipe
from ..policies.needs import Need
from ..problem import Problem
from ..simulate import Results
from ..study import Cell

if TYPE_CHECKING:
    from ..policies.specification import Specification

# The gallery, and the same families where gaps are too small for the horizon, where the hub is
# best, where means stand next to the ends of the range, and where a new action is a bad one.
RECIPES = (
    *CATALOGUE,
    "revealing:gap=0.1",
    "revealing:gap=0.05",
    "apple-tasting:gap=0.05",
    "apple-tasting:best=0",
    "bandit:gap=0.02",
    "star:hub_gap=0.6",
    "loopless:gap=0.02",
    "judges:means=0.979 0.989 1 0.979",
    "judges:means=0.951 0.951 1 0.951",
    "bandit:means=1 0.9 0.8 0.7 0.6",
    "het3:means=1 0.8 0.65",
    "het3:means=0.35 0.15 0",
    "newcomer:means=0.7 0.7 0.62 0.6",
)
DEFAULT = "ids"
ORIGINAL = "v-ids"  # what the default was made from
HORIZONS = (10_000, 100_000, 1_000_000)
REPLICATES = 300
SEED = 2015
BLOCK = 100  # replicates that every policy plays
NEAR = 2.0  # times the least mean: what is further away plays no more than that
# A million rounds: policies that are fast, where the horizon matters.
LONG = 1_000_000
FAST = {"ids", "minimax", "ts-n", "ucb-n"}
# With more than MANY actions: the longest race of policies whose rounds are slow there. With 100
# actions a run of 10,000 rounds takes 0.1 s (ids) or 2 s (v-ids), one of 100,000 takes 0.3 s (ids)
# or 0.4 s to 1.4 s (the others below).
MANY = 50
LONGEST = {
    "v-ids": 1_000,
    "ao-ids": 10_000,
    "exp3-ix": 10_000,
    "exp3-wix": 10_000,
    "ids-pm": 10_000,
}
LASTING = {
    "bandit",
    "bandit:gap=0.02",
    "revealing",
    "revealing:gap=0.05",
    "revealing-tie",
    "cycle",
    "cycle-tie",
    "loopless",
    "labs",
    "trap",
}


def is_fair(policy: Specification, problem: Problem, horizon: int) -> bool:
    """Whether the policy knows nothing it could not know, and has no caution here."""
    from ..policies.entry import fits  # noqa: PLC0415 - imports numba
    from ..simulate.stage import revealed  # noqa: PLC0415

    entry = fits(policy, revealed(problem, horizon))
    return not entry.caution and not {Need.GAP, Need.TRUTH} & set(entry.rule.needs)


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
    """One cell for each policy, with all its replicates, problem by problem."""
    from ..policies import own, registry  # noqa: PLC0415 - imports numba
    from ..policies.entry import fitting  # noqa: PLC0415
    from ..simulate.stage import revealed  # noqa: PLC0415

    named = dict.fromkeys(map(own.find, policies or registry.names()))
    for recipe in dict.fromkeys(recipes):
        problem = shuffled(from_recipe(recipe), recipe)
        for horizon in dict.fromkeys(horizons):
            wanted = [
                with_gap(policy, problem)
                for policy in named
                if _is_affordable(policy, problem, horizon)
            ]
            for policy in fitting(wanted, revealed(problem, horizon))[0]:
                yield Cell(
                    label=recipe,
                    problem=problem,
                    policy=policy,
                    horizon=horizon,
                    first=0,
                    replicates=replicates,
                    seed=SEED,
                    # The page does not use it, but it is in the names of all finished cells.
                    checkpoints=(max(horizon // 10, 1),),
                )


def contenders(raced: Sequence[tuple[Cell, Results]]) -> list[Cell]:
    """The default, and the cells with a mean near the least: they are worth more replicates."""
    means = [float(results.final.mean()) for _, results in raced]
    fair = [is_fair(cell.policy, cell.problem, cell.horizon) for cell, _ in raced]
    best = min((mean for mean, yes in zip(means, fair, strict=True) if yes), default=0.0)
    return [
        cell
        for (cell, _), mean in zip(raced, means, strict=True)
        if mean <= NEAR * best or str(cell.policy) == DEFAULT
    ]


def with_gap(policy: Specification, problem: Problem) -> Specification:
    """The policy as it is raced: one that needs a gap is told the true one, in parts of upper."""
    if Need.GAP not in policy.rule.needs or policy.parameters["gap"]:
        return policy
    gaps = problem.gaps[problem.gaps > 0]
    gap = gaps.min() / problem.upper if len(gaps) else 1
    return policy.told("gap", float(f"{gap:.12g}"))


def as_told(policy: Specification, problem: Problem) -> str:
    """The policy as it was asked for, without a gap that `with_gap` added."""
    named = policy.without("gap")
    return str(named if policy == with_gap(named, problem) else policy)


def _is_affordable(policy: Specification, problem: Problem, horizon: int) -> bool:
    if len(problem) > MANY and horizon > LONGEST.get(policy.name, horizon):
        return False
    return horizon < LONG or (policy.name in FAST and problem.name in LASTING)
