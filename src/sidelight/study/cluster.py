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

from ..errors import SidelightError
from ..extras import Needs
from .cells import Cell
from .crews import Computed, CrewError, Tally

# Rounds in a task: a second of work for the fastest policies, so that what the scheduler does for
# it (about a millisecond) does not count; no more, because a worker that dies loses its task.
TASK = 5 * 10**7
TIMEOUT = 20.0  # seconds to wait for a scheduler, and for its first worker


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

    def work(self, cells: Sequence[Cell], tally: Tally) -> Iterator[Computed]:
        """As `Crew.work`."""
        if not cells:
            return
        try:
            with _client(self.address, self.workers) as client:
                workers = _wait_for_workers(client, self.address)
                yield from _collect(client, tasks(cells), workers, tally)
        except (OSError, EOFError) as error:  # as lost connections and timeouts are
            if isinstance(error, OSError) and error.errno is not None:
                raise  # of a file or a disk
            raise CrewError(
                f"the Dask cluster at {self.address} does not answer any more "
                f"({type(error).__name__}: {error}). Finished cells are kept; run again"
            ) from error


def _wait_for_workers(client: Any, address: str) -> int:
    """How many there are; a scheduler without any would wait for ever."""
    try:
        client.wait_for_workers(1, timeout=TIMEOUT)
    except TimeoutError:
        raise CrewError(
            f"the Dask scheduler at {address} has no workers: start some with `dask worker "
            f"{address}`, where sidelight is installed"
        ) from None
    return sum(client.ncores().values())


def _collect(
    client: Any, planned: list[list[Cell]], workers: int, tally: Tally
) -> Iterator[Computed]:
    distributed = _distributed()
    futures = client.map(compute_task, planned, pure=False)
    sent = {future.key: task for future, task in zip(futures, planned, strict=True)}
    left = len(planned)
    try:
        for future in distributed.as_completed(futures):
            task = sent[future.key]
            yield from _checked(task, _result(future, task))
            future.release()
            left -= 1
            tally.running = min(workers, left)
            tally.tick()
    finally:
        if client.status == "running":
            client.cancel(futures)


def _result(future: Any, task: list[Cell]) -> list[tuple[str, bytes]]:
    try:
        return list(future.result())
    except SidelightError:
        raise
    except _distributed().KilledWorker as error:
        said = (
            f"several workers died, the last of them {error.last_worker.address}: too much memory?"
        )
    except Exception as error:  # whatever a cluster may raise: lost connections, other versions
        said = f"{type(error).__name__}: {error}."
    raise CrewError(f"{task[0]}: {said} Finished cells are kept; run again")


def _checked(task: list[Cell], computed: list[tuple[str, bytes]]) -> Iterator[Computed]:
    for cell, (key, content) in zip(task, computed, strict=True):
        if key != cell.key:
            raise CrewError(
                f"{cell}: the worker has another edition of sidelight: install the same version "
                "everywhere"
            )
        yield cell, content


def _distributed() -> Any:
    with Needs("--dask", "dask"):
        import distributed  # noqa: PLC0415 - an optional package, slow to import
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
