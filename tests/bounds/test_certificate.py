"""Certificates: what they prove, what they refuse, and a second checker that agrees."""

from __future__ import annotations

import copy
import json
import math
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from certificates import (
    CHECKER,
    HALF,
    ONE,
    SCRIPT,
    any_certificate,
    examples,
    of,
    script,
    tied_pair,
)
from naive import random_problems as random
from naive.structures import structure
from sidelight import Feedback, InputError, Problem, gallery
from sidelight.bounds import Certificate, asymptotic, finite_time, general, graves_lai, minimax
from sidelight.bounds.case import Case, RefutedError
from sidelight.bounds.certificate import Alternative, Information, Pair, tally, worth
from sidelight.bounds.duality import exact_case
from sidelight.bounds.subject import in_words, subject_of


@pytest.mark.parametrize("certificate", examples(), ids=lambda c: f"{c.claim}-{c.value:.3g}")
def test_both_checkers_accept(certificate: Certificate) -> None:
    assert certificate.check()
    assert script(certificate.to_dict())


def test_every_kind_of_row_and_claim_is_among_the_examples() -> None:
    kinds = {type(row) for certificate in examples() for _, row in certificate.rows}
    assert kinds == {Information, Alternative, Pair}
    assert {certificate.claim for certificate in examples()} == {"regret", "minimax"}
    assert math.inf in {certificate.value for certificate in examples()}


@pytest.mark.parametrize("certificate", examples(), ids=lambda c: f"{c.claim}-{c.value:.3g}")
def test_saved_and_loaded_nothing_changes(certificate: Certificate, tmp_path: Path) -> None:
    certificate.save(tmp_path / "proof.json")
    loaded = Certificate.load(tmp_path / "proof.json")
    assert loaded == certificate
    assert loaded.check()


def tampered(certificate: Certificate) -> list[dict[str, Any]]:
    """Claims that no longer follow."""
    data = certificate.to_dict()
    out = []

    def but(**changes: Any) -> dict[str, Any]:
        return {**copy.deepcopy(data), **changes}

    if math.isfinite(certificate.value):
        raised = str(Fraction(certificate.value) * (1 + Fraction(1, 10**6)) + Fraction(1, 10**6))
        out.append(but(value=raised))
        out.append(but(value="inf"))
    out.append(but(claim="certainty"))
    out.append(but(upper=str(max(certificate.case.means) / 2)))
    for k, row in enumerate(data["rows"]):
        out.append(but())
        out[-1]["rows"][k]["weight"] = f"-{row['weight']}"
        if math.isfinite(certificate.value):  # a ray may be long, and one row of it enough
            out += [but(), but()]
            out[-1]["rows"][k]["weight"] = str(Fraction(row["weight"]) * 10**9)
            del out[-2]["rows"][k]
        for key, values in FORBIDDEN[row["kind"]].items():
            for value in values:
                changed = but()
                changed["rows"][k][key] = value
                out.append(changed)
    return out


FORBIDDEN: dict[str, dict[str, list[Any]]] = {
    "information": {"rise": ["0", "-1", "3"], "action": [-1, 17], "kind": ["pair", "proof"]},
    "alternative": {"means": [["2", "0"], ["-1", "0"], ["0"]], "shift": ["-1"], "kind": ["pair"]},
    "pair": {"split": ["-1", "2"], "action": [-1, 17], "kind": ["information"]},
}


@pytest.mark.parametrize("certificate", examples(), ids=lambda c: f"{c.claim}-{c.value:.3g}")
def test_both_checkers_refuse_what_was_tampered_with(certificate: Certificate) -> None:
    cases = tampered(certificate)
    assert len(cases) > 5
    for data in cases:
        assert not script(data)
        with suppress(InputError, KeyError):  # not even readable: also a refusal
            assert not Certificate.from_dict(data).check()


def test_the_script_by_itself(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    certificate = examples()[0]
    certificate.save(good)
    replace(certificate, value=certificate.value * 1.001).save(bad)

    def run(*paths: Path) -> tuple[int, str]:
        command = [sys.executable, "-S", "-E", str(SCRIPT), *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stderr == ""
        return done.returncode, done.stdout

    code, text = run(good)
    about = f"{certificate.statement()} ({in_words(subject_of(certificate))})"
    assert (code, text) == (0, f"proved: {good}: {about}\n")
    code, text = run(good, bad)
    assert code == 3
    assert text.splitlines()[1].startswith(f"NOT proved: {bad}: expected regret >= 4.0")
    files = [tmp_path / f"{k}.json" for k in range(len(examples()))]
    for path, example in zip(files, examples(), strict=True):
        example.save(path)
    assert run(*files)[0] == 0


def test_the_two_checkers_agree_on_random_certificates() -> None:
    verdicts = [0, 0]
    for seed in range(1500):
        certificate = any_certificate(seed)
        verdict = certificate.check()
        assert script(certificate.to_dict()) == verdict, seed
        verdicts[verdict] += 1
    assert min(verdicts) > 150


def test_changed_means_variances_or_horizons_are_noticed() -> None:
    """A change that makes the claim stronger than what is true must be refused."""
    for seed in range(30):
        bound = finite_time(random.problem(seed), 1e5, 20.0)
        if not 0 < bound.value < math.inf:
            continue
        certificate = of(bound)
        data = certificate.to_dict()
        seen = [
            (j, i)
            for j, line in enumerate(certificate.case.variance)
            for i, v in enumerate(line)
            if v is not None and any(getattr(row, "action", -1) == i for _, row in certificate.rows)
        ]
        for j, i in seen:  # more is seen than the weights allow for
            changed = copy.deepcopy(data)
            changed["variance"][j][i] = str(Fraction(data["variance"][j][i]) / 10**6)
            assert not Certificate.from_dict(changed).check()
            assert not script(changed)
        weaker = {**data, "worst_case": str(Fraction(data["worst_case"]) * 2)}
        assert not Certificate.from_dict(weaker).check()
        assert not script(weaker)


def test_pair_rows_hold_per_log_t_only() -> None:
    certificate = examples()[4]
    case = replace(certificate.case, horizon=Fraction(10), worst_case=Fraction(1))
    moved = replace(certificate, case=case)
    assert not moved.check()
    assert not script(moved.to_dict())


def test_a_negative_number_of_an_action_means_no_action() -> None:
    """means[-1] is the best action, which has no gap: its row would ask for too much."""
    problem = Problem(structure("bandit", 2), (0.5, 0.7))
    case = exact_case(problem, 1e6, 1e-3)
    row = Information(-1, Fraction(1, 4), Fraction(1, 4))
    with pytest.raises(RefutedError, match="there is no action -1"):
        Certificate(case, ((ONE, row),), 0.0).certified()


def test_a_row_needs_both_directions_only_where_the_gap_is_small() -> None:
    """The gap times T is 4 B: the change in one direction is enough, and no longer just below."""
    case = exact_case(Problem(structure("bandit", 2), (0.5, 0.75)), 100, 6.25)
    row = Information(0, HALF)
    assert row.need(case) < 0 < Information(0, HALF).need(replace(case, worst_case=ONE))
    for B in (Fraction(25, 4) + Fraction(1, 10**9), Fraction(7)):
        with pytest.raises(RefutedError, match="other direction"):
            row.need(replace(case, worst_case=B))


def test_nothing_proves_nothing() -> None:
    case = exact_case(Problem(structure("bandit", 2), (0.5, 0.7)), 100, 10)
    assert Certificate(case, (), 0.0).check()
    assert not Certificate(case, (), 1e-300).check()
    assert not Certificate(case, (), math.inf).check()
    assert not Certificate(case, (), math.nan).check()
    assert not Certificate(
        exact_case(Problem(structure("bandit", 2), (1, 0))), (), 0, "minimax"
    ).check()


def test_what_is_not_a_problem_is_refused() -> None:
    case = exact_case(Problem(structure("bandit", 2), (0.5, 0.7)), 100, 10)
    for wrong in (
        replace(case, means=(ONE,)),
        replace(case, means=(ONE, 2 * ONE)),
        replace(case, variance=((ONE, -ONE), (None, ONE))),
        replace(case, variance=((ONE,), (None, ONE))),
        replace(case, horizon=Fraction(0)),
        replace(case, worst_case=-ONE),
        Case((), (), ONE),
    ):
        certificate = Certificate(wrong, (), 0.0)
        assert not certificate.check()
        assert not script(certificate.to_dict())


def test_one_action_has_no_second_best() -> None:
    case = Case(((ONE,),), (HALF,), ONE, Fraction(100), ONE)
    certificate = Certificate(case, ((ONE, Information(0, Fraction(1, 4))),), 0.0)
    assert not certificate.check()
    assert not script(certificate.to_dict())


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"format": "recipe"}), encoding="utf-8")
    with pytest.raises(InputError, match="not a certificate"):
        Certificate.load(path)


@pytest.mark.parametrize("name", list(gallery()))
def test_what_sidelight_proves_is_proved(name: str, tmp_path: Path) -> None:
    """On every problem of the gallery, by both checkers and within the limits on files."""
    problem = gallery(name)
    T = 1e5
    B = 3 * math.sqrt(len(problem) * T)
    bounds = [finite_time(problem, T, B), minimax(problem.feedback, problem.upper, T)]
    bounds += [b for b in (asymptotic(problem), graves_lai(problem)) if b.valid]
    if len(problem) <= 6:
        bounds += [general(problem, T, least, pairs=False) for least in (B, B / 100)]
    for bound in bounds:
        path = tmp_path / f"{bound.name}.json"
        of(bound).save(path)
        assert Certificate.load(path).objection() is None
        assert CHECKER.verdict(str(path))[0] == 0


def test_limits_leave_room_for_150_actions(tmp_path: Path) -> None:
    """As large as certificates can become: everything is shown, and as many rows as actions."""
    rng = np.random.default_rng(1)
    K = 150
    problem = Problem(Feedback(10 ** rng.uniform(-2, 2, (K, K))), rng.random(K))
    rows = tuple(
        (Fraction(float(x)) * Fraction(float(x)) ** 3, Alternative(means, Fraction(float(x))))
        for x, means in zip(rng.random(K), map(fractions, rng.random((K, K))), strict=True)
    )
    path = tmp_path / "large.json"
    Certificate(exact_case(problem, 1e5, 100), rows, 0.0).save(path)
    assert len(Certificate.load(path).rows) == K
    CHECKER.certificate(str(path))


def fractions(values: npt.NDArray[np.float64]) -> tuple[Fraction, ...]:
    """Floats, exactly."""
    return tuple(Fraction(float(value)) for value in values)


def test_objections_say_what_was_proved() -> None:
    case = Case(((ONE, None), (None, ONE)), (HALF, HALF / 2), ONE)
    row = Pair(1, ONE)
    certificate = Certificate(case, ((ONE / 4, row),), 8.0)  # 1/4 * 2/(1/4)^2
    assert certificate.objection() is None
    assert replace(certificate, value=8.5).objection() == "the rows prove 8 only"
    assert replace(certificate, rows=((ONE, row),)).objection() == "the rows prove 0 only"
    assert replace(certificate, claim="Regret").objection() == "this is no claim about regret"
    assert replace(certificate, value=math.nan).objection() == "this is no claim about regret"
    least = tied_pair(Fraction(10), "minimax")
    assert least.objection() is None
    assert replace(least, value=9.0).objection() is None
    assert replace(least, value=10.5).objection() == "the rows prove 10 only"
    weak = replace(least, case=replace(least.case, worst_case=Fraction(1000)))
    assert weak.objection() == "the rows prove 0 only, less than the worst case"
    assert not replace(least, value=math.inf).check()


def test_worth_of_sums() -> None:
    """sum(w need) + T min(gap - spent); infinite if even the best action cannot pay."""
    case = Case(((ONE, None), (None, ONE)), (HALF, HALF / 2), ONE, Fraction(100), ONE)
    assert worth(case, Fraction(10), [ONE / 100, ONE / 2]) == 10 - 25
    assert worth(case, Fraction(10), [ONE / 100, ONE / 5]) == 10 - 1
    assert worth(case, Fraction(20), [ONE / 100, ONE / 5]) == 20 - 1  # just not infinite
    assert worth(case, Fraction(21), [ONE / 100, ONE / 5]) == math.inf
    free = replace(case, horizon=None, worst_case=None)
    assert worth(free, Fraction(10), [Fraction(0), ONE / 4]) == 10
    assert worth(free, Fraction(10), [Fraction(0), ONE / 3]) == 0
    assert worth(free, Fraction(10), [ONE / 100, ONE / 5]) == 0


def test_long_fractions_do_not_add_up() -> None:
    """Sums are as long as the largest number over the smallest, not as all denominators together.

    A file of 100 kB with such weights once kept `check` busy for a minute.
    """
    case = Case(((None, None), (ONE, 3 * ONE)), (HALF, HALF / 2), ONE)
    rng = np.random.default_rng(3)
    long = [int("".join(map(str, rng.integers(1, 10, 900)))) for _ in range(80)]
    rows = [
        (Fraction(a, 10 * b), Pair(1, Fraction(1, c)))
        for a, b, c in zip(long[:40], long[40:], reversed(long), strict=False)
    ]
    needed, spent = tally(case, rows)
    lengths = [x.numerator.bit_length() + x.denominator.bit_length() for x in (needed, *spent)]
    assert max(lengths) < 10 * 900 * math.log2(10)
    exact = sum((w * (row.split**2 / 3 + (1 - row.split) ** 2) for w, row in rows), Fraction(0))
    assert exact.denominator.bit_length() > 40 * 900 * math.log2(10)
    assert abs(spent[1] - exact) < Fraction(1, 2**200)  # weights are shortened downwards, loads up
