"""The constants of log T: reference values, the exact one by brute force, exceptions, laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from naive import asymptotic as naive
from naive import random_problems as random
from naive.structures import structure
from sidelight import Feedback, Problem, gallery
from sidelight.bounds import Certificate, asymptotic, graves_lai
from strategies import problems

# Structure, means, the paper's constant, the exact one; sigma = D = 1.
REFERENCE = [
    ("bandit", (0.7, 0.5, 0.35), 110 / 7, 110 / 7),
    ("star", (0.2, 0.9, 0.5, 0.4, 0.3), 7.4, 7.4),
    ("star", (0.9, 0.5, 0.4, 0.3, 0.2), 0.0, 0.0),
    ("loopless", (0.9, 0.5, 0.4, 0.3, 0.2), 5.0, 5.0),
    ("revealing", (0.0, 0.5, 0.3, 0.3, 0.3), 25.0, 50.0),
    ("cycle", (0.7, 0.5, 0.35), 20.765306122, 17.5 + 0.2 / 0.04125),
    ("cycle", (0.5, 0.7, 0.35), 27.5, (math.sqrt(0.2) + math.sqrt(0.35)) ** 2 / 0.02),
    ("cycle", (0.9, 0.5, 0.4, 0.3, 0.2), 17.176757370, 25.1168973),
    ("het3", (0.7, 0.5, 0.35), 3.265306122, 3.265306122),
    ("het3", (0.35, 0.7, 0.5), 5.714285714, 5.714285714),
    ("revealing", (0.1, 1.0, 0.8), 45.0, 90.0),  # at the upper end, but no condition falls
]


@pytest.mark.parametrize(("name", "means", "paper", "exact"), REFERENCE)
def test_reference_values(name: str, means: tuple[float, ...], paper: float, exact: float) -> None:
    problem = Problem(structure(name, len(means)), means)
    first, second = asymptotic(problem), graves_lai(problem)
    assert first.value == pytest.approx(paper, rel=1e-8)
    assert second.value == pytest.approx(exact, rel=1e-8)
    for bound in (first, second):
        assert bound.valid
        assert bound.certificate.check()


def test_the_plan_plays_the_best_action_least() -> None:
    bound = asymptotic(Problem(structure("star", 5), (0.2, 0.9, 0.5, 0.4, 0.3)))
    assert bound.allocation == pytest.approx([8.0, 4.5, 4.5, 0.0, 0.0], abs=1e-9)
    assert bound.name == "asymptotic"


def test_shadow_prices_of_the_bandit() -> None:
    bound = asymptotic(Problem(structure("bandit", 3), (0.7, 0.5, 0.35)))
    assert [b.action for b in bound.binding] == [1, 2]
    assert [b.need for b in bound.binding] == pytest.approx([50.0, 2 / 0.35**2])
    assert [b.price for b in bound.binding] == pytest.approx([0.2, 0.35])


@pytest.mark.parametrize(
    ("name", "means", "formula", "reason"),
    [
        ("bandit", (1.0, 0.8), 10.0, "the best mean, of 0, is 1, and no mean can be higher"),
        ("loopless", (0.4, 0.0), 5.0, "0 cannot fall below the mean of 1, which is 0"),
    ],
)
def test_the_formula_is_no_bound_at_the_edge_of_the_box(
    name: str, means: tuple[float, ...], formula: float, reason: str
) -> None:
    problem = Problem(structure(name, 2), means)
    bound = asymptotic(problem)
    assert bound.value == pytest.approx(formula, rel=1e-8)
    assert not bound.valid
    assert reason in bound.why
    assert bound.why.endswith("use graves_lai")
    assert not bound.certificate.check()
    exact = graves_lai(problem)
    assert (exact.value, exact.valid, exact.certificate.check()) == (0.0, True, True)


def test_at_the_edge_the_formula_stands_if_the_condition_costs_nothing() -> None:
    """The best action is at the upper end, but shows everything: its conditions have no price."""
    bound = asymptotic(Problem(structure("star", 3), (1.0, 0.5, 0.3)))
    assert (bound.value, bound.valid, bound.certificate.check()) == (0.0, True, True)


def test_nobody_can_be_deceived_about_a_mean_of_zero_that_is_seen_exactly() -> None:
    """One play of action 1 shows that its mean is 0, and nothing is below: no regret after that.

    As soon as the mean is positive, the best action could lie below it.
    """
    feedback = Feedback([[np.inf, np.inf], [1.0, 0.0]])
    assert graves_lai(Problem(feedback, (0.4, 0.0))).value == 0.0
    assert graves_lai(Problem(feedback, (0.5, 0.1))).value == pytest.approx(5.0)
    bound = asymptotic(Problem(feedback, (0.4, 0.0)))
    assert bound.value == pytest.approx(5.0)
    assert not bound.valid
    assert not bound.certificate.check()


def test_an_exactly_seen_best_action_cannot_be_lied_about() -> None:
    matrix = np.array([[np.inf, np.inf], [0.0, 1.0]])
    below, at = (Problem(Feedback(matrix), (m, 0.5)) for m in (0.9, 1.0))
    assert graves_lai(below).value == pytest.approx(2 / 0.4)
    assert graves_lai(at).value == 0.0
    assert not asymptotic(at).valid


def test_ties_and_a_single_action() -> None:
    tied = Problem(structure("bandit", 3), (0.7, 0.7, 0.2))
    one = Problem(Feedback.bandit(1), [0.4])
    for bound in (asymptotic(tied), graves_lai(tied)):
        assert (bound.value, bound.valid, bound.certificate.check()) == (math.inf, False, False)
        assert "several actions are best" in bound.why
    for bound in (asymptotic(one), graves_lai(one)):
        assert (bound.value, bound.valid, bound.certificate.check()) == (0.0, True, True)


@pytest.mark.parametrize("decades", [1.0, 6.0])
def test_the_exact_constant_is_between_one_and_two_of_the_papers(decades: float) -> None:
    ratios = []
    for seed in range(60):
        problem = random.problem(seed, decades)
        if seed % 2:  # the two differ only where the best action does not show itself
            matrix = problem.feedback.variance.copy()
            matrix[problem.best, problem.best] = np.inf
            matrix[problem.best - 1] = np.where(
                np.isinf(matrix).all(axis=0), 1.0, matrix[problem.best - 1]
            )
            problem = Problem(Feedback(matrix), problem.means)
        paper, exact = asymptotic(problem), graves_lai(problem)
        assert paper.valid
        assert paper.certificate.check()
        assert exact.certificate.check()
        assert exact.allocation is not None
        # What the plan costs bounds the constant from above, what is certified from below.
        assert problem.gaps @ exact.allocation == pytest.approx(exact.value, rel=1e-9)
        assert paper.value * (1 - 1e-9) <= exact.value <= 2 * paper.value * (1 + 1e-9)
        if paper.value > 0:
            ratios.append(exact.value / paper.value)
    assert max(ratios) > 1.15
    assert min(ratios) == pytest.approx(1.0)


def test_the_exact_constant_by_brute_force() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        matrix, means = random.variances(rng, 3), rng.random(3)
        best = int(means.argmax())
        matrix[best] = np.where(rng.random(3) < 0.4, matrix[best], np.inf)
        matrix[best - 1] = np.where(np.isinf(matrix).all(axis=0), 1.0, matrix[best - 1])
        problem = Problem(Feedback(matrix), means)
        brute = naive.graves_lai(problem)
        value = graves_lai(problem).value
        # A grid never beats the optimum, and misses a kink by its spacing at most.
        assert value <= brute * (1 + 1e-9)
        assert brute <= value * (1 + 1e-3)


def test_the_plan_of_the_exact_constant_satisfies_every_condition() -> None:
    for seed in range(30):
        problem = random.problem(seed)
        bound, best = graves_lai(problem), problem.best
        assert bound.allocation is not None
        n = np.where(
            problem.feedback.observes[best],
            np.inf,
            bound.allocation @ problem.feedback.precision,
        )
        others = np.arange(len(problem)) != best
        with np.errstate(divide="ignore"):
            met = 1.0 / n[others] + 1.0 / n[best] <= problem.gaps[others] ** 2 / 2 * (1 + 1e-9)
        assert met.all()


def test_laws() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        problem = random.problem(seed)
        factor = float(2.0 ** rng.integers(-9, 9))
        order = rng.permutation(len(problem))
        for function in (asymptotic, graves_lai):
            value = function(problem).value
            assert function(random.scaled(problem, factor)).value == pytest.approx(
                factor * value, rel=1e-8
            )
            assert function(random.permuted(problem, order)).value == pytest.approx(value, rel=1e-8)
            assert function(random.more_noise(problem, rng)).value >= value * (1 - 1e-8)


@given(problems())
@settings(deadline=None, max_examples=50)
def test_any_problem_that_floats_can_hold(problem: Problem) -> None:
    for bound in (asymptotic(problem), graves_lai(problem)):
        assert isinstance(bound.certificate, Certificate)
        assert bound.certificate.check() or not bound.valid
        assert bound.value >= 0


def test_the_price_of_a_need_is_what_the_rows_say() -> None:
    """A row between the best action and another shares its weight by the square of its split."""
    problem = gallery("dosing")  # the best action is seen by a costly one, as the others are
    bound = graves_lai(problem)
    assert isinstance(bound.certificate, Certificate)
    rows = [(float(weight), row) for weight, row in bound.certificate.rows]
    splits = [float(row.split) for _, row in rows]  # type: ignore[union-attr]
    assert any(0 < split < 1 for split in splits)
    expected = np.zeros(len(problem))
    for (weight, row), split in zip(rows, splits, strict=True):
        expected[row.action] += weight * split * split  # type: ignore[union-attr]
        expected[problem.best] += weight * (1 - split) * (1 - split)
    found = {need.action: need.price for need in bound.binding}
    prices = [found.get(i, 0.0) for i in range(len(problem))]
    assert prices == pytest.approx(expected, rel=1e-12)
