"""ao-ids: evidence, exploration rounds, and behaviour on every class of structures."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sidelight as sl
from races import decisions, live
from sidelight.policies import ao_ids


def test_the_weights_on_two_actions() -> None:
    """One alternative: the two means meet where their weighted distance is least."""
    n, means, Z = np.array([4.0, 12.0]), np.array([0.8, 0.4]), np.empty(2)
    least = ao_ids.evidence(n, means, 0, Z)
    assert least == pytest.approx(0.4**2 / (2 * (1 / 4 + 1 / 12)))
    w = ao_ids.worth(n, means, 0, 0.0, Z, least)
    down, up = 0.4 * 12 / 16, 0.4 * 4 / 16
    assert w == pytest.approx([down**2, up**2])
    assert n[0] * w[0] / 2 + n[1] * w[1] / 2 == pytest.approx(least)  # the evidence, again


def test_it_exploits_exactly_when_the_evidence_is_enough() -> None:
    problem = sl.Problem(sl.Feedback.bandit(3, 0.3), [0.1, 0.9, 0.5])
    player = live("ao-ids", problem, 3_000)
    explored = 0.0
    kinds = set()
    for _, why in decisions(player, 3_000):
        assert player.memory[0] == explored
        n, means = player.data.information, player.data.means
        kinds.add(why)
        if why == ao_ids.INITIAL:
            assert (n == 0).any()
            continue
        lead, t = int(means.argmax()), player.t + 1
        Z = (means[lead] - means) ** 2 / (2 * (1 / n[lead] + 1 / n))
        enough = np.delete(Z, lead).min() >= math.log(t) + math.log(1 + math.log(t))
        assert enough == (why == ao_ids.EXPLOIT)
        explored += why == ao_ids.LEARN
    assert kinds == {0, 1, 2}


def test_it_waits_for_values_on_their_way_by_looking_elsewhere() -> None:
    player = live("ao-ids", sl.Problem(sl.Feedback.bandit(3), [0.5] * 3), 100)
    assert player.ask() == (0, ao_ids.INITIAL)
    player.data.pending[0] = 1.0
    assert player.ask() == (1, ao_ids.INITIAL)
    player.data.pending[:] = 1.0
    assert player.ask() == (0, ao_ids.INITIAL)


@pytest.mark.parametrize("recipe", ["revealing", "apple-tasting", "loopless", "bandit", "graded"])
def test_it_learns_on_every_class(recipe: str) -> None:
    """The second half of the rounds costs less than the first."""
    problem = sl.gallery(recipe)
    regret = sl.simulate(problem, "ao-ids", 20_000, 20, checkpoints=[10_000, 20_000]).regret[0]
    early, both = regret.mean(axis=0)
    assert both - early < 0.8 * early


def test_a_good_hub_costs_next_to_nothing() -> None:
    """The best action shows everything: after a few rounds nothing else is played."""
    observes = np.eye(5, dtype=bool)
    observes[0] = True
    problem = sl.Problem(sl.Feedback.uniform(observes), [0.9, 0.5, 0.4, 0.3, 0.2])
    regret = sl.simulate(problem, "ao-ids", 20_000, 40).regret[0, :, -1]
    assert regret.mean() < 10
