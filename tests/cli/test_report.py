"""`sidelight report`: what it finds in a folder; `test_again` runs the commands that it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

import sidelight as sl
from commands import Command
from studies import small


def test_figures_for_papers(tmp_path: Path, sidelight: Command, dosing: Path) -> None:
    sidelight("race", dosing, "-p", "greedy", "-T", 50, "-n", 7, "--out", "out")
    done = sidelight("report", "out", "-o", "page.html", "--figures", "figures")
    assert done.code == 0
    assert (tmp_path / "page.html").exists()
    kinds = sorted(path.suffix for path in (tmp_path / "figures").iterdir())
    assert kinds == [".pdf", ".png", ".svg", ".svg"]


def test_what_is_no_study(tmp_path: Path, sidelight: Command) -> None:
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "nowhere"):
        done = sidelight("report", folder)
        assert done.code == 2
        assert "neither study.json nor results.parquet is there" in done.err


def test_an_unfinished_study_is_reported_as_far_as_it_went(
    tmp_path: Path, sidelight: Command
) -> None:
    study = small(tmp_path, problems=["full-information:actions=2"])
    sidelight("race", "small.toml", "--out", "out")
    cells = tmp_path / "out" / "cells"
    (cells / f"{study.cells[0].key}.parquet").unlink()
    assert sidelight("report", "out").code == 0
    page = (tmp_path / "out" / "report.html").read_text()
    race = "full-information:actions=2, T = 20"
    assert f"{race} is not finished" in page
    assert race not in page.replace(f"{race} is not", "")
    for path in cells.iterdir():
        path.unlink()
    done = sidelight("report", "out")
    assert done.code == 2
    assert "no race is finished" in done.err


def test_races_and_studies_do_not_share_a_folder(
    tmp_path: Path, sidelight: Command, dosing: Path
) -> None:
    small(tmp_path, problems=["revealing:actions=2"], horizons=[20])
    race = ("race", dosing, "-p", "greedy", "-T", 50, "-n", 2, "--out")
    assert sidelight("race", "small.toml", "--out", "one").code == 0
    assert "holds a study" in sidelight(*race, "one").err
    assert sidelight(*race, "two").code == 0
    assert "holds a single race" in sidelight("race", "small.toml", "--out", "two").err


@pytest.mark.parametrize("where", ["missing/page.html", "file/page.html"])
def test_a_page_that_cannot_be_written(tmp_path: Path, sidelight: Command, where: str) -> None:
    (tmp_path / "file").write_text("no folder")
    sl.simulate(sl.gallery("bandit"), "greedy", 20, 2).save(tmp_path / "results.parquet")
    done = sidelight("report", ".", "-o", where)
    assert done.code == 2
    assert "cannot be written" in done.err
