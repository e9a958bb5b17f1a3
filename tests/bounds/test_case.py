"""The library refuses what breaks a condition of the theorems, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from conditions import ACCEPTED, PAIR, REFUSED, RISE, TIE
from sidelight.bounds.case import Case, RefutedError
from sidelight.bounds.certificate import Alternative, Certificate, Information, Pair


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_allowed(name: str) -> None:
    assert Certificate.from_dict(ACCEPTED[name]).objection() is None


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_allowed(name: str) -> None:
    assert Certificate.from_dict(REFUSED[name]).objection() is not None


def test_the_tie_that_was_proved() -> None:
    objection = Certificate.from_dict(TIE).objection()
    assert objection == "several actions are best: nothing is known about regret per log T"


def test_numbers_of_a_case() -> None:
    one, two = Fraction(1), Fraction(2)
    case = Case(((one, None), (two, Fraction(0))), (one / 4, one / 2), one)
    assert (case.best, case.gaps, case.second_gap) == (1, (one / 4, 0 * one), one / 4)
    assert list(case.actions) == [0, 1]
    assert case.sees(0, 0)
    assert not case.sees(0, 1)
    assert case.fixed(0)
    assert case.fixed(1)
    assert case.precision(1, 0) == one / 2
    assert case.precision(0, 1) == 0
    with pytest.raises(RefutedError, match="action 1 is seen exactly"):
        case.precision(1, 1)
    assert [Fraction(x) for x in case.told([two, Fraction(0)])] == [4, 2]
    with pytest.raises(RefutedError, match="seen exactly"):
        case.told([Fraction(0), one])
    for wrong in (-1, 2, "0", None, 0.0):
        with pytest.raises(RefutedError, match="there is no action"):
            case.require(wrong)
    case.require(0)
    with pytest.raises(RefutedError, match="single action"):
        _ = Case(((one,),), (one,), one).second_gap
    tied = replace(case, means=(one / 2, one / 2))
    assert (tied.best, tied.second_gap) == (0, 0 * one)


def test_rows_and_their_numbers() -> None:
    case = Certificate.from_dict(RISE).case
    assert Information(1, Fraction(3, 8)).loads(case) == [Fraction(1, 4), 1, 0]
    (need,) = {Information(1, Fraction(3, 8)).need(case)}
    # log(1000 (3/8 - 1/4) / 80) / (3/8)^2
    assert float(need) == pytest.approx(3.173597174, abs=1e-9)
    alternative = Alternative((Fraction(3, 4), Fraction(7, 8), Fraction(1, 4)), Fraction(1, 100))
    # 1000 (3/8)^2 P / 2 - log((gap' + 1/100) / (2/100))
    logs = [1.9095425, -0.6931472, 3.4578929]
    told = [1000 * 9 / 64 / 2 * p for p in (1 / 4, 1, 0)]
    assert [float(x) for x in alternative.loads(case)] == pytest.approx(
        [t - log for t, log in zip(told, logs, strict=True)], abs=1e-6
    )
    case = Certificate.from_dict(PAIR).case
    assert Pair(1, Fraction(1, 4)).loads(case) == [0, 0, Fraction(1, 16) + Fraction(9, 16)]
    assert Pair(1, Fraction(1, 4)).need(case) == 32


def test_the_smaller_of_two_changes_counts() -> None:
    """t = 125 and two best actions: log(125 e) / e^2 for a change by e, upwards or downwards."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    case = replace(Certificate.from_dict(RISE).case, worst_case=Fraction(1))
    case = replace(case, means=(half, half, quarter))
    for action in (0, 1):
        for rise, fall in ((quarter, half), (half, quarter)):
            need = Information(action, rise, fall).need(case)
            assert float(need) == pytest.approx(math.log(62.5) / 0.25, rel=1e-12)
    # Of 1 with a gap of 1/4, where 4B/T is above: upwards log(t/8)/(3/8)^2, downwards more.
    far = replace(case, means=(3 * quarter, half, quarter), worst_case=Fraction(251, 4))
    upwards, downwards = Information(1, half, half), Information(1, half, Fraction(1, 100))
    t = 1000 / 8 / 62.75
    assert float(upwards.need(far)) == pytest.approx(math.log(t / 4) / 0.25, rel=1e-12)
    assert float(downwards.need(far)) == pytest.approx(math.log(t * 0.26) / 0.0001, rel=1e-12)
