"""The crew on a Dask cluster: tasks of several cells, sent to workers anywhere.

Workers need nothing but the same edition of sidelight: cells travel to them and contents of files
travel back, no folder is shared. A cell computed by a worker with another edition has another key,
and is refused. When a worker dies, its tasks are given to others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..errors import MissingExtraError
from .cells import Cell
from .crews import CrewError, Finished, Tally

# Rounds in a task: at least a second of work for the fastest policies, so that what the scheduler
# does for a task (about a millisecond) does not count.
TASK = 3 * 10**7
TIMEOUT = 20.0  # seconds to wait for a scheduler


def tasks(cells: Sequence[Cell]) -> list[list[Cell]]:
    """The cells in order, in tasks that are worth sending."""
    found: list[list[Cell]] = []
    rounds = TASK
    for cell in cells:
        if rounds >= TASK:
            found.append([])
            rounds = 0
        found[-1].append(cell)
        rounds += cell.rounds
    return found


def compute_task(cells: Sequence[Cell]) -> list[tuple[str, bytes]]:
    """On a worker: the key of each cell, as seen there, and the content of its file."""
    return [(cell.key, cell.compute()) for cell in cells]


@dataclass(frozen=True)
class Dask:
    """The workers of a scheduler; with "local", that many processes on this machine."""

    address: str
    workers: int

    def work(self, cells: Sequence[Cell], tally: Tally) -> Iterator[Finished]:
        """As `Crew.work`."""
        if not cells:
            return
        with _client(self.address, self.workers) as client:
            yield from _collect(client, tasks(cells), tally)


def _collect(client: Any, planned: list[list[Cell]], tally: Tally) -> Iterator[Finished]:
    distributed = _distributed()
    futures = client.map(compute_task, planned, pure=False)
    sent = {future.key: task for future, task in zip(futures, planned, strict=True)}
    try:
        for future in distributed.as_completed(futures):
            task = sent[future.key]
            try:
                computed = future.result()
            except distributed.KilledWorker as error:
                raise CrewError(
                    f"several workers died while computing {task[0]}, the last of them "
                    f"{error.last_worker.address}: is there enough memory? Finished cells are "
                    "kept; run again"
                ) from None
            future.release()
            yield from _checked(task, computed)
            tally.tick()
    finally:
        client.cancel(futures)


def _checked(task: list[Cell], computed: list[tuple[str, bytes]]) -> Iterator[Finished]:
    for cell, (key, content) in zip(task, computed, strict=True):
        if key != cell.key:
            raise CrewError(
                f"{cell}: the worker has another edition of sidelight: install the same version "
                "everywhere"
            )
        yield cell, content


def _distributed() -> Any:
    try:
        import distributed  # noqa: PLC0415 - an optional package, slow to import
    except ImportError:
        raise MissingExtraError("--dask", "dask") from None
    return distributed


@contextmanager
def _client(address: str, workers: int) -> Iterator[Any]:
    distributed = _distributed()
    if address == "local":
        with (
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(address, timeout=TIMEOUT)
    except (OSError, TimeoutError, ValueError) as error:
        raise CrewError(
            f"no Dask scheduler answers at {address}: {error}. Start one with `dask scheduler`, or "
            "use --dask local"
        ) from None
    with client:
        yield client
