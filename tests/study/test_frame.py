"""The frame of a study: every row is that of its race, and every parameter has its column."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import sidelight as sl
from sidelight.study import Threads, run
from sidelight.study.frame import frame, planned
from sidelight.study.loading import Loaded
from studies import small

COLUMNS = [
    "problem",
    "recipe",
    "recipe.actions",
    "recipe.gap",
    "recipe.sigma",
    "actions",
    "policy",
    "rule",
    "policy.exploration",
    "horizon",
    "seed",
    "replicates",
    "delay",
    "mean_regret",
    "standard_error",
    "median",
    "q05",
    "q95",
    "q99",
    "most",
]


def test_every_row_has_the_parameters_and_numbers_of_its_race(tmp_path: Path) -> None:
    outcome = run(small(tmp_path), tmp_path / "out", Threads(1))
    found = frame(outcome.races, bounds=False)
    assert found.columns == COLUMNS
    rows = found.to_dicts()
    expected = [(race, row) for race in outcome.races for row in race.table().rows]
    assert len(rows) == len(expected)
    for mine, (race, row) in zip(rows, expected, strict=True):
        recipe, _, rest = race.problem.name.partition(":")
        assert (mine["problem"], mine["recipe"]) == (race.problem.name, recipe)
        assert mine["recipe.actions"] == mine["actions"] == len(race.problem)
        assert (mine["recipe.gap"], mine["recipe.sigma"]) == (0.1, 1.0)  # defaults
        assert (mine["horizon"], mine["seed"], mine["replicates"]) == (race.horizon, 3, 6)
        given = row.policy.partition("exploration=")[2]
        assert mine["policy.exploration"] == (float(given) if given else None)
        assert mine["rule"] == row.policy.partition(":")[0]
        assert (mine["mean_regret"], mine["standard_error"]) == (row.mean, row.error)
        for key in ("median", "q05", "q95", "q99", "most"):
            assert mine[key] == getattr(row, key)
        assert rest in ("", "actions=3", "actions=5")


def test_a_plan_has_the_columns_of_its_results(tmp_path: Path) -> None:
    study = small(tmp_path)
    done = frame(run(study, tmp_path / "out", Threads(1)).races, bounds=False)
    plan = planned(study)
    facts = [name for name in COLUMNS if name in plan.columns]
    assert {"recipe.actions", "policy.exploration", "horizon", "mean_regret"} <= set(facts)
    made_of = [name for name in facts if name in COLUMNS[:10]]
    assert plan.select(made_of).equals(done.select(made_of))


def test_bounds_are_those_of_the_library() -> None:
    problem = sl.gallery("bandit", actions=3)
    race = sl.simulate(problem, "uniform", 1000, 2, seed=1)
    (row,) = frame([race]).to_dicts()
    general, finite = sl.curves(problem, [1000], names=("general", "finite_time"))
    assert row["bound.general"] == general.values[0] > 0
    assert row["bound.finite_time"] == finite.values[0]
    minimax = sl.bounds.minimax(problem.feedback, 1.0, 1000)
    assert row["bound.minimax"] == minimax.value
    assert frame([race]).columns[-3:] == ["bound.finite_time", "bound.general", "bound.minimax"]


def test_drawn_means_have_no_bounds_and_single_runs_no_error() -> None:
    known = sl.Problem(sl.Feedback.bandit(2), [0.5, 0.4], errors=[0.1, 0.1])
    race = sl.simulate(known, "greedy", 20, 1, seed=1, means="posterior")
    (row,) = frame([race]).to_dicts()
    assert row["bound.general"] is row["standard_error"] is row["recipe"] is None


@pytest.mark.parametrize("name", ["bandit:gap=0.3", "bandit:gap=much", "bandit:", "shop"])
def test_a_name_is_not_believed_to_be_a_recipe(name: str) -> None:
    """A problem of a file may have any name."""
    problem = replace(sl.gallery("bandit"), name=name)
    found = frame([sl.simulate(problem, "greedy", 20, 2)], bounds=False)
    assert found["recipe"].to_list() == [None]
    assert not [column for column in found.columns if column.startswith("recipe.")]


def test_a_recipe_is_known_by_its_problem() -> None:
    problem = replace(sl.gallery("star", hub_gap=0.2), name="star:hub_gap=0.2")
    found = frame([sl.simulate(problem, "greedy", 20, 2)], bounds=False)
    assert found["recipe.hub_gap"].to_list() == [0.2]
    assert found["recipe"].to_list() == ["star"]


def test_joined_seeds_and_delays_are_said() -> None:
    races = [sl.simulate(sl.gallery("bandit"), "greedy", 20, 2, seed=s, delay=3) for s in (1, 2)]
    found = Loaded({}, (sl.join(races), races[0]), ()).to_frame(bounds=False)
    assert found["seed"].to_list() == [None, 1]
    assert found["replicates"].to_list() == [4, 2]
    assert found["delay"].to_list() == ["fixed:3", "fixed:3"]
    assert isinstance(found, pl.DataFrame)
