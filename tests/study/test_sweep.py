"""Regret against a parameter: which rows make a line, and what cannot be drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sidelight as sl
from sidelight.figures import save_figure, to_svg
from sidelight.study import Threads, read, run
from sidelight.study.loading import Loaded, load
from sidelight.study.sweep import NORMAL, draw, sweep


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    folder = tmp_path_factory.mktemp("sweep")
    text = (
        "name = 'grid'\nreplicates = 4\nhorizons = [20, 50]\nblock = 4\n"
        "problems = [{ recipe = 'bandit', actions = [3, 5], gap = [0.1, 0.2, 0.05] }, 'cycle']\n"
        "policies = ['greedy', { name = 'ucb-n', exploration = [0.5, 1, 2] }]\n"
    )
    (folder / "grid.toml").write_text(text)
    run(read(folder / "grid.toml"), folder / "out", Threads(1))
    return load(folder / "out")


def test_a_line_goes_through_what_differs_in_one_parameter(study: Loaded) -> None:
    frame = study.to_frame(bounds=False)
    lines = {line.name: line for line in sweep(frame, "recipe.gap").lines}
    line = lines["greedy, recipe = bandit, actions = 5"]
    assert line.x.tolist() == [0.05, 0.1, 0.2]
    for k, gap in enumerate(line.x.tolist()):
        (row,) = frame.filter(
            (pl.col("recipe") == "bandit")
            & (pl.col("recipe.gap") == gap)
            & (pl.col("actions") == 5)
            & (pl.col("policy") == "greedy")
            & (pl.col("horizon") == 50)  # the longest
        ).to_dicts()
        assert line.mean[k] == row["mean_regret"]
        assert line.high[k] == row["mean_regret"] + NORMAL * row["standard_error"]
        assert line.low[k] == row["mean_regret"] - NORMAL * row["standard_error"]
    assert len(lines) == 4 * 2 + 1  # the cycle has one gap, and only greedy can run there


def test_a_parameter_of_the_policy_and_the_horizon_are_axes_too(study: Loaded) -> None:
    frame = study.to_frame(bounds=False)
    lines = sweep(frame, "policy.exploration", horizon=20).lines
    assert len(lines) == 6
    assert all(line.x.tolist() == [0.5, 1, 2] for line in lines)
    assert lines[0].name == "ucb-n, actions = 3, gap = 0.1"
    (first, *_) = sweep(frame, "horizon").lines
    assert first.x.tolist() == [20, 50]


@pytest.mark.parametrize(
    ("against", "more", "says"),
    [
        ("gap", {}, "no column 'gap' to draw against; .*recipe.gap"),
        ("policy", {}, "no column 'policy'"),
        ("mean_regret", {}, "no column 'mean_regret'"),
        ("recipe.sigma", {}, "recipe.sigma has one value in these races"),
        ("recipe.gap", {"horizon": 30}, "no race over 30 rounds; horizons here: 20, 50"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    study: Loaded, against: str, more: dict[str, Any], says: str
) -> None:
    with pytest.raises(sl.InputError, match=says):
        study.plot(against, **more)


def test_two_races_at_one_value_are_refused() -> None:
    races = [sl.simulate(sl.gallery("bandit"), "greedy", T, 2, seed=s) for T, s in ((9, 1), (9, 2))]
    longer = sl.simulate(sl.gallery("bandit"), "greedy", 20, 2)
    with pytest.raises(sl.InputError, match="two races have the same horizon"):
        Loaded({}, (*races, longer), ()).plot("horizon")


def test_the_figure_has_a_line_and_a_name_for_each(study: Loaded, tmp_path: Path) -> None:
    found = sweep(study.to_frame(bounds=False), "recipe.gap")
    figure = draw(found)
    (ax,) = figure.axes
    assert [line.get_label() for line in ax.get_lines()] == [line.name for line in found.lines]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recipe.gap", "mean regret after 50 rounds")
    assert ax.get_xscale() == "linear"
    save_figure(study.plot("recipe.gap"), tmp_path / "gap.svg")
    assert "recipe.gap" in to_svg(study.plot("recipe.gap"))
    assert (tmp_path / "gap.svg").stat().st_size > 1000


def test_wide_ranges_stand_on_a_log_axis() -> None:
    races = [sl.simulate(sl.gallery("bandit"), "greedy", T, 2) for T in (10, 1000)]
    assert Loaded({}, tuple(races), ()).plot("horizon").axes[0].get_xscale() == "log"
