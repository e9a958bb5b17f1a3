"""Pairs of problems: what the search arranges, which pairs it tries, and what a proof refuses."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sidelight import Feedback, bounds, gallery
from sidelight.bounds.case import Case, RefutedError
from sidelight.bounds.exact_pairs import (
    MOST_SHAPES,
    Shape,
    Structure,
    _arranged,
    _differ,
    _part,
    _sets,
    _shapes,
)
from sidelight.bounds.exploring import alike
from sidelight.bounds.pairing import Alternative, PairsProof
from sidelight.bounds.subject import in_words, subject_of

ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)


def structure(feedback: Feedback, T: int = 1000) -> Structure:
    rows = [
        tuple(None if math.isinf(v) else Fraction(float(v)) for v in row)
        for row in feedback.variance
    ]
    return Structure(tuple(rows), Fraction(T))


# Action 0 shows 1 and 2, the latter four times as well; 1 shows 2 and itself; 3 shows 0 and 3.
UNEVEN = Feedback(
    [
        [np.inf, 1.0, 0.25, np.inf],
        [np.inf, 2.0, 2.0, np.inf],
        [np.inf, np.inf, 1.0, np.inf],
        [1.0, np.inf, np.inf, 1.0],
    ]
)


# ---- proofs --------------------------------------------------------------------------------------


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


def test_the_subject_of_pairs_is_any_means() -> None:
    proof = _arranged(structure(UNEVEN), Shape(0, ((1, 2),)), (0.5, 0.3, -1.0, 0.0, 0.4))
    assert subject_of(proof).means is None
    assert in_words(subject_of(proof)) == "4 actions, any means in [0, 1]"


# ---- what is arranged ----------------------------------------------------------------------------


def test_every_kind_of_rivals_has_its_own_numbers() -> None:
    scaled = structure(UNEVEN)
    shape = Shape(0, ((1,), (2, 3)), own=True)
    numbers = (0.5, 0.25, math.log(0.4), 0.0, 0.25, 0.75, math.log(0.2), math.log(3.0), 0.4)
    proof = _arranged(scaled, shape, numbers)
    proof.duels()
    rises, gaps = {1: 0.4, 2: 0.2, 3: 0.2}, {1: 0.2, 2: 0.05, 3: 0.05}
    falls, shares = {1: 0.1, 2: 0.15, 3: 0.15}, {1: 1 / 7, 2: 3 / 7, 3: 3 / 7}
    top = 0.8  # as high as the largest rise above its gap allows
    base = [top, *(top - gaps[i] for i in (1, 2, 3))]
    assert [float(mean) for mean in proof.case.means] == pytest.approx(base, rel=1e-5)
    for i, a in zip((1, 2, 3), proof.alternatives, strict=True):
        means = [top - falls[i] if k == 0 else base[k] + rises[i] * (k == i) for k in range(4)]
        assert [float(mean) for mean in a.means] == pytest.approx(means, rel=1e-5)
        assert float(a.weight) == pytest.approx(0.6 * shares[i], rel=1e-5)
        prices = [0.4 * gaps[i] if k == i else 0.0 for k in range(4)]
        assert [float(price) for price in a.prices] == pytest.approx(prices, rel=1e-5)


def test_an_outsider_pays_for_what_it_shows() -> None:
    """Its mean is 0, and its price goes where its information goes."""
    scaled = structure(UNEVEN)
    proof = _arranged(scaled, Shape(3, ((1, 2),), own=True), (0.5, 0.3, math.log(0.5), 0.0, 0.5))
    assert proof.case.means[0] == 0
    lost = HALF * max(proof.case.means)
    prices = [a.prices[0] for a in proof.alternatives]
    assert prices == [lost * Fraction(1, 5), lost * Fraction(4, 5)]


def test_parts_of_a_price() -> None:
    """Split by precision; a rival that keeps its own price gives it to its own alternative."""
    scaled = structure(UNEVEN)
    fifth = Fraction(1, 5)
    shared, own = Shape(3, ((1,), (2,))), Shape(3, ((1,), (2,)), own=True)
    for shape in (shared, own):
        assert [_part(scaled, shape, 0, i) for i in (1, 2)] == [fifth, 4 * fifth]
        assert [_part(scaled, shape, 3, i) for i in (1, 2)] == [HALF, HALF]  # shows neither
        assert [_part(scaled, shape, 2, i) for i in (1, 2)] == [0, 1]
    assert [_part(scaled, shared, 1, i) for i in (1, 2)] == [HALF, HALF]
    assert [_part(scaled, own, 1, i) for i in (1, 2)] == [1, 0]
    assert _differ(scaled, (1, 2))
    assert not _differ(scaled, (2, 3))


# ---- what is tried -------------------------------------------------------------------------------


def test_sets_of_actions_that_do_not_show_each_other() -> None:
    """In a cycle in which everybody shows the next alone: the pairs that are not neighbours."""
    feedback = gallery("cycle").feedback
    K = len(feedback)
    shown = [(i, j) for i in range(K) for j in range(K) if feedback.observes[i, j]]
    assert all(i != j for i, j in shown)
    found = _sets(structure(feedback), alike(feedback.precision))
    # All actions play the same part, so one of them stands for all as the first of a set.
    apart = {frozenset({0, j}) for j in range(1, K) if not {(0, j), (j, 0)} & set(shown)}
    assert found[0] == frozenset(range(K))
    assert set(found[1:]) == apart
    assert len(apart) == 2


def test_sets_without_a_kind_and_of_one_kind() -> None:
    feedback = gallery("star").feedback
    kinds = alike(feedback.precision)
    centre, leaves = frozenset(kinds[0]), frozenset(kinds[1])
    assert len(centre) == 1
    found = _sets(structure(feedback), kinds)
    assert {centre | leaves, leaves} == set(found)


def test_there_is_an_end_to_the_shapes() -> None:
    feedback = Feedback(np.arange(1.0, 50.0).reshape(7, 7))
    kinds = alike(feedback.precision)
    assert len(kinds) == 7
    shapes = _shapes(structure(feedback), kinds)
    assert len(shapes) == MOST_SHAPES
    everybody = [shape for shape in shapes if sum(map(len, shape.rivals)) == 6]
    # Rivals that show each other are tried with both ways to split their prices.
    assert [shape.leader for shape in everybody] == [i for i in range(7) for _ in "ab"]
    assert [shape.own for shape in everybody] == [True, False] * 7
    assert all(len(shape.rivals) == 1 for shape in everybody)


def test_the_search_finds_what_it_found() -> None:
    """At least as much as it proved when it was written, to four digits."""
    assert bounds.exact_pairs(Feedback.bandit(2), 1.0, 1e3).value >= 16.72
