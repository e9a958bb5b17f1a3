"""Random problems for comparisons: any structure, any variances, ties and edges now and then."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sidelight import Feedback, Problem
from sidelight.programs.separation import ScaledProblem, scale_problem
from sidelight.variances import Array


def variances(rng: np.random.Generator, K: int, decades: float = 1.0) -> Array:
    """A random matrix in which every action is observed; sigma within 10^(-decades, decades)."""
    sigma = 10 ** rng.uniform(-decades, decades, (K, K))
    seen = rng.random((K, K)) < rng.uniform(0.2, 0.9)
    seen[rng.integers(K)] |= ~seen.any(axis=0)
    return np.where(seen, sigma**2, np.inf)


def problem(seed: int, decades: float = 1.0, edges: bool = False, most: int = 6) -> Problem:
    """A random problem with 2 to `most` actions; `edges`: ties, and means at 0 and at upper."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, most + 1))
    matrix, means = variances(rng, K, decades), rng.random(K)
    if edges:
        kind = rng.integers(5)
        if kind == 0:
            means[rng.integers(K)] = means.max()
        if kind == 1:
            means[rng.integers(K)] = 1.0
        if kind == 2:
            means[rng.integers(K)] = 0.0
        if kind == 3:
            means = 0.5 + 1e-8 * (means - 0.5)
    return Problem(Feedback(matrix), means)


def more_noise(given: Problem, rng: np.random.Generator) -> Problem:
    """The same problem with one variance larger, or gone where somebody else still sees."""
    matrix = given.feedback.variance.copy()
    j, i = rng.choice(np.argwhere(np.isfinite(matrix)))
    matrix[j, i] *= 10 ** rng.uniform(0, 2)
    if rng.random() < 0.3 and np.isfinite(np.delete(matrix[:, i], j)).any():
        matrix[j, i] = np.inf
    return Problem(Feedback(matrix), given.means, given.upper)


def permuted(given: Problem, order: npt.NDArray[np.int64]) -> Problem:
    """The same problem with action order[j] in place j."""
    matrix = given.feedback.variance[np.ix_(order, order)]
    return Problem(Feedback(matrix), given.means[order], given.upper)


def scaled(given: Problem, factor: float) -> Problem:
    """Means, range and standard deviations multiplied."""
    matrix = given.feedback.variance * factor**2
    return Problem(Feedback(matrix), given.means * factor, given.upper * factor)


def random_case(rng: np.random.Generator, K: int) -> tuple[ScaledProblem, Array]:
    """Any structure, ties and ends now and then, plans that leave actions out."""
    T = 10 ** rng.uniform(1, 4)
    seen = rng.random((K, K)) < rng.uniform(0.3, 1.0)
    variance = np.where(seen, 10 ** rng.uniform(-0.5, 0.5, (K, K)), np.inf)
    theta = rng.choice([rng.random(K), rng.choice([0.0, 0.3, 0.5, 1.0], K)])
    plan = rng.dirichlet(np.full(K, 0.5)) * (rng.random(K) < 0.7)
    plan = plan if plan.sum() > 0 else np.eye(K)[0]
    return scale_problem(theta, variance, 1.0, T), plan / plan.sum()
