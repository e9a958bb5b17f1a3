"""Worst cases on the page of the suite: what is searched, kept, and said."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sidelight as sl
from commands import Command
from sidelight.suite import Found, ratios_to_lower, searched, searches, to_markdown
from sidelight.suite.cells import SEED
from sidelight.suite.searches import MAIN


def test_every_small_feedback_is_searched_once() -> None:
    recipes = ["bandit", "bandit:gap=0.02", "revealing", "revealing-tie", "cliques", "social"]
    planned = list(searches(recipes))
    usual = {search.recipe for search in planned if search.horizon == 10**4}
    assert usual == {"bandit", "revealing"}
    assert {search.policy.name for search in planned} == set(MAIN)
    assert {search.policy.name for search in planned if search.horizon == 10**5} == {"ids"}
    on = {recipe: {x.policy.name for x in planned if x.recipe == recipe} for recipe in usual}
    assert on["bandit"] == set(MAIN)
    assert not {"ts-n", "ucb-n", "index"} & on["revealing"]


def test_a_finished_search_is_not_made_again(tmp_path: Path) -> None:
    planned = list(searches(["apple-tasting"], {100: ["greedy", "uniform"]}, runs=200))
    seen: list[tuple[int, int]] = []
    first = searched(planned, tmp_path, lambda *state: seen.append(state))
    assert seen == [(0, 2), (1, 2)]
    kept = {path: path.stat().st_ino for path in (tmp_path / "searches").iterdir()}
    assert searched(planned, tmp_path, print) == first
    assert kept == {path: path.stat().st_ino for path in (tmp_path / "searches").iterdir()}
    for path in kept:
        path.write_text("{}")
    assert searched(planned, tmp_path, print) == first
    found = sl.worst_case("greedy", sl.gallery("apple-tasting").feedback, 1.0, 100, SEED, 200)
    assert (first[0].value, first[0].error) == (found.value, found.error)
    lower = sl.bounds.minimax_computed(sl.gallery("apple-tasting").feedback, 1.0, 100).value
    assert first[0].ratio == found.value / lower


def test_worst_cases_on_the_page_and_in_the_figure() -> None:
    found = [
        Found("bandit", "ids", 10**4, 2000, 200.0, 5.0, 100.0),
        Found("bandit", "ts-n", 10**4, 2000, 300.0, 5.0, 100.0),
        Found("revealing", "ids", 10**4, 2000, 90.0, 10.0, 100.0),
        Found("bandit", "ids", 10**5, 2000, 600.0, 30.0, 300.0),
    ]
    page = to_markdown([], "the command", found)
    assert "## Worst cases, T = 10,000" in page
    assert "| feedback of | lower bound | ids | ts-n |" in page
    assert "| bandit | 100 | 2.00 ± 0.05 | 3.00 ± 0.05 |" in page
    assert "| revealing | 100 | 0.90 ± 0.10 | - |" in page
    assert "| bandit | 300 | 2.00 ± 0.10 |" in page
    names, policies, table = ratios_to_lower(found)
    assert names == ["bandit, 1e4", "revealing, 1e4", "bandit, 1e5"]
    assert policies == ["ids", "ts-n"]
    assert table[0].tolist() == [2, 3]
    assert np.isnan(table[1:, 1]).all()


def test_the_command_searches_where_it_is_asked_to(sidelight: Command, tmp_path: Path) -> None:
    one = ("--problem", "apple-tasting", "-p", "greedy", "--quick", "--worst-cases")
    assert sidelight("suite", *one, "--out", tmp_path).code == 0
    assert "## Worst cases, T = 1,000" in (tmp_path / "suite.md").read_text()
    assert (tmp_path / "worst_cases.svg").read_text().startswith("<?xml")
