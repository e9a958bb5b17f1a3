"""How far long work is: a bar on a terminal, a plain line now and then in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from .study import State


@contextmanager
def of_steps(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, nothing elsewhere; call what is yielded with (done, in all)."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class _Rate(ProgressColumn):
    """Rounds per second."""

    def render(self, task: Task) -> Text:
        """The speed of the last half minute."""
        return Text(f"{compact(task.speed)} rounds/s" if task.speed else "")


@contextmanager
def of_race() -> Iterator[Callable[[int, int], None]]:
    """A bar with speed and time left on a terminal; elsewhere a plain line now and then."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines()
        return
    words = TextColumn("racing"), BarColumn(), TaskProgressColumn(), _Rate(), TimeRemainingColumn()
    with Progress(*words, console=console, transient=True) as bar:
        task = bar.add_task("racing", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class _Lines:
    """Progress for logs: one line for every ten seconds."""

    EVERY = 10.0

    def __init__(self) -> None:
        self.start: tuple[float, int] | None = None
        self.said = 0.0

    def __call__(self, done: int, total: int, more: str = "") -> None:
        now = time.monotonic()
        if self.start is None:
            if not done:  # still compiling, which is no part of the speed
                return
            self.start, self.said = (now, done), now
        if now - self.said < self.EVERY or done == self.start[1]:
            return
        self.said = now
        rate = (done - self.start[1]) / (now - self.start[0])
        left = (total - done) / rate
        sys.stderr.write(
            f"{more}{done / total:.0%} of {compact(total)} rounds, {compact(rate)} rounds/s, "
            f"{duration(left)} left\n"
        )


@contextmanager
def of_study() -> Iterator[Callable[[State], None]]:
    """The same for a study, with cells done, running and left."""
    console = Console(stderr=True)
    if not console.is_terminal:
        lines = _Lines()
        yield lambda state: lines(state.rounds, state.all_rounds, f"{_cells(state)}; ")
        return
    words = TextColumn("{task.description}"), BarColumn(), _Rate(), TimeRemainingColumn()
    with Progress(*words, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda state: bar.update(
            task,
            completed=state.rounds,
            total=state.all_rounds,
            description=_cells(state),
        )


def _cells(state: State) -> str:
    done = state.kept + state.finished
    return f"{done} of {state.cells} cells, {state.running} running, {state.left} left"


def duration(seconds: float) -> str:
    """Two units at most: 45 s, 3 min 20 s, 7 h 05 min, 120 days."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 48 * 3600:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86400:,} days"


def compact(number: float) -> str:
    """12.3M for 12,345,678."""
    for scale, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= scale:
            return f"{number / scale:.3g}{letter}"
    return f"{number:.3g}"
