"""How fast structure numbers are proved, as ratios inside one run.

    K = 100, degree 5    our clique search against HiGHS on the same independent set problem
    K = 300, degree 5    how long the work takes after which a search stops, against K = 100

Run with `make bench`. Times are printed for orientation; only ratios mean something elsewhere.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import TypeVar

import numpy as np
import numpy.typing as npt

import sidelight as sl
from sidelight.programs import Effort, independent

Result = TypeVar("Result")


def timed(call: Callable[[], Result]) -> tuple[float, Result]:
    """Seconds, and the result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def digraph(seed: int, actions: int, degree: int) -> npt.NDArray[np.bool_]:
    """Every action shows `degree` others; one that nobody shows is shown by its neighbour."""
    rng = np.random.default_rng(seed)
    observes = np.zeros((actions, actions), dtype=bool)
    for i in range(actions):
        others = np.delete(np.arange(actions), i)
        observes[i, rng.choice(others, degree, replace=False)] = True
    for j in np.flatnonzero(~observes.any(axis=0)):
        observes[(j + 1) % actions, j] = True
    return observes


def by_highs(adjacent: npt.NDArray[np.bool_]) -> int:
    """The independence number by HiGHS alone: branch and bound gets no effort."""
    names = vars(independent)
    share, names["BRANCHING_SHARE"] = names["BRANCHING_SHARE"], 0.0
    try:
        return independent.largest_independent_set(adjacent, Effort(10**9)).lower
    finally:
        names["BRANCHING_SHARE"] = share


def main() -> None:
    """Print the ratios."""
    say = sys.stdout.write
    ratios, whole = [], []
    for seed in range(5):
        observes = digraph(seed, 100, 5)
        adjacent = observes | observes.T
        ours, found = timed(partial(independent.largest_independent_set, adjacent))
        highs, value = timed(partial(by_highs, adjacent))
        if found.lower != found.upper or found.lower != value:
            raise SystemExit(f"the two searches disagree: {found} and {value}")
        seconds, numbers = timed(partial(sl.structure, sl.Feedback.uniform(observes)))
        if not (numbers.independence.proved and numbers.domination.proved):
            raise SystemExit("a number at K = 100 was not proved")
        ratios.append(highs / ours)
        whole.append(seconds)
    faster = f"median {median(ratios):.1f}, min {min(ratios):.1f}"
    say(f"K=100 degree 5  HiGHS / clique search: {faster}\n")
    proved = f"median {median(whole):.2f} s, max {max(whole):.2f} s"
    say(f"K=100 degree 5  both numbers proved: {proved}\n")
    seconds, big = timed(partial(sl.structure, sl.Feedback.uniform(digraph(1, 300, 5))))
    say(f"K=300 degree 5  until the search stops / K=100: {seconds / median(whole):.1f}; ")
    say(f"independence {big.independence}, domination {big.domination}\n")


if __name__ == "__main__":
    main()
