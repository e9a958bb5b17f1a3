"""The regret of `greedy` on generalized full information, as a sum of chances."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from sidelight import Feedback, Problem, belief, gallery, guarantees, simulate
from sidelight.bounds.case import RefutedError
from sidelight.bounds.formulas import FormulaProof, Terms, Witness
from sidelight.bounds.leading import first_looks, leading

UNEVEN = Feedback([[1.0, 2.0, 0.5], [0.7, 1.0, 3.0], [0.4, 0.9, 1.0]])


def naive(gap: float, sigma: float, T: int) -> float:
    """Two actions: one look at each, then the chance that the wrong average is larger."""
    return gap + sum(gap * float(ndtr(-gap * math.sqrt(t / 2) / sigma)) for t in range(2, T))


@pytest.mark.parametrize(("gap", "sigma"), [(0.3, 1.0), (0.1, 0.5), (0.9, 2.0)])
@pytest.mark.parametrize("T", [1, 2, 30, 2_000])
def test_two_actions_by_the_definition(gap: float, sigma: float, T: int) -> None:
    problem = Problem(Feedback.full_information(2, sigma), [1.0, 1.0 - gap])
    bound = guarantees.greedy(problem, T)
    expected = naive(gap, sigma, T) if T > 1 else 0.0
    assert bound.valid
    assert bound.certificate.check()
    assert expected - 1e-12 <= bound.value <= 1.01 * expected + 1e-12


@pytest.mark.parametrize("feedback", [Feedback.full_information(4, 0.7), UNEVEN])
def test_a_race_loses_no_more(feedback: Feedback) -> None:
    """4.4 standard errors: a false alarm in one of 180,000 seeds, were it not loose."""
    problem = Problem(feedback, [0.9, 0.8, 0.75, 0.3][: len(feedback)])
    lost = simulate(problem, "greedy", 2_000, 2_000, seed=2).final.ravel()
    bound = guarantees.greedy(problem, 2_000)
    assert lost.mean() <= bound.value + 4.4 * lost.std() / math.sqrt(len(lost))
    assert bound.value < (2.5 if feedback is not UNEVEN else 15) * lost.mean()


def test_it_is_constant() -> None:
    problem = Problem(Feedback.full_information(3), [0.9, 0.5, 0.4])
    values = [guarantees.greedy(problem, T).value for T in (10**4, 10**6, 10**12)]
    assert values[0] <= values[1] <= values[2] <= values[0] * (1 + 1e-6)


def test_exact_observations_cost_one_look_each() -> None:
    problem = Problem(Feedback.full_information(3, 0.0), [0.9, 0.5, 0.4])
    assert guarantees.greedy(problem, 10**6).value == pytest.approx(0.9, abs=1e-12)


def test_the_first_looks_are_those_of_the_policy() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        variance = rng.integers(1, 4, (4, 4)).astype(float)
        exact = [[Fraction(v) for v in row] for row in variance.tolist()]
        assert first_looks(exact) == belief.best_observers(1 / variance).tolist()


def test_where_nothing_is_promised() -> None:
    for problem, word in (
        (gallery("bandit"), "does not show all others"),
        (Problem(Feedback([[1e-14, 1.0], [1.0, 1.0]]), [0.1, 0.2]), "weights would be cut"),
    ):
        bound = guarantees.greedy(problem, 100)
        assert not bound.valid
        assert bound.value == math.inf
        assert word in bound.why
        terms = Terms(
            problem.feedback,
            Fraction(1),
            Fraction(100),
            Witness(0, (), ()),
            tuple(Fraction(float(mean)) for mean in problem.means),
        )
        with pytest.raises(RefutedError):
            leading(terms)


def test_a_smaller_claim_is_refused() -> None:
    proof = guarantees.greedy(Problem(UNEVEN, [0.9, 0.8, 0.75]), 500).certificate
    assert isinstance(proof, FormulaProof)
    assert proof.check()
    assert not dataclasses.replace(proof, value=0.999 * proof.value).check()
