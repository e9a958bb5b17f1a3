"""Beliefs drawn at random, for tests of what policies compute from one."""

from __future__ import annotations

import math

import numpy as np

import sidelight as sl
from sidelight.belief import known
from sidelight.engine.contract import Data, Floats, Known, no_data


def random_state(rng: np.random.Generator) -> tuple[sl.Feedback, Known, Data]:
    """A structure and a belief about it, some of it hardly informed, some of it much."""
    K = int(rng.integers(2, 7))
    variance = 10.0 ** rng.uniform(-2, 3, (K, K))
    variance[rng.random((K, K)) < 0.5] = math.inf
    for j in range(K):
        variance[rng.integers(K), j] = 1.0
    feedback = sl.Feedback(variance)
    belief = no_data(K)
    belief.information[:] = rng.exponential(size=K) * 10.0 ** rng.integers(-2, 5, K)
    belief.sums[:] = belief.information * rng.random(K)
    horizon = int(10.0 ** rng.uniform(0, 6)) + 1
    return feedback, known(feedback, 1.0, horizon), belief


def with_prior(belief: Data) -> tuple[Floats, Floats]:
    """n and m as `ids` has them, with its usual prior."""
    n = belief.information + 4.0
    return n, (belief.sums + 2.0) / n
