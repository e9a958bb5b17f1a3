"""Leaving when told to: by Ctrl-C while the command line is imported, and by signals from outside.

Importing numpy and the rest takes a moment, in which no `try` of ours can be on the stack: the
caller is the interpreter, or the script that `pip` wrote. So, in a process that runs the command
line and in no other, the package begins with a handler that says what later Ctrl-C says, and
leaves; `cli.main` gives Python's own handler back.

A terminal that is closed sends SIGHUP, and whoever manages the machine sends SIGTERM: while a
command runs they are treated like Ctrl-C, so that what was finished is kept, and said.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath

INTERRUPTED = 130  # what shells report of a process that Ctrl-C ended: 128 and its number, 2
OUTSIDE = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def is_command(program: str) -> bool:
    """Whether this is argv[0] of our command line; it is -m while python -m imports a package."""
    return program == "-m" or PurePath(program).stem in ("sidelight", "sidelight-script")


def leave_quietly() -> None:
    """From now on Ctrl-C ends the process with one line, if it runs the command line."""
    if is_command(sys.argv[0]) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def raise_again() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt, as everywhere in Python."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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


def _leave(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
