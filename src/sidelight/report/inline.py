"""A figure of matplotlib as part of a page.

A file of its own may call its parts what it likes, name its author and style everything; a part of
a page may not: several figures must not share a name, nor change each other, and nothing in them
may make the reader's browser ask a server for anything. So the header, comments and metadata go,
names get the key of the figure before them, and the one rule of style moves to the drawing itself.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from ..figures import to_svg
from ..markup import Html

DROPPED = frozenset({"metadata", "style", "title", "desc"})
# What the dropped style says of everything in the drawing.
LINES = "stroke-linejoin: round; stroke-linecap: butt"
ZOOM = 1.33  # a figure fills its card up to this size, at which its letters are those of the text
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline_svg(drawn: Any, key: str, label: str) -> Html:
    """The figure as an <svg> element; `key` is its own in the page, `label` says what it shows."""
    source = to_svg(drawn)
    tree = ElementTree.fromstring(source[source.index("<svg") :])
    _clean(tree, key)
    size = [float(number) for number in tree.attrib["viewBox"].split()[2:]]
    tree.attrib.clear()
    tree.attrib.update(
        {
            "viewBox": f"0 0 {size[0]:g} {size[1]:g}",
            "width": f"{size[0]:g}",
            "height": f"{size[1]:g}",
            "role": "img",
            "aria-label": label,
            "class": "wide",
            "style": f"{LINES}; max-width: {ZOOM * size[0]:g}px",
        }
    )
    return Html(ElementTree.tostring(tree, encoding="unicode", short_empty_elements=False))


def _clean(element: ElementTree.Element, key: str) -> None:
    """Plain names without namespaces, keys before identifiers, nothing that is dropped."""
    element.tag = _local(element.tag)
    for name, value in list(element.attrib.items()):
        del element.attrib[name]
        if _local(name) == "id":
            value = f"{key}-{value}"  # noqa: PLW2901
        elif _local(name) == "href" and value.startswith("#"):
            value = f"#{key}-{value[1:]}"  # noqa: PLW2901
        element.attrib[_local(name)] = _REFERENCE.sub(rf"url(#{key}-\1)", value)
    for child in list(element):
        if _local(child.tag) in DROPPED:
            element.remove(child)
        else:
            _clean(child, key)


def _local(name: str) -> str:
    return name.rpartition("}")[2]
