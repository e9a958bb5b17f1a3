"""(c) The two finite-time bounds beside what policies lose, with B their own worst case.

A lower bound on one problem speaks of policies whose regret is at most B on every problem. Here B
is measured: the largest mean regret of the policy over the gaps of `worst_case_slopes`, at the same
horizon. So each policy has its own bounds, b' [cor:lb-0] and the larger b [thm:lb-0]: what it must
lose on this problem for being as good as it is on the others.
"""

from __future__ import annotations

import numpy as np
from common import colour, legend_below, panels, races, save
from worst_case_slopes import HORIZONS, REPLICATES, study, worst_case

import sidelight as sl
from sidelight.study import Study
from sidelight.styles import bound_look

PROBLEMS = {"bandit": sl.gallery("bandit"), "revealing": sl.gallery("revealing")}
POLICIES = ("ids", "minimax", "asymptotic")


def main() -> None:
    """Race, bound, draw, write."""
    figure, axes = panels(2, 3)
    rows = []
    for row, (recipe, problem) in enumerate(PROBLEMS.items()):
        plan = Study(f"bounds-{recipe}", {recipe: problem}, POLICIES, HORIZONS, REPLICATES, seed=3)
        measured = races(plan)
        by_horizon = [races(study(recipe, T, POLICIES)) for T in HORIZONS]
        for p, policy in enumerate(POLICIES):
            ax = axes[3 * row + p]
            regret = [float(race.final[p].mean()) for race in measured]
            worst = [worst_case(found, policy)[1] for found in by_horizon]
            bounds = {
                "b": [
                    sl.bounds.general(problem, T, B) for T, B in zip(HORIZONS, worst, strict=True)
                ],
                "b'": [
                    sl.bounds.finite_time(problem, T, B)
                    for T, B in zip(HORIZONS, worst, strict=True)
                ],
            }
            ax.plot(HORIZONS, worst, ":", color=colour(policy), label="B: worst case, measured")
            ax.plot(HORIZONS, regret, "o-", color=colour(policy), label="regret, measured", ms=4)
            for (name, found), dashes in zip(bounds.items(), ("-", "--"), strict=True):
                values = [x.value if x.valid and np.isfinite(x.value) else np.nan for x in found]
                shown = [value if value > 0 else np.nan for value in values]
                grey = bound_look("general" if name == "b" else "finite_time").colour
                ax.plot(HORIZONS, shown, dashes, color=grey, label=f"lower bound {name}")
                rows += [
                    (recipe, policy, name, T, x) for T, x in zip(HORIZONS, values, strict=True)
                ]
            rows += [
                (recipe, policy, "regret", T, x) for T, x in zip(HORIZONS, regret, strict=True)
            ]
            rows += [(recipe, policy, "B", T, x) for T, x in zip(HORIZONS, worst, strict=True)]
            ax.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="regret")
            ax.set_title(f"{recipe}: {policy}")
    legend_below(figure, axes[:1])
    save(figure, "bounds_at_work", ("problem", "policy", "curve", "T", "value"), rows)


if __name__ == "__main__":
    main()
