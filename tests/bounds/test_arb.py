"""The integrals of the sandwich against Arb, which encloses what it computes by its own means.

Arb (python-flint) evaluates erfc and integrals of analytic functions in balls that contain the
truth. Whatever the proofs round must lie on the safe side of such a ball, and near it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import acb, arb, ctx, fmpq

from sidelight.bounds.commitment import Bounding, Exploration
from sidelight.bounds.gaussian import (
    LEAST,
    cumulative_up,
    density_up,
    exp_minus_down,
    exp_minus_up,
    table,
)
from sidelight.bounds.passage import Passage, exp_minus

BEYOND = 14  # standard deviations; what lies outside weighs less than 10^-43


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """So many bits, for a while."""
    before, ctx.prec = ctx.prec, bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(x: Fraction | float | int) -> Any:
    """The number itself."""
    exact = Fraction(x)
    return arb(fmpq(exact.numerator, exact.denominator))


def cumulative(z: Any) -> Any:
    """The distribution function, of a real or complex ball."""
    return (-z / arb(2).sqrt()).erfc() / 2


def phi(z: Any) -> Any:
    """The density."""
    return (-z * z / 2).exp() / (2 * arb.pi()).sqrt()


def integral(f: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """A ball that contains the integral of an analytic function."""
    return acb.integral(lambda z, _: f(z), acb(low), acb(high)).real


# ---- Phi and the exponential -------------------------------------------------------------------


def test_tails_and_densities() -> None:
    rng = np.random.default_rng(1)
    with precision(256):
        for t in [Fraction(0), Fraction(1, 10**9), *map(Fraction, rng.uniform(0, 9, 40))]:
            near = ball(Fraction(1, 10**30))
            for ours, truth in zip(
                cumulative_up(t**2), (cumulative(ball(t)), cumulative(ball(-t))), strict=True
            ):
                # At 0 the value is exact, and a ball around it is no proof of an inequality.
                assert ours == Fraction(1, 2) if t == 0 else bool(ball(ours) > truth)
                assert ball(ours) < truth + near
            dense = phi(ball(t))
            assert dense < ball(density_up(t**2)) < dense + near


def test_exponentials() -> None:
    rng = np.random.default_rng(2)
    with precision(256):
        for x in map(Fraction, rng.uniform(0, 300, 40)):
            truth = (-ball(x)).exp()
            low, high = ball(exp_minus_down(x)), ball(exp_minus_up(x))
            assert low < truth < high
            assert high - low < truth * ball(Fraction(1, 10**50))
        points = rng.uniform(0, 700, 200)
        for x, ours in zip(points, exp_minus(points), strict=True):
            truth = (-ball(x)).exp()
            assert abs(ball(float(ours)) - truth) < truth * ball(2.0**-48)


@pytest.mark.parametrize("step", [Fraction(1, 3), Fraction(0.07), Fraction(22, 10)])
def test_tables(step: Fraction) -> None:
    values = table(step**2)
    n = len(values) // 2
    with precision(256):
        for m in range(-n, n + 1):
            truth, ours = cumulative(ball(m * step)), float(values[n + m])
            assert m == 0 or ball(ours) > truth
            if abs(m) < n:
                assert ours <= LEAST or ball(ours) < truth * ball(1 + 1e-12)


# ---- explore-then-commit -----------------------------------------------------------------------


def chosen(i: int, gaps: Sequence[Fraction], spreads: Sequence[Fraction]) -> Any:
    """p_i(d): the chance that the average of i is the largest."""
    sds = [ball(v).sqrt() for v in spreads]

    def density(x: Any) -> Any:
        value = phi(x / sds[i]) / sds[i]
        for j, sd in enumerate(sds):
            if j != i:
                value *= cumulative((x + ball(gaps[j] - gaps[i])) / sd)
        return value

    far = BEYOND * sds[i]
    return integral(density, -far, far) + ball(Fraction(1, 10**43)) * arb(0, 1)


def random_plan(rng: np.random.Generator) -> Exploration:
    """Two to four actions that are shown well or badly, and a plan that shows them all."""
    K = int(rng.integers(2, 5))
    sigma = 10 ** rng.uniform(-0.5, 0.5, (K, K))
    shown = (rng.random((K, K)) < 0.5) | np.eye(K, dtype=bool)
    variance = tuple(
        tuple(Fraction(float(s)) ** 2 if yes else None for s, yes in zip(*row, strict=True))
        for row in zip(sigma, shown, strict=True)
    )
    plays = tuple(map(int, rng.integers(5, 60, K)))
    return Exploration(variance, Fraction(1), Fraction(1000), plays)


@pytest.mark.parametrize("seed", range(8))
def test_the_regret_of_a_plan(seed: int) -> None:
    """At a lattice point: the bound is not below the truth, and next to it."""
    rng = np.random.default_rng([3, seed])
    plan = random_plan(rng)
    K, bounding = len(plan.plays), Bounding(plan, 16)
    best = int(rng.integers(K))
    at = rng.integers(0, min(bounding.cells, 80), (1, K))
    at[:, best] = 0
    gaps = [int(m) * bounding.step for m in at[0]]
    with precision(96):
        chances = [chosen(i, gaps, bounding.spreads) for i in range(K)]
        assert abs(sum(chances, arb(0)) - 1) < ball(Fraction(1, 10**20))
        parts = zip(gaps, plan.plays, chances, strict=True)
        truth = sum((ball(d) * (n + ball(plan.rest) * p) for d, n, p in parts), arb(0))
        ours = ball(float(bounding.bound(best, at, at)[0][0]))
        assert ours > truth
        # Rules whose others are seen much better leave them out: then the bound is looser.
        resolved = all(r is not None and len(r.others) == K - 1 for r in bounding.rules)
        assert not resolved or ours < truth * ball(1 + 1e-8) + ball(1e-7)
        for i, found in enumerate(bounding.chances(best, at, at)[0]):
            assert i == best or ball(float(found)) > chances[i]
        assert ball(float(bounding.wrong(best, at)[0])) > 1 - chances[best]


# ---- the index -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_survival_at_two_counts(seed: int) -> None:
    """G_1 is a value of Phi, G_2 one integral: the proof brackets both."""
    rng = np.random.default_rng([4, seed])
    first = int(rng.integers(1, 40))
    counts = [first, first + int(rng.integers(1, first + 2))]
    widths = rng.uniform(0.2, 3.0, 2) / np.sqrt(counts)
    levels = rng.uniform(-3, 3, 3) / np.sqrt(first)
    above, below = Passage(counts, widths).survival(levels)
    with precision(96):
        for column, y in enumerate(levels):
            truth = both(counts, [ball(b) - ball(y) for b in widths])
            for k in (0, 1):
                low, high = (ball(float(side[k, column])) for side in (below, above))
                assert low < truth[k] < high
                assert high - low < ball(1e-6)


def both(counts: Sequence[int], room: Sequence[Any]) -> tuple[Any, Any]:
    """P(S_1/s_1 >= -room_1), and the chance that the same holds at both counts."""
    root, step = arb(counts[0]).sqrt(), arb(counts[1] - counts[0]).sqrt()

    def density(u: Any) -> Any:
        return phi(u / root) / root * cumulative((u + counts[1] * room[1]) / step)

    start = -counts[0] * room[0]
    tail = ball(Fraction(1, 10**40)) * arb(0, 1)
    return cumulative(root * room[0]), integral(density, start, BEYOND * root) + tail
