"""`sidelight check`: a line for each file, and a code for what is not proved or no proof at all."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from naive.structures import structure
from sidelight import Feedback, Problem, guarantees
from sidelight.bounds import finite_time, general, graves_lai, minimax
from sidelight.bounds.case import Case
from sidelight.bounds.certificate import Certificate
from sidelight.bounds.index_proof import IndexProof
from sidelight.bounds.promise import Promise
from sidelight.bounds.subject import in_words, subject_of

if TYPE_CHECKING:
    from commands import Command

BANDIT = Problem(structure("bandit", 3), (0.7, 0.5, 0.35))
ABOUT = "3 actions, means 0.7, 0.5, 0.35 in [0, 1]"


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
    claim = f"expected regret >= {good.value} in 10000 rounds"
    whose = "for every policy whose expected regret never exceeds 50"
    assert done.out == f"proved: good.json: {claim} {whose} ({ABOUT})\n"


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
    Path("mine.toml").write_text('actions = ["A"]', encoding="utf-8")
    assert "mine.toml: no proof but a problem" in sidelight("check", "mine.toml").out


@pytest.mark.parametrize("widths", [[], ["1" + "0" * 400]])
def test_an_index_with_impossible_widths_has_its_line(
    sidelight: Command, good: Certificate, tmp_path: Path, widths: list[str]
) -> None:
    proof = guarantees.index(Feedback.bandit(2), 1.0, 100).certificate
    assert isinstance(proof, IndexProof)
    data = proof.to_dict()
    data["widths"] = widths * len(data["widths"])
    (tmp_path / "index.json").write_text(json.dumps(data))
    done = sidelight("check", "index.json", "good.json")
    assert done.code in (3, 4)
    assert [line.split(":")[0] for line in done.out.splitlines()][1] == "proved"


def test_a_promise_out_of_proportion_has_its_line(
    sidelight: Command, good: Certificate, tmp_path: Path
) -> None:
    proof = guarantees.commit(Feedback.bandit(10), 1.0, 100).certificate
    assert isinstance(proof, Promise)
    data = proof.to_dict()
    assert data["proof"]["kind"] == "apart"
    (tmp_path / "promise.json").write_text(json.dumps(data | {"upper": "1" + "0" * 200}))
    done = sidelight("check", "promise.json", "good.json")
    assert done.code == 3
    assert done.out.splitlines()[0].endswith("the noise is out of all proportion to the range")
    assert done.out.splitlines()[1].startswith("proved")


def test_the_help_explains_its_words(sidelight: Command) -> None:
    said = " ".join(sidelight("check", "--help").out.split())
    assert "one of four kinds of proofs: rows (" in said
    assert "consistent policy is about those whose expected regret on each problem grows" in said
    assert "actions are matched by their position" in said


def test_data_for_machines(sidelight: Command, good: Certificate) -> None:
    done = sidelight("check", "--json", "good.json", "bad.json", "torn.json")
    assert done.code == 4
    first, second, third = json.loads(done.out)
    assert first == {
        "file": "good.json",
        "verdict": "proved",
        "claim": good.statement(),
        "reason": None,
        "about": ABOUT,
        "problem": {
            "actions": 3,
            "means": [str(Fraction(mean)) for mean in (0.7, 0.5, 0.35)],
            "upper": "1",
            "horizon": "10000",
            "worst_case": "50",
        },
    }
    assert second["verdict"] == "NOT proved"
    assert second["reason"].startswith("the rows prove")
    assert third["claim"] is third["about"] is third["problem"] is None
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
    bounds = (
        graves_lai(cycle),
        general(BANDIT, 1e4, 1, pairs=False),
        minimax(BANDIT.feedback, 1.0, 1e4),
    )
    said = [b.certificate.statement() for b in bounds if isinstance(b.certificate, Certificate)]
    assert said == [
        f"expected regret >= {bounds[0].value} log T for every consistent policy",
        "no policy has expected regret of at most 1 in 10000 rounds whatever the means",
        f"minimax expected regret >= {bounds[2].value} in 10000 rounds",
    ]
    nothing = Certificate(replace(bounds[2].certificate.case, worst_case=None), (), 0.0)  # type: ignore[attr-defined]
    assert nothing.statement() == "expected regret >= 0 in 10000 rounds"


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
    assert said.endswith(f"never exceeds {worst_case}")
    assert "inf" not in said


def test_the_problem_is_named() -> None:
    """A claim that holds whatever the means names none; long lists and long numbers are cut."""
    assert in_words(subject_of(general(BANDIT, 1e4, 50, pairs=False).certificate)) == ABOUT  # type: ignore[arg-type]
    assert in_words(subject_of(minimax(BANDIT.feedback, 2.0, 1e4).certificate)) == (  # type: ignore[arg-type]
        "3 actions, any means in [0, 2]"
    )
    nobody = general(BANDIT, 1e4, 1, pairs=False).certificate
    assert in_words(subject_of(nobody)) == "3 actions, any means in [0, 1]"  # type: ignore[arg-type]
    thirds = (Fraction(1, 3), Fraction(10**40 + 1, 10**41), *[Fraction(0)] * 8)
    case = Case(((Fraction(1),) * 10,) * 10, thirds, Fraction(1))
    said = in_words(subject_of(Certificate(case, (), 0.0)), labels=[f"a{i}\n" for i in range(10)])
    names = ", ".join(f"a{i}\\n" for i in range(8))
    assert said == (
        f"10 actions ({names}, ... 2 more), means 1/3, about 0.1, 0, 0, 0, 0, 0, 0, ... 2 more "
        "in [0, 1]"
    )
    one = Case(((None,),), (Fraction(0),), Fraction(1))
    assert in_words(subject_of(Certificate(one, (), 0.0))) == "1 action, means 0 in [0, 1]"


@pytest.mark.usefixtures("good")
def test_names_of_files_stay_in_their_line(sidelight: Command) -> None:
    name = "two\nlines \x1b[31m.json"
    Path("good.json").rename(name)
    done = sidelight("check", name, "also\nmissing.json")
    first, second = done.out.splitlines()
    assert first.startswith("proved: two\\nlines \\x1b[31m.json: expected regret >= ")
    assert second.startswith("unreadable: also\\nmissing.json: cannot be read")
    assert json.loads(sidelight("check", "--json", name).out)[0]["file"] == name


LABELS = ("A", "B", "C")
SAME = Problem(Feedback(BANDIT.feedback.variance, LABELS), BANDIT.means)


def test_a_certificate_of_the_problem_asked_for(sidelight: Command, good: Certificate) -> None:
    SAME.save("same.toml")
    done = sidelight("check", "--problem", "same.toml", "good.json")
    assert done.code == 0
    assert done.out == (
        f"proved: good.json: {good.statement()} (3 actions (A, B, C), means 0.7, 0.5, 0.35 in "
        "[0, 1])\n"
    )
    assert sidelight("check", "--problem", "same.toml", "bad.json").code == 3
    assert sidelight("check", "--problem", "same.toml", "bad.json").out.startswith("NOT proved: ")
    assert sidelight("check", "--problem", "none.toml", "good.json").code == 2


TWO = Feedback.bandit(2)
NOISIER = BANDIT.feedback.variance * [[1, 1, 1], [1, 2, 1], [1, 1, 1]]
OTHERS: dict[str, Problem | Feedback] = {
    "it has 3 actions, not 2": Problem(TWO, (0.7, 0.5)),
    "playing 'B' shows 'B' with variance 1, not 2": Problem(Feedback(NOISIER, LABELS), SAME.means),
    "playing 'A' shows 'B' with variance inf, not 1": Problem(
        Feedback.full_information(3, labels=LABELS), SAME.means
    ),
    "its means lie in [0, 1], not in [0, 2]": Problem(SAME.feedback, SAME.means, upper=2.0),
    "the mean of 'C' is 0.35, not 0.3500000000000001": Problem(
        SAME.feedback, (0.7, 0.5, 0.3500000000000001)
    ),
    "it is about particular means, and there are none in the file": SAME.feedback,
}


@pytest.mark.parametrize("why", OTHERS)
@pytest.mark.usefixtures("good")
def test_a_certificate_of_another_problem(sidelight: Command, why: str) -> None:
    OTHERS[why].save("other.toml")
    done = sidelight("check", "--problem", "other.toml", "good.json")
    assert done.code == 3
    assert done.out.startswith("another problem: good.json: expected regret >= ")
    assert done.out.endswith(f"({ABOUT}): the certificate is not about other.toml: {why}\n")


def test_a_minimax_claim_is_about_all_means(sidelight: Command, tmp_path: Path) -> None:
    proof = minimax(BANDIT.feedback, 1.0, 1e4).certificate
    assert isinstance(proof, Certificate)
    proof.save(tmp_path / "minimax.json")
    SAME.save("same.toml")
    SAME.feedback.save("feedback.toml")
    Problem(SAME.feedback, (0.1, 0.2, 0.3)).save("others.toml")
    Problem(SAME.feedback, (0.1, 0.2, 0.3), upper=2.0).save("wider.toml")
    codes = [
        sidelight("check", "--problem", f"{name}.toml", "minimax.json").code
        for name in ("same", "feedback", "others", "wider")
    ]
    assert codes == [0, 0, 0, 3]


@pytest.mark.parametrize(
    ("feedback", "promises"),
    [(structure("bandit", 2), {"commit", "index"}), (structure("revealing", 3), {"commit"})],
)
def test_an_analysis_saves_both_sides_and_the_check_accepts_every_file(
    feedback: Feedback, promises: set[str], sidelight: Command, tmp_path: Path
) -> None:
    Problem(feedback, [0.7, 0.5, 0.35][: len(feedback)]).save(tmp_path / "problem.toml")
    for name in ("commit", "index"):  # of another analysis
        (tmp_path / "proofs").mkdir(exist_ok=True)
        (tmp_path / "proofs" / f"{name}.json").write_text("{}")
    refused = sidelight("analyze", "problem.toml", "-T", "1e3", "--certificates", "proofs")
    assert (refused.code, "proofs already" in refused.err) == (2, True)
    done = sidelight("analyze", "problem.toml", "-T", "1e3", "--certificates", "proofs", "--force")
    assert done.code == 0
    files = sorted((tmp_path / "proofs").iterdir())
    saved = {file.stem for file in files}
    assert saved & {"commit", "index"} == promises
    assert {"minimax_computed", "general"} <= saved
    done = sidelight("check", "--problem", "problem.toml", *(f"proofs/{f.name}" for f in files))
    assert done.code == 0
    lines = done.out.splitlines()
    assert all(line.startswith("proved: ") for line in lines)
    upper = [line for line in lines if "expected regret <= " in line]
    assert len(upper) == len(promises)
