"""Gaussian tails that are never too small.

For t >= 0, with the density phi and the distribution function Phi of a standard Gaussian,

    Phi(t) = 1/2 + phi(t) S(t),   Phi(-t) = 1/2 - phi(t) S(t),   S(t) = sum_k t^(2k+1) / (2k+1)!! .

All terms of S are positive, so a partial sum lies below it; as soon as the ratio t^2/(2k+3) of two
terms is at most 1/2, what is left out is at most the last term. S is summed in integers, and the
exponential is that of `decimal`, which rounds correctly. No function of the machine's mathematical
library is used.

A table holds Phi at the multiples of one step h, as floats that are not too small. Nothing in it is
below `LEAST`, so that products of a few entries never leave the range of floats. Where the step is
at most `FINE`, it is summed from one multiple to the next: with the midpoint c of the two,

    Phi(c + h/2) - Phi(c - h/2) = h phi(c) sum_j He_2j(c) (h/2)^2j / (2j+1)! ,

He_n the Hermite polynomials, He_{n+1}(c) = c He_n(c) - n He_{n-1}(c). As |He_n(x)| exp(-x^2/4) is
at most 1.09 sqrt(n!) [Cramer], what the terms from j = J on add to all multiples up to REACH is at
most 4 sqrt((2J)!) (h/2)^2J / (2J+1)!, for J = `TERMS` and h = `FINE` less than 2^-146. Numbers are
integers in units of 2^-WIDE. Every product is off by less than two units and what its factors are
off by. So phi(c), a product of m factors that are themselves products of m, is off by 4 m^2 units.
He_n is off by less than (c + n)^n units, which its coefficient, below (h/2)^n, makes less than one.
With at most 2^15 multiples this is less than 2^50 units; pi, known to forty decimals, adds at most
2^56, and `OFF` allows for 2^62.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from functools import lru_cache
from itertools import islice

import numpy as np

from ..variances import Array
from .rational import decimal_down, decimal_up, float_up, sqrt_down

PI_DOWN = Fraction(31415926535897932384626433832795028841971, 10**40)

BITS = 128
ONE = 1 << BITS
SMALL = 1 << 16  # a last term so small, in units of 2^-BITS, is none
_ROOT_UP = 1 / sqrt_down(2 * PI_DOWN)
SPARE = Fraction(1, 10**38)  # PI_DOWN is known to 10^-40
# Phi(-REACH) < LEAST: beyond it a table is constant.
REACH = Fraction(9)
LEAST = 2.0**-60

# Tables with small steps.
FINE = Fraction(1, 100)
TERMS = 8
WIDE = 192
UNIT = 1 << WIDE
OFF = 1 << 62
MOST_MULTIPLES = 1 << 15

# A sign is changed by `copy_negate`: the operator would round to the precision of another context.
_DOWN = Context(prec=60, rounding=ROUND_FLOOR, Emin=-(10**9), Emax=10**9)
_UP = Context(prec=60, rounding=ROUND_CEILING, Emin=-(10**9), Emax=10**9)


def exp_minus_up(x: Fraction) -> Fraction:
    """A rational just above exp(-x), for x >= 0."""
    return Fraction(_UP.next_plus(_UP.exp(decimal_down(x).copy_negate())))


def exp_minus_down(x: Fraction) -> Fraction:
    """A rational just below exp(-x), for x >= 0."""
    return Fraction(_DOWN.next_minus(_DOWN.exp(decimal_up(x).copy_negate())))


def density_up(square: Fraction) -> Fraction:
    """A rational just above phi(t), given t^2."""
    return exp_minus_up(square / 2) * _ROOT_UP


def _series(square: Fraction) -> tuple[int, int]:
    """Integers just below and just above S(t)/t in units of 2^-BITS, given t^2."""
    factor = (square.numerator << BITS) // square.denominator
    low = high = total_low = total_high = ONE
    k = 0
    while high > SMALL or 2 * (factor + 1) > (2 * k + 3) * ONE:
        k += 1
        low = (low * factor >> BITS) // (2 * k + 1)
        high = -(-high * (factor + 1) // (2 * k + 1 << BITS))
        total_low += low
        total_high += high
    return total_low, total_high + high


def cumulative_up(square: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals just above Phi(t) and Phi(-t), given t^2 up to a million."""
    half = Fraction(1, 2)
    if not square:
        return half, half
    low, high = _series(square)
    root = decimal_up(square).sqrt(_UP)
    above = _UP.multiply(_UP.exp(decimal_down(square / 2).copy_negate()), _UP.next_plus(root))
    # Two roundings in sixty digits, and an argument off in the sixtieth: far less than SPARE.
    weight = Fraction(above) * _ROOT_UP * (1 + SPARE)
    return half + weight * high / ONE, half - weight * (1 - 3 * SPARE) * low / ONE


def _centred(square: Fraction) -> Iterator[int]:
    """Phi(m h) - 1/2 for m = 0, 1, ... in units of 2^-WIDE, off by less than OFF, given h^2."""
    h = math.isqrt((square.numerator << 2 * WIDE) // square.denominator)
    parts = [UNIT]  # (h/2)^2j / (2j+1)!
    for j in range(1, TERMS):
        parts.append((parts[-1] * h >> WIDE) * h // ((8 * j * (2 * j + 1)) << WIDE))
    step = int(UNIT * exp_minus_down(square))
    fall, height = step, int(h * exp_minus_down(square / 8) * _ROOT_UP)  # h phi(c)
    total = m = 0
    while True:
        yield total
        c = (2 * m + 1) * h >> 1
        before, now, series = UNIT, c, UNIT
        for j, part in enumerate(parts[1:], start=1):
            before, now = now, (c * now >> WIDE) - (2 * j - 1) * before
            series += now * part >> WIDE
            before, now = now, (c * now >> WIDE) - 2 * j * before
        total += height * series >> WIDE
        height = height * fall >> WIDE
        fall = fall * step >> WIDE
        m += 1


def _halves(square: Fraction, count: int) -> Iterator[tuple[Fraction, Fraction]]:
    """Rationals just above Phi and Phi(-.) at the multiples 0, 1, ..., count - 1 of a step."""
    if square > FINE**2 or count > MOST_MULTIPLES:
        yield from (cumulative_up(m * m * square) for m in range(count))
        return
    yield cumulative_up(Fraction(0))
    for found in islice(_centred(square), 1, count):
        yield Fraction(UNIT // 2 + found + OFF, UNIT), Fraction(UNIT // 2 - found + OFF, UNIT)


@lru_cache(maxsize=64)
def table(square: Fraction) -> Array:
    """Phi at the multiples -n, ..., n of a step, given its square: floats that are not too small.

    n is the first multiple beyond `REACH`; beyond the ends the outermost entries bound Phi.
    """
    # The multiples m with m^2 square < REACH^2.
    last = math.isqrt(math.ceil(REACH**2 / square) - 1)
    inside = [
        (min(1.0, float_up(above)), max(LEAST, float_up(below)))
        for above, below in _halves(square, last + 1)
    ]
    right = [*(above for above, _ in inside), 1.0]
    left = [*(below for _, below in inside), LEAST]
    whole = np.array([*reversed(left[1:]), *right])
    whole.setflags(write=False)
    return whole
