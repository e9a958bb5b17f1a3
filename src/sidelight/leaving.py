"""Leaving when told to, by signals from outside.

A terminal that is closed sends SIGHUP, and whoever manages the machine sends SIGTERM: while a
command runs they are treated like Ctrl-C, so that what was finished is kept, and said.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130  # what shells report of a process that Ctrl-C ended: 128 and its number, 2
OUTSIDE = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Told:
    """Which signal from outside came, if any."""

    number = 0

    @property
    def words(self) -> str:
        """What to say at the end."""
        if not self.number:
            return "interrupted"
        return f"ended from outside, by {signal.Signals(self.number).name}"

    @property
    def code(self) -> int:
        """What shells report of a process that a signal ended."""
        return 128 + self.number if self.number else INTERRUPTED


@contextmanager
def listening() -> Iterator[Told]:
    """In this block, a signal from outside raises KeyboardInterrupt, as Ctrl-C does."""
    told, before = Told(), {}

    def raise_now(number: int, frame: object) -> None:
        told.number = number
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():  # others cannot be interrupted
        for number in OUTSIDE:
            if signal.getsignal(number) is signal.SIG_DFL:  # not where somebody ignores it: nohup
                before[number] = signal.signal(number, raise_now)
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
