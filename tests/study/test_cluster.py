"""A real Dask scheduler with two worker processes on loopback gives the files of a local run."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from clusters import Cluster
from commands import Command
from sidelight.study import CrewError, run
from sidelight.study.cells import Cell
from sidelight.study.cluster import TASK, Dask, tasks
from studies import contents, reference, small

pytest.importorskip("distributed")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    started = Cluster(tmp_path)
    yield started
    started.stop()


def test_a_cluster_gives_the_same_files_also_if_a_worker_is_killed(
    cluster: Cluster, tmp_path: Path, sidelight: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(tmp_path)
    local = sidelight("race", "small.toml", "--out", "local", "--workers", 1)
    far = sidelight("race", "small.toml", "--out", "far", "--dask", cluster.address)
    assert (far.code, far.out) == (0, local.out)
    assert contents(tmp_path / "far") == contents(tmp_path / "local")

    study = small(tmp_path, horizons=[500_000], replicates=20, block=10)
    monkeypatch.setattr("sidelight.study.cluster.TASK", 10**7)  # enough tasks for one to be lost
    assert len(tasks(study.cells)) > 5
    killed: list[int] = []

    def kill_one(state: object) -> None:
        if not killed:
            killed.append(cluster.processes[1].pid)
            os.kill(killed[0], signal.SIGKILL)

    run(study, tmp_path / "killed", Dask(cluster.address, 2), kill_one)
    assert killed
    assert contents(tmp_path / "killed") == reference(study, tmp_path / "whole")


def test_a_local_cluster_gives_the_same_files(tmp_path: Path) -> None:
    study = small(tmp_path)
    run(study, tmp_path / "far", Dask("local", 2))
    assert contents(tmp_path / "far") == reference(study, tmp_path / "whole")


def test_nobody_at_the_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sidelight.study.cluster.TIMEOUT", 0.5)
    with pytest.raises(CrewError, match="no Dask scheduler answers at tcp://127"):
        run(small(tmp_path), tmp_path, Dask("tcp://127.0.0.1:9", 2))


def test_a_worker_with_another_edition_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from sidelight.study import cluster as module  # noqa: PLC0415

    cell = small(tmp_path).cells[0]
    with pytest.raises(CrewError, match="install the same version everywhere"):
        list(module._checked([cell], [("another key", b"")]))


def test_tasks_are_worth_sending(tmp_path: Path) -> None:
    cells = small(tmp_path, horizons=[10**7]).cells
    found = tasks(cells)
    assert len(found) > 5
    assert [cell for task in found for cell in task] == list(cells)
    assert all(rounds(task) >= TASK for task in found[:-1])
    assert all(rounds(task[:-1]) < TASK for task in found)
    assert tasks([]) == []


def rounds(task: list[Cell]) -> int:
    return sum(cell.rounds for cell in task)


def test_a_scheduler_without_workers_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = Cluster(tmp_path, workers=0)
    try:
        monkeypatch.setattr("sidelight.study.cluster.TIMEOUT", 3.0)
        with pytest.raises(CrewError, match="has no workers"):
            run(small(tmp_path), tmp_path / "out", Dask(alone.address, 2))
    finally:
        alone.stop()


def test_a_scheduler_that_dies_is_said_in_a_sentence(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidelight.study.cluster.TASK", 10**7)
    study = small(tmp_path, horizons=[500_000], replicates=20, block=10)

    def kill_it(state: object) -> None:
        cluster.processes[0].kill()

    with pytest.raises(CrewError, match="run again"):
        run(study, tmp_path / "out", Dask(cluster.address, 2), kill_it)


class Lost:
    """A client whose scheduler was ended from outside: its errors have no number and no words."""

    status = "closed"

    def wait_for_workers(self, workers: int, timeout: float) -> None:
        raise ConnectionResetError

    def __enter__(self) -> Lost:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def test_a_cluster_that_is_gone_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("distributed.Client", lambda *given, **named: Lost())
    said = r"Dask cluster at tcp://x:1 does not answer any more \(ConnectionResetError: \)"
    with pytest.raises(CrewError, match=said):
        run(small(tmp_path), tmp_path / "out", Dask("tcp://x:1", 1))
