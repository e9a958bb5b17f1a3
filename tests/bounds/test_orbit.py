"""The orbit: relabellings against all permutations, the mean over them, and the proof."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from naive.commitment import regret, spreads
from naive.duel import least_cost
from naive.orbit import automorphisms, generated, relabelled
from naive.structures import structure
from sidelight import Feedback, InputError, Problem, bounds, gallery
from sidelight.bounds.bound import Bound
from sidelight.bounds.duality import exact_case
from sidelight.bounds.orbit import orbit, order_to
from sidelight.bounds.pairing import PairsProof
from sidelight.bounds.proofs import load_proof
from sidelight.bounds.subject import subject_of

DOSING = gallery("dosing")


def proof_of(bound: Bound) -> PairsProof:
    assert isinstance(bound.certificate, PairsProof)
    return bound.certificate


@pytest.mark.parametrize("name", ["bandit", "cycle", "revealing", "star", "loopless", "het3"])
def test_relabellings_are_those_that_trying_all_finds(name: str) -> None:
    feedback = structure(name, 4) if name != "het3" else structure(name, 3)
    K = len(feedback)
    allowed = automorphisms(np.array(feedback.variance))
    for best in range(K):
        means = np.linspace(0.1, 0.4, K)
        means[best] = 0.9
        case = exact_case(Problem(feedback, means), 100)
        assert order_to(case, best) is None
        for k in set(range(K)) - {best}:
            found = order_to(case, k)
            assert (found is not None) == any(p[k] == best for p in allowed)
            assert found is None or (found in allowed and found[k] == best)


@pytest.mark.parametrize("seed", range(8))
def test_relabellings_of_random_structures(seed: int) -> None:
    rng = np.random.default_rng(seed)
    seen = rng.random((5, 5)) < 0.5
    if seed % 2:  # invariant under one shift of all actions
        seen = np.array([np.roll(seen[0], i) for i in range(5)])
    seen[rng.integers(5)] |= ~seen.any(axis=0)
    feedback = Feedback.uniform(seen)
    allowed = automorphisms(np.array(feedback.variance))
    case = exact_case(Problem(feedback, [0.9, 0.1, 0.2, 0.3, 0.4]), 100)
    for k in range(1, 5):
        assert (order_to(case, k) is not None) == any(p[k] == 0 for p in allowed)


@pytest.mark.parametrize(
    ("name", "least"), [("dosing", 250), ("revealing", 105), ("star", 40), ("bandit", 20)]
)
def test_reference_values(name: str, least: float) -> None:
    bound = bounds.orbit(gallery(name), 1e5)
    assert bound.value > least
    assert bound.certificate.check()
    assert not dataclasses.replace(proof_of(bound), value=1.02 * bound.value).check()


@pytest.mark.parametrize("T", [200, 5000])
def test_the_mean_over_relabellings_of_two_policies(T: int) -> None:
    """One treats labels alike, and loses as much on the problem itself; one plays C for ever."""
    bound = bounds.orbit(DOSING, T)
    orders = [a.order for a in proof_of(bound).alternatives if a.order]
    group = generated(orders, 4)
    assert group <= set(automorphisms(np.array(DOSING.feedback.variance)))
    problems = [Problem(DOSING.feedback, relabelled(list(DOSING.means), g)) for g in group]
    stubborn = [T * problem.gaps[2] for problem in problems]
    assert stubborn[0] == 0 or 0 in stubborn
    assert 0 < bound.value <= np.mean(stubborn)
    least = np.inf
    for n in (1, 5, 10, 20, 40, 80, 150):
        plays = (0, 0, 0, n)
        sds = spreads(np.array(DOSING.feedback.variance), plays)
        lost = [regret(list(problem.gaps), plays, sds, T) for problem in problems]
        assert np.ptp(lost) <= 1e-6 * max(lost)
        least = min(least, lost[0])
    assert bound.value <= least


def test_the_sum_of_duels_by_dynamic_programming() -> None:
    T = 60
    problem = Problem(structure("revealing", 3), (0.2, 0.5, 0.75))
    proof = proof_of(bounds.orbit(problem, T))
    total = sum(
        times * least_cost(duel.price, duel.stake, duel.information, T)
        for duel, times in proof.duels().items()
    )
    exact = total / (1 + float(proof.weight))
    assert 0.85 * exact < proof.value <= exact


def test_over_many_rounds_it_hardly_falls() -> None:
    """By 2 % at most, between two of the horizons that are tried; it had fallen to a hundredth."""
    values = [orbit(gallery("cycle"), T).value for T in (1e4, 3e6)]
    assert min(values) > 0.98 * max(values)


def test_over_very_many_rounds_it_proves_what_it_does_over_fewer() -> None:
    problem = gallery("dosing")
    found = [orbit(problem, T) for T in (1e6, 1e7, 1e8, 1e12)]
    values = [bound.value for bound in found]
    assert values == sorted(values)
    assert "the first 1,000,000 of 100,000,000 rounds" in found[2].why
    assert all(bound.certificate.check() for bound in found)


def test_no_relabelling_no_bound() -> None:
    for problem in (gallery("trap"), Problem(Feedback.bandit(1), [0.3])):
        bound = bounds.orbit(problem, 1e4)
        assert bound.value == 0
        assert bound.certificate.check()
        assert "no relabelling" in bound.why
    many = bounds.orbit(Problem(Feedback.bandit(31), np.linspace(0, 1, 31)), 1e4)
    assert (many.value, many.stopped) == (0.0, True)
    with pytest.raises(InputError, match="Problem"):
        bounds.orbit(Feedback.bandit(2), 100)  # type: ignore[arg-type]


def test_what_a_proof_must_satisfy(tmp_path: Path) -> None:
    bound = bounds.orbit(DOSING, 1e3)
    proof = proof_of(bound)
    proof.save(tmp_path / "orbit.json")
    assert load_proof(tmp_path / "orbit.json") == proof
    assert "mean expected regret over relabellings" in proof.statement()
    assert subject_of(proof).means == proof.case.means
    changed = dataclasses.replace
    one = proof.alternatives[0]
    assert one.order is not None
    better = list(one.means)
    better[3] = Fraction(1)
    wrong = (3, *one.order[1:3], one.order[0])
    strange = tuple(proof.case.means[i] for i in wrong)
    for other, word in (
        (changed(one, order=None), "needs an order"),
        (changed(one, order=(0, 0, 1, 2)), "needs an order"),
        (changed(one, order=(0, 1, 2)), "needs an order"),
        (changed(one, means=tuple(better)), "not the base"),
        (changed(one, means=strange, order=wrong), "needs an order|changes the structure"),
    ):
        forged = changed(proof, alternatives=(other, *proof.alternatives[1:]))
        objection = str(forged.objection())
        assert any(part in objection for part in word.split("|")), objection
    free = changed(proof, alternatives=(changed(one, weight=Fraction(0)), *proof.alternatives[1:]))
    assert not changed(free, value=2 * proof.value).check()
