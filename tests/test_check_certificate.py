"""The script: the same verdicts as the library, its lines and its exit codes."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

from certificates import CHECKER, examples, script
from conditions import ACCEPTED, REFUSED
from sidelight.bounds.rational import (
    binary_sums,
    decimal_down,
    decimal_up,
    log_down,
    short_down,
    short_up,
)


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_allowed(name: str) -> None:
    assert script(ACCEPTED[name])


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_allowed(name: str) -> None:
    """It is a certificate, but it proves nothing."""
    assert not CHECKER.holds(CHECKER.read(REFUSED[name]))


def test_lines_and_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, torn, none = (tmp_path / f"{name}.json" for name in ("good", "bad", "torn", "none"))
    certificate = examples()[4]
    certificate.save(good)
    data = certificate.to_dict()
    bad.write_text(json.dumps({**data, "value": str(2 * math.ceil(certificate.value))}))
    torn.write_text("{")
    assert CHECKER.main([str(good)]) == 0
    assert capsys.readouterr().out == f"proved: {good}: regret >= {certificate.value} log T\n"
    assert CHECKER.main([str(good), str(none)]) == 2
    assert capsys.readouterr().out.splitlines()[1] == f"refused: {none}: No such file or directory"
    assert CHECKER.main([str(good), str(bad), str(none)]) == 3
    assert capsys.readouterr().out.splitlines()[1].startswith(f"NOT proved: {bad}: regret >= ")
    assert CHECKER.main([str(torn), str(bad), str(good)]) == 4
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"refused: {torn}: damaged or too large; save the certificate again"
    finite = examples()[0]
    finite.save(good)
    assert CHECKER.verdict(str(good)) == (0, f"proved: {good}: regret >= {finite.value}")


def test_without_files_it_says_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert CHECKER.main([]) == 2
    assert capsys.readouterr().out.startswith("Check proofs that sidelight saved")


def test_claims_are_rounded_up() -> None:
    for text in ("1/3", "2/3", "1", "-1/3", "9" * 400, "-" + "9" * 400):
        x = CHECKER.number(text)
        above = CHECKER.float_up(x)
        assert above >= x
        assert math.nextafter(above, -math.inf) < x
    assert CHECKER.float_up(CHECKER.number("9" * 400)) == math.inf


NUMBERS = [
    Fraction(n) / d for n in (1, -1, 7, 2**300 + 1, 10**400) for d in (1, 3, 2**300, 10**400)
]


def test_numbers_are_rounded_as_in_the_library() -> None:
    for x in NUMBERS:
        assert CHECKER.down(x) == short_down(x)
        assert CHECKER.up(x) == short_up(x)
        assert CHECKER.sixty(CHECKER.FLOOR, x) == decimal_down(x)
        assert CHECKER.sixty(CHECKER.CEILING, x) == decimal_up(x)
        assert CHECKER.log(abs(x)) == log_down(abs(x))
    lines = [(short_down(abs(x)), [short_down(y) for y in NUMBERS]) for x in NUMBERS]
    assert CHECKER.sums(len(NUMBERS), lines) == binary_sums(len(NUMBERS), lines)
    assert CHECKER.sums(2, []) == [0, 0]


@pytest.mark.parametrize("which", range(8))
def test_rows_are_worth_the_same_as_in_the_library(which: int) -> None:
    assert len(examples()) == 8
    certificate = examples()[which]
    data = CHECKER.read(certificate.to_dict())
    problem = CHECKER.Problem(data)
    for (_, row), other in zip(certificate.rows, data["rows"], strict=True):
        need, loads = CHECKER.RULES[other["kind"]](other, problem)
        assert (need, loads) == (row.need(certificate.case), row.loads(certificate.case))
    assert CHECKER.proved(data) == certificate.certified()


@pytest.mark.parametrize("data", [None, 3, "text", [], [1], {}, {"format": None}])
def test_what_is_not_even_a_table(data: object) -> None:
    with pytest.raises(CHECKER.DamagedError):
        CHECKER.read(data)
