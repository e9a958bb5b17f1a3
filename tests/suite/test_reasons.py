"""The page of the repository: its counts are quoted, and every race not passed has its reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sidelight.suite.cells import RECIPES
from sidelight.suite.reasons import REASONS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "benchmarks" / "suite.md").read_text()


def rows(recipe: str, horizon: int) -> dict[str, tuple[int, float]]:
    """Runs and mean of each policy without a star, in one race of the page."""
    found = PAGE.partition(f"\n## {recipe}, T = {horizon:,}\n")[2].partition("\n## ")[0]
    lines = [row.strip("| ").split(" | ") for row in found.splitlines() if row.startswith("| ")]
    return {
        row[0].strip("*"): (int(row[1]), float(row[2].replace(",", "")))
        for row in lines[1:]
        if not row[0].endswith("*") or row[0].startswith("**")
    }


def means(recipe: str, horizon: int) -> dict[str, float]:
    """The mean of each policy without a star, in one race of the page."""
    return {policy: mean for policy, (_, mean) in rows(recipe, horizon).items()}


@pytest.mark.parametrize("recipe", [r for r in RECIPES if f"\n## {r}, T = " in PAGE])
def test_the_default_and_its_best_rival_have_300_runs(recipe: str) -> None:
    for horizon in (10**4, 10**5):
        runs = {policy: count for policy, (count, _) in rows(recipe, horizon).items()}
        losses = means(recipe, horizon)
        best = min(losses.keys() - {"ids"}, key=lambda x: losses[x])
        assert runs["ids"] == runs[best] == 300


def test_the_reasons_on_apple_tasting_are_the_page_s_numbers() -> None:
    best, gap = (REASONS[f"apple-tasting:{x}", 10_000] for x in ("best=0", "gap=0.05"))
    times = []
    for horizon in (10_000, 100_000):
        here, there = (means(f"apple-tasting:{x}", horizon) for x in ("best=0", "gap=0.05"))
        lost = [there[name] for name, mean in here.items() if mean < here["ids"]]
        assert len(lost) >= 6
        times.append(min(lost) / there["ids"])
        assert f"between {min(lost):,g} and {max(lost):,g} (ids {there['ids']:g})" in best
    assert f"at least {min(times):.1f} times" in best
    assert f"asymptotic-sigma loses {there['asymptotic-sigma']} and ids {there['ids']}" in gap


def test_the_other_reasons_are_the_page_s_numbers() -> None:
    turned = 0
    for (recipe, _), why in REASONS.items():
        for rival, theirs, ours in re.findall(r"([\w-]+) loses (\d[\d,]*) and ids (\d[\d,]*)", why):
            found = means(recipe, 100_000)
            assert (f"{found[rival]:,.0f}", f"{found['ids']:,.0f}") == (theirs, ours)
            turned += 1
    assert turned >= 3
    judges = means("judges", 10_000)
    times = [f"{judges[rival] / judges['ids']:.1f}" for rival in ("ossb", "ids-pm")]
    why = REASONS["judges:means=0.979 0.989 1 0.979", 10_000]
    assert f"they lose {' and '.join(times)} times as much" in why


def test_the_reasons_on_newcomers_are_the_page_s_numbers() -> None:
    """Who plays the new action for no reason, or leaves it out, pays on the other problem."""
    good, bad = "newcomer", "newcomer:means=0.7 0.7 0.62 0.6"
    for here, there in ((good, bad), (bad, good)):
        why = REASONS[here, 10_000]
        [(rival, times)] = re.findall(r"([\w-]+) loses ([\d.]+) times as much as ids", why)
        losses, other = means(here, 10_000), means(there, 10_000)
        assert losses[rival] == min(losses.values())
        assert times == f"{other[rival] / other['ids']:.1f}"


def test_every_race_not_passed_has_its_reason() -> None:
    failed = PAGE.partition("The races not passed:\n\n")[2].partition("\n\n## ")[0].splitlines()
    for recipe, horizon in REASONS:
        assert any(text.startswith(f"- {recipe}, T = {horizon:,}: ") for text in failed)
    assert len(failed) == len(REASONS)
    assert all("(why, in the whole suite: " in text for text in failed)


def test_a_reason_speaks_of_the_rival() -> None:
    beaten = re.findall(r"times that of ([\w-]+)[^(]* \(why, in the whole suite: (.*)\)\n", PAGE)
    assert len(beaten) == len(REASONS) - 4  # where a rival loses nothing there is no ratio
    for rival, why in beaten:
        assert rival in why.split()


def test_the_page_of_the_default_quotes_the_count() -> None:
    page = ROOT / "docs" / "explanation" / "default_policy.md"
    said = " ".join(page.read_text().split())
    passed, judged = PAGE.partition("`ids` passes ")[2].partition(" races")[0].split(" of ")
    assert f"`ids` passes {passed} of {judged} races" in said
    without = int(re.findall(r"Without it (\d+) more would not be passed", PAGE)[0])
    assert f"among the rivals it would be {int(passed) - without}." in said
    usual = PAGE.partition("where all policies play, it is ")[2].partition(".\n")[0]
    assert re.fullmatch(r"\d+ of \d+", usual)
    assert f"({usual} in which all policies play)" in said
