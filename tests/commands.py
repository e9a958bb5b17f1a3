"""What tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

GOOD = """
name = "dosing"
actions = ["A", "B", "C", "test"]
[reveals]
test = { A = 1.0, B = 1.0, C = 1.0, test = 1.0 }
[means]
A = 0.55
B = 0.60
C = 0.70
test = 0.20
"""


class Done(NamedTuple):
    """What a command left behind."""

    code: object
    out: str
    err: str


Command = Callable[..., Done]
