"""Verdicts hold at any look: the mathematics against its definition, and 2,000 runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from naive.evidence import mixed_martingale, regret
from sidelight.engine.contract import Floats
from sidelight.live.verdict import expected_regret, intervals, radius, sharpness

DELTA = 0.05
INF = np.inf


@pytest.mark.parametrize("information", [0.01, 1.0, 40.0, 3e4])
@pytest.mark.parametrize("delta", [0.2, 0.05, 1e-4])
def test_at_the_radius_the_martingale_has_reached_its_bound(
    information: float, delta: float
) -> None:
    for rho in (0.5, sharpness(delta, 1.0)):
        reach = float(radius(np.array([information]), delta, rho)[0])
        found = mixed_martingale(reach * information, information, rho)
        assert found == pytest.approx(1 / delta, rel=1e-8)


def test_intervals_are_nearly_shortest_where_they_should_be() -> None:
    """No rho gives shorter ones at n = 400 / upper^2, by more than a hundredth."""
    for delta in (0.05, 0.001):
        for upper in (1.0, 50.0):
            n = np.array([400.0 / upper**2])
            own = radius(n, delta, sharpness(delta, upper))
            best = min(radius(n, delta, rho)[0] for rho in np.geomspace(1e-4, 1e4, 4000) * n)
            assert best <= own[0] <= 1.01 * best


def belief_of(information: Any, means: Any, upper: float = 1.0) -> sl.Belief:
    n = np.array(information, dtype=float)
    found = sl.Belief.empty(sl.Feedback.bandit(len(n)), upper).to_data()
    return sl.Belief.empty(sl.Feedback.bandit(len(n)), upper).with_data(
        found._replace(information=n, sums=n * np.array(means, dtype=float))
    )


@pytest.mark.parametrize(
    ("information", "means", "upper"),
    [
        ([4.0, 9.0, 100.0], [0.3, 0.5, 0.45], 1.0),
        ([0.0, 25.0], [0.0, 0.9], 1.0),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 2.0),
        ([1e6, 1e6, 1e6], [0.5, 0.5005, 0.499], 1.0),
        ([1e-4, 0.04, 4.0], [-3.0, 7.0, 12.0], 10.0),
        ([1e9, 1.0], [0.99, 0.5], 1.0),
    ],
)
def test_the_cost_of_a_round_is_the_expected_regret(
    information: list[float], means: list[float], upper: float
) -> None:
    belief = belief_of(information, means, upper)
    with np.errstate(divide="ignore"):
        errors = 1 / np.sqrt(np.array(information))
    for action in range(len(means)):
        wanted = regret(means, errors.tolist(), upper, action)
        # The trapezoidal rule on 513 points and more; the grid of the reference is finer.
        assert expected_regret(belief, action) == pytest.approx(wanted, rel=2e-3, abs=1e-5 * upper)


def test_a_verdict_in_plain_sight() -> None:
    feedback = sl.Feedback.full_information(3, sigma=0.1, labels=["a", "b", "c"])
    learner = sl.Learner(feedback, "ucb-n", horizon=100)
    assert str(learner.verdict()) == "nothing was seen yet"
    assert (learner.verdict().best, learner.verdict().stop) == (None, False)
    assert learner.verdict().intervals == dict.fromkeys("abc", (0.0, 1.0))
    for values in ([0.2, 0.5, 0.45], [0.3, 0.6, 0.4]):
        learner.tell(learner.ask().id, values)
    found = learner.verdict(delta=0.1)
    low, high = intervals(learner.belief.information, learner.belief.sums, 1.0, 0.1)
    assert (found.best, found.delta) == ("b", 0.1)
    assert [found.intervals[x] for x in "abc"] == [*zip(low, high, strict=True)]
    assert found.loss == pytest.approx(high[[0, 2]].max() - low[1])
    assert not found.stop
    assert f"go on: staying with {found.best} may lose up to" in str(found)
    for _ in range(40):
        learner.tell(learner.ask().id, [0.25, 0.55, 0.425])
    before = learner.to_json()
    found = learner.verdict()
    assert (found.best, found.ruled_out, found.stop) == ("b", ("a", "c"), True)
    assert found.loss == 0.0
    assert "ruled out: a, c\nstop: no other action can be the best" in str(found)
    assert learner.to_json() == before  # looking has no consequences
    assert found.next == learner.ask().label


def test_one_action_is_the_best() -> None:
    learner = sl.Learner(sl.Feedback.bandit(1), "uniform")
    learner.tell(learner.ask().id, [0.5])
    assert (learner.verdict().stop, learner.verdict().loss, learner.verdict().cost) == (True, 0, 0)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, math.nan, "0.05", None, [0.05]])
def test_delta_is_a_probability(delta: Any) -> None:
    learner = sl.Learner(sl.Feedback.bandit(2), "uniform")
    for judge in (learner.verdict, learner.diagnose):
        with pytest.raises(sl.InputError, match="must be a probability"):
            judge(delta)


class Runs:
    """Many runs at once: half greedy, half random; values come late, and a fifth of them never."""

    def __init__(self, runs: int, means: Floats, sigma: Floats, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.means, self.sigma = means, sigma
        self.shape = runs, len(means)
        self.information, self.sums = np.zeros(self.shape), np.zeros(self.shape)
        self.coming = np.zeros((31, 2, *self.shape))

    def play(self, t: int) -> None:
        runs, K = self.shape
        with np.errstate(invalid="ignore", divide="ignore"):
            leader = np.nan_to_num(self.sums / self.information, nan=9.0).argmax(axis=1)
        any_action = self.rng.integers(K, size=runs)
        action = np.where(self.rng.random(runs) < 0.5, leader, any_action)
        sd = self.sigma[action]
        with np.errstate(invalid="ignore"):
            value = self.means + sd * self.rng.normal(size=self.shape)
        weight = np.where(self.rng.random(self.shape) < 0.8, 1 / sd**2, 0.0)
        comes = (t + self.rng.integers(31, size=self.shape)) % 31
        run, j = np.indices(self.shape)
        self.coming[comes, 0, run, j] += weight
        gained = np.where(weight > 0, weight * np.where(np.isfinite(sd), value, 0.0), 0.0)
        self.coming[comes, 1, run, j] += gained
        now = self.coming[t % 31]
        self.information += now[0]
        self.sums += now[1]
        now[:] = 0.0


def test_of_2000_runs_looked_at_in_every_round_few_exclude_the_truth() -> None:
    """At most 5 % are promised, and of 50,000 other runs 1.3 % did (seed 5): a union bound gives
    something away. Drawn anew, the test would fail with probability 1e-24 at most, even if the
    true share were 1.5 % (binomial).
    """
    means = np.array([0.5, 0.45, 0.4, 0.2])
    sigma = np.array(
        [[1.0, 0.5, INF, INF], [INF, 0.3, 1.0, INF], [1.0, INF, 1.0, 2.0], [0.8, 0.8, 0.8, 0.8]]
    )
    runs = Runs(2000, means, sigma, seed=11)
    wrong = np.zeros(2000, dtype=bool)
    for t in range(500):
        runs.play(t)
        low, high = intervals(runs.information, runs.sums, 1.0, DELTA)
        wrong |= ((means < low) | (means > high)).any(axis=1)
        best = (high < low.max(axis=1, keepdims=True))[:, 0]
        assert not (best & ~wrong).any()  # ruling out the best action is a wrong interval
    assert 0 < wrong.mean() <= DELTA
    assert (high - low).mean() < 0.45  # the intervals say something
