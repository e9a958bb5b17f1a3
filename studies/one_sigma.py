"""(e) The paper's story: one standard deviation, from full information to a bandit.

Five actions show themselves with standard deviation 1, and each other with sigma. At sigma = 0.1
the problem is easier than full information with unit noise, at infinity it is a bandit; nothing
breaks in between. For finite sigma the best action shows the others, so that the asymptotic
constant is 0: information is free in the long run. Within a horizon it is not, and the lower bound
b [thm:lb-0], with B at the minimax rate, says how much.
"""

from __future__ import annotations

import math

import numpy as np
from common import colour, panels, races, save

import sidelight as sl
from sidelight.curves import minimax_rate
from sidelight.study import Study
from sidelight.styles import bound_look

SIGMAS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, math.inf)
MEANS = (0.7, 0.6, 0.5, 0.4, 0.3)
POLICIES = ("ids", "asymptotic-sigma", "minimax-sigma", "ts-n", "ucb-n")
HORIZON, REPLICATES = 10_000, 300


def problem(sigma: float) -> sl.Problem:
    """Actions that show themselves with 1, and each other with sigma."""
    variance = np.full((5, 5), sigma**2)
    np.fill_diagonal(variance, 1.0)
    return sl.Problem(sl.Feedback(variance), MEANS, name=f"sigma={sigma:g}")


def main() -> None:
    """Race, draw, write."""
    figure, (ax,) = panels(1, 1, 6.6, 4.4)
    problems = {f"sigma={s:g}": problem(s) for s in SIGMAS}
    found = races(Study("one-sigma", problems, POLICIES, (HORIZON,), REPLICATES, seed=6))
    x = [s if math.isfinite(s) else 400.0 for s in SIGMAS]
    rows: list[tuple[str, float, float, float]] = []
    for p, policy in enumerate(POLICIES):
        means = np.array([race.final[p].mean() for race in found])
        errors = np.array([race.standard_error()[p, -1] for race in found])
        ax.errorbar(x, means, 2 * errors, fmt="o-", color=colour(policy), label=policy, ms=4)
        rows += [(policy, *row) for row in zip(SIGMAS, means, errors, strict=True)]
    bounds = []
    for one in problems.values():
        worst = minimax_rate(one.feedback, one.upper)(HORIZON)
        bounds.append(sl.bounds.general(one, HORIZON, worst).value)
    shown = [value if value > 0 else math.nan for value in bounds]
    grey = bound_look("general").colour
    ax.plot(x, shown, "o-", color=grey, label="lower bound b, where above 0", ms=3)
    rows += [("b", sigma, value, 0.0) for sigma, value in zip(SIGMAS, bounds, strict=True)]
    ax.set(xscale="log", yscale="log", xlabel="sigma between actions", ylabel="regret")
    ax.set_title(f"from full information to a bandit, T = {HORIZON:,}")
    ax.set_xticks([0.1, 1, 10, 100, 400], ["0.1", "1", "10", "100", "infinite"])
    ax.minorticks_off()
    ax.legend(frameon=False, fontsize=9)
    save(figure, "one_sigma", ("curve", "sigma", "regret", "standard error"), rows)


if __name__ == "__main__":
    main()
