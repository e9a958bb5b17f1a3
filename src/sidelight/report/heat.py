"""The matrix of variances as a map of colours, for structures with too many arrows to draw.

Row i is the action played, column j the action observed: dark where playing i shows j well, white
where it shows nothing. Cells of one colour make one path, so that a hundred actions stay a small
drawing; beyond 150 actions several rows and columns share a cell, which shows the best of them.
"""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np

from ..structure import Structure
from ..variances import Array
from .graph import short_labels, strength
from .markup import EMPTY, Html, drawing, join, say, tag

SIDE, LEFT, TOP = 480.0, 92.0, 84.0
MOST_CELLS = 150
NAMES_UP_TO = 40
# From the noisiest observation to the most precise one.
SHADES = ("#c9dcef", "#9dc3e0", "#6da7d1", "#4489c0", "#2269a8", "#0d4a86", "#06305f")


def draw_matrix(found: Structure) -> Html:
    """The map as an <svg> element."""
    levels = coarse(strength(found.feedback.variance))
    n = len(levels)
    size = SIDE / n
    cells = [
        tag("path", d=_cells(shades == k, size), fill=colour)
        for shades in [_shades(levels)]
        for k, colour in enumerate(SHADES)
        if (shades == k).any()
    ]
    frame = tag("rect", x=LEFT, y=TOP, width=SIDE, height=SIDE, fill="#ffffff", stroke="#8a97a3")
    K = len(found.feedback)
    near = 0.0 if K <= NAMES_UP_TO else 58.0  # without names the titles stand closer
    label = f"Matrix of variances: {K} actions played (rows) and observed (columns)"
    width, height = LEFT + SIDE + 14 - near, TOP + SIDE + 14 - near
    return drawing(
        label,
        (width, height),
        frame,
        join(cells),
        _names(found, size) if K <= NAMES_UP_TO else EMPTY,
        _text(LEFT + SIDE / 2, 16 + near, f"observed (columns, {K} actions)"),
        _text(16 + near, TOP + SIDE / 2, f"played (rows, {K} actions)", turned=True),
        corner=near,
    )


def coarse(levels: Array) -> Array:
    """At most 150 cells a side. A cell shows the strongest entry it stands for, NaN if all are."""
    step = math.ceil(len(levels) / MOST_CELLS)
    if step == 1:
        return levels
    starts = np.arange(0, len(levels), step)
    filled = np.where(np.isnan(levels), -1.0, levels)
    best = np.maximum.reduceat(np.maximum.reduceat(filled, starts, axis=0), starts, axis=1)
    return np.where(best < 0, np.nan, best)


def matrix_legend(found: Structure) -> Html:
    """What the colours mean."""
    variance = found.feedback.variance[found.feedback.observes]
    low, high = math.sqrt(float(variance.min())), math.sqrt(float(variance.max()))
    ends = [(SHADES[0], f"σ = {high:.3g}"), (SHADES[-1], f"σ = {low:.3g}")]
    ends = [(SHADES[3], f"σ = {low:.3g}")] if low == high else ends
    items = [
        tag("li", tag("span", EMPTY, class_="swatch", style=f"background:{colour}"), say(words))
        for colour, words in ends
    ]
    step = math.ceil(len(found.feedback) / MOST_CELLS)
    if step > 1:
        items.append(tag("li", say(f"each cell is the best of {step} × {step} observations")))
    return tag("ul", *items, tag("li", say("white: not seen")), class_="legend")


def _shades(levels: Array) -> Array:
    """The number of the colour, -1 where nothing is seen."""
    filled = np.where(np.isnan(levels), -1.0, levels)
    return np.where(filled < 0, -1.0, np.minimum(filled * len(SHADES), len(SHADES) - 1) // 1)


def _cells(chosen: Array, size: float) -> str:
    """One path with a rectangle for each run of neighbours in a row."""
    parts = []
    for y, row in enumerate(chosen):
        for marked, run in groupby(enumerate(row), key=lambda cell: bool(cell[1])):
            columns = [x for x, _ in run]
            if marked:
                left, top, width = LEFT + columns[0] * size, TOP + y * size, len(columns) * size
                parts.append(f"M{left:.2f} {top:.2f}h{width:.2f}v{size:.2f}h{-width:.2f}z")
    return "".join(parts)


def _names(found: Structure, size: float) -> Html:
    names = short_labels(found.feedback.labels, 9)
    parts = []
    for k, name in enumerate(names):
        middle = (k + 0.5) * size
        parts.append(_text(LEFT - 6, TOP + middle + 3.5, name, anchor="end", small=True))
        parts.append(_text(LEFT + middle + 3.5, TOP - 6, name, True, "start", small=True))
    return join(parts)


def _text(
    x: float,
    y: float,
    words: str,
    turned: bool = False,
    anchor: str = "middle",
    small: bool = False,
) -> Html:
    return tag(
        "text",
        say(words),
        x=f"{x:.1f}",
        y=f"{y:.1f}",
        text_anchor=anchor,
        font_size=9 if small else 12,
        fill="#33414e",
        transform=f"rotate(-90 {x:.1f} {y:.1f})" if turned else None,
    )
