"""Statistics of replicates: what a race says, and how sure it is.

For n replicates x_1 ... x_n of one policy

    mean            sum x / n
    error           s / sqrt(n),  s^2 = sum (x - mean)^2 / (n - 1); NaN for one replicate
    quantile(q)     linear between the order statistics around (n - 1) q

Two policies of one race meet the same luck, so that they are compared replicate by replicate: the
differences d = x - y have a mean, an error, the Student interval mean +- t_{n-1} error, and the
two-sided p-value of "the mean difference is 0". All pairs at once are corrected by Holm's rule:
with the p-values in increasing order p_(1) <= ... <= p_(m),

    adjusted_(k) = min(1, max over l <= k of (m - l + 1) p_(l))

so that the chance of any false "differs" among all of them is at most the level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ..engine.contract import Floats
from ..errors import InputError

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Difference:
    """Regret of `first` minus regret of `second`, replicate by replicate.

    `low` and `high` end the Student interval at the level `confidence`; `adjusted` is `p_value`
    after Holm's correction, and the same number where one pair alone was compared.
    """

    first: str
    second: str
    mean: float
    error: float
    low: float
    high: float
    p_value: float
    adjusted: float
    confidence: float
    replicates: int

    def __str__(self) -> str:
        return (
            f"{self.first} - {self.second}: {short(self.mean)} +- {short(self.error)} "
            f"({self.confidence:.0%}: {short(self.low)} to {short(self.high)}; "
            f"p = {self.adjusted:.2g}, {self.replicates} replicates)"
        )


def short(value: float) -> str:
    """A number for people: four digits, thousands apart, a dash where there is none."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 999.95 else f"{value:.4g}"


def standard_error(values: Floats, axis: int = 0) -> Floats:
    """s / sqrt(n) along an axis; NaN where there is only one value."""
    n = values.shape[axis]
    if n < 2:
        return np.full(np.delete(values.shape, axis), np.nan)
    error = values.std(axis=axis, ddof=1) / math.sqrt(n)
    # the mean of equal numbers may differ from them by rounding, and then so does s from 0
    return np.where(values.max(axis=axis) == values.min(axis=axis), 0.0, error)


def check_levels(levels: npt.ArrayLike) -> Floats:
    """Levels of quantiles, each in [0, 1]."""
    try:
        given = np.atleast_1d(np.asarray(levels, dtype=float))
    except (TypeError, ValueError):
        given = np.array([np.nan])
    if given.ndim != 1 or not ((given >= 0) & (given <= 1)).all():
        raise InputError(f"levels = {levels!r} must be numbers from 0 to 1, such as [0.05, 0.5]")
    return given


def interval(values: Floats, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Student's interval for the mean; all numbers where there is only one value."""
    if len(values) < 2:
        return -math.inf, math.inf
    margin = student_quantile(len(values) - 1, (1 + confidence) / 2) * standard_error(values)
    return float(values.mean() - margin), float(values.mean() + margin)


def compare(
    first: str, second: str, x: Floats, y: Floats, confidence: float = CONFIDENCE
) -> Difference:
    """The paired comparison of two policies over the same replicates."""
    if not 0 < confidence < 1:
        raise InputError(f"confidence = {confidence!r} must be between 0 and 1, such as 0.95")
    d = x - y
    n, mean = len(d), float(d.mean())
    error = float(standard_error(d))
    p = 1.0  # one replicate says nothing about another
    if n > 1:
        p = 2 * student(n - 1, -abs(mean) / error) if error > 0 else float(mean == 0)
    low, high = interval(d, confidence)
    return Difference(first, second, mean, error, low, high, p, p, confidence, n)


def student(degrees: float, t: float) -> float:
    """The probability that Student's variable is at most t."""
    from scipy.special import stdtr  # noqa: PLC0415 - scipy is slow to import

    return float(stdtr(degrees, t))


def student_quantile(degrees: float, level: float) -> float:
    """The number that Student's variable stays below with this probability."""
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy is slow to import

    return float(stdtrit(degrees, level))


def welch_degrees(a: float, b: float, count_a: int, count_b: int) -> float:
    """Welch's degrees of freedom of a difference of two means whose squared errors are a and b."""
    share = a / (a + b)
    return 1 / (share**2 / (count_a - 1) + (1 - share) ** 2 / (count_b - 1))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p-values, in the order given."""
    m = len(p_values)
    adjusted = [1.0] * m
    largest = 0.0
    for rank, k in enumerate(sorted(range(m), key=lambda k: p_values[k])):
        largest = max(largest, (m - rank) * p_values[k])
        adjusted[k] = min(1.0, largest)
    return tuple(adjusted)


def all_pairs(
    names: Sequence[str], values: Floats, confidence: float = CONFIDENCE
) -> tuple[Difference, ...]:
    """Every pair of policies, with Holm's correction; `values` is (policy, replicate)."""
    pairs = [
        compare(names[a], names[b], values[a], values[b], confidence)
        for a, b in combinations(range(len(names)), 2)
    ]
    corrected = holm([pair.p_value for pair in pairs])
    return tuple(
        Difference(**{**vars(pair), "adjusted": p})
        for pair, p in zip(pairs, corrected, strict=True)
    )
