"""Who computes the cells of a study: threads, processes, or a Dask cluster.

A crew is given cells and yields (cell, content of its file) in the order in which they are
finished. It writes no files: the caller does, alone. Closing the iterator stops the work.

    Threads(2)                    all policies are compiled and release the lock: the usual choice
    Processes(2)                  the same with a memory for each
    Dask("tcp://host:8786")       an existing cluster; "local" starts one on this machine

Every crew gives the same bytes, because a cell depends on nothing but what it is made of.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import wait as wait_for
from multiprocessing.synchronize import Event
from typing import Protocol

from ..errors import InputError, SidelightError
from ..simulate.simulate import usable_threads
from .cells import Cell

PAUSE = 0.1  # seconds between two looks at the progress
ATTEMPTS = 5  # workers may die so often before a study gives up

Computed = tuple[Cell, bytes]


class CrewError(SidelightError):
    """The workers died, or cannot be reached."""


@dataclass
class Tally:
    """How many cells run now, and how many rounds of each were played, where that is known."""

    running: int = 0
    rounds: dict[str, int] = field(default_factory=dict)
    tick: Callable[[], object] = lambda: None


class Crew(Protocol):
    """What computes cells."""

    def work(self, cells: Sequence[Cell], tally: Tally) -> Iterator[Computed]:
        """Yield each cell with the content of its file, as soon as it is finished."""
        ...


class _StoppedError(Exception):
    """The study was stopped while a cell was computed."""


@dataclass(frozen=True)
class Threads:
    """Threads of this process."""

    workers: int

    def work(self, cells: Sequence[Cell], tally: Tally) -> Iterator[Computed]:
        """As `Crew.work`."""
        stop = threading.Event()

        def compute(cell: Cell) -> bytes:
            def progress(done: int, total: int) -> None:
                tally.rounds[cell.key] = done
                if stop.is_set():
                    raise _StoppedError

            tally.rounds[cell.key] = 0
            return cell.compute(progress)

        with ThreadPoolExecutor(self.workers, "sidelight-cell") as pool:
            try:
                yield from _gather(pool, compute, cells, tally, self.workers)
            finally:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)


def _gather(
    pool: Executor,
    compute: Callable[[Cell], bytes],
    cells: Sequence[Cell],
    tally: Tally,
    workers: int,
) -> Iterator[Computed]:
    futures: dict[Future[bytes], Cell] = {pool.submit(compute, cell): cell for cell in cells}
    pending = set(futures)
    while pending:
        done, pending = wait(pending, PAUSE, FIRST_COMPLETED)
        tally.running = min(workers, len(pending))
        for future in done:
            cell = futures.pop(future)
            content = future.result()
            tally.rounds.pop(cell.key, None)
            yield cell, content
        tally.tick()


_stop: Event | None = None  # in a worker process: set when the study is stopped


def _begin(stop: Event) -> None:
    """A worker process starts: Ctrl-C is for its parent, and it does not outlive that one."""
    global _stop  # noqa: PLW0603 - what a process is told at its start can be kept nowhere else
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow(sentinel: int) -> None:
        wait_for([sentinel])
        os._exit(1)

    threading.Thread(target=follow, args=(parent.sentinel,), daemon=True).start()


def _compute_apart(cell: Cell) -> bytes:
    def progress(done: int, total: int) -> None:
        if _stop is not None and _stop.is_set():
            raise _StoppedError

    return cell.compute(progress)


@dataclass(frozen=True)
class Processes:
    """Processes on this machine. If one dies, the others start again with what is left."""

    workers: int

    def work(self, cells: Sequence[Cell], tally: Tally) -> Iterator[Computed]:
        """As `Crew.work`."""
        left = {cell.key: cell for cell in cells}
        for _ in range(ATTEMPTS):
            try:
                for cell, content in self._once(list(left.values()), tally):
                    del left[cell.key]
                    yield cell, content
            except BrokenProcessPool:
                continue
            return
        raise CrewError(
            f"worker processes died {ATTEMPTS} times: is there enough memory? Finished cells are "
            "kept; run again with fewer --workers"
        )

    def _once(self, cells: Sequence[Cell], tally: Tally) -> Iterator[Computed]:
        # Not by fork: the threads of this process would not come along, but their locks would.
        context = multiprocessing.get_context("spawn")
        stop = context.Event()
        with ProcessPoolExecutor(self.workers, context, _begin, (stop,)) as pool:
            try:
                yield from _gather(pool, _compute_apart, cells, tally, self.workers)
            finally:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)


def crew(workers: int | None = None, processes: bool = False, dask: str | None = None) -> Crew:
    """The crew that the options ask for; as many workers as there are processors, if not said."""
    workers = workers or usable_threads()
    if processes and dask is not None:
        raise InputError("processes on this machine, or a Dask cluster: choose one of the two")
    if dask is not None:
        from .cluster import Dask  # noqa: PLC0415 - an optional package

        return Dask(dask, workers)
    return Processes(workers) if processes else Threads(workers)
