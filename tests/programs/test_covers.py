"""Covers and independent sets: brackets that hold, witnesses that are what they claim."""

from __future__ import annotations

import math
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from naive import graphs as naive
from naive import phases
from sidelight.programs import (
    Effort,
    fractional_cover,
    independent,
    largest_independent_set,
    smallest_cover,
)
from sidelight.programs.covers import greedy_cover
from sidelight.programs.independent import greedy_independent_set

BoolArray = naive.BoolArray

squares = st.integers(1, 9).flatmap(lambda n: arrays(bool, (n, n)))


@st.composite
def covers(draw: st.DrawFn) -> BoolArray:
    shape = draw(st.tuples(st.integers(1, 8), st.integers(1, 8)))
    hits = draw(arrays(bool, shape))
    hits[0] |= ~hits.any(axis=0)
    return np.asarray(hits)


@given(squares)
@settings(deadline=None, max_examples=300)
def test_the_largest_independent_set_is_largest_and_independent(edges: BoolArray) -> None:
    found = largest_independent_set(edges | edges.T)
    assert found.lower == found.upper == naive.independence_number(edges)
    assert len(found.witness) == found.lower
    assert naive.is_independent(edges, found.witness)


@given(squares)
@settings(deadline=None, max_examples=200)
def test_greed_finds_an_independent_set(edges: BoolArray) -> None:
    found = greedy_independent_set(edges)
    assert naive.is_independent(edges, found)
    assert len(found) == phases.independent(edges.tolist())


def test_independent_sets_that_greed_finds() -> None:
    star = np.eye(5, dtype=bool)
    star[0] = True
    assert len(greedy_independent_set(star)) == 4
    assert len(greedy_independent_set(np.ones((3, 3), dtype=bool))) == 1
    assert len(greedy_independent_set(np.eye(3, dtype=bool))) == 3


@given(covers())
@settings(deadline=None, max_examples=200)
def test_greed_finds_a_cover(hits: BoolArray) -> None:
    found = greedy_cover(hits)
    assert hits[list(found)].any(axis=0).all()
    assert len(found) == phases.cover(hits.tolist(), list(range(hits.shape[1])))


@given(covers())
@settings(deadline=None, max_examples=200)
def test_the_smallest_cover_is_smallest_and_covers(hits: BoolArray) -> None:
    found = smallest_cover(hits, fractional_cover(hits))
    brute = min(len(s) for s in naive.subsets(range(len(hits))) if hits[list(s)].any(axis=0).all())
    assert found.lower == found.upper == len(found.witness) == brute
    assert hits[list(found.witness)].any(axis=0).all()


@given(covers())
@settings(deadline=None, max_examples=200)
def test_plan_and_prices_of_a_fractional_cover_prove_each_other(hits: BoolArray) -> None:
    found = fractional_cover(hits)
    assert (hits.T @ found.plan >= 1 - 1e-12).all()
    assert (found.plan >= 0).all()
    assert (hits @ found.prices <= 1 + 1e-12).all()
    assert (found.prices >= 0).all()
    assert found.value == pytest.approx(found.prices.sum(), rel=1e-9)


def test_nothing_to_cover_costs_nothing() -> None:
    nothing = np.zeros((3, 0), dtype=bool)
    found = fractional_cover(nothing)
    assert found.value == 0
    assert smallest_cover(nothing, found).witness == ()


def test_what_cannot_be_covered_costs_infinity() -> None:
    hits = np.array([[True, False]])
    assert fractional_cover(hits).value == math.inf
    with pytest.raises(ValueError, match="cannot be covered"):
        smallest_cover(hits, fractional_cover(hits))


def test_a_greedy_cover_drops_rows_that_later_ones_make_needless() -> None:
    hits = np.array([[1, 1, 1, 0, 0], [1, 1, 0, 1, 0], [0, 0, 1, 0, 1]], dtype=bool)
    assert greedy_cover(hits) == (1, 2)


def hard_graph(seed: int, n: int = 300, degree: int = 5) -> BoolArray:
    rng = np.random.default_rng(seed)
    edges = np.zeros((n, n), dtype=bool)
    for i in range(n):
        edges[i, rng.choice(n, degree, replace=False)] = True
    edges[0] |= ~edges.any(axis=0)
    return edges


@pytest.mark.parametrize("effort", [lambda: Effort(steps=10**5), lambda: Effort(seconds=0.2)])
def test_where_a_search_stops_the_brackets_are_open_but_true(effort: Callable[[], Effort]) -> None:
    edges = hard_graph(1)
    alone = largest_independent_set(edges | edges.T, effort())
    assert len(alone.witness) == alone.lower < alone.upper
    assert naive.is_independent(edges, alone.witness)
    relaxed = fractional_cover(edges)
    cover = smallest_cover(edges, relaxed, effort())
    assert relaxed.value <= cover.upper == len(cover.witness)
    assert edges[list(cover.witness)].any(axis=0).all()
    assert relaxed.value - 1e-6 <= cover.lower < cover.upper


def test_without_any_effort_the_bounds_are_the_trivial_ones() -> None:
    edges = hard_graph(2, n=40)
    relaxed = fractional_cover(edges, Effort(0))
    assert math.isnan(relaxed.value)
    assert (edges @ relaxed.prices <= 1 + 1e-12).all()
    exact = smallest_cover(edges, fractional_cover(edges))
    late = smallest_cover(edges, relaxed, Effort(0))
    assert late.lower <= exact.lower == exact.upper <= late.upper
    alone = largest_independent_set(edges | edges.T, Effort(0))
    best = largest_independent_set(edges | edges.T)
    assert alone.lower <= best.lower == best.upper <= alone.upper


@pytest.mark.parametrize("seed", range(3))
def test_components_and_long_paths_need_no_search(seed: int) -> None:
    forest = nx.disjoint_union_all([nx.random_labeled_tree(200, seed=seed), nx.path_graph(999)])
    edges = nx.to_numpy_array(forest, dtype=bool)
    found = largest_independent_set(edges)
    matching = nx.max_weight_matching(forest, maxcardinality=True)
    assert found.lower == found.upper == len(forest) - len(matching)  # Konig: trees are bipartite


def test_many_separate_triangles() -> None:
    edges = np.kron(np.eye(300, dtype=bool), np.ones((3, 3), dtype=bool))
    found = largest_independent_set(edges)
    assert (found.lower, found.upper, len(found.witness)) == (300, 300, 300)


def test_a_bad_guess_costs_time_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Branch and bound that begins with no set at all."""
    monkeypatch.setattr(independent, "greedy_independent_set", lambda _: [])
    rng = np.random.default_rng(3)
    for _ in range(25):
        edges = np.triu(rng.random((10, 10)) < rng.uniform(0.1, 0.6), 1)
        found = independent._branch_and_bound(edges | edges.T, Effort())
        assert found.lower == found.upper == naive.independence_number(edges)
        assert naive.is_independent(edges, found.witness)


def test_the_solver_goes_on_where_branching_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """An odd cycle, whose edges alone allow half a vertex each."""
    monkeypatch.setattr(independent, "BRANCHING_SHARE", 1e-6)
    around = np.roll(np.eye(9, dtype=bool), 1, axis=1)
    found = independent._solve(around | around.T, Effort(1e6))
    assert (found.lower, found.upper) == (4, 4)
    assert naive.is_independent(around, found.witness)
