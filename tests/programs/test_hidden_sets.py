"""Hidden sets: valid prices always, and the best set where all of them can be tried."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from naive.graphs import BoolArray, coverage, is_independent, subsets
from sidelight import Feedback, Problem
from sidelight.analysis import bound_record
from sidelight.bounds import minimax
from sidelight.bounds.titles import unfinished
from sidelight.curves import curves
from sidelight.programs import Effort, hidden_sets
from sidelight.programs.hidden_sets import HiddenSet, hidden_set
from sidelight.report.facts import Weighed
from sidelight.report.proofs import _how
from sidelight.structure import strongly_observable
from sidelight.tables import cells
from sidelight.variances import Array


def random_structure(rng: np.random.Generator, K: int, graded: bool) -> Array:
    observes = rng.random((K, K)) < rng.uniform(0.1, 0.6)
    observes[0, ~observes.any(axis=0)] = True
    levels = rng.choice([0.25, 1.0, 9.0], (K, K)) if graded else np.ones((K, K))
    return np.where(observes, levels, np.inf)


def weak_actions(variance: Array) -> list[int]:
    return [int(i) for i in np.flatnonzero(~strongly_observable(variance < np.inf))]


@pytest.mark.parametrize("graded", [False, True])
def test_prices_are_feasible_and_the_set_is_hidden(graded: bool) -> None:
    rng = np.random.default_rng(11)
    for _ in range(100):
        variance = random_structure(rng, int(rng.integers(3, 12)), graded)
        weak = weak_actions(variance)
        found = hidden_set(variance, weak)
        assert bool(found.actions) == bool(weak)
        assert set(found.actions) <= set(weak)
        assert is_independent(variance < np.inf, found.actions)
        assert (found.prices >= 0).all()
        # Exact up to the rounding of one division.
        assert (1 / variance[:, list(found.actions)] @ found.prices <= 1 + 1e-12).all()
        assert found.value == found.prices.sum()


def test_the_best_of_all_sets() -> None:
    """Uniform variance, few actions: no independent set of weak actions costs more to cover."""
    rng = np.random.default_rng(12)
    for _ in range(40):
        variance = random_structure(rng, int(rng.integers(3, 6)), graded=False)
        weak, observes = weak_actions(variance), variance < np.inf
        sets = [U for U in subsets(weak) if U and is_independent(observes, U)]
        everyone = range(len(variance))
        best = max((1 / coverage(observes, everyone, U) for U in sets), default=0.0)
        # Interior point answers to about 1e-8.
        assert hidden_set(variance, weak).value == pytest.approx(best, abs=1e-6)


def test_exact_observations_hide_nothing() -> None:
    variance = np.full((3, 3), np.inf)
    variance[0] = 0.0
    assert hidden_set(variance, [1, 2]).actions == ()


def test_without_any_effort_prices_are_valid() -> None:
    variance = random_structure(np.random.default_rng(13), 40, graded=True)
    found = hidden_set(variance, weak_actions(variance), Effort(0))
    assert found.value > 0
    assert not found.complete
    assert (1 / variance[:, list(found.actions)] @ found.prices <= 1 + 1e-12).all()


def test_variances_whose_sum_is_too_large_for_a_float() -> None:
    variance = np.full((3, 3), np.inf)
    variance[0] = [1.0, 1.7e308, 1.7e308]
    found = hidden_set(variance, (1, 2))
    assert found.actions in {(1,), (2,), (1, 2)}


# ---- the search ------------------------------------------------------------------------------


def price(variance: Array, actions: tuple[int, ...]) -> float:
    """R(U) as it is defined: the cheapest plan with one unit of information about each."""
    rows = 1 / variance[:, list(actions)].T
    solved = linprog(np.ones(len(variance)), A_ub=-rows, b_ub=-np.ones(len(actions)))
    return float(solved.fun)


def links(rng: np.random.Generator, n: int) -> BoolArray:
    seen = rng.random((n, n)) < rng.uniform(0.1, 0.8)
    linked = seen | seen.T
    np.fill_diagonal(linked, False)
    return linked


def is_maximal(linked: BoolArray, chosen: tuple[int, ...]) -> bool:
    others = [v for v in range(len(linked)) if v not in chosen]
    return all(not is_independent(linked, (*chosen, v)) for v in others)


def test_all_maximal_sets_are_listed_and_each_once() -> None:
    rng = np.random.default_rng(14)
    for n in [*range(8)] * 4:
        linked = links(rng, n)
        sets = [U for U in subsets(range(n)) if is_independent(linked, U)]
        listed = [tuple(sorted(U)) for U in hidden_sets._maximal_sets(linked)]
        assert sorted(listed) == sorted(U for U in sets if is_maximal(linked, U))


def test_a_set_is_extended_until_it_is_maximal() -> None:
    rng = np.random.default_rng(15)
    for _ in range(30):
        linked = links(rng, 7)
        order = [int(v) for v in rng.permutation(7)]
        start = next(iter(hidden_sets._maximal_sets(linked)))[:1]
        grown = hidden_sets._extended(start, linked, order)
        assert set(start) <= set(grown)
        assert len(set(grown)) == len(grown)
        assert is_independent(linked, grown)
        assert is_maximal(linked, grown)
        assert order[0] in hidden_sets._extended([], linked, order)


def test_the_best_of_all_sets_with_any_variances() -> None:
    rng = np.random.default_rng(16)
    for _ in range(40):
        variance = random_structure(rng, 7, graded=True)
        weak, observes = weak_actions(variance), variance < np.inf
        sets = [U for U in subsets(weak) if U and is_independent(observes, U)]
        best = max((price(variance, U) for U in sets), default=0.0)
        found = hidden_set(variance, weak)
        assert found.complete
        # Solvers answer to about 1e-9.
        assert found.value == pytest.approx(best, rel=1e-7)


def test_actions_seen_exactly_are_left_out() -> None:
    variance = np.full((3, 3), np.inf)
    variance[0] = [1.0, 0.0, 4.0]
    found = hidden_set(variance, [1, 2])
    assert (found.actions, found.value, found.complete) == ((2,), 4.0, True)
    assert hidden_set(variance, [1]).complete


def apart(*sizes: int) -> tuple[Array, list[int]]:
    """Action 0 shows all others, which fall into cliques: a maximal set takes one of each."""
    K = 1 + sum(sizes)
    variance = np.full((K, K), np.inf)
    variance[0] = 1.0
    ends = np.cumsum([1, *sizes])
    for low, high in itertools.pairwise(ends):
        variance[low:high, low:high] = np.where(np.eye(high - low, dtype=bool), np.inf, 1.0)
    return variance, list(range(1, K))


@pytest.mark.parametrize(
    ("sizes", "complete"),
    [
        ([1] * 40, True),
        ([1] * 41, False),
        ([2] * 6, True),
        ([5, 13], False),  # 65 sets
        ([2] * 6 + [1] * 28, True),
        ([2] * 6 + [1] * 29, False),
    ],
)
def test_a_search_is_complete_if_every_maximal_set_was_tried(
    sizes: list[int], complete: bool
) -> None:
    variance, weak = apart(*sizes)
    found = hidden_set(variance, weak)
    assert (found.complete, found.sampled, found.stopped) == (complete, not complete, False)


def test_a_search_without_effort_ends_after_one_set(monkeypatch: pytest.MonkeyPatch) -> None:
    variance, weak = apart(2, 2, 2, 1, 1)
    priced: list[tuple[int, ...]] = []
    one = hidden_sets._priced

    def noted(variance: Array, actions: tuple[int, ...], effort: Effort) -> HiddenSet:
        priced.append(actions)
        return one(variance, actions, effort)

    monkeypatch.setattr(hidden_sets, "_priced", noted)
    found = hidden_set(variance, weak, Effort(0))
    assert (found.complete, found.sampled, found.stopped) == (False, False, True)
    assert len(priced) == 1


def test_sets_that_are_never_tried_have_their_own_word_everywhere() -> None:
    variance, _ = apart(*[1] * 41)
    feedback = Feedback(variance)
    bound = minimax(feedback, 1.0, 1e4)
    assert (bound.stopped, bound.sampled) == (False, True)
    assert unfinished(bound) == "only some sets of actions tried"
    assert cells(bound, "at least")[1].startswith("only some sets of actions tried, at least ")
    record = bound_record(bound)
    assert (record["stopped_early"], record["sampled"]) == (False, True)
    (curve,) = curves(Problem(feedback, np.linspace(0, 1, 42)), [1e4], names=["minimax"])
    assert curve.note.endswith("; only some sets of actions tried")
    weighed = Weighed("minimax", "lower", bound, bound.value, 1e4)
    assert _how(weighed).startswith("only some sets of actions tried, at least ")
    assert unfinished(replace(bound, stopped=True)) == "search stopped early"
    few = minimax(Feedback(apart(*[1] * 40)[0]), 1.0, 1e4)
    assert (few.stopped, few.sampled, unfinished(few)) == (False, False, "")


def test_in_large_graphs_a_set_that_nobody_sees_two_of_is_found() -> None:
    """30 actions that one player shows, or 12 that have a player each: the 12 cost more."""
    many, few = range(30), range(30, 42)
    players, everyone = range(42, 54), 54
    variance = np.full((55, 55), np.inf)
    variance[everyone, many] = 1.0
    variance[np.ix_(few, many)] = 1.0
    variance[players, few] = 1.0
    found = hidden_set(variance, [*many, *few])
    assert found.actions == tuple(few)
    assert found.value == pytest.approx(12.0)


def test_in_large_graphs_the_noisiest_actions_are_tried() -> None:
    """40 actions that one player shows well, or 2 that one shows badly."""
    many, few = range(40), range(40, 42)
    variance = np.full((44, 44), np.inf)
    variance[42, many] = 1.0
    variance[np.ix_(few, many)] = 1.0
    variance[43, few] = 100.0
    found = hidden_set(variance, [*many, *few])
    assert found.actions == tuple(few)
    assert found.value == pytest.approx(100.0)
