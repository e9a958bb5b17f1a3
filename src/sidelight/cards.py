"""What objects look like in a notebook, and the parts that they share with the pages of a report.

Everything is escaped by `markup`, and nothing is asked of any server. A card is small: a title, a
table or two. Matrices of more than 24 actions are left out; the object has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from .labels import Labels, display
from .markup import EMPTY, Html, join, paragraph, say, table, tag
from .styles import look, outline
from .variances import Array

TABLE_UP_TO = 24
# A notebook has styles of its own: these only undo what would make our tables hard to read.
_STYLE = Html(
    ".sidelight .scroll { overflow-x: auto; max-width: 100%; } "
    ".sidelight .words { text-align: left; } "
    ".sidelight caption { text-align: left; font-weight: 600; white-space: nowrap; } "
    ".sidelight td.words { white-space: normal; max-width: 30em; } "
    ".sidelight p { margin: .4em 0; max-width: 46em; }"
)


def card(title: str, *parts: Html) -> str:
    """The parts below a title, for `_repr_html_`."""
    head = tag("p", tag("strong", say(title)))
    inner = join([tag("style", _STYLE), head, *(part for part in parts if part)])
    return str(tag("div", inner, class_="sidelight"))


def deviations(labels: Labels, variance: Array) -> Html:
    """Standard deviations, row by row; nothing where there are too many actions to read them."""
    names = [display(label) for label in labels]
    if len(names) > TABLE_UP_TO:
        return EMPTY
    unseen = tag("span", say("\N{MIDDLE DOT}"), title="not seen", class_="unseen")
    rows = [
        [say(name), *(say(f"{s:.4g}") if math.isfinite(s) else unseen for s in row)]
        for name, row in zip(names, np.sqrt(variance).tolist(), strict=True)
    ]
    caption = (
        "Standard deviation of what playing the row shows of the column (\N{MIDDLE DOT} not seen)"
    )
    return table(caption, ("played \\ observed", *names), rows)


def numbers(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], left: int) -> Html:
    """A table of words: the first `left` columns hold words, the others numbers."""
    return table(caption, head, [[say(cell) for cell in row] for row in rows], range(left))


def words(text: str) -> Html:
    """A paragraph, or nothing."""
    return paragraph(text) if text else EMPTY


def key(policy: str) -> Html:
    """The line and the marker of a policy, as its figures have them."""
    seen = look(policy)
    dashes = " ".join(f"{1.8 * part:g}" for part in seen.dashes) or None
    line = tag("path", d="M0 6H30", stroke=seen.colour, stroke_width="1.8", stroke_dasharray=dashes)
    corners = " ".join(f"{15 + 4 * x:.1f},{6 + 4 * y:.1f}" for x, y in outline(seen.marker))
    mark = tag("polygon", points=corners, fill=seen.colour)
    size = {"width": 30, "height": 12, "viewBox": "0 0 30 12"}
    return tag("svg", line, mark, class_="key", aria_hidden="true", **size)


def named(policy: str) -> Html:
    """A policy with its key before its name."""
    return join([key(policy), say(policy)], " ")
