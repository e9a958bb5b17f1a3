"""The index policy: what it plays is what its certificate speaks about."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight as sl
from naive import optimism as naive
from races import noise_free
from sidelight.bounds.index_proof import IndexProof
from sidelight.policies.entry import fits
from sidelight.policies.registry import parse


def test_it_uses_the_counts_and_widths_of_its_certificate() -> None:
    problem, T = sl.gallery("star"), 3_000
    proof = sl.guarantees.index(problem.feedback, problem.upper, T).certificate
    assert isinstance(proof, IndexProof)
    setting = sl.Setting(problem.feedback, problem.upper, T)
    numbers = fits(parse("index"), setting).prepared.parameters
    m = len(proof.schedule.counts)
    assert (np.ceil(numbers[1 : m + 1]) == proof.schedule.counts).all()
    assert numbers[m + 1 :].tolist() == [float(b) for b in proof.schedule.widths]


def test_without_noise_the_indices_are_those_of_the_formula() -> None:
    """Values 0.5 and 0.2: an index is the mean plus the width at the last count."""
    problem, T = sl.Problem(sl.Feedback.bandit(2), [0.5, 0.2]), 400
    counts = naive.counts_to(T)
    n, played = [0, 0], []
    for _ in range(T):
        index = [
            mean + naive.width(max(s for s in counts if s <= k), 2, T) if k else np.inf
            for mean, k in zip((0.5, 0.2), n, strict=True)
        ]
        played.append(index.index(max(index)))
        n[played[-1]] += 1
    trace = noise_free("index", problem, T)
    assert trace.actions.tolist() == played
    assert trace.why == ("initial",) * 2 + ("optimism",) * (T - 2)


def test_side_observations_spare_plays() -> None:
    means = [0.6, 0.5, 0.5, 0.5, 0.5]
    alone, together = (
        sl.simulate(sl.Problem(feedback, means), "index", 5_000, 200, seed=2).final.mean()
        for feedback in (sl.Feedback.bandit(5), sl.Feedback.full_information(5))
    )
    assert together < 0.6 * alone


def test_actions_under_way_are_not_looked_at_twice() -> None:
    """Values that come ten rounds late: before any came, all actions are played in turn."""
    problem = sl.gallery("bandit")
    player = sl.Player("index", sl.Setting(problem.feedback, 1.0, 100), seed=1)
    chosen = []
    for _ in range(10):
        chosen.append(player.choose().action)
        player.settle()
    assert chosen == [0, 1, 2, 3, 4] * 2


@pytest.mark.parametrize("recipe", ["revealing", "graded"])
def test_where_it_cannot_run(recipe: str) -> None:
    with pytest.raises(sl.InputError, match=r"Use 'ids', which"):
        sl.simulate(sl.gallery(recipe), "index", 100)
