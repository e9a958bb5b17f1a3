"""The example structures of the tests, written out as variance matrices."""

from __future__ import annotations

import numpy as np

from sidelight import Feedback
from sidelight.variances import Array

HET3 = np.square([[1.0, 2.0, np.inf], [np.inf, 0.5, 1.0], [3.0, np.inf, 1.5]])


def matrix(name: str, actions: int) -> Array:
    """Unit variances on the edges, inf elsewhere."""
    if name == "het3":
        return HET3
    seen = np.zeros((actions, actions), dtype=bool)
    if name in ("bandit", "star"):
        np.fill_diagonal(seen, True)
    if name in ("star", "revealing"):
        seen[0] = True
    if name in ("full", "loopless"):
        seen[:] = True
    if name == "loopless":
        np.fill_diagonal(seen, False)
    if name == "cycle":
        seen[np.arange(actions), (np.arange(actions) + 1) % actions] = True
    return np.where(seen, 1.0, np.inf)


def structure(name: str, actions: int, sigma: float = 1.0) -> Feedback:
    """The structure with one standard deviation."""
    return Feedback(matrix(name, actions) * sigma**2)


def scattered(rng: np.random.Generator, actions: int | None = None) -> Feedback:
    """Two to five actions, unless said; who is not shown by chance is shown by somebody."""
    K = int(rng.integers(2, 6)) if actions is None else actions
    variance = 10 ** rng.uniform(-1, 1, (K, K)) if rng.random() < 0.5 else np.ones((K, K))
    variance[rng.random((K, K)) < rng.uniform(0, 0.8)] = np.inf
    for j in range(K):
        if np.isinf(variance[:, j]).all():
            variance[rng.integers(K), j] = 1.0
    return Feedback(variance)
