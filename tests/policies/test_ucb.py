"""UCB-N and UCB-MaxN: refusals, the short search, and behaviour."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight as sl
from naive import loop
from races import decisions, live, luck
from sidelight.engine.contract import LATE
from sidelight.engine.runner import play
from sidelight.policies import registry
from sidelight.setting import Setting


def random_graph(actions: int, chance: float, seed: int) -> sl.Problem:
    """A random graph in which every action shows itself."""
    rng = np.random.default_rng(seed)
    observes = (rng.random((actions, actions)) < chance) | np.eye(actions, dtype=bool)
    return sl.Problem(sl.Feedback.uniform(observes), rng.random(actions))


@pytest.mark.parametrize("name", ["ucb-n", "ucb-maxn"])
@pytest.mark.parametrize("recipe", ["revealing", "loopless", "dosing", "test-rigs"])
def test_actions_that_do_not_show_themselves_are_refused(name: str, recipe: str) -> None:
    with pytest.raises(sl.InputError, match=f"'{name}' needs actions that show.*'ids'"):
        sl.simulate(sl.gallery(recipe), name, 100)


@pytest.mark.parametrize(
    "text",
    [
        "ucb-n:exploration=0",
        "ucb-n:exploration=-1",
        "ucb-n:exploration=inf",
        "ucb-maxn:quality=1.5",
        "ucb-maxn:quality=0",
    ],
)
def test_parameters_out_of_range_are_refused(text: str) -> None:
    with pytest.raises(sl.InputError, match=r"must be greater than (0|1e-12) "):
        sl.simulate(sl.gallery("bandit"), text, 100)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("actions", "chance"), [(3, 0.0), (12, 0.0), (12, 0.2), (9, 0.5)])
def test_the_short_search_finds_what_the_full_one_does(
    actions: int, chance: float, seed: int
) -> None:
    problem = random_graph(actions, chance, seed)
    expected = loop.play(problem, ("ucb-n", {"exploration": 2.0}), 2_000, seed)
    assert sl.trace(problem, "ucb-n", 2_000, seed).actions.tolist() == expected


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("actions", "chance"), [(1, 0.0), (2, 0.0), (5, 0.0), (12, 0.05)])
def test_a_race_stays_with_an_action_as_a_trace_does(
    actions: int, chance: float, seed: int
) -> None:
    """A race asks `again`, a trace `update` and `choose`; some actions show themselves alone."""
    problem = random_graph(actions, chance, seed)
    trace = sl.trace(problem, "ucb-n", 20_000, seed=seed)
    every = sorted({1, 2, 3, 63, 64, 65, 66, *range(100, 20_001, 97)})
    results = sl.simulate(problem, "ucb-n", 20_000, 1, seed=seed, checkpoints=every)
    regret = problem.gaps[trace.actions].cumsum()
    assert results.regret[0, 0] == pytest.approx(regret[results.checkpoints - 1], rel=1e-12)
    assert results.plays[0, 0].tolist() == np.bincount(trace.actions, minlength=actions).tolist()


def test_the_short_search_is_used() -> None:
    player = live("ucb-n", sl.gallery("bandit", actions=6), 3_000)
    trusted = sum(player.memory[2] > player.t for _ in decisions(player, 3_000))
    assert trusted > 2_500


def test_parameters_matter() -> None:
    problem = sl.gallery("bandit")
    bold, shy = "ucb-n:exploration=0.2", "ucb-n:exploration=8"
    results = sl.simulate(problem, [bold, shy], 2_000, 20)
    assert results.regret[0, :, -1].mean() < results.regret[1, :, -1].mean()
    expected = loop.play(problem, ("ucb-n", {"exploration": 8.0}), 300, 2)
    assert sl.trace(problem, shy, 300, 2).actions.tolist() == expected


def test_late_values_are_not_mistaken_for_those_of_the_last_play() -> None:
    """A value that comes after another play makes the stored search void."""
    problem = sl.gallery("bandit", actions=6)
    player = live("ucb-n", problem, 500)
    noise, _ = luck(player.stage, 1)
    fresh = player.entry.prepared.memory
    differs = 0
    for number, (action, _) in enumerate(decisions(player, 500)):
        mine = player.memory.copy()
        player.memory[:] = fresh
        assert player.ask(player.stream.copy())[0] == action
        player.memory[:] = mine
        if number > 20 and number % 7 == 0:  # somebody else's value comes in
            player.data.plays[3] -= 1
            play(3, player.stage.world, player.stage.known, noise, player.data)
            player.data.seen[0] += LATE
            stored = player.ask(player.stream.copy())[0]
            player.memory[:] = fresh
            anew = player.ask(player.stream.copy())[0]
            player.memory[:] = mine
            assert stored == anew
            differs += anew != action
    assert differs > 0


def test_the_table_of_widths_ends_without_a_step() -> None:
    rule = registry.rule("ucb-n")
    setting = Setting(sl.Feedback.bandit(3), 1.0, 50)
    table = rule.prepare(setting, rule.defaults).parameters
    t = np.arange(1, 51)
    assert table[1:] == pytest.approx(np.sqrt(2 * np.log(t)))
    problem = sl.gallery("bandit")
    short, long = (sl.simulate(problem, "ucb-n", T, 3, checkpoints=[40]) for T in (40, 400))
    assert (short.regret[:, :, 0] == long.regret[:, :, 0]).all()


def test_side_observations_help() -> None:
    means = [0.2, 0.4, 0.6, 0.8]
    alone = sl.Problem(sl.Feedback.bandit(4), means)
    together = sl.Problem(sl.Feedback.full_information(4), means)
    regrets = [sl.simulate(p, "ucb-n", 5_000, 20).regret[0, :, -1] for p in (alone, together)]
    assert regrets[1].max() < regrets[0].mean()


def test_maxn_never_pays_more_to_see_the_same() -> None:
    """On a clique every action shows the rest: UCB-MaxN plays the largest mean, as greedy does."""
    problem = sl.Problem(sl.Feedback.full_information(4), [0.2, 0.4, 0.6, 0.8])
    results = sl.simulate(problem, ["ucb-maxn", "greedy"], 1_000, 10)
    assert (results.regret[0] == results.regret[1]).all()


def test_maxn_is_not_caught_by_a_worthless_action_that_shows_everything_best() -> None:
    """Every action shows itself, but action 0 shows all of them four times as well."""
    problem = sl.gallery("slow-but-free")
    regret = sl.simulate(problem, "ucb-maxn", 10_000, 20, checkpoints=[5_000, 10_000]).regret[0]
    early, both = regret.mean(axis=0)
    assert both - early < 0.7 * early
