"""Tables of Phi: never too small, and as close as floats can be, by two other ways of computing."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from sidelight.bounds import gaussian
from sidelight.bounds.rational import float_up

STEPS = [
    Fraction(1, 384**2),
    Fraction(1, 128**2) + Fraction(1, 10**9),
    Fraction(3, 7 * 10**6),
    Fraction(0.0011) ** 2,
    gaussian.FINE**2,
    gaussian.FINE**2 + Fraction(1, 10**30),
    Fraction(1, 50),
    Fraction(9),
    Fraction(81),
    Fraction(100),
]


@pytest.mark.parametrize("square", STEPS)
def test_a_table_is_that_of_the_series_to_the_last_bit(square: Fraction) -> None:
    """S(t) summed for each entry, as the module says, in place of steps from one to the next."""
    known: list[tuple[float, float]] = []
    while (at := len(known) ** 2 * square) < gaussian.REACH**2:
        above, below = gaussian.cumulative_up(at)
        known.append((min(1.0, float_up(above)), max(gaussian.LEAST, float_up(below))))
    left, right = [below for _, below in known], [above for above, _ in known]
    whole = [gaussian.LEAST, *reversed(left[1:]), *right, 1.0]
    assert gaussian.table(square).tolist() == whole


@pytest.mark.parametrize("square", [STEPS[0], STEPS[2], STEPS[4]])
def test_integers_are_off_by_less_than_is_allowed_for(square: Fraction) -> None:
    """Against erf in balls of 400 bits, far beyond the end of every table."""
    before = ctx.prec
    ctx.prec = 400
    try:
        step = arb(fmpq(square.numerator, square.denominator)).sqrt()
        last = math.ceil(gaussian.REACH / Fraction(float(step))) + 100
        for m, found in zip(range(last), gaussian._centred(square), strict=False):
            truth = (m * step / arb(2).sqrt()).erf() / 2
            assert abs(truth * arb(gaussian.UNIT) - found) < arb(gaussian.OFF) / 2**6, m
    finally:
        ctx.prec = before


def test_tables_rise_and_are_shared_out() -> None:
    values = gaussian.table(STEPS[0])
    assert (np.diff(values) >= 0).all()
    assert not values.flags.writeable
