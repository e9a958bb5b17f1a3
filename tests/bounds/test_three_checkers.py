"""The library, the script and a checker written from the paper have one verdict on anything."""

from __future__ import annotations

import copy
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from certificates import DELETED, HOSTILE, any_certificate, changed, library, places, script
from conditions import ACCEPTED, REFUSED
from forging import bases, edited
from naive.proofs import Arithmetic, proves

KINDS = ("random", "edited", "hostile")


def made(kind: str, count: int, seed: int) -> list[Any]:
    """Plain data of certificates that hold or do not, or of none at all."""
    if kind == "random":
        return [any_certificate(10_000 * seed + k).to_dict() for k in range(count)]
    rng = np.random.default_rng([6, seed])
    found = bases(4, seed)
    chosen = [found[int(rng.integers(len(found)))] for _ in range(count)]
    if kind == "edited":
        return [edited(data, rng) for data in chosen]
    result = []
    for data in chosen:
        hostile = copy.deepcopy(data)
        for _ in range(rng.integers(1, 3)):
            where = places(hostile)
            path = where[int(rng.integers(len(where)))]
            value = [DELETED, *HOSTILE][int(rng.integers(len(HOSTILE) + 1))]
            hostile = changed(hostile, path, value)
        result.append(hostile)
    return result


def compare(kind: str, count: int, seed: int) -> Counter[bool]:
    """How often each verdict was given; all three must agree."""
    verdicts: Counter[bool] = Counter()
    for data in made(kind, count, seed):
        verdict = library(data)
        assert script(data) == verdict, data
        assert proves(data) == verdict, data
        verdicts[verdict] += 1
    return verdicts


@pytest.mark.parametrize(("kind", "count"), [("random", 300), ("edited", 300), ("hostile", 200)])
def test_three_checkers_agree(kind: str, count: int) -> None:
    verdicts = compare(kind, count, 1)
    assert verdicts[False] > count / 20
    assert kind == "hostile" or verdicts[True] > count / 20


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(2, 7))
@pytest.mark.parametrize("kind", KINDS)
def test_three_checkers_agree_at_large(kind: str, seed: int) -> None:
    verdicts = compare(kind, 1000, seed)
    print(kind, dict(verdicts))  # noqa: T201 - the counts of the campaign
    assert min(verdicts[True], verdicts[False]) > 0


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_third_allows_the_same(name: str) -> None:
    assert proves(ACCEPTED[name])


@pytest.mark.parametrize("name", REFUSED)
def test_the_third_refuses_the_same(name: str) -> None:
    assert not proves(REFUSED[name])


def test_logarithms_of_the_third_checker() -> None:
    """They enclose what is known, and more digits bring them closer."""
    a, b = Arithmetic(50), Arithmetic(100)
    for x in (Fraction(2), Fraction(1, 10**9), Fraction(10**40, 7), Fraction(1)):
        wide, narrow = a.log(x), b.log(x)
        assert wide.low <= narrow.low <= narrow.high <= wide.high
        assert float(narrow.low) == pytest.approx(float(np.log(float(x))), rel=1e-14, abs=1e-15)
