"""The script: the same verdicts as the library, its lines and its exit codes."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

from certificates import CHECKER, examples, script
from conditions import ACCEPTED, REFUSED
from sidelight import Feedback, bounds, guarantees
from sidelight.bounds.certificate_file import Saved
from sidelight.bounds.rational import (
    binary_sums,
    decimal_down,
    decimal_up,
    log_down,
    short_down,
    short_up,
)
from sidelight.bounds.subject import in_words, subject_of
from sidelight.cli.check import CODES, judge


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
    assert capsys.readouterr().out == (
        f"proved: {good}: expected regret >= {certificate.value} log T for every consistent policy "
        f"({in_words(subject_of(certificate))})\n"
    )
    assert CHECKER.main([str(good), str(none)]) == 2
    why = "cannot be read: No such file or directory; check the name of the file"
    assert capsys.readouterr().out.splitlines()[1] == f"unreadable: {none}: {why}"
    assert CHECKER.main([str(good), str(bad), str(none)]) == 3
    assert (
        capsys.readouterr()
        .out.splitlines()[1]
        .startswith(f"NOT proved: {bad}: expected regret >= ")
    )
    assert CHECKER.main([str(torn), str(bad), str(good)]) == 4
    said = capsys.readouterr().out.splitlines()
    advice = "the file is damaged or was changed by hand: save the certificate again"
    assert said[0] == f"refused: {torn}: not valid JSON; {advice}"


@pytest.mark.parametrize("kind", ["promise", "index", "pairs"])
def test_proofs_with_integrals_are_left_to_the_command(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bandit, path = Feedback.bandit(2), tmp_path / "worst.json"
    bound = {
        "promise": guarantees.commit,
        "index": guarantees.index,
        "pairs": bounds.exact_pairs,
    }[kind](bandit, 1.0, 50)
    assert isinstance(bound.certificate, Saved)
    bound.certificate.save(path)
    assert CHECKER.main([str(path)]) == 4
    assert capsys.readouterr().out == (
        f"not checked here: {path}: sidelight-{kind}-1 is a proof with integrals: run "
        "`sidelight check` on it\n"
    )
    assert judge(path).verdict == "proved"


def both(path: Path) -> tuple[int, str]:
    """What the script says of a file, which must be what the library says."""
    code, line = CHECKER.verdict(str(path))
    verdict = judge(path)
    assert (code, line) == (CODES[verdict.verdict], str(verdict))
    return code, line


@pytest.mark.parametrize("name", [*ACCEPTED, *REFUSED])
def test_the_script_says_as_much_as_the_library(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a\nb.json"
    path.write_text(json.dumps({**ACCEPTED, **REFUSED}[name]))
    code, line = both(path)
    assert code == (0 if name in ACCEPTED else 3)
    assert "a\\nb.json: " in line


@pytest.mark.parametrize("which", range(8))
def test_claims_in_the_words_of_the_library(which: int, tmp_path: Path) -> None:
    certificate = examples()[which]
    certificate.save(tmp_path / "good.json")
    assert both(tmp_path / "good.json")[0] == 0
    data = certificate.to_dict()
    for value in ("1" + "0" * 300, "inf"):
        (tmp_path / "bad.json").write_text(json.dumps({**data, "value": value}))
        assert both(tmp_path / "bad.json")[0] == (0 if certificate.value == math.inf else 3)
    assert both(tmp_path / "missing.json")[0] == 2


DAMAGES = {
    "an entry stands twice": '{"format": "x", "format": "y"}',
    "an entry is missing or unknown": "{}",
    "not valid JSON": "{",
    "larger than 4000000 bytes": " " * 4_000_001,
}


@pytest.mark.parametrize("why", DAMAGES)
def test_damage_has_a_reason(why: str, tmp_path: Path) -> None:
    path = tmp_path / "torn.json"
    path.write_text(DAMAGES[why])
    code, line = CHECKER.verdict(str(path))
    assert code == 4
    assert line.startswith(f"refused: {path}: {why}; ")
    assert judge(path).verdict == "refused"


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
