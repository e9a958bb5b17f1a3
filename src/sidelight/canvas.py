"""What figures are drawn on: their size in inches, the size of their letters, and their files.

A size is a name, a width, or a width and a height. A name stands for the width of a column, so that
the figure enters a paper at its own size and its letters stay as large as they are here. Without a
height it follows from the width and from what stands below the axes.
"""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Sequence
from functools import partial
from numbers import Real
from typing import Any

from .errors import InputError, choose_from

# Widths of text in inches.
COLUMNS = {
    "neurips": 5.5,  # neurips_2023.sty: textwidth=5.5in, one column
    "iclr": 5.5,  # formatting instructions of ICLR 2025: "5.5 inches (33 picas) wide", one column
    "jmlr": 6.0,  # jmlr2e.sty: \textwidth 6.0 true in, one column
    "icml": 3.25,  # submission instructions of ICML, 2.1: 6.75 in for two columns, 0.25 in between
    "icml-wide": 6.75,  # the same: both columns
}
LEAST, MOST = 1.0, 40.0  # inches: smaller is unreadable, larger is a mistake for centimetres
ROOMY = 8.0  # from this width on a figure is meant for a screen or a page of its own
Size = str | float | Sequence[float]


def measures(size: Size | None, width: float) -> tuple[float, float | None]:
    """Width and height of a figure; the height is None if it may follow from the width."""
    if size is None:
        return width, None
    if isinstance(size, str):
        if size not in COLUMNS:
            raise InputError(f"no size is called {size!r}; {choose_from(size, COLUMNS)}")
        return COLUMNS[size], None
    if isinstance(size, Real):
        return _inches(size), None
    given = list(size) if isinstance(size, Sequence) else []
    if len(given) != 2:
        names = ", ".join(COLUMNS)
        raise InputError(
            f"size = {size!r}: give a width in inches, (width, height), or one of {names}"
        )
    return _inches(given[0]), _inches(given[1])


def _inches(value: object) -> float:
    number = math.nan
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
    if not LEAST <= number <= MOST:
        raise InputError(f"size = {value!r}: a figure has from {LEAST:g} to {MOST:g} inches a side")
    return number


def letters(width: float) -> float:
    """The size of letters in points: that of text on a screen, less in a column."""
    return 10.0 if width >= ROOMY else 8.0 if width >= 5 else 7.0


def new_figure(width: float, height: float) -> Any:
    """An empty figure that no window shows; in a notebook it shows itself."""
    from .picture import Picture  # noqa: PLC0415 - slow to import

    return Picture(figsize=(width, height), layout="constrained")


def new_axes(width: float = 7.0, height: float = 5.4) -> Any:
    """Axes of a new figure."""
    return new_figure(width, height).subplots()


def plain_panel(panel: Any, points: float) -> None:
    """A faint grid, no frame, letters of this size, and numbers on log axes that can be read."""
    panel.grid(visible=True, which="major", alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)
    panel.tick_params(which="both", labelsize=0.95 * points)
    for axis in (panel.xaxis, panel.yaxis):
        axis.label.set_size(points)
        if axis.get_scale() == "log":
            axis.set_major_formatter(partial(_log_tick, axis))
            axis.set_minor_formatter(partial(_log_tick, axis))


def _log_tick(axis: Any, x: float, place: int | None = None) -> str:
    """Powers of ten; where the axis has two decades at most, numbers, and those of 2 and 5 too."""
    low, high = axis.get_view_interval()
    if not 0 < x < math.inf or low <= 0:
        return ""  # an axis that ends where floats end has ticks beyond
    # By its digits: the powers of ten next to the smallest floats are 0.
    digit, power = map(int, f"{x:.0e}".split("e"))
    if math.log10(high) - math.log10(low) > 2:
        return rf"$\mathdefault{{10^{{{power}}}}}$" if digit == 1 else ""
    return f"{x:,g}" if digit in (1, 2, 5) else ""


def plain_text(name: str) -> str:
    """A policy's name as it is: no formula between dollars, no entry hidden by an underscore."""
    text = name.replace("$", r"\$")
    return f"\N{ZERO WIDTH SPACE}{text}" if text.startswith("_") else text


def save_figure(drawn: Any, path: str | os.PathLike[str]) -> None:
    """Write axes or a figure in the format of the suffix: .png, .pdf, .svg, .eps or .ps.

    The same figure gives the same bytes: no date, names in .svg that do not change, and a layout
    that is computed once, whatever was saved before. Fonts are embedded as TrueType.
    """
    figure = getattr(drawn, "figure", None) or drawn
    kind = os.path.splitext(path)[1].lower().removeprefix(".")
    try:
        content = figure_content(figure, kind)
        with open(path, "wb") as stream:
            stream.write(content)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the figure cannot be written: {error}") from None


def figure_content(figure: Any, kind: str) -> bytes:
    """What a file of this kind holds: "png", "svg", "pdf" ..."""
    from .picture import writing  # noqa: PLC0415 - slow to import

    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    stream = io.BytesIO()
    with writing():
        _lay_out(figure)
        figure.savefig(stream, format=kind or None, dpi=150, metadata=dated.get(kind))
    found = stream.getvalue()
    # PostScript has its date in a comment, and matplotlib no way to leave it out.
    return re.sub(rb"%%CreationDate:.*\n", b"", found) if kind in ("ps", "eps") else found


def _lay_out(figure: Any) -> None:
    """Give everything its place, unless an earlier file of the same figure did."""
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        figure.set_layout_engine("none")


def to_svg(drawn: Any) -> str:
    """Axes or a figure as the text of an .svg file; words stay text, in the fonts of the reader."""
    from .picture import writing  # noqa: PLC0415 - slow to import

    figure = getattr(drawn, "figure", None) or drawn
    stream = io.StringIO()
    with writing({"svg.fonttype": "none"}):
        _lay_out(figure)
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()
