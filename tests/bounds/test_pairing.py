"""Pairs of problems: what a proof refuses, and how it rounds."""

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction

import pytest

from sidelight.bounds import pairing
from sidelight.bounds.case import Case, RefutedError
from sidelight.bounds.commitment import Exploration
from sidelight.bounds.index_proof import IndexProof, Schedule
from sidelight.bounds.pairing import Alternative, PairsProof
from sidelight.bounds.promise import Promise, trivial

ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)


def test_weights_are_at_most_one_where_the_base_loses_nothing() -> None:
    """All actions are tied in the base: no price can be too high, whatever is left for the base."""
    variance = ((ONE, None), (None, ONE))
    case = Case(variance, (HALF, HALF), ONE, Fraction(100))
    sides = [(ONE, HALF), (HALF, ONE)]
    for weight, fits in ((HALF, True), (Fraction(3, 4), False), (ONE, False)):
        pairs = tuple(Alternative(means, weight, (ZERO, ZERO)) for means in sides)
        proof = PairsProof(case, pairs, 0.0, 100, 24)
        if fits:
            assert sum(proof.duels().values()) == 2
        else:
            with pytest.raises(RefutedError, match="weights"):
                proof.duels()
            assert not proof.check()


def test_duels_are_rounded_against_the_claim() -> None:
    third = Fraction(1, 3)
    variance = ((Fraction(3), None), (Fraction(7), Fraction(3)))
    case = Case(variance, (third, ZERO), ONE, Fraction(100))
    one = Alternative((ZERO, 2 * third), third, (ZERO, third / 7))
    (duel,) = PairsProof(case, (one,), 0.0, 100, 24).duels()
    prices, stakes = (ZERO, third / 7), (third * 2 * third, ZERO)
    told = (third**2 / 6, third**2 / 14 + 4 * third**2 / 6)
    for k in (0, 1):
        assert 0 <= prices[k] - Fraction(duel.price[k]) <= prices[k] / 2**52
        assert 0 <= stakes[k] - Fraction(duel.stake[k]) <= stakes[k] / 2**52
        assert 0 <= Fraction(duel.information[k]) - told[k] <= told[k] / 2**52


def test_a_horizon_that_no_float_holds_is_rounded_against_the_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    horizon = Fraction(10**17 + 1)
    case = Case(((ONE, None), (None, ONE)), (HALF, HALF), ONE, horizon)
    one = Alternative((ONE, HALF), HALF, (ZERO, ZERO))
    asked: list[float] = []

    def seen(on: object, T: float, *_: object) -> float:
        asked.append(T)
        return 0.0

    monkeypatch.setattr(pairing, "proved", seen)
    PairsProof(case, (one,), 0.0, 100, 24).certified()
    assert asked == [1e17]


def huge(scale: Fraction) -> PairsProof:
    """A proof whose prices and information floats hardly hold."""
    variance = ((1 / scale, None), (None, 1 / scale))
    case = Case(variance, (ONE, ZERO), ONE, scale)
    one = Alternative((HALF, ONE), HALF, (ZERO, HALF))
    return PairsProof(case, (one,), 1.0, 100, 24)


@pytest.mark.parametrize("scale", [10**300, 10**308, 10**400, Fraction(1, 10**320)])
def test_numbers_out_of_proportion_prove_nothing_and_warn_nobody(scale: Fraction) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not huge(Fraction(scale)).check()


def test_statements_round_nothing_and_speak_of_expected_regret() -> None:
    third = Fraction(1, 3)
    case = Case(((ONE,),), (ZERO,), ONE, Fraction(2000, 2), third)
    proof = PairsProof(case, (), 2.0, 100, 24, claim="regret")
    assert proof.statement() == (
        "expected regret >= 2 in 1000 rounds for every policy whose expected regret never exceeds "
        "1/3"
    )
    assert replace(proof, value=float("inf")).statement() == (
        "no policy has expected regret of at most 1/3 in 1000 rounds whatever the means"
    )
    assert replace(proof, claim="minimax").statement() == (
        "minimax expected regret >= 2 in 1000 rounds"
    )
    tenth = Fraction(0.1)
    assert replace(proof, claim="orbit", case=replace(case, horizon=tenth)).statement() == (
        "mean expected regret over relabellings >= 2 in 0.1 rounds"
    )
    plan = Exploration(((ONE,),), tenth, Fraction(10), (1,))
    promise = trivial(plan)
    most = "expected regret <= 1 in 10 rounds, whatever the means in [0, 0.1], for playing "
    assert replace(promise, value=1.0).statement() == f"{most}(1) and then the largest average"
    index = IndexProof(Schedule(((ONE,),), tenth, Fraction(10), (1,), (ONE,)), 1.0)
    assert index.statement().startswith(f"{most}the largest index")


@pytest.mark.parametrize("kind", ["pairs", "boxes", "index"])
def test_what_no_float_holds_is_said_in_our_words(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def large(*given: object) -> float:
        return 10**400 / 1  # Python says that the result is too large for a float

    plan = Exploration(((ONE, None), (None, ONE)), ONE, Fraction(100), (5, 5))
    own = Schedule(plan.variance, ONE, Fraction(100), (1,), (ONE,))
    monkeypatch.setattr(PairsProof, "certified", large)
    monkeypatch.setattr(Promise, "_exceeded", large)
    monkeypatch.setattr(IndexProof, "_proved", large)
    proof = {
        "pairs": huge(ONE),
        "boxes": Promise(plan, 1.0, fineness=2),
        "index": IndexProof(own, 1.0),
    }[kind]
    assert proof.objection() == "its numbers are too large, or too small, to check"


def test_what_was_checked_cannot_be_changed() -> None:
    """Lists become tuples, so that a verdict that is remembered stays right."""
    variance, means, prices = [[ONE, None], [None, ONE]], [HALF, HALF], [ZERO, ZERO]
    case = Case(variance, means, ONE, Fraction(100))  # type: ignore[arg-type]
    pairs = [Alternative([ONE, HALF], HALF, prices, [0, 1])]  # type: ignore[arg-type]
    proof = PairsProof(case, pairs, 0.0, 100, 24)  # type: ignore[arg-type]
    assert proof.check()
    assert hash(proof) is not None
    variance[0][0], means[0], prices[0] = ZERO, ONE, ONE
    pairs.clear()
    assert case.variance == ((ONE, None), (None, ONE))
    assert case.means == (HALF, HALF)
    assert [a.prices for a in proof.alternatives] == [(ZERO, ZERO)]
    plan = Exploration([[ONE]], ONE, ONE, [1])  # type: ignore[arg-type]
    own = Schedule([[ONE]], ONE, ONE, [1], [ONE])  # type: ignore[arg-type]
    promise = Promise(plan, 0.0, thresholds=[])  # type: ignore[arg-type]
    assert isinstance(hash((plan, own, promise)), int)
