"""Sizes of figures, and their files: fonts that publishers take, the same bytes every time."""

from __future__ import annotations

import re
import warnings
import zlib
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

import sidelight as sl
from sidelight.canvas import (
    COLUMNS,
    _log_tick,
    measures,
    new_axes,
    new_figure,
    plain_text,
    save_figure,
)
from sidelight.figures import Band, draw_race


def inside(pdf: bytes) -> bytes:
    """Everything in a file, its streams inflated."""
    parts = [pdf]
    for found in re.findall(rb"stream\r?\n(.*?)endstream", pdf, flags=re.DOTALL):
        try:
            parts.append(zlib.decompress(found.strip(b"\r\n")))
        except zlib.error:
            continue
    return b"\n".join(parts)


def drawn(figure: Figure) -> Figure:
    """Words in several alphabets, numbers with exponents, and a formula."""
    ax = figure.subplots()
    ax.plot([1, 1e4], [1, 100], label=r"$x^2$ \N{GREEK SMALL LETTER ALPHA} \u0416")
    ax.set(xscale="log", yscale="log", title="Überschrift")
    ax.legend()
    return figure


def fonts(pdf: bytes) -> set[bytes]:
    return set(re.findall(rb"/Subtype\s*/(Type\d|CIDFontType\d|TrueType)", inside(pdf)))


def test_fonts_in_pdf_are_truetype_whoever_saves(tmp_path: Path) -> None:
    save_figure(drawn(Figure()), tmp_path / "ours.pdf")  # any figure of matplotlib
    drawn(new_figure(3, 2)).savefig(tmp_path / "own.pdf")  # a figure of ours, saved by its method
    drawn(Figure()).savefig(tmp_path / "plain.pdf")
    for name in ("ours.pdf", "own.pdf"):
        found = fonts((tmp_path / name).read_bytes())
        assert found
        assert found <= {b"Type0", b"CIDFontType2", b"TrueType"}
    assert b"Type3" in fonts((tmp_path / "plain.pdf").read_bytes())  # else the test sees nothing


@pytest.mark.parametrize("suffix", [".ps", ".eps"])
def test_fonts_in_postscript_are_truetype(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    save_figure(drawn(new_figure(3, 2)), path)
    text = path.read_bytes()
    assert b"/FontType 42 def" in text
    assert b"/FontType 3 def" not in text
    assert b"CreationDate" not in text


def test_settings_of_the_caller_stay_as_they_are(tmp_path: Path) -> None:
    before = dict(plt.rcParams)
    save_figure(drawn(new_figure(3, 2)), tmp_path / "x.pdf")
    assert dict(plt.rcParams) == before


def test_a_figure_shows_itself() -> None:
    assert new_axes(2, 1).figure._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("size", "found"),
    [
        (None, (9.0, None)),
        ("icml", (3.25, None)),
        ("icml-wide", (6.75, None)),
        (4, (4.0, None)),
        (np.float64(4.5), (4.5, None)),
        ((3, 2.5), (3.0, 2.5)),
        ([3, 2], (3.0, 2.0)),
    ],
)
def test_sizes(size: object, found: object) -> None:
    assert measures(size, 9.0) == found  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("nips", "did you mean 'neurips'"),
        ("icml2", "did you mean 'icml'"),
        (0, "from 1 to 40 inches"),
        (True, "from 1 to 40 inches"),
        (float("nan"), "from 1 to 40 inches"),
        ((3, "x"), "from 1 to 40 inches"),
        ((3, 500), "from 1 to 40 inches"),
        ((3,), r"\(width, height\), or one of neurips"),
        ({"width": 3}, r"\(width, height\), or one of neurips"),
    ],
)
def test_wrong_sizes_say_what_to_do(size: object, said: str) -> None:
    with pytest.raises(sl.InputError, match=said):
        measures(size, 9.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "values", [(5e-324, 1e-322), (0.0, 5e-324), (1e308, 1.7e308), (1e-323, 1e308)]
)
def test_the_least_and_the_largest_numbers_are_drawn(
    values: tuple[float, float], tmp_path: Path
) -> None:
    line = np.array(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of matplotlib: its ticks overflow
        figure = draw_race([Band("a", np.array([1, 100]), line, line, line)], (), "x")
        for suffix in ("svg", "png"):
            save_figure(figure, tmp_path / f"x.{suffix}")


@pytest.mark.parametrize(
    ("x", "view", "said"),
    [
        (5e-324, (5e-324, 1e-320), ""),
        (1e-323, (5e-324, 1e-322), "9.88131e-324"),
        (1e-300, (1e-320, 1.0), r"$\mathdefault{10^{-300}}$"),
        (1e308, (1e-300, 1.7e308), r"$\mathdefault{10^{308}}$"),
        (float("inf"), (1.0, 1e308), ""),
        (0.0, (1.0, 10.0), ""),
        (1.0, (0.0, 10.0), ""),
        (20.0, (1.0, 90.0), "20"),
        (30.0, (1.0, 90.0), ""),
        (1000.0, (1.0, 1e4), r"$\mathdefault{10^{3}}$"),
        (2000.0, (1.0, 1e4), ""),
    ],
)
def test_ticks_of_log_axes(x: float, view: tuple[float, float], said: str) -> None:
    panel = new_axes()
    panel.set_yscale("log")
    panel.yaxis.get_view_interval = lambda: view
    assert _log_tick(panel.yaxis, x) == said


def test_two_columns_and_the_gap_make_the_page() -> None:
    assert 2 * COLUMNS["icml"] + 0.25 == COLUMNS["icml-wide"]


def test_names_are_drawn_as_they_are() -> None:
    assert plain_text("a$b$") == r"a\$b\$"
    assert not plain_text("_a").startswith("_")
