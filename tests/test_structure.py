"""Structure numbers against brute force on small digraphs and the known values on large ones."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import sidelight as sl
from naive import graphs as naive
from sampling import thinned
from sidelight.programs import FractionalCover
from sidelight.structure import Structure

BoolArray = naive.BoolArray
ALL_FOUR_NODE_DIGRAPHS = 2**16


def digraph(code: int, n: int = 4) -> BoolArray:
    """The digraph whose adjacency bits are `code`."""
    bits = [(code >> k) & 1 for k in range(n * n)]
    return np.array(bits, dtype=bool).reshape(n, n)


def random_digraph(rng: np.random.Generator, n: int) -> BoolArray:
    observes = rng.random((n, n)) < rng.choice([0.1, 0.2, 0.35, 0.6])
    for j in np.flatnonzero(~observes.any(axis=0)):
        observes[rng.integers(n), j] = True
    return np.asarray(observes)


def regular_digraph(rng: np.random.Generator, n: int, degree: int) -> BoolArray:
    """No self-loops; every action shows `degree` others and is shown by somebody."""
    observes = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        observes[i, rng.choice(others, degree, replace=False)] = True
    for j in np.flatnonzero(~observes.any(axis=0)):
        observes[(j + 1) % n, j] = True
    return observes


def check_against_brute_force(observes: BoolArray) -> None:
    found = sl.structure(sl.Feedback.uniform(observes))
    everyone = range(len(observes))
    weak = tuple(i for i in everyone if not naive.is_strong(observes, i))
    assert found.weak == weak
    assert found.strong == tuple(i for i in everyone if i not in weak)
    assert found.observability == ("weak" if weak else "strong")
    assert found.independence.value == naive.independence_number(observes)
    assert found.domination.value == naive.domination_number(observes)
    check_witnesses(found)


def check_witnesses(found: Structure) -> None:
    observes = found.feedback.observes
    assert naive.is_independent(observes, found.independence.witness)
    assert len(found.independence.witness) == found.independence.lower
    assert naive.dominates(observes, found.domination.witness, found.weak)
    assert len(found.domination.witness) == found.domination.upper
    assert found.fractional_domination <= found.domination.upper + 1e-9
    graded = found.effective_independence
    kept = found.feedback.variance <= graded.threshold
    assert naive.is_independent(kept, graded.witness)


def observable(observes: BoolArray) -> bool:
    return bool(observes.any(axis=0).all())


@pytest.mark.parametrize("block", range(4))
def test_two_thousand_four_node_digraphs_against_brute_force(block: int) -> None:
    rng = np.random.default_rng(block)
    codes = rng.choice(ALL_FOUR_NODE_DIGRAPHS, 900, replace=False)
    graphs = [digraph(int(code)) for code in codes]
    observed = [observes for observes in graphs if observable(observes)][:500]
    assert len(observed) == 500
    for observes in observed:
        check_against_brute_force(observes)


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(16))
def test_all_four_node_digraphs_against_brute_force(block: int) -> None:
    """65,536 in all; those with an action that nobody shows must be refused."""
    for code in range(block, ALL_FOUR_NODE_DIGRAPHS, 16):
        observes = digraph(code)
        if observable(observes):
            check_against_brute_force(observes)
        else:
            with pytest.raises(sl.InputError, match="no action observes"):
                sl.Feedback.uniform(observes)


@pytest.mark.parametrize("block", thinned(range(10), 5))
def test_five_thousand_random_digraphs_against_brute_force(block: int) -> None:
    rng = np.random.default_rng([7, block])
    for _ in range(500):
        check_against_brute_force(random_digraph(rng, int(rng.integers(1, 13))))


@st.composite
def pairs_of_sets(draw: st.DrawFn) -> tuple[BoolArray, list[int], list[int]]:
    n = draw(st.integers(1, 7))
    observes = draw(arrays(bool, (n, n)))
    observes[0] |= ~observes.any(axis=0)
    chosen = st.lists(st.integers(0, n - 1), min_size=1, unique=True)
    return np.asarray(observes), draw(chosen), draw(chosen)


@given(pairs_of_sets())
@settings(deadline=None, max_examples=200)
def test_coverage_is_one_over_the_fractional_cover(
    case: tuple[BoolArray, list[int], list[int]],
) -> None:
    observes, players, targets = case
    fb = sl.Feedback.uniform(observes)
    rho, m = sl.rho_lp(fb, players, targets), sl.coverage(fb, players, targets)
    by_definition = naive.coverage(observes, players, targets)
    assert m.value == pytest.approx(by_definition, abs=1e-7)
    if not naive.dominates(observes, players, targets):
        assert (rho.value, m.value) == (math.inf, 0.0)
        return
    assert m.value * rho.value == pytest.approx(1.0, rel=1e-12)
    assert m.plan.sum() == pytest.approx(1.0, rel=1e-12)
    assert set(np.flatnonzero(m.plan)) <= set(players)
    seen = np.array([m.plan @ observes[:, j] for j in targets])
    assert seen.min() == pytest.approx(m.value, rel=1e-9)


def test_no_targets_are_covered_for_nothing() -> None:
    fb = sl.Feedback.bandit(3)
    assert sl.rho_lp(fb, [0, 1], []).value == 0
    assert sl.coverage(fb, [0, 1], []).value == math.inf


def test_an_action_that_is_not_there_is_an_error() -> None:
    with pytest.raises(sl.InputError, match="targets holds 3; actions are 0 to 2"):
        sl.rho_lp(sl.Feedback.bandit(3), [0], [3])


# Values known by hand; W, independence, domination, fractional domination, m([K], [K]).
KNOWN = {
    "bandit": (sl.gallery("bandit", actions=5), (), 5, 0, 0, 1 / 5),
    "star": (sl.gallery("star", actions=5), (), 4, 0, 0, 1),
    "loopless": (sl.gallery("loopless", actions=5), (), 1, 0, 0, 4 / 5),
    "full information": (sl.gallery("full-information"), (), 1, 0, 0, 1),
    "revealing": (sl.gallery("revealing", actions=5), (1, 2, 3, 4), 4, 1, 1, 1),
    "cycle": (sl.gallery("cycle", actions=5), (0, 1, 2, 3, 4), 2, 5, 5, 1 / 5),
    "fano": (sl.gallery("fano"), tuple(range(7)), 1, 3, 7 / 3, 3 / 7),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_structures(name: str) -> None:
    problem, weak, independence, domination, fractional, m = KNOWN[name]
    found = sl.structure(problem.feedback)
    assert found.weak == weak
    assert found.independence.value == independence
    assert found.domination.value == domination
    assert found.fractional_domination == pytest.approx(fractional, rel=1e-9)
    everyone = range(len(problem))
    assert sl.coverage(problem.feedback, everyone, everyone).value == pytest.approx(m, rel=1e-9)
    assert found.effective_independence.value == independence
    check_witnesses(found)


def test_the_best_distribution_of_a_small_example() -> None:
    shows = {0: [1, 2], 1: [2, 3], 2: [1, 3], 3: [0]}
    found = sl.coverage(sl.Feedback.from_graph(shows), range(4), range(4))
    assert found.value == pytest.approx(0.4, rel=1e-12)
    assert found.plan == pytest.approx([0.2, 0.2, 0.2, 0.4], rel=1e-9)


def test_with_two_actions_everything_observable_is_strong() -> None:
    for code in range(16):
        observes = digraph(code, 2)
        if observable(observes):
            assert sl.structure(sl.Feedback.uniform(observes)).weak == ()


def test_one_action() -> None:
    found = sl.structure(sl.Feedback.bandit(1))
    assert (found.observability, found.independence.value, found.domination.value) == (
        "strong",
        1,
        0,
    )


@given(
    st.integers(1, 6).flatmap(
        lambda n: arrays(float, (n, n), elements=st.sampled_from([0.0, 0.25, 1, 2, 5, np.inf]))
    )
)
@settings(deadline=None, max_examples=300)
def test_effective_independence_is_the_minimum_over_all_thresholds(
    variance: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> None:
    variance[0, np.isinf(variance).all(axis=0)] = 3.0
    found = sl.structure(sl.Feedback(variance))
    assert found.effective_independence.proved
    assert found.effective_independence.value == pytest.approx(
        naive.effective_independence(variance), rel=1e-12
    )
    check_witnesses(found)


@pytest.mark.parametrize("seed", range(8))
def test_many_grades_of_noise_against_all_thresholds(seed: int) -> None:
    """Self-observation is best, and each pair has a noise of its own: seven thresholds or more."""
    rng = np.random.default_rng(seed)
    n = 5
    pairs = np.triu(10 ** rng.uniform(0, 1.2, (n, n)), 1)
    variance = pairs + pairs.T + np.eye(n)
    found = sl.structure(sl.Feedback(variance)).effective_independence
    assert found.value == pytest.approx(naive.effective_independence(variance), rel=1e-12)
    assert found.reference == 1.0
    assert found.value == pytest.approx(
        found.threshold * naive.independence_number(variance <= found.threshold)
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_reference_is_the_least_noise_that_still_observes_as_the_whole_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 6))
    variance = np.where(random_digraph(rng, K), rng.choice([1.0, 2.0, 3.0, 5.0], (K, K)), np.inf)
    strong = all(naive.is_strong(variance < np.inf, i) for i in range(K))

    def suffices(v: float) -> bool:
        seen = variance <= v
        strongly = all(naive.is_strong(seen, i) for i in range(K))
        return strongly if strong else bool(seen.any(axis=0).all())

    found = sl.structure(sl.Feedback(variance)).effective_independence
    assert found.reference == min(v for v in np.unique(variance) if suffices(v))


def test_the_best_threshold_may_lie_in_between() -> None:
    """Alone: 4 at 1. In pairs: 2 at 1.2. Together: 1 at 10."""
    pair = np.arange(4) // 2
    variance = np.where(pair[:, None] == pair, 1.2, 10.0)
    np.fill_diagonal(variance, 1.0)
    found = sl.structure(sl.Feedback(variance)).effective_independence
    assert found.value == pytest.approx(2.4)
    assert (found.threshold, found.reference) == (1.2, 1.0)


def test_a_cover_that_took_too_long_has_no_coverage(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = FractionalCover(math.nan, np.zeros(4), np.zeros(2))
    module = sys.modules["sidelight.structure"]  # its function has the same name
    monkeypatch.setattr(module, "rho_lp", lambda *_: unknown)
    assert math.isnan(sl.coverage(sl.gallery("dosing").feedback, range(4), [0, 1]).value)


def test_graded_noise_counts_far_observations_for_little() -> None:
    found = sl.structure(sl.gallery("graded").feedback)
    assert found.independence.value == 2  # whoever is seen at all
    assert found.effective_independence.value == 6  # 16-fold variance is not worth it
    assert found.effective_independence.threshold == 1.0


def test_shows_and_shown_by_are_rows_and_columns() -> None:
    found = sl.structure(sl.gallery("star", actions=3).feedback)
    assert found.shows == ((0, 1, 2), (1,), (2,))
    assert found.shown_by == ((0,), (0, 1), (0, 2))


@pytest.mark.parametrize("seed", range(5))
def test_a_hundred_actions_of_degree_five_are_proved(seed: int) -> None:
    rng = np.random.default_rng([100, seed])
    found = sl.structure(sl.Feedback.uniform(regular_digraph(rng, 100, 5)))
    assert found.independence.proved
    assert found.domination.proved
    check_witnesses(found)


def test_three_hundred_actions_give_a_bracket() -> None:
    observes = regular_digraph(np.random.default_rng(300), 300, 5)
    found = sl.structure(sl.Feedback.uniform(observes), budget=2.0)
    for number in (found.independence, found.domination):
        assert number.lower < number.upper
        assert (number.proved, number.value) == (False, None)
        assert str(number) == f"between {number.lower} and {number.upper}"
    assert math.ceil(found.fractional_domination - 1e-6) <= found.domination.lower
    check_witnesses(found)


def test_a_graded_matrix_out_of_time_still_has_a_true_bracket() -> None:
    rng = np.random.default_rng(4)
    variance = rng.uniform(1, 30, (150, 150))
    variance[rng.random((150, 150)) < 0.9] = np.inf
    np.fill_diagonal(variance, 1.0)
    found = sl.structure(sl.Feedback(variance), budget=1.0)
    graded = found.effective_independence
    assert 1 <= graded.lower <= graded.upper <= 150
    check_witnesses(found)


def test_relabelling_changes_no_number() -> None:
    rng = np.random.default_rng(11)
    for _ in range(20):
        observes = random_digraph(rng, 8)
        order = rng.permutation(8)
        there = sl.structure(sl.Feedback.uniform(observes))
        here = sl.structure(sl.Feedback.uniform(observes[np.ix_(order, order)]))
        assert there.independence.value == here.independence.value
        assert there.domination.value == here.domination.value
        assert there.fractional_domination == pytest.approx(here.fractional_domination, rel=1e-9)
        assert sorted(order[list(here.weak)]) == sorted(there.weak)


@pytest.mark.parametrize("budget", [0.0, -1.0, math.nan])
def test_a_budget_must_be_positive(budget: float) -> None:
    with pytest.raises(sl.InputError, match="positive number of seconds"):
        sl.structure(sl.Feedback.bandit(2), budget=budget)


def test_a_problem_stands_for_its_feedback() -> None:
    problem = sl.gallery("dosing")
    one, other = sl.structure(problem), sl.structure(problem.feedback)
    for field in ("strong", "weak", "independence", "domination", "effective_independence"):
        assert getattr(one, field) == getattr(other, field)
    assert repr(one.fractional) == repr(other.fractional)
    with pytest.raises(sl.InputError, match="3 is no feedback: give a Feedback"):
        sl.structure(3)  # type: ignore[arg-type]


def test_every_shipped_problem_is_proved() -> None:
    for name in sl.gallery():
        found = sl.structure(sl.gallery(name).feedback)
        assert found.independence.proved, name
        assert found.domination.proved, name
        assert found.effective_independence.proved, name
