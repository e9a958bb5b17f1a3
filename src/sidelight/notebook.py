"""What a notebook sees of work that takes a while: one line, with a bar where its end is known.

Elsewhere nothing is shown: a program may not want it, and on a terminal the commands have bars of
their own (`progress`). The line stays when the work is done and says what was done. It never says
how long that took, so that a notebook which is run again has the same outputs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from .markup import EMPTY, Html, say, tag

LOOK = "color: #777777; font-size: 85%"


def silent(done: int, total: int) -> None:
    """For `progress`: work inside of other work shows no line of its own."""


def in_notebook() -> bool:
    """Whether a notebook runs this code; IPython is never imported for the question."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell).__mro__)


class Line:
    """The line of one piece of work. Call it with (done, in all) to move its bar."""

    def __init__(self, words: str, show: Callable[[Html], None]) -> None:
        self.words, self.end, self.show = words, "", show
        show(_line(words, EMPTY))

    def __call__(self, done: int, total: int) -> None:
        """So much is done."""
        bar = tag("progress", value=done, max=max(total, 1), style="vertical-align: middle")
        self.show(_line(self.words, bar))


@contextmanager
def following(words: str) -> Iterator[Line]:
    """A line in a notebook, nothing elsewhere; set its `end` to what it says when all is done."""
    line = Line(words, _display() if in_notebook() else lambda content: None)
    try:
        yield line
    except BaseException:
        line.show(_line(f"{words}: stopped", EMPTY))
        raise
    line.show(_line(line.end or words, EMPTY))


def _line(words: str, bar: Html) -> Html:
    return tag("div", say(words), Html(" "), bar, style=LOOK)


def _display() -> Callable[[Html], None]:
    """Shows its argument in place of what it showed before."""
    display: Any = import_module("IPython.display").display  # it is there: a notebook runs
    handle: list[Any] = []

    def show(content: Html) -> None:
        bundle = {"text/html": str(content), "text/plain": ""}
        if handle:
            handle[0].update(bundle, raw=True)
        else:
            handle.append(display(bundle, raw=True, display_id=True))

    return show
