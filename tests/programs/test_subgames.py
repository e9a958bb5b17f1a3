"""The hardest cover of any subgame, against all subsets and linear programs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from naive import minimax as naive
from sidelight import gallery
from sidelight.programs.subgames import hardest_cover


@pytest.mark.parametrize(
    ("name", "expected"),
    [("bandit", 5), ("star", 4), ("loopless", 2), ("revealing", 1), ("cycle", 5)],
)
def test_families(name: str, expected: int) -> None:
    """The column 1/eta_min of the reference table."""
    assert hardest_cover(gallery(name, actions=5).feedback.observes) == expected


def test_fano() -> None:
    assert hardest_cover(gallery("fano").feedback.observes) == 3


@pytest.mark.parametrize("part", range(6))
def test_against_all_subsets(part: int) -> None:
    rng = np.random.default_rng([3, part])
    for case in range(20):
        K = 2 + case % 4
        observes = rng.random((K, K)) < rng.uniform(0.1, 0.9)
        if case % 3 == 0:
            np.fill_diagonal(observes, True)
        # Interior point answers to about 1e-8.
        assert float(hardest_cover(observes)) == pytest.approx(
            naive.hardest_cover(observes), abs=1e-6
        )


def test_fractional_answers_are_exact() -> None:
    """Three actions that show themselves and the next one: half of each play covers everything."""
    observes = np.eye(3, dtype=bool) | np.roll(np.eye(3, dtype=bool), 1, axis=1)
    assert hardest_cover(observes) == Fraction(3, 2)


def test_large_graphs_get_an_upper_bound() -> None:
    rng = np.random.default_rng(4)
    for K in (15, 30, 60):
        observes = rng.random((K, K)) < 0.5
        bound = hardest_cover(observes)
        assert bound <= K
        part = rng.choice(K, 10, replace=False)
        assert bound >= hardest_cover(observes[np.ix_(part, part)])


def test_groups_of_mutual_observers() -> None:
    """Forty actions in four groups: one play per group, two if members hide from themselves."""
    group = np.arange(40) // 10
    observes = group[:, None] == group
    assert hardest_cover(observes) == 4
    assert hardest_cover(observes & ~np.eye(40, dtype=bool)) == 8
    assert hardest_cover(np.ones((40, 40), dtype=bool)) == 1


def test_one_vertex_has_nothing_to_cover() -> None:
    assert hardest_cover(np.ones((1, 1), dtype=bool)) == 0
