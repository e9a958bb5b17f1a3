"""Statistics by their definitions, one number at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations


def mean(values: Sequence[float]) -> float:
    """The exact mean, rounded once."""
    return float(sum(map(Fraction, values)) / len(values))


def standard_error(values: Sequence[float]) -> float:
    """s / sqrt(n), from exact sums; NaN for one value."""
    n = len(values)
    if n == 1:
        return math.nan
    exact = [Fraction(value) for value in values]
    middle = sum(exact) / n
    return math.sqrt(sum((value - middle) ** 2 for value in exact) / (n - 1) / n)


def quantile(values: Sequence[float], level: float) -> float:
    """On the straight line between the two order statistics around (n - 1) level."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * level
    below = min(int(place), len(ordered) - 1)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def holm(p_values: Sequence[float]) -> list[float]:
    """By closed testing: reject k if Bonferroni rejects every set of hypotheses that holds it."""
    everything = range(len(p_values))
    adjusted = []
    for k in everything:
        sets = [
            chosen
            for size in range(1, len(p_values) + 1)
            for chosen in combinations(everything, size)
            if k in chosen
        ]
        worst = max(len(chosen) * min(p_values[i] for i in chosen) for chosen in sets)
        adjusted.append(min(1.0, worst))
    return adjusted
