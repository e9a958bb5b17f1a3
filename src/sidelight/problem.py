"""A feedback structure together with the truth: the means that the learner does not know [sec:pre].

    theta in [0, upper]^K        the means; `upper` is the paper's D
    gap_i = max theta - theta_i  what one play of i costs
    R_T = sum_i E[N_i] gap_i     the regret, N_i the number of plays of i in T rounds

Means that were estimated, from a log for example, have standard errors e_i. Together they say what
is known of the truth: theta_i is Gaussian with mean `means[i]` and standard deviation e_i, given
that it lies in [0, upper] (`simulate/posterior.py` draws such means). `played` is what is done
today: how often each action is played now.

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

from . import cards, files, notebook, writing
from .document import Document
from .errors import InputError
from .feedback import Feedback
from .frames import ordered
from .labels import Labels, display
from .setting import Setting, check_text, setting_of
from .variances import Array, frozen, numbers


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Problem:
    """A `Feedback`, the true means, and the range [0, upper] of the means.

    The means come in the order of the actions, or by label: in a mapping or a Series of pandas,
    whose index must name the actions. Range and name are those of a `Setting`, if the feedback is
    one, and otherwise [0, 1] and none, unless they are given. `errors` are the standard errors of
    means that were estimated, `played` the plays of each action today: both come like the means.
    """

    feedback: Feedback
    means: Array
    upper: float
    name: str
    errors: Array | None
    played: Array | None

    def __init__(
        self,
        feedback: Feedback,
        means: npt.ArrayLike | Mapping[Any, float],
        upper: float | None = None,
        *,
        name: str | None = None,
        errors: npt.ArrayLike | Mapping[Any, float] | None = None,
        played: npt.ArrayLike | Mapping[Any, float] | None = None,
    ) -> None:
        if not isinstance(feedback, Feedback):
            raise InputError(f"a Problem needs a Feedback first, not {type(feedback).__name__}")
        known = setting_of(feedback, upper)
        object.__setattr__(self, "feedback", known.feedback)
        object.__setattr__(self, "means", frozen(_check_means(means, known)))
        object.__setattr__(self, "upper", known.upper)
        object.__setattr__(self, "name", known.name if name is None else check_text(name))
        object.__setattr__(self, "errors", _check_errors(errors, known))
        object.__setattr__(self, "played", _check_played(played, known))

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
            self.feedback.labels,
            self.feedback.variance,
            self.means,
            self.upper,
            self.name,
            self.errors,
            self.played,
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
            and _same(self.errors, other.errors)
            and _same(self.played, other.played)
        )

    def __hash__(self) -> int:
        return hash((self.feedback, self.means.tobytes(), self.upper, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return from_document, (self.to_document(),)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        best = self.feedback.labels[self.best]
        return f"<Problem{name}: {len(self)} actions, best {best!r}, means in [0, {self.upper:g}]>"

    def _repr_html_(self) -> str:
        head = ("action", "mean", "gap", *(["error"] if self.errors is not None else []))
        errors = [] if self.errors is None else [self.errors]
        columns = zip(self.means, self.gaps, *errors, strict=True)
        rows = [
            [display(label), *(f"{number:.4g}" for number in numbers)]
            for label, numbers in zip(self.feedback.labels, columns, strict=True)
        ]
        shown = cards.numbers("Means of the actions", head, rows[: cards.TABLE_UP_TO], 1)
        matrix = cards.deviations(self.feedback.labels, self.feedback.variance)
        return cards.card(repr(self)[1:-1], shown, matrix)


def load(path: writing.StrPath) -> Problem | Setting:
    """The problem in a .toml, .json, .csv or .npy file, or its setting where it has no means."""
    with notebook.following(f"reading {path}") as line:
        found = from_document(files.read(path), where=str(path))
        line.end = f"{path}: {len(found)} actions"
    return found


def from_document(document: Document, where: str = "the document") -> Problem | Setting:
    """Check the plain data of a file and make a `Problem` of it, or a `Setting` without means."""
    try:
        feedback = Feedback(document.variance, document.labels)
        if document.means is None:
            return Setting(feedback, document.upper, name=document.name)
        return Problem(
            feedback,
            document.means,
            document.upper,
            name=document.name,
            errors=document.errors,
            played=document.played,
        )
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _same(one: Array | None, other: Array | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


def _one_each(values: npt.ArrayLike | Mapping[Any, float], labels: Labels, what: str) -> Array:
    found = numbers(ordered(values, labels, what), what)
    if found.shape != (len(labels),):
        raise InputError(
            f"{what} has shape {found.shape} for {len(labels)} actions: give one for each action"
        )
    return found


def _check_errors(
    errors: npt.ArrayLike | Mapping[Any, float] | None, known: Setting
) -> Array | None:
    if errors is None:
        return None
    values = _one_each(errors, known.labels, "errors")
    wrong = np.flatnonzero(~((values >= 0) & (values < np.inf)))
    if len(wrong):
        i = wrong[0]
        raise InputError(
            f"the standard error of {known.labels[i]!r} is {values[i]:g}: it must be a finite "
            "number, 0 where the mean is known exactly"
        )
    return frozen(values)


def _check_played(
    played: npt.ArrayLike | Mapping[Any, float] | None, known: Setting
) -> Array | None:
    if played is None:
        return None
    values = _one_each(played, known.labels, "played")
    if not ((values >= 0) & (values < np.inf)).all() or not 0 < values.sum() < np.inf:
        raise InputError(
            "played says how often each action is played today: numbers that are not negative, "
            "and not all 0"
        )
    return frozen(values)


def _check_means(means: npt.ArrayLike | Mapping[Any, float], known: Setting) -> Array:
    labels, upper = known.labels, known.upper
    values = _one_each(means, labels, "means")
    outside = np.flatnonzero(~((values >= 0) & (values <= upper)))
    if len(outside):
        i = outside[0]
        raise InputError(
            f"the mean of {labels[i]!r} is {values[i]:g}, outside [0, {upper:g}]: "
            "set upper to a bound on the means, or shift them"
        )
    return values
