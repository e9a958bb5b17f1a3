"""The library refuses what breaks a condition of the theorems, and nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from conditions import ACCEPTED, PAIR, REFUSED, RISE, TIE
from sidelight.bounds.case import Case, RefutedError
from sidelight.bounds.certificate import Alternative, Certificate, Information, Pair, tally


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


# ---- what was checked cannot change --------------------------------------------------------------


def listed() -> tuple[list[list[Fraction | None]], list[Fraction], list[list[object]]]:
    """Variances, means and weighted rows, in lists."""
    variance: list[list[Fraction | None]] = [[Fraction(1), None], [None, Fraction(1)]]
    means = [Fraction(3, 4), Fraction(1, 2)]
    rows: list[list[object]] = [[Fraction(1, 100), Information(1, Fraction(1, 2))]]
    return variance, means, rows


def test_a_certificate_in_lists_stays_as_it_was_checked() -> None:
    variance, means, rows = listed()
    case = Case(variance, means, Fraction(1), Fraction(1000), Fraction(10))  # type: ignore[arg-type]
    certificate = Certificate(case, rows, 0.0)  # type: ignore[arg-type]
    assert certificate.check()
    before = certificate.to_dict()
    rows[0][0] = Fraction(-1)
    rows.append([Fraction(-1), Information(7, Fraction(9))])
    variance[0][0], means[0] = Fraction(-1), Fraction(7)
    assert certificate.to_dict() == before
    assert certificate.examine() is None
    moved = [Fraction(1, 2), Fraction(3, 4)]
    row = Alternative(moved, Fraction(1, 100))  # type: ignore[arg-type]
    moved[0] = Fraction(9)
    assert row.means == (Fraction(1, 2), Fraction(3, 4))


class Sly(Fraction):
    """A number that says what the moment asks for."""

    def __lt__(self, other: object) -> bool:
        return False


@dataclass(frozen=True)
class Own(Information):
    """A row with a rule of its own."""

    def need(self, case: Case) -> Fraction:
        return Fraction(10**6)


@pytest.mark.parametrize(
    ("weight", "row"),
    [
        (0.01, Information(1, Fraction(1, 2))),
        (Sly(-1), Information(1, Fraction(1, 2))),
        (Fraction(1), Own(1, Fraction(1, 2))),
        (Fraction(1), Information(1, 0.5)),  # type: ignore[arg-type]
        (Fraction(1), Information(1, Fraction(1, 2), 0.1)),  # type: ignore[arg-type]
        (Fraction(1), Alternative((Fraction(1), 0.5), Fraction(1))),  # type: ignore[arg-type]
        (Fraction(1), Pair(1, 0.5)),  # type: ignore[arg-type]
        (Fraction(1), None),
    ],
)
def test_only_exact_numbers_and_the_three_kinds_of_rows_count(weight: object, row: object) -> None:
    variance, means, _ = listed()
    case = Case(variance, means, Fraction(1), Fraction(1000), Fraction(10))  # type: ignore[arg-type]
    with pytest.raises(RefutedError, match="is not a Fraction, or a row is no row"):
        tally(case, [(weight, row)])  # type: ignore[list-item]


@pytest.mark.parametrize("field", ["upper", "horizon", "worst_case", "means", "variance"])
def test_the_numbers_of_a_problem_are_exact(field: str) -> None:
    variance, means, _ = listed()
    case = Case(variance, means, Fraction(1), Fraction(1000), Fraction(10))  # type: ignore[arg-type]
    case.validate()
    other: object = {"means": (0.5, 0.5), "variance": ((1.0, None), (None, 1.0))}.get(field, 10.0)
    with pytest.raises(RefutedError, match="a number of the problem is not a Fraction"):
        replace(case, **{field: other}).validate()  # type: ignore[arg-type]
