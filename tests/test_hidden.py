"""Hidden sets: valid prices always, and the best set where all of them can be tried."""

from __future__ import annotations

import numpy as np
import pytest

from naive.graphs import coverage, is_independent, subsets
from sidelight.programs import Effort
from sidelight.programs.hidden import hidden_set
from sidelight.structure import strongly_observable
from sidelight.variances import Array


def random_structure(rng: np.random.Generator, K: int, graded: bool) -> Array:
    observes = rng.random((K, K)) < rng.uniform(0.1, 0.6)
    observes[0, ~observes.any(axis=0)] = True
    levels = rng.choice([0.25, 1.0, 9.0], (K, K)) if graded else np.ones((K, K))
    return np.where(observes, levels, np.inf)


def weak_actions(variance: Array) -> list[int]:
    return [int(i) for i in np.flatnonzero(~strongly_observable(variance < np.inf))]


@pytest.mark.parametrize("graded", [False, True])
def test_prices_are_feasible_and_the_set_is_hidden(graded: bool) -> None:
    rng = np.random.default_rng(11)
    for _ in range(100):
        variance = random_structure(rng, int(rng.integers(3, 12)), graded)
        weak = weak_actions(variance)
        found = hidden_set(variance, weak)
        assert bool(found.actions) == bool(weak)
        assert set(found.actions) <= set(weak)
        assert is_independent(variance < np.inf, found.actions)
        assert (found.prices >= 0).all()
        # Exact up to the rounding of one division.
        assert (1 / variance[:, list(found.actions)] @ found.prices <= 1 + 1e-12).all()
        assert found.value == found.prices.sum()


def test_the_best_of_all_sets() -> None:
    """Uniform variance, few actions: no independent set of weak actions costs more to cover."""
    rng = np.random.default_rng(12)
    for _ in range(40):
        variance = random_structure(rng, int(rng.integers(3, 6)), graded=False)
        weak, observes = weak_actions(variance), variance < np.inf
        sets = [U for U in subsets(weak) if U and is_independent(observes, U)]
        everyone = range(len(variance))
        best = max((1 / coverage(observes, everyone, U) for U in sets), default=0.0)
        # Interior point answers to about 1e-8.
        assert hidden_set(variance, weak).value == pytest.approx(best, abs=1e-6)


def test_exact_observations_hide_nothing() -> None:
    variance = np.full((3, 3), np.inf)
    variance[0] = 0.0
    assert hidden_set(variance, [1, 2]).actions == ()


def test_without_any_effort_prices_are_valid() -> None:
    variance = random_structure(np.random.default_rng(13), 40, graded=True)
    found = hidden_set(variance, weak_actions(variance), Effort(0))
    assert found.value > 0
    assert not found.complete
    assert (1 / variance[:, list(found.actions)] @ found.prices <= 1 + 1e-12).all()


def test_variances_whose_sum_is_too_large_for_a_float() -> None:
    variance = np.full((3, 3), np.inf)
    variance[0] = [1.0, 1.7e308, 1.7e308]
    found = hidden_set(variance, (1, 2))
    assert found.actions in {(1,), (2,), (1, 2)}
