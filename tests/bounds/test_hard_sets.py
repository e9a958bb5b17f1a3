"""The sets behind the closed forms, each against its definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from naive.graphs import is_independent, is_strong
from naive.random_problems import variances
from sidelight import Feedback, gallery, structure
from sidelight.bounds import hard_sets as module
from sidelight.bounds.hard_sets import hard_sets


def random_feedback(seed: int) -> Feedback:
    """Any variances; now and then somebody sees an action exactly, or all show all."""
    rng = np.random.default_rng(seed)
    matrix = variances(rng, int(rng.integers(2, 7)))
    if seed % 4 == 0:
        matrix[matrix == matrix.min()] = 0.0
    if seed % 7 == 0:
        matrix[np.isinf(matrix)] = 2.0
    return Feedback(matrix)


def together(feedback: Feedback, i: int, j: int) -> float:
    """The information about i and j in one play; a play of another action counts a quarter."""
    P = feedback.precision
    told = [float(P[k, i] + P[k, j]) for k in range(len(feedback))]
    return max(told[k] if k in (i, j) else told[k] / 4 for k in range(len(feedback)))


@pytest.mark.parametrize("seed", range(40))
def test_the_pair_is_the_one_about_which_a_play_tells_least(seed: int) -> None:
    feedback = random_feedback(seed)
    pairs = itertools.combinations(range(len(feedback)), 2)
    least = min(q if q > 0 else math.inf for q in (together(feedback, i, j) for i, j in pairs))
    pair = hard_sets(feedback, None).pair
    if math.isinf(least):
        assert pair is None
    else:
        assert pair is not None
        assert pair[0] != pair[1]
        assert pair[2] == together(feedback, pair[0], pair[1]) == least


@pytest.mark.parametrize("seed", range(40))
def test_blind_is_an_action_that_another_does_not_show(seed: int) -> None:
    feedback = random_feedback(seed)
    sharpest, everyone = feedback.variance.min(axis=0), range(len(feedback))
    unseen = [(i, k) for i in everyone for k in everyone if not feedback.observes[i, k]]
    blind = hard_sets(feedback, None).blind
    if not any(sharpest[k] > 0 for _, k in unseen):
        assert blind is None
    else:
        assert blind is not None
        assert blind in unseen
        assert sharpest[blind[1]] == max(sharpest[k] for _, k in unseen)
        # The action itself only where all others show it.
        assert blind[0] != blind[1] or all(
            (i, blind[1]) not in unseen for i in everyone if i != blind[1]
        )


@pytest.mark.parametrize("seed", range(40))
def test_the_other_numbers_are_those_of_the_structure(seed: int) -> None:
    feedback = random_feedback(seed)
    found, known = hard_sets(feedback, None), structure(feedback)
    sharpest = feedback.variance.min(axis=0)
    assert found.sharpest.tolist() == sharpest.tolist()
    assert len(found.independent) == known.independence.lower
    assert is_independent(feedback.observes, found.independent)
    noise = [float(sharpest[i]) for i in found.independent]
    assert noise == sorted(noise, reverse=True)
    assert found.strong == all(is_strong(feedback.observes, i) for i in range(len(feedback)))
    assert found.domination == known.domination.value
    assert found.sigma_min == math.sqrt(sharpest.min())
    assert found.complete


def test_sets_of_a_search_without_time_are_not_complete() -> None:
    assert not hard_sets(gallery("erdos-renyi").feedback, 1e-9).complete


def test_pairs_are_sought_among_the_actions_told_least_of(monkeypatch: pytest.MonkeyPatch) -> None:
    feedback = Feedback.bandit(6, sigma=(1.0, 5.0, 2.0, 3.0, 6.0, 4.0))
    monkeypatch.setattr(module, "MAX_PAIRED", 2)
    pair = module._pair(feedback)
    assert pair is not None
    assert set(pair[:2]) == {1, 4}
    assert pair[2] == pytest.approx(1 / 25)
