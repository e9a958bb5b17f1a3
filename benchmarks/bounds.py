"""How long bounds take, against the limits that we set ourselves. Run with `make bench`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

import numpy as np

import sidelight as sl

# The sandwich of a structure with five actions, in calls of `general` in the same run.
CALLS = 60
LIMITS = {
    "finite_time, K = 300": 1.0,
    "general, K = 10, T = 1e6": 3.0,
    "50 points of every curve, K = 10": 60.0,
}


def random_problem(seed: int, actions: int) -> sl.Problem:
    """Every action shows itself and a fifth of the others."""
    rng = np.random.default_rng(seed)
    observes = rng.random((actions, actions)) < 0.2
    np.fill_diagonal(observes, True)
    return sl.Problem(sl.Feedback.uniform(observes), rng.uniform(0.1, 0.9, actions))


def main() -> None:
    """Print each time, and its ratio to the limit."""
    os.environ["SIDELIGHT_KEEP_PROOFS"] = "0"  # a search is measured, not a file
    large, small = random_problem(1, 300), random_problem(2, 10)
    works: dict[str, Callable[[], object]] = {
        "finite_time, K = 300": lambda: sl.bounds.finite_time(large, 1e6, 1e3),
        "general, K = 10, T = 1e6": lambda: sl.bounds.general(small, 1e6, 2e3),
        "50 points of every curve, K = 10": lambda: sl.curves(small, np.geomspace(10, 1e6, 50)),
    }
    sl.bounds.finite_time(small, 1e3, 10.0)  # loads the solver
    for name, work in works.items():
        start = time.perf_counter()
        work()
        seconds = time.perf_counter() - start
        sys.stdout.write(f"{name}: {seconds:.2f} s, {seconds / LIMITS[name]:.2f} of its limit\n")
    sl.sandwich(sl.Feedback.bandit(2), 1.0, 10.0)  # loads what is compiled
    for name, problem in five_actions().items():
        calls = sandwich_in_calls(problem)
        line = f"{calls:.0f} calls of general, {calls / CALLS:.2f} of its limit"
        sys.stdout.write(f"sandwich, K = 5, {name}: {line}\n")


def five_actions() -> dict[str, sl.Problem]:
    """Structures that are easy and hard to prove something about, with the same means."""
    means = np.linspace(0.1, 0.9, 5)
    cycle, revealing = (sl.gallery(name, actions=5).feedback for name in ("cycle", "revealing"))
    return {
        "random": random_problem(3, 5),
        "bandit": sl.Problem(sl.Feedback.bandit(5), means),
        "cycle": sl.Problem(cycle, means),
        "revealing": sl.Problem(revealing, means),
    }


def sandwich_in_calls(problem: sl.Problem) -> float:
    """How many times as long as one `general` call a sandwich takes."""
    feedback, upper = problem.feedback, problem.upper
    start = time.perf_counter()
    both = sl.sandwich(feedback, upper, 1e5)
    middle = time.perf_counter()
    sl.bounds.general(problem, 1e5, both.upper.value)
    return (middle - start) / (time.perf_counter() - middle)


if __name__ == "__main__":
    main()
