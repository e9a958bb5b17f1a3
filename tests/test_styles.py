"""A policy looks the same wherever it is drawn, and like no other."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import sidelight as sl
from reports import made
from sidelight.curves import NAMES as NAMES_OF_CURVES
from sidelight.figures import draw_tails
from sidelight.maps import draw_ratios
from sidelight.policies import registry
from sidelight.report import plots
from sidelight.report.facts import chapters
from sidelight.styles import (
    COLOURS,
    DASHES,
    OTHER_MARKERS,
    Look,
    bound_look,
    line_style,
    look,
    looks,
    outline,
)

PAIR = sl.Problem(sl.Feedback.bandit(2), [0.3, 0.7], name="pair")
OWN = "mine.py:Own:rate=0.1"
NAMES = ("ids", "v-ids", "ucb-n", "ucb-n:exploration=0.5", OWN)


def seen(line: object) -> Look:
    """The look of a line of matplotlib; the dashes come back in points, scaled by the width."""
    pattern = line._unscaled_dash_pattern[1] or ()  # type: ignore[attr-defined]
    return Look(line.get_color(), tuple(pattern), line.get_marker())  # type: ignore[attr-defined]


def test_no_two_built_in_policies_look_alike_not_even_in_grey() -> None:
    found = {name: look(name) for name in registry.names()}
    assert len(set(found.values())) == len(found)
    assert len({(x.dashes, x.marker) for x in found.values()}) == len(found)


def test_a_look_follows_from_the_name_in_every_process() -> None:
    code = f"from sidelight.styles import look; print([look(n) for n in {NAMES!r}])"
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.strip() == str([look(name) for name in NAMES])


def test_parameters_keep_the_colour_of_the_policy() -> None:
    assert look("ucb-n:exploration=0.5").colour == look("ucb-n").colour
    assert look("ucb-n:exploration=0.5") != look("ucb-n")


@pytest.mark.parametrize("count", [20, 150])
def test_policies_of_the_caller_are_told_apart_in_one_figure(count: int) -> None:
    names = [*registry.names(), *(f"own-{k}" for k in range(count))]
    found = looks(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    # Who comes first keeps its look, whoever comes later.
    assert looks(names[:30]) == {name: found[name] for name in names[:30]}


def test_more_policies_than_looks_are_still_drawn() -> None:
    most = len(COLOURS) * len(DASHES) * len(OTHER_MARKERS)
    assert len(looks(f"own-{k}" for k in range(most + 5))) == most + 5


def test_a_policy_looks_the_same_in_every_figure() -> None:
    """In `plot`, in the figures of a report, in tails and in the figure of the suite."""
    races = [made(PAIR, dict.fromkeys(NAMES, 5.0), T) for T in (100, 400)]
    (chapter,) = chapters(races)
    expected = [look(name) for name in NAMES]
    figures = [
        races[0].plot(bounds=False).axes[0],
        races[0].plot(bounds=False, size="icml", panel="log-log").axes[0],
        plots.race_figure(chapter.races[0]).axes[1],
        plots.horizon_figure(chapter).axes[0],
        draw_tails(races[0].tails(), np.nan).axes[0],
    ]
    for ax in figures:
        assert [seen(line) for line in ax.get_lines()[: len(NAMES)]] == expected
    suite = draw_ratios(["x", "y"], NAMES, np.ones((2, len(NAMES)))).axes[0]
    strokes, marks = suite.get_lines()[::2], suite.get_lines()[1::2]
    drawn = zip(strokes, marks, strict=True)
    assert [Look(a.get_color(), seen(a).dashes, b.get_marker()) for a, b in drawn] == expected
    chosen = races[0].plot(bounds=False, policies=[OWN, "ucb-n"]).axes[0]
    assert [seen(line) for line in chosen.get_lines()] == [look(OWN), look("ucb-n")]


def test_bounds_have_colours_of_their_own() -> None:
    names = ("general", "finite_time", "limit", "trivial", "minimax", "must lose")
    found = [bound_look(name).colour for name in names]
    assert len(set(found)) == len(names)
    assert not set(found) & set(COLOURS)
    assert bound_look("minimax_computed") == bound_look("must lose")


def test_no_two_bounds_of_one_figure_look_alike_not_even_in_grey() -> None:
    found = [bound_look(name) for name in NAMES_OF_CURVES]
    assert bound_look("a curve of the caller") not in found
    assert len({look.colour for look in found}) == len(found)
    assert len({(look.dashes, look.marker) for look in found}) == len(found)


def test_markers_have_outlines_for_pages() -> None:
    for marker in {look(name).marker for name in registry.names()} | set(OTHER_MARKERS):
        corners = np.array(outline(marker))
        assert len(corners) >= 3
        assert np.hypot(*corners.T).max() == pytest.approx(1.0)
    assert outline("") == []
    assert all(re.fullmatch("#[0-9A-F]{6}", colour) for colour in COLOURS)
    assert line_style(()) == "-"
