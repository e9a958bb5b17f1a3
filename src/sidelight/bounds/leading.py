"""What `greedy` loses on generalized full information: the paper's footnote, as a number [sec:pre].

Every play shows every action. After K rounds of one look at each, `greedy` plays the largest
average, so that its regret is

    R = (gaps of the first K plays) + sum over t > K of sum_i d_i P(i leads before round t).

Let b be a best action. If i leads, its average is at least that of b. Let q_j be the information on
j before round t if every play after the K-th had shown j as badly as the worst does.

*Every play shows as much.* If the variance of j does not depend on the action that is played, the
information is exactly q_j, and averages are independent Gaussians: P(i leads) <= Phi(-x_i) with
x_i = d_i / sqrt(1/q_i + 1/q_b).

*Otherwise* the information depends on what was seen, and is at least q_j. In the time of
information n the sum of errors of j is a Brownian motion B_j, and those of different actions are
independent (Knight). B(n)/n is a Brownian motion at time 1/n, whose largest value up to the time
1/q is distributed like |N(0, 1/q)|. The average of i exceeds that of b only if two such maxima sum
to d_i or more: P(i leads) <= 4 Phi(-x_i), a term for each pair of signs.

Weights are cut at CAP/D^2, as those of a belief: smaller variances count as D^2/CAP, which makes no
chance smaller where every play shows as much. Elsewhere such variances are refused.

All chances together are at most 1, so the largest gaps take theirs first. Terms fall with t; beyond
the first `SINGLE` rounds they are summed in blocks that grow by one per cent, each as it begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from .case import ZERO, RefutedError, rational_variance
from .commitment import CAP
from .gaussian import cumulative_up, exp_minus_up
from .rational import short_up

if TYPE_CHECKING:
    from .formulas import Terms

SINGLE = 400
GROWTH = Fraction(101, 100)
FAR = Fraction(81)  # squares beyond which exp(-x^2/2)/2 stands for Phi(-x)
FARTHEST = Fraction(1000)  # beyond it a chance is that of this square, 10^-217


def leading(t: Terms) -> Fraction:
    """A number not below the regret of `greedy` on the problem of these terms."""
    if t.means is None or not t.feedback.observes.all():
        raise RefutedError("greedy is safe only where every action shows every other")
    seen = rational_variance(t.feedback)
    least = t.upper**2 / CAP
    alike = all(row == seen[0] for row in seen)
    if not alike and any(v is None or v < least for row in seen for v in row):
        raise RefutedError("some variances are too small for weights that are cut, and differ")
    variance = [[max(v or ZERO, least) for v in row] for row in seen]
    first = first_looks(variance)
    last = math.ceil(t.horizon)
    total = sum((t.gaps[i] for i in first[:last]), ZERO)
    start = [sum((1 / variance[i][j] for i in first), ZERO) for j in range(t.K)]
    worst = [1 / max(row[j] for row in variance) for j in range(t.K)]
    for before, length in _blocks(t.K, last):
        plays = before - t.K
        spreads = [short_up(1 / (start[j] + plays * worst[j])) for j in range(t.K)]
        total += length * _lost(t.gaps, spreads, 1 if alike else 4)
    return total


def first_looks(variance: Sequence[Sequence[Fraction]]) -> list[int]:
    """Who shows each action best: the action itself if none is better, else the first."""
    columns = list(zip(*variance, strict=True))
    return [j if c[j] == min(c) else c.index(min(c)) for j, c in enumerate(columns)]


def _blocks(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Rounds before a block, and its length, until `last` rounds are played."""
    t = first
    while t < last:
        length = 1 if t < first + SINGLE else max(1, math.floor(t * (GROWTH - 1)))
        yield t, min(length, last - t)
        t += length


def _lost(gaps: Sequence[Fraction], spreads: Sequence[Fraction], times: int) -> Fraction:
    """sum_i d_i P(i leads), rounded up; spreads are the variances of averages."""
    left, total = Fraction(1), ZERO
    best = list(gaps).index(ZERO)
    for gap, spread in sorted(zip(gaps, spreads, strict=True), reverse=True):
        if not gap or left <= 0:
            break
        chance = min(left, times * _tail(gap**2 / (spread + spreads[best])))
        total += short_up(gap * chance)
        left -= chance
    return total


def _tail(square: Fraction) -> Fraction:
    """A number not below Phi(-x), given x^2."""
    if square <= FAR:
        return cumulative_up(square)[1]
    return exp_minus_up(min(square, FARTHEST) / 2) / 2
