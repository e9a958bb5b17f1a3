"""Exact arithmetic with the few functions that are not rational, rounded to the side asked for.

A float is a binary fraction, so every input of a bound is a rational number, exactly. Sums and
products of rationals are exact; `log`, `exp` and roots come as a rational just below or above.
`decimal` rounds these functions correctly, and one unit in the last of sixty places further is on
the safe side.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

_DOWN = Context(prec=60, rounding=ROUND_FLOOR, Emin=-(10**9), Emax=10**9)
_UP = Context(prec=60, rounding=ROUND_CEILING, Emin=-(10**9), Emax=10**9)


def log_down(x: Fraction) -> Fraction:
    """A rational just below log(x), for x > 0."""
    below = _DOWN.ln(_DOWN.divide(Decimal(x.numerator), Decimal(x.denominator)))
    # log 1 is exact, and the number next to 0 has a billion digits.
    return Fraction(_DOWN.next_minus(below)) if below else Fraction(0)


def log_up(x: Fraction) -> Fraction:
    """A rational just above log(x), for x > 0."""
    above = _UP.ln(_UP.divide(Decimal(x.numerator), Decimal(x.denominator)))
    return Fraction(_UP.next_plus(above)) if above else Fraction(0)


def sqrt_down(x: Fraction) -> Fraction:
    """A rational just below sqrt(x), for x >= 0."""
    if x == 0:
        return Fraction(0)
    below = _DOWN.divide(Decimal(x.numerator), Decimal(x.denominator))
    return Fraction(_DOWN.next_minus(_DOWN.sqrt(below)))


def sqrt_up(x: Fraction) -> Fraction:
    """A rational just above sqrt(x), for x >= 0."""
    if x == 0:
        return Fraction(0)
    above = _UP.divide(Decimal(x.numerator), Decimal(x.denominator))
    return Fraction(_UP.next_plus(_UP.sqrt(above)))


def exp_up(x: Fraction) -> Fraction:
    """A rational just above exp(x)."""
    above = _UP.divide(Decimal(x.numerator), Decimal(x.denominator))
    return Fraction(_UP.next_plus(_UP.exp(above)))


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
