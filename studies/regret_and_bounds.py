"""(a) Regret against time on six structures, with what nobody can avoid below it.

Where the paper's algorithms may run (one variance for all), they do; elsewhere their versions for
any variances. The lower bound is b(theta, B) of the paper's first theorem [thm:lb-0] with B at the
minimax rate: it holds at every horizon, and so is low where the horizon is short. The dotted line
is the exact asymptotic constant times log T, the slope that a good policy ends with.
"""

from __future__ import annotations

import numpy as np
from common import colour, legend_below, panels, races, save

import sidelight as sl
from sidelight.curves import curves
from sidelight.study import Study
from sidelight.styles import bound_look

PROBLEMS = {
    "bandit": "bandit",
    "revealing": "revealing action",
    "loopless": "loopless clique",
    "star": "loopy star",
    "graded": "graded",
    "slow-but-free": "slow but free",
}
POLICIES = ("ids", "asymptotic", "asymptotic-sigma", "minimax", "minimax-sigma", "ts-n", "ucb-n")
HORIZON, REPLICATES = 100_000, 200
BOUNDS = {"general": ("lower bound b", "-"), "limit": ("asymptotic constant x log T", ":")}


def study(recipe: str) -> Study:
    """The race on one problem; the paper's own algorithm stands for its general version."""
    problem = sl.gallery(recipe)
    uniform = problem.feedback.uniform_sigma is not None
    own = [p for p in POLICIES if not (uniform and p.endswith("-sigma"))]
    return Study(f"regret-{recipe}", {recipe: problem}, tuple(own), (HORIZON,), REPLICATES, seed=1)


def main() -> None:
    """Race, draw, write."""
    figure, axes = panels(2, 3)
    rows = []
    for recipe, results, ax in zip(PROBLEMS, races(*map(study, PROBLEMS)), axes, strict=True):
        low, high = results.quantile([0.05, 0.95])
        t = results.checkpoints
        for p, name in enumerate(results.policies):
            mean = results.mean()[p]
            label = name.removesuffix("-sigma")
            ax.fill_between(t, low[p], high[p], color=colour(name), alpha=0.1, linewidth=0)
            ax.plot(t, mean, color=colour(name), label=label, linewidth=1.7)
            rows += [(recipe, name, int(x), float(y)) for x, y in zip(t, mean, strict=True)]
        horizons = np.geomspace(10, HORIZON, 13)
        for curve in curves(results.problem, horizons, names=tuple(BOUNDS)):
            label, dashes = BOUNDS[curve.name]
            values = np.where(curve.values > 0, curve.values, np.nan)
            grey = bound_look(curve.name).colour
            ax.plot(horizons, values, color=grey, linestyle=dashes, label=label, linewidth=1.2)
            rows += [(recipe, curve.name, int(x), y) for x, y in zip(horizons, values, strict=True)]
        ax.set(xscale="log", yscale="log", xlim=(10, HORIZON), ylim=(0.5, None))
        ax.set(title=PROBLEMS[recipe], xlabel="round t", ylabel="regret")
    legend_below(figure, axes)
    save(figure, "regret_and_bounds", ("problem", "curve", "t", "regret"), rows)


if __name__ == "__main__":
    main()
