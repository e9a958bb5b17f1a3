"""Means drawn from their standard errors, one at a time, by the definition of a quantile."""

from __future__ import annotations

from scipy import optimize, stats

from sidelight import Problem
from sidelight.engine.streams import base_words, stream_words


def mean_of(problem: Problem, seed: int, replicate: int, action: int) -> float:
    """The mean of one action in one replicate."""
    assert problem.errors is not None
    m, e, upper = float(problem.means[action]), float(problem.errors[action]), problem.upper
    if e == 0:
        return m
    word = int(stream_words(base_words(seed, "means"), replicate, action)[0])
    u = (word // 2**11 + 0.5) / 2**53
    law = stats.norm(m, e)
    inside = law.cdf(upper) - law.cdf(0)

    def above(x: float) -> float:
        return float((law.cdf(x) - law.cdf(0)) / inside - u)

    return float(optimize.brentq(above, 0, upper, xtol=1e-14, rtol=1e-14))


def today(problem: Problem, seed: int, replicate: int, horizon: int) -> float:
    """What the plays of today cost in one replicate."""
    assert problem.played is not None
    theta = [mean_of(problem, seed, replicate, i) for i in range(len(problem))]
    shares = [float(plays) / float(sum(problem.played)) for plays in problem.played]
    return horizon * sum(s * (max(theta) - x) for s, x in zip(shares, theta, strict=True))
