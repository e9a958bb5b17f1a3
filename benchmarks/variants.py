"""Variants of the default policy on the whole gallery: the tables of decision 005.

Every variant plays every problem of the suite under the same luck as the baseline. For each problem
the ratio of the mean regrets, with the standard error of the paired difference; over all problems
the geometric mean of the ratios, and of the ratios of 95 % and 99 % quantiles. A problem is better
or worse if the ratio is more than two standard errors below or above 1; `worst` is the largest
ratio.

Run with `python benchmarks/variants.py [seed] [horizon] [baseline variant ...]`; seed 7, 10,000
rounds and the first table unless said. It takes ten minutes or so on one core, and prints Markdown.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

import numpy as np

import sidelight as sl
from sidelight.engine.contract import Floats
from sidelight.gallery import from_recipe
from sidelight.suite.cells import RECIPES, shuffled

VARIANTS = (
    "ids:range=0,stake=0,guard=2,early=1",  # the baseline
    "ids:range=0,stake=0,guard=2,early=1,tail=1.5",
    "ids:range=0,stake=0,guard=2,early=1,tail=2",
    "ids:range=0,stake=0,guard=3,early=1",
    "ids:range=0,stake=0,guard=1.5,early=1",
    "ids:range=0,stake=0,guard=1,early=1",
    "ids:range=0,stake=0,guard=1.5,early=2",
)
REPLICATES = 300
LARGE = 50  # actions; larger problems are not for tuning


@dataclass(frozen=True)
class Row:
    """A variant to the baseline on one problem: the means, their error, and two quantiles."""

    recipe: str
    ratio: float
    error: float
    q95: float
    q99: float


@cache
def regrets(recipe: str, policy: str, horizon: int, seed: int) -> Floats:
    """The final regret of every replicate."""
    problem = shuffled(from_recipe(recipe), recipe)
    results = sl.simulate(problem, policy, horizon, REPLICATES, seed=seed, checkpoints=[horizon])
    return np.asarray(results.regret[0, :, -1])


def compare(recipe: str, policy: str, baseline: str, horizon: int, seed: int) -> Row:
    """One problem. The error is that of a ratio of paired means (delta method)."""
    own, base = (regrets(recipe, name, horizon, seed) for name in (policy, baseline))
    ratio = own.mean() / base.mean()
    error = (own - ratio * base).std(ddof=1) / np.sqrt(len(own)) / base.mean()
    high = np.quantile(own, [0.95, 0.99]) / np.quantile(base, [0.95, 0.99])
    return Row(recipe, float(ratio), float(error), float(high[0]), float(high[1]))


def summary(policy: str, rows: list[Row]) -> str:
    """One line of the table."""
    ratio, error = np.array([row.ratio for row in rows]), np.array([row.error for row in rows])
    mean = np.exp(np.log(ratio).mean())
    spread = mean * np.sqrt(((error / ratio) ** 2).sum()) / len(rows)
    q95, q99 = (np.exp(np.log([getattr(row, q) for row in rows]).mean()) for q in ("q95", "q99"))
    better, worse = (ratio + 2 * error < 1).sum(), (ratio - 2 * error > 1).sum()
    worst = rows[int(ratio.argmax())]
    return (
        f"| `{policy}` | {mean:.3f} ± {spread:.3f} | {q95:.3f} | {q99:.3f} | {better} | {worse} "
        f"| {worst.ratio:.2f} ± {worst.error:.2f} {worst.recipe} |\n"
    )


def main() -> None:
    """Print a line for each variant; for a single one, a line for each problem too."""
    given = sys.argv[1:]
    seed, horizon = int(given[0]) if given else 7, int(float(given[1])) if given[1:] else 10_000
    baseline, *variants = given[2:] or VARIANTS
    recipes = [recipe for recipe in RECIPES if len(from_recipe(recipe)) <= LARGE]
    say = sys.stdout.write
    say(
        "| variant | mean | 95 % | 99 % | better | worse | worst |\n|---|--:|--:|--:|--:|--:|---|\n"
    )
    for policy in variants:
        rows = [compare(recipe, policy, baseline, horizon, seed) for recipe in recipes]
        say(summary(policy, rows))
        sys.stdout.flush()
    if len(variants) == 1:
        say("\n| problem | mean | 95 % | 99 % |\n|---|--:|--:|--:|\n")
        for row in rows:
            say(f"| {row.recipe} | {row.ratio:.3f} ± {row.error:.3f} | {row.q95:.2f} | ")
            say(f"{row.q99:.2f} |\n")


if __name__ == "__main__":
    main()
