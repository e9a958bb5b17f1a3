"""The errors a caller can act on.

    SidelightError            everything raised on purpose; the command line exits with `exit_code`
    ├── InputError            the caller's data or arguments are wrong (also a ValueError)
    │   ├── DamagedError      a file that sidelight wrote is not as it was written
    │   ├── BusyError         a file that another process writes into
    │   ├── KeyReusedError    a key that was used before, for something else
    │   ├── NotRunningError   an experiment that is paused or closed, or whose policy is not here
    │   ├── NotShownError     a value that the action which was played does not show
    │   ├── ContradictionError  a value that was told before, and was another
    │   └── ItemError         one item of several; none was taken
    ├── PolicyError           a policy of the caller failed in the middle of a race
    ├── ConflictError         another append was first: the number or the key of an event is taken
    ├── StoreError            the event store failed; nothing that it acknowledged is lost
    │   └── UnknownOutcomeError   the same, and whether the last append was kept is not known
    └── MissingExtraError     an optional package is not installed (also an ImportError)

    Interrupted               Ctrl-C in a race (a KeyboardInterrupt); holds what was finished

Each message says what is wrong, where, and what to do about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

MANY = 25  # names in a message
LONG = 200  # characters of a wrong name that are compared: nobody mistypes more, and it takes time


class SidelightError(Exception):
    """Base of every error raised on purpose."""

    exit_code = 1


class InputError(SidelightError, ValueError):
    """A file, a matrix or an argument that cannot be used as it is."""

    exit_code = 2


class DamagedError(InputError):
    """A file of results, a trace, a manifest or a certificate that is not as sidelight wrote it."""

    exit_code = 4


class KeyReusedError(InputError):
    """A key stands for what was first said with it, and for nothing else."""


class NotRunningError(InputError):
    """An experiment that takes no such call as it is: paused, closed, or without its policy."""


class NotShownError(InputError):
    """A value of an action that the action which was played does not show."""


class ContradictionError(InputError):
    """Another value of what was told before: what was told stays."""


class ItemError(InputError):
    """One of several items cannot be taken, so none was.

    `place` is that of the item, from 0 on; `cause` is what is wrong with it.
    """

    def __init__(self, place: int, cause: InputError) -> None:
        super().__init__(f"item {place + 1}: {cause}")
        self.place, self.cause = place, cause

    def __reduce__(self) -> tuple[type[ItemError], tuple[int, InputError]]:
        return type(self), (self.place, self.cause)


class BusyError(InputError):
    """A file that another process writes into: wait, or ask that process."""

    exit_code = 1


class PolicyError(SidelightError):
    """A policy of the caller raised, or named an action that there is not.

    `results` holds what the other policies of the race did, or None.
    """

    results: Any = None


class ConflictError(SidelightError):
    """An append that does not fit: another was first. It was not kept.

    `event` is the event that has the key already, or None.
    """

    event: Any = None


class StoreError(SidelightError):
    """The event store failed. What it acknowledged before is safe."""


class UnknownOutcomeError(StoreError):
    """The store failed while it committed: the append may have been kept, or not."""


class Interrupted(KeyboardInterrupt):
    """A race was stopped; `results` has what was finished, or None.

    That is the first replicates, as many as every policy finished that had not failed.
    """

    results: Any = None


class MissingExtraError(SidelightError, ImportError):
    """A feature needs an optional package; of several extras the names have commas between."""

    exit_code = 2

    def __init__(self, feature: str, extra: str) -> None:
        what = "optional packages" if "," in extra else "an optional package"
        super().__init__(f"{feature} needs {what}: pip install 'sidelight[{extra}]'")
        self._made_of = feature, extra

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        return type(self), self._made_of  # a worker process sends its errors home pickled


def choose_from(wrong: object, options: Iterable[object]) -> str:
    """The end of a sentence that helps out of a wrong name: a near match, or the list."""
    names = [str(option) for option in options]
    small = {name.lower(): name for name in names}
    asked = str(wrong)[:LONG].lower()
    near = difflib.get_close_matches(asked, small, n=1)
    if near:
        return f"did you mean {small[near[0]]!r}?"
    shown = ", ".join(names[:MANY]) + (", ..." if len(names) > MANY else "")
    return f"choose from: {shown}" if names else "there are none"
