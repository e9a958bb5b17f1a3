"""`sidelight check`: a line for each file, and a code for what is not proved or no proof at all."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from naive.structures import structure
from sidelight import Problem
from sidelight.bounds import finite_time, general, graves_lai, minimax
from sidelight.bounds.case import Case
from sidelight.bounds.certificate import Certificate

if TYPE_CHECKING:
    from commands import Command

BANDIT = Problem(structure("bandit", 3), (0.7, 0.5, 0.35))


@pytest.fixture
def good(tmp_path: Path) -> Certificate:
    """A certificate in good.json; bad.json claims more, and torn.json is half of it."""
    proof = finite_time(BANDIT, 1e4, 50).certificate
    assert isinstance(proof, Certificate)
    proof.save(tmp_path / "good.json")
    replace(proof, value=2 * proof.value).save(tmp_path / "bad.json")
    content = (tmp_path / "good.json").read_bytes()
    (tmp_path / "torn.json").write_bytes(content[: len(content) // 2])
    return proof


def test_a_proof_is_one_line(sidelight: Command, good: Certificate) -> None:
    done = sidelight("check", "good.json")
    assert (done.code, done.err) == (0, "")
    claim = f"regret >= {good.value} in 10000 rounds"
    assert done.out == (
        f"proved: good.json: {claim} for every policy that never loses more than 50\n"
    )


def test_the_highest_code_applies_and_every_file_has_its_line(
    sidelight: Command, good: Certificate
) -> None:
    done = sidelight("check", "good.json", "bad.json")
    assert done.code == 3
    assert [line.split(":")[0] for line in done.out.splitlines()] == ["proved", "NOT proved"]
    assert done.out.endswith(f": the rows prove {good.value:.6g} only\n")
    done = sidelight("check", "torn.json", "bad.json", "good.json")
    assert done.code == 4
    assert [line.split(":")[0] for line in done.out.splitlines()] == [
        "refused",
        "NOT proved",
        "proved",
    ]
    assert done.out.startswith("refused: torn.json: not valid JSON; the file is damaged")


def test_data_for_machines(sidelight: Command, good: Certificate) -> None:
    done = sidelight("check", "--json", "good.json", "bad.json", "torn.json")
    assert done.code == 4
    first, second, third = json.loads(done.out)
    assert first == {
        "file": "good.json",
        "verdict": "proved",
        "claim": good.statement(),
        "reason": None,
    }
    assert second["verdict"] == "NOT proved"
    assert second["reason"].startswith("the rows prove")
    assert third["claim"] is None
    assert "save the certificate again" in third["reason"]


@pytest.mark.usefixtures("good")
def test_a_file_that_cannot_be_opened_has_its_line_too(sidelight: Command) -> None:
    done = sidelight("check", "good.json", "missing.json")
    assert done.code == 2
    first, second = done.out.splitlines()
    assert first.startswith("proved: good.json: ")
    assert second.startswith("unreadable: missing.json: cannot be read")
    assert sidelight("check", "missing.json", "bad.json").code == 3
    assert "Missing argument" in sidelight("check").err
    assert sidelight("check").code == 2


def test_claims_in_words() -> None:
    cycle = Problem(structure("cycle", 3), (0.5, 0.7, 0.35))
    bounds = graves_lai(cycle), general(BANDIT, 1e4, 1), minimax(BANDIT.feedback, 1.0, 1e4)
    said = [b.certificate.statement() for b in bounds if isinstance(b.certificate, Certificate)]
    assert said == [
        f"regret >= {bounds[0].value} log T for every consistent policy",
        "no policy has regret of at most 1 in 10000 rounds whatever the means",
        f"minimax >= {bounds[2].value} in 10000 rounds",
    ]
    nothing = Certificate(replace(bounds[2].certificate.case, worst_case=None), (), 0.0)  # type: ignore[attr-defined]
    assert nothing.statement() == "regret >= 0 in 10000 rounds"


def test_what_analyze_writes_is_proved(sidelight: Command, dosing: Path) -> None:
    assert sidelight("analyze", dosing, "--budget", "1", "--certificates", "proofs").code == 0
    files = sorted(Path("proofs").glob("*.json"))
    done = sidelight("check", *files)
    assert len(files) == 6
    assert done.code == 0
    assert done.out.count("proved: ") == len(files)


@pytest.mark.parametrize("worst_case", ["1/3", "1" + "0" * 400])
def test_a_statement_rounds_nothing(worst_case: str) -> None:
    """A claim about policies that lose at most B says nothing about those that lose a bit more."""
    case = Case(((Fraction(1),),), (Fraction(0),), Fraction(1), Fraction(7), Fraction(worst_case))
    said = Certificate(case, (), 0.0).statement()
    assert said.endswith(f"never loses more than {worst_case}")
    assert "inf" not in said
