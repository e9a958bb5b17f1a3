"""The computed minimax bound: as large as the reference values, proved, and always the same.

The rows of [thm:lb-0] are tested by themselves, where pairs of problems would prove more.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from naive.structures import matrix, structure
from sampling import thinned
from sidelight import Feedback, InputError, Problem, gallery
from sidelight.bounds import Bound, Certificate, exact_pairs, general, minimax, minimax_computed
from sidelight.bounds.hard_means import Group, groups
from sidelight.bounds.minimax_computed import by_rows
from sidelight.bounds.pairing import PairsProof

# Certified at hand-picked means, T = 10,000, sigma = D = 1; the search must come within 1 %.
REFERENCES = [
    ("bandit", 2, 33.7),
    ("bandit", 3, 52.4),
    ("loopless", 3, 33.9),
    ("full", 2, 19.0),
    ("cycle", 3, 181.0),
    ("revealing", 3, 231.6),
]
QUICK = [("full", 2, 19.0), ("loopless", 3, 33.9), ("bandit", 2, 33.7)]


def assert_refuted(bound: Bound, feedback: Feedback, T: float) -> None:
    assert bound.valid
    assert isinstance(bound.certificate, Certificate)
    assert bound.certificate.claim == "minimax"
    assert bound.certificate.case.worst_case == bound.value
    assert bound.certificate.check()
    assert bound.means is not None
    assert list(map(float, bound.certificate.case.means)) == list(bound.means)
    # The general bound agrees that nobody qualifies.
    assert general(Problem(feedback, bound.means), T, 0.999 * bound.value).value == math.inf


@pytest.mark.parametrize(("name", "actions", "value"), QUICK)
def test_reference_values(name: str, actions: int, value: float) -> None:
    feedback = structure(name, actions)
    bound = by_rows(feedback, 1.0, 1e4, None)
    assert bound.value >= 0.99 * value
    assert_refuted(bound, feedback, 1e4)


@pytest.mark.parametrize("name", ["full", "loopless", "revealing"])
def test_it_is_the_larger_of_rows_and_pairs(name: str) -> None:
    feedback = structure(name, 3)
    bound = minimax_computed(feedback, 1.0, 1e4)
    rows, pairs = by_rows(feedback, 1.0, 1e4, None), exact_pairs(feedback, 1.0, 1e4)
    assert bound.value == max(rows.value, pairs.value) == pairs.value
    assert [form.value for form in bound.candidates] == [rows.value, pairs.value]
    assert all(form.certificate and form.certificate.check() for form in bound.candidates)
    assert isinstance(bound.certificate, PairsProof)
    assert bound.certificate.check()
    assert (bound.name, bound.stopped) == ("minimax_computed", False)


def test_rows_are_the_answer_where_they_prove_more() -> None:
    """No pairs are looked for with more than thirty actions."""
    feedback = Feedback.full_information(31)
    bound = minimax_computed(feedback, 1.0, 1e4, budget=2.0)
    assert isinstance(bound.certificate, Certificate)
    assert bound.value > exact_pairs(feedback, 1.0, 1e4).value == 0
    assert bound.certificate.check()


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "actions", "value"), REFERENCES)
def test_all_reference_values(name: str, actions: int, value: float) -> None:
    feedback = structure(name, actions)
    bound = by_rows(feedback, 1.0, 1e4, None)
    assert bound.value >= value
    assert_refuted(bound, feedback, 1e4)


@pytest.mark.parametrize("name", ["cycle", "revealing", "het3", "star"])
def test_any_budget_gives_a_proof(name: str) -> None:
    feedback = structure(name, 3)
    assert_refuted(by_rows(feedback, 1.0, 1e4, 0.2), feedback, 1e4)
    bound = minimax_computed(feedback, 1.0, 1e4, budget=0.2)
    assert bound.value > 0
    assert bound.certificate.check()


@pytest.mark.parametrize("name", thinned(["dosing", "graded", "het3", "labs", "off-policy"], 2))
def test_it_is_never_below_the_closed_forms_or_above_the_trivial_bound(name: str) -> None:
    problem = gallery(name)
    for T in (10.0, 1e4, 1e8):
        closed = minimax(problem.feedback, problem.upper, T)
        bound = minimax_computed(problem.feedback, problem.upper, T, budget=0.5)
        assert closed.value <= bound.value <= T * problem.upper
        assert bound.certificate.check()


def test_the_means_are_as_hard_as_they_say() -> None:
    feedback = Feedback.bandit(2)
    bound = by_rows(feedback, 1.0, 1e4, None)
    assert bound.means is not None
    hard = Problem(feedback, bound.means)
    for factor, refuted in ((0.99, True), (1.01, False)):
        by_rows_alone = general(hard, 1e4, factor * bound.value, pairs=False)
        assert (by_rows_alone.value == math.inf) is refuted


def test_the_tied_pair_is_the_hardest_with_full_information() -> None:
    bound = by_rows(structure("full", 2), 1.0, 1e4, None)
    assert bound.value == pytest.approx(0.1910009 * 100, rel=1e-6)


def test_units() -> None:
    narrow, wide = structure("full", 2), structure("full", 2, 2.0)
    plain, large = by_rows(narrow, 1.0, 1e4, None), by_rows(wide, 2.0, 1e4, None)
    assert large.value == pytest.approx(2 * plain.value, rel=1e-6)
    # What pairs prove is cut to six digits.
    whole = [minimax_computed(narrow, 1.0, 1e4).value, minimax_computed(wide, 2.0, 1e4).value]
    assert whole[1] == pytest.approx(2 * whole[0], rel=2e-5)


def test_nothing_to_learn_costs_nothing() -> None:
    for feedback in (Feedback.bandit(1), Feedback.full_information(3, sigma=0.0)):
        bound = minimax_computed(feedback, 1.0, 1e4, budget=1.0)
        assert bound.value == 0.0
        assert bound.certificate.check()


def test_a_changed_proof_proves_nothing() -> None:
    bound = by_rows(structure("full", 2), 1.0, 1e4, None)
    assert isinstance(bound.certificate, Certificate)
    data = bound.certificate.to_dict()
    assert Certificate.from_dict(data).check()
    for change in ({"worst_case": "20"}, {"rows": data["rows"][:1]}, {"horizon": "9000"}):
        assert not Certificate.from_dict({**data, **change}).check()


@given(strategies.feedbacks(), st.sampled_from([5e-324, 1.0, 1e308]), st.floats(1e-3, 1e15))
@settings(deadline=None, max_examples=15)
def test_numbers_at_the_edge_of_floats(feedback: Feedback, upper: float, T: float) -> None:
    bound = minimax_computed(feedback, upper, T, budget=0.01)
    assert bound.certificate.check()
    assert bound.value >= 0


def test_starts_differ_in_shape() -> None:
    assert list(groups(matrix("bandit", 4))) == [Group(0, (1, 2, 3)), Group(0, (1,))]
    tops = {group.top for group in groups(matrix("revealing", 4))}
    assert 0 in tops
    assert len(list(groups(matrix("cycle", 6)))) <= 20


@pytest.mark.parametrize("upper", [0.0, -1.0, math.inf])
def test_impossible_ranges(upper: float) -> None:
    with pytest.raises(InputError, match="upper"):
        minimax_computed(Feedback.bandit(2), upper, 1e4)


def test_impossible_horizons() -> None:
    with pytest.raises(InputError, match="horizon"):
        minimax_computed(Feedback.bandit(2), 1.0, -5)


def test_many_actions_take_a_proof_but_not_forever() -> None:
    """With no time at all the closed form is the answer; with a little, something larger is."""
    rng = np.random.default_rng(1)
    observes = rng.random((60, 60)) < 0.1
    np.fill_diagonal(observes, True)
    feedback = Feedback.uniform(observes)
    none = minimax_computed(feedback, 1.0, 1e4, budget=1e-6)
    assert "no search was made" in none.method
    assert none.stopped
    some = minimax_computed(feedback, 1.0, 1e4, budget=3.0)
    assert some.value >= none.value > 0
    assert none.certificate.check()
    assert some.certificate.check()


def test_one_noisy_action_is_enough_to_be_hard() -> None:
    """The mean of the other action is known, so no pair can be tied; still one may be deceived."""
    feedback = Feedback(np.array([[0.0, 1.0], [0.0, 1.0]]))
    bound = by_rows(feedback, 1.0, 1e4, None)
    assert bound.value > 10
    assert_refuted(bound, feedback, 1e4)


def test_numbers_that_no_search_can_handle_are_said_to_be_so() -> None:
    bound = minimax_computed(Feedback.bandit(2), 1.0, 1e40)
    assert "too large, or too small" in bound.method
    assert bound.certificate.check()


def test_a_small_range_is_proved_as_well() -> None:
    """Bounds far below 1, in units in which the noise and the range are small."""
    one = minimax_computed(Feedback.full_information(2), 1.0, 1e4)
    small = minimax_computed(Feedback.full_information(2, sigma=2.0**-10), 2.0**-10, 1e4)
    assert small.value == pytest.approx(2.0**-10 * one.value, rel=1e-6)
    assert small.method == one.method
    assert small.certificate is not None
    assert small.certificate.check()
