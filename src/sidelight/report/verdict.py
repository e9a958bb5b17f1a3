"""Who lost least in a race, and whether that is more than luck: in words.

Two policies are told apart if the p-value of their paired difference, after Holm's correction for
all pairs of the race, is at most 5 %. The terminal (`console`) has a shorter sentence than the
page, and the same rule.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..labels import display, joined
from ..simulate.remarks import clairvoyant
from ..simulate.results import Results
from ..simulate.statistics import CONFIDENCE, Difference, interval, short

LEVEL = 1 - CONFIDENCE


def told_apart(pair: Difference) -> bool:
    """Whether the two differ by more than luck, after Holm's correction."""
    return pair.adjusted <= LEVEL


def verdict(results: Results) -> str:
    """Who lost least, and whether that is more than luck, in two sentences."""
    if not results.final.any() and not results.problem.gaps.any():
        alike = "there is only one action" if len(results.problem) == 1 else "all actions are best"
        return f"Nothing was lost, and nothing can be: {alike}."
    told = clairvoyant(results)
    means = {row.policy: row.mean for row in results.table().rows}
    fair = [name for name in results.policies if name not in told] or list(results.policies)
    least = min(means[name] for name in fair)
    best = [name for name in fair if means[name] == least]
    lost = f"{_leaders(best, fair, bool(told))} {short(least)}"
    if results.replicates < 2:
        return f"{lost}. One run says nothing about luck."
    lost += " on average"
    if len(best) == 1:  # policies with the same mean may have different intervals
        low, high = interval(results.final[results.policies.index(best[0])])
        lost += f" (95% interval {span(low, high)})"
    pairs = [pair for pair in results.comparisons() if {pair.first, pair.second} <= set(fair)]
    return f"{lost}. {_lead(best, pairs)}".rstrip()


def _leaders(best: list[str], fair: list[str], told: bool) -> str:
    """The beginning of the sentence: who lost least. The number follows it."""
    among = " of those that are not told the means" if told else ""
    if len(fair) == 1:
        return f"{display(best[0])} lost"
    if len(best) == 1:
        return f"{display(best[0])} lost least{among}:"
    if len(best) == len(fair) > 2:
        return f"All {len(fair)} policies{among.replace('of those ', '')} lost the same:"
    names = [display(name) for name in best]
    named = joined(names)
    if len(best) == len(fair):
        return f"{named} lost the same:"
    return f"{named} lost least{among}, and the same:"


def _lead(best: list[str], race: Sequence[Difference]) -> str:
    """How sure the lead is, after Holm's correction over all pairs of the race."""
    pairs = [pair for pair in race if (pair.first in best) != (pair.second in best)]
    if not pairs:
        return ""
    it, its = ("It", "Its") if len(best) == 1 else ("They", "Their")
    equal = list(dict.fromkeys(_other(pair, best) for pair in pairs if not told_apart(pair)))
    others = {_other(pair, best) for pair in pairs}
    if equal:
        names = ", ".join(map(display, equal[:5])) + (", …" if len(equal) > 5 else "")
        most = max(pair.adjusted for pair in pairs)
        sure = f"cannot be told apart from {names} (p up to {most:.2g} after Holm's correction)."
        rest = f" {its} lead over all others is significant." if len(equal) < len(others) else ""
        return f"{it} {sure}{rest}"
    near = min(pairs, key=lambda pair: abs(pair.mean))
    ends = sorted((abs(near.low), abs(near.high)))
    closest = (
        f"{display(_other(near, best))} lost {short(abs(near.mean))} more (95% interval "
        f"{span(*ends)})"
    )
    p = _p_value(max(pair.adjusted for pair in pairs))
    if len(others) == 1:
        return f"{closest}, a significant difference ({p})."
    return (
        f"{its} lead over each of the others is significant after Holm's correction ({p}); the "
        f"closest, {closest}."
    )


def _other(pair: Difference, best: list[str]) -> str:
    return pair.second if pair.first in best else pair.first


def _p_value(p: float) -> str:
    return f"p {plain_p(p)}" if p < 1e-4 else f"p = {p:.2g}"


def span(low: float, high: float) -> str:
    """The ends of an interval; that of a single run has none."""
    return f"{short(low)} to {short(high)}" if math.isfinite(high) else "unknown"


def plain_p(p: float) -> str:
    """A p-value, or that it is tiny."""
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}"
