"""How the paper's two algorithms behave: the figures of docs/trust.md.

growth          median regret of Algorithm 1 gained for each unit of log T between 1e5 and 1e6
                rounds, beside 4 alpha times the asymptotic constant [cor:alg1-asym-opt]
pathologies     where Algorithm 1 does badly, and what Algorithm 2 does there
elimination     how often Algorithm 2 eliminates the best action, beside delta [thm:ub-alg2]

Run with `python benchmarks/behaviour.py`; it takes some minutes on two cores, and prints tables in
Markdown. The seed is fixed, so that the same version prints the same figures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import sidelight as sl

ALPHA = 2.1
SEED = 1


def graph(observes: list[list[int]], means: list[float]) -> sl.Problem:
    """One variance, 1, on a graph."""
    return sl.Problem(sl.Feedback.uniform(np.array(observes, dtype=bool)), means)


def interior() -> dict[str, sl.Problem]:
    """Problems with a unique optimum, away from the ends of [0, 1]."""
    return {
        "bandit(3)": graph([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0.9, 0.5, 0.3]),
        "star(3)": graph([[1, 1, 1], [0, 1, 0], [0, 0, 1]], [0.3, 0.9, 0.5]),
        "loopless(3)": graph([[0, 1, 1], [1, 0, 1], [1, 1, 0]], [0.9, 0.5, 0.3]),
        "revealing(3)": graph([[1, 1, 1], [0, 0, 0], [0, 0, 0]], [0.3, 0.9, 0.5]),
        "cycle(3)": graph([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [0.9, 0.5, 0.3]),
        "full(3)": graph([[1, 1, 1]] * 3, [0.9, 0.5, 0.3]),
    }


def growth(problem: sl.Problem, replicates: int) -> tuple[float, float, float, float]:
    """Median gain for each unit of log T, 4 alpha c, and two quantiles of regret at 1e6."""
    policy = f"asymptotic:alpha={ALPHA}"
    results = sl.simulate(problem, policy, 1_000_000, replicates, seed=SEED, checkpoints=[100_000])
    early, late = results.regret[0].T
    slope = (np.median(late) - np.median(early)) / np.log(10)
    constant = 4 * ALPHA * sl.bounds.asymptotic(problem).value
    return float(slope), constant, *np.quantile(late, [0.5, 0.95]).tolist()


def print_growth(say: Callable[[str], object]) -> None:
    """The table of growth."""
    say("| problem | gain per unit of log T | 4 alpha c | regret at 1e6: median, 95 % |\n")
    say("|---|---|---|---|\n")
    for name, problem in interior().items():
        slope, constant, median, high = growth(problem, 200)
        say(f"| {name} | {slope:.1f} | {constant:.1f} | {median:.0f}, {high:.0f} |\n")


def pathologies() -> dict[str, sl.Problem]:
    """Near-ties and ties under weak observability, and small gaps."""
    revealing = [[1] * 5, *[[0] * 5] * 4]
    return {
        "revealing(5), near-tie (.2, .9, .88, .4, .3)": graph(
            revealing, [0.2, 0.9, 0.88, 0.4, 0.3]
        ),
        "revealing(5), tie (.2, .9, .9, .4, .3)": graph(revealing, [0.2, 0.9, 0.9, 0.4, 0.3]),
        "bandit(2), gap 0.5: late first exploitation": graph([[1, 0], [0, 1]], [0.9, 0.4]),
        "bandit(3), gap 0.05": graph([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0.6, 0.55, 0.3]),
    }


def print_pathologies(say: Callable[[str], object]) -> None:
    """Regret of both algorithms, and of playing the worst action all the time."""
    say("| problem | T | Algorithm 1: median, 95 % | Algorithm 2: median, 95 % | worst |\n")
    say("|---|---|---|---|---|\n")
    for name, problem in pathologies().items():
        for horizon in (4_000, 100_000):
            policies = [f"asymptotic:alpha={ALPHA}", "minimax:delta=0.01"]
            results = sl.simulate(problem, policies, horizon, 200, seed=SEED)
            cells = [np.quantile(regret[:, -1], [0.5, 0.95]) for regret in results.regret]
            text = " | ".join(f"{median:.0f}, {high:.0f}" for median, high in cells)
            say(f"| {name} | {horizon:,} | {text} | {horizon * problem.gaps.max():.0f} |\n")


def eliminated(problem: sl.Problem, delta: float, replicates: int, horizon: int) -> int:
    """In how many runs the best action was not played at all in the second half."""
    policy, half = f"minimax:delta={delta}", horizon // 2
    results = sl.simulate(problem, policy, horizon, replicates, seed=SEED, checkpoints=[half])
    early, late = results.regret[0].T
    smallest = np.sort(problem.gaps)[1]
    return int((late - early >= half * smallest * (1 - 1e-9)).sum())


def print_elimination(say: Callable[[str], object]) -> None:
    """The table of eliminations."""
    say("| problem | runs in 1,000 without the best action in the second half | allowed |\n")
    say("|---|---|---|\n")
    for name, problem in interior().items():
        say(f"| {name} | {eliminated(problem, 0.05, 1_000, 20_000)} | 50 |\n")


def main() -> None:
    """Print all tables."""
    say = sys.stdout.write
    print_growth(say)
    say("\n")
    print_pathologies(say)
    say("\n")
    print_elimination(say)


if __name__ == "__main__":
    main()
