"""Both sides of the sandwich on random structures and on those of the gallery.

Every certificate holds, also after it was a file; the lower bound does not exceed the upper one;
and claims that go further are refused: a lower bound one per cent larger, one above the upper
bound, and an upper bound below the lower one.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from naive.structures import scattered
from sidelight import Feedback, sandwich
from sidelight.bounds.index_proof import IndexProof
from sidelight.bounds.pairing import PairsProof
from sidelight.bounds.promise import Promise
from sidelight.gallery import CATALOGUE, from_recipe

SMALL = [name for name in CATALOGUE if len(from_recipe(name)) <= 10]
# With more actions a million boxes are cut before a proof by boxes is given up.
FEW = 3


def check(feedback: Feedback, upper: float, horizon: float, folder: Path) -> None:
    """Both proofs hold, and no more than they say is accepted."""
    found = sandwich(feedback, upper, horizon)
    lower, above = found.lower.certificate, found.upper.certificate
    assert isinstance(lower, PairsProof)
    assert found.check()
    assert 0 <= found.lower.value <= found.upper.value
    lower.save(folder / "lower.json")
    assert PairsProof.load(folder / "lower.json") == lower
    assert PairsProof.load(folder / "lower.json").check()
    assert not replace(lower, value=max(1.001 * found.upper.value, 1e-9)).check()
    if found.lower.value == 0:
        return
    assert not replace(lower, value=1.01 * lower.value).check()
    if isinstance(above, IndexProof) or (isinstance(above, Promise) and len(feedback) <= FEW):
        assert not replace(above, value=0.99 * found.lower.value).check()


def check_random(seed: int, folder: Path) -> None:
    """Up to five actions, up to ten thousand rounds, any range, whatever the variances."""
    rng = np.random.default_rng([5, seed])
    # Five actions take ten times as long as two.
    feedback = scattered(rng, int(rng.choice([2, 3, 4, 5], p=[0.4, 0.4, 0.15, 0.05])))
    D = float(rng.choice([1.0, 10.0 ** rng.uniform(-2, 2)]))
    check(feedback, D, int(10 ** rng.uniform(1, 4)), folder)


@pytest.mark.parametrize("seed", range(4))
def test_both_sides_on_a_few_structures(seed: int, tmp_path: Path) -> None:
    check_random(seed, tmp_path)


@pytest.mark.parametrize("name", ["dosing", "het3"])
def test_both_sides_on_two_of_the_gallery(name: str, tmp_path: Path) -> None:
    problem = from_recipe(name)
    check(problem.feedback, problem.upper, 1_000, tmp_path)


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(20))
def test_both_sides_on_a_thousand_structures(block: int, tmp_path: Path) -> None:
    for seed in range(100 + 50 * block, 150 + 50 * block):
        check_random(seed, tmp_path)


@pytest.mark.campaign
@pytest.mark.parametrize("name", SMALL)
def test_both_sides_on_the_gallery(name: str, tmp_path: Path) -> None:
    problem = from_recipe(name)
    check(problem.feedback, problem.upper, 10_000, tmp_path)
