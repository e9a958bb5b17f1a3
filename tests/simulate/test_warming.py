"""Compiling beforehand: for races, for traces and for live decisions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Command
from sidelight.compiled import pieces
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

COMPILED = """
import json
from numba.core import event

with event.install_recorder("numba:compile") as recorder:
    import sidelight as sl
    sl.simulate(sl.gallery("star"), "greedy", 50, 3)
written = {found.data["dispatcher"].py_func for _, found in recorder.buffer}
print(json.dumps([f.__qualname__ for f in written if f.__module__.startswith("sidelight")]))
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A new process that keeps machine code in this folder."""
    apart = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=apart, capture_output=True, text=True, check=False)


def test_after_warming_nothing_is_compiled(tmp_path: Path) -> None:
    warmed = run(tmp_path, "-m", "sidelight", "warm", "greedy", "uniform")
    assert warmed.returncode == 0, warmed.stderr
    assert warmed.stderr.startswith("2 policies are compiled; kept in ")
    two = RACE.replace('["greedy", "uniform", "ts-n", "ucb-n"]', '["greedy", "uniform"]')
    done = run(tmp_path, "-c", two.replace('"ucb-n"', '"greedy"'))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    compilations, *_ = json.loads(done.stdout)
    assert compilations == 0


def test_what_cannot_be_kept_is_compiled_here_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [registry.rule(name) for name in ("greedy", "uniform", "ucb-n")]
    done: list[str] = []
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr(warming, "can_be_kept", lambda _: False)
    for name in ("is_missing", "lacks_use"):
        monkeypatch.setattr(warming, name, lambda _: True)
    monkeypatch.setattr(warming, "compile_all", done.append)
    monkeypatch.setattr("subprocess.Popen", None)
    warming.warm(rules, lambda *so_far: seen.append(so_far))
    assert done == ["greedy", "uniform", "ucb-n"]
    assert seen[-1] == (6, 6)


def test_a_race_compiles_in_other_processes_to_the_same_code(tmp_path: Path) -> None:
    """The first race starts processes; what they kept is all that the second one needs."""
    first, second = (run(tmp_path, "-c", RACE) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert "compiling greedy, uniform, ts-n, ucb-n: once" in first.stderr
    assert json.loads(first.stdout)[1:] == json.loads(second.stdout)[1:]
    assert json.loads(second.stdout)[0] == 0


def test_pieces_are_all_that_numba_compiles_of_our_sources(tmp_path: Path) -> None:
    done = run(tmp_path, "-c", COMPILED)
    assert done.returncode == 0, done.stderr
    rule = registry.rule("greedy")
    known = [part.__qualname__ for part in pieces(rule.run, rule.choose, rule.update)]
    compiled = json.loads(done.stdout)
    assert len(compiled) > 20
    assert set(compiled) <= set(known)


@pytest.mark.parametrize("name", registry.names())
def test_every_policy_can_be_told_what_it_needs(name: str) -> None:
    warming.compile_all(name)


def test_an_unknown_policy_is_refused(sidelight: Command) -> None:
    done = sidelight("warm", "idz")
    assert done.code == 2
    assert "no policy is called 'idz'" in done.err
