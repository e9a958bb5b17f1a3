"""What is found about a problem, as tables: who shows whom, the numbers of a structure, bounds.

`telling` prints them, and `sidelight analyze --csv` and `--latex` write them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from .bounds import Bound
from .bounds.titles import LOWER, LOWER_MEANING, METHODS, UPPER, UPPER_MEANING, unfinished
from .feedback import Feedback
from .labels import display, first_names
from .problem import Problem
from .sheet import Column, Sheet
from .simulate.statistics import short
from .structure import Actions, Bracket, Structure

MATRIX = "standard deviation of what playing the row shows of the column; not seen: "
LEAST, MOST = "at least", "at most"
WHY = "meaning, or why there is none"
NO_METHOD = ("", "none", "trivial")  # bounds that say in `why` how they were found
# Why a lower bound on given means is 0, where learning is not free on them.
NOTHING = {
    "asymptotic": "what must be known costs nothing here",
    "graves_lai": "what must be known costs nothing here",
    "finite_time": "this bound does not ask for any information in so few rounds",
    "general": "this bound does not ask for any information in so few rounds",
}


def matrix(feedback: Feedback, blank: str) -> Sheet:
    """Standard deviations: the row is played, the column is seen; `blank` if it is not seen."""

    def show(sigma: float) -> str:
        return f"{sigma:.3g}" if sigma < math.inf else blank

    names = [display(label) for label in feedback.labels]
    columns = Column("sigma", "", words=True), *(Column(name, name, show) for name in names)
    rows = zip(names, feedback.sigma.tolist(), strict=True)
    return Sheet(MATRIX + blank, columns, tuple((name, *row) for name, row in rows))


def numbers(found: Structure) -> Sheet:
    """The numbers of the structure, each with its meaning and the actions that show it."""
    rows: list[tuple[str, str, str]] = []

    def add(name: str, number: Bracket, meaning: str) -> None:
        rows.append((name, str(number), f"{meaning}: {_names(found, number.witness)}"))

    if found.weak:
        count = f"{len(found.weak)} of {len(found.feedback)} actions are seen weakly"
        rows.append(("observability", "weak", f"{count}: {_names(found, found.weak)}"))
    else:
        rows.append(("observability", "strong", "all actions are seen strongly"))
    add("independence number", found.independence, "the most actions of which none shows another")
    if found.weak:
        fewest = "the fewest actions that together show all weakly seen ones"
        add("weak domination number", found.domination, fewest)
        fractional = found.fractional_domination
        value = "not found: search stopped early" if math.isnan(fractional) else f"{fractional:.6g}"
        rows.append(("  fractional", value, "the same, if actions may be counted in parts"))
    elif not found.feedback.is_uniform:
        graded = found.effective_independence
        largest = (
            "leave out all observations with a sigma above s, and multiply the independence number "
            "of what is left by (s/s0)^2, where s0 is the least s that leaves every action seen "
            "strongly: this is the largest product for any s"
        )
        add("effective independence number", graded, largest)
        best = "the s of the largest product"
        rows.append(("  at s", f"{math.sqrt(graded.threshold):.4g}", best))
    head = ("structure", "value", "meaning")
    columns = tuple(Column(title, title, words=True, long=title == "meaning") for title in head)
    return Sheet("what the structure is worth", columns, tuple(rows))


def bounds(side: str, found: Mapping[str, Bound], horizon: float, free: str = "") -> Sheet:
    """The bounds from below ("at least") or from above ("at most").

    `free` says why learning costs nothing on these means, where that is so.
    """
    titles, meanings = (LOWER, LOWER_MEANING) if side == LEAST else (UPPER, UPPER_MEANING)
    columns = (
        Column(f"regret {side}", f"regret is {side}", words=True),
        Column("value", "value", _value),
        Column("meaning", WHY, words=True, long=True),
    )
    rows = tuple(
        (
            title,
            found[name].value if found[name].valid else None,
            bound_words(found[name], side, f"{meanings[name]}: ", free),
        )
        for name, title in titles.items()
        if name in found
    )
    return Sheet(f"regret is {side}, T = {short(horizon)}", columns, rows)


def _value(value: float | None) -> str:
    if value is None:
        return "-"
    return "infinite" if math.isinf(value) else short(value)


def bound_words(bound: Bound, side: str, meaning: str = "", free: str = "") -> str:
    """What a bound means and how it was found, or why there is none; why it is 0, if it is."""
    if not bound.valid:
        return bound.why
    vacuous = "; vacuous: nobody can lose so much" if bound.vacuous else ""
    unnamed = math.isinf(bound.value) or bound.method in NO_METHOD
    how = bound.why if unnamed else METHODS.get(bound.method, bound.method)
    if side == LEAST and bound.value == 0 and bound.name in NOTHING:
        how = f"0, because {free or NOTHING[bound.name]}"
    left = f"{said}, {side} {_value(bound.value)}: " if (said := unfinished(bound)) else ""
    return left + meaning + how + vacuous


def free(subject: Problem | Feedback) -> str:
    """Why learning costs nothing on these means; empty where it has a price."""
    if not isinstance(subject, Problem) or len(subject) == 1:
        return "there is only one action" if len(subject) == 1 else ""
    best = [i for i in np.flatnonzero(subject.gaps == 0) if subject.feedback.observes[i].all()]
    if not best:
        return ""
    return f"the best action, {display(subject.feedback.labels[best[0]])}, shows every action"


def _names(found: Structure, actions: Actions, most: int = 12) -> str:
    if not actions:
        return ""
    return "{" + first_names([display(found.feedback.labels[i]) for i in actions], most) + "}"
