"""The registry, and what every registered policy must do: the contract."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight as sl
from naive import loop
from naive.random_problems import scaled
from races import ASKED, accepts, decisions, entered, friendly, live, ready
from sampling import thinned
from sidelight.engine.runner import STOP
from sidelight.gallery import CATALOGUE
from sidelight.policies import registry
from sidelight.policies.needs import Need, check
from sidelight.setting import Setting
from sidelight.simulate.stage import new_job, run, set_stage

ROUNDS = 120
everyone = pytest.mark.parametrize("name", registry.names())


# ---- names ---------------------------------------------------------------------------------------


def test_names_are_listed_once_and_found() -> None:
    names = registry.names()
    assert len(set(names)) == len(names)
    assert [registry.rule(name).name for name in names] == list(names)


@everyone
def test_a_rule_says_what_it_is_and_where_it_is_from(name: str) -> None:
    rule = registry.rule(name)
    assert rule.summary
    assert rule.source
    assert all(word.isidentifier() for word in rule.words)


def test_parameters_are_parsed_and_completed() -> None:
    specification = registry.parse("ucb-maxn: quality = 0.25")
    rule, parameters = specification.rule, specification.parameters
    assert rule.name == "ucb-maxn"
    assert parameters == {"exploration": 2.0, "quality": 0.25}
    assert registry.parse("greedy").parameters == {}
    assert registry.parse("minimax-sigma: version = cost").parameters == {
        "version": 1.0,
        "delta": 0.0,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ucbn", "did you mean 'ucb-n'"),
        ("nothing-like-it", "choose from: "),
        ("", "no policy is called ''"),
        ("ucb-n:explore=1", "did you mean 'exploration'"),
        ("ucb-n:exploration", "is not parameter=value"),
        ("ucb-n:exploration=", "is not parameter=value"),
        ("ucb-n:exploration=much", "is not parameter=number"),
        ("ucb-n:exploration=nan", "is not parameter=number"),
        ("ucb-n:=1", "is not parameter=value"),
        ("ucb-n:", "is not parameter=value"),
        ("ucb-n:exploration=1,", "is not parameter=value"),
        ("ucb-n:exploration=1,exploration=2", "twice"),
        ("greedy:a=1", "it has none"),
        ("minimax-sigma:version=both", "choose from: threshold, cost"),
        ("minimax-sigma:version=1", "choose from: threshold, cost"),
    ],
)
def test_a_wrong_text_says_what_to_do(text: str, message: str) -> None:
    with pytest.raises(sl.InputError, match=message):
        registry.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "ucb-n:exploration=1e308",
        "ucb-maxn:exploration=1e308",
        "ucb-maxn:quality=1e-300",
        "ts-n:prior=1e308",
        "ts-maxn:quality=1e-300",
        "asymptotic:alpha=1e307",
        "eps-greedy-lp:gap=1e-200",
        "eps-greedy-lp:gap=0.1,c=1e300",
        "minimax:delta=3",
        "minimax-sigma:delta=3",
        "minimax-sigma:version=cost,delta=3",
    ],
)
def test_senseless_numbers_are_refused(text: str) -> None:
    name, _, given = text.partition(":")
    key = given.rpartition(",")[2].partition("=")[0]
    with pytest.raises(sl.InputError, match=f"^{name}:{key}=.* must"):
        sl.simulate(friendly(), text, 10)


def test_something_else_is_no_name() -> None:
    with pytest.raises(sl.InputError, match="an object with a choose method"):
        registry.parse(3)  # type: ignore[arg-type]


# ---- the contract --------------------------------------------------------------------------------


@everyone
def test_choosing_changes_nothing_but_the_stream(name: str) -> None:
    player = live(ready(name), friendly(), ROUNDS)
    for action, why in decisions(player, ROUNDS):
        before, stream = player.state(), player.stream.copy()
        first, second = stream.copy(), stream.copy()
        assert player.ask(first) == player.ask(second)
        assert first.tobytes() == second.tobytes()
        assert player.state() == before
        assert 0 <= action < 4
        assert 0 <= why < len(player.rule.words)


@everyone
def test_live_use_and_the_engine_make_the_same_decisions(name: str) -> None:
    problem = friendly()
    player = live(ready(name), problem, ROUNDS)
    made = list(decisions(player, ROUNDS))
    recorded = sl.trace(problem, ready(name), ROUNDS, seed=1)
    assert [action for action, _ in made] == recorded.actions.tolist()
    assert tuple(player.rule.words[why] for _, why in made) == recorded.why
    assert (recorded.round is not None) == player.rule.rounds


@everyone
def test_one_action_is_played_for_ever(name: str) -> None:
    results = sl.simulate(friendly(1), ready(name), 50, 3)
    assert (results.regret == 0).all()
    assert (results.plays == 50).all()


@everyone
def test_without_gaps_there_is_no_regret(name: str) -> None:
    problem = sl.Problem(sl.Feedback.full_information(3), [0.5, 0.5, 0.5])
    results = sl.simulate(problem, ready(name), ROUNDS, 3)
    assert (results.regret == 0).all()
    assert (results.plays.sum(axis=2) == ROUNDS).all()


@everyone
def test_exact_observations_work(name: str) -> None:
    results = sl.simulate(friendly(sigma=0.0), ready(name), ROUNDS, 2)
    assert np.isfinite(results.regret).all()
    assert (results.plays.sum(axis=2) == ROUNDS).all()


@everyone
@pytest.mark.parametrize("upper", [1e-6, 1e6])
def test_units_do_not_matter(name: str, upper: float) -> None:
    one = friendly()
    other = scaled(one, upper)
    here, there = (sl.simulate(problem, ready(name), ROUNDS, 4) for problem in (one, other))
    same = (here.plays == there.plays).all(axis=2)
    assert same.sum() >= same.size - 1  # rounding may turn one replicate elsewhere


@everyone
@pytest.mark.parametrize("power", thinned([7, -20], 2))
def test_units_change_no_action(name: str, power: int) -> None:
    unit = 2.0**power  # so that scaling rounds nothing
    for recipe in ("bandit", "graded", "star", "revealing", "labs", "slow-but-free"):
        problem = sl.gallery(recipe)
        if not accepts(ready(name), problem):
            continue
        here = sl.trace(problem, ready(name), 1000, seed=1).actions
        there = sl.trace(scaled(problem, unit), ready(name), 1000, seed=1).actions
        assert here.tolist() == there.tolist(), recipe


@everyone
def test_huge_horizons_start(name: str) -> None:
    problem, horizon = friendly(), 10**15
    entry, stage = entered(ready(name), problem, horizon), set_stage(problem, horizon, 0)
    assert entry.prepared.parameters.nbytes + entry.prepared.memory.nbytes < 1 << 24
    outcome = np.zeros((1, 2)), np.zeros((1, 4), dtype=np.int64)
    job = new_job(stage, 0, np.array([100, horizon]), *outcome)
    job.control[STOP] = 1
    run(entry, stage, job)
    assert (job.regret == 0).all()


@everyone
def test_a_horizon_that_is_not_known_is_fine_or_refused(name: str) -> None:
    specification = registry.parse(ready(name))
    rule, parameters = specification.rule, specification.parameters
    setting = Setting(friendly().feedback, 1.0, None)
    if {Need.HORIZON, Need.TRUTH} & set(rule.needs):
        with pytest.raises(
            sl.InputError, match=r"needs to know the horizon|is told the true means"
        ):
            check(name, rule.needs, setting)
    else:
        check(name, rule.needs, setting)
        assert np.isfinite(rule.prepare(setting, parameters).parameters).all()


def test_what_has_no_default_is_asked_for_by_name() -> None:
    assert {name for name in registry.names() if Need.GAP in registry.rule(name).needs} == set(
        ASKED
    )
    for name, asked in ASKED.items():
        with pytest.raises(sl.InputError, match=rf"write {name}:{asked}.*[Uu]se 'ids'"):
            sl.simulate(friendly(), name, 10)


@everyone
def test_a_caution_is_one_sentence(name: str) -> None:
    specification = registry.parse(ready(name))
    rule, parameters = specification.rule, specification.parameters
    for recipe in ("bandit", "revealing"):
        setting = Setting(sl.gallery(recipe).feedback, 1.0, 100)
        text = rule.caution(setting, parameters)
        assert text == text.strip().rstrip(".")
        assert ". " not in text


# ---- twins ---------------------------------------------------------------------------------------


def test_every_policy_has_a_twin() -> None:
    assert set(loop.PLAYERS) == set(registry.names())


@everyone
@pytest.mark.parametrize("recipe", thinned(CATALOGUE, 3))
def test_twins_make_the_same_decisions_on_every_shipped_problem(name: str, recipe: str) -> None:
    problem = sl.gallery(recipe)
    if not accepts(ready(name), problem):
        with pytest.raises(sl.InputError, match=r"[Uu]se '"):
            sl.simulate(problem, ready(name), 10)
        return
    parameters = registry.parse(ready(name)).parameters
    for seed in (1, 2) if len(problem) <= 20 else (1,):
        expected = loop.play(problem, (name, parameters), ROUNDS, seed)
        assert sl.trace(problem, ready(name), ROUNDS, seed).actions.tolist() == expected


@everyone
def test_twins_of_later_replicates_have_the_same_regret(name: str) -> None:
    problem = friendly()
    results = sl.simulate(problem, ready(name), 500, 3, seed=4, checkpoints=[1, 10, 100])
    parameters = registry.parse(ready(name)).parameters
    for replicate in range(3):
        actions = loop.play(problem, (name, parameters), 500, (4, replicate))
        regret = np.cumsum(problem.gaps[actions])[results.checkpoints - 1]
        assert results.regret[0, replicate] == pytest.approx(regret, rel=1e-12, abs=1e-12)
        assert results.plays[0, replicate].tolist() == np.bincount(actions, minlength=4).tolist()


def test_functions_of_policies_have_names_of_their_own() -> None:
    """numba's files on disk know functions by name: two of one name would be mixed up."""
    found: dict[tuple[str, str], object] = {}
    for name in registry.names():
        rule = registry.rule(name)
        for function in (rule.choose, rule.update):
            source = function.py_func
            assert found.setdefault((source.__module__, source.__qualname__), function) is function
