"""Ctrl-C while the command line is still being imported.

Importing numpy and the rest takes a moment, in which no `try` of ours can be on the stack: the
caller is the interpreter, or the script that `pip` wrote. So, in a process that runs the command
line and in no other, the package begins with a handler that says what later Ctrl-C says, and
leaves; `cli.main` gives Python's own handler back.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import PurePath

INTERRUPTED = 130  # what shells report of a process that Ctrl-C ended


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


def _leave(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
