"""Races whose policies do not know when they end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import sidelight as sl
from races import Turns
from sidelight.report.again import obstacles
from sidelight.simulate.joining import join

PROBLEM = sl.gallery("dosing")


def raced(known: bool, *policies: object) -> sl.Results:
    return sl.simulate(PROBLEM, policies or ["ids"], 400, 3, seed=2, known_horizon=known)


def test_what_is_not_told_is_not_known() -> None:
    """`ids` explores less towards a horizon that it knows."""
    told, untold = raced(True), raced(False)
    assert told.horizon == untold.horizon == 400
    assert told.plays.tolist() != untold.plays.tolist()
    assert untold.plays.sum() == told.plays.sum() == 3 * 400


def test_an_object_of_the_caller_is_never_told() -> None:
    assert raced(True, Turns()).plays.tolist() == raced(False, Turns()).plays.tolist()


def test_results_say_it_only_where_it_is_so(tmp_path: Path) -> None:
    assert "known_horizon" not in raced(True).provenance
    untold = raced(False)
    untold.save(tmp_path / "race.parquet")
    again = sl.Results.load(tmp_path / "race.parquet")
    assert again.provenance["known_horizon"] is False
    assert "ids: was not told the horizon" in str(again.table())
    wrong = replace(untold, provenance={**untold.provenance, "known_horizon": True})
    with pytest.raises(sl.InputError, match="known_horizon is not as a race writes it"):
        wrong.save(tmp_path / "wrong.parquet")


def test_such_races_are_not_mixed_up_with_others() -> None:
    told, untold = raced(True, "greedy"), raced(False, "ids")
    with pytest.raises(sl.InputError, match="known to all policies, or to none"):
        join([told, untold])
    both = join([raced(False, "greedy"), untold])
    assert both.provenance["known_horizon"] is False
    assert obstacles([untold], study=False) == ["the policies did not know the horizon"]
    assert obstacles([raced(True)], study=False) == []
