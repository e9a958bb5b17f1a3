"""Sums of exp(-rate s^b) over many terms, and the roots and exponentials that go with them."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from sidelight.bounds.decay import _power, approximate_sums, decay_sum, nodes
from sidelight.bounds.rational import cbrt_up, exp_up


def test_the_sum_is_bounded_above_and_closely() -> None:
    rng = np.random.default_rng(23)
    for _ in range(100):
        last, rate = int(10 ** rng.uniform(0, 5)), float(10 ** rng.uniform(-4, 1.5))
        b = float(rng.uniform(0.1, 0.99))
        exact = math.fsum(np.exp(-rate * np.arange(last + 1.0) ** b))
        bound = float(decay_sum(last, Fraction(rate), Fraction(b)))
        # The floats of the reference are good to about 1e-12.
        assert exact * (1 - 1e-12) <= bound <= exact * (1 + 1e-6)
    assert decay_sum(10**9, None, Fraction(1, 2)) == 1


def test_the_sum_at_a_long_horizon() -> None:
    """sum exp(-c sqrt(s)) lies between 2/c^2 and 1 + 2/c^2 by the integral."""
    c = Fraction(1, 1000)
    assert 0 < decay_sum(10**12, c, Fraction(1, 2)) / (2 / c**2) - 1 < Fraction(1, 10**6)


def test_roots_and_exponentials_are_rounded_up() -> None:
    rng = np.random.default_rng(24)
    for exponent in rng.uniform(-250, 250, 200):
        cube = Fraction(float(10**exponent)) * 3
        root = cbrt_up(cube)
        assert cube <= root**3 < cube * (1 + Fraction(1, 10**18))
    assert cbrt_up(Fraction(0)) == 0
    for x in (-40.0, -1.0, 0.5, 3.0):
        above = exp_up(Fraction(x))
        assert math.exp(x) == pytest.approx(float(above), rel=1e-14)
        # 1 + x + ... + x^n/n! has a remainder below the last term here.
        series, term = Fraction(1), Fraction(1)
        for k in range(1, 200):
            term *= Fraction(x) / k
            series += term
        assert above >= series - abs(term)


@pytest.mark.parametrize("last", [0, 1, 5, 63, 64, 65, 66, 100, 163, 164, 165, 1000, 12_345])
def test_blocks_sum_cubics_exactly(last: int) -> None:
    """Each block is exact for polynomials up to degree 3, and all points are in some block."""
    table = nodes(last)
    points = [point for point, _ in table]
    assert points == sorted(set(points))
    assert (points[0], points[-1]) == (0, last)
    assert all(weight > 0 for _, weight in table)
    for degree in range(4):
        blocks = sum(weight * point**degree for point, weight in table)
        assert blocks == sum(s**degree for s in range(last + 1))


def test_a_long_sum_has_few_blocks() -> None:
    """Single points first, then blocks that grow with the distance."""
    assert nodes(100)[:64] == tuple((s, Fraction(1)) for s in range(64))
    assert len(nodes(10**6)) < 1500
    # From 64 on a radius of 1: three points with the weights of Simpson's rule for sums.
    assert nodes(10**6)[64:67] == tuple((s, Fraction(1)) for s in (64, 65, 66))
    later = nodes(10**6)[-300:-297]
    assert later[1][0] - later[0][0] == later[2][0] - later[1][0] == later[0][0] // 50


def test_far_terms_are_bounded_by_the_first_of_them() -> None:
    """exp(-400 s): all but the first term lie beyond exp(-300), and each counts as much."""
    above = decay_sum(10, Fraction(400), Fraction(1))
    tail = 10 * Fraction(math.exp(-300))
    assert 0 < above - 1 - tail < Fraction(1, 10**20) + tail / 10**9
    assert decay_sum(0, Fraction(400), Fraction(1)) - 1 < Fraction(1, 10**28)
    # At s = 1 exactly exp(-300) is no longer far.
    near = decay_sum(1, Fraction(300), Fraction(1))
    assert 1 < near < 1 + 2 * Fraction(math.exp(-300)) + Fraction(1, 10**28)


def test_powers_are_rounded_down() -> None:
    half = Decimal("0.5")
    assert [_power(point, half) for point in (0, 1)] == [0, 1]
    for point in (2, 3, 10, 10**6):
        root = Fraction(_power(point, half))
        assert root**2 < point
        assert point - root**2 < point * Fraction(1, 10**27)


def test_the_search_uses_about_the_same_sums() -> None:
    rates = np.array([0.01, 0.3, 5.0, 1e9])
    found = approximate_sums(5000, rates, 0.7)
    for rate, value in zip(rates, found, strict=True):
        assert value == pytest.approx(
            float(decay_sum(5000, Fraction(rate), Fraction(0.7))), rel=1e-9
        )
