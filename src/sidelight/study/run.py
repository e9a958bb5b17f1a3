"""Running a study is resuming it: what is missing or damaged is computed, the rest is read.

    run(study, folder, crew)      compute what is missing, and give the races
    compute(cells, store, crew)   the same for any cells
    explain(study, folder)        for each cell, why it would be computed; "" if it is finished

What a folder was used for is written down by `manifest` before the first cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..simulate import Results
from ..simulate.joining import join
from . import manifest
from .cells import Cell
from .crews import Crew, Tally
from .plan import Study
from .reuse import adopt, known
from .store import MISSING, Store


@dataclass(frozen=True)
class State:
    """How far a study is; rounds are those of this run."""

    cells: int
    kept: int
    finished: int
    running: int
    rounds: int
    all_rounds: int

    @property
    def left(self) -> int:
        """Cells that nobody has begun."""
        return self.cells - self.kept - self.finished - self.running


Watch = Callable[[State], object]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a study gave: its races in order, and how many cells were kept from before."""

    races: tuple[Results, ...]
    kept: int
    computed: int


def run(study: Study, folder: Path, crew: Crew, watch: Watch | None = None) -> Outcome:
    """Compute what is missing in the folder, and give the races."""
    store = Store(folder)
    study.check_size()
    check_own(study.cells)
    store.prepare()
    adopt(study.cells, known(folder))  # before the list of cells is replaced
    manifest.write(study, folder)
    computed = compute(study.cells, store, crew, watch)
    with ThreadPoolExecutor() as pool:  # parsing files releases the lock
        races = tuple(join(pool.map(store.read, cells)) for _, cells in study.cells_by_race)
    return Outcome(races, len(study.cells) - computed, computed)


def check_own(cells: Sequence[Cell]) -> None:
    """Compile policies of the caller before anything is written: some cannot be compiled."""
    own = {cell.policy.rule: cell for cell in cells if cell.policy.rule.origin is not None}
    if own:
        from ..simulate.warming import compile_own  # noqa: PLC0415 - imports numba

        for cell in own.values():
            compile_own(cell.problem, cell.horizon, [cell.policy])


def compute(cells: Sequence[Cell], store: Store, crew: Crew, watch: Watch | None = None) -> int:
    """Compute the cells that are missing or damaged, and say how many."""
    missing = [cell for cell in cells if store.problem_with(cell)]
    clock = _Clock(cells, missing, watch or (lambda state: None))
    work = crew.work(missing, clock.tally)
    try:
        for cell, content in work:
            store.write(cell, content)
            clock.finish(cell)
    finally:
        close = getattr(work, "close", None)  # a generator: stop the workers now, not some day
        if close is not None:
            close()
    return len(missing)


def explain(study: Study, folder: Path) -> Iterator[tuple[Cell, str]]:
    """Why each cell would be computed; "" for a finished one."""
    store, last = Store(folder), known(folder)
    before = {record.place: record.made_of for found in last.cells.values() for record in found}
    for cell in study.cells:
        reason = store.problem_with(cell)
        if reason == MISSING and last.results(cell) is not None:
            reason = ""
        elif reason == MISSING:
            reason = _changes(before.get(cell.place, cell.ingredients), cell.ingredients) or MISSING
        yield cell, reason


class _Clock:
    """Counts cells and rounds, and tells whoever watches."""

    def __init__(self, cells: Sequence[Cell], missing: Sequence[Cell], watch: Watch) -> None:
        self.cells, self.missing, self.watch = cells, missing, watch
        self.finished = self.played = 0
        self.total = sum(cell.rounds for cell in missing)
        self.tally = Tally(tick=self.tick)

    def finish(self, cell: Cell) -> None:
        """A cell is on disk."""
        self.finished += 1
        self.played += cell.rounds
        self.tick()

    def tick(self) -> None:
        """Tell how far we are."""
        running = dict(self.tally.rounds)  # other threads write to it
        rounds = self.played + sum(running.values())
        self.watch(
            State(
                cells=len(self.cells),
                kept=len(self.cells) - len(self.missing),
                finished=self.finished,
                running=self.tally.running,
                rounds=rounds,
                all_rounds=self.total,
            )
        )


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What is not as it was in the last run, in words; "" if nothing is."""
    said = [
        "the problem" if key == "problem" else f"{key} was {old.get(key)}, is {value}"
        for key, value in new.items()
        if old.get(key) != value
    ]
    return "changed: " + "; ".join(said) if said else ""
