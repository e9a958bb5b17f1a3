"""Algorithm 1 for any variances: twins, the plan of the original, the certificate, warnings."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sidelight as sl
from naive import loop
from naive.random_problems import permuted
from races import decisions, live
from sidelight.bounds import asymptotic, graves_lai
from sidelight.compiled import cached
from sidelight.engine.contract import no_data
from sidelight.policies import registry
from sidelight.policies.asymptotic_sigma import fill_task
from sidelight.policies.parts.tracking import PAIR, PLAN, SOLO, block, tracking_memory
from sidelight.setting import Setting

NAME = "asymptotic-sigma"


@cached
def conditions(belief, leader, parameters, f, memory):  # type: ignore[no-untyped-def]
    """Fill the task; pairs and solos."""
    K = belief.means.size
    told = fill_task(belief, leader, parameters, f, memory)
    return told, block(memory, PAIR, K).copy(), block(memory, SOLO, K).copy()


def crisp(name: str, factor: float = 400.0) -> sl.Problem:
    """A shipped problem with less noise, so that many kinds of rounds come within 400."""
    problem = sl.gallery(name)
    noise = problem.feedback.variance / factor
    return sl.Problem(sl.Feedback(noise), problem.means, problem.upper)


@pytest.mark.parametrize(
    ("problem", "text", "words"),
    [
        (crisp("bandit"), NAME, {"initial", "exploit", "track"}),
        (crisp("cycle"), NAME, {"initial", "exploit", "track"}),
        (crisp("labs", 16.0), NAME, {"initial", "track"}),
        (crisp("graded"), f"{NAME}:budget=0", {"initial", "exploit", "track"}),
        (crisp("slow-but-free", 16.0), NAME, {"initial", "track"}),
        (crisp("het3"), f"{NAME}:program=paper,budget=0", {"initial", "exploit", "track"}),
        (crisp("graded"), f"{NAME}:program=paper,alpha=0.1,refresh=0", {"initial", "track"}),
    ],
)
def test_twins_decide_alike(problem: sl.Problem, text: str, words: set[str]) -> None:
    specification = registry.parse(text)
    rule, parameters = specification.rule, specification.parameters
    recorded = sl.trace(problem, text, 400, seed=5)
    assert words <= set(recorded.why)
    assert recorded.actions.tolist() == loop.play(problem, (rule.name, parameters), 400, 5)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("name", ["bandit", "star", "loopless", "cycle", "revealing", "fano"])
def test_on_one_variance_the_paper_s_program_is_the_original(name: str, backwards: bool) -> None:
    """Needs 2/gap^2, and Algorithm 1's plan: least cost, then the fewest plays of the leader."""
    problem = sl.gallery(name)
    if backwards:  # the rivals of the best action stand before it
        problem = permuted(problem, np.arange(len(problem))[::-1])
    K, best = len(problem), problem.best
    belief = no_data(K)
    belief.means[:], belief.errors[:] = problem.means, 0.01
    parameters = registry.parse(f"{NAME}:program=paper").parameters
    setting = Setting(problem.feedback, problem.upper, None)
    prepared = registry.rule(NAME).prepare(setting, parameters)
    memory = tracking_memory(K)
    (price, budget, top), pair, solo = conditions(belief, best, prepared.parameters, 9.0, memory)
    assert (price, budget, top) == (0.0, math.inf, 0.0)
    assert not pair.any()
    sorted_gaps = np.sort(problem.gaps)
    gaps = np.where(np.arange(K) == best, sorted_gaps[1], problem.gaps)
    assert solo == pytest.approx(2 / gaps**2)
    # the plan of the first decision after the initial pass, with the true means for estimates
    quiet = sl.Problem(
        sl.Feedback(np.where(problem.feedback.observes, 1e-6, np.inf)), problem.means, problem.upper
    )
    player = live(f"{NAME}:program=paper,alpha=1e6,budget=0", quiet, 1000)
    for _ in decisions(player, K + 2):
        pass
    expected = asymptotic(quiet).allocation
    assert expected is not None
    most = float(expected.max())  # means that are tied in truth differ a little in the estimates
    found = block.py_func(player.memory, PLAN, K)
    assert found == pytest.approx(expected, rel=0.05, abs=0.05 * most)


@pytest.mark.parametrize("name", ["revealing", "cycle", "labs", "apple-tasting"])
def test_the_exact_plan_costs_what_the_lower_bound_says(name: str) -> None:
    """Where the best action does not show itself, and the price of a round is small."""
    problem = sl.gallery(name)
    K = len(problem)
    noise = np.where(problem.feedback.observes, problem.feedback.variance * 1e-6, np.inf)
    quiet = sl.Problem(sl.Feedback(noise), problem.means, problem.upper)
    player = live(f"{NAME}:alpha=1e6,budget=0", quiet, 10**6)
    for _ in decisions(player, K + 2):
        pass
    plan = block.py_func(player.memory, PLAN, K)
    assert plan @ quiet.gaps == pytest.approx(graves_lai(quiet).value, rel=0.05)


def test_it_exploits_only_with_the_certificate() -> None:
    problem = sl.gallery("graded")
    player = live(NAME, problem, 3000)
    for t, (action, why) in enumerate(decisions(player, 3000), start=1):
        word = player.rule.words[why]
        if t <= len(problem):
            assert word == "initial"
            continue
        means, errors = player.data.means, player.data.errors
        lead = int(means.argmax())
        f = math.log(t) + math.log(1 + math.log(t))
        others = np.arange(len(problem)) != lead
        evidence = (means[lead] - means) ** 2 / (2 * (errors[lead] ** 2 + errors**2))
        assert (word == "exploit") == bool((evidence[others] >= f).all())
        if word in ("exploit", "short"):
            assert action == lead


def test_without_time_for_any_plan_it_plays_the_leader_and_keeps_looking() -> None:
    problem = sl.gallery("revealing-tie")
    words = sl.trace(problem, NAME, 300, seed=1).why
    assert {"short", "forced"} <= set(words) | {"forced"}
    assert "short" in words


def test_exact_ties_without_noise_end_at_once() -> None:
    problem = sl.Problem(sl.Feedback.bandit(3, 0.0), [0.5, 0.5, 0.2])
    assert set(sl.trace(problem, NAME, 50).why[3:]) == {"exploit"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{NAME}:b=1", "choose a smaller one"),
        (f"{NAME}:a=0.6", "at most 0.5"),
        (f"{NAME}:alpha=-1", "between 0 and"),
        (f"{NAME}:refresh=2", "between 0 and 1"),
        (f"{NAME}:budget=-7", "write budget=1"),
        (f"{NAME}:budget=0.5", "or budget=0"),
        (f"{NAME}:program=relaxed", "choose from: exact, paper"),
        (f"{NAME}:program=exakt", "did you mean 'exact'"),
        (f"{NAME}:program=", "is not parameter=value"),
    ],
)
def test_wrong_parameters_say_what_to_do(text: str, message: str) -> None:
    with pytest.raises(sl.InputError, match=message):
        sl.simulate(sl.gallery("graded"), text, 10)


def test_it_warns_of_ties_where_they_cost_regret_for_ever() -> None:
    rule = registry.rule(NAME)
    expected = {"revealing": True, "cycle": True, "trap": True, "bandit": False, "star": False}
    for name, warned in expected.items():
        setting = Setting(sl.gallery(name).feedback, 1.0, 1000)
        assert ("linear" in rule.caution(setting, rule.defaults)) == warned
