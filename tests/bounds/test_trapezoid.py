"""The tables of Phi and the rules of integration that promises rest on, against exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from naive import commitment as naive
from sidelight.bounds.commitment import MOST, looked_up
from sidelight.bounds.gaussian import LEAST, REACH, table
from sidelight.bounds.trapezoid import Rule, _off, rule

# variances of averages, and the step of the lattice
LATTICES = [
    ([Fraction(1), Fraction(1)], Fraction(1, 16)),
    ([Fraction(1), Fraction(121), Fraction(3)], Fraction(1, 7)),
    ([Fraction(1), Fraction(143), Fraction(144)], Fraction(1, 11)),
    ([Fraction(1), Fraction(145)], Fraction(1, 5)),
    ([Fraction(2, 3), Fraction(5, 7), Fraction(9), Fraction(1, 2)], Fraction(0.07)),
    ([Fraction(1), Fraction(0), Fraction(4)], Fraction(1, 5)),
]


def rules() -> list[tuple[list[Fraction], int, Fraction, Rule]]:
    found = []
    for spreads, step in LATTICES:
        for i in range(len(spreads)):
            one = rule(spreads, i, step)
            assert (one is None) == (spreads[i] == 0)
            if one is not None:
                found.append((spreads, i, step, one))
    return found


def test_a_table_ends_where_nothing_is_left() -> None:
    for parts in (1, 2, 5):
        values = table(Fraction(1, parts**2))
        assert len(values) // 2 == REACH * parts
        assert (values[0], values[-1]) == (LEAST, 1.0)
    assert looked_up(table(Fraction(1)), np.array([-99, -9, 0, 9, 99])).tolist() == [
        *(LEAST, LEAST, 0.5, 1.0, 1.0)
    ]


def test_no_other_is_left_out_but_the_very_sharp_ones() -> None:
    """Those with twelve standard deviations in one of its own: they would ask for a fine grid."""
    for spreads, i, _, found in rules():
        sharp = [144 * v <= spreads[i] for v in spreads]
        assert found.others == tuple(j for j in range(len(spreads)) if j != i and not sharp[j])
    assert rule([Fraction(1), Fraction(145)], 1, Fraction(1)) is not None
    assert rule([Fraction(1), Fraction(143)], 1, Fraction(1)) is None


def test_nodes_and_weights_are_those_of_the_density() -> None:
    for spreads, i, step, found in rules():
        own, stride = spreads[i], int(found.nodes[1] - found.nodes[0])
        least = min([own, *(spreads[j] for j in found.others)])
        assert (np.diff(found.nodes) == stride).all()
        assert (found.nodes == -found.nodes[::-1]).all()
        # Three points or more in the smallest standard deviation, seven and a half of which count.
        assert 9 * (stride * step) ** 2 <= least < 9 * ((stride + 1) * step) ** 2
        assert found.nodes[-1] * step >= Fraction(15, 2) * Fraction(math.sqrt(own) * (1 - 1e-12))
        for node, weight in zip(found.nodes.tolist(), found.weights.tolist(), strict=True):
            square = (stride * step) ** 2 / own * naive.density((node * step) ** 2 / own) ** 2
            assert Fraction(weight) ** 2 >= square
            assert weight <= max(LEAST, math.sqrt(square) * (1 + 1e-14))


def test_the_error_is_that_of_the_theorem() -> None:
    for spreads, i, step, found in rules():
        own, h = spreads[i], int(found.nodes[1] - found.nodes[0]) * step
        others = [spreads[j] for j in found.others]
        strip = 4 * min([own, *others])
        off = naive.off(own, others, strip, h)
        assert off <= _off(own, others, strip, h) <= off * (1 + Fraction(1, 10**30))
        reached = Fraction(math.sqrt((found.nodes[-1] * step) ** 2 / own))
        left_out = 2 * naive.cumulative(-reached)
        assert found.error == pytest.approx(float(off + left_out), rel=1e-12, abs=0)


@pytest.mark.parametrize("variance", [Fraction(1, 100), Fraction(1), Fraction(25), Fraction(100)])
def test_the_sum_and_its_error_enclose_the_chance_of_two(variance: Fraction) -> None:
    """Of two averages that of the first is larger with a chance that is a single Phi."""
    step, spreads = Fraction(1, 32), [Fraction(1), variance]
    found = rule(spreads, 0, step)
    assert found is not None
    if not found.others:  # left out of the product, as if it always lost
        total = sum(map(Fraction, found.weights.tolist()))
        assert 1 <= total + Fraction(found.error) < 1 + Fraction(1, 10**12)
        return
    values = table(step**2 / variance)
    for gap in (-200, -64, -10, 0, 7, 50, 100):
        factors = looked_up(values, gap + found.nodes).tolist()
        terms = zip(found.weights.tolist(), factors, strict=True)
        total = sum(Fraction(weight) * Fraction(factor) for weight, factor in terms)
        square = (gap * step) ** 2 / (1 + variance)
        root = Fraction(math.sqrt(square)) * (1 if gap > 0 else -1)
        exact = naive.cumulative(root)
        # The root is off by 2^-53 of itself.
        assert exact - Fraction(1, 10**15) <= total + Fraction(found.error)
        assert total <= exact + Fraction(1, 10**12)


def test_no_rule_has_more_terms_than_rounding_is_allowed_for() -> None:
    """The stride is at least half of what was asked for, and the ratio of deviations at most 12."""
    rng = np.random.default_rng(1)
    sizes = []
    for _ in range(300):
        sharp = Fraction(float(rng.uniform(1 / 144, 1)))
        step = Fraction(float(rng.uniform(0.01, 1) * math.sqrt(sharp) / 3))
        found = rule([Fraction(1), sharp], 0, step)
        assert found is not None
        sizes.append(len(found.weights))
    assert 500 < max(sizes) <= 2 * 540 + 1 < MOST - 100
