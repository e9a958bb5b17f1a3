"""(d) What information costs where: the star's hub, and three labs with a price list.

Left: a hub shows all actions of a star, the others only themselves. As long as the hub is not too
bad, whoever explores through it alone pays least: 200 times its gap for each unit of log T (below a
gap of 0.1 the hub itself is the hardest to tell from the best, which costs 2 over its gap). From
gap 0.6 on it is cheaper to try the actions one by one, and the constant stays. The regret at the
horizon, divided by log T, is far below that constant for the default, which 100,000 rounds are too
few to force; that of Algorithm 1, whose plan asks for 4 alpha = 8.4 times as much, follows it.

Right: three labs measure with variance 0.1, 1 and 10, and earn 0.75, 0.4 and 0.25 less than the
best product. For each unit of information a lab costs its gap times its variance: the first is the
cheapest though it earns least. The bars show which lab the policies use.
"""

from __future__ import annotations

import numpy as np
from common import colour, panels, races, save

import sidelight as sl
from sidelight.study import Study
from sidelight.styles import bound_look

HUB_GAPS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
STAR = ("ids", "asymptotic", "ts-n")
LABS = ("ids", "asymptotic-sigma", "minimax-sigma")
HORIZON, REPLICATES = 100_000, 200


def main() -> None:
    """Race, draw, write."""
    figure, (left, right) = panels(1, 2, 4.8, 4.0)
    stars = {f"star:hub_gap={h}": sl.gallery("star", hub_gap=h) for h in HUB_GAPS}
    plan = Study("star", stars, STAR, (HORIZON,), REPLICATES, seed=4, checkpoints=(1,))
    found = races(plan)
    rows: list[tuple[str, str, float, float]] = []
    for p, policy in enumerate(STAR):
        means = [float(race.final[p].mean() / np.log(HORIZON)) for race in found]
        left.plot(HUB_GAPS, means, "o-", color=colour(policy), label=policy, markersize=4)
        rows += [("star", policy, h, x) for h, x in zip(HUB_GAPS, means, strict=True)]
    constants = [sl.bounds.graves_lai(problem).value for problem in stars.values()]
    grey = bound_look("limit").colour
    left.plot(HUB_GAPS, constants, color=grey, linestyle=":", label="asymptotic constant")
    rows += [("star", "graves_lai", h, x) for h, x in zip(HUB_GAPS, constants, strict=True)]
    left.set(xlabel="gap of the hub", ylabel="regret / log T", title=f"star, T = {HORIZON:,}")
    left.set_yscale("log")
    left.legend(frameon=False, fontsize=9)

    labs = sl.gallery("labs")
    race = races(Study("labs", {"labs": labs}, LABS, (HORIZON,), REPLICATES, seed=5))[0]
    x = np.arange(3)
    for p, policy in enumerate(LABS):
        paid = (race.plays[p][:, :3] * labs.gaps[:3]).mean(axis=0)
        right.bar(x + 0.26 * (p - 1), paid, 0.24, color=colour(policy), label=policy)
        rows += [("labs", policy, float(k + 1), float(y)) for k, y in enumerate(paid)]
    prices = labs.gaps[:3] * labs.feedback.variance[:3, 3]
    names = [f"{n}\nprice {y:.3g}" for n, y in zip(labs.feedback.labels, prices, strict=False)]
    right.set_xticks(x, names)
    right.set(ylabel="mean regret spent there", title=f"labs, T = {HORIZON:,}")
    right.legend(frameon=False, fontsize=9)
    save(figure, "hub_and_labs", ("problem", "curve", "hub gap or lab", "value"), rows)


if __name__ == "__main__":
    main()
