"""The suite: what is raced, that finished cells are found again, and what the page says."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sidelight as sl
from commands import Command
from latex import check
from races import accepts, ready
from sidelight.gallery import from_recipe
from sidelight.policies import registry
from sidelight.simulate import Results, storage
from sidelight.simulate.statistics import short
from sidelight.study import Cell
from sidelight.suite import (
    Line,
    Panel,
    cells,
    growth,
    panel,
    ratios,
    to_markdown,
)
from sidelight.suite.cells import (
    FAST,
    HORIZONS,
    LONGEST,
    RECIPES,
    as_told,
    contenders,
    is_fair,
    shuffled,
    with_gap,
)

CHEAP = ("greedy", "uniform")


def some(horizon: int = 50, replicates: int = 4) -> list[Cell]:
    return list(cells(["bandit", "revealing"], [horizon], replicates, CHEAP))


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


def test_a_gap_is_told_in_parts_of_the_range() -> None:
    problem = sl.gallery("promotions")
    assert problem.upper != 1
    told = with_gap(registry.parse("eps-greedy-lp"), problem).parameters["gap"]
    assert told * problem.upper == pytest.approx(problem.gaps[problem.gaps > 0].min())


def test_only_what_can_run_is_raced_and_a_gap_is_told() -> None:
    found = {str(cell.policy) for cell in cells(["revealing:gap=0.1"], [100], 2)}
    assert {"ids", "greedy", "eps-greedy-lp:gap=0.1"} <= found
    assert not {"ucb-n", "ts-n"} & found


def test_every_policy_races_on_every_problem_where_it_can() -> None:
    for recipe in ("social", "bandit"):
        raced = {T: {cell.policy.name for cell in cells([recipe], [T], 2)} for T in (10**3, 10**5)}
        all_ = {name for name in registry.names() if accepts(ready(name), sl.gallery(recipe))}
        assert raced[10**3] == all_ >= {"v-ids", "asymptotic-sigma", "exp3-wix"}
        assert raced[10**5] == (all_ if recipe == "bandit" else all_ - set(LONGEST))


def test_with_many_actions_slow_policies_play_short_races() -> None:
    longest = {
        policy: max(cell.horizon for cell in cells(["social"], HORIZONS, 2, [policy]))
        for policy in ("ids", "asymptotic-sigma", "ts-n", "ucb-n", "greedy", "exp3-wix")
    }
    assert longest.pop("exp3-wix") == 10**4
    assert set(longest.values()) == {10**5}
    assert not list(cells(["social"], HORIZONS, 2, ["v-ids"]))
    assert list(cells(["cliques"], HORIZONS, 2, ["v-ids"]))


def test_a_million_rounds_are_for_a_few() -> None:
    assert {str(cell.policy) for cell in cells(["bandit"], [10**6], 300)} == FAST
    named = ["ids:guard=0", "ts-n:prior=1"]
    assert [str(cell.policy) for cell in cells(["bandit"], [10**6], 300, named)] == named
    assert not list(cells(["social"], [10**6], 300))


def test_what_is_told_or_may_be_linear_is_no_rival() -> None:
    names = ["ids", "ts-n", "greedy", "oracle-lp", "eps-greedy-lp"]
    fair = {
        cell.policy.name: is_fair(cell.policy, cell.problem, 100)
        for cell in cells(["bandit"], [100], 2, names)
    }
    assert [fair[name] for name in names] == [True, True, False, False, False]


# ---- the page ------------------------------------------------------------------------------------


def line(policy: str, mean: float, q95: float, error: float = 0.1) -> Line:
    return Line(policy, policy != "oracle-lp", 300, mean, error, q95, q95, q95)


def example(*lines: Line, horizon: int = 100) -> Panel:
    return Panel("bandit", 5, horizon, 2.0, lines)


def head(*panels: Panel) -> str:
    """All before the first race, in one line."""
    return " ".join(to_markdown(panels, "the command").partition("\n## ")[0].split())


@pytest.mark.parametrize(
    ("own", "verdict"),
    [
        (line("ids", 11, 20), ""),
        (line("ids", 12, 20), "mean 1.20 times that of ts-n"),
        (line("ids", 12, 20, error=1), ""),  # 1.99 standard errors
        (line("ids", 12, 20, error=0.98), "mean 1.20 times that of ts-n"),  # 2.03
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
    assert "passes 0 of 1 races" in page
    assert "- bandit, T = 100: mean 2.00 times that of ts-n" in page
    means = [results.regret[0, :, -1].mean() for _, results in raced[:2]]
    assert panels[0].lines[0].mean == min(means)


def test_growth_is_between_races_of_their_own() -> None:
    # The regret of `stops` is linear in T, though in each run it is all lost in the first tenth.
    short, long, later = (
        example(line("ids", 10, 1), line("stops", regret, 1), horizon=horizon)
        for horizon, regret in ((100, 30.0), (1_000, 300.0), (2_000, 600.0))
    )
    panels = [short, long, later, replace(short, recipe="trap")]
    assert [growth(panels, long, x) for x in long.lines] == [0, pytest.approx(1)]
    for none in (short, later, replace(long, recipe="labs")):
        assert all(np.isnan(growth(panels, none, x)) for x in none.lines)
    nothing = example(line("ids", 0, 0), line("new", 1, 1), horizon=1_000)
    assert all(np.isnan(growth([short, nothing], nothing, x)) for x in nothing.lines)
    rows = [row for row in to_markdown(panels, "").splitlines() if row.startswith("| stops")]
    assert [row.split(" | ")[-2] for row in rows] == ["-", "1", "-", "-"]


def test_a_race_without_a_rival_is_not_counted() -> None:
    won = example(line("ids", 10, 9), line("ts-n", 20, 9))
    alone = example(line("ids", 10, 9), line("oracle-lp", 20, 9), horizon=200)
    said = head(won, alone)
    assert "passes 1 of 1 races" in said
    assert "Not counted, for want of `ids` or of a rival without a star: bandit, T = 200." in said
    assert "Not counted" not in head(won)


def test_a_far_tail_is_told_where_the_race_is_passed() -> None:
    best = line("ts-n", 10, 9)
    heavy = replace(line("ids", 10, 9), q99=18.0)
    failed = replace(line("ids", 20, 9), q99=18.0)
    said = head(example(heavy, best), example(line("ids", 10, 9), best), example(failed, best))
    assert "In 1 of the races passed it is more than 1.5 times that policy's: bandit" in said
    assert "T = 100 (2.00)." in said
    assert "99 % quantile" not in head(example(failed, best))


def test_the_head_counts_replicates() -> None:
    few = replace(line("ucb-n", 30, 9), runs=100)
    own = line("ids", 10, 9)
    said = head(example(own, few))
    assert "Every policy plays 100 replicates; those whose mean over these is at most 2" in said
    assert "and `ids`, play 300. A difference" in said
    quick = head(example(*(replace(x, runs=20) for x in (own, few))))
    assert "Every policy plays 20 replicates. A difference" in quick


def test_the_head_says_who_is_too_slow_for_many_actions() -> None:
    own = replace(example(line("ids", 10, 9), horizon=10**5), actions=100)
    said = head(own)
    assert "with more than 50 actions `v-ids` play none over 1,000 rounds, `ao-ids`, " in said
    assert "and `ids-pm` play none over 10,000 rounds: their rounds are slow" in said
    assert "`ids-pm`" not in head(replace(own, horizon=10**4))
    assert "their rounds are slow" not in head(replace(own, actions=50))


def test_the_head_says_who_was_left_out() -> None:
    own = line("ids", 10, 9)
    assert "only" not in head(example(own))
    said = head(example(own, horizon=10**5), example(own, horizon=10**6))
    assert "From 1,000,000 rounds on only `ids`, `minimax`, `ts-n` and `ucb-n` play" in said
    assert "on 1 of the 1 problems." in said
    won, lost = line("ts-n", 20, 9), line("ts-n", 5, 9)
    both = example(own, lost, horizon=10**5), example(own, won, horizon=10**6)
    assert "where all policies play, it is 0 of 1." in head(*both)
    assert "where all policies play" not in head(*both[:1])


def test_what_is_asked_for_twice_is_raced_once() -> None:
    twice = cells(["bandit", "bandit"], [100, 100], 2, ["greedy", " greedy"])
    assert [str(cell.policy) for cell in twice] == ["greedy"]


def test_without_a_fair_policy_nothing_is_near_the_best() -> None:
    p = example(line("oracle-lp", 10, 1))
    assert np.isnan(p.ratio(p.lines[0]))


def test_the_page_says_what_the_original_of_the_default_decides() -> None:
    p = example(line("ids", 10, 30), line("v-ids", 10, 30), line("ts-n", 20, 10))
    assert p.verdict() == ""
    assert p.without("v-ids").verdict() == "95 % quantile 3.00 times that of ts-n"
    page = to_markdown([p], "sidelight suite")
    assert "Without it 1 more would not be passed: bandit, T = 100 (95 % quantile 3.00" in page


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


def test_the_rows_of_the_page_in_csv_and_latex(sidelight: Command, tmp_path: Path) -> None:
    arguments = ("suite", "--problem", "bandit", "-p", "greedy", "-p", "uniform", "-T", 50, "-n", 3)
    done = sidelight(*arguments, "--out", tmp_path, "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["problem"], row["policy"], row["runs"]) for row in rows] == [
        ("bandit", "greedy", "3"),
        ("bandit", "uniform", "3"),
    ]
    page = (tmp_path / "suite.md").read_text()
    assert all(f"| {short(float(row['mean']))} |" in page for row in rows)
    check(sidelight(*arguments, "--out", tmp_path, "--latex").out)
    wrong = sidelight(*arguments, "--out", tmp_path / "new", "--latex", "--csv")
    assert (wrong.code, wrong.out, (tmp_path / "new").exists()) == (2, "", False)


def test_quick(sidelight: Command, tmp_path: Path) -> None:
    policies = ("-p", "greedy", "-p", "uniform")
    done = sidelight("suite", "--quick", "-T", 50, *policies, "--out", tmp_path)
    assert done.code == 0
    page = (tmp_path / "suite.md").read_text()
    assert page.count("\n## ") == 3
    assert "Every policy plays 20 replicates." in page


def test_what_was_named_and_cannot_run_is_refused(sidelight: Command, tmp_path: Path) -> None:
    short = ("suite", "-T", 50, "-n", 3, "--out", tmp_path)
    wrong = sidelight(*short, "--problem", "bandit", "-p", "ids:refresh=2")
    assert (wrong.code, "ids:refresh=2 must lie between" in wrong.err) == (2, True)
    unfit = sidelight(*short, "--problem", "revealing", "-p", "ts-n")
    assert (unfit.code, "nothing to race" in unfit.err) == (2, True)


def test_parameters_are_part_of_the_name() -> None:
    told = ["greedy", "eps-greedy-lp", "eps-greedy-lp:c=2", "eps-greedy-lp:gap=0.3", "ids:guard=0"]
    raced = list(cells(["bandit"], [50], 2, told))
    assert len({cell.policy for cell in raced}) == len(told)
    assert [as_told(cell.policy, cell.problem) for cell in raced] == told


def test_an_unknown_recipe_says_what_to_do(sidelight: Command, tmp_path: Path) -> None:
    done = sidelight("suite", "--problem", "bandits", "--out", tmp_path)
    assert done.code == 2
    assert "did you mean 'bandit'" in done.err


def test_the_default_and_who_is_near_the_best_play_more() -> None:
    planned = list(cells(["bandit"], [100], 2, ["ids", "uniform", "greedy", "ts-n"]))
    results = Results(**storage.from_bytes(planned[1].compute()))

    def lost(regret: float) -> Results:
        evenly = regret * results.checkpoints / results.horizon
        return replace(results, regret=np.broadcast_to(evenly, results.regret.shape))

    raced = list(zip(planned, map(lost, (50, 25, 15, 10)), strict=True))
    near = [str(cell.policy) for cell in contenders(raced)]
    assert near == ["ids", "greedy", "ts-n"]  # greedy is compared with nobody, but near
