"""The variances of the worked applications follow from the formula that each of them states.

Everything is computed again, entry by entry, and the revenue of an auction by quadrature.
"""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from scipy import integrate

from sidelight.gallery import CATALOGUE, describe, gallery, scenarios

SCENARIOS = [name for name in CATALOGUE if CATALOGUE[name].__module__ == scenarios.__name__]


def test_the_scenarios_are_the_listed_ones() -> None:
    assert SCENARIOS == [
        "dosing",
        "rollout",
        "test-rigs",
        "reserve-prices",
        "promotions",
        "off-policy",
        "early-readout",
        "judges",
        "newcomer",
    ]


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenarios_say_where_the_variance_comes_from(name: str) -> None:
    text = describe(name)
    assert "variance[" in text
    assert "Caveat:" in text
    for parameter in inspect.signature(CATALOGUE[name]).parameters:
        assert parameter in text


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenarios_are_labelled_and_neither_trivial_nor_hopeless(name: str) -> None:
    problem = gallery(name)
    assert all(isinstance(label, str) for label in problem.feedback.labels)
    second = np.sort(problem.gaps)[1]
    sigma = np.sqrt(problem.feedback.variance[:, problem.best].min())
    assert 0.3 * second < sigma < 30 * second


def test_dosing_shows_everything_through_the_test_alone() -> None:
    problem = gallery("dosing")
    assert problem.feedback.labels == ("A", "B", "C", "test")
    assert problem.feedback.observes.tolist() == 3 * [4 * [False]] + [4 * [True]]
    assert problem.feedback.uniform_sigma == 1.0


@pytest.mark.parametrize("holdout", [0.0, 0.1, 0.3])
def test_rollout_divides_the_spread_by_the_users_of_each_share(holdout: float) -> None:
    problem = gallery("rollout", users=800, holdout=holdout, spread=0.25)
    for i in range(4):
        for j in range(4):
            users = 800 * (1 - holdout if i == j else holdout / 3)
            expected = 0.25**2 / users if users else math.inf
            assert problem.feedback.variance[i, j] == pytest.approx(expected)


def test_rollout_regret_is_a_multiple_of_the_real_one() -> None:
    problem = gallery("rollout", holdout=0.3)
    earned = [
        sum((0.7 if i == j else 0.1) * float(problem.means[j]) for j in range(4)) for i in range(4)
    ]
    assert max(earned) - np.array(earned) == pytest.approx((1 - 0.3 - 0.1) * problem.gaps)


def test_rigs_divide_the_certified_uncertainty_by_the_readings() -> None:
    feedback = gallery("test-rigs", readings=9).feedback
    certified = {"simulator": 1.6, "bench": 0.6, "field": 0.2}
    for i, played in enumerate(feedback.labels):
        for j, design in enumerate(("ship A", "ship B", "ship C")):
            fits = played in certified and (played, design) != ("field", "ship C")
            expected = certified[str(played)] ** 2 / 9 if fits else math.inf
            assert feedback.variance[i, j] == pytest.approx(expected)
    assert (feedback.variance[:, 3:] == 0).all()


def test_reserve_prices_match_the_revenue_of_two_uniform_bidders() -> None:
    def revenue_moment(r: float, power: int) -> float:
        def one(low: float) -> float:
            # Given the lower value, the higher one is uniform on [low, 1]: density 2 in the plane.
            return 2 * (1 - max(low, r)) * max(low, r) ** power

        below, _ = integrate.quad(one, 0, r)
        above, _ = integrate.quad(one, r, 1)
        return float(below + above)

    problem = gallery("reserve-prices", auctions=20)
    for j, r in enumerate((0.3, 0.4, 0.5, 0.6, 0.7)):
        mean, square = revenue_moment(r, 1), revenue_moment(r, 2)
        assert problem.means[j] == pytest.approx(mean, abs=1e-6)
        for i in range(5):
            expected = (square - mean**2) / 20 if j >= i else math.inf
            assert problem.feedback.variance[i, j] == pytest.approx(expected)
    assert problem.feedback.labels[problem.best] == "reserve 0.50"  # (1 - r) / density = r


def test_promotions_divide_by_the_answers_and_their_reliability() -> None:
    feedback = gallery(
        "promotions", surveyed=90, neighbours=30, response=0.3, reliability=0.5
    ).feedback
    borders = {
        frozenset(pair)
        for pair in (
            ("students", "commuters"),
            ("families", "commuters"),
            ("families", "retirees"),
            ("commuters", "tourists"),
        )
    }
    for i, played in enumerate(feedback.labels):
        for j, asked in enumerate(feedback.labels):
            answers = 90 if i == j else 30 if frozenset((played, asked)) in borders else 0
            expected = 0.3 * 0.7 / (answers * 0.25) if answers else math.inf
            assert feedback.variance[i, j] == pytest.approx(expected)


def test_off_policy_variance_is_that_of_importance_weights() -> None:
    policies = [
        (0.5, 0.3, 0.2, 0, 0, 0),
        (0.6, 0.4, 0, 0, 0, 0),
        (0, 0, 0, 0.4, 0.4, 0.2),
        (0.3, 0.2, 0.1, 0.2, 0.1, 0.1),
        (1 / 6,) * 6,
    ]
    problem = gallery("off-policy", impressions=500, max_reward=2.0)
    for i, logged in enumerate(policies):
        assert sum(logged) == pytest.approx(1)
        for j, target in enumerate(policies):
            pairs = list(zip(target, logged, strict=True))
            if any(p > 0 and q == 0 for p, q in pairs):
                expected = math.inf
            else:
                chi2 = sum((p - q) ** 2 / q for p, q in pairs if q > 0)
                expected = 4.0 * (1 + chi2) / 500
            assert problem.feedback.variance[i, j] == pytest.approx(expected)
    assert problem.upper == 2.0
    assert problem.means == pytest.approx(2 * gallery("off-policy").means)


def test_early_readout_adds_residual_and_sampling_variance() -> None:
    feedback = gallery(
        "early-readout", users=400, panel=25, slope=0.2, signal=3.0, residual=0.7
    ).feedback
    for i in range(4):
        for j in range(4):
            people = 400 if i == j else 0 if j == 3 else 25
            expected = 0.7**2 / people + 0.2**2 * 3**2 / people if people else math.inf
            assert feedback.variance[i, j] == pytest.approx(expected)


def test_judges_divide_by_the_scores() -> None:
    feedback = gallery("judges", served=10, shadow=2, spread=0.5).feedback
    for i, model in enumerate(feedback.labels):
        for j, other in enumerate(feedback.labels):
            scores = 10 if model == other else 0 if other == "large" else 2
            expected = 0.25 / scores if scores else math.inf
            assert feedback.variance[i, j] == pytest.approx(expected)


def test_newcomers_are_rated_by_their_buyers_alone() -> None:
    problem = gallery("newcomer", survey=200, buyers=3, spread=0.4)
    assert problem.feedback.labels == ("mild", "strong", "sweet", "new")
    for i in range(4):
        for j in range(4):
            ratings = 200 if j < 3 else 3 if i == 3 else 0
            expected = 0.4**2 / ratings if ratings else math.inf
            assert problem.feedback.variance[i, j] == pytest.approx(expected)
    assert problem.gaps.tolist().count(0.0) == 1  # the two that tie are not best
    assert problem.means[0] == problem.means[1]
