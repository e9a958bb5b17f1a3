"""A fit from its definitions: rows one by one, in lists; laws and tests of scipy.stats."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from scipy import stats

Row = tuple[Any, Any, Any, float]  # round, played, observed, value
Name = tuple[Any, Any]  # played, observed


class Fitted(NamedTuple):
    """What a log says."""

    values: Mapping[Name, list[float]]
    dropped: int
    variance: Mapping[Name, float]
    biased: set[Name]
    not_gaussian: set[Name]
    mean: Mapping[Any, float]
    margin: Mapping[Any, float]
    plays: Mapping[Any, int]


def anderson(values: list[float]) -> float:
    """The p-value of Anderson and Darling's test with estimated mean and variance."""
    n, x = len(values), sorted(values)
    law = stats.norm(statistics.fmean(x), statistics.stdev(x))
    total = sum((2 * k + 1) * (law.logcdf(x[k]) + law.logsf(x[n - 1 - k])) for k in range(n))
    a = (-n - total / n) * (1 + 0.75 / n + 2.25 / n**2)
    if a >= 0.6:
        return math.exp(1.2937 - 5.709 * min(a, 13) + 0.0186 * min(a, 13) ** 2)
    if a >= 0.34:
        return math.exp(0.9177 - 4.279 * a - 1.38 * a**2)
    if a >= 0.2:
        return 1 - math.exp(-8.318 + 42.796 * a - 59.938 * a**2)
    return 1 - math.exp(-13.436 + 101.14 * a - 223.73 * a**2)


def testable(values: list[float]) -> bool:
    """Whether anything is said about the law of these values."""
    return len(values) >= 20 and min(values) < max(values)


def without_errors(values: list[float], pairs: int) -> list[float]:
    """The values without gross errors, where the log has so many pairs."""
    n, middle = len(values), statistics.median(values)
    scale = statistics.median(abs(x - middle) for x in values) / stats.norm.ppf(0.75)
    if n < 4 or scale == 0:
        return values
    reach = scale * stats.t.isf(0.01 / pairs / (2 * n), 0.3675 * (n - 1))
    kept = [x for x in values if abs(x - middle) <= reach]
    if testable(kept) and anderson(kept) < 0.001:
        kept = [x for x in values if abs(x - middle) <= 10 * reach]
    return kept if n - len(kept) <= max(1, n / 10) else values


def welch(one: list[float], other: list[float]) -> float:
    """The p-value of Welch's test."""
    both = [(statistics.fmean(x), statistics.stdev(x), len(x)) for x in (one, other)]
    return float(stats.ttest_ind_from_stats(*both[0], *both[1], equal_var=False).pvalue)


def holm(p_values: Mapping[Name, float]) -> set[Name]:
    """Those that Holm's procedure rejects at 5 %: the smallest first, until one is not."""
    rejected: set[Name] = set()
    for name in sorted(p_values, key=lambda name: p_values[name]):
        if p_values[name] * (len(p_values) - len(rejected)) > 0.05:
            break
        rejected.add(name)
    return rejected


def pooled(groups: Iterable[list[float]]) -> tuple[float, int]:
    """The variance around the mean of each group, and its degrees of freedom."""
    given = list(groups)
    squares = sum((x - statistics.fmean(group)) ** 2 for group in given for x in group)
    degrees = sum(len(group) - 1 for group in given)
    return squares / max(degrees, 1), degrees


def fit(rows: Iterable[Row]) -> Fitted:
    """What a log with a round in each row says."""
    given = list(rows)
    found: dict[Name, list[float]] = {}
    for _, played, observed, value in given:
        found.setdefault((played, observed), []).append(value)
    values = {name: without_errors(group, len(found)) for name, group in found.items()}
    variance, degrees = {}, {}
    for name, group in values.items():
        variance[name], degrees[name] = pooled([group])
        if len(group) < 10 or min(group) == max(group):
            same = pooled(g for (_, observed), g in values.items() if observed == name[1])
            alike = same[1] >= 9 and same[0] > 0
            variance[name], degrees[name] = same if alike else pooled(values.values())
    p_values = {
        (i, j): welch(group, values[j, j])
        for (i, j), group in values.items()
        if i != j and len(group) >= 10 and len(values.get((j, j), [])) >= 10
    }
    biased = holm(p_values)
    laws = {name: anderson(group) for name, group in values.items() if testable(group)}
    mean, margin = {}, {}
    for j in {observed for _, observed in values}:
        shown = [name for name in values if name[1] == j and name not in biased]
        weight = {name: len(values[name]) / variance[name] for name in shown}
        total = sum(weight.values())
        mean[j] = sum(weight[name] * statistics.fmean(values[name]) for name in shown) / total
        share = {name: weight[name] / total for name in shown}
        extra = sum(share[name] * (1 - share[name]) / degrees[name] for name in shown)
        freedom = 1 / sum(share[name] ** 2 / degrees[name] for name in shown)
        margin[j] = stats.t.ppf(0.975, freedom) * math.sqrt((1 + 4 * extra) / total)
    plays: dict[Any, int] = {}
    for _, played in {(t, played) for t, played, _, _ in given}:
        plays[played] = plays.get(played, 0) + 1
    dropped = sum(len(found[name]) - len(values[name]) for name in found)
    return Fitted(values, dropped, variance, biased, holm(laws), mean, margin, plays)
