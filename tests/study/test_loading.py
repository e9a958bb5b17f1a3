"""`load_study`: what is on disk comes back as data, finished or not; anything else is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sidelight as sl
from sidelight.study import Threads, run
from studies import Stopping, small


def test_a_finished_study_comes_back(tmp_path: Path) -> None:
    study = small(tmp_path)
    outcome = run(study, tmp_path / "out", Threads(1))
    found = sl.load_study(tmp_path / "out")
    assert found.finished
    assert repr(found) == "<Loaded 'small': 6 races>"
    assert [x.problem.name for x in found.races] == [x.problem.name for x in outcome.races]
    for one, other in zip(found.races, outcome.races, strict=True):
        assert np.array_equal(one.regret, other.regret)
    frame = found.to_frame(bounds=False)
    assert len(frame) == sum(len(race.policies) for race in found.races) == 20


def test_an_interrupted_study_gives_what_is_complete(tmp_path: Path) -> None:
    study = small(tmp_path)
    cells = [len(found) for _, found in study.cells_by_race]
    after = cells[0] + cells[1] + 1  # one cell of the third race
    with pytest.raises(KeyboardInterrupt):
        run(study, tmp_path / "out", Stopping(after, KeyboardInterrupt()))
    found = sl.load_study(str(tmp_path / "out"))
    assert not found.finished
    assert [(race.problem.name, race.horizon) for race in found.races] == [
        ("bandit:actions=3", 20),
        ("bandit:actions=3", 200),
    ]
    assert repr(found) == "<Loaded 'small': 2 races, 4 not finished>"
    assert len(found.unfinished) == 4
    assert "bandit:actions=5, T = 20 is not finished" in found.unfinished[0]
    assert len(found.to_frame(bounds=False)) == 8


def test_a_study_without_a_complete_race_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(small(tmp_path), tmp_path / "out", Stopping(1, KeyboardInterrupt()))
    with pytest.raises(
        sl.InputError, match=r"no race is finished\. bandit:actions=3, T = 20 is not"
    ):
        sl.load_study(tmp_path / "out")


def test_a_race_is_found_in_its_folder_and_as_a_file(tmp_path: Path) -> None:
    race = sl.simulate(sl.gallery("cycle"), ["greedy", "uniform"], 50, 3, seed=2)
    race.save(tmp_path / "results.parquet")
    for place in (tmp_path, tmp_path / "results.parquet"):
        found = sl.load_study(place)
        assert (found.settings, found.finished, found.keys) == ({}, True, ())
        assert np.array_equal(found.races[0].regret, race.regret)
        assert repr(found) == "<Loaded: 1 race>"


def test_other_places_are_refused(tmp_path: Path) -> None:
    with pytest.raises(sl.InputError, match=r"neither study\.json nor results\.parquet is there"):
        sl.load_study(tmp_path)
    (tmp_path / "notes.txt").write_text("no results")
    with pytest.raises(sl.DamagedError, match=r"notes\.txt: not a file that Results"):
        sl.load_study(tmp_path / "notes.txt")
    (tmp_path / "study.json").write_text("{")
    with pytest.raises(sl.DamagedError, match="not the manifest of a study"):
        sl.load_study(tmp_path)
