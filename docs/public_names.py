"""The directive `public`: what a public name is, read from the library.

    ```{public} simulate
    ```

gives its signature, its docstring, and one line for each public member of a class. Docstrings are
plain text: an indented block stays as it is, and `words` between backticks are code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

import sidelight


def found(name: str) -> Any:
    """The object: `bounds.general` is `sidelight.bounds.general`."""
    result: Any = sidelight
    for part in name.split("."):
        result = getattr(result, part)
    return result


def signature(name: str, thing: Any) -> str:
    """How it is called, with the types in the words of the source."""
    try:
        given = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return name
    return f"{name}{given}".replace("'", "").replace(" -> None", "")


def inline(text: str) -> list[nodes.Node]:
    """Words between backticks become code."""
    parts = re.split(r"`([^`]+)`", text)
    return [
        nodes.literal(text=part) if k % 2 else nodes.Text(part)
        for k, part in enumerate(parts)
        if part
    ]


def described(doc: str) -> Iterator[nodes.Node]:
    """Paragraphs, and indented blocks as they are."""
    for part in re.split(r"\n\s*\n", doc):
        if part.startswith(" "):
            yield nodes.literal_block(text=inspect.cleandoc(part), language="text")
        elif part.strip():
            yield nodes.paragraph("", "", *inline(" ".join(part.split())))


def members(thing: type) -> Iterator[tuple[str, str]]:
    """Public methods and properties of our own, each with the first line of its docstring."""
    for name, member in inspect.getmembers(thing):
        ours = getattr(getattr(member, "fget", member), "__module__", "") or ""
        if name.startswith("_") or not ours.startswith("sidelight"):
            continue
        text = inspect.getdoc(member) or ""
        yield name, text.partition("\n\n")[0].replace("\n", " ")


class PublicName(Directive):
    """Signature, docstring, members."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Sphinx calls this for each use."""
        name = self.arguments[0]
        thing = found(name)
        result: list[nodes.Node] = []
        if not inspect.ismodule(thing):
            text = signature(f"sl.{name}", thing)
            result.append(nodes.literal_block(text=text, language="python"))
        result += described(inspect.getdoc(thing) or "")
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            listed = nodes.bullet_list()
            for member, text in members(thing):
                said = [nodes.literal(text=member), nodes.Text(": "), *inline(text)]
                listed += nodes.list_item("", nodes.paragraph("", "", *said))
            if listed.children:
                result.append(listed)
        return result
