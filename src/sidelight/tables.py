"""An analysis for people: as text for a terminal, as a card for a notebook. Both say the same.

Nothing is computed here: `Told` holds the sentences, and tables are made of what was found.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from . import cards
from .bounds import Bound
from .bounds.titles import LOWER, LOWER_MEANING, METHODS, UPPER, UPPER_MEANING, unfinished
from .feedback import Feedback
from .labels import display, first_names
from .structure import HEAD, ROWS, Actions, Bracket, Structure

SEEN = "strongly: the action shows itself, or all other actions show it; weakly: neither"
# The symbols in the formulas of `curves.minimax_rate`.
SYMBOLS = {
    "(D R)^(1/3) T^(2/3)": "the means lie in [0, D]; R is the least number of plays, counted in "
    "parts, that gives the information 1 (a sum of 1/variance) about every weakly seen action",
    "sqrt(r E T)": "E is the effective independence number, which is the independence number if "
    "all variances are equal; r is the least variance v such that observations of variance up to v "
    "leave every action seen (strongly, if all were)",
    "K D: one exact look at each action is enough": "K is the number of actions; the means lie in "
    "[0, D]",
}
NO_METHOD = ("", "none", "trivial")  # bounds that say in `why` how they were found
LEAST, MOST = "at least", "at most"
WHY = "meaning, or why there is none"
# A matrix larger than this says nothing to a reader.
MATRIX_UP_TO = 10


PAPER = 80  # letters in a line of text that no terminal shows


@dataclass(frozen=True, eq=False)
class Told:
    """What is said about a problem: sentences before, between and after the tables."""

    title: str
    worst_case: str
    structure: Structure
    about_bounds: tuple[str, ...]
    bounds: Mapping[str, Bound]
    guarantees: Mapping[str, Bound]
    meaning: str
    advice: tuple[str, ...]


def show(console: Console, told: Told) -> None:
    """Print everything."""
    found, feedback = told.structure, told.structure.feedback
    console.print(Text(told.title, style="bold"))
    console.print(Text(told.worst_case))
    console.print()
    if len(feedback) <= MATRIX_UP_TO:
        blank = "\N{MIDDLE DOT}" if console.encoding == "utf-8" else "."
        drawn = matrix(feedback, found, blank)
        roomy = console.options.update(max_width=10_000)
        if Measurement.get(console, roomy, drawn).maximum <= console.width:
            said = "standard deviation of what playing the row shows of the column; not seen: "
            console.print(Text(said + blank))
            console.print(drawn)
            console.print(Text(SEEN))
        else:
            console.print(Text("(the matrix does not fit in this width; --json has it)"))
        console.print()
    console.print(structure_table(found))
    console.print()
    for sentence in told.about_bounds:
        console.print(Text(sentence))
    console.print()
    for side, bounds in ((LEAST, told.bounds), (MOST, told.guarantees)):
        console.print(bounds_table(side, bounds))
        console.print()
    console.print(Text(told.meaning, style="bold"))
    for sentence in told.advice:
        console.print(Text(sentence))


def as_text(told: Told) -> str:
    """What the command prints into a file."""
    stream = io.StringIO()
    show(Console(file=stream, width=PAPER, color_system=None, force_jupyter=False), told)
    return stream.getvalue()


def as_card(told: Told) -> str:
    """The same for a notebook."""
    feedback = told.structure.feedback
    parts = [
        cards.words(told.worst_case),
        cards.deviations(feedback.labels, feedback.variance),
        cards.numbers(ROWS, HEAD, told.structure.rows(), 4),
        *map(cards.words, told.about_bounds),
    ]
    for side, bounds in ((LEAST, told.bounds), (MOST, told.guarantees)):
        rows = [(name, why, value) for name, value, why in bounds_rows(side, bounds)]
        head = ("bound", WHY, "value")
        parts.append(cards.numbers(f"Regret is {side}", head, rows, 2))
    return cards.card(told.title, *parts, *map(cards.words, (told.meaning, *told.advice)))


def matrix(feedback: Feedback, found: Structure, blank: str) -> Table:
    """Standard deviations: the row is played, the column is seen; `blank` if it is not seen."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    for label in feedback.labels:
        table.add_column(Text(display(label)), justify="right", no_wrap=True)
    for i, label in enumerate(feedback.labels):
        cells = [
            f"{math.sqrt(feedback.variance[i, j]):.3g}" if feedback.observes[i, j] else blank
            for j in range(len(feedback))
        ]
        _add(table, display(label), *cells)
    table.add_section()
    _add(
        table, "seen", *("weakly" if j in found.weak else "strongly" for j in range(len(feedback)))
    )
    return table


def structure_table(found: Structure) -> Table:
    """The numbers of the structure, each with its meaning and the actions that show it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("structure", "value", "meaning"):
        table.add_column(title, overflow="fold")

    def add(name: str, number: Bracket, meaning: str) -> None:
        _add(table, name, str(number), f"{meaning}: {_names(found, number.witness)}")

    if found.weak:
        count = f"{len(found.weak)} of {len(found.feedback)} actions are seen weakly"
        _add(table, "observability", "weak", f"{count}: {_names(found, found.weak)}")
    else:
        _add(table, "observability", "strong", "all actions are seen strongly")
    add("independence number", found.independence, "the most actions of which none shows another")
    if found.weak:
        fewest = "the fewest actions that together show all weakly seen ones"
        add("weak domination number", found.domination, fewest)
        fractional = found.fractional_domination
        value = "not found: search stopped early" if math.isnan(fractional) else f"{fractional:.6g}"
        _add(table, "  fractional", value, "the same, if actions may be counted in parts")
    elif not found.feedback.is_uniform:
        graded = found.effective_independence
        least = (
            "v/r times the independence number, if only observations of variance up to v count, "
            "for the best v; r is the least v that leaves every action seen (strongly, if all were)"
        )
        add("effective independence number", graded, least)
        _add(table, "  among variances up to", f"{graded.threshold:.4g}", "the best v")
    return table


def bounds_rows(side: str, found: Mapping[str, Bound]) -> list[tuple[str, str, str]]:
    """Every bound in words: its title, its value, and its meaning or why there is none."""
    titles, meanings = (LOWER, LOWER_MEANING) if side == LEAST else (UPPER, UPPER_MEANING)
    return [
        (titles[name], *cells(found[name], side, f"{meanings[name]}: "))
        for name in titles
        if name in found
    ]


def bounds_table(side: str, found: Mapping[str, Bound]) -> Table:
    """The bounds from below ("at least") or from above ("at most")."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(f"regret is {side}", overflow="fold", min_width=12)
    table.add_column("value", no_wrap=True, justify="right")
    table.add_column(WHY, overflow="fold")
    for row in bounds_rows(side, found):
        _add(table, *row)
    return table


def cells(bound: Bound, side: str, meaning: str = "") -> tuple[str, str]:
    """The value of a bound, and its meaning or why there is none."""
    if not bound.valid:
        return "-", bound.why
    vacuous = "; vacuous: nobody can lose so much" if bound.vacuous else ""
    value = "infinite" if math.isinf(bound.value) else f"{bound.value:.4g}"
    unnamed = math.isinf(bound.value) or bound.method in NO_METHOD
    how = bound.why if unnamed else METHODS.get(bound.method, bound.method)
    left = f"{said}, {side} {value}: " if (said := unfinished(bound)) else ""
    return value, left + meaning + how + vacuous


def _names(found: Structure, actions: Actions, most: int = 12) -> str:
    if not actions:
        return ""
    return "{" + first_names([display(found.feedback.labels[i]) for i in actions], most) + "}"


def _add(table: Table, *cells: str) -> None:
    # As Text: a label may hold square brackets, which rich would read as markup.
    table.add_row(*(Text(cell) for cell in cells))
