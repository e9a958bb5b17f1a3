"""The sum_{s=0}^T exp(-rate s^b), bounded above for any T: a term of Algorithm 1's guarantee.

It is what Algorithm 1 pays for learning slowly, and `formulas` says where it stands [thm:alg1-ub1].

f(s) = exp(-rate s^b) with 0 < b <= 1 is completely monotone, so its fourth derivative is positive.
Take whole numbers m and r. The cubic that meets f at m - r and m + r, and touches it at m, lies
above f in between, and its sum over the 2r + 1 whole numbers there (Simpson's rule for sums) is

    w f(m - r) + (2r + 1 - 2w) f(m) + w f(m + r),      w = (r + 1)(2r + 1) / (6 r),

all weights positive. Radii in proportion to m make a few hundred blocks for a million terms, with
an excess far below 1e-6 of the sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..variances import Array

SINGLES = 64
WIDTH = 50  # radius = start of the block / WIDTH
# Where f is below exp(-FAR), the rest of the sum is bounded by its first term.
FAR = 300

_DOWN = Context(prec=30, rounding=ROUND_FLOOR)
_UP = Context(prec=30, rounding=ROUND_CEILING)

Node = tuple[int, Fraction]  # a point, and its weight


@lru_cache(maxsize=64)
def nodes(last: int) -> tuple[Node, ...]:
    """Points and weights for the sum over 0, ..., last."""
    return tuple(_nodes(last))


def _nodes(last: int) -> Iterator[Node]:
    one = Fraction(1)
    yield from ((s, one) for s in range(min(SINGLES, last + 1)))
    at = SINGLES
    while at <= last:
        r = min(at // WIDTH, (last - at) // 2)
        if r == 0:
            yield at, one
        else:
            w = Fraction((r + 1) * (2 * r + 1), 6 * r)
            yield from ((at, w), (at + r, 2 * r + 1 - 2 * w), (at + 2 * r, w))
        at += 2 * r + 1


def decay_sum(last: int, rate: Fraction | None, b: Fraction) -> Fraction:
    """A rational above the sum; `rate` None stands for an infinite one."""
    if rate is None:
        return Fraction(1)
    exact_rate = _DOWN.divide(Decimal(rate.numerator), Decimal(rate.denominator))
    total = Decimal(0)
    for (point, weight), power in zip(nodes(last), _powers(last, b), strict=True):
        x = _DOWN.multiply(exact_rate, power)
        term = _UP.next_plus(_UP.exp(min(x, Decimal(FAR)).copy_negate()))
        if x > FAR:
            total = _UP.add(total, _UP.multiply(term, Decimal(last - point + 1)))
            break
        share = _UP.divide(Decimal(weight.numerator), Decimal(weight.denominator))
        total = _UP.add(total, _UP.multiply(term, share))
    return Fraction(total)


@lru_cache(maxsize=64)
def _powers(last: int, b: Fraction) -> tuple[Decimal, ...]:
    """point^b for every node, rounded down."""
    exponent = _DOWN.divide(Decimal(b.numerator), Decimal(b.denominator))
    return tuple(_power(point, exponent) for point, _ in nodes(last))


def _power(point: int, b: Decimal) -> Decimal:
    if point <= 1:
        return Decimal(point)
    log = _DOWN.next_minus(_DOWN.ln(Decimal(point)))
    return _DOWN.next_minus(_DOWN.exp(_DOWN.multiply(b, log)))


def approximate_sums(last: int, rates: Array, b: float) -> Array:
    """The same for many rates, in floats: to search with, not to rely on."""
    table = nodes(last)
    points = np.array([point for point, _ in table], dtype=float) ** b
    weights = np.array([float(weight) for _, weight in table])
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        return np.asarray(np.exp(-np.multiply.outer(rates, points)) @ weights)
