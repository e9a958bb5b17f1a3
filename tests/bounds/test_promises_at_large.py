"""Promises of both policies on random structures: proved, kept in files, not below the truth."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from naive import commitment as naive
from naive.structures import scattered
from sidelight import Feedback, guarantees
from sidelight.bounds.index_proof import IndexProof
from sidelight.bounds.promise import Promise
from sidelight.bounds.promising import promised


def check_commit(seed: int, path: Path) -> None:
    """A certificate holds; what the search lost is not refuted, nor what random gaps lose."""
    rng = np.random.default_rng([1, seed])
    feedback, T = scattered(rng), int(10 ** rng.uniform(1.5, 5))
    made = promised(feedback, Fraction(1), Fraction(T))
    promise = made.promise
    promise.save(path)
    assert Promise.load(path) == promise
    assert Promise.load(path).check()
    plays = promise.plan.plays
    if promise.plan.is_blind or not sum(plays):
        assert promise.value >= T
        return
    if promise.value < T and not math.isnan(made.found):
        assert made.found <= promise.value
        if len(feedback) <= 3:  # else a million boxes are cut before a proof is given up
            assert not dataclasses.replace(promise, value=0.995 * made.found).check()
    sds = naive.spreads(feedback.variance, plays)
    for _ in range(20):
        means = np.minimum(rng.exponential(3 * float(sds.max()), len(feedback)), 1.0)
        assert naive.regret(list(means.max() - means), plays, sds, T) <= promise.value * (1 + 1e-9)


def check_index(seed: int, path: Path) -> None:
    """A certificate holds, and the same proof does not prove a smaller value."""
    rng = np.random.default_rng([2, seed])
    K, T = int(rng.integers(2, 6)), int(10 ** rng.uniform(0.5, 5))
    feedback = Feedback.bandit(K, sigma=10 ** rng.uniform(-1.5, 1))
    proof = guarantees.index(feedback, 1.0, T).certificate
    assert isinstance(proof, IndexProof)
    proof.save(path)
    assert IndexProof.load(path) == proof
    assert IndexProof.load(path).check()
    assert not dataclasses.replace(proof, value=0.999 * proof.value).check()


@pytest.mark.parametrize("seed", range(4))
def test_both_on_a_few(seed: int, tmp_path: Path) -> None:
    check_commit(seed, tmp_path / "commit.json")
    if seed < 2:
        check_index(seed, tmp_path / "index.json")


@pytest.mark.campaign
def test_commit_on_a_thousand(tmp_path: Path) -> None:
    for seed in range(100, 1100):
        check_commit(seed, tmp_path / "commit.json")


@pytest.mark.campaign
def test_index_on_a_thousand(tmp_path: Path) -> None:
    for seed in range(100, 1100):
        check_index(seed, tmp_path / "index.json")
