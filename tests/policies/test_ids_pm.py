"""ids-pm: confidence, gains, and behaviour on every class of structures."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight as sl
from naive import loop
from races import live
from sidelight.belief import known
from sidelight.policies import ids_pm, registry


def test_gains_are_halves_of_log_determinants() -> None:
    """Against dense matrices, for the whole parameter and for a difference of two actions."""
    rng = np.random.default_rng(1)
    variance = rng.choice([0.5, 2.0, np.inf], (4, 4))
    np.fill_diagonal(variance, 1.0)
    knowledge = known(sl.Feedback(variance), 1.0)
    n, gain = rng.uniform(1, 9, 4), np.empty(4)
    V = np.diag(n)
    ids_pm.all_gains(n, knowledge, gain)
    for i in range(4):
        more = V + np.diag(knowledge.precision[i])
        expected = (np.linalg.slogdet(more)[1] - np.linalg.slogdet(V)[1]) / 2
        assert gain[i] == pytest.approx(expected)
    for first, second in [(0, 2), (3, 1), (2, 2)]:
        w = np.zeros(4)
        w[first] = 1
        if second != first:
            w[second] = -1
        ids_pm.directed_gains(n, first, second, knowledge, gain)
        for i in range(4):
            more = V + np.diag(knowledge.precision[i])
            ratio = (w @ np.linalg.solve(V, w)) / (w @ np.linalg.solve(more, w))
            assert gain[i] == pytest.approx(np.log(ratio) / 2)


def test_the_confidence_set_holds_the_truth() -> None:
    """|theta - m|_V <= sqrt(beta) for all rounds at once: here in every round of 50 runs."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        theta, n, S = rng.random(4), np.full(4, 1.0), np.full(4, 0.5)
        for t in range(1, 200):
            error = np.sqrt((n * (S / n - theta) ** 2).sum())
            assert error <= ids_pm.width(t, n, 1.0, 1.0)
            j = rng.integers(4)
            n[j] += 1
            S[j] += theta[j] + rng.standard_normal()


@pytest.mark.parametrize("text", ["ids-pm:directed=1", "ids-pm:ridge=0.2"])
def test_parameters_matter(text: str) -> None:
    specification = registry.parse(text)
    rule, parameters = specification.rule, specification.parameters
    for recipe in ("graded", "revealing"):
        problem = sl.gallery(recipe)
        expected = loop.play(problem, (rule.name, parameters), 300, 2)
        assert sl.trace(problem, text, 300, 2).actions.tolist() == expected


def test_what_is_on_its_way_is_not_bought_again() -> None:
    """Two labs for two products: with much in flight from the good one, the other is worth more."""
    variance = np.full((4, 4), np.inf)
    variance[0, :2], variance[1, 2:] = 1.0, 2.0
    player = live("ids-pm", sl.Problem(sl.Feedback(variance), [0.5] * 4), 100)
    assert player.ask()[0] == 0
    player.data.pending[:2] = 50.0
    assert player.ask()[0] == 1


def test_senseless_parameters_are_refused() -> None:
    with pytest.raises(sl.InputError, match="must be greater than 0"):
        sl.simulate(sl.gallery("bandit"), "ids-pm:ridge=0", 10)
    with pytest.raises(sl.InputError, match="directed=1"):
        sl.simulate(sl.gallery("bandit"), "ids-pm:directed=-3", 10)


@pytest.mark.parametrize("text", ["ids-pm", "ids-pm:directed=1"])
@pytest.mark.parametrize("recipe", ["revealing", "apple-tasting", "loopless", "bandit"])
def test_it_learns_on_every_class(text: str, recipe: str) -> None:
    """The second half of the rounds costs less than the first, once the noise is small enough.

    With the standard deviation 1 the bound beta takes longer than this to tell the best ones apart.
    """
    shipped = sl.gallery(recipe)
    problem = sl.Problem(sl.Feedback.uniform(shipped.feedback.observes, 0.2), shipped.means)
    regret = sl.simulate(problem, text, 40_000, 10, checkpoints=[20_000, 40_000]).regret[0]
    early, both = regret.mean(axis=0)
    assert both - early < 0.9 * early
