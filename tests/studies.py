"""What tests of studies share: a small study, and what is in its folder."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sidelight.study import Cell, Study, Threads, read, run
from sidelight.study.crews import Computed, Tally

TEXT = """
name = "small"
seed = 3
replicates = 6
horizons = [20, 200]
block = 2
problems = [{ recipe = "bandit", actions = [3, 5] }, "cycle"]
policies = ["greedy", "uniform", { name = "ucb-n", exploration = [0.5, 1] }]
"""


def small(folder: Path, **changes: Any) -> Study:
    """A study of 60 cells; `changes` replace lines, None leaves them out."""
    lines = dict(line.split(" = ", 1) for line in TEXT.strip().splitlines())
    lines.update({key: repr(value) for key, value in changes.items() if value is not None})
    left = [f"{key} = {value}" for key, value in lines.items() if changes.get(key, 0) is not None]
    path = folder / "small.toml"
    path.write_text("\n".join(left))
    return read(path)


def contents(folder: Path) -> dict[str, bytes]:
    """Every finished cell in the folder of a study."""
    return {path.name: path.read_bytes() for path in (folder / "cells").glob("*.parquet")}


def reference(study: Study, folder: Path) -> dict[str, bytes]:
    """The cells as one thread computes them without interruption."""
    run(study, folder, Threads(1))
    return contents(folder)


def die(cell: Cell) -> bytes:
    """In a worker process: end as if for lack of memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError(f"still alive after {cell}")


class Stopping:
    """A crew that fails after so many cells."""

    def __init__(self, after: int, error: BaseException) -> None:
        self.after, self.error = after, error

    def work(self, cells: Sequence[Cell], tally: Tally) -> Iterator[Computed]:
        """As `Crew.work`."""
        for cell in cells[: self.after]:
            yield cell, cell.compute()
        raise self.error
