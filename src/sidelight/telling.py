"""An analysis for people: as text for a terminal, as a card for a notebook. Both say the same.

Nothing is computed here: `Told` holds the sentences, and `tables` makes tables of what was found.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from . import cards, tables
from .bounds import Bound
from .sheet import Sheet
from .structure import HEAD, ROWS, Structure
from .tables import LEAST, MOST

SEEN = "strongly: the action shows itself, or all other actions show it; weakly: neither"
# The symbols in the formulas of `curves.minimax_rate`.
SYMBOLS = {
    "(upper R)^(1/3) T^(2/3)": "the means lie in [0, upper]; R is the least number of plays, "
    "counted in parts, that gives the information 1 (a sum of 1/variance) about every "
    "weakly seen action",
    "s0 sqrt(E T)": "E is the effective independence number, which is the independence number if "
    "all sigmas are equal; s0 is the least sigma for which observations with a sigma of at most s0 "
    "are enough to see every action (strongly, if all are seen strongly)",
    "K upper: one exact look at each action is enough": "K is the number of actions; the means lie "
    "in [0, upper]",
}
# A matrix larger than this says nothing to a reader.
MATRIX_UP_TO = 10
PAPER = 80  # letters in a line of text that no terminal shows


@dataclass(frozen=True, eq=False)
class Told:
    """What is said about a problem: sentences before, between and after the tables."""

    title: str
    worst_case: str
    structure: Structure
    horizon: float
    about_bounds: tuple[str, ...]
    bounds: Mapping[str, Bound]
    guarantees: Mapping[str, Bound]
    meaning: str
    advice: tuple[str, ...]
    free: str = ""  # why learning costs nothing on these means, where that is so

    @property
    def both_sides(self) -> tuple[Sheet, Sheet]:
        """What no policy can avoid losing, and what policies promise not to exceed."""
        lower = tables.bounds(LEAST, self.bounds, self.horizon, self.free)
        return lower, tables.bounds(MOST, self.guarantees, self.horizon)

    @property
    def sheets(self) -> tuple[Sheet, ...]:
        """All tables."""
        found = self.structure
        return tables.matrix(found.feedback, "-"), tables.numbers(found), *self.both_sides


def show(console: Console, told: Told) -> None:
    """Print everything."""
    found, feedback = told.structure, told.structure.feedback
    console.print(Text(told.title, style="bold"))
    console.print(Text(told.worst_case))
    console.print()
    if len(feedback) <= MATRIX_UP_TO:
        blank = "\N{MIDDLE DOT}" if console.encoding == "utf-8" else "."
        drawn = _matrix(found, blank)
        roomy = console.options.update(max_width=10_000)
        if Measurement.get(console, roomy, drawn).maximum <= console.width:
            console.print(Text(tables.MATRIX + blank))
            console.print(drawn)
            console.print(Text(SEEN))
        else:
            console.print(Text("(the matrix does not fit in this width; --json has it)"))
        console.print()
    console.print(_numbers(found))
    console.print()
    for sentence in told.about_bounds:
        console.print(Text(sentence))
    console.print()
    for sheet in told.both_sides:
        console.print(_bounds(sheet))
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
    for side, sheet in zip((LEAST, MOST), told.both_sides, strict=True):
        rows = [(name, why, value) for name, value, why in sheet.cells[1:]]
        head = ("bound", tables.WHY, "value")
        parts.append(cards.numbers(f"Regret is {side}", head, rows, 2))
    return cards.card(told.title, *parts, *map(cards.words, (told.meaning, *told.advice)))


def _matrix(found: Structure, blank: str) -> Table:
    """Standard deviations, and below them how well each action is seen."""
    sheet = tables.matrix(found.feedback, blank)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in sheet.columns:
        title = Text(column.title)
        table.add_column(title, justify="left" if column.words else "right", no_wrap=True)
    _add_all(table, sheet)
    table.add_section()
    seen = ("weakly" if j in found.weak else "strongly" for j in range(len(found.feedback)))
    _add(table, "seen", *seen)
    return table


def _numbers(found: Structure) -> Table:
    """The numbers of the structure, each with its meaning and the actions that show it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    sheet = tables.numbers(found)
    for column in sheet.columns:
        table.add_column(column.title, overflow="fold")
    _add_all(table, sheet)
    return table


def _bounds(sheet: Sheet) -> Table:
    name, value, meaning = sheet.columns
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(name.title, overflow="fold", min_width=12)
    table.add_column(value.title, no_wrap=True, justify="right")
    table.add_column(meaning.title, overflow="fold")
    _add_all(table, sheet)
    return table


def _add_all(table: Table, sheet: Sheet) -> None:
    for row in sheet.cells[1:]:
        _add(table, *row)


def _add(table: Table, *cells: str) -> None:
    # As Text: a label may hold square brackets, which rich would read as markup.
    table.add_row(*(Text(cell) for cell in cells))
