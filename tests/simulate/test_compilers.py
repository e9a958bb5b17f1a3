"""Processes that compile: how the work is dealt out, shared by forking, and ended."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sidelight.compiled import pieces
from sidelight.policies import registry
from sidelight.policies.rule import Rule
from sidelight.simulate import compilers

MANY = ("greedy", "uniform", "ts-n", "ucb-n", "ids", "ossb")
PATIENCE = 60  # seconds that a busy machine may need for what takes less than one


def rules_called(*names: str) -> list[Rule]:
    return [registry.rule(name) for name in names]


def note(name: str) -> None:
    """What the processes do here: a file for each name, which says who wrote it."""
    folder = Path(os.environ["NOTES"])
    if name == os.environ.get("FAILS"):
        raise ValueError(name)
    half = folder.parent / f"half of {folder.name} {name}"
    half.write_text(f"{os.getpid()} {os.getppid()}")
    half.rename(folder / name)  # nobody finds half a file
    while name == os.environ.get("STAYS"):
        time.sleep(1)


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NOTES", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, sys.path)))  # where `note` is
    return tmp_path


def written(folder: Path) -> dict[str, tuple[int, int]]:
    """The process that wrote each file, and its parent."""
    return {
        file.name: (int(file.read_text().split()[0]), int(file.read_text().split()[1]))
        for file in folder.iterdir()
    }


def wait_for(happened: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not happened() and time.monotonic() < end:
        time.sleep(0.02)
    return happened()


def is_alive(process: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_rules_that_share_a_program_are_compiled_by_one_process() -> None:
    usual = rules_called("ids", "minimax", "asymptotic", "ts-n", "ucb-n", "greedy", "uniform")
    first, (programs, others) = compilers.dealt(usual, 2)
    assert first == "uniform"
    assert programs == ["minimax", "asymptotic"]
    assert sorted(others) == ["greedy", "ids", "ts-n", "ucb-n"]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_rule_is_dealt_once_and_no_process_has_much_more_to_do(count: int) -> None:
    first, lists = compilers.dealt(rules_called(*registry.names()), count)
    assert len(lists) == count
    assert sorted([first, *itertools.chain(*lists)]) == sorted(registry.names())
    # As numba sees it: how many functions each process compiles, counted by what is written.
    sizes = [
        len(frozenset().union(*(pieces(rule.run, rule.choose) for rule in rules_called(*names))))
        for names in lists
    ]
    assert max(sizes) <= 1.6 * min(sizes)


@pytest.mark.skipif(not compilers.FORKS, reason="this system cannot fork")
def test_one_process_does_the_first_rule_and_copies_of_it_share_the_others(notes: Path) -> None:
    compilers.call_apart(note, rules_called(*MANY), 2, lambda: None)
    by = written(notes)
    assert sorted(by) == sorted(MANY)
    first, lists = compilers.dealt(rules_called(*MANY), 2)
    started, caller = by[first]
    assert caller == os.getpid()
    assert {by[name] for name in lists[0]} == {(started, caller)}
    (copy,) = {by[name] for name in lists[1]}
    assert copy[0] != started
    assert copy[1] == started


def test_without_forks_every_process_starts_by_itself(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilers, "FORKS", False)
    compilers.call_apart(note, rules_called(*MANY), 2, lambda: None)
    by = written(notes)
    first, lists = compilers.dealt(rules_called(*MANY), 2)
    assert len({by[name] for name in [first, *lists[0]]}) == 1
    assert {parent for _, parent in by.values()} == {os.getpid()}
    assert len({process for process, _ in by.values()}) == 2


def test_too_few_rules_start_no_process(notes: Path) -> None:
    compilers.call_apart(note, rules_called(*MANY[:2]), 8, lambda: None)
    compilers.call_apart(note, rules_called(*MANY), 1, lambda: None)
    assert written(notes) == {}


def test_what_fails_is_left_undone_and_the_rest_is_done(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAILS", "ids")
    compilers.call_apart(note, rules_called(*MANY), 2, lambda: None)
    assert sorted(written(notes)) == sorted(set(MANY) - {"ids"})


@pytest.mark.skipif(not compilers.FORKS, reason="this system cannot fork")
@pytest.mark.parametrize("place", [0, 1])
def test_whoever_is_stopped_ends_the_processes_and_their_copies(
    notes: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """Ctrl-C arrives while one of the two processes is at work, wherever it has got to."""
    _, lists = compilers.dealt(rules_called(*MANY), 2)
    monkeypatch.setenv("STAYS", lists[place][-1])

    def stop() -> None:
        if wait_for(lambda: len(written(notes)) == len(MANY)):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compilers.call_apart(note, rules_called(*MANY), 2, stop)
    for process in {process for process, _ in written(notes).values()}:
        assert wait_for(lambda process=process: not is_alive(process))  # type: ignore[misc]


@pytest.mark.skipif(not compilers.FORKS, reason="this system cannot fork")
def test_a_copy_ends_when_the_process_that_it_copies_was_killed(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, lists = compilers.dealt(rules_called(*MANY), 2)
    monkeypatch.setenv("STAYS", lists[1][-1])

    def kill() -> None:
        """The system does so where memory is short."""
        if wait_for(lambda: lists[1][-1] in written(notes)):
            os.kill(written(notes)[first][0], signal.SIGKILL)

    compilers.call_apart(note, rules_called(*MANY), 2, kill)
    for process in {process for process, _ in written(notes).values()}:
        assert wait_for(lambda process=process: not is_alive(process))  # type: ignore[misc]


def test_a_process_that_was_killed_leaves_the_work_undone(notes: Path) -> None:
    child = compilers.start_child(note, ["greedy"])
    os.kill(child.pid, signal.SIGKILL)
    compilers.end(child)
    assert child.returncode == -signal.SIGKILL


def test_a_process_is_silent(notes: Path) -> None:
    """A policy that prints, or that fails, writes nothing between the lines of a progress bar."""
    code = "from simulate.test_compilers import shout; from sidelight.simulate import compilers"
    code += "; compilers.start_child(shout, ['greedy']).wait()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (notes / "greedy").exists()
    assert done.stdout + done.stderr == b""


def shout(name: str) -> None:
    sys.stdout.write(name)
    sys.stderr.write(name)
    note(name)
