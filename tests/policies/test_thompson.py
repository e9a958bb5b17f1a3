"""Thompson sampling: refusals, the stored posterior, and behaviour."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight as sl
from naive import loop
from races import decisions, live, luck
from sidelight.engine.runner import play

both = pytest.mark.parametrize("name", ["ts-n", "ts-maxn"])


@both
@pytest.mark.parametrize("recipe", ["revealing", "apple-tasting", "dosing"])
def test_actions_that_do_not_show_themselves_are_refused(name: str, recipe: str) -> None:
    with pytest.raises(sl.InputError, match=rf"'{name}' needs actions that show.*'ids'"):
        sl.simulate(sl.gallery(recipe), name, 100)


@pytest.mark.parametrize(
    "text", ["ts-n:prior=0", "ts-n:prior=inf", "ts-maxn:prior=0", "ts-maxn:quality=0"]
)
def test_parameters_out_of_range_are_refused(text: str) -> None:
    with pytest.raises(sl.InputError, match="must be greater than"):
        sl.simulate(sl.gallery("bandit"), text, 100)


def test_parameters_matter() -> None:
    problem = sl.gallery("graded")
    expected = loop.play(problem, ("ts-n", {"prior": 0.5}), 400, 2)
    assert sl.trace(problem, "ts-n:prior=0.5", 400, 2).actions.tolist() == expected
    parameters = {"prior": 0.5, "quality": 0.2}
    expected = loop.play(problem, ("ts-maxn", parameters), 400, 2)
    assert sl.trace(problem, "ts-maxn:prior=0.5,quality=0.2", 400, 2).actions.tolist() == expected
    assert sl.trace(problem, "ts-maxn:prior=0.5", 400, 2).actions.tolist() != expected


@both
def test_the_stored_posterior_is_never_stale(name: str) -> None:
    """Whatever is in the memory, only numbers that belong to the belief are used."""
    problem = sl.gallery("bandit", actions=5)
    player = live(name, problem, 300)
    noise, _ = luck(player.stage, 1)
    fresh = player.entry.prepared.memory
    for number, (action, _) in enumerate(decisions(player, 300)):
        if number % 5 == 0:  # a late value, after the choice
            play(2, player.stage.world, player.stage.known, noise, player.data)
        mine, stored = player.memory.copy(), player.ask(player.stream.copy())[0]
        player.memory[:] = fresh
        assert player.ask(player.stream.copy())[0] == stored
        player.memory[:] = mine
        assert 0 <= action < 5


def test_the_first_choice_is_even_between_actions() -> None:
    """The prior is the same for all. Drawn anew, this would fail one time in 10,000."""
    problem = sl.Problem(sl.Feedback.bandit(2), [0.1, 0.9])
    first = sl.simulate(problem, "ts-n", 1, 4_000).plays[0, :, 0].sum()
    assert abs(first - 2_000) < 3.9 * np.sqrt(1_000)


def test_the_best_action_wins() -> None:
    problem = sl.gallery("bandit")
    plays = sl.simulate(problem, "ts-n", 20_000, 20).plays[0]
    assert (plays.argmax(axis=1) == problem.best).all()


def test_maxn_plays_the_largest_mean_where_all_show_all() -> None:
    """On a clique every action shows the rest: TS-MaxN plays the largest posterior mean."""
    problem = sl.Problem(sl.Feedback.full_information(4), [0.2, 0.4, 0.6, 0.8])
    results = sl.simulate(problem, ["ts-maxn", "ts-n"], 1_000, 10)
    assert results.regret[0, :, -1].max() < results.regret[1, :, -1].mean()
    recorded = sl.trace(problem, "ts-maxn", 300)
    best = 0
    information, sums = np.zeros(4), np.zeros(4)
    for action, seen in zip(recorded.actions, recorded.observations, strict=True):
        best = int(((sums + 2) / (information + 4)).argmax())
        assert action == best
        information += 1
        sums += seen


def test_maxn_is_not_caught_by_a_worthless_action_that_shows_everything_best() -> None:
    """Every action shows itself, but action 0 shows all of them four times as well."""
    problem = sl.gallery("slow-but-free")
    regret = sl.simulate(problem, "ts-maxn", 10_000, 20, checkpoints=[5_000, 10_000]).regret[0]
    early, both = regret.mean(axis=0)
    assert both - early < 0.7 * early
