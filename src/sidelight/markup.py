"""HTML and SVG from plain functions: whatever came from outside is escaped exactly once.

`Html` is text that is safe inside a page. Only this module makes it: `say` escapes words, `tag`
escapes attributes, and the type checker notices a plain text where a safe one is due.
"""

from __future__ import annotations

import base64
import csv
import html
import io
from collections.abc import Iterable, Sequence
from typing import NewType

from .labels import display

Html = NewType("Html", str)
EMPTY = Html("")
VOID = frozenset({"meta", "link", "br", "col"})  # elements of HTML without an end

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


def say(words: object) -> Html:
    """One line of words, escaped; what cannot be printed is written out."""
    return Html(html.escape(display(str(words))))


def say_lines(text: str) -> Html:
    """Several lines of text, escaped."""
    shown = (c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)
    return Html(html.escape("".join(shown)))


def tag(name: str, /, *children: Html, **attributes: object) -> Html:
    """An element. `class_` is class, `stroke_width` is stroke-width; None leaves one out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{''.join(children)}</{name}>")


def join(parts: Iterable[Html], between: str = "\n") -> Html:
    """The parts one after the other, with `between` between them."""
    return Html(between.join(parts))


def paragraph(words: str, class_: str | None = None) -> Html:
    """Words in a paragraph of their own."""
    return tag("p", say(words), class_=class_)


def bullets(items: Iterable[Html], class_: str | None = None) -> Html:
    """A list with bullets, nothing where it is empty."""
    entries = [tag("li", item) for item in items]
    return tag("ul", *entries, class_=class_) if entries else EMPTY


def details(title: str, *content: Html, opened: bool = False) -> Html:
    """Something long that a click opens; a printed page shows it only if it is open."""
    state = {"open": "open"} if opened else {}
    return tag("details", tag("summary", say(title)), join(content), **state)


def table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[Html]],
    words: Iterable[int] = (),
    marked: Iterable[int] = (),
    class_: str | None = None,
) -> Html:
    """A table in a box that scrolls; the first column names the row.

    The columns in `words` hold words, the others numbers; the rows in `marked` stand out.
    """
    left, strong = {0, *words}, set(marked)

    def look(column: int) -> str | None:
        return "words" if column in left else None

    titles = [tag("th", say(text), scope="col", class_=look(k)) for k, text in enumerate(head)]
    body = []
    for number, row in enumerate(rows):
        cells = [tag("td", cell, class_=look(k)) for k, cell in enumerate(row)]
        cells[0] = tag("th", row[0], scope="row", class_="words")
        body.append(tag("tr", *cells, class_="marked" if number in strong else None))
    parts = tag("caption", say(caption)), tag("thead", tag("tr", *titles)), tag("tbody", *body)
    return scrolling(tag("table", *parts, class_=class_), caption)


def scrolling(content: Html, name: str) -> Html:
    """A box that scrolls by itself, also with the keyboard, so that the page does not."""
    return tag("div", content, class_="scroll", tabindex=0, role="region", aria_label=name)


def figure(content: Html, caption: Html, *below: Html) -> Html:
    """A drawing on a white card, its caption, and what belongs to it."""
    card = tag("div", content, class_="card", tabindex=0)
    return tag("figure", card, tag("figcaption", caption, *below))


def download(label: str, file: str, content: str, kind: str = "text/csv") -> Html:
    """A link that saves a file which the page itself holds."""
    data = base64.b64encode(content.encode()).decode()
    target = f"data:{kind};charset=utf-8;base64,{data}"
    return tag("a", say(label), class_="download", download=file, href=target)


def drawing(label: str, size: tuple[float, float], *parts: Html) -> Html:
    """A picture of this size; `label` says what it shows."""
    width, height = size
    return tag(
        "svg",
        *parts,
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        role="img",
        aria_label=label,
        font_family=FONT,
    )


def to_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows for another program, numbers in full."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return stream.getvalue()


def count(number: int, one: str, many: str = "") -> str:
    """A number and its noun: '1 round', '2 rounds'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
