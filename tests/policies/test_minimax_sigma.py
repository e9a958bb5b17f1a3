"""Algorithm 2 for any variances: twins, the original on one variance, thresholds, phases."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sidelight as sl
from naive import loop, phases
from races import decisions, live
from sidelight.gallery import CATALOGUE
from sidelight.policies import registry
from sidelight.policies.minimax_sigma import thresholded
from sidelight.setting import Setting

NAME = "minimax-sigma"


@pytest.mark.parametrize("name", CATALOGUE)
def test_on_one_variance_it_is_the_original_play_by_play(name: str) -> None:
    problem = sl.gallery(name)
    if problem.feedback.uniform_sigma is None:
        return
    original, general = (sl.trace(problem, text, 600, seed=3) for text in ("minimax", NAME))
    assert general.actions.tolist() == original.actions.tolist()
    assert general.why == original.why


@pytest.mark.parametrize(
    "name", ["het3", "graded", "labs", "slow-but-free", "judges", "off-policy"]
)
def test_twins_decide_alike(name: str) -> None:
    problem = sl.gallery(name)
    played = loop.play(problem, (NAME, registry.rule(NAME).defaults), 1000, 4)
    assert sl.trace(problem, NAME, 1000, seed=4).actions.tolist() == played


@pytest.mark.parametrize(
    ("name", "rounds"),
    [
        ("bandit", 2000),
        ("revealing", 3000),
        ("cycle", 2000),
        ("star", 2000),
        ("graded", 1500),
        ("labs", 2000),
        ("test-rigs", 1000),
        ("revealing-tie", 2000),
    ],
)
def test_twins_of_the_cost_version_decide_alike(name: str, rounds: int) -> None:
    problem = sl.gallery(name)
    sharp = sl.Problem(sl.Feedback(problem.feedback.variance / 25), problem.means, problem.upper)
    specification = registry.parse(f"{NAME}:version=cost")
    rule, parameters = specification.rule, specification.parameters
    recorded = sl.trace(sharp, f"{NAME}:version=cost", rounds, seed=4)
    assert recorded.actions.tolist() == loop.play(sharp, (rule.name, parameters), rounds, 4)


def test_thresholds_are_those_of_the_description() -> None:
    for name in CATALOGUE:
        problem = sl.gallery(name)
        if len(np.unique(problem.feedback.variance)) > 40:
            continue
        found = thresholded(Setting(problem.feedback, problem.upper, 5000))
        expected = phases.threshold(problem, 5000).feedback
        assert (found.variance == expected.variance).all()


def test_many_thresholds_are_thinned_out_and_every_action_stays_observed() -> None:
    rng = np.random.default_rng(1)
    feedback = sl.Feedback(10.0 ** rng.uniform(-6, 6, (30, 30)))
    graph = thresholded(Setting(feedback, 1.0, 10**6))
    assert graph.uniform_sigma is not None
    assert graph.observes.any(axis=0).all()


def test_noisy_observations_are_left_out_where_they_do_not_help() -> None:
    feedback = sl.Feedback([[1.0, 1e6], [1e6, 1.0]])
    assert (thresholded(Setting(feedback, 1.0, 1000)).observes == np.eye(2)).all()
    feedback = sl.Feedback([[1.0, 1.1], [1.1, 1.0]])
    assert thresholded(Setting(feedback, 1.0, 1000)).observes.all()


def test_survivors_of_the_cost_version_are_those_that_may_be_best() -> None:
    """The best action is dropped with probability below 1/T in each of few tests; here never."""
    problem = sl.gallery("graded")
    player = live(f"{NAME}:version=cost", problem, 20_000)
    words = [player.rule.words[why] for _, why in decisions(player, 20_000)]
    assert set(words) <= {"phase", "hold", "final"}
    assert player.memory[8 + problem.best] == 1.0


@pytest.mark.parametrize("text", [NAME, f"{NAME}:version=cost"])
def test_the_contract_holds(text: str) -> None:
    problem = sl.gallery("graded")
    player = live(text, problem, 300)
    made = []
    for action, why in decisions(player, 300):
        before = player.state()
        assert player.ask(player.stream.copy()) == (action, why)
        assert player.state() == before
        made.append(action)
    recorded = sl.trace(problem, text, 300, seed=1)
    assert made == recorded.actions.tolist()
    assert recorded.round is not None


@pytest.mark.parametrize("version", ["threshold", "cost"])
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(version: str, scale: float) -> None:
    one = sl.gallery("graded")
    other = sl.Problem(sl.Feedback(one.feedback.variance * scale**2), one.means * scale, scale)
    text = f"{NAME}:version={version}"
    here, there = (sl.simulate(problem, text, 2000, 4) for problem in (one, other))
    same = (here.plays == there.plays).all(axis=2)
    assert same.sum() >= same.size - 1  # rounding may turn one replicate elsewhere


@pytest.mark.parametrize("version", ["threshold", "cost"])
def test_one_action_exact_values_and_ties_are_no_trouble(version: str) -> None:
    text = f"{NAME}:version={version}"
    assert (sl.simulate(sl.gallery("bandit", actions=2), text, 50).plays.sum(axis=2) == 50).all()
    single = sl.Problem(sl.Feedback([[1.0]]), [0.5])
    assert (sl.simulate(single, text, 50).regret == 0).all()
    exact = sl.Problem(sl.Feedback.bandit(3, 0.0), [0.5, 0.5, 0.2])
    results = sl.simulate(exact, text, 500)
    assert results.regret.max() <= 0.3 * 2000 * 1e-2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{NAME}:version=fast", "choose from: threshold, cost"),
        (f"{NAME}:version=costs", "did you mean 'cost'"),
        (f"{NAME}:delta=2", "between 0 and 1"),
        (f"{NAME}:version=cost,delta=1", "between 0 and 1"),
    ],
)
def test_wrong_parameters_say_what_to_do(text: str, message: str) -> None:
    with pytest.raises(sl.InputError, match=message):
        sl.simulate(sl.gallery("graded"), text, 10)


def test_the_cost_version_needs_the_horizon() -> None:
    specification = registry.parse(f"{NAME}:version=cost")
    rule, parameters = specification.rule, specification.parameters
    setting = Setting(sl.gallery("graded").feedback, 1.0, None)
    with pytest.raises(sl.InputError, match="needs to know the horizon"):
        rule.prepare(setting, parameters)
    assert math.isfinite(rule.prepare(setting, rule.defaults).parameters.sum())
