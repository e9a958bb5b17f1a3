"""The problem that a certificate speaks about: in words, as data, and compared with another one.

A claim about regret on one problem holds for the means in the certificate. A minimax claim, and one
that no policy of some kind exists, hold for the feedback and the range of the means, whatever the
means are: those in the certificate are only the ones that show it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..feedback import Feedback
from ..labels import Label, display, first_names
from ..problem import Problem
from ..setting import Setting
from .case import rational_variance
from .certificate import exact_text
from .index_proof import IndexProof
from .promise import Promise
from .proofs import SavedProof
from .rational import float_up

# Means in a line, and characters of one of them: longer numbers are rounded.
MOST_MEANS, MOST_LETTERS = 8, 25


@dataclass(frozen=True)
class Subject:
    """What a proof speaks about; `means` is None where it holds whatever the means are."""

    actions: int
    variance: tuple[tuple[Fraction | None, ...], ...]
    upper: Fraction
    horizon: Fraction | None
    worst_case: Fraction | None = None
    means: tuple[Fraction, ...] | None = None


def subject_of(proof: SavedProof) -> Subject:
    """The problem of a proof of any kind."""
    if isinstance(proof, Promise):
        plan = proof.plan
        return Subject(len(plan.variance), plan.variance, plan.upper, plan.horizon)
    if isinstance(proof, IndexProof):
        own = proof.schedule
        return Subject(len(own.variance), own.variance, own.upper, own.horizon)
    case = proof.case
    whatever = proof.claim == "minimax" or proof.value == math.inf
    means = None if whatever else case.means
    K = len(case.means)
    return Subject(K, case.variance, case.upper, case.horizon, case.worst_case, means)


def in_words(subject: Subject, labels: Sequence[Label] | None = None) -> str:
    """Number of actions, names if there are any, means and range: 'K actions, ... in [0, D]'."""
    K = subject.actions
    said = "1 action" if K == 1 else f"{K} actions"
    if labels is not None:
        said += f" ({first_names([display(label) for label in labels], MOST_MEANS)})"
    means = "any means"
    if subject.means is not None:
        means = f"means {first_names([_short(mean) for mean in subject.means], MOST_MEANS)}"
    return f"{said}, {means} in [0, {_short(subject.upper)}]"


def record(subject: Subject) -> dict[str, Any]:
    """Plain data for JSON; numbers are exact text, and means are null where any will do."""
    return {
        "actions": subject.actions,
        "means": None if subject.means is None else [str(mean) for mean in subject.means],
        "upper": str(subject.upper),
        "horizon": None if subject.horizon is None else str(subject.horizon),
        "worst_case": None if subject.worst_case is None else str(subject.worst_case),
    }


def difference(subject: Subject, given: Problem | Setting) -> str | None:
    """How the problem of a proof differs from the one given; None if the claim is about it.

    Actions are compared in their order, numbers exactly.
    """
    feedback, upper = given.feedback, Fraction(given.upper)
    if subject.actions != len(feedback):
        return f"it has {subject.actions} actions, not {len(feedback)}"
    if subject.variance != rational_variance(feedback):
        return _other_variance(subject, feedback)
    if subject.upper != upper:
        return f"its means lie in [0, {_short(subject.upper)}], not in [0, {_short(upper)}]"
    return None if subject.means is None else _other_mean(subject.means, given)


def _other_variance(subject: Subject, feedback: Feedback) -> str:
    """The first observation that differs."""
    rows = zip(feedback.labels, subject.variance, rational_variance(feedback), strict=True)
    played, ours, theirs = next(row for row in rows if row[1] != row[2])
    columns = zip(feedback.labels, ours, theirs, strict=True)
    shown, v, w = next(column for column in columns if column[1] != column[2])
    names = f"playing {display(played)!r} shows {display(shown)!r}"
    return f"{names} with variance {_seen(v)}, not {_seen(w)}"


def _other_mean(means: tuple[Fraction, ...], given: Problem | Setting) -> str | None:
    """The first mean that differs; None if none does."""
    if not isinstance(given, Problem):
        return "it is about particular means, and there are none in the file"
    rows = zip(given.feedback.labels, means, given.means.tolist(), strict=True)
    for label, mean, other in rows:
        if mean != Fraction(other):
            name = repr(display(label))
            return f"the mean of {name} is {_short(mean)}, not {_short(Fraction(other))}"
    return None


def _seen(variance: Fraction | None) -> str:
    return "inf" if variance is None else _short(variance)


def _short(x: Fraction) -> str:
    """A number as it is, or about what it is if that would be long."""
    text = exact_text(x)
    return text if len(text) <= MOST_LETTERS else f"about {float_up(x):.6g}"
