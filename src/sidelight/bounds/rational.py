"""Exact arithmetic with the two functions that are not rational, rounded to the side asked for.

A float is a binary fraction, so every input of a bound is a rational number, exactly. Sums and
products of rationals are exact; `log` and `sqrt` come as the nearest rational below or above.
`decimal` rounds its logarithm and its root correctly, and one unit in the last of sixty places
further is on the safe side.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

_DOWN = Context(prec=60, rounding=ROUND_FLOOR, Emin=-(10**9), Emax=10**9)
_UP = Context(prec=60, rounding=ROUND_CEILING, Emin=-(10**9), Emax=10**9)


def log_down(x: Fraction) -> Fraction:
    """A rational just below log(x), for x > 0."""
    below = _DOWN.divide(Decimal(x.numerator), Decimal(x.denominator))
    return Fraction(_DOWN.next_minus(_DOWN.ln(below)))


def log_up(x: Fraction) -> Fraction:
    """A rational just above log(x), for x > 0."""
    above = _UP.divide(Decimal(x.numerator), Decimal(x.denominator))
    return Fraction(_UP.next_plus(_UP.ln(above)))


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
