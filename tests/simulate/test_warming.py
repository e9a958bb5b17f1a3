"""Compiling beforehand, and in several processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Command
from sidelight.policies import registry
from sidelight.simulate import warming

RACE = """
import json
import sidelight as sl
from numba.core import event

compiled = event.RecordingListener()
event.register("numba:compile", compiled)
results = sl.simulate(sl.gallery("bandit"), ["greedy", "uniform", "ts-n", "ucb-n"], 200, 2)
actions = sl.trace(sl.gallery("bandit"), "ucb-n", 50).actions
print(json.dumps([len(compiled.buffer), results.plays.tolist(), actions.tolist()]))
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A new process that keeps machine code in this folder."""
    apart = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=apart, capture_output=True, text=True, check=False)


def test_after_warming_nothing_is_compiled(tmp_path: Path) -> None:
    warmed = run(tmp_path, "-m", "sidelight", "warm", "greedy", "uniform", "ts-n", "ucb-n")
    assert warmed.returncode == 0, warmed.stderr
    assert warmed.stderr.startswith("4 policies are compiled; kept in ")
    done = run(tmp_path, "-c", RACE)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    compilations, *_ = json.loads(done.stdout)
    assert compilations == 0


def test_a_race_compiles_in_other_processes_to_the_same_code(tmp_path: Path) -> None:
    """The first race starts processes; what they kept is all that the second one needs."""
    first, second = (run(tmp_path, "-c", RACE) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert "compiling greedy, uniform, ts-n, ucb-n: once" in first.stderr
    assert json.loads(first.stdout)[1:] == json.loads(second.stdout)[1:]
    assert json.loads(second.stdout)[0] == 0


def test_processes_that_fail_leave_the_work_to_this_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[list[str]] = []

    def fail(_: object, names: list[str]) -> subprocess.Popen[bytes]:
        started.append(names)
        return subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"])

    monkeypatch.setattr(warming, "start_child", fail)
    monkeypatch.setattr(warming, "is_missing", lambda rule: True)
    monkeypatch.setattr(warming, "usable_threads", lambda: 3)
    rules = [registry.rule(name) for name in ("greedy", "uniform", "ts-n", "ucb-n", "ids", "ossb")]
    warming.compile_apart(rules)
    assert started == [["greedy", "ucb-n"], ["uniform", "ids"], ["ts-n", "ossb"]]
    started.clear()
    warming.compile_apart(rules[:3])
    assert started == []  # too few to share


@pytest.mark.parametrize("name", registry.names())
def test_every_policy_can_be_told_what_it_needs(name: str) -> None:
    warming.compile_here([name])


def test_an_unknown_policy_is_refused(sidelight: Command) -> None:
    done = sidelight("warm", "idz")
    assert done.code == 2
    assert "no policy is called 'idz'" in done.err
