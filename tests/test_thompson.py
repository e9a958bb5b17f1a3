"""Thompson sampling: refusals, the stored posterior, and behaviour."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight as sl
from naive import loop
from races import decisions, live
from sidelight.engine.runner import begin, step


@pytest.mark.parametrize("recipe", ["revealing", "apple-tasting", "dosing"])
def test_actions_that_do_not_show_themselves_are_refused(recipe: str) -> None:
    with pytest.raises(sl.InputError, match=r"'ts-n' needs actions that show.*Use '"):
        sl.simulate(sl.gallery(recipe), "ts-n", 100)


def test_the_prior_must_be_proper() -> None:
    with pytest.raises(sl.InputError, match="must be greater than 0"):
        sl.simulate(sl.gallery("bandit"), "ts-n:prior=0", 100)


def test_parameters_matter() -> None:
    problem = sl.gallery("graded")
    expected = loop.play(problem, ("ts-n", {"prior": 0.5}), 400, 2)
    assert sl.trace(problem, "ts-n:prior=0.5", 400, 2).actions.tolist() == expected


def test_the_stored_posterior_is_never_stale() -> None:
    """Whatever is in the memory, only numbers that belong to the belief are used."""
    problem = sl.gallery("bandit", actions=5)
    player = live("ts-n", problem, 300)
    noise, _ = begin(player.stage.noise, 1, len(problem))
    fresh = player.entry.prepared.memory
    for number, (action, _) in enumerate(decisions(player, 300)):
        if number % 5 == 0:  # a late value, after the choice
            step(2, player.stage.world, player.stage.known, noise, player.data, np.empty(5))
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
