"""From multipliers to proofs: exact cases, weights scaled to what the gaps afford, conclusions."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from naive.structures import structure
from sidelight import Feedback, InputError, Problem
from sidelight.bounds.case import Case
from sidelight.bounds.certificate import Alternative, Certificate, Information, Pair
from sidelight.bounds.duality import certify, conclusive, exact_case, lower_float

ONE, HALF, QUARTER = Fraction(1), Fraction(1, 2), Fraction(1, 4)
# 0 and 1 are seen only by playing 2, which costs 1/2.
HIDDEN = Case(
    ((None, None, ONE), (None, None, ONE), (ONE, ONE, None)), (3 * QUARTER, HALF, QUARTER), ONE
)
BANDIT = Case(((ONE, None), (None, ONE)), (HALF, QUARTER), ONE, Fraction(1000), Fraction(10))


def test_floats_become_the_binary_fractions_that_they_are() -> None:
    feedback = Feedback(np.array([[0.1, np.inf], [0.0, 4.0]]))
    case = exact_case(Problem(feedback, (0.3, 0.7), upper=1.5), 1e5, 3)
    assert case.variance == ((Fraction(0.1), None), (Fraction(0), Fraction(4)))
    assert case.means == (Fraction(0.3), Fraction(0.7))
    assert (case.upper, case.horizon, case.worst_case) == (3 * HALF, 10**5 * ONE, 3 * ONE)
    free = exact_case(Problem(feedback, (0.3, 0.7)))
    assert (free.horizon, free.worst_case) == (None, None)
    for horizon, worst_case in ((0, 1), (1, 0), (math.inf, 1), (1, math.nan)):
        with pytest.raises(InputError, match="must be a positive, finite number"):
            exact_case(Problem(feedback, (0.3, 0.7)), horizon, worst_case)


@pytest.mark.parametrize("weight", [1, 2, 2**30])
def test_weights_that_cost_too_much_are_scaled_down(weight: int) -> None:
    """A play of 2 costs 1/2 and tells (1/2)^2 + (1/2)^2 = 1/2: weight 1, worth 2/(1/4)^2."""
    certificate = certify(HIDDEN, [(Fraction(weight), Pair(1, HALF))])
    assert certificate == Certificate(HIDDEN, ((ONE, Pair(1, HALF)),), 32.0)
    assert certificate.check()


def test_weights_that_cost_less_are_left_alone() -> None:
    certificate = certify(HIDDEN, [(QUARTER, Pair(1, HALF)), (Fraction(0), Pair(2, ONE))])
    assert certificate == Certificate(HIDDEN, ((QUARTER, Pair(1, HALF)),), 8.0)


def test_what_nobody_can_afford_proves_nothing() -> None:
    """1 is tied with the best action, and shows what the row asks for."""
    case = Case(((None, ONE), (ONE, None)), (HALF, HALF), ONE, Fraction(1000), Fraction(10))
    certificate = certify(case, [(ONE, Information(1, QUARTER, QUARTER))])
    assert certificate.value == 0.0
    assert certificate.check()


def test_long_weights_are_kept_short() -> None:
    certificate = certify(HIDDEN, [(Fraction(1, 3), Pair(1, HALF))])
    ((weight, _),) = certificate.rows
    assert 0 < Fraction(1, 3) - weight < Fraction(1, 2**256)
    assert weight.denominator.bit_length() <= 260
    assert certificate.value == math.nextafter(32 / 3, 0) or certificate.value == 32 / 3
    assert certificate.check()
    assert not replace(certificate, value=math.nextafter(certificate.value, 99)).check()


def test_at_a_horizon_the_best_actions_may_spend() -> None:
    """w = 1/2: action 1 spends 1/2 and has 1/4; the best one spends mu = 1/2048 and has nothing.

    The factor (1/4 + mu) / (1/2) leaves brackets of at least -mu.
    """
    case = Case(
        ((ONE, Fraction(1024)), (None, ONE)),
        (HALF, QUARTER),
        ONE,
        horizon=Fraction(1000),
        worst_case=Fraction(1, 10**30),
    )
    row, mu = Information(1, Fraction(3, 8)), Fraction(1, 2048)
    certificate = certify(case, [(HALF, row)])
    weight = QUARTER + mu
    assert certificate.rows == ((weight, row),)
    worth = weight * row.need(case) - 1000 * mu
    assert 0 <= worth - Fraction(certificate.value) < Fraction(1, 10**12)
    light = Fraction(1, 8)
    certificate = certify(case, [(light, row)])
    assert certificate.rows == ((light, row),)
    worth = light * row.need(case) - 1000 * light / 1024
    assert 0 <= worth - Fraction(certificate.value) < Fraction(1, 10**12)


def test_a_proof_of_more_than_b_concludes() -> None:
    """Nobody has regret at most B here, and one more row says so."""
    case = replace(BANDIT, worst_case=Fraction(1, 100))
    certificate = certify(case, [(QUARTER, Information(1, HALF))])
    assert 0.01 < certificate.value < math.inf
    final = conclusive(certificate)
    assert final.value == math.inf
    assert final.rows[:-1] == certificate.rows
    assert final.rows[-1] == (Fraction(2**80), Alternative(case.means, Fraction(2**80)))
    assert final.check()
    assert conclusive(final) == final


def test_a_proof_of_less_does_not() -> None:
    certificate = certify(BANDIT, [(QUARTER, Information(1, Fraction(3, 8)))])
    assert 0 < certificate.value < 10
    assert conclusive(certificate) == certificate
    just = replace(certificate, case=replace(BANDIT, worst_case=Fraction(certificate.value)))
    assert conclusive(just) == just
    # A claim of more than B that its rows do not prove concludes nothing either.
    assert conclusive(replace(certificate, value=11.0)).value == 11.0


def test_what_a_proof_allows_to_claim() -> None:
    assert (
        lower_float(Fraction(1, 3))
        <= Fraction(1, 3)
        < math.nextafter(lower_float(Fraction(1, 3)), 1)
    )
    assert lower_float(Fraction(-1, 3)) == 0.0
    assert lower_float(math.inf) == math.inf


def test_a_problem_and_its_case_agree() -> None:
    problem = Problem(structure("het3", 3), (0.7, 0.5, 0.35))
    case = exact_case(problem)
    assert [float(gap) for gap in case.gaps] == pytest.approx(problem.gaps.tolist())
    assert case.best == problem.best
