"""Proofs of upper bounds: what they refuse, however large the value they claim."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from sidelight import Feedback, Problem, gallery, guarantees
from sidelight.bounds.bound import Bound
from sidelight.bounds.case import RefutedError
from sidelight.bounds.formulas import FormulaProof

MEANS = (0.9, 0.5, 0.4)
LARGEST = 1e308


def proof_of(bound: Bound) -> FormulaProof:
    """A claim that nothing but its terms could refute."""
    assert isinstance(bound.certificate, FormulaProof)
    return replace(bound.certificate, value=LARGEST)


BANDIT = Problem(Feedback.bandit(3), MEANS)
ALGORITHM_1 = proof_of(guarantees.asymptotic(BANDIT, 1e5, epsilon=0.1))
ALGORITHM_2 = proof_of(guarantees.instance(BANDIT, 1e5))


def with_terms(proof: FormulaProof, **changed: Any) -> FormulaProof:
    """The same claim, from other terms."""
    return replace(proof, terms=replace(proof.terms, **changed))


def with_schedule(**changed: Fraction) -> FormulaProof:
    """Algorithm 1 with other parameters."""
    schedule = ALGORITHM_1.terms.schedule
    assert schedule is not None
    return with_terms(ALGORITHM_1, schedule=replace(schedule, **changed))


HALF, ONE, ZERO, HAIR = Fraction(1, 2), Fraction(1), Fraction(0), Fraction(1, 10**9)
D_MIN = Fraction(0.9) - Fraction(0.5)


@pytest.mark.parametrize(
    ("name", "refused", "allowed"),
    [
        ("alpha", [Fraction(2), ONE, ZERO, Fraction(-3)], [2 + HAIR, Fraction(100)]),
        ("a", [ZERO, -HALF, HALF + HAIR, ONE], [HALF, HAIR]),
        ("b", [ZERO, -HALF, ONE, Fraction(2)], [HALF, 1 - HAIR]),
        ("epsilon", [ZERO, -HAIR, D_MIN / 2, ONE], [D_MIN / 2 - HAIR, HAIR]),
    ],
)
def test_algorithm_1_needs_parameters_of_its_theorem(
    name: str, refused: list[Fraction], allowed: list[Fraction]
) -> None:
    for value in refused:
        assert not with_schedule(**{name: value}).check(), value
    for value in allowed:
        assert with_schedule(**{name: value}).check(), value


def test_algorithm_1_needs_parameters_at_all() -> None:
    assert not with_terms(ALGORITHM_1, schedule=None).check()


@pytest.mark.parametrize("proof", [ALGORITHM_1, ALGORITHM_2])
def test_a_probability_lies_strictly_between_0_and_1(proof: FormulaProof) -> None:
    for value in (ZERO, ONE, -HALF, Fraction(3, 2)):
        assert not with_terms(proof, delta=value).check(), value
    assert with_terms(proof, delta=1 - HAIR).check()
    assert with_terms(proof, delta=HAIR).check()


@pytest.mark.parametrize("proof", [ALGORITHM_1, ALGORITHM_2])
def test_a_tie_or_no_means_prove_nothing(proof: FormulaProof) -> None:
    assert not with_terms(proof, means=(HALF, HALF, ZERO)).check()
    assert not with_terms(proof, means=None).check()


def test_a_claim_of_nothing_needs_no_terms() -> None:
    assert replace(with_terms(ALGORITHM_1, schedule=None), value=math.inf).check()
    assert not replace(ALGORITHM_1, value=math.nan).check()


@pytest.mark.parametrize("formula", ["strong, paper", "strong, proof", "instance, strong"])
def test_formulas_for_strong_structures_refuse_weak_ones(formula: str) -> None:
    weak = proof_of(
        guarantees.instance(Problem(gallery("revealing", actions=3).feedback, MEANS), 1e5)
    )
    assert not replace(weak, formula=formula).check()
    with pytest.raises(RefutedError, match="for strong observability"):
        replace(weak, formula=formula).evaluate()


@pytest.mark.parametrize("formula", ["weak, paper", "weak, ours", "instance, weak"])
def test_formulas_for_weak_structures_refuse_strong_ones(formula: str) -> None:
    with pytest.raises(RefutedError, match="for weak observability"):
        replace(ALGORITHM_2, formula=formula).evaluate()


def test_the_time_when_one_action_is_left_is_beyond_the_last_that_may_not_be() -> None:
    """t <= c log(2 K (t + 1)/delta), with c = 192 sigma^2/(eta d_min^2), holds for no later t."""
    for T in (10.0, 1e3, 1e12):
        for delta in (HAIR, HALF, 1 - HAIR):
            terms = with_terms(ALGORITHM_2, delta=delta, horizon=Fraction(T)).terms
            c = float(192 * terms.variance * terms.hardest / terms.d_min**2)
            assert terms.over <= T
            over = float(terms.over)
            if over < T:
                assert over > c
                assert over > c * math.log(2 * terms.K * (over + 1) / float(delta))
                before = over * (1 - 1e-6)
                assert before < c * math.log(2 * terms.K * (before + 1) / float(delta)) + 2
