"""How long values are under way, as a value: parsed once, printed one way, compared.

wait_of(40) == wait_of("fixed:40")          every value comes 40 rounds late
wait_of("geometric:100")                    100 rounds late on average
wait_of(None), wait_of(0)                   None: values come at once
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ..errors import InputError
from ..numerals import exact
from ..setting import whole

MAX_DELAY = 10**6  # what is under way is kept in memory


@dataclass(frozen=True)
class Wait:
    """How long values are under way: exactly so many rounds, or so many on average."""

    kind: Literal["fixed", "geometric"]
    rounds: float

    def __str__(self) -> str:
        return f"{self.kind}:{exact(self.rounds)}"

    @property
    def words(self) -> str:
        """What a table says of it."""
        on_average = " on average" if self.kind == "geometric" else ""
        return f"values come {exact(self.rounds)} rounds late{on_average}"


def wait_of(delay: float | str | Wait | None) -> Wait | None:
    """A whole number of rounds, "fixed:100" or "geometric:100"; None and 0 are no delay."""
    if delay is None or isinstance(delay, Wait):
        return delay
    kind, colon, rest = str(delay).partition(":")
    if not colon:
        kind, rest = "fixed", kind
    try:
        rounds = float(rest)
    except ValueError:
        rounds = math.nan
    if kind not in ("fixed", "geometric") or not 0 <= rounds <= MAX_DELAY:
        raise InputError(
            f"delay = {delay!r} is not understood: give a number of rounds up to {MAX_DELAY:,}, or "
            "'geometric:100' for 100 rounds on average"
        )
    if rounds == 0:
        return None
    if kind == "geometric":
        return Wait("geometric", rounds)
    return Wait("fixed", whole("delay", rounds, 0, MAX_DELAY))
