"""Normal posteriors cut to the range, with scipy's normal distribution replaced by erfc."""

from __future__ import annotations

import math
from dataclasses import dataclass


def tail(z: float) -> float:
    """P(N(0, 1) > z)."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def density(z: float) -> float:
    """The density of N(0, 1)."""
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


@dataclass(frozen=True)
class Cut:
    """N(mu, s^2), of which the part in the range is left: its mean and n = c/variance."""

    mu: float
    s: float
    below: float
    above: float
    edge: float  # E[theta - mu ; theta above the upper end]
    n: float
    m: float

    @property
    def left(self) -> float:
        return 1 - self.below - self.above


def cut(n: list[float], m: list[float], c: float, upper: float, beyond: float = 0.0) -> list[Cut]:
    """The posteriors cut to [-beyond, upper + beyond]; inf cuts nothing.

    Nor is anything cut if one lies too far outside [0, upper].
    """
    low, high, width = -beyond, upper + beyond, upper + 2 * beyond
    s = [math.sqrt(c / x) for x in n]
    inside = all(-3 * s[j] <= m[j] <= upper + 3 * s[j] for j in range(len(n)))
    found = []
    for j in range(len(n)):
        if not inside or upper == math.inf or 9 * s[j] < min(m[j] - low, high - m[j]):
            found.append(Cut(m[j], s[j], 0.0, 0.0, 0.0, n[j], m[j]))
            continue
        sd = min(s[j], 8 * width)
        mu = upper / 2 + (m[j] - upper / 2) * (sd / s[j]) ** 2
        a, b = (low - mu) / sd, (high - mu) / sd
        Z = 1 - tail(-a) - tail(b)
        mean = (density(a) - density(b)) / Z
        variance = 1 + (a * density(a) - b * density(b)) / Z - mean**2
        edge = sd * density(b)
        n_cut = c / (sd**2 * variance)
        found.append(Cut(mu, sd, tail(-a), tail(b), edge, n_cut, mu + sd * mean))
    return found
