"""Threads and processes give the same files, also when some of them die."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path

import pytest

import sidelight as sl
from sidelight.study import CrewError, Processes, Study, Threads, crew, run
from sidelight.study.crews import Tally
from studies import contents, die, reference, small

HERE = Path(__file__).parents[1]


def longer(folder: Path) -> Study:
    """Cells that take a while."""
    return small(folder, horizons=[200_000], replicates=8)


@pytest.mark.parametrize("workers", [2, 4])
def test_any_number_of_threads_gives_the_same_files(tmp_path: Path, workers: int) -> None:
    study = small(tmp_path)
    run(study, tmp_path / "many", Threads(workers))
    assert contents(tmp_path / "many") == reference(study, tmp_path / "one")


def test_processes_give_the_same_files_also_if_one_is_killed(tmp_path: Path) -> None:
    study = longer(tmp_path)
    killed: list[object] = []

    def kill_one(state: object) -> None:
        if len(contents(tmp_path / "killed")) > 2 and not killed and (found := active_children()):
            killed.append(found[0])
            found[0].kill()

    run(study, tmp_path / "killed", Processes(2), kill_one)
    assert killed
    assert contents(tmp_path / "killed") == reference(study, tmp_path / "one")


def test_processes_that_keep_dying_are_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidelight.study.crews._compute_apart", die)
    monkeypatch.setattr("sidelight.study.crews.ATTEMPTS", 2)
    with pytest.raises(CrewError, match="died 2 times"):
        run(small(tmp_path), tmp_path, Processes(1))


def test_closing_stops_threads_in_the_middle_of_a_cell(tmp_path: Path) -> None:
    study = small(tmp_path, horizons=[20, 10**10], replicates=1)
    work = Threads(2).work(study.cells, Tally())
    assert isinstance(work, Iterator)
    next(work)
    work.close()  # type: ignore[attr-defined]
    deadline = time.monotonic() + 60
    while any(t.name.startswith("sidelight") for t in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_cell_that_fails_ends_the_study_with_its_reason(tmp_path: Path) -> None:
    study = small(tmp_path, replicates=2**31, block=2**31)
    with pytest.raises(sl.InputError, match="do not fit in memory"):
        run(study, tmp_path, Threads(2))


def test_the_crew_of_the_options() -> None:
    assert crew(3) == Threads(3)
    assert crew(3, processes=True) == Processes(3)
    with pytest.raises(sl.InputError, match="choose one"):
        crew(3, processes=True, dask="local")


# ---- kill -9 -------------------------------------------------------------------------------------


def kill(folder: Path, kills: int, seed: int, **changes: object) -> dict[str, int]:
    study = small(folder, **changes)
    reference(study, folder / "whole")
    command = [HERE / "kills.py", folder / "small.toml", folder / "whole", folder, kills, seed]
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_killed_studies_end_as_if_nothing_had_happened(tmp_path: Path) -> None:
    assert kill(tmp_path, kills=8, seed=1, horizons=[20, 20_000])["killed"] == 8


@pytest.mark.campaign
def test_two_hundred_kills(tmp_path: Path) -> None:
    found = kill(tmp_path, kills=200, seed=int(time.time()), horizons=[20, 200_000])
    assert found["killed"] == 200
    sys.stdout.write(json.dumps(found))


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    small(tmp_path, horizons=[20, 10**9])
    command = [sys.executable, "-m", "sidelight", "race", "small.toml", "--out", "out"]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 200
    while not list((tmp_path / "out").glob("cells/*.parquet")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "of 60 cells are finished; run again to go on" in said
    assert "Traceback" not in said
    assert not list((tmp_path / "out").glob("cells/.*.tmp"))
