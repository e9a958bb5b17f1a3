"""What objects look like in a notebook: short as text, escaped as HTML, nothing from outside."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from commands import Command
from elements import Reader
from reports import made
from sidelight import cards
from sidelight.styles import look

EVIL = "<script>alert('x')</script>\"&\u202e"
HIDDEN = sl.Feedback([[1.0, np.inf], [1.0, 4.0]], labels=[EVIL, "b"])
PROBLEM = sl.Problem(HIDDEN, [0.3, 0.7], name=EVIL, errors=[0.1, 0.2])
ANALYSIS = sl.analyze(PROBLEM, 1e3)
RACE = made(PROBLEM, {EVIL: 5.0, "ids": 4.0}, remarks={EVIL: [EVIL]})
SHOWN: dict[str, Any] = {
    "Feedback": HIDDEN,
    "Setting": PROBLEM.setting,
    "Problem": PROBLEM,
    "Structure": sl.structure(HIDDEN),
    "weak structure": sl.structure(sl.gallery("dosing").feedback),
    "Bound": ANALYSIS.bounds["general"],
    "no bound": sl.bounds.graves_lai(sl.Problem(HIDDEN, [0.5, 0.5])),
    "Table": RACE.table(),
    "Results": RACE,
    "Analysis": ANALYSIS,
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_card_is_escaped_and_asks_for_nothing(name: str) -> None:
    page = SHOWN[name]._repr_html_()
    read = Reader(page)
    assert read.open == []
    tags = {tag for tag, _ in read.found}
    assert {"div", "table", "caption"} <= tags
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert "alert('x')" not in page
    assert "\u202e" not in page
    for _, given in read.found:
        assert not {"src", "href"} & set(given)
        assert not any(key.startswith("on") for key in given)
    assert not re.search(r"https?:|@import|url\(", page)


@pytest.mark.parametrize("name", SHOWN)
def test_a_repr_is_one_short_line(name: str) -> None:
    text = repr(SHOWN[name])
    assert "\n" not in text
    assert len(text) <= 200
    assert text.startswith("<")


def test_other_reprs_are_short_too() -> None:
    found = [*ANALYSIS.bounds.values(), *ANALYSIS.guarantees.values()]
    assert ANALYSIS.sandwich is not None
    others = [ANALYSIS.sandwich, *found, *(bound.certificate for bound in found)]
    for item in others:
        assert len(repr(item)) <= 200
        assert "\n" not in repr(item)


def test_reprs_stay_short_with_many_actions() -> None:
    many = sl.Feedback.bandit(200)
    found = sl.structure(many)
    learner = sl.Learner(many, policy="greedy", horizon=100, seed=1)
    learner.tell(learner.ask().id, {0: 0.5})
    items = [
        found,
        found.independence,
        found.effective_independence,
        sl.coverage(many, range(200), range(200)),
        sl.curves(sl.gallery("dosing"), range(10, 60), names=["minimax"])[0],
        learner.verdict(),
        learner.diagnose(),
        learner,
    ]
    for item in items:
        assert len(repr(item)) <= 200
        assert "\n" not in repr(item)


def test_cards_hold_the_numbers() -> None:
    assert "<td>2</td>" in HIDDEN._repr_html_()  # the root of 4
    assert "<td>0.4</td>" in PROBLEM._repr_html_()  # the gap
    assert "{test}" not in SHOWN["weak structure"]._repr_html_()
    assert ">test</td>" in SHOWN["weak structure"]._repr_html_()
    assert "none here" in SHOWN["no bound"]._repr_html_()
    for part in (ANALYSIS.bounds, ANALYSIS.guarantees):
        assert len(part) >= 3
    assert ANALYSIS._repr_html_().count("<table") == 4
    assert "recommended policy: " in ANALYSIS._repr_html_()


def test_a_large_matrix_is_left_out() -> None:
    large = sl.Feedback.bandit(30)
    assert "<table" not in large._repr_html_()
    assert "30 actions" in large._repr_html_()
    many = sl.Problem(large, np.linspace(0, 1, 30))._repr_html_()
    assert many.count("<tr") == 1 + cards.TABLE_UP_TO


def test_a_policy_has_the_line_of_its_figures_beside_its_name() -> None:
    page = cards.named("ucb-maxn")
    assert f'stroke="{look("ucb-maxn").colour}"' in page
    assert "stroke-dasharray" in page
    assert "stroke-dasharray" not in cards.named("ucb-n")  # solid
    assert "<polygon" in RACE._repr_html_()


@pytest.mark.parametrize("horizon", [1e5, 500.0])
def test_an_analysis_as_text_is_what_the_command_prints(
    sidelight: Command, dosing: Path, horizon: float
) -> None:
    done = sidelight("analyze", dosing, "-T", horizon)
    assert done.out == f"{sl.analyze(sl.load(dosing), horizon)}\n"
