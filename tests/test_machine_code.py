"""Machine code is made once: linked into what calls it, and found again by its content."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest
from llvmlite.binding import ffi
from numba.core import event

import sidelight
from sidelight import machine_code
from sidelight.compiled import cached, compiled
from sidelight.policies import registry

# Prints what was compiled, and the regret of a race and the actions of a live player.
PLAY = """
import json
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    import sidelight as sl
    regret = sl.simulate(sl.gallery("star"), "greedy", 50, 3).regret.tolist()
    actions = sl.trace(sl.gallery("star"), "greedy", 50).actions.tolist()
compiled = {str(found.data["dispatcher"].py_func.__qualname__) for _, found in recorder.buffer}
print(json.dumps({"compiled": sorted(compiled), "regret": regret, "actions": actions}))
"""


def play(sources: Path, cache: Path) -> dict[str, Any]:
    """What a new process that finds sidelight in `sources` compiles, and plays."""
    env = {**os.environ, "PYTHONPATH": str(sources), "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", PLAY], env=env, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_another_copy_of_the_sources_compiles_nothing(tmp_path: Path) -> None:
    here = Path(sidelight.__file__).parent
    first, second = tmp_path / "first", tmp_path / "elsewhere" / "second"
    for copy in (first, second):
        shutil.copytree(here, copy / "sidelight", ignore=shutil.ignore_patterns("__pycache__"))
    once = play(first, tmp_path / "cache")
    assert once["compiled"]
    again = play(second, tmp_path / "cache")
    assert again["compiled"] == []
    assert (again["regret"], again["actions"]) == (once["regret"], once["actions"])
    rule = second / "sidelight" / "policies" / "greedy.py"
    rule.write_text(rule.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    assert play(second, tmp_path / "cache")["compiled"] == once["compiled"]


def test_linked_parts_and_numbas_own_way_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def double(x):  # type: ignore[no-untyped-def]
        return 2.0 * x

    def make() -> Any:
        part = compiled(double)

        def whole(x):  # type: ignore[no-untyped-def]
            return part(x) + 1.0

        return compiled(whole)

    linked = make()(3.0)
    monkeypatch.setattr(machine_code, "TESTED", ("nothing",))
    assert machine_code.linked() == {}
    assert make()(3.0) == linked == 7.0


def test_where_numba_is_unknown_functions_are_kept_in_its_own_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(machine_code, "TESTED", ("nothing",))
    # What an earlier run kept of a module that does not exist could not be loaded.
    monkeypatch.setattr(machine_code, "cache_folder", lambda: tmp_path)
    assert not machine_code.can_be_kept(cached(_one_more))  # numba does not know what it imports
    monkeypatch.setattr(_one_more, "__module__", "sidelight.tests")  # as one of ours
    kept = cached(_one_more)
    assert kept(1.0) == 2.0
    assert Path(kept.stats.cache_path).is_relative_to(tmp_path)
    assert machine_code.is_kept(kept)


def _one_more(x):  # type: ignore[no-untyped-def]
    return x + 1.0


def test_rules_for_python_are_kept_too() -> None:
    rule = registry.rule("greedy")
    assert machine_code.can_be_kept(rule.choose.for_python)


class Listener(event.Listener):
    """Whether garbage is collected while numba compiles."""

    def __init__(self) -> None:
        self.collects: list[bool] = []

    def on_start(self, _: Any) -> None:
        self.collects.append(gc.isenabled())

    def on_end(self, _: Any) -> None:
        pass


def test_compiling_is_undisturbed_and_leaves_no_trace() -> None:
    told = list(ffi.lib._lock._cblist)
    assert told  # else the rest says nothing
    assert gc.isenabled()

    def fails(x):  # type: ignore[no-untyped-def]
        return x.no_such_thing

    def works(x):  # type: ignore[no-untyped-def]
        return x + 1.0

    for function, error in ((works, None), (fails, numba.errors.TypingError)):
        listener = Listener()
        with event.install_listener("numba:run_pass", listener):
            whole = numba.njit(**machine_code.whole())(function)
            if error is None:
                assert whole(1.0) == 2.0
            else:
                with pytest.raises(error):
                    whole(1.0)
        assert set(listener.collects) == {False}
        assert gc.isenabled()
        assert ffi.lib._lock._cblist == told


def test_whoever_collects_no_garbage_does_not_do_so_after_compiling() -> None:
    gc.disable()
    try:
        with machine_code.undisturbed(), machine_code.undisturbed():
            assert ffi.lib._lock._cblist == []
        assert not gc.isenabled()
    finally:
        gc.enable()
    assert ffi.lib._lock._cblist
