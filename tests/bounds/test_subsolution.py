"""What a curve proves about a duel, against the same in exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from naive import duel as naive
from sidelight.bounds.subsolution import (
    MOST,
    ROUNDING,
    Duel,
    Mesh,
    _integrated,
    curvatures,
    estimate,
    mesh,
    proved,
)

MESHES = [
    Mesh(np.array([0.25, 0.5, 1.0, 3.0, 4.5]), 2, np.array([0.0, 0.125, 0.5, 1.0])),
    Mesh(np.array([0.5, 0.9, 1.0, 1.1, 1.2, 7.0]), 2, np.array([0.0, 0.01, 1.0])),
    mesh(6, 1),
]


def fractions(row: object) -> list[Fraction]:
    return [Fraction(float(number)) for number in np.asarray(row).tolist()]


def drawn(rng: np.random.Generator, on: Mesh) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Curvatures of very different sizes, of which many are 0."""
    bends = np.exp(rng.uniform(-6, 2, (len(on.times), len(on.x))))
    bends *= rng.uniform(0, 1, bends.shape) < rng.choice([0.15, 0.5, 1.0])
    bends[0] = 0.0
    bends[:, [0, -1]] = 0.0
    return np.cumsum(bends, axis=0) if rng.uniform() < 0.5 else bends


@pytest.mark.parametrize("on", MESHES)
def test_a_curve_is_made_from_its_curvature(on: Mesh) -> None:
    rng = np.random.default_rng(1)
    bends = drawn(rng, on)
    slopes, values = _integrated(on, bends)
    for row, slope, value in zip(bends, slopes, values, strict=True):
        _, exact_slopes, exact_values = naive.curve(fractions(on.x), fractions(row))
        assert slope == pytest.approx([float(s) for s in exact_slopes], rel=1e-13)
        assert value == pytest.approx([float(v) for v in exact_values], rel=1e-13)


@pytest.mark.parametrize("on", MESHES)
def test_no_more_is_proved_than_the_curve_proves(on: Mesh) -> None:
    """Whatever is charged for the defects of a curve, the least charge is the best that holds."""
    rng = np.random.default_rng(2)
    for turn in range(36):
        actions, T = int(rng.integers(1, 4)), float(rng.choice([0.5, 4.0, 100.0]))
        sizes = np.exp(rng.uniform(-4, 2, (3, actions))) * (rng.uniform(0, 1, (3, actions)) < 0.7)
        price, stake, information = (tuple(row) for row in sizes.tolist())
        duel = Duel(price, stake, information)
        bends = curvatures(on, T, duel) if turn % 3 == 0 else drawn(rng, on)
        costs = list(zip(*map(fractions, sizes), strict=True))
        lengths = fractions(np.diff(on.times * (T * (1 - ROUNDING))))
        most = naive.certified(fractions(on.x), lengths, [fractions(row) for row in bends], costs)
        _, top = _integrated(on, bends)
        size = float(top.max()) + abs(most) + T * float(sizes.sum()) * float(on.x[-1])
        assert proved(on, T, duel, bends) <= most + 1e-12 * size


def test_the_estimate_is_the_value_at_the_start() -> None:
    on, duel = MESHES[2], Duel((0.0, 0.2), (0.3, 0.0), (0.01, 0.1))
    bends = curvatures(on, 12.0, duel)
    _, _, values = naive.curve(fractions(on.x), fractions(bends[-1]))
    assert estimate(on, 12.0, duel) == pytest.approx(float(values[on.start]), rel=1e-12)


def test_curves_with_too_many_terms_prove_nothing() -> None:
    """Rounding is made up for in sums of so many terms, and no more."""
    duel = Duel((0.0, 0.0), (0.2, 0.1), (0.0, 0.0))
    for nodes, worth in ((MOST - 4, True), (MOST - 3, False)):
        x = np.exp(np.linspace(-math.log(2), math.log(2), nodes))
        x[nodes // 2] = 1.0
        on = Mesh(x, nodes // 2, np.array([0.0, 0.5, 1.0]))
        bends = np.zeros((3, nodes))
        bends[1:, 1:-1] = np.array([[0.5], [1.0]]) * 1e-3
        assert (proved(on, 1.0, duel, bends) > 0) is worth
