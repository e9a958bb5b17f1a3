"""Propositions inside the paper's proofs: on runs of both algorithms, and on fakes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

import sidelight as sl
from naive.propositions import ViolationError, forced_rounds, weak_plays
from test_auditor import ALGORITHM_1, ALGORITHM_2, STRUCTURES, graph, traced

FORCING = "asymptotic:a=0.5,b=0.99"


@pytest.mark.parametrize("structure", STRUCTURES)
def test_forced_exploration_is_bounded_in_every_run(structure: str) -> None:
    """[prop:expl-count, eq:forced-expl]"""
    few, most = forced_rounds(traced(ALGORITHM_1, structure))
    assert few <= most
    many, most = forced_rounds(sl.trace(STRUCTURES[structure](), FORCING, 3000, seed=3))
    assert many <= most


def test_the_bound_on_forced_rounds_is_nearly_reached() -> None:
    problem = graph(np.eye(4), [0.9, 0.8, 0.1, 0.0], 1.0)
    forced, most = forced_rounds(sl.trace(problem, FORCING, 20_000, seed=2))
    assert 0.3 * most < forced <= most


@pytest.mark.parametrize("structure", STRUCTURES)
def test_weak_batches_are_bounded_in_every_run(structure: str) -> None:
    """[prop:weak-expl, prop:weak-expl-2]"""
    plays, most = weak_plays(traced(ALGORITHM_2, structure))
    assert plays <= most
    weak = sl.structure(STRUCTURES[structure]().feedback).observability == "weak"
    assert (plays > 0) == weak


def test_a_run_that_forces_too_often_is_caught() -> None:
    trace = sl.trace(STRUCTURES["bandit"](), FORCING, 2000, seed=3)
    always = replace(trace, why=tuple("forced" for _ in trace.why))
    with pytest.raises(ViolationError, match="forced rounds"):
        forced_rounds(always)
    narrow = replace(trace, parameters={**trace.parameters, "b": 0.2})
    with pytest.raises(ViolationError, match="forced rounds"):
        forced_rounds(narrow)


def test_a_run_that_looks_from_outside_too_often_is_caught() -> None:
    trace = traced(ALGORITHM_2, "revealing action")
    always = replace(trace, why=tuple("weak" for _ in trace.why))
    with pytest.raises(ViolationError, match="weak batches"):
        weak_plays(always)


def test_half_of_one_distribution_bounds_the_divergence() -> None:
    """[lemma:cod1] KL(q, q') >= log(1/(4 q'(A)))/2 for q(A) >= 1/2: on a grid of two outcomes.

    Two are enough: merging outcomes inside A, and outside, does not raise the divergence.
    """
    for q, other in product(np.linspace(0.5, 1, 101), np.linspace(0.001, 0.999, 333)):
        parts = [(q, other), (1 - q, 1 - other)]
        divergence = sum(p * np.log(p / r) for p, r in parts if p > 0)
        assert divergence >= 0.5 * np.log(1 / (4 * other)) - 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_few_of_an_independent_set_are_dominated_at_once(seed: int) -> None:
    """[lemma:dom-indp] For K >= 3; with two vertices log K is below one, and it fails."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(3, 8))
    edges = rng.random((K, K)) < rng.uniform(0.1, 0.9)
    wanted = sorted(rng.choice(K, int(rng.integers(1, K + 1)), replace=False).tolist())
    edges[rng.integers(K)] |= ~edges.any(axis=0)
    covers = (
        size
        for size in range(1, K + 1)
        for chosen in combinations(range(K), size)
        if edges[np.ix_(chosen, wanted)].any(axis=0).all()
    )
    domination = next(covers)

    def serves(chosen: tuple[int, ...]) -> bool:
        inside = edges[np.ix_(chosen, chosen)] & ~np.eye(len(chosen), dtype=bool)
        return not inside.any() and bool((edges[:, chosen].sum(axis=1) <= np.log(K)).all())

    sizes = [n for n in range(1, len(wanted) + 1) if any(map(serves, combinations(wanted, n)))]
    assert max(sizes) >= domination / (50 * np.log(K))
