"""Replicates that are on disk already, in blocks of other sizes, are not played again."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.study import Store, Threads, explain, run
from studies import contents, reference, small


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"replicates": 6, "block": 6}, {"replicates": 4, "block": 6}),
        ({"replicates": 6, "block": 2}, {"replicates": 5, "block": 2}),
        ({"replicates": 6, "block": 2}, {"replicates": 6, "block": 4}),
        ({"replicates": 6, "block": 4}, {"replicates": 5, "block": 3}),
        ({"replicates": 6, "block": None}, {"replicates": 1, "block": None}),
    ],
)
def test_fewer_replicates_and_other_blocks_are_cut_out(
    tmp_path: Path, before: dict[str, int], after: dict[str, int]
) -> None:
    run(small(tmp_path, **before), tmp_path / "out", Threads(1))
    study = small(tmp_path, **after)
    assert {why for _, why in explain(study, tmp_path / "out")} == {""}
    outcome = run(study, tmp_path / "out", Threads(1))
    assert (outcome.computed, outcome.kept) == (0, len(study.cells))
    assert {race.replicates for race in outcome.races} == {after["replicates"]}
    there = contents(tmp_path / "out")
    computed = reference(study, tmp_path / "fresh")
    assert {name: there[name] for name in computed} == computed


def test_more_replicates_keep_whole_blocks(tmp_path: Path) -> None:
    run(small(tmp_path, replicates=6, block=2), tmp_path / "out", Threads(1))
    study = small(tmp_path, replicates=7, block=2)
    outcome = run(study, tmp_path / "out", Threads(1))
    assert outcome.computed == sum(cell.first == 6 for cell in study.cells)


@pytest.mark.parametrize(
    "change", [{"seed": 4}, {"horizons": [21]}, {"checkpoints": [5]}, {"delay": 2}]
)
def test_whatever_changes_the_numbers_is_computed(tmp_path: Path, change: dict[str, int]) -> None:
    run(small(tmp_path), tmp_path / "out", Threads(1))
    study = small(tmp_path, replicates=5, block=5, **change)
    assert all(why for _, why in explain(study, tmp_path / "out"))
    outcome = run(study, tmp_path / "out", Threads(1))
    assert outcome.computed == len(study.cells)


def test_a_longer_horizon_keeps_the_others(tmp_path: Path) -> None:
    run(small(tmp_path), tmp_path / "out", Threads(1))
    study = small(tmp_path, horizons=[20, 200, 300])
    outcome = run(study, tmp_path / "out", Threads(1))
    assert outcome.computed == sum(cell.horizon == 300 for cell in study.cells)


def test_a_damaged_block_is_computed_again(tmp_path: Path) -> None:
    study = small(tmp_path, replicates=6, block=6)
    run(study, tmp_path / "out", Threads(1))
    path = Store(tmp_path / "out").path(study.cells[0])
    path.write_bytes(path.read_bytes()[:-50] + b"x" * 50)
    fewer = small(tmp_path, replicates=3, block=6)
    whys = [why for _, why in explain(fewer, tmp_path / "out")]
    assert whys[0]
    assert not any(whys[1:])
    assert run(fewer, tmp_path / "out", Threads(1)).computed == 1


def test_a_damaged_list_of_cells_is_no_reason_to_stop(tmp_path: Path) -> None:
    run(small(tmp_path), tmp_path / "out", Threads(1))
    (tmp_path / "out" / "study.json").write_text("{")
    study = small(tmp_path, replicates=4)
    assert run(study, tmp_path / "out", Threads(1)).computed == 0  # whole blocks, by their names


def test_a_list_that_lies_is_not_believed(tmp_path: Path) -> None:
    study = small(tmp_path, replicates=6, block=6)
    run(study, tmp_path / "out", Threads(1))
    path = tmp_path / "out" / "study.json"
    path.write_text(path.read_text().replace('"seed": 3', '"seed": 4'))
    other = small(tmp_path, replicates=3, block=6, seed=4)
    outcome = run(other, tmp_path / "out", Threads(1))
    assert outcome.computed == len(other.cells)
    there = contents(tmp_path / "out")
    computed = reference(other, tmp_path / "fresh")
    assert {name: there[name] for name in computed} == computed
