"""What the command line prints: tables for people. Nothing here computes."""

from __future__ import annotations

import math

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from .analysis import Analysis, caveats, meaning, model_name
from .feedback import Feedback
from .structure import Actions, Bracket, Structure

# A matrix larger than this says nothing to a reader.
MATRIX_UP_TO = 10


def show_analysis(console: Console, analysis: Analysis) -> None:
    """The whole analysis of one problem."""
    feedback, found = analysis.feedback, analysis.structure
    title = analysis.name or "unnamed problem"
    console.print(Text(f"{title}: {len(feedback)} actions, {model_name(feedback)}", style="bold"))
    console.print()
    if len(feedback) <= MATRIX_UP_TO:
        console.print(_matrix(feedback, found))
        console.print()
    console.print(_numbers(found))
    console.print()
    console.print(_paragraphs([meaning(found), *caveats(found)]))


def _paragraphs(sentences: list[str]) -> RenderableType:
    head, *rest = sentences
    return Group(Text(head, style="bold"), *(Text(sentence) for sentence in rest))


def _matrix(feedback: Feedback, found: Structure) -> Table:
    """Standard deviations, row = played; a dot where nothing is seen."""
    table = _table("playing", *(str(label) for label in feedback.labels))
    for i, label in enumerate(feedback.labels):
        cells = [
            f"{feedback.variance[i, j] ** 0.5:.3g}" if feedback.observes[i, j] else "·"
            for j in range(len(feedback))
        ]
        table.add_row(str(label), *cells)
    kinds = ["weak" if j in found.weak else "strong" for j in range(len(feedback))]
    table.add_section()
    table.add_row("observable", *kinds)
    table.title = "shows, with standard deviation"
    return table


def _numbers(found: Structure) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("structure", no_wrap=True)
    table.add_column("value", no_wrap=True)
    table.add_column("witness")

    def number(name: str, value: Bracket) -> None:
        table.add_row(name, str(value), _names(found, value.witness))

    seen_weakly = f"weak ({len(found.weak)} of {len(found.feedback)} actions)"
    table.add_row(
        "observability", seen_weakly if found.weak else "strong", _names(found, found.weak)
    )
    number("independence number", found.independence)
    if not found.feedback.is_uniform:
        number("effective independence number", found.effective_independence)
    number("weak domination number", found.domination)
    fractional = found.fractional_domination
    text = "not computed in time" if math.isnan(fractional) else f"{fractional:.6g}"
    table.add_row("  fractional", text, "")
    return table


def _names(found: Structure, actions: Actions, most: int = 12) -> str:
    if not actions:
        return ""
    names = [str(found.feedback.labels[i]) for i in actions]
    more = f", ... {len(names) - most} more" if len(names) > most else ""
    return "{" + ", ".join(names[:most]) + more + "}"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right", no_wrap=True)
    return table
