"""Logarithms, roots and inverses on the safe side, and close."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidelight.bounds.rational import (
    BITS,
    binary_sums,
    cbrt_up,
    decimal_down,
    decimal_up,
    exp_up,
    float_down,
    float_up,
    inverse_up,
    ln_down,
    log_down,
    log_up,
    products_up,
    short_down,
    short_up,
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
def test_roots_are_just_above_the_true_one(x: Fraction) -> None:
    high = sqrt_up(x)
    assert ((1 - HAIR) * high) ** 2 <= x <= high**2


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


anything = st.fractions() | st.fractions().map(lambda x: x * Fraction(2) ** 3000 / 3)


@given(anything)
@example(Fraction(0))
@example(Fraction(1, 3))
@example(Fraction(-1, 3))
@example(Fraction(2**BITS - 1))
@example(Fraction(2**BITS + 1))
@example(Fraction(10**200, 7))
@example(Fraction(7, 10**200))
def test_short_numbers_are_near_and_on_their_side(x: Fraction) -> None:
    low, high = short_down(x), short_up(x)
    assert low <= x <= high
    assert high - low <= abs(x) / 2 ** (BITS - 2)
    for short in (low, high):
        assert short.denominator & (short.denominator - 1) == 0
        odd = short.numerator // (short.numerator & -short.numerator) if short else 0
        assert odd.bit_length() <= BITS + 1


@given(st.integers(-(2**BITS) + 1, 2**BITS - 1), st.integers(-4000, 4000))
def test_short_numbers_stay_as_they_are(mantissa: int, exponent: int) -> None:
    x = mantissa * Fraction(2) ** exponent
    assert short_down(x) == x == short_up(x)


binary = st.builds(lambda m, e: m * Fraction(2) ** e, st.integers(-99, 99), st.integers(-40, 40))
lines = st.lists(st.tuples(binary, st.lists(binary, min_size=3, max_size=3)), max_size=5)


@given(lines)
@example([])
@example([(Fraction(1, 2), [Fraction(0)] * 3)])
def test_sums_of_binary_fractions(rows: list[tuple[Fraction, list[Fraction]]]) -> None:
    expected = [sum((w * line[j] for w, line in rows), Fraction(0)) for j in range(3)]
    assert binary_sums(3, rows) == expected


def test_sums_need_lines_of_their_length() -> None:
    with pytest.raises(ValueError, match="shorter"):
        binary_sums(3, [(Fraction(1), [Fraction(1), Fraction(2)])])


def test_sums_of_products_are_rounded_up() -> None:
    third = decimal_up(Fraction(1, 3))
    values = [Decimal(2), third, Decimal(5)]
    some = products_up([((), ()), ((0, 2), (Decimal(3), Decimal(4))), ((1,), (third,))], values)
    assert some[:2] == [0, 26]
    assert 0 < Fraction(some[2]) - Fraction(1, 9) < Fraction(1, 10**59)


@given(positive)
def test_sixty_digits(x: Fraction) -> None:
    low, high = decimal_down(x), decimal_up(x)
    assert Fraction(low) <= x <= Fraction(high)
    assert Fraction(high) - Fraction(low) <= x / 10**59
    assert len(low.as_tuple().digits) <= 60
    assert log_down(x) == Fraction(ln_down(low))


def test_the_digits_of_logarithms() -> None:
    """60 of them, of which the last is on the safe side."""
    two = Fraction(
        "0.69314718055994530941723212145817656807550013436025525412068000949339362196969"
    )
    for x, log in ((Fraction(2), two), (Fraction(1, 2), -two), (Fraction(1024), 10 * two)):
        assert 0 < log - log_down(x) < Fraction(1, 10**58)
        assert 0 < log_up(x) - log < Fraction(1, 10**58)


def test_roots_of_squares() -> None:
    for x in (Fraction(4), Fraction(9, 16), Fraction(10**100)):
        root = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
        assert 0 < root - sqrt_down(x) < root / 10**57
        assert 0 < sqrt_up(x) - root < root / 10**57
    assert sqrt_down(Fraction(0)) == sqrt_up(Fraction(0)) == 0


def test_exponentials_are_just_above() -> None:
    e = Fraction("2.718281828459045235360287471352662497757247093699959574966967627724077")
    assert 0 < exp_up(Fraction(1)) - e < Fraction(1, 10**58)
    assert 0 < exp_up(Fraction(-1)) - 1 / e < Fraction(1, 10**58)
    assert 1 <= exp_up(Fraction(0)) < 1 + Fraction(1, 10**58)


def test_cube_roots_are_just_above() -> None:
    for power in (-300, -60, -1, 0, 1, 60, 300):
        for cube in (Fraction(27), Fraction(2), Fraction(1, 8), Fraction(10, 7)):
            x = cube * Fraction(8) ** power
            root = cbrt_up(x)
            assert x < root**3 < x * (1 + Fraction(1, 2**60))
            assert root.numerator.bit_length() < (75 if power <= 0 else 310)  # no more than needed


def test_floats_that_are_exact() -> None:
    for x in (0.0, 0.5, -0.5, 1e308, 5e-324):
        assert float_down(Fraction(x)) == x == float_up(Fraction(x))
    assert float_down(Fraction(10) ** 400) == 1.7976931348623157e308
    assert float_up(-(Fraction(10) ** 400)) == -1.7976931348623157e308
