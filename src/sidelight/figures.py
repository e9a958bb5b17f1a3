"""Figures: draws what other modules computed, on what `canvas` gives, in the looks of `styles`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .bounds.titles import legend
from .canvas import (
    ROOMY,
    Size,
    letters,
    measures,
    new_axes,
    new_figure,
    plain_panel,
    plain_text,
    save_figure,
    to_svg,
)
from .curves import Curve
from .styles import (
    MOST_BANDS,
    Look,
    bound_look,
    in_the_background,
    line_style,
    looks,
)
from .variances import Array

__all__ = [
    "Band",
    "Tail",
    "draw_bounds",
    "draw_horizons",
    "draw_panel",
    "draw_race",
    "draw_tails",
    "new_axes",
    "save_figure",
    "to_svg",
]
PANELS = {"regret": "linear", "log-log": "log"}  # the axes of each
SHAPE = 0.62  # height of a panel to its width
SIDE_BY_SIDE = 5.0  # inches: in less, one panel stands below the other
WIDTH = 7.0  # inches of a panel, if nobody says
TRIVIAL = "trivial"  # far above what happens: on linear axes it would be a wall at the left


@dataclass(frozen=True, eq=False)
class Band:
    """The regret of one policy over time: a line, and a band around it."""

    name: str
    t: npt.NDArray[np.int64]
    middle: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Tail:
    """How often a policy loses so much: the share of runs with a regret of at least `regret`."""

    name: str
    regret: Array
    share: Array


def draw_bounds(
    curves: Sequence[Curve],
    ax: Any = None,
    title: str = "",
    sandwich: tuple[Curve, Curve] | None = None,
) -> Any:
    """Bounds against the horizon on log axes; a curve is drawn only where it holds.

    A `sandwich` is drawn as a band: the worst case of the best policy lies in it.
    """
    ax = ax if ax is not None else new_axes()
    if sandwich is not None:
        _draw_sandwich(ax, sandwich)
    for curve in curves:
        look = bound_look(curve.name)
        label = legend(curve.name)
        shown = np.isfinite(curve.values) & (curve.values > 0)
        if not shown.any():
            ax.plot([], [], label=f"{label}: none here", **_ink(look))
            continue
        if not curve.valid.all():
            label += f" (from T = {curve.horizons[curve.valid][0]:,.0f})"
        values = np.where(shown, curve.values, np.nan)
        single = {"marker": "o"} if shown.sum() == 1 else {}
        ax.plot(curve.horizons, values, label=label, **{**_ink(look), **single})
    ax.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="regret", title=title)
    ax.grid(visible=True, which="major", alpha=0.3)
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 2}
    ax.legend(fontsize="small", frameon=False, handlelength=3.2, **below)
    return ax


def _draw_sandwich(ax: Any, sandwich: tuple[Curve, Curve]) -> None:
    """A grey band between its two edges, behind the other curves."""
    lower, upper = sandwich
    shown = [np.where(curve.values > 0, curve.values, np.nan) for curve in (lower, upper)]
    ax.fill_between(lower.horizons, *shown, color="#bbbbbb", alpha=0.45, linewidth=0, zorder=1)
    for curve, values in ((upper, shown[1]), (lower, shown[0])):
        edge = _ink(bound_look(curve.name))
        ax.plot(curve.horizons, values, label=legend(curve.name), zorder=1.6, **edge)


def draw_race(
    bands: Sequence[Band],
    curves: Sequence[Curve] = (),
    title: str = "",
    caption: str = "",
    size: Size | None = None,
) -> Any:
    """The regret of every policy against time, on linear axes and on log axes; a new Figure.

    A policy has the same look in both, and one entry in the legend, which stands below the axes. A
    bound is drawn where it holds and is named where it does not.
    """
    width, height = measures(size, 10.5)
    if width >= ROOMY:
        figure = _draw_roomy(bands, curves, (width, height))
    else:
        beside = width >= SIDE_BY_SIDE
        points = letters(width) - beside
        grid = _grid([band.name for band in bands], _titles(curves), width, points)
        above = SHAPE * width / 2 if beside else 2 * SHAPE * width
        figure = new_figure(width, height or above + _legend_height(grid, points))
        panels = figure.subplots(*((1, 2) if beside else (2, 1)))
        for panel, scale in zip(panels, ("linear", "log"), strict=True):
            _draw_panel(panel, scale, bands, curves, points)
        _legend_below(figure, panels[1], grid, points)
    if title or caption:
        said = ": ".join(part for part in (plain_text(title), caption) if part)
        figure.suptitle(said, fontsize=1.15 * letters(width), wrap=True)
    return figure


def _draw_roomy(
    bands: Sequence[Band], curves: Sequence[Curve], size: tuple[float, float | None]
) -> Any:
    """Both panels for a screen: policies are named below the first, bounds below the second."""
    short = all(len(band.name) <= 20 for band in bands)  # two columns fit below one panel
    columns = 2 if len(bands) > 6 and short else 1
    entries = max(-(-len(bands) // columns), len(curves))
    figure = new_figure(size[0], size[1] or 4.4 + 0.25 * entries)
    panels = figure.subplots(1, 2)
    for panel, scale in zip(panels, ("linear", "log"), strict=True):
        _draw_panel(panel, scale, bands, curves)
        panel.set_title(f"{scale} axes", fontsize=10, loc="left", color="#444444")
    handles, labels = panels[1].get_legend_handles_labels()
    split = len(bands)
    place = {"loc": "upper left", "bbox_to_anchor": (0, -0.13), "borderaxespad": 0}
    look = {"frameon": False, "handlelength": 3.2, "fontsize": 9.5, **place}
    panels[0].legend(handles[:split], labels[:split], ncols=columns, **look)
    if curves:
        panels[1].legend(handles[split:], labels[split:], **look)
    return figure


def draw_panel(
    bands: Sequence[Band],
    curves: Sequence[Curve],
    panel: str,
    ax: Any = None,
    size: Size | None = None,
    title: str = "",
) -> Any:
    """One panel of `draw_race`, "regret" (linear axes) or "log-log": a new Figure, or on `ax`."""
    scale = PANELS[panel]
    shown = [curve for curve in curves if scale == "log" or curve.name != TRIVIAL]
    names = [band.name for band in bands]
    return _single(
        ax,
        size,
        (names, _titles(shown)),
        title,
        lambda ax, points: _draw_panel(ax, scale, bands, shown, points),
    )


def draw_tails(
    tails: Sequence[Tail], most: float, ax: Any = None, size: Size | None = None, title: str = ""
) -> Any:
    """The share of runs that lose at least so much; `most` is all that can be lost, or nan."""
    names = [tail.name for tail in tails]
    found = looks(names)
    bound = [legend(TRIVIAL, short=True)] if most > 0 else []

    def ink(ax: Any, points: float) -> None:
        for tail in tails:
            look = _ink(found[tail.name], points, every=True)
            seen = tail.regret > 0  # log axes have no 0
            look["markevery"] = look["markevery"] if seen.any() else None
            label = plain_text(tail.name)
            ax.plot(tail.regret[seen], tail.share[seen], drawstyle="steps-pre", label=label, **look)
        if not any((tail.regret > 0).any() for tail in tails):
            ax.set(xlim=(0.1, 10), ylim=(0.1, 1.2))  # nothing was lost: log axes need some limits
        for label in bound:
            look = _ink(in_the_background(bound_look(TRIVIAL)), points)
            ax.axvline(most, label=label, zorder=1.5, **look)
        ax.set(xscale="log", yscale="log", xlabel="regret x", ylabel="share of runs that lose >= x")
        plain_panel(ax, points)

    return _single(ax, size, (names, bound), title, ink)


Entries = tuple[Sequence[str], Sequence[str]]  # of a legend: policies, and bounds


def _single(
    ax: Any, size: Size | None, entries: Entries, title: str, draw: Callable[[Any, float], None]
) -> Any:
    """One panel with its legend: on axes that are given and returned, or in a new figure."""
    if ax is not None:
        points = letters(ax.figure.get_figwidth())
        draw(ax, points)
        ax.set_title(plain_text(title), fontsize=1.1 * points)
        ax.legend(frameon=False, fontsize=0.9 * points, handlelength=3.2)
        return ax
    width, height = measures(size, WIDTH)
    points = letters(width)
    grid = _grid(*entries, width, points)
    figure = new_figure(width, height or SHAPE * width + _legend_height(grid, points))
    panel = figure.subplots()
    draw(panel, points)
    panel.set_title(plain_text(title), fontsize=1.1 * points)
    _legend_below(figure, panel, grid, points)
    return figure


def _titles(curves: Sequence[Curve]) -> list[str]:
    return [_title(curve, short=True) for curve in curves]


def _title(curve: Curve, short: bool = False) -> str:
    shown = np.isfinite(curve.values) & (curve.values > 0)
    return legend(curve.name, short) + ("" if shown.any() else ": none here")


def _grid(
    names: Sequence[str], titles: Sequence[str], width: float, points: float
) -> list[list[int]]:
    """The columns of a legend with as few rows as fit in `width`: places of entries, -1 for none.

    Policies and bounds have columns of their own, so that a long title makes one column wide.
    """

    def columns(first: int, count: int, rows: int) -> list[list[int]]:
        places = range(first, first + count)
        return [
            [places[k] if k < count else -1 for k in range(start, start + rows)]
            for start in range(0, count, rows)
        ]

    found: list[list[int]] = []
    entries = [*names, *titles]
    for rows in range(1, len(entries) + 1):
        found = columns(0, len(names), rows) + columns(len(names), len(titles), rows)
        longest = [max(len(entries[k]) for k in column if k >= 0) for column in found]
        # A letter is about half as wide as it is high; the line before it takes five.
        if sum(0.5 * long + 5 for long in longest) * points / 72 <= width:
            return found
    return [list(range(len(entries)))]


def _legend_height(grid: list[list[int]], points: float) -> float:
    return (1.45 * len(grid[0]) + 1.0) * points / 72 + 0.35  # and the labels of the axes


def _legend_below(figure: Any, panel: Any, grid: list[list[int]], points: float) -> None:
    """The entries of the panel in the places of the grid."""
    handles, labels = panel.get_legend_handles_labels()
    (nothing,) = panel.plot([], [], linestyle="", marker="", label="_")
    order = [place for column in grid for place in column]
    figure.legend(
        [handles[place] if place >= 0 else nothing for place in order],
        [labels[place] if place >= 0 else "" for place in order],
        loc="outside lower left",
        ncols=len(grid),
        fontsize=0.95 * points,
        frameon=False,
        handlelength=3.2,
        columnspacing=1.0,
        borderaxespad=0.2,
    )


def _ink(look: Look, points: float = 8.0, every: bool = False) -> dict[str, Any]:
    """A look as matplotlib takes it; `every` is for policies: thick, and a marker now and then."""
    ink = {"color": look.colour, "linestyle": line_style(look.dashes), "marker": look.marker}
    size = {"linewidth": 0.19 * points, "markersize": 0.6 * points} if every else {}
    thin = {"linewidth": 0.13 * points, "markersize": 0.42 * points}
    white = {"markeredgecolor": "white", "markeredgewidth": 0.4, "markevery": 0.12}
    return {**ink, **(size | white if every else thin)}


def _draw_panel(
    panel: Any, scale: str, bands: Sequence[Band], curves: Sequence[Curve], points: float = 10.0
) -> None:
    floor = _floor(bands) if scale == "log" else 0.0
    found, shaded = looks(band.name for band in bands), readable(bands)
    for k, band in enumerate(bands):
        ink = _ink(found[band.name], points, every=True)
        if band.name in shaded:
            low, high = (np.maximum(edge, floor) for edge in (band.low, band.high))
            panel.fill_between(band.t, low, high, color=ink["color"], alpha=0.13, linewidth=0)
        middle = np.where(band.middle > 0, band.middle, np.nan) if floor else band.middle
        # Markers of two lines that lie upon each other must not hide each other.
        ink["markevery"] = (0.03 + 0.12 * k / len(bands), 0.12) if _is_line(middle) else None
        panel.plot(band.t, middle, label=plain_text(band.name), **ink)
    for curve in curves:
        if scale == "linear" and curve.name == TRIVIAL:
            continue
        shown = np.isfinite(curve.values) & (curve.values > 0)
        label = _title(curve, short=points < letters(ROOMY))
        values = np.where(shown, curve.values, np.nan)
        ink = _ink(in_the_background(bound_look(curve.name)), points)
        panel.plot(curve.horizons, values, label=label, zorder=1.5, **ink)
    panel.set(xscale=scale, yscale=scale, xlabel="round t", ylabel="regret")
    panel.set_ylim(bottom=floor)
    plain_panel(panel, points)
    panel.margins(x=0)
    if scale == "linear":
        _linear_limits(panel, bands)


def _is_line(values: Array) -> bool:
    """Whether anything is seen of it: matplotlib cannot put markers along nothing."""
    return bool(np.isfinite(values).any())


def readable(bands: Sequence[Band]) -> set[str]:
    """The policies whose bands are drawn: all, or the five that lose least where there are more."""
    best = sorted(bands, key=lambda band: float(band.middle[-1]))
    return {band.name for band in best[:MOST_BANDS]}


def _linear_limits(panel: Any, bands: Sequence[Band]) -> None:
    """A limit may be far above all that happened, and must not squeeze it."""
    most = max(float(band.high.max()) for band in bands)
    if 0 < 1.5 * most < panel.get_ylim()[1]:
        panel.set_ylim(top=1.5 * most)
    panel.locator_params(axis="x", nbins=5)
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter("{x:,g}")


def _floor(bands: Sequence[Band]) -> float:
    """Where log axes begin: somewhat below the least regret on a line, or at 1."""
    positive = [band.middle[band.middle > 0] for band in bands]
    least = [line.min() for line in positive if len(line)]
    return float(min(least)) / 1.5 if least else 1.0


def draw_horizons(bands: Sequence[Band], curves: Sequence[Curve] = ()) -> Any:
    """The final regret against the horizon of the race, with its interval; a new Figure."""
    figure = new_axes(7.2, 3.9 + 0.25 * (len(bands) + len(curves))).figure
    panel = figure.axes[0]
    _draw_panel(panel, "log", bands, curves)
    for line in panel.get_lines()[: len(bands)]:
        line.set_markevery(None)  # every horizon is a race of its own
    panel.set(xlabel="horizon T", ylabel="regret after T rounds")
    panel.margins(x=0.03)
    panel.set_ylim(auto=True)  # bounds far below the policies are what this figure is for
    panel.autoscale_view()
    below = {"loc": "upper left", "bbox_to_anchor": (0, -0.16), "borderaxespad": 0}
    panel.legend(frameon=False, handlelength=3.2, fontsize=9.5, **below)
    return figure
