"""What a folder remembers of its study, which of its cells it believes, and how far a run is."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

import sidelight as sl
from sidelight.study import State, Store, Study, Threads, compute, manifest, run
from sidelight.study.store import MISSING, STALE


def study(**changes: Any) -> Study:
    """Four cells of a few rounds."""
    given: dict[str, Any] = {"replicates": 4, "block": 2, **changes}
    return Study("s", {"bandit": sl.gallery("bandit")}, ("greedy",), (10, 20), **given)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"seed": 0, "block": 1, "replicates": 1, "checkpoints": (1, 3), "delay": "fixed:2"},
        {"seed": 5, "block": None, "checkpoints": ()},
    ],
)
def test_what_is_written_is_read_back(tmp_path: Path, changes: dict[str, Any]) -> None:
    made = study(**changes)
    manifest.write(made, tmp_path)
    found = manifest.read(tmp_path)
    assert found is not None
    assert dict(found.settings) == manifest.settings_of(made)
    assert found.settings["checkpoints"] == (list(changes.get("checkpoints", ())) or None)
    assert (found.settings["block"], found.settings["seed"]) == (made.block, made.seed)
    keys = [cell.key for race in found.races for cell in race.cells]
    assert keys == [cell.key for cell in made.cells]
    assert found.races[0].cells[0].place == made.cells[0].place
    assert [race.title for race in found.races] == ["bandit, T = 10", "bandit, T = 20"]


def test_no_manifest_is_none_and_a_folder_in_its_place_is_named(tmp_path: Path) -> None:
    assert manifest.read(tmp_path) is None
    (tmp_path / "study.json").mkdir()
    with pytest.raises(sl.InputError, match=r"study\.json: cannot be read: Is a directory"):
        manifest.read(tmp_path)


@pytest.mark.parametrize("key", ["replicates", "block", "horizons", "checkpoints"])
def test_nothing_that_is_counted_is_zero(tmp_path: Path, key: str) -> None:
    manifest.write(study(), tmp_path)
    path = tmp_path / "study.json"
    whole = json.loads(path.read_text())
    whole["settings"][key] = [0] if key in ("horizons", "checkpoints") else 0
    path.write_text(json.dumps(whole))
    with pytest.raises(sl.DamagedError, match="should be a whole number from 1 to"):
        manifest.read(tmp_path)


def test_a_race_of_no_rounds_and_a_place_of_three_parts_are_damage(tmp_path: Path) -> None:
    manifest.write(study(), tmp_path)
    path = tmp_path / "study.json"
    text = path.read_text()
    whole = json.loads(text)
    whole["races"][0]["horizon"] = 0
    path.write_text(json.dumps(whole))
    with pytest.raises(sl.DamagedError, match="a horizon is 0"):
        manifest.read(tmp_path)
    whole = json.loads(text)
    whole["races"][0]["cells"][0]["place"].pop()
    path.write_text(json.dumps(whole))
    with pytest.raises(sl.DamagedError, match="the place of a cell has four parts"):
        manifest.read(tmp_path)


# ---- the store -----------------------------------------------------------------------------------


def test_a_cell_is_missing_damaged_other_or_finished(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.prepare()
    one, two = study().cells[:2]
    assert store.problem_with(one) == MISSING
    store.path(one).write_bytes(b"no results")
    assert store.problem_with(one) == "not a file that Results.save wrote, or a part of one"
    content = one.compute()
    store.write(one, content)
    assert store.problem_with(one) == ""
    assert store.read(one).replicates == 2
    store.path(two).write_bytes(content)
    assert store.problem_with(two) == "holds other results than its name says"
    with pytest.raises(sl.DamagedError, match=rf"{two.key}\.parquet: holds other results"):
        store.read(two)


def test_half_written_files_are_removed_when_they_are_old(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.prepare()
    now = time.time()
    for name, age in (("old", STALE + 60), ("new", STALE - 60)):
        path = store.cells / f".{name}.tmp"
        path.write_bytes(b"")
        os.utime(path, (now - age, now - age))
    store.prepare()
    assert [path.name for path in store.cells.iterdir()] == [".new.tmp"]


# ---- how far a run is ----------------------------------------------------------------------------


def test_whoever_watches_is_told_every_cell(tmp_path: Path) -> None:
    cells, store, seen = study().cells, Store(tmp_path), list[State]()
    store.prepare()
    store.write(cells[0], cells[0].compute())
    assert compute(cells, store, Threads(1), seen.append) == 3
    last = seen[-1]
    assert (last.cells, last.kept, last.finished, last.left) == (4, 1, 3, 0)
    rounds = sum(cell.rounds for cell in cells[1:])
    assert (last.rounds, last.all_rounds) == (rounds, rounds)
    assert {state.finished for state in seen} >= {1, 2, 3}
    assert all(0 <= state.rounds <= rounds for state in seen)
    assert compute(cells, store, Threads(1)) == 0


def test_a_study_that_is_too_large_makes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidelight.study.plan.MAX_CELLS", 3)
    with pytest.raises(sl.InputError, match="the study has 4 cells"):
        run(study(), tmp_path / "out", Threads(1))
    assert not (tmp_path / "out").exists()


def test_what_is_left_is_neither_kept_nor_finished_nor_running() -> None:
    assert State(cells=10, kept=1, finished=2, running=3, rounds=0, all_rounds=0).left == 4
