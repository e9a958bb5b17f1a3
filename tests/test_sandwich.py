"""The sandwich: two proofs about one number."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sidelight import Feedback, InputError, Problem, Sandwich, gallery, sandwich
from sidelight.bounds.bound import Bound


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


def test_nonsense() -> None:
    with pytest.raises(InputError, match=r"problem\.feedback"):
        sandwich(Problem(Feedback.bandit(2), [0.1, 0.2]), 1.0, 10)  # type: ignore[arg-type]
