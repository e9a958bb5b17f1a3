"""Figures: draws what other modules computed. The only import of matplotlib."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .bounds.titles import legend
from .curves import Curve
from .errors import InputError
from .variances import Array

# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = {"lower": "-", "upper": "--", "limit": ":"}
# After seven policies the colours come again, with the next kind of line.
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1, 1.4)), (0, (7, 2, 1.5, 2)))
# Bounds in a race are grey: colour belongs to the policies.
GREYS = {
    "general": ("#333333", 0),
    "finite_time": ("#777777", 1),
    "limit": ("#777777", 2),
    "must lose": ("#999999", 0),
    "need not lose more": ("#999999", 3),
}


@dataclass(frozen=True, eq=False)
class Band:
    """The regret of one policy over time: a line, and a band around it."""

    name: str
    t: npt.NDArray[np.int64]
    middle: Array
    low: Array
    high: Array


def new_axes(width: float = 7.0, height: float = 5.4) -> Any:
    """Axes of a new figure that no window shows."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    return Figure(figsize=(width, height), layout="constrained").subplots()


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
    for curve, colour in zip(curves, COLOURS, strict=False):
        label = legend(curve.name)
        shown = np.isfinite(curve.values) & (curve.values > 0)
        if not shown.any():
            ax.plot([], [], color=colour, linestyle=STYLES[curve.kind], label=f"{label}: none here")
            continue
        if not curve.valid.all():
            label += f" (from T = {curve.horizons[curve.valid][0]:,.0f})"
        values = np.where(shown, curve.values, np.nan)
        ax.plot(
            curve.horizons,
            values,
            color=colour,
            linestyle=STYLES[curve.kind],
            label=label,
            marker="o" if shown.sum() == 1 else None,
        )
    ax.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="regret", title=title)
    ax.grid(visible=True, which="major", alpha=0.3)
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 2}
    ax.legend(fontsize="small", frameon=False, **below)
    return ax


def _draw_sandwich(ax: Any, sandwich: tuple[Curve, Curve]) -> None:
    """A grey band with its two edges in black, behind the other curves."""
    lower, upper = sandwich
    look = {"color": "#222222", "linewidth": 1.1, "markersize": 3.5, "zorder": 1.6}
    shown = [np.where(curve.values > 0, curve.values, np.nan) for curve in (lower, upper)]
    ax.fill_between(lower.horizons, *shown, color="#bbbbbb", alpha=0.45, linewidth=0, zorder=1)
    ax.plot(upper.horizons, shown[1], marker="v", label=legend(upper.name), **look)
    ax.plot(lower.horizons, shown[0], marker="^", label=legend(lower.name), **look)


def draw_race(
    bands: Sequence[Band], curves: Sequence[Curve] = (), title: str = "", caption: str = ""
) -> Any:
    """The regret of every policy against time, on linear axes and on log axes; a new Figure.

    A policy has the same colour and the same kind of line in both, and one entry in the legend,
    which stands below the axes. A bound is drawn where it holds and is named where it does not.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    short = all(len(band.name) <= 20 for band in bands)  # two columns fit below one panel
    columns = 2 if len(bands) > 6 and short else 1
    entries = max(-(-len(bands) // columns), len(curves))
    figure = Figure(figsize=(10.5, 4.4 + 0.25 * entries), layout="constrained")
    panels = figure.subplots(1, 2)
    for panel, scale in zip(panels, ("linear", "log"), strict=True):
        _draw_panel(panel, scale, bands, curves)
    handles, labels = panels[0].get_legend_handles_labels()
    below = {"loc": "upper left", "bbox_to_anchor": (0, -0.13), "borderaxespad": 0, "fontsize": 9.5}
    split = len(bands)  # policies below the first panel, bounds below the second
    look = {"frameon": False, "handlelength": 3.2, **below}
    panels[0].legend(handles[:split], labels[:split], ncols=columns, **look)
    if curves:
        panels[1].legend(handles[split:], labels[split:], **look)
    if title or caption:
        said = ": ".join(part for part in (_plain_text(title), caption) if part)
        figure.suptitle(said, fontsize=11.5)
    return figure


def _draw_panel(panel: Any, scale: str, bands: Sequence[Band], curves: Sequence[Curve]) -> None:
    floor = _floor(bands) if scale == "log" else 0.0
    for k, band in enumerate(bands):
        # Seven colours and four kinds of line: no two of 28 policies share both.
        look = {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k % len(DASHES)]}
        low, high = (np.maximum(edge, floor) for edge in (band.low, band.high))
        panel.fill_between(band.t, low, high, color=look["color"], alpha=0.13, linewidth=0)
        middle = np.where(band.middle > 0, band.middle, np.nan) if floor else band.middle
        panel.plot(band.t, middle, linewidth=1.9, label=_plain_text(band.name), **look)
    for curve in curves:
        colour, dashes = GREYS.get(curve.name, ("#777777", 3))
        shown = np.isfinite(curve.values) & (curve.values > 0)
        label = legend(curve.name) + ("" if shown.any() else ": none here")
        values = np.where(shown, curve.values, np.nan)
        look = {"color": colour, "linestyle": DASHES[dashes], "linewidth": 1.3, "zorder": 1.5}
        panel.plot(curve.horizons, values, label=label, **look)
    panel.set(xscale=scale, yscale=scale, xlabel="round t", ylabel="regret")
    panel.set_ylim(bottom=floor)
    panel.set_title(f"{scale} axes", fontsize=10, loc="left", color="#444444")
    panel.grid(visible=True, which="major", alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)
    panel.margins(x=0)
    if scale == "linear":
        # A limit may be far above all that happened, and must not squeeze it.
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


def _plain_text(name: str) -> str:
    """A policy's name as it is: no formula between dollars, no entry hidden by an underscore."""
    text = name.replace("$", r"\$")
    return f"\N{ZERO WIDTH SPACE}{text}" if text.startswith("_") else text


def save_figure(drawn: Any, path: str | os.PathLike[str]) -> None:
    """Write axes or a figure in the format of the suffix: .png, .pdf or .svg.

    The same figure gives the same bytes: no date, names in .svg that do not change, and a layout
    that is computed once, whatever was saved before.
    """
    import matplotlib as mpl  # noqa: PLC0415 - slow to import

    figure = getattr(drawn, "figure", None) or drawn
    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    metadata = dated.get(os.path.splitext(path)[1].lower())
    try:
        with _any_letters(), mpl.rc_context({"svg.hashsalt": "sidelight"}):
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            figure.savefig(path, dpi=150, metadata=metadata)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the figure cannot be written: {error}") from None


def to_svg(drawn: Any) -> str:
    """Axes or a figure as the text of an .svg file; words stay text, in the fonts of the reader."""
    import matplotlib as mpl  # noqa: PLC0415 - slow to import

    figure = getattr(drawn, "figure", None) or drawn
    stream = io.StringIO()
    with _any_letters(), mpl.rc_context({"svg.hashsalt": "sidelight", "svg.fonttype": "none"}):
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


@contextmanager
def _any_letters() -> Iterator[None]:
    """Draws without warnings about letters that the font lacks.

    In a page words stay text, and the reader's browser may have the letter that the font used for
    measuring lacks. In a file there is an empty box in its place, which can be seen; a line on the
    terminal for every letter of every figure helps nobody.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


def draw_horizons(bands: Sequence[Band], curves: Sequence[Curve] = ()) -> Any:
    """The final regret against the horizon of the race, with its interval; a new Figure."""
    figure = new_axes(7.2, 3.9 + 0.25 * (len(bands) + len(curves))).figure
    panel = figure.axes[0]
    _draw_panel(panel, "log", bands, curves)
    for line in panel.get_lines()[: len(bands)]:
        line.set_marker("o")
        line.set_markersize(4)
    panel.set(xlabel="horizon T", ylabel="regret after T rounds")
    panel.set_title("", loc="left")
    panel.margins(x=0.03)
    panel.set_ylim(auto=True)  # bounds far below the policies are what this figure is for
    panel.autoscale_view()
    below = {"loc": "upper left", "bbox_to_anchor": (0, -0.16), "borderaxespad": 0}
    panel.legend(frameon=False, handlelength=3.2, fontsize=9.5, **below)
    return figure


def draw_map(
    levels: Array, shades: Sequence[str], names: Sequence[str], titles: tuple[str, str]
) -> Any:
    """A square map of levels from 0 to 1, white where they are NaN; a new Figure.

    `titles` are those of the columns and of the rows; `names` stand at both, if there are any.
    """
    from matplotlib.colors import ListedColormap  # noqa: PLC0415 - slow to import

    ax = new_axes(5.9, 5.9)
    # Without interpolation a cell stays one pixel of the image, and sharp at any size.
    ax.imshow(levels, cmap=ListedColormap(shades), vmin=0, vmax=1, interpolation="none")
    ax.set(xlabel=titles[0], ylabel=titles[1])
    plain = [_plain_text(name) for name in names]
    ax.set_xticks(range(len(names)), plain, rotation=90, fontsize=7)
    ax.set_yticks(range(len(names)), plain, fontsize=7)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.tick_params(length=0)
    return ax.figure


def draw_ratios(problems: Sequence[str], policies: Sequence[str], ratios: Array) -> Any:
    """Regret to that of the best policy: a row for each problem, a column for each policy.

    White is as good as the best, dark ten times as much or more; empty where it cannot run.
    """
    ax = new_axes(2.4 + 0.52 * len(policies), 1.2 + 0.24 * len(problems))
    with np.errstate(invalid="ignore"):
        shade = np.log10(np.clip(ratios, 1, 10))
    ax.imshow(np.where(np.isnan(ratios), np.nan, shade), cmap="Oranges", vmin=0, vmax=1.25)
    ax.set_aspect("auto")
    for y, x in np.argwhere(~np.isnan(ratios)):
        value = float(ratios[y, x])
        text = "inf" if value == np.inf else f"{value:.2f}" if value < 10 else f"{value:.0f}"
        bold = "bold" if value < 1.005 else "normal"
        ax.text(x, y, text, ha="center", va="center", fontsize=6.5, fontweight=bold)
    ax.set_xticks(range(len(policies)), policies, rotation=60, fontsize=8)
    for label in ax.get_xticklabels():
        label.set(ha="left", rotation_mode="anchor")
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(problems)), problems, fontsize=7.5)
    ax.tick_params(length=0)
    for side in ("top", "right", "bottom", "left"):
        ax.spines[side].set_visible(False)
    ax.figure.get_layout_engine().set(w_pad=0.15, h_pad=0.1)  # inches, so that no label is cut
    return ax.figure
