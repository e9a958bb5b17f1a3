"""What a small worst case costs: at least what the paper says, and infinite where it must be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sidelight as sl
from naive.graphs import domination_number, independence_number
from sampling import thinned
from sidelight.bounds import tradeoff

T = 1e4


def graph(K: int, seed: int, loops: bool) -> sl.Feedback:
    """A random graph in which every action is shown by some action."""
    rng = np.random.default_rng(seed)
    shows = rng.random((K, K)) < 0.35
    np.fill_diagonal(shows, loops)
    for j in np.flatnonzero(~shows.any(axis=0)):
        shows[(j + 1) % K, j] = True
    return sl.Feedback(np.where(shows, 0.5**2, np.inf))


@pytest.mark.parametrize("seed", thinned(range(6), 2))
@pytest.mark.parametrize("loops", [True, False])
def test_it_proves_what_the_paper_states(seed: int, loops: bool) -> None:
    feedback, sigma, K = graph(3 + seed % 3, seed, loops), 0.5, 3 + seed % 3
    found = sl.structure(feedback)
    assert not feedback.observes.all(), "there would be no information to buy"
    for B in (60.0, 400.0):
        bound = tradeoff(feedback, 1.0, T, worst_case=B)
        assert bound.certificate.check()
        assert bound.name == "tradeoff"
        if not found.weak:
            kappa = independence_number(feedback.observes)
            if kappa > 1 and T / (8 * math.e * kappa) >= B:
                assert bound.value >= sigma**2 * kappa * T / (64 * math.e * B)
        elif T / (16 * math.e) >= B:
            rho = domination_number(feedback.observes)
            paper = rho * (sigma * T / math.log(K)) ** 2 / (51200 * math.e**2 * B**2)
            assert bound.value >= paper


def test_a_smaller_promise_costs_more() -> None:
    feedback = sl.gallery("dosing").feedback
    values = [tradeoff(feedback, 1.0, T, worst_case=B).value for B in (1000, 700, 500, 350)]
    assert values == sorted(values)
    assert values[-1] > 5 * values[0]


def test_what_nobody_can_promise_is_infinite() -> None:
    """Below a certified minimax bound there is no such policy."""
    feedback = sl.Feedback.bandit(5)
    least = sl.bounds.minimax(feedback, 1.0, T).value
    assert tradeoff(feedback, 1.0, T, worst_case=0.9 * least).value == math.inf


def test_the_problem_is_the_one_that_is_proved() -> None:
    bound = tradeoff(sl.Feedback.bandit(3), 2.0, T, worst_case=300)
    assert bound.means is not None
    problem = sl.Problem(sl.Feedback.bandit(3), bound.means, 2.0)
    assert sl.bounds.general(problem, T, 300).value == bound.value


def test_nothing_to_be_learnt_costs_nothing() -> None:
    assert tradeoff(sl.Feedback.bandit(1), 1.0, T, worst_case=5).value == 0
    assert tradeoff(sl.Feedback.full_information(3, sigma=0.1), 1.0, T, worst_case=900).value == 0


@pytest.mark.parametrize("B", [0, -1, math.nan, math.inf])
def test_a_promise_is_a_positive_number(B: float) -> None:
    with pytest.raises(sl.InputError, match="worst_case"):
        tradeoff(sl.Feedback.bandit(2), 1.0, T, worst_case=B)
