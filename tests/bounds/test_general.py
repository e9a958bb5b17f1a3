"""The general bound: reference values, the literal program, order, symmetry, and proofs.

`general` is b(theta, B) of [thm:lb-0] here, without pairs of problems; these have tests of their
own (`test_rivals.py`).
"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strategies
from naive import alternatives as naive
from naive.bracketing import loss_above
from naive.structures import matrix, structure
from sidelight import Feedback, InputError, Problem, guarantees
from sidelight.bounds import Certificate, finite_time
from sidelight.bounds import general as with_pairs
from sidelight.bounds.bound import Bound
from sidelight.bounds.certificate import Alternative
from sidelight.programs.separation import scale_problem

general = partial(with_pairs, pairs=False)

REFERENCES = [
    (22, "bandit", (0.5, 0.7), 40, 1e3, 4.013279526, 0),
    (23, "bandit", (0.5, 0.7), 100, 1e4, 10.500799955, 1.148273286),
    (24, "bandit", (0.5, 0.7), 1000, 1e6, 25.753081073, 5.967253908),
    (25, "bandit", (0.7, 0.5, 0.35), 50, 1e4, 24.983192877, 4.042314477),
    (26, "bandit", (0.7, 0.5, 0.35), 150, 1e4, 14.992217530, 1.494595147),
    (27, "star", (0.5, 0.7, 0.35), 150, 1e4, 8.412268963, 0.735537736),
    (28, "loopless", (0.7, 0.5, 0.35), 150, 1e4, 8.412415851, 0.735537736),
    (29, "cycle", (0.7, 0.5, 0.35), 300, 1e4, 14.203417149, 0.630388906),
    (30, "revealing", (0.35, 0.7, 0.5), 300, 1e4, 19.0353306, 0.524758822),
    (31, "het3", (0.7, 0.5, 0.35), 150, 1e4, 3.77879905, 0.433747092),
    (33, "full", (0.51, 0.5), 22, 1e4, 12.129287910, 0),
    (34, "bandit", (0.6, 0.5), 1.5, 10, 0.284304939, 0),
    (35, "bandit", (0.6, 0.5), 2.4, 30, 0.805049922, 0),
    (36, "bandit", (0.7, 0.5, 0.35), 5e4, 1e9, 80.555482, 26.948896),
    (37, "cycle", (0.7, 0.5, 0.35), 1e4, 1e6, 26.6036507, 2.642998),
    (38, "bandit", (0.5, 0.7), 1e6, 1e12, 83.6107, 32.61255),
]


Reference = tuple[int, str, tuple[float, ...], float, float, float, float]


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda reference: f"row {reference[0]}")
def test_reference_values(reference: Reference) -> None:
    row, name, means, B, T, value, relaxed = reference
    problem = Problem(structure(name, len(means)), means)
    bound = general(problem, T, B)
    # The table gives row 38 to 1e-3 and the others to 1e-6.
    assert bound.value == pytest.approx(value, rel=0 if row == 38 else 1e-6, abs=1e-3 * (row == 38))
    assert finite_time(problem, T, B).value == pytest.approx(relaxed, rel=1e-6, abs=1e-6)
    assert bound.certificate.check()
    assert bound.allocation is not None
    assert bound.allocation @ problem.gaps == pytest.approx(bound.value, rel=1e-9)


def test_reference_value_in_other_units() -> None:
    problem = Problem(structure("bandit", 3, 2.0), (1.4, 1.0, 0.7), upper=2.0)
    assert general(problem, 1e4, 300).value == pytest.approx(29.984435059, rel=1e-6)


def random_problem(rng: np.random.Generator, K: int) -> Problem:
    """Any structure with assumption (iv); ties, ends and exact observations now and then."""
    seen = rng.random((K, K)) < rng.uniform(0.2, 0.9)
    for j in np.flatnonzero(~seen.any(axis=0)):
        seen[rng.integers(K), j] = True
    variance = np.where(seen, 10 ** rng.uniform(-1, 1, (K, K)), np.inf)
    if rng.random() < 0.2:
        variance[np.unravel_index(rng.integers(K * K), (K, K))] = 0.0
    D = 10 ** rng.uniform(-1, 1)
    grid = rng.choice([0.0, 0.3, 0.5, 0.5, 1.0], K)
    means = D * np.where(rng.random() < 0.3, grid, rng.random(K))
    return Problem(Feedback(variance * D * D), means, D)


def random_case(seed: int) -> tuple[Problem, float, float]:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, int(rng.integers(1, 5)))
    T = 10 ** rng.uniform(1, 8)
    B = problem.upper * 10 ** rng.uniform(-1.3, 0.7) * T ** rng.choice([0.5, 2 / 3])
    return problem, T, B


def assert_sound(problem: Problem, T: float, B: float) -> Bound:
    bound = general(problem, T, B)
    relaxed = finite_time(problem, T, B)
    assert bound.valid
    assert 0 <= relaxed.value <= bound.value
    assert bound.value <= B * (1 + 1e-12) or bound.value == math.inf
    assert isinstance(bound.certificate, Certificate)
    assert bound.certificate.check()
    assert bound.certificate.value == bound.value
    assert "missing" not in bound.method
    if bound.value < math.inf:
        assert bound.allocation is not None
        assert bound.allocation.sum() == pytest.approx(T, rel=1e-12)
        assert (bound.allocation >= 0).all()
        cost = float(bound.allocation @ problem.gaps)
        assert bound.value == pytest.approx(cost, rel=1e-8, abs=1e-9 * B)
    return bound


@pytest.mark.parametrize("seed", range(40))
def test_random_problems(seed: int) -> None:
    assert_sound(*random_case(seed))


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1000, 3000))
def test_many_random_problems(seed: int) -> None:
    assert_sound(*random_case(seed))


@pytest.mark.parametrize("seed", range(100, 108))
def test_the_plan_is_feasible_so_the_value_is_right(seed: int) -> None:
    """From above: the plan for B/(1 + tau) provably loses at most B, so b(B) <= its cost."""
    problem, T, B = random_case(seed)
    tau = 1e-5
    scaled = scale_problem(problem.means, problem.feedback.variance, problem.upper, T)
    tighter = general(problem, T, B / (1 + tau))
    bound = general(problem, T, B)
    if tighter.allocation is None:
        assert bound.value in (math.inf, pytest.approx(B, rel=0.1))
        return
    # An action seen exactly is played a little at no cost: the value is an infimum.
    beta = B / T / problem.upper
    assert loss_above(scaled, tighter.allocation / T, 1e-6) <= beta
    cost = float(tighter.allocation @ problem.gaps)
    assert bound.value <= cost * (1 + 1e-12)
    assert cost <= bound.value * (1 + 1e3 * tau) + 1e-9 * B


@pytest.mark.parametrize("seed", range(200, 206))
def test_smaller_for_larger_worst_case(seed: int) -> None:
    problem, T, B = random_case(seed)
    values = [general(problem, T, B * factor).value for factor in (0.3, 0.7, 1.0, 1.5, 4.0)]
    for larger, smaller in pairwise(values):
        assert smaller <= larger * (1 + 1e-8) + 1e-9 * B


@pytest.mark.parametrize("seed", range(300, 306))
def test_information_never_increases_the_bound(seed: int) -> None:
    problem, T, B = random_case(seed)
    rng = np.random.default_rng(seed)
    K = len(problem)
    variance = np.array(problem.feedback.variance)
    i, j = int(rng.integers(K)), int(rng.integers(K))
    variance[i, j] = min(problem.upper**2, 0.5 * variance[i, j])
    richer = Problem(Feedback(variance), problem.means, problem.upper)
    before, after = general(problem, T, B).value, general(richer, T, B).value
    assert after <= before * (1 + 1e-8) + 1e-9 * B


@pytest.mark.parametrize("seed", range(400, 405))
def test_units_and_order_of_actions_do_not_matter(seed: int) -> None:
    problem, T, B = random_case(seed)
    order = np.random.default_rng(seed).permutation(len(problem))
    s = 8.0  # a power of two: no rounding
    variance = np.array(problem.feedback.variance)[np.ix_(order, order)] * s * s
    moved = Problem(Feedback(variance), s * problem.means[order], s * problem.upper)
    before, after = general(problem, T, B), general(moved, T, s * B)
    assert after.value == pytest.approx(s * before.value, rel=1e-8, abs=1e-9 * B)
    if before.value > 1e-6 * B and before.value < math.inf:
        assert before.allocation is not None
        assert after.allocation is not None
        # Plans need not be unique; costs are.
        assert after.allocation @ moved.gaps == pytest.approx(
            s * before.allocation @ problem.gaps, rel=1e-8
        )


@pytest.mark.parametrize(
    ("name", "means", "B", "rounds"),
    [
        ("bandit", (0.6, 0.5), 1.5, 8),
        ("bandit", (0.9, 0.2), 1.8, 8),
        ("full", (0.6, 0.5), 1.0, 6),
        ("cycle", (0.6, 0.5, 0.2), 1.6, 4),
        ("revealing", (0.1, 0.8, 0.6), 1.6, 4),
        ("het3", (0.7, 0.5, 0.35), 1.1, 4),
        ("bandit", (0.5, 0.5), 0.4, 5),
    ],
)
def test_the_literal_program_over_play_counts(
    name: str, means: tuple[float, ...], B: float, rounds: int
) -> None:
    """With the alternatives of our proof it gives our value; with any others, no more."""
    feedback = structure(name, len(means))
    bound = general(Problem(feedback, means), rounds, B)
    assert isinstance(bound.certificate, Certificate)
    rows = [row for _, row in bound.certificate.rows]
    used = [np.array(row.means, dtype=float) for row in rows if isinstance(row, Alternative)]
    theta, P = np.array(means), feedback.precision
    literal = naive.literal_bound(theta, P, rounds, B, [theta, *used])
    rng = np.random.default_rng(rounds)
    some = [theta, *(rng.random(len(means)) for _ in range(4))]
    other = naive.literal_bound(theta, P, rounds, B, some)
    # Clarabel works to about 1e-8; near a boundary its answers carry the square root of that.
    assert literal == pytest.approx(bound.value, rel=1e-4, abs=1e-5)
    assert other <= bound.value * (1 + 1e-4) + 1e-5


def test_below_the_minimax_value_nobody_qualifies() -> None:
    problem = Problem(structure("bandit", 2), (0.5, 0.5))
    impossible = general(problem, 1e4, 27.0)
    assert impossible.value == math.inf
    assert impossible.allocation is None
    assert impossible.certificate.check()
    assert "no policy" in impossible.why
    assert general(problem, 1e4, 27.02).value == 0.0


def test_exact_observations_ask_for_nothing() -> None:
    everything = Problem(Feedback(np.zeros((3, 3))), (0.5, 0.6, 0.7))
    assert general(everything, 1e4, 1.0).value == 0.0
    variance = matrix("bandit", 3)
    variance[2, 1] = 0.0
    some = Problem(Feedback(variance), (0.7, 0.5, 0.35))
    fewer = Problem(Feedback(variance[np.ix_([0, 2], [0, 2])]), (0.7, 0.35))
    # Action 1 is known for the price of one play in any number: only action 2 is in doubt.
    assert general(some, 1e4, 50).value == pytest.approx(general(fewer, 1e4, 50).value, rel=1e-4)


@pytest.mark.parametrize("sigma", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("means", [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.7, 0.5), (1.0, 0.99)])
def test_extreme_variances_and_ends_of_the_range(sigma: float, means: tuple[float, ...]) -> None:
    for T in (1.0, 1e4, 1e12):
        assert_sound(Problem(structure("bandit", 2, sigma), means), T, 0.1 * T)


@given(strategies.problems(), st.floats(1e-3, 1e15), st.floats(-8, 8))
@settings(deadline=None, max_examples=60)
def test_numbers_at_the_edge_of_floats(problem: Problem, T: float, exponent: float) -> None:
    B = 10**exponent * problem.upper
    assume(0 < B < math.inf)
    bound = general(problem, T, B)
    assert bound.certificate.check()
    assert bound.value >= finite_time(problem, T, B).value >= 0


def test_one_action_and_whole_numbers() -> None:
    assert general(Problem(Feedback.bandit(1), (0.3,)), 10, 1).value == 0.0
    problem = Problem(structure("bandit", 2), (0.5, 0.7))
    assert general(problem, 10_000, 100).value == general(problem, 1e4, 1e2).value


def test_a_start_changes_the_work_and_not_the_value() -> None:
    problem = Problem(structure("cycle", 3), (0.7, 0.5, 0.35))
    first = general(problem, 1e4, 300)
    for T, B in ((1e4, 310), (2e4, 500)):
        warm, cold = general(problem, T, B, start=first), general(problem, T, B)
        assert warm.value == pytest.approx(cold.value, rel=1e-8)
    with pytest.raises(InputError, match="another number of actions"):
        general(Problem(structure("bandit", 2), (0.5, 0.7)), 1e4, 300, start=first)


def test_what_binds_is_what_the_proof_uses() -> None:
    bound = general(Problem(structure("bandit", 3), (0.7, 0.5, 0.35)), 1e4, 150)
    assert {binding.action for binding in bound.binding} == {1, 2}
    assert all(binding.need > 0 and binding.price > 0 for binding in bound.binding)


@pytest.mark.parametrize("horizon", [0, -1, math.nan, math.inf, "many"])
def test_impossible_horizons(horizon: float) -> None:
    with pytest.raises(InputError, match="horizon"):
        general(Problem(Feedback.bandit(2), (0.5, 0.7)), horizon, 10)


def test_a_proof_with_any_number_changed_proves_less_or_nothing() -> None:
    bound = general(Problem(structure("bandit", 3), (0.7, 0.5, 0.35)), 1e4, 50)
    assert isinstance(bound.certificate, Certificate)
    data = bound.certificate.to_dict()
    changes: list[dict[str, Any]] = [
        {"value": "25"},
        {"worst_case": "100"},
        {"means": ["7/10", "6/10", "7/20"]},
        {"horizon": "1000"},
        {"rows": data["rows"][:1]},
    ]
    for change in changes:
        assert not Certificate.from_dict({**data, **change}).check()


def test_more_regret_than_allowed_is_a_contradiction() -> None:
    """Found by chance: a value above B was finite, and at 2 B it was infinite."""
    variance = np.square(
        [
            [5.02e-01, 3.75e-03, 2.91e03, np.inf],
            [np.inf, 1.03e-03, 9.92e01, np.inf],
            [9.57e-06, 0.0, 1.83e03, 1.23e04],
            [4.75e05, 1.17, 2.35e01, 1.31e01],
        ]
    )
    problem = Problem(Feedback(variance), (0.0186, 0.9205, 0.0611, 0.0))
    bound = general(problem, 1e12, 0.0135)
    assert bound.value == math.inf
    assert bound.allocation is None
    assert bound.certificate.check()
    assert bound.why.startswith("no policy")


def test_a_tiny_worst_case_is_refuted_where_the_relaxed_bound_sees_nothing() -> None:
    """Two actions tied at the upper end, seen with very different noise, over 1e12 rounds."""
    seen = {(0, 3): 3650.0, (1, 1): 82.1, (2, 0): 17.1, (3, 2): 2.03e-3}
    sigma = np.full((4, 4), np.inf)
    for edge, value in seen.items():
        sigma[edge] = value
    problem = Problem(Feedback(np.square(sigma)), (0.0, 1.0, 1.0, 2 / 3))
    assert finite_time(problem, 1e12, 0.7).value == 0.0
    bound = general(problem, 1e12, 0.7)
    assert bound.value == math.inf
    assert bound.certificate.check()


@pytest.mark.parametrize("seed", range(40))
def test_hostile_numbers(seed: int) -> None:
    """sigma from 1e-6 to 1e6, ties, means at both ends, any B: proved, ordered, at most B."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 5))
    sigma = np.where(rng.random((K, K)) < 0.5, np.inf, 10 ** rng.uniform(-6, 6, (K, K)))
    sigma[rng.integers(K, size=K), np.arange(K)] = 10 ** rng.uniform(-6, 6, K)
    means = np.round(3 * rng.random(K)) / 3
    T = float(rng.choice([1, 2, 1e4, 1e12]))
    B = T * 10 ** rng.uniform(-14, 1)
    problem = Problem(Feedback(np.square(sigma)), means)
    bound = general(problem, T, B)
    assert bound.certificate.check()
    assert finite_time(problem, T, B).value <= bound.value
    assert bound.value <= B * (1 + 1e-9) or bound.value == math.inf
    # Twice the worst case never proves more, but for the last digits.
    assert general(problem, T, 2 * B).value <= bound.value * (1 + 1e-7) + 1e-9 * B


def test_a_plan_of_tied_actions_that_meets_only_zeros_of_a_row() -> None:
    """0/0 is no excess: the plan plays a tied action that an alternative does not speak of."""
    seen = np.zeros((5, 5), dtype=bool)
    seen[0] = True  # one action shows all, the others nothing
    problem = Problem(Feedback.uniform(seen), (0.2, 0.9, 0.9, 0.4, 0.3))
    bound = general(problem, 1000, 99.99999999999997)
    assert bound.value == pytest.approx(3.654711014356782, rel=1e-9)
    assert bound.certificate.check()


def test_what_binds_is_the_information_that_the_plan_gathers() -> None:
    """In nats, about the alternative of each row: half the squared distance, in units of noise."""
    problem = Problem(Feedback.bandit(3), [0.7, 0.5, 0.35])
    bound = general(problem, 1e4, 50)
    assert isinstance(bound.certificate, Certificate)
    assert bound.allocation is not None
    gathered = bound.allocation @ problem.feedback.precision
    told = []
    for _, row in bound.certificate.rows:
        assert isinstance(row, Alternative)
        moved = np.array([float(mean) for mean in row.means]) - problem.means
        told.append(0.5 * float(gathered @ np.square(moved)))
    assert len(told) == len(bound.binding) > 1
    assert sorted(b.need for b in bound.binding) == pytest.approx(sorted(told), rel=1e-4)


def test_a_start_without_alternatives_changes_nothing() -> None:
    problem = Problem(Feedback.bandit(3), [0.7, 0.5, 0.35])
    alone = general(problem, 1e4, 50)
    for start in (guarantees.minimax(problem.feedback, 1.0, 1e4), finite_time(problem, 1e4, 50)):
        assert general(problem, 1e4, 50, start=start).value == alone.value
