"""(b) Worst-case regret against the horizon: exponent 1/2 or 2/3, by the structure alone.

For each horizon, the gap is moved over a grid around the one that hurts most: sqrt(K / T) times a
number for a bandit, T^(-1/3) times a number for the revealing action [cor:lb-minimax]. The largest
mean regret over the grid is the worst case. Its slope on log axes, from T = 10,000 on, is fitted by
least squares; the interval holds 95 % of the slopes of 1,000 bootstrap samples of the replicates
(not of the choice of the worst gap, so that it is somewhat too narrow).
"""

from __future__ import annotations

import numpy as np
from common import colour, panels, races, save
from numpy.typing import NDArray

import sidelight as sl
from sidelight.simulate import Results
from sidelight.study import Study

HORIZONS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
FACTORS = (0.7, 1.0, 1.5, 2.2, 3.3, 5.0, 8.0, 12.0, 18.0)
FITTED = 2  # horizons from the third on: before, Algorithm 2 has hardly begun
POLICIES = {"bandit": ("ids", "minimax", "ts-n"), "revealing": ("ids", "minimax")}
TITLES = {"bandit": "bandit, 5 actions", "revealing": "revealing action, 5 actions"}
EXPONENT = {"bandit": 1 / 2, "revealing": 2 / 3}
REPLICATES, SAMPLES = 200, 1000


def gaps(recipe: str, horizon: int) -> list[float]:
    """Where the worst problem is looked for."""
    scale = (5 / horizon) ** 0.5 if recipe == "bandit" else horizon ** (-1 / 3)
    return [round(min(0.5, c * scale), 6) for c in FACTORS]


def problem(recipe: str, gap: float) -> sl.Problem:
    """One best action, all others behind by the gap, and the revealing one by 0.5."""
    if recipe == "revealing":
        return sl.gallery("revealing", gap=gap)
    return sl.Problem(sl.Feedback.bandit(5), [0.5 + gap, 0.5, 0.5, 0.5, 0.5])


def study(recipe: str, horizon: int, policies: tuple[str, ...]) -> Study:
    """All gaps at one horizon."""
    distinct = dict.fromkeys(gaps(recipe, horizon))
    problems = {f"{recipe}, gap {gap:g}": problem(recipe, gap) for gap in distinct}
    name = f"worst-{recipe}-{horizon}"
    return Study(name, problems, policies, (horizon,), REPLICATES, seed=2, checkpoints=(1,))


def worst_case(found: list[Results], policy: str) -> tuple[NDArray[np.float64], float]:
    """The final regrets on the problem with the largest mean, and that mean."""
    finals = [race.final[race.policies.index(policy)] for race in found]
    worst = max(finals, key=lambda x: float(x.mean()))
    return worst, float(worst.mean())


def slope(runs: list[NDArray[np.float64]], rng: np.random.Generator) -> tuple[float, float, float]:
    """The fitted exponent, and its bootstrap interval."""
    x = np.log(HORIZONS[FITTED:])

    def fit(samples: list[NDArray[np.float64]]) -> float:
        return float(np.polyfit(x, [np.log(sample.mean()) for sample in samples], 1)[0])

    drawn = [fit([rng.choice(run, len(run)) for run in runs]) for _ in range(SAMPLES)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return fit(runs), float(low), float(high)


def main() -> None:
    """Race, fit, draw, write."""
    figure, axes = panels(1, 2, 4.6, 4.0)
    rng = np.random.default_rng(0)
    rows = []
    for (recipe, policies), ax in zip(POLICIES.items(), axes, strict=True):
        by_horizon = [races(study(recipe, T, policies)) for T in HORIZONS]
        for policy in policies:
            worst = [worst_case(found, policy) for found in by_horizon]
            exponent, low, high = slope([runs for runs, _ in worst[FITTED:]], rng)
            label = f"{policy}: {exponent:.3f} ({low:.3f} to {high:.3f})"
            means = [mean for _, mean in worst]
            ax.plot(HORIZONS, means, "o-", color=colour(policy), label=label, markersize=4)
            rows += [
                (recipe, policy, T, mean, exponent, low, high)
                for T, mean in zip(HORIZONS, means, strict=True)
            ]
        power = EXPONENT[recipe]
        line = min(means) * 0.6 * (np.array(HORIZONS) / HORIZONS[0]) ** power
        ax.plot(HORIZONS, line, color="#444444", linestyle=":", label=f"slope {power:.3g}")
        ax.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="worst mean regret")
        ax.set_title(TITLES[recipe])
        ax.legend(frameon=False, fontsize=9)
    header = ("problem", "policy", "T", "worst mean regret", "exponent", "low", "high")
    save(figure, "worst_case_slopes", header, rows)


if __name__ == "__main__":
    main()
