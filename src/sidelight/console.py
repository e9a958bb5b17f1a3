"""The tables and sentences that the command line prints. Nothing is computed here."""

from __future__ import annotations

import math

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from .analysis import Analysis, caveats, meaning, model_name, prices, squeezed
from .bounds import Bound
from .bounds.titles import LOWER, LOWER_MEANING, METHODS, UPPER, UPPER_MEANING, unfinished
from .feedback import Feedback
from .labels import display, first_names
from .outlook import advice
from .report.verdict import told_apart
from .simulate import Results
from .simulate.statistics import short
from .structure import Actions, Bracket, Structure

SEEN = "strongly: the action shows itself, or all other actions show it; weakly: neither"
# The symbols in the formulas of `curves.minimax_rate`.
SYMBOLS = {
    "(upper R)^(1/3) T^(2/3)": "the means lie in [0, upper]; R is the least number of plays, "
    "counted in parts, that gives the information 1 (a sum of 1/variance) about every "
    "weakly seen action",
    "sqrt(r E T)": "E is the effective independence number, which is the independence number if "
    "all variances are equal; r is the least variance v such that observations of variance up to v "
    "leave every action seen (strongly, if all were)",
    "K upper: one exact look at each action is enough": "K is the number of actions; the means lie "
    "in [0, upper]",
}
NO_METHOD = ("", "none", "trivial")  # bounds that say in `why` how they were found
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
            said = "standard deviation of what playing the row shows of the column; not seen: "
            console.print(Text(said + blank))
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


def _numbers(found: Structure) -> Table:
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


def _show_bounds(console: Console, analysis: Analysis) -> None:
    T, B = analysis.horizon, analysis.worst_case
    said = f"regret: the expected loss in T = {short(T)} rounds against playing the best action"
    console.print(Text(said))
    if "general" in analysis.bounds:
        console.print(
            Text(f"b and b' speak of policies with regret of at most B = {short(B)} on any means")
        )
        if analysis.worst_case_from != "given":
            rate = analysis.worst_case_from
            console.print(Text(f"(B is the minimax rate {rate}; {SYMBOLS[rate]})"))
    console.print()
    for title, names, meanings, found in (
        ("regret is at least", LOWER, LOWER_MEANING, analysis.bounds),
        ("regret is at most", UPPER, UPPER_MEANING, analysis.guarantees),
    ):
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column(title, overflow="fold", min_width=12)
        table.add_column("value", no_wrap=True, justify="right")
        table.add_column("meaning, or why there is none", overflow="fold")
        for name in names:
            if name in found:
                side = title.removeprefix("regret is ")
                _add(table, names[name], *_cells(found[name], side, f"{meanings[name]}: "))
        console.print(table)
        console.print()


def _cells(bound: Bound, side: str, meaning: str = "") -> tuple[str, str]:
    if not bound.valid:
        return "-", bound.why
    vacuous = "; vacuous: nobody can lose so much" if bound.vacuous else ""
    value = "infinite" if math.isinf(bound.value) else short(bound.value)
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
