"""Variants of the default on the structures of the gallery, with other means: for decision 005.

The gallery has few problems whose best mean is near the end of the range. Here its structures get

    drawn   means drawn from the range, anew for each of 100 problems with 8 replicates
    0.99    its own means, moved so that the best is 0.99 (or 0.9) times the end of the range;
    0.9     those that fall below 0 become 0; 300 replicates

Every variant plays under the same luck as the first one. Printed are the ratio of the mean regrets
with the error of the paired difference, and of the 95 % and 99 % quantiles.

Run with `python benchmarks/other_means.py [baseline variant ...]`; `ids:range=0 ids` unless said.
It takes two minutes or so on one core, and prints Markdown.
"""

from __future__ import annotations

import sys

import numpy as np

import sidelight as sl
from sidelight.engine.contract import Floats
from sidelight.gallery import from_recipe

STRUCTURES = (
    "bandit",
    "revealing",
    "apple-tasting:best=0",
    "loopless",
    "trap",
    "graded",
    "cycle",
    "star",
    "labs",
    "het3",
    "slow-but-free",
    "fano",
    "dosing",
    "test-rigs",
    "erdos-renyi",
    "random-precisions",
)
ROUNDS, DRAWS = 10_000, 100


def regrets(problem: sl.Problem, policies: list[str], replicates: int, seed: int) -> Floats:
    """One row for each policy."""
    results = sl.simulate(problem, policies, ROUNDS, replicates, seed=seed, checkpoints=[ROUNDS])
    return np.asarray(results.regret[:, :, -1])


def drawn(recipe: str, policies: list[str]) -> Floats:
    """Policies x problems x replicates."""
    own, rng = from_recipe(recipe), np.random.default_rng(11)
    found = []
    for seed in range(DRAWS):
        means = rng.random(len(own)) * own.upper
        found.append(regrets(sl.Problem(own.feedback, means, own.upper), policies, 8, seed))
    return np.stack(found, axis=1)


def moved(recipe: str, policies: list[str], best: float) -> Floats:
    """Policies x replicates x 1."""
    own = from_recipe(recipe)
    means = np.maximum(own.means + (best * own.upper - own.means.max()), 0.0)
    problem = sl.Problem(own.feedback, means, own.upper)
    return regrets(problem, policies, 300, 3)[:, :, None]


def line(name: str, regret: Floats, totals: list[Floats]) -> str:
    """The variants against the first policy; what is independent is along the second axis."""
    base, *others = regret
    cells = []
    for k, own in enumerate(others):
        ratio = own.mean() / base.mean()
        spread = (own - ratio * base).mean(axis=1).std(ddof=1) / np.sqrt(len(own)) / base.mean()
        high = np.quantile(own, [0.95, 0.99]) / np.quantile(base, [0.95, 0.99])
        totals[k] = np.vstack([totals[k], [ratio, *high]])
        cells.append(f"{ratio:.2f} ± {spread:.2f}, {high[0]:.2f}, {high[1]:.2f}")
    return f"| {name} | {base.mean():.1f} | {' | '.join(cells)} |\n"


def main() -> None:
    """A table for the drawn means, and one for each end of the range."""
    policies = sys.argv[1:] or ["ids:range=0", "ids"]
    for kind in ("drawn", "0.99", "0.9"):
        totals = [np.empty((0, 3)) for _ in policies[1:]]
        sys.stdout.write(f"\n| {kind} | {' | '.join(policies)} |\n|---|{'--:|' * len(policies)}\n")
        for recipe in STRUCTURES:
            is_drawn = kind == "drawn"
            regret = drawn(recipe, policies) if is_drawn else moved(recipe, policies, float(kind))
            sys.stdout.write(line(recipe, regret, totals))
            sys.stdout.flush()
        middle = [", ".join(f"{x:.3f}" for x in np.exp(np.log(t).mean(axis=0))) for t in totals]
        sys.stdout.write(f"| geometric mean | | {' | '.join(middle)} |\n")


if __name__ == "__main__":
    main()
