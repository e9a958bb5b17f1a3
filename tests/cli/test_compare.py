"""`sidelight compare`, as a user meets it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import sidelight as sl
from commands import Command
from latex import check


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two races with one policy in common, and the same luck."""
    names = (tmp_path / "a", tmp_path / "b")
    for folder, other in zip(names, ("uniform", "ucb-n"), strict=True):
        folder.mkdir()
        race = sl.simulate(sl.gallery("bandit"), ["greedy", other], 100, 20, seed=1)
        race.save(folder / "results.parquet")
    return names


def test_the_table_says_what_the_library_says(
    sidelight: Command, folders: tuple[Path, Path]
) -> None:
    done = sidelight("compare", *folders)
    found = sl.compare(*folders)
    assert (done.code, done.out) == (0, f"{found}\n")
    assert "uniform is only in A" in done.out
    assert done.err == ""


def test_every_form(sidelight: Command, folders: tuple[Path, Path]) -> None:
    found = sl.compare(*folders)
    data = json.loads(sidelight("compare", *folders, "--json").out)
    assert data["rows"] == found.to_dicts()
    assert data["notes"] == list(found.notes)
    assert sidelight("compare", *folders, "--csv").out == found.to_csv()
    assert next(csv.DictReader(io.StringIO(found.to_csv())))["pairs"] == "20"
    written = sidelight("compare", *folders, "--latex").out
    assert written == found.to_latex()
    check(written)


def test_bad_input_is_a_sentence_and_leaves_nothing(
    sidelight: Command, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    before = sorted(tmp_path.rglob("*"))
    a, b = folders
    for arguments, says in (
        ((a, tmp_path / "nowhere"), "neither study.json nor results.parquet is there"),
        ((tmp_path, b), "neither study.json nor results.parquet is there"),
        ((a, b, "--csv", "--json"), "--json and --csv: choose one of the two"),
        ((a,), "Missing argument 'B'"),
    ):
        done = sidelight("compare", *arguments)
        assert done.code == 2
        assert says in done.err
        assert done.out == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_races_that_do_not_belong_together(sidelight: Command, folders: tuple[Path, Path]) -> None:
    a, b = folders
    sl.simulate(sl.gallery("bandit"), "greedy", 50, 2).save(b / "results.parquet")
    done = sidelight("compare", a, b)
    assert (done.code, done.out) == (2, "")
    assert "there is nothing to compare: bandit, T = 100, is only in A: the horizons" in done.err


def test_a_damaged_file_has_a_code_of_its_own(
    sidelight: Command, folders: tuple[Path, Path]
) -> None:
    a, b = folders
    (b / "results.parquet").write_bytes(b"PAR1")
    done = sidelight("compare", a, b)
    assert (done.code, done.out) == (4, "")
    assert "not a file that Results.save wrote" in done.err
