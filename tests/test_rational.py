"""Logarithms, roots and inverses on the safe side, and close."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidelight.bounds.rational import (
    float_down,
    float_up,
    inverse_up,
    log_down,
    log_up,
    sqrt_down,
    sqrt_up,
)

positive = st.fractions(min_value=Fraction(1, 10**30), max_value=Fraction(10**30))
HAIR = Fraction(1, 10**50)  # sixty digits are kept


def exp_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around exp(x): the series of exp(x / 2^k), squared k times."""
    halvings = max(0, math.ceil(abs(x)).bit_length() + 8)
    small = x / 2**halvings
    term = total = Fraction(1)
    for n in range(1, 24):
        term *= small / n
        total += term
    rest = 2 * abs(term)  # |small| < 1/256, so the tail is less than its first term doubled
    low, high = total - rest, total + rest
    grid = 10**90
    for _ in range(halvings):
        low = Fraction(math.floor(low * low * grid), grid)
        high = Fraction(math.ceil(high * high * grid), grid)
    return low, high


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=Fraction(10**6)))
@example(Fraction(1))
@example(1 + Fraction(1, 10**70))
@example(1 - Fraction(1, 10**70))
@example(1 + Fraction(1, 10**20))
def test_logarithms_enclose_the_true_one(x: Fraction) -> None:
    low, high = log_down(x), log_up(x)
    assert low <= high
    assert exp_bounds(low)[0] <= x <= exp_bounds(high)[1]
    assert high - low <= HAIR * max(Fraction(1), abs(high))


@given(positive)
def test_logarithms_agree_with_floats(x: Fraction) -> None:
    assert float(log_down(x)) == pytest.approx(math.log(x), rel=1e-13, abs=1e-15)


def test_the_logarithm_of_one_is_nothing() -> None:
    assert log_down(Fraction(1)) == log_up(Fraction(1)) == 0


def test_logarithms_of_numbers_that_no_float_holds() -> None:
    for power in (400, -400):
        x = Fraction(10) ** power
        assert float(log_down(x)) == pytest.approx(power * math.log(10))
        assert log_down(x) < log_up(x)


@given(positive | st.just(Fraction(0)))
def test_roots_enclose_the_true_one(x: Fraction) -> None:
    low, high = sqrt_down(x), sqrt_up(x)
    assert low**2 <= x <= high**2
    assert high - low <= HAIR * high


@given(positive)
@example(Fraction(5e-324))
@example(Fraction(1.7e308))
def test_an_inverse_is_just_above_and_short(x: Fraction) -> None:
    inverse = inverse_up(x)
    assert 0 <= inverse - 1 / x <= HAIR / x
    assert inverse.denominator & (inverse.denominator - 1) == 0


@given(st.integers(-1000, 1000))
def test_the_inverse_of_a_power_of_two_is_exact(power: int) -> None:
    assert inverse_up(Fraction(2) ** power) == Fraction(2) ** -power


@given(st.fractions())
def test_floats_on_either_side_are_neighbours(x: Fraction) -> None:
    low, high = float_down(x), float_up(x)
    assert Fraction(low) <= x <= Fraction(high)
    assert low == high or math.nextafter(low, math.inf) == high


def test_floats_end_at_infinity() -> None:
    huge = Fraction(10) ** 400
    assert float_up(huge) == math.inf
    assert float_down(huge) < math.inf
    assert float_down(-huge) == -math.inf
