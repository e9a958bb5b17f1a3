"""Exact arithmetic with the few functions that are not rational, rounded to the side asked for.

A float is a binary fraction, so every input of a bound is a rational number, exactly. Sums and
products of rationals are exact; `log`, `exp` and roots come as a rational just below or above.
`decimal` rounds these functions correctly, and one unit in the last of sixty places further is on
the safe side.

Sums of many fractions grow with every denominator. `short_up` and `short_down` replace a fraction
by a binary one, and such sums stay as short as the range of magnitudes allows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from operator import mul

# Significant bits of a shortened number: more than a product of four floats has, so that what
# sidelight computes with floats stays exact, and far beyond the horizons it is multiplied with.
BITS = 256

_DOWN = Context(prec=60, rounding=ROUND_FLOOR, Emin=-(10**9), Emax=10**9)
_UP = Context(prec=60, rounding=ROUND_CEILING, Emin=-(10**9), Emax=10**9)


def decimal_down(x: Fraction) -> Decimal:
    """Sixty digits of x, not above it."""
    return _DOWN.divide(Decimal(x.numerator), Decimal(x.denominator))


def decimal_up(x: Fraction) -> Decimal:
    """Sixty digits of x, not below it."""
    return _UP.divide(Decimal(x.numerator), Decimal(x.denominator))


def ln_down(x: Decimal) -> Decimal:
    """A number just below log(x), for x > 0."""
    below = _DOWN.ln(x)
    # log 1 is exact, and the number next to 0 has a billion digits.
    return _DOWN.next_minus(below) if below else below


def log_down(x: Fraction) -> Fraction:
    """A rational just below log(x), for x > 0."""
    return Fraction(ln_down(decimal_down(x)))


def log_up(x: Fraction) -> Fraction:
    """A rational just above log(x), for x > 0."""
    above = _UP.ln(decimal_up(x))
    return Fraction(_UP.next_plus(above)) if above else Fraction(0)


def sqrt_up(x: Fraction) -> Fraction:
    """A rational just above sqrt(x), for x >= 0."""
    if x == 0:
        return Fraction(0)
    return Fraction(_UP.next_plus(_UP.sqrt(decimal_up(x))))


def short_down(x: Fraction, bits: int = BITS) -> Fraction:
    """The largest binary fraction of about so many bits not above x: x itself if it is one."""
    places = bits - x.numerator.bit_length() + x.denominator.bit_length()
    up, down = max(places, 0), max(-places, 0)
    return Fraction((x.numerator << up) // (x.denominator << down) << down, 1 << up)


def short_up(x: Fraction) -> Fraction:
    """The smallest such number not below x."""
    return -short_down(-x)


def inverse_up(x: Fraction) -> Fraction:
    """A binary fraction just above 1/x (1/x itself where that is a short one), for x > 0."""
    return short_up(1 / x)


def binary_sums(
    length: int, lines: Iterable[tuple[Fraction, Sequence[Fraction]]]
) -> list[Fraction]:
    """sum_k w_k line_k[j] for each j < length, of binary fractions: shifts, not divisions."""
    sums, places = [0] * length, 0
    for weight, line in lines:
        fine = max(x.denominator for x in line)
        own = (weight.denominator * fine).bit_length() - 1
        finer = max(own, places)
        terms = (weight.numerator * x.numerator * (fine // x.denominator) for x in line)
        pairs = zip(sums, terms, strict=True)
        sums = [(s << finer - places) + (term << finer - own) for s, term in pairs]
        places = finer
    return [Fraction(s, 1 << places) for s in sums]


def products_up(
    lines: Iterable[tuple[Sequence[int], Sequence[Decimal]]], values: Sequence[Decimal]
) -> list[Decimal]:
    """sum_i factors_i values[places_i] for each line (places, factors), all >= 0, rounded up."""
    with localcontext(_UP):
        return [
            sum(map(mul, factors, [values[i] for i in places]), Decimal(0))
            for places, factors in lines
        ]


def exp_up(x: Fraction) -> Fraction:
    """A rational just above exp(x)."""
    return Fraction(_UP.next_plus(_UP.exp(decimal_up(x))))


def cbrt_up(x: Fraction) -> Fraction:
    """A rational just above the cube root of x, for x >= 0."""
    if x == 0:
        return Fraction(0)
    # Scale by 8^k to an integer of 200 bits or more, so that rounding up costs 2^-66 of the root.
    k = max(0, (200 - x.numerator.bit_length() + x.denominator.bit_length()) // 3 + 1)
    scaled = (x.numerator << 3 * k) // x.denominator
    root = 1 << (scaled.bit_length() // 3 + 1)
    while (better := (2 * root + scaled // root**2) // 3) < root:
        root = better
    return Fraction(root + 1, 1 << k)


def float_down(x: Fraction) -> float:
    """The largest float that is not above x."""
    nearest = _float(x)
    return nearest if nearest <= x else math.nextafter(nearest, -math.inf)


def float_up(x: Fraction) -> float:
    """The smallest float that is not below x."""
    nearest = _float(x)
    return nearest if nearest >= x else math.nextafter(nearest, math.inf)


def _float(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def sqrt_down(x: Fraction) -> Fraction:
    """A rational just below sqrt(x), for x >= 0."""
    if x == 0:
        return Fraction(0)
    return Fraction(_DOWN.next_minus(_DOWN.sqrt(decimal_down(x))))
