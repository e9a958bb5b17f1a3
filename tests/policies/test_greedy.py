"""The two reference lines. Seeds are fixed; drawn anew, a test would fail one time in 10,000."""

from __future__ import annotations

import numpy as np
from scipy import stats

import sidelight as sl
from sidelight.policies import registry
from sidelight.setting import Setting

ALARM = 1e-4


def test_greedy_has_constant_regret_on_generalized_full_information() -> None:
    """Beyond 10,000 rounds a wrong leader has the probability exp(-n gap^2 / 4): none here."""
    rng = np.random.default_rng(0)
    feedback = sl.Feedback(rng.uniform(0.5, 2.0, (5, 5)))
    problem = sl.Problem(feedback, [0.2, 0.9, 0.5, 0.7, 0.3])
    results = sl.simulate(problem, "greedy", 100_000, 50, checkpoints=[100, 10_000])
    early, middle, late = results.regret[0].T
    assert (late == middle).all()
    assert early.mean() > 0
    assert (results.plays[0].argmax(axis=1) == problem.best).all()


def test_greedy_may_never_look_again_at_a_bandit_arm() -> None:
    problem = sl.gallery("bandit")
    results = sl.simulate(problem, "greedy", 20_000, 50, checkpoints=[10_000])
    half, whole = results.regret[0].T
    wrong = results.plays[0].argmax(axis=1) != problem.best
    assert wrong.mean() > 0.3
    assert (whole[wrong] > 1.8 * half[wrong]).all()


def test_greedy_looks_at_everything_first() -> None:
    problem = sl.gallery("revealing")
    trace = sl.trace(problem, "greedy", 20)
    assert trace.why[:5] == ("initial",) * 5
    assert set(trace.why[5:]) == {"greedy"}
    assert not np.isnan(trace.observations[:5]).all(axis=0).any()


def test_uniform_pays_the_average_gap() -> None:
    problem = sl.gallery("bandit")
    T, n = 2_000, 400
    regret = sl.simulate(problem, "uniform", T, n).regret[0, :, -1]
    spread = problem.gaps.std() * np.sqrt(T)
    score = (regret.mean() - T * problem.gaps.mean()) / (spread / np.sqrt(n))
    assert abs(score) < stats.norm.isf(ALARM / 2)


def test_uniform_plays_all_actions_alike() -> None:
    plays = sl.simulate(sl.gallery("revealing"), "uniform", 5_000, 20).plays[0]
    assert stats.chisquare(plays.sum(axis=0)).pvalue > ALARM


def test_who_may_be_linear_says_so() -> None:
    greedy, uniform = registry.rule("greedy"), registry.rule("uniform")
    bandit, full = (
        Setting(feedback, 1.0, None)
        for feedback in (sl.Feedback.bandit(3), sl.Feedback.full_information(3))
    )
    assert "may be linear" in greedy.caution(bandit, {})
    assert greedy.caution(full, {}) == ""
    assert "is linear" in uniform.caution(full, {})
