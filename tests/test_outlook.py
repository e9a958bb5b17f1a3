"""What it will cost: the numbers are those of the race, and the advice that of `recommend`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sidelight as sl
from naive import posterior as naive
from sidelight import console
from sidelight.outlook import advice, today
from sidelight.simulate.statistics import short

inf = float("inf")
KNOWN: dict[str, Any] = {"errors": [0.1, 0.1, 0.05], "played": [50, 30, 20]}
graded = sl.Problem(
    sl.Feedback([[1.0, 2, inf], [inf, 1, 1], [1.0, 1, 1]], list("abc")), [0.3, 0.5, 0.6], **KNOWN
)
full = sl.Problem(sl.Feedback.full_information(3), [0.3, 0.5, 0.6], **KNOWN)


def race(problem: sl.Problem, *policies: str, n: int = 40) -> sl.Results:
    """A race over drawn means."""
    return sl.simulate(problem, policies, 300, n, seed=4, means="posterior")


def test_the_numbers_are_those_of_the_race() -> None:
    results = race(full, "uniform", "greedy")
    found = sl.outlook(results)
    assert found.policy == sl.recommend(full).policy == "greedy"
    mine = results.final[1]
    now = np.array([naive.today(full, 4, r, 300) for r in range(40)])
    assert found.cost is not None
    assert found.today is not None
    assert found.cost.expected == pytest.approx(mine.mean())
    assert found.cost.bad_case == pytest.approx(np.quantile(mine, 0.95))
    assert found.today.expected == pytest.approx(now.mean(), rel=1e-9)
    assert found.today.bad_case == pytest.approx(np.quantile(now, 0.95), rel=1e-9)
    assert found.saved == pytest.approx((now - mine).mean())
    assert found.better == (mine < now).mean()
    assert today(results) == pytest.approx(now, rel=1e-9)
    assert str(found).startswith("greedy is recommended. Over 300 rounds it is expected to cost ")
    assert "greedy is expected to save" in str(found)


def test_a_policy_that_cost_less_is_named_with_its_danger() -> None:
    results = race(graded, "greedy", "uniform")
    said = str(sl.outlook(results))
    assert said.startswith("ids is recommended; it took no part in this race.")
    assert "greedy cost least here, " in said
    assert "; but its regret may be linear" in said
    assert sl.outlook(results).cost is None
    assert sl.outlook(results).saved is None


def test_what_is_done_today_may_be_better() -> None:
    always = sl.Problem(full.feedback, [0.1, 0.2, 0.9], errors=[0.01] * 3, played=[0, 0, 7])
    found = sl.outlook(race(always, "greedy"))
    assert found.saved is not None
    assert found.saved < 0
    said = str(found)
    assert said.startswith("Keep what you do today. Over 300 rounds it is expected to cost 0 (")
    assert "greedy is recommended" not in said
    assert "greedy, which is recommended where nothing is known of the means, is expected" in said
    assert f": {short(-found.saved)} more." in said
    nobody = sl.Problem(full.feedback, full.means, errors=[0.1] * 3)
    assert sl.outlook(race(nobody, "greedy")).today is None
    assert "today" not in str(sl.outlook(race(nobody, "greedy")))


def test_terminal_page_and_recommendation_agree() -> None:
    results = race(full, "greedy", "uniform")
    said = advice(results)
    assert said == str(sl.outlook(results))
    assert console.verdict(results).endswith(said)
    assert console.verdict(race(full, "greedy")) == str(sl.outlook(race(full, "greedy")))
    assert said.split()[0] == sl.analyze(full, 300).recommendation.policy
    plain = sl.simulate(full, ["greedy", "uniform"], 300, 5)
    assert "if you do not know the means" in advice(plain)
    with pytest.raises(sl.InputError, match="needs a race over drawn means"):
        sl.outlook(plain)
