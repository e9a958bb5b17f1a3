"""Ten thousand proofs: each holds, is worth what the solver says, and breaks when it should."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import sidelight as sl
from sidelight.bounds import Bound, Certificate

IN_ALL, IN_EACH, IN_TEST = 10_000, 250, 2


def random_problem(rng: np.random.Generator) -> sl.Problem:
    """Up to six actions, graded or not, with a unique optimum inside the box."""
    K = int(rng.integers(2, 7))
    variance = np.where(rng.random((K, K)) < 0.5, np.inf, 10.0 ** rng.uniform(-2, 2, (K, K)))
    if rng.random() < 0.5:
        variance = np.where(np.isinf(variance), np.inf, 1.0)
    for j in np.flatnonzero(np.isinf(variance).all(axis=0)):
        variance[rng.integers(K), j] = 1.0
    return sl.Problem(sl.Feedback(variance), rng.uniform(0.05, 0.95, K))


def check(bound: Bound, gaps: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    proof = bound.certificate
    assert isinstance(proof, Certificate)
    assert proof.check()
    if np.isinf(bound.value):
        return
    assert bound.allocation is not None
    cost = float(bound.allocation @ gaps)
    assert bound.value == pytest.approx(cost, rel=1e-9, abs=1e-9)
    more = replace(proof, value=bound.value * (1 + 1e-8) + 1e-8)
    assert not more.check()
    if proof.rows and bound.value > 1e-6:
        (weight, row), *rest = proof.rows
        heavier = replace(proof, rows=((weight * Fraction(11, 10), row), *rest))
        lighter = replace(proof, rows=((weight * Fraction(9, 10), row), *rest))
        assert not heavier.check() or not lighter.check()


@pytest.mark.parametrize(
    "block",
    [
        *range(IN_TEST),
        *(
            pytest.param(block, marks=pytest.mark.campaign)
            for block in range(IN_TEST, IN_ALL // IN_EACH)
        ),
    ],
)
def test_certificates_hold_and_are_tight(block: int) -> None:
    rng = np.random.default_rng([3, block])
    for _ in range(IN_EACH // 2):
        problem = random_problem(rng)
        T = 10.0 ** rng.uniform(1, 9)
        check(sl.bounds.asymptotic(problem), problem.gaps)
        B = 10.0 ** rng.uniform(-0.5, 1.0) * np.sqrt(T)
        check(sl.bounds.finite_time(problem, T, B), problem.gaps)
