"""Pairs of problems: what a proof refuses, and how it rounds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sidelight.bounds.case import Case, RefutedError
from sidelight.bounds.pairing import Alternative, PairsProof

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
