"""Evidence from its definitions: mixtures by numerical integration, likelihoods value by value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy import integrate, stats


def mixed_martingale(error: float, information: float, rho: float) -> float:
    """The mean of exp(l E - l^2 n / 2) over l ~ N(0, 1/rho)."""
    centre, wide = error / (rho + information), 1 / math.sqrt(rho + information)
    ends = centre - 12 * wide, centre + 12 * wide

    def weighed(x: float) -> float:
        density = math.sqrt(rho / (2 * math.pi)) * math.exp(-rho * x * x / 2)
        return density * math.exp(x * error - x * x * information / 2)

    found, _ = integrate.quad(weighed, *ends, epsabs=0, epsrel=1e-11, limit=400)
    return float(found)


def normal(x: float, mean: float, sigma: float) -> float:
    """The logarithm of a Gaussian density."""
    return -((x - mean) ** 2) / (2 * sigma**2) - math.log(sigma * math.sqrt(2 * math.pi))


def spread(values: Sequence[float], declared: float, sigma: float) -> float:
    """log M(sigma): each value after the first is predicted from those before it."""

    def predicted(tau: float) -> float:
        return sum(
            normal(x, sum(values[:k]) / k, tau * math.sqrt(1 + 1 / k))
            for k, x in enumerate(values)
            if k > 0
        )

    rest = values[1:]
    own = sum(normal(x, sum(rest) / len(rest), sigma) for x in rest)

    def weighed(log_v: float) -> float:
        v = math.exp(log_v)
        prior = stats.gamma.logpdf(v, 0.5, scale=2 / declared**2)
        return math.exp(predicted(1 / math.sqrt(v)) - own + prior + log_v)

    middle = -2 * math.log(declared)
    found, _ = integrate.quad(
        weighed, middle - 30, middle + 30, epsabs=0, epsrel=1e-10, limit=2000, points=[middle]
    )
    return math.log(found)


def bias(
    side: Sequence[float], direct: Sequence[float], sigmas: tuple[float, float], upper: float
) -> float:
    """log M: each stream with a mean of its own, over both with the likeliest common mean."""
    weights = [1 / sigmas[0] ** 2] * len(side) + [1 / sigmas[1] ** 2] * len(direct)
    values = [*side, *direct]
    common = sum(w * x for w, x in zip(weights, values, strict=True)) / sum(weights)
    total = 0.0
    for stream, sigma in ((side, sigmas[0]), (direct, sigmas[1])):
        null = sum(normal(x, common, sigma) for x in stream)

        def weighed(
            mean: float, stream: Sequence[float] = stream, sigma: float = sigma, null: float = null
        ) -> float:
            prior = normal(mean, upper / 2, upper / 2)
            return math.exp(sum(normal(x, mean, sigma) for x in stream) + prior - null)

        peak = sum(stream) / len(stream)
        ends = min(peak, 0) - 8 * max(upper, sigma), max(peak, upper) + 8 * max(upper, sigma)
        found, _ = integrate.quad(
            weighed, *ends, epsabs=0, epsrel=1e-10, limit=2000, points=[peak, upper / 2]
        )
        total += math.log(found)
    return total


def sums(values: Sequence[float]) -> tuple[int, float, float, float]:
    """Count, first, mean and sum of squared deviations, in fractions."""
    exact = [Fraction(x) for x in values]
    mean = sum(exact) / len(exact)
    return len(exact), values[0], float(mean), float(sum((x - mean) ** 2 for x in exact))


def regret(means: Sequence[float], errors: Sequence[float], upper: float, action: int) -> float:
    """The expected regret of one play under cut Gaussians, on a fine grid."""
    x = np.linspace(0, upper, 400_001)
    below = []
    for mean, error in zip(means, errors, strict=True):
        if math.isinf(error):
            below.append(x / upper)
            continue
        centre = min(max(mean, 0.0), upper)
        ends = (0 - centre) / error, (upper - centre) / error
        below.append(stats.truncnorm.cdf(x, *ends, loc=centre, scale=error))
    product = np.prod(below, axis=0)
    return float(integrate.simpson(below[action] - product, x=x))
