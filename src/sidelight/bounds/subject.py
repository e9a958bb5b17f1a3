"""The problem that a certificate speaks about: in words, as data, and compared with another one.

A claim about regret on one problem holds for the means in the certificate. A minimax claim, and one
that no policy of some kind exists, hold for the feedback and the range of the means, whatever the
means are: those in the certificate are only the ones that show it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..feedback import Feedback
from ..labels import Label, display, first_names
from ..problem import Problem
from .case import Case, rational_variance
from .certificate import Certificate, exact_text
from .rational import float_up

# Means in a line, and characters of one of them: longer numbers are rounded.
MOST_MEANS, MOST_LETTERS = 8, 25


def holds_for_any_means(certificate: Certificate) -> bool:
    """Whether the claim speaks of all means in the range."""
    return certificate.claim == "minimax" or certificate.value == math.inf


def in_words(certificate: Certificate, labels: Sequence[Label] | None = None) -> str:
    """Number of actions, names if there are any, means and range: 'K actions, ... in [0, D]'."""
    case = certificate.case
    K = len(case.means)
    said = "1 action" if K == 1 else f"{K} actions"
    if labels is not None:
        said += f" ({first_names([display(label) for label in labels], MOST_MEANS)})"
    means = "any means"
    if not holds_for_any_means(certificate):
        means = f"means {first_names([_short(mean) for mean in case.means], MOST_MEANS)}"
    return f"{said}, {means} in [0, {_short(case.upper)}]"


def record(certificate: Certificate) -> dict[str, Any]:
    """Plain data for JSON; numbers are exact text, and means are null where any will do."""
    case = certificate.case
    any_means = holds_for_any_means(certificate)
    return {
        "actions": len(case.means),
        "means": None if any_means else [str(mean) for mean in case.means],
        "upper": str(case.upper),
        "horizon": None if case.horizon is None else str(case.horizon),
        "worst_case": None if case.worst_case is None else str(case.worst_case),
    }


def difference(certificate: Certificate, given: Problem | Feedback, upper: float) -> str | None:
    """How the problem of a certificate differs from the one given; None if the claim is about it.

    Actions are compared in their order, numbers exactly. `upper` is the range of the means given.
    """
    case = certificate.case
    feedback = given.feedback if isinstance(given, Problem) else given
    if len(case.means) != len(feedback):
        return f"it has {len(case.means)} actions, not {len(feedback)}"
    if case.variance != rational_variance(feedback):
        return _other_variance(case, feedback)
    if case.upper != Fraction(upper):
        return f"its means lie in [0, {_short(case.upper)}], not in [0, {_short(Fraction(upper))}]"
    return None if holds_for_any_means(certificate) else _other_mean(case, given)


def _other_variance(case: Case, feedback: Feedback) -> str:
    """The first observation that differs."""
    rows = zip(feedback.labels, case.variance, rational_variance(feedback), strict=True)
    played, ours, theirs = next(row for row in rows if row[1] != row[2])
    columns = zip(feedback.labels, ours, theirs, strict=True)
    shown, v, w = next(column for column in columns if column[1] != column[2])
    names = f"playing {display(played)!r} shows {display(shown)!r}"
    return f"{names} with variance {_seen(v)}, not {_seen(w)}"


def _other_mean(case: Case, given: Problem | Feedback) -> str | None:
    """The first mean that differs; None if none does."""
    if not isinstance(given, Problem):
        return "it is about particular means, and there are none in the file"
    rows = zip(given.feedback.labels, case.means, given.means.tolist(), strict=True)
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
