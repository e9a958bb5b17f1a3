"""The search for hard means: where it begins, and what it may claim."""

from __future__ import annotations

import numpy as np
import pytest

from naive.graphs import independence_number, is_independent, is_strong
from naive.random_problems import variances
from naive.structures import matrix
from sidelight.bounds import hard_means
from sidelight.bounds.hard_means import Group, groups, hardest
from sidelight.programs import Effort
from sidelight.programs.cutting import least
from sidelight.programs.separation import scale_problem


def test_a_pattern_has_one_on_top_some_near_and_the_rest_below() -> None:
    theta = Group(2, (0, 3)).pattern(5) @ [0.9, 0.1, 0.2]
    assert theta == pytest.approx([0.8, 0.2, 0.9, 0.8, 0.2])
    assert Group(1, (0,)).pattern(2) @ [0.9, 0.1] == pytest.approx([0.8, 0.9])


@pytest.mark.parametrize("seed", range(20))
def test_groups_have_one_shape_whatever_the_actions_are_called(seed: int) -> None:
    rng = np.random.default_rng(seed)
    variance = variances(rng, 5)
    top, *near = (int(i) for i in rng.permutation(5)[:3])
    order = rng.permutation(5)
    where = {int(old): new for new, old in enumerate(order)}
    renamed = Group(where[top], tuple(where[i] for i in near))
    shape = hard_means._shape(variance, Group(top, tuple(near)))
    assert hard_means._shape(variance[np.ix_(order, order)], renamed) == shape
    assert hard_means._shape(variance, Group(near[0], (top, near[1]))) != shape
    assert hard_means._shape(variance, Group(top, (near[0],))) != shape


@pytest.mark.parametrize("seed", range(20))
def test_clusters_are_what_the_constructions_ask_for(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    observes = variances(rng, int(rng.integers(2, 9))) < np.inf
    K = len(observes)
    found = list(hard_means._clusters(observes, Effort()))
    assert all(len(set(cluster)) == len(cluster) > 1 for cluster in found)
    assert tuple(range(K)) in found
    alone = independence_number(observes)
    if alone > 1:
        assert any(len(U) == alone and is_independent(observes, U) for U in found)
    weak = [i for i in range(K) if not is_strong(observes, i)]
    inside = independence_number(observes[np.ix_(weak, weak)]) if weak else 0
    if inside > 1:
        assert len(found[0]) == inside
        assert set(found[0]) <= set(weak)
        assert is_independent(observes, found[0])
    for i in weak:  # each beside every action that does not show it
        assert all((i, j) in found for j in range(K) if j != i and not observes[j, i])
    if K <= 6:
        assert {(i, j) for i in range(K) for j in range(i + 1, K)} <= set(found)


def test_large_clusters_have_one_top_and_small_ones_all() -> None:
    variance = variances(np.random.default_rng(5), 5)
    tried = list(groups(variance))
    tops: dict[frozenset[int], set[int]] = {}
    for group in tried:
        assert group.top not in group.near
        tops.setdefault(frozenset((group.top, *group.near)), set()).add(group.top)
    assert all(len(of) == (len(chosen) if len(chosen) <= 3 else 1) for chosen, of in tops.items())


def test_groups_end_with_the_effort() -> None:
    assert len(list(groups(matrix("cycle", 6), Effort(0)))) == 1


def test_a_search_without_effort_has_its_first_means_and_says_so() -> None:
    found = hardest(matrix("bandit", 3), 1.0, 1e4, Effort(1))
    assert found.stopped
    assert found.theta.tolist() == [0.5, 0.5, 0.5]
    assert found.found.lower > 0


def test_a_limited_search_finds_means_harder_than_a_tie() -> None:
    """Two bandit actions in other units: tied means prove 26.8, the best ones 33.7."""
    variance = matrix("bandit", 2)
    found = hardest(4.0 * variance, 2.0, 1e4, Effort(60 * 400))
    here = scale_problem(2.0 * found.theta, 4.0 * variance, 2.0, 1e4)
    assert least(here, None, 1e-3).lower == pytest.approx(found.found.lower, rel=2e-2)
    assert 30 < 1e4 * found.found.lower < 34
    assert ((found.theta >= 0) & (found.theta <= 1)).all()
