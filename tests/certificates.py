"""Certificates for tests: examples of every kind, random ones, and what does harm in a file."""

from __future__ import annotations

import copy
import importlib.util
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from naive import random_problems as random
from naive.structures import structure
from sidelight import InputError, Problem
from sidelight.bounds import Certificate, asymptotic, finite_time, graves_lai
from sidelight.bounds.case import Case, RefutedError
from sidelight.bounds.certificate import Alternative, Information, Pair, Row
from sidelight.bounds.duality import exact_case
from sidelight.bounds.rational import float_down

ONE, HALF = Fraction(1), Fraction(1, 2)

SCRIPT = Path(__file__).parent.parent / "examples" / "check_certificate.py"


def standalone() -> Any:
    """The other checker, as a module."""
    spec = importlib.util.spec_from_file_location("check_certificate", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECKER = standalone()


def script(data: Any) -> bool:
    """The verdict of the script on plain data; what cannot be read proves nothing."""
    try:
        return bool(CHECKER.holds(CHECKER.read(data)))
    except CHECKER.DamagedError:
        return False


def library(data: Any) -> bool:
    """The verdict of the library, likewise."""
    try:
        return Certificate.from_dict(data).check()
    except InputError:
        return False


def of(bound: object) -> Certificate:
    """The certificate of a bound."""
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


# A place that is to be empty, and values that no place should have.
DELETED = object()

HOSTILE = [
    "1e1000000000",
    "1e-1000000000",
    "9" * 10**6,
    "1/" + "9" * 10**6,
    10**4000,
    10**5000,
    "1/0",
    "nan",
    "inf",
    "-inf",
    math.nan,
    math.inf,
    "",
    " 1",
    "1\n",
    "\u0661",
    "-1",
    "0",
    "0x10",
    "1_000",
    True,
    None,
    [],
    {},
    [[]],
    "text",
    -1,
    2**63,
    1e308,
    5e-324,
    0.5,
]


def places(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where something can be changed."""
    keys = data.keys() if isinstance(data, dict) else range(len(data))
    inner = [(*path, key) for key in keys]
    deeper = [
        p
        for key in inner
        if isinstance(data[key[-1]], dict | list)
        for p in places(data[key[-1]], key)
    ]
    return inner + deeper


def changed(data: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """A copy with one place changed; without it if the value is `DELETED`."""
    copied = copy.deepcopy(data)
    inside: Any = copied
    for key in path[:-1]:
        inside = inside[key]
    if value is DELETED:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return copied
