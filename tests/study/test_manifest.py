"""What a folder remembers of its study, which of its cells it believes, and how far a run is."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import sidelight as sl
from sidelight.study import (
    Cell,
    State,
    Store,
    Study,
    Threads,
    compute,
    explain,
    load,
    manifest,
    run,
)
from sidelight.study.crews import Computed, Tally
from sidelight.study.store import MISSING


def study(**changes: Any) -> Study:
    """Four cells of a few rounds."""
    given: dict[str, Any] = {"replicates": 4, "block": 2, **changes}
    return Study("s", {"bandit": sl.gallery("bandit")}, ("greedy",), (10, 20), **given)


class Quiet:
    """A crew that tells nobody how far it is, and notes when it is stopped."""

    def __init__(self) -> None:
        self.stopped = False

    def work(self, cells: Sequence[Cell], tally: Tally) -> Iterator[Computed]:
        """As `Crew.work`."""
        try:
            for cell in cells:
                yield cell, cell.compute()
        finally:
            self.stopped = True


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


def test_a_race_without_cells_is_damage(tmp_path: Path) -> None:
    manifest.write(study(), tmp_path)
    path = tmp_path / "study.json"
    whole = json.loads(path.read_text())
    whole["races"][1]["cells"] = []
    path.write_text(json.dumps(whole))
    with pytest.raises(
        sl.DamagedError, match=r"study\.json: .*a race without cells.*run the study"
    ):
        manifest.read(tmp_path)


@pytest.mark.parametrize("name", ["../up", "/etc/cell", "a b", ""])
def test_the_name_of_a_cell_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    manifest.write(study(), tmp_path)
    path = tmp_path / "study.json"
    whole = json.loads(path.read_text())
    whole["races"][0]["cells"][0]["key"] = name
    path.write_text(json.dumps(whole))
    with pytest.raises(sl.DamagedError, match=f"'{name}' is no name of a cell"):
        manifest.read(tmp_path)


def test_every_change_of_a_study_is_explained(tmp_path: Path) -> None:
    assert {why for _, why in explain(study(), tmp_path)} == {MISSING}
    run(study(), tmp_path, Quiet())
    assert [why for _, why in explain(study(), tmp_path)] == [""] * 4
    other = Study("s", {"bandit": sl.gallery("bandit", gap=0.2)}, ("greedy",), (10, 20), 4, 1, 2)
    assert {why for _, why in explain(other, tmp_path)} == {
        "changed: the problem; seed was 0, is 1"
    }
    shorter = Study("s", {"bandit": sl.gallery("bandit")}, ("greedy",), (10, 15), 4, 0, 2)
    assert [why for _, why in explain(shorter, tmp_path)] == ["", "", MISSING, MISSING]
    (tmp_path / "study.json").write_text("{}")
    assert {why for _, why in explain(other, tmp_path)} == {MISSING}


def test_a_study_that_did_not_change_has_no_changes_to_explain(tmp_path: Path) -> None:
    asked = {"checkpoints": (1, 3), "delay": "fixed:2"}
    manifest.write(study(**asked), tmp_path)
    assert {why for _, why in explain(study(**asked), tmp_path)} == {MISSING}
    later = [why for _, why in explain(study(**{**asked, "checkpoints": (1, 4)}), tmp_path)]
    assert set(later) == {"changed: checkpoints was [1, 3], is [1, 4]"}


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
    for name, age in (("old", 11 * 60), ("new", 9 * 60)):
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


def test_every_finished_cell_is_told_though_the_crew_is_silent(tmp_path: Path) -> None:
    seen: list[State] = []
    Store(tmp_path).prepare()
    compute(study().cells, Store(tmp_path), Quiet(), seen.append)
    assert [state.finished for state in seen] == [1, 2, 3, 4]
    assert [state.rounds for state in seen] == [20, 40, 80, 120]
    assert {(state.cells, state.kept, state.running, state.all_rounds) for state in seen} == {
        (4, 0, 0, 120)
    }


def test_rounds_of_a_running_cell_count_with_those_that_are_finished(tmp_path: Path) -> None:
    class Telling:
        def work(self, cells: Sequence[Cell], tally: Tally) -> Iterator[Computed]:
            for cell in cells:
                tally.running, tally.rounds[cell.key] = 1, 7
                tally.tick()
                tally.running, tally.rounds = 0, {}
                yield cell, cell.compute()

    seen: list[State] = []
    Store(tmp_path).prepare()
    compute(study().cells[:2], Store(tmp_path), Telling(), seen.append)
    assert [state.rounds for state in seen] == [7, 20, 27, 40]
    assert [state.running for state in seen] == [1, 0, 1, 0]


def test_the_crew_is_stopped_when_a_cell_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew = Quiet()

    def full(store: Store, cell: Cell, content: bytes) -> None:
        raise OSError("no space")

    monkeypatch.setattr(Store, "write", full)
    with pytest.raises(OSError, match="no space") as failed:
        run(study(), tmp_path, crew)
    assert (crew.stopped, failed.type) == (True, OSError)  # though the error still holds the crew


def test_a_crew_may_be_any_iterator(tmp_path: Path) -> None:
    class Finished:
        def work(self, cells: Sequence[Cell], tally: Tally) -> Iterator[Computed]:
            return iter([(cell, cell.compute()) for cell in cells])

    assert run(study(), tmp_path, Finished()).computed == 4


# ---- what a folder gives back --------------------------------------------------------------------


def test_a_run_says_what_it_kept_and_what_it_computed(tmp_path: Path) -> None:
    cells, store = study().cells, Store(tmp_path)
    store.prepare()
    store.write(cells[2], cells[2].compute())
    first, second = (run(study(), tmp_path, Quiet()) for _ in range(2))
    assert (first.kept, first.computed, second.kept, second.computed) == (1, 3, 4, 0)
    assert [(race.horizon, race.replicates) for race in first.races] == [(10, 4), (20, 4)]


def test_the_races_of_a_folder_and_what_is_missing_of_them(tmp_path: Path) -> None:
    with pytest.raises(sl.InputError, match=r"there is no study here: no file study\.json"):
        load(tmp_path)
    made = Study("s", {"cycle": sl.gallery("cycle")}, ("greedy", "ucb-n"), (10, 20), 4, 0, 2)
    run(made, tmp_path, Quiet())
    whole = load(tmp_path)
    assert [(race.horizon, race.replicates) for race in whole.races] == [(10, 4), (20, 4)]
    assert [note.partition(": without ucb-n: ")[0] for note in whole.notes] == [
        "cycle, T = 10",
        "cycle, T = 20",
    ]
    assert (whole.left_out, whole.keys) == ((), tuple(cell.key for cell in made.cells))
    Store(tmp_path).path(made.cells[0]).unlink()
    rest = load(tmp_path)
    assert [race.horizon for race in rest.races] == [20]
    assert rest.notes[0].startswith("cycle, T = 10 is not finished: ")
    assert (rest.notes[1:], rest.keys) == (whole.notes, whole.keys)
    assert [str(error) in rest.notes[0] for error in rest.left_out] == [True]


def test_a_study_that_is_too_large_makes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidelight.study.plan.MAX_CELLS", 3)
    with pytest.raises(sl.InputError, match="the study has 4 cells"):
        run(study(), tmp_path / "out", Threads(1))
    assert not (tmp_path / "out").exists()


def test_what_is_left_is_neither_kept_nor_finished_nor_running() -> None:
    assert State(cells=10, kept=1, finished=2, running=3, rounds=0, all_rounds=0).left == 4
