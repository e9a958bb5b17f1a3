"""Pairs that bound the regret of one problem: against policies, against rows, and their proofs."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from naive.commitment import regret, spreads
from naive.duel import least_cost
from naive.structures import structure
from sampling import thinned
from sidelight import Feedback, Problem, bounds, gallery, guarantees
from sidelight.bounds.bound import Bound
from sidelight.bounds.certificate import Certificate
from sidelight.bounds.pairing import Alternative, PairsProof
from sidelight.bounds.proofs import load_proof
from sidelight.bounds.subject import subject_of

DOSING = gallery("dosing")


def proof_of(bound: Bound) -> PairsProof:
    assert isinstance(bound.certificate, PairsProof)
    return bound.certificate


@pytest.mark.parametrize(("T", "B", "least"), [(1e5, 1264, 165), (1e4, 273, 135)])
def test_more_than_rows_prove(T: float, B: float, least: float) -> None:
    rows, bound = (bounds.general(DOSING, T, B, pairs=p) for p in (False, True))
    assert isinstance(rows.certificate, Certificate)
    assert rows.value < least < bound.value <= B
    assert bound.certificate.check()
    assert proof_of(bound).value == bound.value
    assert [form.value for form in bound.candidates] == [rows.value, bound.value]
    assert not dataclasses.replace(proof_of(bound), value=1.01 * bound.value).check()
    assert subject_of(proof_of(bound)).means == proof_of(bound).case.means


@pytest.mark.parametrize(
    "name", thinned(["bandit", "star", "cycle", "het3", "labs", "off-policy"], 2)
)
def test_it_is_never_below_the_rows(name: str) -> None:
    problem = gallery(name)
    for T, factor in ((1e3, 1.0), (1e5, 3.0)):
        B = factor * bounds.exact_pairs(problem.feedback, problem.upper, T).value
        rows, bound = (bounds.general(problem, T, B, pairs=p) for p in (False, True))
        assert rows.value <= bound.value
        assert bound.value <= B or bound.value == math.inf
        assert bound.certificate.check()


@pytest.mark.parametrize("T", [300, 10_000])
def test_no_policy_with_a_proved_worst_case_loses_less(T: int) -> None:
    """Explore-then-commit never loses more than its guarantee B; on this problem it loses so much.

    Its regret is a sum over many points, which is exact to six digits.
    """
    feedback = DOSING.feedback
    promise = guarantees.commit(feedback, 1.0, T)
    assert promise.allocation is not None
    plays = tuple(int(n) for n in promise.allocation)
    sds = spreads(np.array(feedback.variance), plays)
    for means in (DOSING.means, np.array([0.5, 0.55, 0.6, 0.0]), np.array([0.9, 0.4, 0.5, 0.1])):
        problem = Problem(feedback, means)
        bound = bounds.general(problem, T, promise.value)
        assert 0 < bound.value <= regret(list(problem.gaps), plays, sds, T) * (1 + 1e-6)


def test_the_sum_of_duels_by_dynamic_programming() -> None:
    """W of each pair, in rounds; the proof may lack some per cent of it, and never has more."""
    T, B = 60, 12.0
    problem = Problem(Feedback([[1.0, 1.0], [np.inf, np.inf]]), [0.35, 0.6])
    proof = proof_of(bounds.general(problem, T, B))
    total = sum(
        times * least_cost(duel.price, duel.stake, duel.information, T)
        for duel, times in proof.duels().items()
    )
    exact = total - B * float(proof.weight)
    assert 0.8 * exact < proof.value <= exact


def test_a_worst_case_that_nobody_has() -> None:
    """Below the minimax bound at the means that prove it, there is no such policy."""
    feedback = DOSING.feedback
    hard = bounds.exact_pairs(feedback, 1.0, 1e4)
    assert hard.means is not None
    proof = proof_of(hard)
    B = Fraction(0.98 * hard.value)
    left = 1 - proof.weight
    scaled = tuple(
        Alternative(a.means, a.weight / left, tuple(price / left for price in a.prices))
        for a in proof.alternatives
    )
    case = dataclasses.replace(proof.case, worst_case=B)
    none = PairsProof(case, scaled, math.inf, *(800, 200), claim="regret")
    assert none.check()
    assert none.statement().startswith("no policy has expected regret of at most")
    assert subject_of(none).means is None
    above = dataclasses.replace(case, worst_case=Fraction(1.02 * hard.value))
    assert not dataclasses.replace(none, case=above).check()


def test_a_start_changes_the_work_and_not_the_value() -> None:
    first = bounds.general(DOSING, 1e4, 273)
    for T, B in ((1e4, 290), (2e4, 450)):
        warm, cold = bounds.general(DOSING, T, B, start=first), bounds.general(DOSING, T, B)
        assert isinstance(warm.certificate, PairsProof)
        assert warm.value == cold.value


def test_units() -> None:
    wide = Problem(Feedback(DOSING.feedback.variance * 100.0), 10 * DOSING.means, 10.0)
    one, ten = bounds.general(DOSING, 1e4, 273), bounds.general(wide, 1e4, 2730)
    assert ten.value == pytest.approx(10 * one.value, rel=1e-4)
    assert ten.certificate.check()


def test_files_and_what_they_must_satisfy(tmp_path: Path) -> None:
    proof = proof_of(bounds.general(DOSING, 1e4, 273))
    proof.save(tmp_path / "general.json")
    assert load_proof(tmp_path / "general.json") == proof
    assert "273" in proof.statement()
    changed = dataclasses.replace
    one = proof.alternatives[0]
    for forged, word in (
        (changed(proof, claim="minimax"), "worst case"),
        (changed(proof, case=changed(proof.case, worst_case=None)), "worst case"),
        (changed(proof, case=changed(proof.case, worst_case=Fraction(400))), "only"),
        (changed(proof, claim="other"), "no claim"),
        (changed(proof, alternatives=(*proof.alternatives, one)), "more than the base loses"),
        (changed(proof, claim="orbit", case=changed(proof.case, worst_case=None)), "order"),
    ):
        assert word in str(forged.objection())
    # Weights above one are allowed here, and cost B each.
    heavy = changed(one, weight=one.weight + 3)
    assert not changed(proof, alternatives=(heavy, *proof.alternatives[1:])).check()


@pytest.mark.parametrize("seed", range(12))
def test_hostile_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 5))
    sigma = np.where(rng.random((K, K)) < 0.5, np.inf, 10 ** rng.uniform(-6, 6, (K, K)))
    sigma[rng.integers(K, size=K), np.arange(K)] = 10 ** rng.uniform(-6, 6, K)
    T = float(rng.choice([1, 2, 1e4, 1e12]))
    B = T * 10 ** rng.uniform(-14, 1)
    problem = Problem(Feedback(np.square(sigma)), np.round(3 * rng.random(K)) / 3)
    rows, bound = (bounds.general(problem, T, B, pairs=p) for p in (False, True))
    assert bound.certificate.check()
    assert rows.value <= bound.value
    assert bound.value <= B * (1 + 1e-9) or bound.value == math.inf


def test_a_tied_problem_and_one_action() -> None:
    tied = Problem(structure("revealing", 3), (0.2, 0.7, 0.7))
    assert bounds.general(tied, 1e4, 500.0).certificate.check()
    assert bounds.general(Problem(Feedback.bandit(1), (0.3,)), 10, 1).value == 0.0
