"""What is known before the first round, without the means: feedback, range, horizon and name.

A practitioner has no more than this, and a policy may know no more. A `Setting` is a `Feedback`
with a range, a horizon and a name, so every function that takes a feedback takes a setting, too. A
plain feedback stands for the range [0, 1], an unknown horizon and no name, and equals such a
setting.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .document import Document
from .errors import InputError
from .feedback import Feedback
from .labels import check_name

MAX_HORIZON = 10**15  # of a policy: regrets are exact sums of floats up to here
UPPER = 1.0  # the range of the means where nobody says anything


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Setting(Feedback):
    """A feedback, the range [0, upper] of the means, the horizon if it is known, and a name.

    `feedback` is the feedback alone.
    """

    feedback: Feedback
    upper: float
    horizon: float | None
    name: str

    def __init__(
        self,
        feedback: Feedback,
        upper: float = UPPER,
        horizon: float | None = None,
        *,
        name: str = "",
    ) -> None:
        if not isinstance(feedback, Feedback):
            raise InputError(f"a Setting needs a Feedback first, not {type(feedback).__name__}")
        alone = feedback.feedback if isinstance(feedback, Setting) else feedback
        object.__setattr__(self, "variance", alone.variance)  # checked already
        object.__setattr__(self, "labels", alone.labels)
        object.__setattr__(self, "feedback", alone)
        object.__setattr__(self, "upper", check_upper(upper))
        object.__setattr__(self, "horizon", None if horizon is None else check_horizon(horizon))
        object.__setattr__(self, "name", check_text(name))

    @property
    def rounds(self) -> int | None:
        """The horizon of a policy: a whole number, or None where it is unknown."""
        return None if self.horizon is None else whole("horizon", self.horizon, 1, MAX_HORIZON)

    def to_document(self) -> Document:
        """The plain data that problem files hold; a horizon is no part of them."""
        return Document(self.labels, self.variance, None, self.upper, self.name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Feedback):
            return NotImplemented
        return super().__eq__(other) and self._said() == said_beside(other)

    def __hash__(self) -> int:
        alone = super().__hash__()
        return alone if self._said() == NOTHING else hash((alone, self._said()))

    def _said(self) -> tuple[float, float | None, str]:
        return self.upper, self.horizon, self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.feedback, *self._said())

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        rounds = "" if self.horizon is None else f", {self.horizon:,} rounds"
        shown = f"{int(self.observes.sum())} observations"
        return (
            f"<Setting{name}: {len(self)} actions, {shown}, means in [0, {self.upper:g}]{rounds}>"
        )


class Described(Protocol):
    """Something that has a setting and knows more: a problem, which has means."""

    @property
    def setting(self) -> Setting:
        """What is known without the means."""


Given = Feedback | Described  # what a public function takes that needs no means
NOTHING = (UPPER, None, "")


def said_beside(feedback: Feedback) -> tuple[float, float | None, str]:
    """The range, the horizon and the name that come with a feedback."""
    return feedback._said() if isinstance(feedback, Setting) else NOTHING


def setting_of(given: Given, upper: float | None = None, horizon: float | None = None) -> Setting:
    """The setting of a feedback, a setting or a problem; the means of a problem are left out.

    If the caller gives a range or a horizon, these replace those of the setting.
    """
    known = getattr(given, "setting", given)
    if not isinstance(known, Feedback):
        raise InputError(
            f"{known!r} is no feedback: give a Feedback, a Setting, a Problem, or what "
            "sidelight.load returned"
        )
    if isinstance(known, Setting) and upper is None and horizon is None:
        return known
    own_upper, own_horizon, name = said_beside(known)
    return Setting(
        known,
        own_upper if upper is None else upper,
        own_horizon if horizon is None else horizon,
        name=name,
    )


def resolved(
    given: Given, upper: float | None, horizon: float | None, what: str
) -> tuple[Feedback, float, float]:
    """The feedback alone, the range and the horizon.

    Range and horizon are those of the caller, as given; if the caller gives none, those known.
    """
    found = setting_of(given)
    rounds = found.horizon if horizon is None else horizon
    if rounds is None:
        raise InputError(f"{what} needs a horizon: give the number of rounds")
    return found.feedback, found.upper if upper is None else upper, rounds


def check_upper(upper: float) -> float:
    """Check the largest possible mean, and return it."""
    try:
        upper = float(upper)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"upper = {upper!r} must be a number") from None
    if not (0 < upper < math.inf):
        raise InputError(f"upper = {upper:g} must be positive and finite: means lie in [0, upper]")
    return upper


def check_horizon(horizon: float) -> float:
    """Check a positive number of rounds; return an int if it is whole."""
    try:
        if isinstance(horizon, bool):
            raise TypeError
        rounds = float(horizon)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"horizon = {horizon!r} must be a number of rounds") from None
    if not 0 < rounds < math.inf:
        raise InputError(f"horizon = {horizon!r} must be a positive, finite number of rounds")
    return int(rounds) if rounds.is_integer() else rounds


def check_text(name: object) -> str:
    """Check a name that files and tables must be able to hold, and return it."""
    if not isinstance(name, str):
        raise InputError(f"name = {name!r} must be text")
    check_name(name)
    return name


def whole(name: str, value: object, low: int, high: int | None) -> int:
    """A whole number in the range."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1e5 is how people write horizons
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{name} = {value!r} must be a whole number")
    if value < low or (high is not None and value > high):
        upper = "" if high is None else f" and at most {high:,}"
        raise InputError(f"{name} = {value} must be at least {low}{upper}")
    return int(value)


def _rebuild(feedback: Feedback, upper: float, horizon: float | None, name: str) -> Setting:
    return Setting(feedback, upper, horizon, name=name)
