"""Drawings of feedback: what is on them, for every size and every kind of noise."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.image import imread

import sidelight as sl
from sidelight.report import Chapter, figures, graph, heat, save_figures
from sidelight.report.inline import inline_svg
from sidelight.report.plots import FORMATS

inf = np.inf


def parsed(drawing: str) -> ElementTree.Element:
    return ElementTree.fromstring(drawing)


def test_an_arrow_for_each_observation_and_a_box_for_each_action() -> None:
    found = sl.structure(sl.gallery("dosing").feedback)
    drawing = parsed(graph.draw_graph(found, [2], "k"))
    arrows = [path for path in drawing.iter("path") if path.get("marker-end")]
    assert {path.get("marker-end") for path in arrows} == {"url(#k-head)"}
    assert len(arrows) == 4
    assert sum(" C" in str(path.get("d")) for path in arrows) == 1  # the test shows itself
    boxes = list(drawing.iter("rect"))
    assert [box.get("stroke-dasharray") is not None for box in boxes] == [True, True, True, False]
    assert [text.text for text in drawing.iter("text")] == ["A", "B", "C ★", "test"]
    assert [title.text for title in drawing.iter("title")][2] == ("C: weakly seen, best action")


@pytest.mark.parametrize("actions", [1, 2, 3, 10, 14])
def test_everything_stays_inside_the_picture(actions: int) -> None:
    labels = [f"an action with a long name, {k}" for k in range(actions)]
    found = sl.structure(sl.Feedback.full_information(actions, labels=labels))
    drawing = parsed(graph.draw_graph(found, [0], "k"))
    width, height = (float(str(drawing.get(side))) for side in ("width", "height"))
    for path in drawing.findall("path"):
        numbers = [float(x) for x in re.findall(r"-?\d+\.\d+", str(path.get("d")))]
        assert all(0 <= x <= width for x in numbers[::2])
        assert all(0 <= y <= height for y in numbers[1::2])
    for box in drawing.iter("rect"):
        x, y, w, h = (float(str(box.get(k))) for k in ("x", "y", "width", "height"))
        assert min(x, y) >= 0
        assert x + w <= width
        assert y + h <= height


def test_strength_is_the_logarithm_of_precision() -> None:
    levels = graph.strength(np.array([[1.0, 10.0], [100.0, inf]]))
    np.testing.assert_allclose(levels, [[1.0, 0.5], [0.0, np.nan]])
    np.testing.assert_array_equal(graph.strength(np.array([[4.0, 4.0]])), [[0.5, 0.5]])
    np.testing.assert_array_equal(graph.strength(np.zeros((1, 1))), [[1.0]])
    np.testing.assert_array_equal(graph.strength(np.array([[0.0, 5.0]])), [[1.0, 0.5]])
    wide = graph.strength(np.array([[1e-300, 1e300]]))
    np.testing.assert_allclose(wide, [[1.0, 0.0]])


def test_long_names_keep_their_ends_and_stay_apart() -> None:
    assert graph.shorten("treatment 12", 8) == "treat…12"
    assert graph.short_labels(("treatment 1", "treatment 2"), 8) == ("treat… 1", "treat… 2")
    assert graph.short_labels(("abcdefgh1xyz", "abcdefgh2xyz"), 5) == ("#0", "#1")
    assert graph.short_labels(("", "a"), 5) == ("#0", "#1")


def test_too_many_arrows_become_a_map() -> None:
    assert graph.is_drawable(sl.structure(sl.Feedback.bandit(24)))
    assert not graph.is_drawable(sl.structure(sl.Feedback.bandit(25)))
    assert not graph.is_drawable(sl.structure(sl.Feedback.full_information(20)))


@pytest.mark.parametrize("actions", [25, 60, 301])
def test_a_map_covers_what_is_seen(actions: int) -> None:
    found = sl.structure(sl.Feedback.bandit(actions))
    drawing = parsed(inline_svg(heat.matrix_figure(found), "key", "a map"))
    (image,) = drawing.iter("image")
    png = base64.b64decode(str(image.get("href")).partition("base64,")[2])
    pixels = np.asarray(imread(io.BytesIO(png)))
    side = actions if actions <= heat.MOST_CELLS else -(-actions // 3)
    assert pixels.shape == (side, side, 4)
    seen = pixels[..., 3] > 0
    assert seen.sum() == side
    assert seen.diagonal().all() or seen[::-1].diagonal().all()
    np.testing.assert_allclose(pixels[seen], np.tile(to_rgba(heat.SHADES[3]), (side, 1)))
    names = len(list(drawing.iter("text"))) - 2
    assert names == (2 * actions if actions <= heat.NAMES_UP_TO else 0)


def test_coarse_cells_show_the_best_they_stand_for() -> None:
    levels = np.full((301, 301), np.nan)
    levels[4, 0], levels[3, 2] = 0.2, 0.7
    best = heat.coarse(levels)
    assert best.shape == (101, 101)
    assert best[1, 0] == 0.7
    assert np.isnan(best[0, 0])
    assert int(np.isfinite(best).sum()) == 1


def test_a_map_is_a_figure_for_papers_and_a_graph_a_drawing(tmp_path: Path) -> None:
    def chapter(actions: int) -> Chapter:
        problem = sl.Problem(sl.Feedback.bandit(actions), np.linspace(0, 1, actions))
        shape = sl.structure(problem.feedback)
        return Chapter(problem, "many", "problem-1", shape, ())

    written = save_figures([chapter(25)], tmp_path)
    assert [path.name for path in written] == [f"1-many-graph.{kind}" for kind in FORMATS]
    assert all(path.stat().st_size > 1000 for path in written)
    assert list(figures([chapter(25)])) == ["1-many-graph"]
    assert [path.name for path in save_figures([chapter(3)], tmp_path / "few")] == [
        "1-many-graph.svg"
    ]
    assert figures([chapter(3)]) == {}
