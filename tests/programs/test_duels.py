"""The compiled control problem of a duel against its definition with whole matrices."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from naive import duel as naive
from sidelight.bounds.subsolution import mesh
from sidelight.programs.duels import curvatures, least_cost

ENOUGH = (25, 3000)  # improvements of the actions: no step needs so many


@pytest.mark.parametrize("seed", range(12))
def test_curves_are_those_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    actions, T = int(rng.integers(1, 6)), float(rng.choice([0.5, 4.0, 100.0, 1e4]))
    costs = np.exp(rng.uniform(-4, 2, (3, actions))) * (rng.uniform(0, 1, (3, actions)) < 0.7)
    on = mesh(60, 20)
    found = curvatures(on.x, on.times, T, tuple(costs), ENOUGH)
    expected = naive.curvatures(on.x, on.times, T, costs)
    # Second differences on cells of 1e-4 leave half of the digits.
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-9 * float(expected.max() + 1))


def test_a_guess_is_the_value_of_the_last_curve() -> None:
    on, T = mesh(60, 20), 30.0
    costs = np.array([[0.0, 0.2], [0.3, 0.0], [0.01, 0.1]])
    bends = naive.curvatures(on.x, on.times, T, costs)
    _, _, values = naive.curve([*map(Fraction, on.x)], [*map(Fraction, bends[-1])])
    guess = least_cost(on.x, on.times, T, tuple(costs), on.start)
    assert guess == pytest.approx(float(values[on.start]), rel=1e-7)


def test_without_improvements_nothing_is_found() -> None:
    on = mesh(60, 20)
    costs = np.array([[0.0, 0.2], [0.3, 0.0], [0.01, 0.1]])
    assert not curvatures(on.x, on.times, 30.0, tuple(costs), (0, 0)).any()
