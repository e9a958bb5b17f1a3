"""A feedback structure together with the truth: the means that the learner does not know [sec:pre].

    theta in [0, upper]^K        the means; `upper` is the paper's D
    gap_i = max theta - theta_i  what one play of i costs
    R_T = sum_i E[N_i] gap_i     the regret, N_i the number of plays of i in T rounds

Simulations and instance bounds need a `Problem`; everything that a learner may know, and every
worst-case statement, is in its `setting` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from . import files, writing
from .document import Document
from .errors import InputError
from .feedback import Feedback
from .frames import ordered
from .setting import Setting, check_text, setting_of
from .variances import Array, frozen, numbers


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Problem:
    """A `Feedback`, the true means, and the range [0, upper] of the means.

    The means come in the order of the actions, or by label: in a mapping or a Series of pandas,
    whose index must name the actions. Range and name are those of a `Setting`, if the feedback is
    one, and otherwise [0, 1] and none, unless they are given.
    """

    feedback: Feedback
    means: Array
    upper: float
    name: str

    def __init__(
        self,
        feedback: Feedback,
        means: npt.ArrayLike | Mapping[Any, float],
        upper: float | None = None,
        *,
        name: str | None = None,
    ) -> None:
        if not isinstance(feedback, Feedback):
            raise InputError(f"a Problem needs a Feedback first, not {type(feedback).__name__}")
        known = setting_of(feedback, upper)
        object.__setattr__(self, "feedback", known.feedback)
        object.__setattr__(self, "means", frozen(_check_means(means, known)))
        object.__setattr__(self, "upper", known.upper)
        object.__setattr__(self, "name", known.name if name is None else check_text(name))

    @cached_property
    def gaps(self) -> Array:
        """max(means) - means: what one play of each action costs."""
        return frozen(self.means.max() - self.means)

    @property
    def best(self) -> int:
        """The best action; the lowest index of several."""
        return int(self.means.argmax())

    @property
    def setting(self) -> Setting:
        """What is known of the problem without the means."""
        return Setting(self.feedback, self.upper, name=self.name)

    def to_document(self) -> Document:
        """The plain data that problem files hold."""
        return Document(
            self.feedback.labels, self.feedback.variance, self.means, self.upper, self.name
        )

    def save(self, path: writing.StrPath) -> None:
        """Write a .toml or .json file; `sidelight.load` reads it back."""
        files.write(path, self.to_document())

    def __len__(self) -> int:
        return len(self.feedback)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return (
            self.feedback == other.feedback
            and np.array_equal(self.means, other.means)
            and (self.upper, self.name) == (other.upper, other.name)
        )

    def __hash__(self) -> int:
        return hash((self.feedback, self.means.tobytes(), self.upper, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.feedback, np.array(self.means), self.upper, self.name)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        best = self.feedback.labels[self.best]
        return f"<Problem{name}: {len(self)} actions, best {best!r}, means in [0, {self.upper:g}]>"


def load(path: writing.StrPath) -> Problem | Setting:
    """The problem in a .toml, .json, .csv or .npy file, or its setting where it has no means."""
    return from_document(files.read(path), where=str(path))


def from_document(document: Document, where: str = "the document") -> Problem | Setting:
    """Check the plain data of a file and make a `Problem` of it, or a `Setting` without means."""
    try:
        feedback = Feedback(document.variance, document.labels)
        if document.means is None:
            return Setting(feedback, document.upper, name=document.name)
        return Problem(feedback, document.means, document.upper, name=document.name)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _rebuild(feedback: Feedback, means: Array, upper: float, name: str) -> Problem:
    return Problem(feedback, means, upper, name=name)


def _check_means(means: npt.ArrayLike | Mapping[Any, float], known: Setting) -> Array:
    labels, upper = known.labels, known.upper
    values = numbers(ordered(means, labels, "means"), "means")
    if values.shape != (len(labels),):
        raise InputError(
            f"means has shape {values.shape} for {len(labels)} actions: give one for each action"
        )
    outside = np.flatnonzero(~((values >= 0) & (values <= upper)))
    if len(outside):
        i = outside[0]
        raise InputError(
            f"the mean of {labels[i]!r} is {values[i]:g}, outside [0, {upper:g}]: "
            "set upper to a bound on the means, or shift them"
        )
    return values
