"""The tables and sentences that the command line prints. Nothing is computed here."""

from __future__ import annotations

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from . import tables
from .analysis import Analysis, caveats, meaning, model_name, prices, squeezed
from .feedback import Feedback
from .labels import display
from .outlook import advice
from .report.verdict import told_apart
from .sheet import Sheet
from .simulate import Results
from .simulate.statistics import short
from .structure import Structure

SEEN = "strongly: the action shows itself, or all other actions show it; weakly: neither"
# The symbols in the formulas of `curves.minimax_rate`.
SYMBOLS = {
    "(D R)^(1/3) T^(2/3)": "the means lie in [0, D]; R is the least number of plays, counted in "
    "parts, that gives the information 1 (a sum of 1/variance) about every weakly seen action",
    "sqrt(r E T)": "E is the effective independence number, which is the independence number if "
    "all sigmas are equal; r is the square of the least sigma such that observations with at most "
    "that sigma leave every action seen (strongly, if all were)",
    "K D: one exact look at each action is enough": "K is the number of actions; the means lie in "
    "[0, D]",
}
# A matrix larger than this says nothing to a reader.
MATRIX_UP_TO = 10


def show_analysis(console: Console, analysis: Analysis) -> None:
    """Print the whole analysis of one problem."""
    feedback, found = analysis.feedback, analysis.structure
    title = display(analysis.name) or "unnamed problem"
    count = "1 action" if len(feedback) == 1 else f"{len(feedback)} actions"
    console.print(Text(f"{title}: {count}, {model_name(feedback)}", style="bold"))
    console.print(Text(squeezed(analysis)))
    console.print()
    if len(feedback) <= MATRIX_UP_TO:
        blank = "·" if console.encoding == "utf-8" else "."
        matrix = _matrix(feedback, found, blank)
        roomy = console.options.update(max_width=10_000)
        if Measurement.get(console, roomy, matrix).maximum <= console.width:
            console.print(Text(tables.MATRIX + blank))
            console.print(matrix)
            console.print(Text(SEEN))
        else:
            console.print(Text("(the matrix does not fit in this width; --json has it)"))
        console.print()
    console.print(_numbers(found))
    console.print()
    _show_bounds(console, analysis)
    console.print(Text(meaning(found), style="bold"))
    for sentence in (prices(analysis), *caveats(found), _estimated(analysis)):
        if sentence:
            console.print(Text(sentence))
    console.print(Text(f"recommended policy: {analysis.recommendation}"))


def _estimated(analysis: Analysis) -> str:
    """A word on means that are estimates."""
    if getattr(analysis.subject, "errors", None) is None:
        return ""
    return (
        "The means are estimates, and what is said about these means does not weigh their errors; "
        "`sidelight race --means posterior` does."
    )


def verdict(results: Results) -> str:
    """Which policy lost least, how sure this is, and which policy to use for unknown means."""
    if len(results.policies) < 2:
        return advice(results) if results.posterior else ""
    if results.replicates < 2:
        return "One replicate says nothing about luck: use more (-n)."
    first, second, *_ = sorted(results.table().rows, key=lambda row: row.mean)
    gap = results.compare(second.policy, first.policy)
    among_all = next(
        pair
        for pair in results.comparisons()
        if {pair.first, pair.second} == {first.policy, second.policy}
    )
    interval = f"{short(gap.low)} to {short(gap.high)}"
    paired = f"{gap.confidence:.0%} interval of the paired difference: {interval}"
    if told_apart(among_all):
        said = (
            f"{first.policy} loses least, {short(gap.mean)} less than {second.policy} ({paired})."
        )
    else:
        said = f"{first.policy} and {second.policy} cannot be told apart ({paired})."
    return f"{said}\n{advice(results)}"


def _matrix(feedback: Feedback, found: Structure, blank: str) -> Table:
    """The matrix, and below it how well each action is seen."""
    sheet = tables.matrix(feedback, blank)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in sheet.columns:
        table.add_column(
            Text(column.title), justify="left" if column.words else "right", no_wrap=True
        )
    _add_all(table, sheet)
    table.add_section()
    _add(
        table, "seen", *("weakly" if j in found.weak else "strongly" for j in range(len(feedback)))
    )
    return table


def _numbers(found: Structure) -> Table:
    """The numbers of the structure, each with its meaning and the actions that show it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    sheet = tables.numbers(found)
    for column in sheet.columns:
        table.add_column(column.title, overflow="fold")
    _add_all(table, sheet)
    return table


def _show_bounds(console: Console, analysis: Analysis) -> None:
    T, B = analysis.horizon, analysis.worst_case
    said = f"regret: the expected loss in T = {T:g} rounds against playing the best action"
    console.print(Text(said))
    if "general" in analysis.bounds:
        console.print(
            Text(f"b and b' speak of policies with regret of at most B = {B:.4g} on any means")
        )
        if analysis.worst_case_from != "given":
            rate = analysis.worst_case_from
            console.print(Text(f"(B is the minimax rate {rate}; {SYMBOLS[rate]})"))
    console.print()
    for sheet in (tables.lower_bounds(analysis), tables.upper_bounds(analysis)):
        name, value, meaning = sheet.columns
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column(name.title, overflow="fold", min_width=12)
        table.add_column(value.title, no_wrap=True, justify="right")
        table.add_column(meaning.title, overflow="fold")
        _add_all(table, sheet)
        console.print(table)
        console.print()


def _add_all(table: Table, sheet: Sheet) -> None:
    for row in sheet.cells[1:]:
        _add(table, *row)


def _add(table: Table, *cells: str) -> None:
    # As Text: a label may hold square brackets, which rich would read as markup.
    table.add_row(*(Text(cell) for cell in cells))
