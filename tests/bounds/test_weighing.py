"""From floats to proofs: the best multiple, and nothing claimed that exact numbers do not give."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.structures import structure
from sidelight import Problem
from sidelight.bounds.certificate import Alternative
from sidelight.bounds.duality import (
    KEPT_BITS,
    alternatives,
    as_fractions,
    best_multiple,
    certify_alternatives,
    exact_case,
)
from sidelight.bounds.rational import short_down
from sidelight.programs.separation import Cuts, scale_problem

heights = st.lists(st.fractions(0, 5, max_denominator=20), min_size=1, max_size=6)
slopes = st.lists(st.fractions(-5, 5, max_denominator=20), min_size=7, max_size=7)


@given(heights, slopes)
def test_the_best_multiple_beats_all_others(above: list[Fraction], slope: list[Fraction]) -> None:
    lines = list(zip([Fraction(0), *above], slope, strict=False))
    if min(m for _, m in lines) > 0:
        return

    def value(s: Fraction) -> Fraction:
        return min(h + s * m for h, m in lines)

    s = best_multiple([h for h, _ in lines], [m for _, m in lines])
    crossings = {
        (h - g) / (m - n) for g, m in lines for h, n in lines if m != n and (h - g) / (m - n) >= 0
    }
    assert s >= 0
    assert value(s) == max(value(t) for t in crossings | {Fraction(0)})


def test_errors_of_the_weights_cost_a_part_of_the_value_only() -> None:
    problem = Problem(structure("bandit", 2), (0.5, 0.7))
    T, B = 1e12, 1e6
    case = exact_case(problem, T, B)
    row = Alternative((Fraction(0.8), Fraction(0.7)), Fraction(1, 10**12))
    right = Fraction(1, 10**12)
    loads = row.loads(case)
    best = certify_alternatives(case, [row], [right]).value
    assert best > 0
    for error in (-1e-6, 1e-6):
        weight = case.gaps[0] / loads[0] * Fraction(1 + error)
        assert certify_alternatives(case, [row], [weight]).value == best
    # As it stands, the weight that is too large proves nothing.
    worthless = min(case.gaps[i] - weight * loads[i] for i in range(2))
    assert worthless < 0


def test_means_that_did_not_move_are_exact() -> None:
    # 0.7 / 0.3 * 0.3 is not 0.7 in floats.
    problem = Problem(structure("bandit", 2, 0.3), (0.1, 0.07), upper=0.3)
    scaled = scale_problem(problem.means, problem.feedback.variance, 0.3, 100.0)
    case = exact_case(problem, 100, 5)
    cuts = Cuts(np.array([[scaled.theta[0], 0.9]]), np.array([0.25]))
    (row,) = alternatives(scaled, case, cuts)
    assert row.means[0] == case.means[0]
    assert float(row.means[1]) == pytest.approx(0.27)
    assert all(0 <= mean <= case.upper for mean in row.means)


def test_without_rows_nothing_is_claimed() -> None:
    case = exact_case(Problem(structure("bandit", 2), (0.5, 0.7)), 100, 5)
    proof = certify_alternatives(case, [], [])
    assert proof.value == 0.0
    assert proof.check()


def test_rows_that_refute_everything_prove_infinity() -> None:
    case = exact_case(Problem(structure("full", 2), (0.5, 0.5)), 100, 0.01)
    rows = [
        Alternative((Fraction(6, 10), Fraction(4, 10)), Fraction(1, 1000)),
        Alternative((Fraction(4, 10), Fraction(6, 10)), Fraction(1, 1000)),
    ]
    proof = certify_alternatives(case, rows, [Fraction(1), Fraction(1)])
    assert proof.value == math.inf
    assert proof.check()


def test_weights_in_the_proportions_given() -> None:
    """One row: its weight is the gap over its load, to 160 bits; others have none."""
    case = exact_case(Problem(structure("bandit", 2), (0.5, 0.75)), 1e6, 10)
    row = Alternative((Fraction(7, 8), Fraction(3, 4)), Fraction(1, 1000))
    other = Alternative((Fraction(1), Fraction(0)), Fraction(1))
    proof = certify_alternatives(case, [row, other], [Fraction(3), Fraction(0)])
    ((weight, kept),) = proof.rows
    load, gap = row.loads(case)[0], case.gaps[0]
    assert kept == row
    exact = gap / load
    free = row.loads(case)[1]  # the best action must not spend: negative here
    assert free < 0 < load
    # The two lines gap - s load and -s free meet at gap / (load - free), before the first is 0.
    meeting = gap / (load - free)
    assert meeting < exact
    assert 0 <= meeting - weight <= meeting / 2**150
    assert proof.value > 0
    assert Fraction(proof.value) <= 10**6 * -free * meeting
    assert proof.check()


def test_negative_weights_are_left_out() -> None:
    case = exact_case(Problem(structure("bandit", 2), (0.5, 0.75)), 1e6, 10)
    row = Alternative((Fraction(7, 8), Fraction(3, 4)), Fraction(1, 1000))
    assert certify_alternatives(case, [row], [Fraction(-1)]).rows == ()


def test_rows_that_prove_nothing_are_not_kept() -> None:
    """The alternative is the problem itself: it never helps."""
    case = exact_case(Problem(structure("bandit", 2), (0.5, 0.75)), 1e6, 10)
    proof = certify_alternatives(case, [Alternative(case.means, Fraction(1))], [Fraction(1)])
    assert proof.rows == ()
    assert proof.value == 0.0


@given(st.fractions(min_value=Fraction(1, 10**60), max_value=10**60))
def test_scales_are_shortened_downwards(s: Fraction) -> None:
    short = short_down(s, KEPT_BITS)
    assert 0 <= s - short <= s / 2**158
    odd = short.numerator // (short.numerator & -short.numerator)  # a large s ends in zeros
    assert odd.bit_length() <= 162
    assert short_down(Fraction(0), KEPT_BITS) == 0


def test_floats_as_they_are() -> None:
    assert as_fractions(np.array([0.1, 2.0])) == [Fraction(0.1), Fraction(2)]


def test_alternatives_stay_inside_the_range() -> None:
    """In units of the upper end, a mean may come out a little beyond it."""
    problem = Problem(structure("bandit", 2, 0.3), (0.1, 0.07), upper=0.3)
    scaled = scale_problem(problem.means, problem.feedback.variance, 0.3, 100.0)
    cuts = Cuts(np.array([[1.0 + 1e-15, -1e-17]]), np.array([0.5]))
    (row,) = alternatives(scaled, exact_case(problem, 100, 5), cuts)
    assert list(row.means) == [Fraction(0.3), 0]
    assert row.shift == Fraction(0.15)
