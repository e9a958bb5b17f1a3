"""Numbers at the door of the bounds: checked once, then exact."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Rational, Real

from ..errors import InputError


def positive(value: float, name: str, unit: str) -> Fraction:
    """The exact value of a positive number that a float can hold; anything else is an error."""
    try:
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError
        if not 0 < float(value) < math.inf:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{name} = {value!r} must be a positive, finite number of {unit}"
        ) from None
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(float(value))
