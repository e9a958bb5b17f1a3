"""Explore-then-commit: the policy that runs is the policy that the certificate speaks about."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight as sl
from naive import commitment as naive
from races import accepts, noise_free
from sidelight import belief
from sidelight.bounds import commitment, promising
from sidelight.bounds.promise import Promise
from sidelight.bounds.promising import SEARCHED
from sidelight.policies.entry import fits
from sidelight.policies.needs import UnfitError
from sidelight.policies.registry import parse

STRUCTURES = ("dosing", "het3", "trap", "full-information")


def plan_of(problem: sl.Problem, horizon: int) -> tuple[int, ...]:
    proof = sl.guarantees.commit(problem.feedback, problem.upper, horizon).certificate
    assert isinstance(proof, Promise)
    return proof.plan.plays


@pytest.mark.parametrize("recipe", STRUCTURES)
def test_it_plays_the_plan_of_its_certificate_and_then_one_action(recipe: str) -> None:
    problem, T = sl.gallery(recipe), 2_000
    plays = plan_of(problem, T)
    n = sum(plays)
    assert 0 < n < T
    for seed in range(3):
        trace = sl.trace(problem, "commit", T, seed)
        assert np.bincount(trace.actions[:n], minlength=len(problem)).tolist() == list(plays)
        assert set(trace.why[:n]) == {"explore"}
        assert set(trace.why[n:]) == {"commit"}
        assert len(set(trace.actions[n:])) == 1


def test_a_vacuous_certificate_has_the_plan_that_is_played() -> None:
    """With much noise nothing better than T D is proved; the claim is about the policy anyway."""
    problem = sl.Problem(sl.Feedback.bandit(3, sigma=1e4), [0.1, 0.2, 0.3])
    bound = sl.guarantees.commit(problem.feedback, 1.0, 50)
    trace = sl.trace(problem, "commit", 50)
    explored = [a for a, why in zip(trace.actions, trace.why, strict=True) if why == "explore"]
    assert bound.allocation is not None
    assert np.bincount(explored, minlength=3).tolist() == bound.allocation.tolist()


def test_it_commits_to_the_largest_average_weighed_by_precision() -> None:
    """The first of equals."""
    variance = [[0.01, 1.0, np.inf], [np.inf, 0.04, np.inf], [np.inf, np.inf, 0.01]]
    problem = sl.Problem(sl.Feedback(variance), [0.2, 0.9, 0.9])
    n = sum(plan_of(problem, 300))
    trace = sl.trace(problem, "commit", 300, seed=4)
    weights = np.nan_to_num(problem.feedback.precision[trace.actions[:n]])
    seen = np.nan_to_num(trace.observations[:n])
    averages = (weights * seen).sum(axis=0) / weights.sum(axis=0)
    assert trace.actions[n] == np.argmax(averages)
    assert noise_free("commit", problem, 300).actions[-1] == 1


def test_weights_are_cut_in_the_policy_and_in_the_proof() -> None:
    """A variance below D^2/CAP counts as that: the average is not the best one, and its variance is
    that of the average that the policy takes."""
    assert commitment.CAP == belief.CAP
    tiny, upper = 1e-16, 2.0
    feedback = sl.Feedback([[tiny, 1.0], [np.inf, 1e-12]])
    plan = plan_with(feedback, upper, (3, 5))
    w = np.minimum(feedback.precision, belief.CAP / upper**2)
    n = np.array([3, 5])
    for i in range(2):
        noise = sum(
            n[j] * w[j, i] ** 2 * feedback.variance[j, i]
            for j in range(2)
            if feedback.observes[j, i]
        )
        spread = plan.spreads[i]
        assert spread is not None
        assert float(spread) == pytest.approx(noise / (n @ w[:, i]) ** 2, rel=1e-12)
    exact = plan_with(sl.Feedback([[0.0, 1.0], [np.inf, 0.0]]), upper, (3, 5))
    assert exact.spreads[0] == 0
    spread = exact.spreads[1]
    assert spread is not None
    assert 0 < spread < 1e-20


def plan_with(
    feedback: sl.Feedback, upper: float, plays: tuple[int, ...]
) -> commitment.Exploration:
    proof = sl.guarantees.commit(feedback, upper, 100).certificate
    assert isinstance(proof, Promise)
    return commitment.Exploration(proof.plan.variance, proof.plan.upper, proof.plan.horizon, plays)


def test_it_waits_for_what_its_plan_shows() -> None:
    problem, T = sl.gallery("dosing"), 400
    trace = sl.trace(problem, "commit", T)
    n = sum(plan_of(problem, T))
    late = sl.Player("commit", sl.Setting(problem.feedback, 1.0, T), seed=1)
    reasons = []
    under_way = []
    for t in range(n + 12):
        choice = late.choose()
        reasons.append(choice.why)
        under_way.append((choice, {"A": 0.1, "B": 0.9, "C": 0.2, "test": 0.0}))
        if t >= 5 and under_way:
            old, values = under_way.pop(0)
            if problem.feedback.labels[old.action] == "test":
                late.tell(old, values)
        late.settle()
    assert reasons == ["explore"] * n + ["wait"] * 5 + ["commit"] * 7
    assert problem.feedback.labels[late.choose().action] == "B"
    assert "wait" not in trace.why


def test_where_it_has_no_plan() -> None:
    bandit, social = sl.gallery("bandit"), sl.gallery("social")
    assert accepts("commit", bandit, 12)
    with pytest.raises(sl.InputError, match=r"fits into 4 rounds.*'ids'"):
        sl.simulate(bandit, "commit", 4)
    with pytest.raises(sl.InputError, match=rf"at most {SEARCHED} kinds.*'ids'"):
        sl.simulate(social, "commit", 10_000)


@pytest.mark.parametrize("recipe", ["dosing", "het3"])
def test_its_mean_regret_is_the_formula(recipe: str) -> None:
    """Means of 20,000 runs within 4.4 standard errors: a false alarm in one of 90,000 seeds."""
    feedback, T = sl.gallery(recipe).feedback, 1_000
    plays = plan_of(sl.gallery(recipe), T)
    sds = naive.spreads(feedback.variance, plays)
    means = 0.5 + 0.2 * np.arange(len(feedback)) / len(feedback)
    lost = sl.simulate(sl.Problem(feedback, means), "commit", T, 20_000, seed=3).final.ravel()
    expected = naive.regret(list(means.max() - means), plays, sds, T)
    assert abs(lost.mean() - expected) < 4.4 * lost.std() / np.sqrt(len(lost))


def test_asking_whether_it_fits_looks_for_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search takes seconds with eight actions, and `sidelight policies` asks about all."""

    def search(*_: object) -> None:
        raise AssertionError("a plan was looked for")

    monkeypatch.setattr(promising, "best_plan", search)
    setting = sl.Setting(sl.Feedback.bandit(4, sigma=0.7), 1.0, 1234)
    entry = fits(parse("commit"), setting)
    assert entry.parameters == {}
    with pytest.raises(AssertionError, match="looked for"):
        entry.prepared  # noqa: B018
    with pytest.raises(UnfitError, match="no plan here"):
        fits(parse("commit"), sl.Setting(sl.Feedback.bandit(4), 1.0, 3))
