"""What the command line prints: an analysis, and sentences about races; it computes nothing."""

from __future__ import annotations

from rich.console import Console

from .analysis import Analysis, told
from .outlook import advice
from .report.verdict import told_apart
from .simulate import Results
from .simulate.statistics import short
from .telling import show


def show_analysis(console: Console, analysis: Analysis) -> None:
    """Print the whole analysis of one problem."""
    show(console, told(analysis))


def verdict(results: Results) -> str:
    """Which policy lost least, how sure this is, and which policy to use for unknown means."""
    if len(results.policies) < 2:
        return advice(results) if results.posterior else ""
    if results.replicates < 2:
        return "One replicate says nothing about luck: use more (-n)."
    first, second, *_ = sorted(results.table().rows, key=lambda row: row.mean)
    gap = results.compare(second.policy, first.policy)
    pairs = results.comparisons()
    both = {first.policy, second.policy}
    among_all = next(pair for pair in pairs if {pair.first, pair.second} == both)
    interval = f"{short(gap.low)} to {short(gap.high)}"
    paired = f"{gap.confidence:.0%} interval of the paired difference: {interval}"
    if told_apart(among_all):
        said = (
            f"{first.policy} loses least, {short(gap.mean)} less than {second.policy} ({paired})."
        )
    else:
        many = f"; that may be luck among {len(pairs)} pairs" if gap.low > 0 else ""
        said = f"{first.policy} and {second.policy} cannot be told apart ({paired}{many})."
    return f"{said}\n{advice(results)}"
