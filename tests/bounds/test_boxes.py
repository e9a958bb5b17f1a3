"""Boxes of gaps where it matters for a proof: uneven noise, exact actions, rounding, refusals."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from naive import commitment as naive
from sidelight.bounds import commitment
from sidelight.bounds.apart import best_thresholds, exceeded_apart
from sidelight.bounds.case import RefutedError
from sidelight.bounds.commitment import Bounding, Exploration, _shared, exceeded
from sidelight.bounds.rational import sqrt_up

ONE = Fraction(1)


def alone(variances: Sequence[float], plays: Sequence[int], T: int = 1000) -> Exploration:
    """Every action shows itself alone, each with a variance of its own."""
    K = len(plays)
    rows = [[Fraction(variances[i]) if i == j else None for j in range(K)] for i in range(K)]
    return Exploration(tuple(map(tuple, rows)), ONE, Fraction(T), tuple(plays))


def deviations(plan: Exploration) -> naive.Array:
    assert None not in plan.spreads
    return np.array([float(v) ** 0.5 for v in plan.spreads if v is not None])


# standard deviations of the averages up to and beyond the ratio that a rule resolves, and 0
UNEVEN = [
    (1.0, 1.0, 1.0),
    (1.0, 25.0, 4.0),
    (1.0, 100.0, 1.0),
    (1.0, 196.0, 9.0),
    (0.0, 1.0, 2.0),
    (4.0, 0.0, 0.0),
    (0.0, 400.0, 1.0),
]


@pytest.mark.parametrize("variances", UNEVEN)
def test_chances_are_never_too_small(variances: tuple[float, ...]) -> None:
    plan = alone([v / 100 for v in variances], (1, 1, 1))
    bounding, sds = Bounding(plan, 16), deviations(plan)
    ratios = [max(sds) / s for s in sds if s > 0]
    resolved = len(ratios) == 3 and max(ratios) < 12
    rng = np.random.default_rng(1)
    for best in range(3):
        at = rng.integers(0, bounding.cells // 3, (25, 3))
        at[:5] //= 8
        at[:, best] = 0
        chances, wrong = bounding.chances(best, at, at), bounding.wrong(best, at)
        for row, bound, other in zip(at, chances, wrong, strict=True):
            gaps = [float(m * bounding.step) for m in row]
            exact = [naive.chance(gaps, sds, i) for i in range(3)]
            # What is known exactly and lies below is not chosen; a tie costs nothing.
            told = [0.0 if i == best or gaps[i] == 0 else exact[i] for i in range(3)]
            assert (bound >= np.array(told) - 1e-9).all()
            assert 1.0 >= other >= 1 - exact[best] - 1e-9
            if resolved:
                assert np.delete(bound, best) == pytest.approx(np.delete(exact, best), abs=1e-9)
                assert other == pytest.approx(1 - exact[best], abs=1e-9)


def test_chances_of_two_in_exact_numbers() -> None:
    """Of two averages that of the worse is larger with the chance Phi(-gap / 5): nothing is lost to
    rounding, neither in this chance nor in that of the better."""
    bounding = Bounding(alone((0.09, 0.16), (1, 1)), 24)
    rng = np.random.default_rng(3)
    for best in (0, 1):
        at = np.zeros((60, 2), dtype=np.int64)
        at[:, 1 - best] = rng.integers(0, bounding.cells // 2, 60)
        chances, wrong = bounding.chances(best, at, at), bounding.wrong(best, at)
        spread = Fraction(0.09) + Fraction(0.16)
        for row, chance, other in zip(at.sum(axis=1).tolist(), chances, wrong, strict=True):
            exact = naive.cumulative(-row * bounding.step / sqrt_up(spread))
            for bound in (chance[1 - best], other):
                assert exact <= Fraction(float(bound)) <= exact + Fraction(1, 10**12)


def test_what_is_shared_is_rounded_up() -> None:
    """The largest sum of gap_i p_i, in exact numbers: not above the bound, and hardly below."""
    rng = np.random.default_rng(2)
    chances, gaps = rng.uniform(0, 1, (300, 4)), rng.uniform(0, 1, (300, 4))
    chances[:20] = 0.5
    whole = rng.uniform(0, 2, 300)
    for k, bound in enumerate(_shared(chances, gaps, whole).tolist()):
        left, exact = Fraction(whole[k]), Fraction(0)
        for i in sorted(range(4), key=lambda i: -gaps[k, i]):
            given = min(left, Fraction(chances[k, i]))
            exact, left = exact + Fraction(gaps[k, i]) * given, left - given
        assert exact <= Fraction(bound) <= exact * (1 + Fraction(1, 10**11)) + Fraction(1, 10**12)


@pytest.mark.parametrize("upper", [Fraction(1, 50), Fraction(100)])
def test_the_range_is_only_a_unit(upper: Fraction) -> None:
    plan = alone((0.09, 0.01), (3, 2))
    square = upper**2
    rows = [[None if v is None else v * square for v in row] for row in plan.variance]
    other = dataclasses.replace(plan, variance=tuple(map(tuple, rows)), upper=upper)
    top = naive.worst(plan.plays, deviations(plan), 1.0, 1000, 41)
    for share, holds in ((0.99, False), (1.06, True)):
        assert (exceeded(plan, share * top, 64) is None) is holds
        assert (exceeded(other, share * top * float(upper), 64) is None) is holds


def test_more_noise_than_range() -> None:
    """Standard deviations of 9: the cube of gaps is cut as finely as was asked for."""
    plan = alone((81.0, 81.0), (1, 1))
    top = naive.worst(plan.plays, deviations(plan), 1.0, 1000, 41)
    assert exceeded(plan, 1.1 * top, 16) is None
    assert exceeded(plan, 0.99 * top, 16) is not None
    assert Bounding(plan, 16).step <= Fraction(1, 16)
    for noise in (100.0, 1e200):
        with pytest.raises(RefutedError, match="proportion"):
            exceeded(alone((noise, noise), (1, 1)), 999.0, 16)


def test_one_action_loses_nothing_however_noisy_it_is() -> None:
    for variance in (0.0, 1.0, 1e6):
        plan = alone((variance,), (5,))
        assert exceeded(plan, 0.0, 64) is None
        assert exceeded(plan, -1e-9, 64) is not None


def test_a_cover_that_is_not_finished_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many boxes are allowed: either they suffice, or the claim is refused."""
    plan = alone((1.0, 4.0), (60, 50))
    assert len(plan.kinds) == 2
    top = naive.worst(plan.plays, deviations(plan), 1.0, 1000, 21)
    answers = []
    for most in (1, 2, 3, 5, 20, 1000):
        monkeypatch.setattr(commitment, "MOST_BOXES", most)
        answers.append(exceeded(plan, 1.1 * top, 32) is None)
        assert exceeded(plan, 0.99 * top, 32) is not None
    assert answers == [False] * 4 + sorted(answers[4:])
    assert answers[-1]


def test_a_lattice_has_a_fineness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commitment, "LATTICE", 300)  # a table of the whole one takes seconds
    plan = alone((1.0, 1.0), (20, 20))
    for fineness in (-1, 0, 301):
        assert "fineness" in str(exceeded(plan, 999.0, fineness))
    assert exceeded(plan, 999.0, 1) is None
    assert exceeded(plan, 999.0, 300) is None
    many = alone((1.0,) * 10, (20,) * 10)
    assert "at most 9 actions" in str(exceeded(many, 999.0, 64))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"plays": (600, 600)}, "longer than the horizon"),
        ({"plays": (1, -1)}, "whole numbers"),
        ({"plays": ()}, "square"),
        ({"horizon": Fraction(0)}, "positive"),
        ({"variance": ((ONE, None), (None, -ONE))}, "negative"),
    ],
)
def test_no_proof_begins_with_a_plan_that_is_none(change: dict[str, object], word: str) -> None:
    plan = dataclasses.replace(alone((1.0, 1.0), (20, 20)), **change)  # type: ignore[arg-type]
    with pytest.raises(RefutedError, match=word):
        exceeded(plan, 999.0, 64)
    with pytest.raises(RefutedError, match=word):
        exceeded_apart(plan, 999.0, ())
    with pytest.raises(RefutedError, match=word):
        best_thresholds(plan)
