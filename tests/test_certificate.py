"""Certificates: what they prove, what they refuse, and a second checker that agrees."""

from __future__ import annotations

import copy
import importlib.util
import json
import math
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naive import random_problems as random
from naive.structures import structure
from sidelight import InputError, Problem
from sidelight.bounds import Certificate, asymptotic, finite_time, graves_lai
from sidelight.bounds.case import Case, RefutedError
from sidelight.bounds.certificate import Alternative, Information, Pair, Row
from sidelight.bounds.duality import exact_case
from sidelight.bounds.rational import float_down

SCRIPT = Path(__file__).parent.parent / "examples" / "check_certificate.py"

ONE, HALF = Fraction(1), Fraction(1, 2)


def standalone() -> Callable[[dict[str, Any]], bool]:
    """The other checker, as a function."""
    spec = importlib.util.spec_from_file_location("check_certificate", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def holds(data: dict[str, Any]) -> bool:
        try:
            return bool(module.holds(module.read(data)))
        except module.DamagedError:
            return False

    return holds


OTHER = standalone()


def of(bound: object) -> Certificate:
    certificate = getattr(bound, "certificate", None)
    assert isinstance(certificate, Certificate)
    return certificate


def tied_pair(B: Fraction, claim: str) -> Certificate:
    """Two tied actions, each seen by itself. Were one better by e, regret above B must be noticed.

    Both alternatives with the same weight bound every plan in the same way.
    """
    means, e, T = (HALF, HALF), Fraction(1, 100), Fraction(10_000)
    case = Case(((ONE, None), (None, ONE)), means, ONE, T, B)
    rows = tuple(
        (ONE, Alternative(tuple(HALF + e * (i == k) for i in range(2)), Fraction(1, 200)))
        for k in range(2)
    )
    return Certificate(case, rows, float(B) if claim == "minimax" else math.inf, claim)


def examples() -> list[Certificate]:
    """Each kind of row, both claims, finite and infinite values."""
    bandit = Problem(structure("bandit", 3), (0.7, 0.5, 0.35))
    cycle = Problem(structure("cycle", 3), (0.5, 0.7, 0.35))
    return [
        of(finite_time(bandit, 1e4, 50)),
        of(finite_time(Problem(structure("bandit", 2), (0.5, 0.498)), 1e5, 1)),
        of(finite_time(Problem(structure("bandit", 2), (0.5, 0.5)), 100, 0.1)),
        of(finite_time(Problem(structure("het3", 3), (0.7, 0.5, 0.35)), 10**12, 10**6)),
        of(asymptotic(bandit)),
        of(graves_lai(cycle)),
        tied_pair(Fraction(10), "minimax"),
        tied_pair(Fraction(10), "regret"),
    ]


@pytest.mark.parametrize("certificate", examples(), ids=lambda c: f"{c.claim}-{c.value:.3g}")
def test_both_checkers_accept(certificate: Certificate) -> None:
    assert certificate.check()
    assert OTHER(certificate.to_dict())


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
        assert not OTHER(data)
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
    assert (code, text) == (0, f"proved: {good}: regret >= {certificate.value}\n")
    code, text = run(good, bad)
    assert code == 3
    assert text.splitlines()[1].startswith(f"NOT proved: {bad}: regret >= 4.0")
    files = [tmp_path / f"{k}.json" for k in range(len(examples()))]
    for path, example in zip(files, examples(), strict=True):
        example.save(path)
    assert run(*files)[0] == 0


def any_row(rng: np.random.Generator, case: Case) -> Row:
    """A row that is allowed more often than not."""
    K = len(case.means)
    k = int(rng.integers(K))
    if case.horizon is None or rng.random() < 0.05:
        return Pair(k, Fraction(float(rng.choice([0.0, 0.3, 1.0]))))
    if rng.random() < 0.5:
        gap = case.second_gap if k == case.best else case.gaps[k]
        beyond = case.means[k] - gap if k == case.best else case.upper - case.means[case.best]
        rise = gap + beyond * Fraction(float(rng.uniform(0, 1.1)))
        fall = Fraction(float(rng.choice([0.001, 0.1, 0.5])))
        return Information(k, rise, fall if rng.random() < 0.8 else None)
    means = [Fraction(float(mean)) for mean in rng.random(K)]
    kept = rng.random(K) < 0.5
    means = [m if keep else n for m, n, keep in zip(case.means, means, kept, strict=True)]
    return Alternative(tuple(means), Fraction(float(rng.choice([0.0, 1e-3, 0.1]))))


def any_certificate(seed: int) -> Certificate:
    """A random problem and random rows; the value is at, below or above what they prove."""
    rng = np.random.default_rng(seed)
    problem = random.problem(seed, edges=True)
    if rng.random() < 0.2:
        matrix = problem.feedback.variance.copy()
        j, i = rng.choice(np.argwhere(np.isfinite(matrix)))
        matrix[j, i] = 0.0
        problem = Problem(type(problem.feedback)(matrix), problem.means)
    T, B = (float(10 ** rng.uniform(1, 5)), float(10 ** rng.uniform(-1, 2)))
    case = exact_case(problem, T, B) if rng.random() < 0.7 else exact_case(problem)
    rows = tuple(
        (Fraction(float(10 ** rng.uniform(-6, 0))), any_row(rng, case))
        for _ in range(rng.integers(1, 3))
    )
    claim = str(rng.choice(["regret", "minimax"], p=[0.8, 0.2]))
    certificate = Certificate(case, rows, 0.0, claim)
    try:
        proved = certificate.certified()
    except RefutedError:
        return certificate
    at = float_down(max(proved, Fraction(0))) if isinstance(proved, Fraction) else math.inf
    chosen = rng.choice([0.0, at, at * 0.5, at + 1e-6, math.inf])
    return replace(certificate, value=float(chosen))


def test_the_two_checkers_agree_on_random_certificates() -> None:
    verdicts = [0, 0]
    for seed in range(1500):
        certificate = any_certificate(seed)
        verdict = certificate.check()
        assert OTHER(certificate.to_dict()) == verdict, seed
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
            assert not OTHER(changed)
        weaker = {**data, "worst_case": str(Fraction(data["worst_case"]) * 2)}
        assert not Certificate.from_dict(weaker).check()
        assert not OTHER(weaker)


def test_pair_rows_hold_per_log_t_only() -> None:
    certificate = examples()[4]
    case = replace(certificate.case, horizon=Fraction(10), worst_case=Fraction(1))
    moved = replace(certificate, case=case)
    assert not moved.check()
    assert not OTHER(moved.to_dict())


def test_a_negative_number_of_an_action_means_no_action() -> None:
    """means[-1] is the best action, which has no gap: its row would ask for too much."""
    problem = Problem(structure("bandit", 2), (0.5, 0.7))
    case = exact_case(problem, 1e6, 1e-3)
    row = Information(-1, Fraction(1, 4), Fraction(1, 4))
    with pytest.raises(RefutedError, match="there is no action -1"):
        Certificate(case, ((ONE, row),), 0.0).certified()


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
        assert not OTHER(certificate.to_dict())


def test_one_action_has_no_second_best() -> None:
    case = Case(((ONE,),), (HALF,), ONE, Fraction(100), ONE)
    certificate = Certificate(case, ((ONE, Information(0, Fraction(1, 4))),), 0.0)
    assert not certificate.check()
    assert not OTHER(certificate.to_dict())


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"format": "recipe"}), encoding="utf-8")
    with pytest.raises(InputError, match="not a certificate"):
        Certificate.load(path)
