"""Exact pairs: the control problem against dynamic programming, the proof, and its file."""

from __future__ import annotations

import dataclasses
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from naive.commitment import regret, spreads
from naive.duel import least_cost
from naive.structures import structure
from sidelight import DamagedError, Feedback, InputError, Problem, bounds, gallery, guarantees
from sidelight.bounds.bound import Bound
from sidelight.bounds.pairing import PairsProof
from sidelight.bounds.proofs import load_proof
from sidelight.bounds.subsolution import Duel, curvatures, estimate, guess, mesh, proved
from sidelight.numerals import grouped

# price, stake, information of each action; the horizon
DUELS = [
    (Duel((0.0, 0.2), (0.3, 0.0), (0.01, 0.1)), 12),
    (Duel((0.0, 0.05), (0.2, 0.0), (0.0, 0.02)), 40),
    (Duel((0.0, 0.1, 0.2), (0.25, 0.0, 0.3), (0.0, 0.0, 0.3)), 40),
    (Duel((0.0, 0.1), (0.1, 0.0), (0.05, 0.05)), 30),
]


def proof_of(bound: Bound) -> PairsProof:
    assert isinstance(bound.certificate, PairsProof)
    return bound.certificate


@pytest.mark.parametrize(("duel", "T"), DUELS)
def test_the_bound_is_below_dynamic_programming_and_near_it(duel: Duel, T: int) -> None:
    """Rounds cost more than continuous time, by a few per cent at such horizons."""
    exact = least_cost(duel.price, duel.stake, duel.information, T)
    on = mesh(800, 200)
    lower = proved(on, T, duel, curvatures(on, T, duel))
    assert 0.93 * exact < lower <= exact
    assert lower <= estimate(on, T, duel) < 1.02 * lower


def test_short_rounds_bring_both_together() -> None:
    """The same problem in rounds of a quarter of the length."""
    duel, T = DUELS[2]
    parts = 4
    small = [tuple(x / parts for x in part) for part in dataclasses.astuple(duel)]
    exact = least_cost(small[0], small[1], small[2], parts * T)
    on = mesh(800, 200)
    lower = proved(on, T, duel, curvatures(on, T, duel))
    assert 0.985 * exact < lower <= exact * (1 + 1e-4)


@pytest.mark.parametrize(("duel", "T"), DUELS)
def test_no_curve_proves_more_than_is_true(duel: Duel, T: int) -> None:
    """Whatever the numbers are from which V is made: changed, enlarged, drawn at random."""
    exact = least_cost(duel.price, duel.stake, duel.information, T)
    on = mesh(120, 40)
    bends = curvatures(on, T, duel)
    rng = np.random.default_rng(1)
    tried = [bends * factor for factor in (0.0, 0.5, 0.9, 1.01, 1.1, 2.0, 30.0)]
    for size in (1e-3, 1e-2, 0.1, 1.0):
        tried += [bends * (1 + size * rng.uniform(-1, 1, bends.shape)) for _ in range(5)]
        tried += [bends * (1 + size * rng.uniform(-1, 1, bends.shape[1])) for _ in range(5)]
    tried.append(np.roll(bends, 1, axis=0) * (np.arange(len(bends)) > 0)[:, None])
    for changed in tried:
        assert proved(on, T, duel, changed) <= exact
    # The mesh is coarse: what it proves is no more than near.
    assert proved(on, T, duel, bends) > 0.7 * exact


def test_curves_that_are_none() -> None:
    duel, T = DUELS[0]
    on = mesh(120, 40)
    good = curvatures(on, T, duel)
    for row, column, value in (
        (3, 5, -1e-3),
        (0, 5, 1.0),
        (3, 0, 1.0),
        (3, -1, 1.0),
        (3, 5, np.nan),
    ):
        bad = good.copy()
        bad[row, column] = value
        assert proved(on, T, duel, bad) == 0.0
    assert proved(on, T, duel, good[:-1]) == 0.0
    for price in (-1.0, math.nan, math.inf):
        assert proved(on, T, dataclasses.replace(duel, price=(price, 0.2)), good) == 0.0
    with np.errstate(all="ignore"):
        huge = proved(on, T, duel, np.where(good > 0, 1e305, 0.0))
        assert not huge > 0


def test_the_cost_of_a_duel_that_teaches_nothing() -> None:
    """Without information the least cost is that of one action: T min(price, stake)."""
    duel = Duel((0.0, 0.3), (0.2, 0.0), (0.0, 0.0))
    on = mesh(800, 200)
    lower = proved(on, 10.0, duel, curvatures(on, 10.0, duel))
    assert 0.98 * 2.0 < lower <= 2.0


# ---- the bound -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "least"), [("two", 166), ("five", 319), ("dosing", 1595), ("revealing", 1755)]
)
def test_reference_values(name: str, least: float) -> None:
    """As large as in the table of decision 008, at T = 1e5 and sigma = D = 1."""
    feedbacks = {"two": Feedback.bandit(2), "five": Feedback.bandit(5)}
    feedback = feedbacks[name] if name in feedbacks else gallery(name).feedback
    bound = bounds.exact_pairs(feedback, 1.0, 1e5)
    assert bound.value >= least
    assert bound.valid
    assert bound.certificate.check()
    proof = proof_of(bound)
    assert not dataclasses.replace(proof, value=1.001 * bound.value).check()
    assert bound.means is not None
    assert [float(mean) for mean in proof.case.means] == list(bound.means)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("name", "least"), [("star", 381), ("cycle", 1600), ("apple-tasting", 154)]
)
def test_more_reference_values(name: str, least: float) -> None:
    bound = bounds.exact_pairs(gallery(name).feedback, 1.0, 1e5)
    assert bound.value >= least
    assert bound.certificate.check()


@pytest.mark.parametrize("T", [3, 300])
def test_it_stays_below_what_a_policy_promises(T: int) -> None:
    for feedback in (Feedback.bandit(2), Feedback([[1.0, 1.0, 1.0], [np.inf] * 3, [np.inf] * 3])):
        lower = bounds.exact_pairs(feedback, 1.0, T)
        assert 0 < lower.value <= guarantees.commit(feedback, 1.0, T).value
        assert lower.certificate.check()


def test_every_plan_loses_as_much_on_the_weighted_problems() -> None:
    """The proof bounds a weighted sum of regrets; a sum over many points gives that of plans."""
    variance = np.full((4, 4), np.inf)
    variance[0] = 1.0
    T = 1000
    proof = proof_of(bounds.exact_pairs(Feedback(variance), 1.0, T))
    left = 1 - sum(a.weight for a in proof.alternatives)
    problems = [(left, proof.case.means), *((a.weight, a.means) for a in proof.alternatives)]
    assert len(problems) == 3  # two hidden rivals of the leader
    lost = []
    for n in (1, 5, 15, 30, 45, 70, 120, 400):
        plays = (n, 0, 0, 0)
        sds = spreads(variance, plays)
        total = 0.0
        for weight, means in problems:
            gaps = [float(max(means) - mean) for mean in means]
            total += float(weight) * regret(gaps, plays, sds, T)
        lost.append(total)
    assert proof.value <= min(lost) < 1.3 * proof.value


def test_units_do_not_matter() -> None:
    one = bounds.exact_pairs(Feedback.bandit(2), 1.0, 1e3)
    for unit in (1e-100, 1e3):
        other = bounds.exact_pairs(Feedback.bandit(2, sigma=unit), unit, 1e3)
        assert other.value == pytest.approx(unit * one.value, rel=1e-4)
        assert other.certificate.check()


@pytest.mark.parametrize(("sigma", "horizons"), [(1.0, (3e9, 1e11)), (30.0, (1e14,))])
def test_more_rounds_prove_no_less(sigma: float, horizons: tuple[float, ...]) -> None:
    """Beyond 10^10 sigma^2 rounds floats prove nothing: then the proof is that of fewer rounds."""
    feedback = structure("revealing", 3, sigma)
    before = bounds.exact_pairs(feedback, 1.0, 1e9).value
    for T in horizons:
        bound = bounds.exact_pairs(feedback, 1.0, T)
        proof = proof_of(bound)
        assert bound.value >= before > 0
        assert bound.certificate.check()
        before = bound.value
    horizon = proof.case.horizon
    assert horizon is not None
    assert horizon < T
    assert f"in {horizon} rounds" in proof.statement()
    assert bound.why.startswith(
        f"no policy has less regret over {grouped(float(horizon))} rounds, hence"
    )
    assert f"none over {grouped(T)} rounds" in bound.why


def test_too_many_actions() -> None:
    bound = bounds.exact_pairs(Feedback.bandit(31), 1.0, 1e4)
    assert bound.stopped
    assert bound.value == 0
    assert bound.certificate.check()
    assert "no search" in bound.why
    assert not bounds.exact_pairs(Feedback.bandit(2), 1.0, 1e3).stopped


def test_nothing_to_learn() -> None:
    for feedback in (Feedback.bandit(1), Feedback([[0.0, 0.0], [0.0, 0.0]])):
        bound = bounds.exact_pairs(feedback, 1.0, 100)
        assert bound.value == 0
        assert "the search found no pair" in bound.why
        assert bound.certificate.check()
    with pytest.raises(InputError, match=r"problem\.feedback"):
        bounds.exact_pairs(Problem(Feedback.bandit(2), [0.1, 0.2]), 1.0, 10)  # type: ignore[arg-type]


# ---- the proof -----------------------------------------------------------------------------------


def test_what_a_proof_must_satisfy() -> None:
    proof = proof_of(bounds.exact_pairs(Feedback.bandit(2), 1.0, 1e3))
    (one,) = proof.alternatives
    case = proof.case
    changed = dataclasses.replace
    exact = ((Fraction(1), None), (None, Fraction(0)))
    for forged, word in (
        (changed(proof, alternatives=(one, one)), "sum to one|more than the base loses"),
        (changed(proof, alternatives=(changed(one, weight=Fraction(-1)),)), "weights"),
        (changed(proof, alternatives=(changed(one, prices=(ZERO, Fraction(1))),)), "more than"),
        (changed(proof, alternatives=(changed(one, prices=(ZERO, -one.prices[1])),)), "negative"),
        (changed(proof, alternatives=(changed(one, means=(Fraction(0), Fraction(2))),)), "outside"),
        (changed(proof, alternatives=(changed(one, means=one.means[:1]),)), "mean and a price"),
        (changed(proof, case=changed(case, horizon=None)), "horizon"),
        (changed(proof, case=changed(case, variance=exact)), "seen exactly"),
        (changed(proof, cells=10**6), "mesh"),
        (changed(proof, value=math.nan), "no claim"),
        (changed(proof, case=changed(case, horizon=Fraction(900))), "only"),
    ):
        objection = forged.objection()
        assert objection is not None
        assert any(part in objection for part in word.split("|")), objection
    assert changed(proof, alternatives=(), value=0.0).check()


ZERO = Fraction(0)


def test_files(tmp_path: Path) -> None:
    proof = proof_of(bounds.exact_pairs(Feedback.bandit(2), 1.0, 1e3))
    proof.save(tmp_path / "pairs.json")
    again = PairsProof.load(tmp_path / "pairs.json")
    assert again == proof == load_proof(tmp_path / "pairs.json")
    assert again.check()
    assert f"minimax expected regret >= {proof.value!r}" in proof.statement()
    whole = proof.to_dict()
    hostile: list[object] = [None, True, "x", "1e9", -1, 1.5, [], [[]], {}, "1/0", 10**4000, [{}]]
    for key in whole:
        with pytest.raises(DamagedError):
            PairsProof.from_dict({k: v for k, v in whole.items() if k != key})
        for value in hostile:
            try:
                forged = PairsProof.from_dict(whole | {key: value})
            except DamagedError:
                continue
            assert forged.value <= proof.value or not forged.check()
    (tmp_path / "x.json").write_text(json.dumps({"format": "other"}))
    with pytest.raises(DamagedError, match="not a proof"):
        PairsProof.load(tmp_path / "x.json")


# ---- the search ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("duel", "T"), DUELS)
def test_the_compiled_guess_is_the_estimate(duel: Duel, T: int) -> None:
    for size in ((100, 24), (300, 80)):
        on = mesh(*size)
        assert guess(on, T, duel) == pytest.approx(estimate(on, T, duel), rel=1e-11)


def test_two_contenders_and_one_that_shows_what_matters() -> None:
    """On a cycle of three, one of any two actions shows the other.

    So the pairs prove most about a mean that only the third action shows, which costs most.
    """
    bound = bounds.exact_pairs(gallery("cycle", actions=3).feedback, 1.0, 1e4)
    assert bound.value > 225  # rows of [thm:lb-0] prove 188
    assert bound.certificate.check()
    assert len(proof_of(bound).alternatives) == 1
    assert sorted(proof_of(bound).case.means)[0] == 0


def test_seconds_cut_the_search_off() -> None:
    feedback = gallery("graded").feedback
    hurried = bounds.exact_pairs(feedback, 1.0, 1e5, budget=1e-3)
    assert hurried.stopped
    assert hurried.certificate.check()
