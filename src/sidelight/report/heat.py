"""Who shows whom how well, as a map of colours, for structures with too many arrows to draw.

Row i is the action played, column j the action observed: dark where playing i shows j well, white
where it shows nothing. Beyond 150 actions several rows and columns share a cell, which shows the
best of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..maps import draw_map
from ..markup import EMPTY, Html, say, tag
from ..structure import Structure
from ..variances import Array
from .graph import short_labels, strength

MOST_CELLS = 150
NAMES_UP_TO = 40
# From the noisiest observation to the most precise one.
SHADES = ("#c9dcef", "#9dc3e0", "#6da7d1", "#4489c0", "#2269a8", "#0d4a86", "#06305f")


def matrix_figure(found: Structure) -> Any:
    """The map as a figure of matplotlib; up to 40 actions have their names beside it."""
    K = len(found.feedback)
    names = short_labels(found.feedback.labels, 9) if K <= NAMES_UP_TO else ()
    titles = f"observed (columns, {K} actions)", f"played (rows, {K} actions)"
    return draw_map(coarse(strength(found.feedback.variance)), SHADES, names, titles)


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
