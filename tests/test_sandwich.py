"""The sandwich: two proofs about one number."""

from __future__ import annotations

import math

import numpy as np
import pytest

from naive.structures import scattered
from races import accepts
from sidelight import Feedback, InputError, Problem, Sandwich, analyze, gallery, sandwich
from sidelight.bounds.bound import Bound
from sidelight.bounds.minimax import minimax
from sidelight.sandwich import ANY, best_promise
from sidelight.setting import Setting


@pytest.mark.parametrize(
    ("name", "T", "most"),
    [("dosing", 1e5, 1.33), ("revealing", 1e5, 1.4), ("apple-tasting", 1e3, 4.0)],
)
def test_both_sides_are_proved_and_near(name: str, T: float, most: float) -> None:
    found = sandwich(gallery(name).feedback, 1.0, T)
    assert found.check()
    assert 0 < found.lower.value < found.upper.value
    assert found.ratio == found.upper.value / found.lower.value <= most
    assert found.policy == "commit"


@pytest.mark.parametrize(
    ("feedback", "most"),
    [
        (Feedback.bandit(2), 1.6),
        (Feedback.bandit(5), 2.7),
        (gallery("star").feedback, 3.0),
        (gallery("cycle").feedback, 2.5),
    ],
)
def test_strongly_observable_structures_have_an_index(feedback: Feedback, most: float) -> None:
    found = sandwich(feedback, 1.0, 1e5)
    assert found.check()
    assert found.ratio <= most
    assert found.policy == ("index" if feedback.is_self_observing else "commit")


def test_no_regret_at_all() -> None:
    found = sandwich(Feedback.bandit(1), 1.0, 100)
    assert (found.lower.value, found.upper.value, found.ratio) == (0.0, 0.0, 1.0)
    assert found.check()
    exact = sandwich(Feedback([[0.0, 0.0], [0.0, 0.0]]), 1.0, 100)
    assert exact.lower.value == 0 < exact.upper.value
    assert exact.ratio == math.inf


def test_the_paper_s_algorithm_where_its_promise_is_smaller() -> None:
    """Explore-then-commit grows like T^(2/3) on a bandit, Algorithm 2 like T^(1/2)."""
    found = sandwich(Feedback.bandit(2), 1.0, 1e18)
    assert found.policy == "minimax"
    assert found.upper.name == "minimax guarantee"
    assert found.check()


def test_a_thorough_one_is_no_looser() -> None:
    feedback = Feedback([[1.0, 1.0], [np.inf, np.inf]])
    quick, thorough = (sandwich(feedback, 1.0, 1e3, thorough=t) for t in (False, True))
    assert thorough.lower.value >= quick.lower.value
    assert thorough.upper.value == quick.upper.value


def test_a_broken_side_is_noticed() -> None:
    found = sandwich(Feedback.bandit(2), 1.0, 1e3)

    class Broken:
        def check(self) -> bool:
            return False

    broken = Bound("x", 1.0, True, "", Broken())
    assert found.check()
    assert not Sandwich(broken, found.upper, found.policy).check()
    assert not Sandwich(found.lower, broken, found.policy).check()


@pytest.mark.parametrize(
    ("variance", "T", "named"),
    [
        ([[1.0, np.inf], [np.inf, 1.0]], 10**18, "minimax"),
        # Algorithm 2 needs one sigma, though its promise with the largest would be smaller.
        ([[1.0, np.inf], [np.inf, 2.0]], 10**18, "commit"),
        # No plan shows all three in two rounds.
        ([[1.0, np.inf, np.inf], [np.inf, 2.0, np.inf], [np.inf, np.inf, 1.0]], 2, ANY),
    ],
)
def test_only_policies_that_run_are_named(variance: list[list[float]], T: int, named: str) -> None:
    feedback = Feedback(variance)
    policy, promise = best_promise(feedback, 7.0, T)
    assert policy == named
    assert promise.certificate.check()
    assert promise.vacuous == (named == ANY)
    assert (promise.value == 7.0 * T) == (named == ANY)
    if named != ANY:
        # Races are shorter.
        assert accepts(policy, Problem(feedback, np.zeros(len(feedback)), 7.0), min(T, 10**6))


@pytest.mark.parametrize("seed", range(6))
def test_the_named_policy_runs(seed: int) -> None:
    rng = np.random.default_rng([8, seed])
    feedback = scattered(rng, int(rng.integers(2, 4)))
    D, T = float(10 ** rng.uniform(-1, 1)), int(10 ** rng.uniform(0, 2))
    policy, promise = best_promise(feedback, D, T)
    assert policy == ANY or accepts(policy, Problem(feedback, np.zeros(len(feedback)), D), T)
    assert promise.certificate.check()
    assert promise.value <= T * D * (1 + 1e-12)


def test_nothing_but_the_trivial_bound() -> None:
    """It is said so, and no policy is named."""
    feedback = Feedback([[1.0, np.inf, np.inf], [np.inf, 2.0, np.inf], [np.inf, np.inf, 1.0]])
    found = sandwich(feedback, 1.0, 2)
    assert (found.policy, found.upper.value) == (ANY, 2.0)
    assert found.check()
    analysis = analyze(feedback, 2)
    assert "no policy is proved to lose less than everything, 2" in " ".join(str(analysis).split())
    assert analysis.to_dict()["sandwich"]["policy"] is None  # type: ignore[index]


@pytest.mark.parametrize(
    ("feedback", "horizon"),
    [
        (Feedback.bandit(31), 1e5),  # no search is made
        (Feedback.bandit(2), 1e18),  # floats lose what the search would prove
        (Feedback.bandit(2, sigma=1e-9), 1e5),
    ],
)
def test_the_lower_side_is_no_less_than_a_closed_form(feedback: Feedback, horizon: float) -> None:
    found = sandwich(feedback, 1.0, horizon)
    closed = minimax(feedback, 1.0, horizon)
    assert found.lower.value >= closed.value > 0
    assert found.check()


def test_what_is_known_may_be_a_setting_or_a_problem() -> None:
    feedback = Feedback.bandit(2)
    wanted = sandwich(feedback, 2.0, 100)
    for known in (Setting(feedback, 2.0, 100), Problem(feedback, [0.1, 0.2], 2.0)):
        found = sandwich(known, horizon=100)
        assert (found.lower.value, found.upper.value) == (wanted.lower.value, wanted.upper.value)


def test_nonsense() -> None:
    with pytest.raises(InputError, match="sandwich needs a horizon"):
        sandwich(Feedback.bandit(2), 1.0)
