"""What a figure shows: labels, axes, and nothing where a bound does not hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sidelight as sl
from sidelight.curves import Curve
from sidelight.figures import draw_bounds, new_axes, save_figure

HORIZONS = np.array([10.0, 100.0, 1000.0])


def curve(name: str, kind: str, *values: float) -> Curve:
    return Curve(name, kind, HORIZONS, np.array(values), "")


CURVES = (
    curve("general", "lower", 1.0, 10.0, 100.0),
    curve("minimax", "lower", np.nan, 20.0, 30.0),
    curve("guarantee of Algorithm 1", "upper", np.nan, np.nan, np.nan),
    curve("limit", "limit", 5.0, 6.0, 7.0),
)


def test_the_legend_names_every_curve_and_where_it_holds() -> None:
    ax = draw_bounds(CURVES, title="dosing")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "general lower bound b",
        "minimax lower bound (worst problem) (from T = 100)",
        "guarantee of Algorithm 1: none here",
        "asymptotic constant x log T (a limit, no bound)",
    ]
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_title()) == ("log", "log", "dosing")


def test_a_curve_is_drawn_only_where_it_holds() -> None:
    lines = draw_bounds(CURVES).get_lines()
    assert np.isnan(lines[1].get_ydata()).tolist() == [True, False, False]
    assert len(lines[2].get_ydata()) == 0
    assert [line.get_linestyle() for line in lines] == ["-", "-", "--", ":"]


def test_infinite_and_zero_values_leave_gaps() -> None:
    (line,) = draw_bounds([curve("general", "lower", 0.0, np.inf, 3.0)]).get_lines()
    assert np.isnan(line.get_ydata()).tolist() == [True, True, False]
    assert line.get_marker() == "o"  # a single point would be no line at all


def test_given_axes_are_used() -> None:
    ax = new_axes()
    assert draw_bounds(CURVES, ax=ax) is ax


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")]
)
def test_figures_are_written_in_the_format_of_the_suffix(
    tmp_path: Path, suffix: str, start: bytes
) -> None:
    path = tmp_path / f"bounds{suffix}"
    save_figure(draw_bounds(CURVES), path)
    assert path.read_bytes().startswith(start)


def test_a_figure_that_cannot_be_written_is_an_error_with_its_name(tmp_path: Path) -> None:
    for path in (tmp_path / "bounds.nonsense", tmp_path / "nowhere" / "bounds.png"):
        with pytest.raises(sl.InputError, match=f"{path}: the figure cannot be written"):
            save_figure(draw_bounds(CURVES), path)
