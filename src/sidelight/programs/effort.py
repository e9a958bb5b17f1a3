"""How far a search goes: so many steps of work, and no clock unless a user asks for one.

A number that people read must not depend on how busy the machine is. So every search counts what it
does (vertices looked at, pivots of the simplex method, questions to an oracle), in steps that take
roughly a third of a microsecond each, and stops after so many. Structures with up to ten actions
have no limit at all: their searches run until they have converged.

A limit in seconds is the user's own wish. What it cuts off differs from machine to machine, so the
caller must say that the search was stopped.
"""

from __future__ import annotations

import math
import time
from numbers import Real

from ..errors import InputError

# How callers divide an effort. An analysis gives these parts of its seconds to the structure, and
# to each search for hard sets or hard means.
STRUCTURE_SHARE, SEARCH_SHARE = 0.4, 0.3
# A search for hard means gives this part to the search itself; the rest is for the proof.
MEANS_SHARE = 0.6
# Of what is left there, each set of actions that do not show each other gets this part.
SETS_SHARE = 0.2
# Of what is left of a search for hidden sets, each of its two guesses gets this part.
GUESS_SHARE = 0.5
# A search for the largest independent set gives this part to branch and bound, then HiGHS goes on.
BRANCHING_SHARE = 0.6

# Up to this many actions every search runs until it has converged.
PRACTICAL = 10
# Steps for one search in a larger structure: ten seconds or so.
STEPS = 30_000_000


class Effort:
    """The steps, and maybe the seconds, that a search may still spend.

    A part shares its parent's account: what the part does not spend is left to its parent.
    `stopped` tells afterwards whether the search was cut off.
    """

    def __init__(
        self,
        steps: float = math.inf,
        seconds: float | None = None,
        parent: Effort | None = None,
    ) -> None:
        self.left = steps
        self._until = math.inf if seconds is None else time.monotonic() + seconds
        self._parent = parent
        self.stopped = False

    @classmethod
    def on(cls, actions: int, seconds: float | None = None) -> Effort:
        """What a search in a structure of so many actions may spend."""
        return cls(math.inf if actions <= PRACTICAL else STEPS, seconds)

    @property
    def seconds(self) -> float:
        """Seconds left: inf where no user set a limit."""
        return math.inf if self._until == math.inf else max(0.0, self._until - time.monotonic())

    def spend(self, steps: float) -> None:
        """Take so many steps off the account."""
        self.left -= steps
        if self._parent is not None:
            self._parent.spend(steps)

    def is_over(self) -> bool:
        """Whether to stop here. Ask only where there is more to do: a stop is remembered.

        A whole whose part was cut off was cut off itself, even if it goes on.
        """
        over = self.left <= 0 or self.seconds == 0.0
        cut: Effort | None = self if over else None
        while cut is not None:
            cut.stopped, cut = True, cut._parent
        return over

    def part(self, share: float) -> Effort:
        """A share of what is left."""
        seconds = None if self._until == math.inf else share * self.seconds
        return Effort(share * max(self.left, 0.0), seconds, self)


def check_budget(budget: object) -> float | None:
    """A user's limit in seconds, or None for no clock."""
    if budget is None:
        return None
    given = float(budget) if isinstance(budget, Real) and not isinstance(budget, bool) else math.nan
    if not given > 0:
        raise InputError(f"budget = {budget!r}: give it a positive number of seconds, or None")
    return given
