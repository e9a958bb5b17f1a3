"""What the command line prints: tables for people. Nothing here computes."""

from __future__ import annotations

import math

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from .analysis import Analysis, caveats, meaning, model_name, prices
from .bounds import Bound
from .bounds.titles import LOWER, METHODS, UPPER, unfinished
from .feedback import Feedback
from .labels import display, first_names
from .recommend import hindsight
from .report.verdict import told_apart
from .simulate import Results
from .simulate.statistics import short
from .structure import Actions, Bracket, Structure

# A matrix larger than this says nothing to a reader.
MATRIX_UP_TO = 10


def show_analysis(console: Console, analysis: Analysis) -> None:
    """The whole analysis of one problem."""
    feedback, found = analysis.feedback, analysis.structure
    title = display(analysis.name) or "unnamed problem"
    count = "1 action" if len(feedback) == 1 else f"{len(feedback)} actions"
    console.print(Text(f"{title}: {count}, {model_name(feedback)}", style="bold"))
    console.print()
    if len(feedback) <= MATRIX_UP_TO:
        matrix = _matrix(feedback, found, blank="·" if console.encoding == "utf-8" else ".")
        roomy = console.options.update(max_width=10_000)
        if Measurement.get(console, roomy, matrix).maximum <= console.width:
            console.print(Text("what playing the row shows of the column (standard deviations)"))
            console.print(matrix)
        else:
            console.print(Text("(the matrix does not fit in this width; --json has it)"))
        console.print()
    console.print(_numbers(found))
    console.print()
    _show_bounds(console, analysis)
    console.print(Text(meaning(found), style="bold"))
    for sentence in (prices(analysis), *caveats(found)):
        if sentence:
            console.print(Text(sentence))
    console.print(Text(f"recommended policy: {analysis.recommendation}"))


def verdict(results: Results) -> str:
    """Who lost least, how sure that is among so many pairs, and what to use with other means."""
    if len(results.policies) < 2:
        return ""
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
    return f"{said}\n{hindsight(results)}"


def _matrix(feedback: Feedback, found: Structure, blank: str) -> Table:
    """Standard deviations, row = played; `blank` where nothing is seen."""
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


def _numbers(found: Structure) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("structure", "value", "witness"):
        table.add_column(title, overflow="fold")

    def add(name: str, number: Bracket) -> None:
        _add(table, name, str(number), _names(found, number.witness))

    weak = f"weak ({len(found.weak)} of {len(found.feedback)} actions)" if found.weak else "strong"
    _add(table, "observability", weak, _names(found, found.weak))
    add("independence number", found.independence)
    if found.weak:
        add("weak domination number", found.domination)
        fractional = found.fractional_domination
        value = "not found: search stopped early" if math.isnan(fractional) else f"{fractional:.6g}"
        _add(table, "  fractional", value, "")
    elif not found.feedback.is_uniform:
        graded = found.effective_independence
        add("effective independence number", graded)
        _add(table, "  among variances up to", f"{graded.threshold:.4g}", "")
    return table


def _show_bounds(console: Console, analysis: Analysis) -> None:
    T, B = analysis.horizon, analysis.worst_case
    said = f"T = {T:g}; b and b' for policies with regret of at most B = {B:.4g} on any means"
    if analysis.worst_case_from != "given":
        said += f" (the minimax rate {analysis.worst_case_from})"
    if "general" in analysis.bounds:
        console.print(Text(said))
    for title, names, found in (
        ("regret is at least", LOWER, analysis.bounds),
        ("regret is at most", UPPER, analysis.guarantees),
    ):
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column(title, overflow="fold", min_width=12)
        table.add_column("value", no_wrap=True, justify="right")
        table.add_column("how, or why not", overflow="fold")
        for name in names:
            if name in found:
                _add(table, names[name], *_cells(found[name], title.removeprefix("regret is ")))
        console.print(table)
        console.print()


def _cells(bound: Bound, side: str) -> tuple[str, str]:
    if not bound.valid:
        return "-", bound.why
    vacuous = "; vacuous" if bound.vacuous else ""
    value = "infinite" if math.isinf(bound.value) else f"{bound.value:.4g}"
    how = bound.why if math.isinf(bound.value) else METHODS.get(bound.method, bound.method)
    left = f"{said}, {side} {value}: " if (said := unfinished(bound)) else ""
    return value, left + how + vacuous


def _names(found: Structure, actions: Actions, most: int = 12) -> str:
    if not actions:
        return ""
    return "{" + first_names([display(found.feedback.labels[i]) for i in actions], most) + "}"


def _add(table: Table, *cells: str) -> None:
    # As Text: a label may hold square brackets, which rich would read as markup.
    table.add_row(*(Text(cell) for cell in cells))
