"""(f) Two best actions under weak observability: Algorithm 1 explores for ever.

The plan of Algorithm 1 [alg:asym] must tell the two best actions apart, which no amount of data
does; the smaller the gap it believes in, the more it plays the revealing action, and its regret is
linear. Algorithm 2 [alg:minimax] and the default keep to a budget, and lose T^(2/3).
"""

from __future__ import annotations

import numpy as np
from common import colour, panels, races, save

import sidelight as sl
from sidelight.study import Study

POLICIES = ("asymptotic", "minimax", "ids")
HORIZON, REPLICATES = 1_000_000, 60
PROBLEMS = {"revealing-tie": "revealing action, two best", "cycle-tie": "cycle, two best"}


def main() -> None:
    """Race, draw, write."""
    figure, axes = panels(1, 2, 4.6, 4.0)
    rows = []
    for (recipe, title), ax in zip(PROBLEMS.items(), axes, strict=True):
        problem = sl.gallery(recipe)
        race = races(Study(recipe, {recipe: problem}, POLICIES, (HORIZON,), REPLICATES, seed=7))[0]
        t = race.checkpoints
        tenth = int(np.searchsorted(t, HORIZON // 10))
        low, high = race.quantile([0.05, 0.95])
        for p, policy in enumerate(POLICIES):
            mean = race.mean()[p]
            grown = np.log(mean[-1] / mean[tenth]) / np.log(t[-1] / t[tenth])
            ax.fill_between(t, low[p], high[p], color=colour(policy), alpha=0.12, linewidth=0)
            label = f"{policy}: exponent {grown:.2f}"
            ax.plot(t, mean, color=colour(policy), label=label, linewidth=1.8)
            rows += [(recipe, policy, int(x), float(y)) for x, y in zip(t, mean, strict=True)]
        ax.set(xscale="log", yscale="log", xlim=(10, HORIZON), xlabel="round t", ylabel="regret")
        ax.set_title(title)
        ax.legend(frameon=False, fontsize=9, title="growth in the last tenfold of t")
    save(figure, "tied_optima", ("problem", "policy", "t", "mean regret"), rows)


if __name__ == "__main__":
    main()
