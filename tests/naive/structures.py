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
