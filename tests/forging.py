"""Certificates that hold, and edits of them towards larger claims."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from naive import random_problems as random
from naive.structures import structure
from sidelight import Feedback, Problem
from sidelight.bounds import Certificate, asymptotic, finite_time, general, graves_lai, minimax
from sidelight.bounds.case import RefutedError
from sidelight.bounds.certificate import Pair
from sidelight.bounds.duality import certify, exact_case

Data = dict[str, Any]


def bases(count: int, seed: int) -> list[Data]:
    """Certificates of all kinds about `count` problems and more; each proves something."""
    found = [*special(), *(c for k in range(count) for c in about(1000 * seed + k))]
    return [c.to_dict() for c in found if isinstance(c, Certificate) and c.value > 0 and c.check()]


def special() -> Iterator[object]:
    """Few actions, all kinds of rows, both kinds of infinite claims."""
    pair = Problem(structure("bandit", 2), (0.5, 0.5))
    yield finite_time(pair, 100, 0.1).certificate
    yield general(pair, 1000, 3, pairs=False).certificate
    yield general(Problem(structure("full", 2), (0.5, 0.5)), 1000, 7, pairs=False).certificate
    yield general(
        Problem(structure("cycle", 3), (0.9, 0.85, 0.1)), 1e4, 100, pairs=False
    ).certificate
    yield asymptotic(Problem(structure("cycle", 3), (0.5, 0.7, 0.35))).certificate
    yield asymptotic(Problem(structure("bandit", 3), (0.9, 0.5, 0.3))).certificate
    # Nearly a tie, of which no theorem speaks: 1 shows itself, 2 shows 0 and 2.
    inf = math.inf
    tie = Feedback([[inf, inf, inf], [inf, 1.0, inf], [1.0, inf, 1.0]])
    case = exact_case(Problem(tie, (0.9, 0.875, 0.5), upper=0.9))
    yield certify(case, [(Fraction(1), Pair(2, Fraction(1, 2)))])


def about(seed: int) -> Iterator[object]:
    """What is proved about one random problem."""
    rng = np.random.default_rng([7, seed])
    problem = random.problem(seed, edges=True)
    T = float(10.0 ** rng.integers(2, 6))
    B = float(rng.choice([0.1, 1.0, 3.0])) * math.sqrt(T * len(problem) / 10)
    yield asymptotic(problem).certificate
    yield graves_lai(problem).certificate
    yield finite_time(problem, T, B).certificate
    yield finite_time(problem, T, B / 10).certificate
    if len(problem) <= 4:
        yield general(problem, T, B, pairs=False).certificate
    yield minimax(problem.feedback, 1.0, T).certificate


# ---- edits: each changes plain data in place


def edited(data: Data, rng: np.random.Generator) -> Data:
    """A copy with one to three edits; its claim is the most that its own rows allow."""
    data = copy.deepcopy(data)
    for _ in range(rng.integers(1, 4)):
        EDITS[int(rng.integers(len(EDITS)))](data, rng)
    return greedy(data)


def greedy(data: Data) -> Data:
    """The same with the largest claim that `check` could accept, for weights scaled to that end."""
    certificate = Certificate.from_dict(data)
    if data["claim"] == "minimax":
        data["value"] = data["worst_case"] or "1"
        return data
    try:
        return certify(certificate.case, certificate.rows).to_dict()
    except RefutedError:
        return data


def some(rng: np.random.Generator, items: list[Any]) -> Any:
    """One of them."""
    return items[int(rng.integers(len(items)))]


def scaled(text: str, rng: np.random.Generator) -> str:
    """A number near the old one, or far from it, with either sign."""
    factor = some(rng, ["0", "-1", "1/2", "2", "9/10", "11/10", "1/100", "100", "1000001/1000000"])
    return str(Fraction(text) * Fraction(factor))


def weight(data: Data, rng: np.random.Generator) -> None:
    """Another weight, or a negative one."""
    if data["rows"]:
        row = some(rng, data["rows"])
        row["weight"] = scaled(row["weight"], rng)


def weights(data: Data, rng: np.random.Generator) -> None:
    """All of them larger, or smaller."""
    factor = Fraction(some(rng, ["1/2", "99/100", "101/100", "2", "10"]))
    for row in data["rows"]:
        row["weight"] = str(Fraction(row["weight"]) * factor)


def rows(data: Data, rng: np.random.Generator) -> None:
    """A row less, or one more."""
    if data["rows"]:
        row = some(rng, data["rows"])
        if rng.random() < 0.3:
            data["rows"].remove(row)
        else:
            data["rows"].append(copy.deepcopy(row))


def inside(data: Data, rng: np.random.Generator) -> None:
    """Another change, split, shift or alternative; perhaps one that is not allowed."""
    if not data["rows"]:
        return
    row = some(rng, data["rows"])
    if row["kind"] == "information":
        key = some(rng, ["rise", "fall"])
        row[key] = some(rng, [None, "1/8"]) if row[key] is None else scaled(row[key], rng)
        row["rise"] = row["rise"] or "1/2"
    elif row["kind"] == "pair":
        row["split"] = some(rng, ["0", "1", "1/2", "1/10", "9/10", "-1/10", "11/10", "3"])
    elif rng.random() < 0.3:
        row["shift"] = scaled(row["shift"], rng)
    else:
        i = int(rng.integers(len(row["means"])))
        wild = [data["means"][i], "0", data["upper"], "-1/10", str(2 * Fraction(data["upper"]))]
        row["means"][i] = some(rng, [scaled(row["means"][i], rng), *wild])


def subject(data: Data, rng: np.random.Generator) -> None:
    """A row about another action, also about one that there is not."""
    rows = [row for row in data["rows"] if "action" in row]
    if rows:
        some(rng, rows)["action"] = int(rng.integers(-1, len(data["means"]) + 1))


def mean(data: Data, rng: np.random.Generator) -> None:
    """A mean at an end, beyond it, or equal to another one."""
    i = int(rng.integers(len(data["means"])))
    beyond = [str(2 * Fraction(data["upper"])), "-1/10"]
    data["means"][i] = some(rng, [*data["means"], "0", data["upper"], *beyond])


def variance(data: Data, rng: np.random.Generator) -> None:
    """An observation that is better, worse, exact, or not there."""
    K = len(data["means"])
    i, j = (int(k) for k in rng.integers(K, size=2))
    data["variance"][i][j] = some(rng, ["1", "4", "1/4", "0", "-1", None])


def upper(data: Data, rng: np.random.Generator) -> None:
    """Another end of the range: twice as far, at the best mean, below it."""
    best = max(map(Fraction, data["means"]))
    data["upper"] = some(rng, [str(2 * Fraction(data["upper"])), str(best), str(best / 2), "0"])


def horizon(data: Data, rng: np.random.Generator) -> None:
    """More rounds, fewer, a part of one, none, or any number of them."""
    old = data["horizon"] or "1000"
    choices = [str(Fraction(old) * 2), str(Fraction(old) / 2), "1/2", "0", "-10", None, old]
    data["horizon"] = some(rng, choices)


def worst_case(data: Data, rng: np.random.Generator) -> None:
    """A class of more policies, of fewer, or of none."""
    old = data["worst_case"] or "10"
    choices = [str(Fraction(old) * 2), str(Fraction(old) / 2), "0", "-1", None, old]
    data["worst_case"] = some(rng, choices)


def claim(data: Data, rng: np.random.Generator) -> None:
    """A claim of the other kind."""
    data["claim"] = some(rng, ["regret", "minimax"])


EDITS = (
    *(weight, weights, rows, inside, inside, inside),
    *(subject, mean, variance, upper, horizon, worst_case, claim),
)
