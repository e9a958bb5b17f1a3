"""What a study costs above one call of `simulate` for the same work, as a ratio in one run.

    python benchmarks/study.py

Two workers against two threads; cells of about a tenth of a second, each hashed, computed, written,
synced and renamed. The aim is 1.15 at most. The best of several turns, since the machine is shared.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import sidelight as sl
from sidelight.study import Study, Threads, run

POLICIES = ("ucb-n", "ts-n", "greedy", "uniform")
HORIZON, REPLICATES, BLOCK, TURNS = 50_000, 1000, 50, 5


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print the ratio."""
    problem = sl.gallery("bandit", actions=10)
    study = Study("bench", {"bandit": problem}, POLICIES, (HORIZON,), REPLICATES, 1, BLOCK)

    def at_once() -> None:
        sl.simulate(problem, POLICIES, HORIZON, REPLICATES, seed=1, threads=2)

    def in_cells() -> None:
        with tempfile.TemporaryDirectory() as folder:
            run(study, Path(folder), Threads(2))

    at_once()
    in_cells()
    turns = [(seconds(at_once), seconds(in_cells)) for _ in range(TURNS)]
    one, many = (min(column) for column in zip(*turns, strict=True))
    sys.stdout.write(
        f"{len(study.cells)} cells of {1000 * one * 2 / len(study.cells):.0f} ms of processor: "
        f"simulate {one:.2f} s, study {many:.2f} s, ratio {many / one:.2f} (aim: at most 1.15)\n"
    )


if __name__ == "__main__":
    main()
