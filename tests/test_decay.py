"""Sums of exp(-rate s^b) over many terms, and the roots and exponentials that go with them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sidelight.bounds.decay import decay_sum
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
