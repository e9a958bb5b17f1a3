"""The suite: what is raced, that finished cells are found again, and what the page says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from commands import Command
from sidelight.gallery import from_recipe
from sidelight.simulate import Results, storage
from sidelight.study import Cell
from sidelight.suite import Line, Panel, cells, panel, ratios, to_markdown
from sidelight.suite.cells import RECIPES, contenders, is_fair, name_of, shuffled

FAST = ("greedy", "uniform")


def some(horizon: int = 100, replicates: int = 4) -> list[Cell]:
    return list(cells(["bandit", "revealing"], [horizon], replicates, FAST))


# ---- cells ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPES)
def test_shuffling_keeps_the_problem(recipe: str) -> None:
    problem = from_recipe(recipe)
    turned = shuffled(problem, recipe)
    assert sorted(turned.means) == sorted(problem.means)
    for label in list(problem.feedback.labels)[:5]:
        i, j = problem.feedback.index(label), turned.feedback.index(label)
        assert problem.means[i] == turned.means[j]
        assert sorted(problem.feedback.variance[i]) == sorted(turned.feedback.variance[j])
    assert np.array_equal(shuffled(problem, recipe).means, turned.means)


def test_the_best_action_stands_anywhere() -> None:
    places = [shuffled(from_recipe(r), r).means.argmax() for r in RECIPES]
    assert len(set(places)) > 4


def test_only_what_can_run_is_raced_and_a_gap_is_told() -> None:
    found = {cell.policy for cell in cells(["revealing:gap=0.1"], [100], 2)}
    assert {"ids", "greedy", "eps-greedy-lp:gap=0.1"} <= found
    assert not {"ucb-n", "ts-n"} & found


def test_large_problems_leave_out_what_is_slow() -> None:
    assert "v-ids" not in {cell.policy for cell in cells(["social"], [100], 2)}
    assert "v-ids" not in {cell.policy for cell in cells(["bandit"], [100_000], 2)}


def test_what_is_told_or_may_be_linear_is_no_rival() -> None:
    names = ["ids", "ts-n", "greedy", "oracle-lp", "eps-greedy-lp"]
    fair = {
        name_of(cell.policy): is_fair(cell.policy, cell.problem, 100)
        for cell in cells(["bandit"], [100], 2, names)
    }
    assert [fair[name] for name in names] == [True, True, False, False, False]


# ---- the page ------------------------------------------------------------------------------------


def line(policy: str, mean: float, q95: float, error: float = 0.1) -> Line:
    return Line(policy, policy != "oracle-lp", 300, mean, error, q95, q95, q95, 0.5)


def example(*lines: Line) -> Panel:
    return Panel("bandit", 5, 100, 2.0, lines)


@pytest.mark.parametrize(
    ("own", "verdict"),
    [
        (line("ids", 11, 20), ""),
        (line("ids", 12, 20), "mean 1.20 times that of ts-n"),
        (line("ids", 12, 20, error=5), ""),  # within two standard errors
        (line("ids", 11, 31), "95 % quantile 1.55 times that of ts-n"),
        (line("ids", 5, 10), ""),
    ],
)
def test_the_verdict(own: Line, verdict: str) -> None:
    told = line("oracle-lp", 1, 1)
    assert example(told, own, line("ts-n", 10, 20), line("ucb-n", 15, 9)).verdict() == verdict


def test_nothing_over_nothing_is_one() -> None:
    p = example(line("ids", 0, 0), line("ts-n", 0, 0), line("ucb-n", 1, 1))
    assert p.verdict() == ""
    assert [p.ratio(x) for x in p.lines] == [1, 1, np.inf]


def test_the_page_has_every_row_and_what_fails() -> None:
    raced = [(cell, Results(**storage.from_bytes(cell.compute()))) for cell in some()]
    panels = [panel(raced[:2]), panel(raced[2:])]
    page = to_markdown([*panels, example(line("ids", 20, 9), line("ts-n", 10, 9))], "the command")
    assert page.count("| greedy* |") == 2
    assert "Made by `the command`" in page
    assert "passes 2 of 3 rows" in page
    assert "- bandit, T = 100: mean 2.00 times that of ts-n" in page
    means = [results.regret[0, :, -1].mean() for _, results in raced[:2]]
    assert panels[0].lines[0].mean == min(means)


def test_ratios_have_nan_where_a_policy_cannot_run() -> None:
    p = example(line("ids", 10, 1), line("ts-n", 20, 1))
    q = example(line("ids", 10, 1), line("minimax", 5, 1))
    problems, policies, table = ratios([p, q])
    assert problems == ["bandit, 1e2", "bandit, 1e2"]
    assert policies[0] == "ids"
    assert np.isnan(table).sum() == 2
    assert table[1, policies.index("ids")] == 2


def test_the_command_writes_page_and_figure_and_goes_on(sidelight: Command, tmp_path: Path) -> None:
    arguments = ("suite", "--problem", "bandit", "-p", "greedy", "-p", "uniform", "-T", 50, "-n", 3)
    done = sidelight(*arguments, "--out", tmp_path)
    assert done.code == 0
    assert "## bandit, T = 50" in (tmp_path / "suite.md").read_text()
    assert (tmp_path / "suite.svg").read_text().startswith("<?xml")
    kept = {path: path.stat().st_ino for path in (tmp_path / "cells").iterdir()}
    assert len(kept) == 2
    assert sidelight(*arguments, "--out", tmp_path).code == 0
    assert kept == {path: path.stat().st_ino for path in (tmp_path / "cells").iterdir()}


def test_an_unknown_recipe_says_what_to_do(sidelight: Command, tmp_path: Path) -> None:
    done = sidelight("suite", "--problem", "bandits", "--out", tmp_path)
    assert done.code == 2
    assert "did you mean 'bandit'" in done.err


def test_the_default_and_who_is_near_the_best_play_more() -> None:
    planned = list(cells(["bandit"], [100], 2, ["ids", "uniform", "greedy", "ts-n"]))
    results = Results(**storage.from_bytes(planned[1].compute()))

    def lost(regret: float) -> Results:
        return replace(results, regret=np.full_like(results.regret, regret))

    raced = list(zip(planned, map(lost, (50, 25, 15, 10)), strict=True))
    near = [cell.policy for cell in contenders(raced)]
    assert near == ["ids", "greedy", "ts-n"]  # greedy is compared with nobody, but near
