"""eps-greedy-LP and UCB-LP: the plan, what must be told, stages, and behaviour."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sidelight as sl
from races import decisions, live
from sidelight.belief import precisions
from sidelight.gallery import CATALOGUE
from sidelight.policies import registry
from sidelight.policies.covering import EXPLOIT, cover, stages
from sidelight.setting import Setting

# ---- the plan ------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", CATALOGUE)
def test_the_plan_is_feasible_and_as_cheap_as_a_solver_finds(recipe: str) -> None:
    from scipy.optimize import linprog  # noqa: PLC0415 - keeps collection fast

    problem = sl.gallery(recipe)
    P = precisions(problem.feedback, problem.upper) * problem.upper**2
    z = cover(problem.feedback, problem.upper)
    assert (z >= 0).all()
    assert (P.T @ z).min() >= 1 - 1e-12
    rows = P.T / P.max(axis=0)[:, None]
    solved = linprog(np.ones(len(P)), A_ub=-rows, b_ub=-1 / P.max(axis=0), method="highs")
    assert z.sum() == pytest.approx(solved.fun, rel=1e-6)


@pytest.mark.parametrize("tiny", [0.0, 1e-10, 1e-6])
@pytest.mark.parametrize("wide", [1.0, 1e4])
def test_what_is_seen_exactly_takes_little_of_the_plan_and_is_in_it(
    tiny: float, wide: float
) -> None:
    feedback = sl.Feedback([[tiny, math.inf], [math.inf, wide]])
    plan = cover(feedback, 1.0)
    assert np.isfinite(plan).all()
    assert (plan @ precisions(feedback, 1.0) >= 1 - 1e-9).all()
    assert plan == pytest.approx([max(tiny, 1e-12), wide], rel=1e-6)


def test_one_exact_action_among_noisy_ones() -> None:
    problem = sl.Problem(sl.Feedback([[0.0, math.inf], [math.inf, 1.0]]), [0.9, 0.2])
    for policy in ("eps-greedy-lp:gap=0.5", "ucb-lp"):
        regret = sl.simulate(problem, policy, 2_000, 20).regret[0, :, -1]
        assert regret.mean() < 0.2 * 0.7 * 2_000  # of what playing the other one would cost


def test_the_plan_on_a_graph_is_its_fractional_cover() -> None:
    feedback = sl.gallery("fano").feedback
    everyone = range(len(feedback))
    value = sl.rho_lp(feedback, everyone, everyone).value
    assert cover(feedback, 1.0).sum() == pytest.approx(value)


# ---- eps-greedy-lp -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["gap=-1", "gap=2", "gap=0.1,c=0"])
def test_parameters_out_of_range_are_refused(text: str) -> None:
    with pytest.raises(sl.InputError, match=r"must be greater than (0|1e-12) "):
        sl.simulate(sl.gallery("bandit"), f"eps-greedy-lp:{text}", 10)


def test_it_explores_as_often_as_it_says() -> None:
    """sum of eps(t) rounds, within 5 standard deviations: one false alarm in a million draws."""
    problem = sl.gallery("star")
    recorded = sl.trace(problem, "eps-greedy-lp:gap=0.5,c=1", 20_000)
    t = np.arange(1, 20_001)
    eps = np.minimum(1, cover(problem.feedback, 1.0).sum() / 0.25 / t)
    explored = recorded.why.count("explore")
    assert recorded.why.count("initial") <= len(problem)
    assert abs(explored - eps.sum()) < 5 * math.sqrt((eps * (1 - eps)).sum()) + len(problem)


def test_it_warns_of_a_gap_that_is_too_large() -> None:
    specification = registry.parse("eps-greedy-lp:gap=0.3")
    rule, parameters = specification.rule, specification.parameters
    setting = Setting(sl.Feedback.bandit(3), 1.0, None)
    assert "linear where the best mean leads by less than gap = 0.3" in rule.caution(
        setting, parameters
    )


def test_regret_is_logarithmic_without_self_observation() -> None:
    """Regret from T to 10 T grows by about c sum(z)/d^2 log(10) times the cost of looking."""
    problem = sl.Problem(sl.gallery("revealing").feedback, [0.0, 0.9, 0.4, 0.4, 0.4])
    results = sl.simulate(
        problem, "eps-greedy-lp:gap=0.4", 100_000, 20, checkpoints=[10_000, 100_000]
    )
    early, late = results.regret[0].mean(axis=0)
    assert late - early == pytest.approx(5 / 0.16 * math.log(10) * 0.9, rel=0.2)


# ---- ucb-lp --------------------------------------------------------------------------------------


def test_stages_end_where_the_logarithm_would_be_below_one() -> None:
    assert [stages(T) for T in (1, 2, 3, 10, 11, 12)] == [0, 0, 1, 1, 2, 2]
    for T in (100, 10_000, 10**15):
        last = stages(T) - 1
        assert T / 4**last >= math.e > T / 4 ** (last + 1)


@pytest.mark.parametrize("recipe", ["bandit", "star", "graded"])
def test_a_stage_ends_when_every_remaining_action_has_its_information(recipe: str) -> None:
    problem, T = sl.gallery(recipe), 3_000
    player = live("ucb-lp", problem, T)
    K = len(problem)
    stage, remaining = 1.0, np.ones(K, dtype=bool)
    for _, why in decisions(player, T):
        now = player.memory[1 : 1 + K] > 0
        assert not (now & ~remaining).any()
        if player.memory[0] > stage:
            D = problem.upper * 2.0 ** (1 - stage)
            assert (player.data.information[remaining] >= 8 * math.log(T * D**2) / D**2).all()
            means = np.where(remaining, player.data.means, -np.inf)
            if player.memory[0] == stage + 1:
                assert (now == (means >= means.max() - D)).all()
        if now.sum() == 1:
            assert why == EXPLOIT
        stage, remaining = player.memory[0], now
    assert stage > 1


def test_the_plan_is_used_where_a_hub_shows_everything() -> None:
    """First the hub of a star, whose plan is one action; in fine stages the actions themselves."""
    problem = sl.gallery("star")
    recorded = sl.trace(problem, "ucb-lp", 5_000)
    assert recorded.why[0] == "plan"
    hub = int(problem.feedback.observes.all(axis=1).argmax())
    planned = [a for a, why in zip(recorded.actions, recorded.why, strict=True) if why == "plan"]
    assert set(planned) == {hub}
    assert "own" in recorded.why


def test_the_best_action_wins_and_stages_are_counted() -> None:
    problem = sl.Problem(sl.Feedback.bandit(4, 0.5), [0.1, 0.9, 0.4, 0.3])
    plays = sl.simulate(problem, "ucb-lp", 20_000, 20).plays[0]
    assert (plays.argmax(axis=1) == 1).all()
    rounds = sl.trace(problem, "ucb-lp", 5_000).round
    assert rounds is not None
    assert rounds[0] == 1
    assert (np.diff(rounds) >= 0).all()
