"""The two-point minimiser against all pairs and a fine grid."""

from __future__ import annotations

import numpy as np
import pytest

from naive.ids import best_pair
from sidelight.engine.contract import Floats
from sidelight.policies.parts.information_ratio import best_mixture

GRID = np.linspace(0, 1, 201)


def ratio(cost: Floats, gain: Floats, mixture: tuple[int, int, float]) -> float:
    i, j, p = mixture
    shown = (1 - p) * gain[i] + p * gain[j]
    spent = (1 - p) * cost[i] + p * cost[j]
    return float(spent**2 / shown) if shown > 0 else float("inf")


def hostile(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Costs and gains with ties, zeros and very different sizes."""
    K = int(rng.integers(1, 9))
    cost = rng.exponential(size=K) * 10.0 ** rng.integers(-6, 7, K)
    gain = rng.exponential(size=K) * 10.0 ** rng.integers(-6, 7, K)
    gain[rng.random(K) < 0.3] = 0.0
    cost[rng.random(K) < 0.2] = cost[0]
    gain[rng.random(K) < 0.2] = gain[0]
    return cost, gain


def test_no_pair_is_better() -> None:
    rng = np.random.default_rng(1)
    for _ in range(3_000):
        cost, gain = hostile(rng)
        found = best_mixture(cost, gain, 0)
        expected = best_pair(cost.tolist(), gain.tolist(), 0)
        assert ratio(cost, gain, found) == pytest.approx(ratio(cost, gain, expected), rel=1e-9)


def test_no_mixture_on_a_grid_is_better() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        cost, gain = hostile(rng)
        spent = cost[:, None, None] * (1 - GRID) + cost[None, :, None] * GRID
        shown = gain[:, None, None] * (1 - GRID) + gain[None, :, None] * GRID
        with np.errstate(divide="ignore", invalid="ignore"):
            least = np.nanmin(np.where(shown > 0, spent**2 / shown, np.inf))
        assert ratio(cost, gain, best_mixture(cost, gain, 0)) <= least * (1 + 1e-9)


def test_where_nothing_is_shown_the_given_action_is_played() -> None:
    assert best_mixture(np.array([3.0, 1.0]), np.zeros(2), 1) == (1, 1, 0.0)


def test_a_blind_leader_is_mixed_with_the_action_that_shows_it() -> None:
    # Delta = (d, d + 1), g = (0, 1): stationary at p = d.
    first, second, weight = best_mixture(np.array([0.25, 1.25]), np.array([0.0, 1.0]), 0)
    assert (first, second) == (0, 1)
    assert weight == pytest.approx(0.25)
