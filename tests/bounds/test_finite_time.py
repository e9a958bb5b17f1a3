"""The finite-time bound: reference values, proofs at long horizons, laws, edges."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import random_problems as random
from naive import simplex
from naive.structures import structure
from sidelight import Feedback, InputError, Problem
from sidelight.bounds import Bound, finite_time
from sidelight.bounds.finite_time import _inside
from sidelight.bounds.needs import information_needs
from sidelight.programs.allocation import allocate
from strategies import problems

# Structure, means, B, T, b'; sigma = D = 1.
REFERENCE = [
    ("bandit", (0.7, 0.5, 0.35), 50, 1e4, 4.042314477110),
    ("star", (0.5, 0.7, 0.35), 50, 1e4, 2.168024365534),
    ("loopless", (0.7, 0.5, 0.35), 50, 1e4, 2.168024365534),
    ("cycle", (0.7, 0.5, 0.35), 50, 1e4, 4.865065560585),
    ("revealing", (0.35, 0.7, 0.5), 50, 1e4, 3.794042639685),
    ("het3", (0.7, 0.5, 0.35), 50, 1e4, 1.071022920900),
    ("bandit", (0.5, 0.7), 1000, 1e6, 5.967253908225),
    ("full", (0.7, 0.5, 0.35), 50, 1e4, 0.0),
    ("bandit", (0.5, 0.5), 0.1, 100, math.inf),
]


@pytest.mark.parametrize(("name", "means", "B", "T", "expected"), REFERENCE)
def test_reference_values(
    name: str, means: tuple[float, ...], B: float, T: float, expected: float
) -> None:
    bound = finite_time(Problem(structure(name, len(means)), means), T, B)
    assert bound.value == pytest.approx(expected, rel=1e-8, abs=1e-9)
    assert bound.certificate.check()
    assert bound.valid


def test_the_bandit_of_the_reference_in_all_its_parts() -> None:
    bound = finite_time(Problem(structure("bandit", 3), (0.7, 0.5, 0.35)), 10_000, 50)
    assert bound.name == "finite_time"
    assert [b.action for b in bound.binding] == [1, 2]
    assert [b.price for b in bound.binding] == pytest.approx([0.2, 0.35])
    assert [b.need for b in bound.binding] == pytest.approx([10.8401218277, 5.3551146045])
    assert bound.allocation is not None
    assert bound.allocation.sum() == pytest.approx(10_000)
    assert bound.allocation[1:] == pytest.approx([10.8401218277, 5.3551146045])
    assert "regret of at most 50 over 10,000 rounds" in bound.why


def test_means_range_and_noise_doubled() -> None:
    bound = finite_time(Problem(structure("bandit", 3, 2.0), (1.4, 1.0, 0.7), upper=2.0), 1e4, 100)
    assert bound.value == pytest.approx(8.084628954219, rel=1e-8)


def test_infinite_means_that_no_policy_exists() -> None:
    bound = finite_time(Problem(structure("bandit", 2), (0.5, 0.5)), 100, 0.1)
    assert bound.value == math.inf
    assert bound.valid
    assert bound.why.startswith("no policy has regret of at most 0.1")
    assert bound.allocation is None
    assert bound.binding == ()


def optimum(problem: Problem, T: float, B: float) -> float:
    """The program in exact arithmetic, on the needs as floats."""

    def rational(values: np.ndarray) -> list[Fraction]:
        return [Fraction(float(v)) for v in values]

    need = information_needs(problem.means, problem.upper, T, B).need
    columns = [rational(column) for column in problem.feedback.precision.T]
    value = simplex.minimum(rational(problem.gaps), columns, rational(need), Fraction(T))
    return math.inf if value is None else float(value)


@pytest.mark.parametrize("decades", [1.0, 6.0])
def test_certified_values_lie_within_a_billionth_of_the_optimum(decades: float) -> None:
    """Horizons to 1e12, standard deviations over two or twelve decades, gaps down to 1e-9."""
    kinds = set()
    for seed in range(100):
        rng = np.random.default_rng(5000 + seed)
        problem = random.problem(seed, decades, edges=True, most=5)
        T = float(10 ** rng.uniform(0, 12))
        B = T * float(10 ** rng.uniform(-8, -1))
        bound, value = finite_time(problem, T, B), optimum(problem, T, B)
        assert bound.certificate.check()
        assert bound.value == pytest.approx(value, rel=1e-9)
        kinds.add("zero" if value == 0 else "infinite" if math.isinf(value) else "between")
    assert kinds == {"zero", "between", "infinite"}


def value(bound: Bound) -> float:
    assert bound.certificate.check()
    return bound.value


def test_monotone_in_the_regret_allowed_and_in_every_variance() -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        problem = random.problem(seed, edges=True)
        T, B = 1e5, float(10 ** rng.uniform(0, 3))
        base = value(finite_time(problem, T, B))
        assert value(finite_time(problem, T, 1.1 * B)) <= base * (1 + 1e-9)
        assert value(finite_time(random.more_noise(problem, rng), T, B)) >= base * (1 - 1e-9)


def test_scaling_law_and_order_of_actions() -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        problem = random.problem(seed, edges=True)
        T, B, factor = 1e6, float(10 ** rng.uniform(0, 3)), float(2.0 ** rng.integers(-9, 9))
        bound = finite_time(problem, T, B)
        larger = finite_time(random.scaled(problem, factor), T, factor * B)
        assert larger.value == pytest.approx(factor * bound.value, rel=1e-9)
        order = rng.permutation(len(problem))
        moved = finite_time(random.permuted(problem, order), T, B)
        assert moved.value == pytest.approx(bound.value, rel=1e-9)


def test_more_regret_than_allowed_means_that_no_policy_exists() -> None:
    sides = set()
    for seed in range(40):
        bound = finite_time(random.problem(seed, edges=True), 1e4, 10.0 + seed)
        more = bound.value > 10.0 + seed
        assert more == bound.why.startswith("no policy has regret of at most")
        sides.add((more, math.isinf(bound.value)))
    assert sides == {(False, False), (True, False), (True, True)}


def test_one_action_costs_nothing() -> None:
    bound = finite_time(Problem(Feedback.bandit(1), [0.3]), 1e6, 1.0)
    assert (bound.value, bound.valid, bound.certificate.check()) == (0.0, True, True)
    assert bound.allocation is not None
    assert bound.allocation.tolist() == [1e6]


def test_an_action_seen_exactly_asks_for_nothing() -> None:
    means = (0.7, 0.5, 0.35)
    matrix = np.where(np.eye(3), 1.0, np.inf)
    noisy = finite_time(Problem(Feedback(matrix), means), 1e4, 50)
    matrix[1, 1] = 0.0
    half = finite_time(Problem(Feedback(matrix), means), 1e4, 50)
    assert half.certificate.check()
    assert [b.action for b in half.binding] == [2]
    assert half.value == pytest.approx(noisy.value - 0.2 * 10.8401218277, rel=1e-9)
    nothing = finite_time(Problem(Feedback(np.zeros((3, 3))), means), 1e4, 50)
    assert nothing.value == 0.0
    assert nothing.certificate.check()


def test_an_action_that_nobody_sees_makes_the_program_infeasible() -> None:
    """Feedback refuses such a structure, but the mathematics does not mind."""
    P = np.array([[1.0, 0.0], [0.0, 0.0]])
    need = information_needs(np.array([0.7, 0.5]), 1.0, 1e4, 50).need
    assert allocate(np.array([0.0, 0.2]), P, need, 1e4).value == math.inf


def test_a_column_seen_only_by_the_worst_action() -> None:
    matrix = np.array([[1.0, np.inf, np.inf], [np.inf, np.inf, np.inf], [np.inf, 1.0, 1.0]])
    bound = finite_time(Problem(Feedback(matrix), (0.7, 0.5, 0.35)), 1e4, 50)
    assert bound.value == pytest.approx(0.35 * 10.8401218277, rel=1e-9)


@pytest.mark.parametrize("horizon", [10**6, 1e6, np.int64(10**6), Fraction(10**6), 10.0**6])
def test_horizons_of_every_type_of_number(horizon: float) -> None:
    bound = finite_time(Problem(structure("bandit", 2), (0.5, 0.7)), horizon, 1000)
    assert bound.value == pytest.approx(5.967253908225, rel=1e-8)


def test_horizons_far_beyond_practice() -> None:
    problem = Problem(structure("bandit", 2), (0.5, 0.7))
    for T in (1e12, 1e48, 1e200, 10**300):
        bound = finite_time(problem, T, float(T) ** 0.5)
        need = information_needs(problem.means, 1.0, float(T), float(T) ** 0.5).need[0]
        assert bound.value == pytest.approx(0.2 * need, rel=1e-9)
        assert bound.certificate.check()


@pytest.mark.parametrize("wrong", [0, -1, math.nan, math.inf, "10", True, 10**400, 1j, [5]])
def test_wrong_horizons_and_regrets_are_refused(wrong: object) -> None:
    problem = Problem(structure("bandit", 2), (0.5, 0.7))
    with pytest.raises(InputError, match=r"horizon = .* must be a positive, finite number"):
        finite_time(problem, wrong, 10)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"worst_case = .* must be a positive, finite number"):
        finite_time(problem, 10, wrong)  # type: ignore[arg-type]


@given(problems(), st.floats(1e-3, 1e300), st.floats(1e-300, 1e300) | st.floats(0.01, 1e4))
@settings(deadline=None, max_examples=150)
def test_any_problem_that_floats_can_hold(problem: Problem, T: float, B: float) -> None:
    bound = finite_time(problem, T, B)
    assert bound.certificate.check()
    assert bound.value >= 0


def test_changes_are_moved_into_their_exact_ranges() -> None:
    """A float next to an end of the range is that end; beyond it no certificate would hold."""
    gap, room = Fraction(1, 10), Fraction(2, 3)
    for change in (float(room), np.nextafter(float(room), 2), np.nextafter(float(room), 0), 0.7):
        assert _inside(float(change), gap, room) == room
    assert _inside(0.05, gap, room) == room  # it would not overtake: the furthest change does
    for change in (0.1, 0.5, 0.66):  # 0.1 is a little above one tenth
        assert _inside(change, gap, room) == Fraction(change)
