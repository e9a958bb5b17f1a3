"""What a figure shows: labels, axes, and nothing where a bound does not hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import sidelight as sl
from sidelight.canvas import measures
from sidelight.curves import Curve
from sidelight.figures import (
    Band,
    Tail,
    draw_bounds,
    draw_panel,
    draw_race,
    draw_tails,
    new_axes,
    save_figure,
    to_svg,
)
from sidelight.styles import MOST_BANDS, bound_look

HORIZONS = np.array([10.0, 100.0, 1000.0])


def curve(name: str, kind: str, *values: float) -> Curve:
    return Curve(name, kind, HORIZONS, np.array(values), "")


CURVES = (
    curve("general", "lower", 1.0, 10.0, 100.0),
    curve("minimax", "lower", np.nan, 20.0, 30.0),
    curve("guarantee of asymptotic", "upper", np.nan, np.nan, np.nan),
    curve("limit", "limit", 5.0, 6.0, 7.0),
)


def test_the_legend_names_every_curve_and_where_it_holds() -> None:
    ax = draw_bounds(CURVES, title="dosing")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "general lower bound b",
        "minimax lower bound (worst problem) (from T = 100)",
        "guarantee of asymptotic: none here",
        "asymptotic constant x log T (a limit, no bound)",
    ]
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_title()) == ("log", "log", "dosing")


def test_a_curve_is_drawn_only_where_it_holds() -> None:
    lines = draw_bounds(CURVES).get_lines()
    assert np.isnan(lines[1].get_ydata()).tolist() == [True, False, False]
    assert len(lines[2].get_ydata()) == 0
    assert [line.get_color() for line in lines] == [bound_look(x.name).colour for x in CURVES]
    assert len({line.get_color() for line in lines}) == len(CURVES)


def test_infinite_and_zero_values_leave_gaps() -> None:
    (line,) = draw_bounds([curve("general", "lower", 0.0, np.inf, 3.0)]).get_lines()
    assert np.isnan(line.get_ydata()).tolist() == [True, True, False]
    assert line.get_marker() == "o"  # a single point would be no line at all


def test_given_axes_are_used() -> None:
    ax = new_axes()
    assert draw_bounds(CURVES, ax=ax) is ax


def test_a_sandwich_is_a_band_between_its_edges() -> None:
    both = (
        curve("must lose", "lower", 0.0, 20.0, 30.0),
        curve("need not lose more", "upper", 30.0, 40.0, 50.0),
    )
    ax = draw_bounds(CURVES, sandwich=both)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words[:2] == [
        "what one policy never exceeds (proved)",
        "what every policy loses on some means (proved)",
    ]
    upper, lower = ax.get_lines()[:2]
    assert upper.get_ydata().tolist() == [30.0, 40.0, 50.0]
    assert np.isnan(lower.get_ydata()).tolist() == [True, False, False]
    assert len(ax.collections) == 1
    assert len(draw_bounds(CURVES).collections) == 0


# ---- races ---------------------------------------------------------------------------------------

TIMES = np.array([1, 10, 100])


def band(name: str, *middle: float) -> Band:
    line = np.array(middle)
    return Band(name, TIMES, line, line / 2, line * 2)


BANDS = [band("ucb-n", 0.0, 5.0, 30.0), band("_$odd$", 1.0, 10.0, 100.0)]


def test_a_race_is_drawn_on_linear_and_on_log_axes() -> None:
    figure = draw_race(BANDS, CURVES, title="dosing", caption="mean of 3 replicates")
    linear, log = figure.axes
    assert (linear.get_xscale(), linear.get_yscale()) == ("linear", "linear")
    assert (log.get_xscale(), log.get_yscale()) == ("log", "log")
    assert figure.get_suptitle() == "dosing: mean of 3 replicates"
    for panel in (linear, log):
        assert len(panel.get_lines()) == len(BANDS) + len(CURVES)
        assert len(panel.collections) == len(BANDS)  # the shaded bands
    assert linear.get_lines()[0].get_ydata().tolist() == [0.0, 5.0, 30.0]
    assert np.isnan(log.get_lines()[0].get_ydata()[0])  # log axes have no 0


def test_policies_and_bounds_have_legends_of_their_own() -> None:
    first, second = draw_race(BANDS, CURVES).axes
    assert [text.get_text() for text in first.get_legend().get_texts()] == [
        "ucb-n",
        "\N{ZERO WIDTH SPACE}_\\$odd\\$",
    ]
    assert [text.get_text() for text in second.get_legend().get_texts()] == [
        "general lower bound b",
        "minimax lower bound (worst problem)",
        "guarantee of asymptotic: none here",
        "asymptotic constant x log T (a limit, no bound)",
    ]
    assert draw_race(BANDS).axes[1].get_legend() is None


def test_no_two_of_twenty_policies_look_alike() -> None:
    drawn = draw_race([band(f"p{k}", 1, 2, 3 + k) for k in range(20)]).axes[0].get_lines()
    looks = {(line.get_color(), str(line._dash_pattern), line.get_marker()) for line in drawn}
    assert len(looks) == 20


def test_nothing_in_a_race_overlaps() -> None:
    """Legends, axes and the title of a crowded figure stay apart, and inside it."""
    names = [f"ucb-maxn:exploration=0.5,quality=0.{k}" for k in range(12)]
    figure = draw_race([band(name, 1, 2, 3) for name in names], CURVES, "a title", "caption")
    figure.draw_without_rendering()
    first, second = figure.axes
    boxes = [first.get_legend().get_window_extent(), second.get_legend().get_window_extent()]
    assert not boxes[0].overlaps(boxes[1])
    for panel in (first, second):
        labels = [panel.xaxis.label, *panel.get_xticklabels()]
        for label in labels:
            assert not any(box.overlaps(label.get_window_extent()) for box in boxes)
    assert all(figure.bbox.padded(1).contains(*corner) for box in boxes for corner in box.corners())


def test_only_so_many_bands_are_drawn_as_can_be_read() -> None:
    """Those of the policies that lose least; all have their lines."""
    many = [band(f"p{k}", 1, 2, 20 - k) for k in range(9)]
    panel = draw_race(many).axes[0]
    assert len(panel.get_lines()) == 9
    shaded = [area.get_facecolor()[0][:3].tolist() for area in panel.collections]
    best = [to_rgb(line.get_color()) for line in panel.get_lines()[-MOST_BANDS:]]
    assert shaded == [list(colour) for colour in best]


TRIVIAL = curve("trivial", "upper", 5.0, 50.0, 500.0)


def test_all_that_can_be_lost_is_drawn_on_log_axes_only() -> None:
    linear, log = draw_race(BANDS, (*CURVES, TRIVIAL)).axes
    titles = [line.get_label() for line in log.get_lines()]
    assert titles[-1] == "all that can be lost (T x largest gap)"
    assert titles[-1] not in [line.get_label() for line in linear.get_lines()]
    assert log.get_legend().get_texts()[-1].get_text() == titles[-1]


@pytest.mark.parametrize("size", ["neurips", "icml", "icml-wide", 3.0, (5, 4)])
@pytest.mark.parametrize("panel", [None, "regret", "log-log"])
def test_a_figure_for_a_column_is_as_wide_as_it_and_nothing_in_it_overlaps(
    size: Any, panel: str | None
) -> None:
    bands, curves = [*BANDS, *(band(f"policy-{k}", 1, 2, 3) for k in range(6))], (*CURVES, TRIVIAL)
    if panel is None:
        figure = draw_race(bands, curves, size=size)
    else:
        figure = draw_panel(bands, curves, panel, size=size)
    figure.draw_without_rendering()
    assert figure.get_figwidth() == measures(size, 0.0)[0]
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert figure.bbox.padded(2).contains(*box.corners()[0])
    assert figure.bbox.padded(2).contains(*box.corners()[3])
    for ax in figure.axes:
        assert not box.overlaps(ax.get_tightbbox())
        assert ax.get_window_extent().width > 0.25 * figure.bbox.width
        assert ax.get_window_extent().height > 0.8 * figure.dpi
    words = [text.get_text() for text in legend.get_texts() if text.get_text()]
    hidden = panel == "regret"  # linear axes have no room for all that can be lost
    assert len(words) == len(bands) + len(curves) - hidden


def test_tails_fall_from_one_and_end_at_what_can_be_lost() -> None:
    tail = Tail("ids", np.array([0.0, 1.0, 4.0, 9.0]), np.array([1.0, 0.75, 0.5, 0.25]))
    ax = draw_tails([tail], 100.0).axes[0]
    line, most = ax.get_lines()[:2]
    assert line.get_xdata().tolist() == [1.0, 4.0, 9.0]  # log axes have no 0
    assert line.get_ydata().tolist() == [0.75, 0.5, 0.25]
    assert set(most.get_xdata()) == {100.0}
    assert len(draw_tails([tail], np.nan).axes[0].get_legend_handles_labels()[0]) == 1
    nothing = Tail("lucky", np.zeros(4), tail.share)
    draw_tails([nothing], 100.0)._repr_png_()  # log axes without data are an error of matplotlib
    given = new_axes()
    assert draw_tails([tail], 100.0, ax=given) is given


def test_a_race_without_regret_can_be_drawn() -> None:
    figure = draw_race([band("lucky", 0.0, 0.0, 0.0)])
    figure.draw_without_rendering()
    assert figure.axes[1].get_ylim()[0] == 1.0


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_same_race_gives_the_same_file(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{name}{suffix}" for name in "ab"]
    for path in paths:
        save_figure(draw_race(BANDS, CURVES), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_letters_that_the_font_lacks_bring_no_warning(tmp_path: Path, suffix: str) -> None:
    """Warnings are errors in tests."""
    figure = draw_race([band("\u65bd\u7b56", 1.0, 2.0, 3.0)])
    with pytest.warns(UserWarning, match="Glyph .* missing from"):
        figure.draw_without_rendering()
    save_figure(figure, tmp_path / f"race{suffix}")
    assert "\u65bd\u7b56" in to_svg(figure)


# ---- files ---------------------------------------------------------------------------------------


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
