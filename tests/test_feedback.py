"""What the learner knows before it plays."""

from __future__ import annotations

import copy
import math
import pickle
import sys
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sidelight import Feedback, InputError, MissingExtraError, load
from sidelight.variances import Array, BoolArray
from strategies import feedbacks, labels, matrices, typed

inf = math.inf
SIGMAS = st.sampled_from([0.0, 0.5, 1.0, 3.0])
PAIRS = [(i, j) for i in range(3) for j in range(3)]


def same(a: Feedback, b: Feedback) -> bool:
    """Equal down to the types of labels and the bits of variances."""
    names = [typed(label) for label in a.labels] == [typed(label) for label in b.labels]
    return names and a.variance.tobytes() == b.variance.tobytes()


# ---- constructors, each against its definition -----------------------------------------------


@settings(max_examples=40, deadline=None)
@given(feedback=feedbacks())
def test_the_readings_of_the_matrix_are_their_definitions(feedback: Feedback) -> None:
    for i in range(len(feedback)):
        for j in range(len(feedback)):
            variance = float(feedback.variance[i, j])
            assert feedback.observes[i, j] == (variance != inf)
            if variance == 0:
                assert feedback.precision[i, j] == inf
            elif variance > 1e-300:
                assert feedback.precision[i, j] == 1 / variance


@given(st.lists(SIGMAS, min_size=3, max_size=3))
@settings(max_examples=20, deadline=None)
def test_each_model_is_its_definition(sigma: list[float]) -> None:
    bandit = Feedback.bandit(3, sigma)
    full = Feedback.full_information(3, sigma)
    for i, j in PAIRS:
        assert bandit.variance[i, j] == (sigma[j] ** 2 if i == j else inf)
        assert full.variance[i, j] == sigma[j] ** 2


@settings(max_examples=40, deadline=None)
@given(arrays(bool, (3, 3)), SIGMAS)
def test_graphs_are_their_definitions(observes: BoolArray, sigma: float) -> None:
    np.fill_diagonal(observes, True)
    expected = np.full((3, 3), inf)
    for i, j in PAIRS:
        if observes[i, j]:
            expected[i, j] = sigma**2
    edges = [(i, j) for i, j in PAIRS if observes[i, j]]
    graph = nx.DiGraph()
    graph.add_nodes_from(range(3))
    graph.add_edges_from(edges)
    spellings = [
        Feedback.uniform(observes, sigma),
        Feedback.uniform(observes.tolist(), sigma),
        Feedback.from_graph(edges, sigma),
        Feedback.from_graph(np.argwhere(observes), sigma),
        Feedback.from_graph(iter(edges), [sigma] * 3),
        Feedback.from_graph(edges, {0: sigma, "1": sigma, 2: sigma}, actions=range(3)),
        Feedback.from_graph([edge for edge in edges if edge[0] != edge[1]], sigma,
                            actions=range(3), self_loops=True),
        Feedback.from_graph({i: np.flatnonzero(observes[i]) for i in range(3)}, sigma),
        Feedback.from_graph(graph, sigma),
    ]  # fmt: skip
    for feedback in spellings:
        assert feedback.labels == (0, 1, 2)
        assert [type(label) for label in feedback.labels] == [int, int, int]
        assert feedback.variance.tobytes() == expected.tobytes()


def test_the_noise_is_one_where_nothing_is_said() -> None:
    assert Feedback.bandit(2).uniform_sigma == 1.0
    assert Feedback.full_information(2).uniform_sigma == 1.0
    assert Feedback.uniform([[True]]).uniform_sigma == 1.0
    assert Feedback.from_graph([(0, 0)]).uniform_sigma == 1.0


def test_an_undirected_edge_works_both_ways() -> None:
    graph = nx.Graph([("a", "b"), ("b", "b")])
    assert Feedback.from_graph(graph).observes.tolist() == [[False, True], [True, True]]


def test_an_edge_may_carry_its_own_noise() -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", variance=5.0)
    graph.add_edge("a", "a", sigma=3.0)
    graph.add_edge("b", "b", weight=7)
    assert Feedback.from_graph(graph, sigma=2).variance.tolist() == [[9.0, 5.0], [5.0, 4.0]]


@pytest.mark.parametrize(
    ("graph", "order"),
    [
        ({"test": ["A", "B", "test"]}, ("A", "B", "test")),
        ({"B": ["A", "B"], "A": []}, ("B", "A")),
        ({"a": ["b"], "c": []}, ("b", "a", "c")),
        ([("t", "B"), ("t", "A")], ("B", "A", "t")),
        (np.array([[0, 2], [1, 1], [2, 0]]), (0, 1, 2)),
    ],
)
def test_the_order_of_the_actions_of_a_graph(graph: Any, order: tuple[Hashable, ...]) -> None:
    assert Feedback.from_graph(graph, self_loops=True).labels == order


def test_generalized_full_information_keeps_its_matrix() -> None:
    feedback = Feedback.generalized_full_information([[1, 2], [3, 0]], labels="ab")
    assert feedback == Feedback([[1, 2], [3, 0]], labels=["a", "b"])


# ---- predicates, each against its definition -------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(variance=matrices())
def test_every_predicate_holds_exactly_where_its_definition_does(variance: Array) -> None:
    feedback, size = Feedback(variance), range(len(variance))
    every = [(i, j) for i in size for j in size]
    seen = [(i, j) for i, j in every if variance[i, j] < inf]
    graph = all(variance[i, j] == variance[k, j] for i, j in seen for k in size if (k, j) in seen)
    values = {float(variance[edge]) for edge in seen}
    assert feedback.is_bandit == (seen == [(i, i) for i in size])
    assert feedback.is_generalized_full_information == (seen == every)
    assert feedback.is_full_information == (seen == every and graph)
    assert feedback.is_graph == graph
    assert feedback.is_uniform == (len(values) == 1)
    assert feedback.uniform_sigma == (math.sqrt(values.pop()) if len(values) == 1 else None)
    assert feedback.is_self_observing == all((i, i) in seen for i in size)


def test_an_action_is_found_by_its_label_and_by_its_text() -> None:
    feedback = Feedback.bandit(3, labels=["a", 7, None])
    assert [feedback.index(label) for label in ("a", 7, "7", None)] == [0, 1, 1, 2]
    with pytest.raises(InputError, match="labels: no action is called 'z'; choose from: a, 7"):
        feedback.index("z")


# ---- there and back --------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(feedback=feedbacks())
def test_copies_are_the_same(feedback: Feedback) -> None:
    for other in (
        copy.copy(feedback),
        copy.deepcopy(feedback),
        pickle.loads(pickle.dumps(feedback)),
        Feedback(feedback.to_list(), feedback.labels),
    ):
        assert same(other, feedback)
        assert other == feedback
        assert hash(other) == hash(feedback)


@settings(max_examples=40, deadline=None)
@given(feedback=feedbacks(names=labels().filter(lambda label: label is not None)))
def test_a_networkx_graph_comes_back_as_it_was(feedback: Feedback) -> None:
    assert same(Feedback.from_graph(feedback.to_networkx()), feedback)


@settings(max_examples=40, deadline=None)
@given(variance=matrices())
def test_an_undirected_graph_comes_back_as_it_was(variance: Array) -> None:
    feedback = Feedback(np.minimum(variance, variance.T))
    assert same(Feedback.from_graph(nx.Graph(feedback.to_networkx())), feedback)


@settings(max_examples=40, deadline=None)
@given(arrays(float, (3, 3), elements=SIGMAS | st.just(inf)), st.permutations("abc"))
def test_an_edge_list_comes_back_as_it_was(sigma: Array, names: list[str]) -> None:
    np.fill_diagonal(sigma, 2.0)
    feedback = Feedback(sigma**2, names)
    assert same(Feedback.from_graph(feedback.to_edges(), actions=names), feedback)
    for played, observed, noise in feedback.to_edges():
        assert noise == sigma[names.index(str(played)), names.index(str(observed))]


@pytest.mark.parametrize("suffix", ["toml", "json", "csv"])
def test_a_saved_structure_is_loaded_as_it_was(tmp_path: Path, suffix: str) -> None:
    feedback = Feedback([[0, 2, inf], [1, 1e308, inf], [inf, inf, 3]], labels=[None, "1", 1.0])
    feedback.save(tmp_path / f"a.{suffix}")
    loaded = load(str(tmp_path / f"a.{suffix}"))
    assert isinstance(loaded, Feedback)
    assert same(loaded, feedback)


def test_a_saved_matrix_is_loaded_as_it_was(tmp_path: Path) -> None:
    feedback = Feedback([[0.0, 2.0], [inf, 5e-324]])
    feedback.save(tmp_path / "a.npy")
    assert load(tmp_path / "a.npy") == feedback


def test_networkx_has_no_node_called_none() -> None:
    with pytest.raises(InputError, match="no node called None: give that action another label"):
        Feedback.bandit(1, labels=[None]).to_networkx()


def test_without_networkx_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sidelight\[graph\]'"):
        Feedback.bandit(2).to_networkx()


# ---- a value like any other ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["variance", "precision", "observes"])
def test_arrays_cannot_be_written_nor_made_writable(name: str) -> None:
    array = getattr(Feedback.bandit(2), name)
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.setflags(write=True)
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.base.setflags(write=True)


def test_the_callers_array_stays_the_callers() -> None:
    mine = np.eye(2) + 1
    names = ["a", "b"]
    feedback = Feedback(mine, names)
    mine[:] = 7.0
    names[0] = "z"
    assert feedback.variance.tolist() == [[2.0, 1.0], [1.0, 2.0]]
    assert feedback.labels == ("a", "b")


@pytest.mark.parametrize("name", ["variance", "labels", "precision", "observes", "new"])
def test_attributes_cannot_be_set(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(Feedback.bandit(2), name, None)


def test_equality_is_of_values() -> None:
    feedback = Feedback([[0.0, 1.0], [inf, 1.0]])
    negative = Feedback([[-0.0, 1.0], [inf, 1.0]])
    assert feedback == negative
    assert len({feedback, negative}) == 1
    assert feedback != Feedback([[0.5, 1.0], [inf, 1.0]])
    assert feedback != Feedback([[0.0, 1.0], [inf, 1.0]], labels="ab")
    assert feedback != "a feedback"


def test_the_sign_of_zero_does_not_reach_the_precision() -> None:
    assert Feedback([[-0.0]]).precision.tolist() == [[inf]]


def test_it_shows_itself_in_one_line() -> None:
    assert len(Feedback.bandit(2)) == 2
    assert repr(Feedback.bandit(2, 0.5)) == "<Feedback: 2 actions, 2 observations, sigma=0.5>"
    assert repr(Feedback([[1, 2], [0, 1]])) == (
        "<Feedback: 2 actions, 4 observations, several sigmas>"
    )


# ---- complaints ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variance", "message"),
    [
        ([[1, inf], [1, inf]],
         "no action observes 'B' .column 1 of .* all inf.: give some row a finite .* or leave"),
        ([[1, -2], [1, 1]], r"variance\[0, 1\] \('A' shows 'B'\) is -2: .* cannot be negative"),
        ([[1, -inf], [1, 1]], "is -inf: a variance cannot be negative; write 0 for an exact"),
        ([[1, 1], [math.nan, 1]], r"variance\[1, 0\] \('B' shows 'A'\) is NaN: write inf where"),
        ([[1, None], [1, 1]], r"variance\[0, 1\] .* is NaN"),
        ([[1, 2], [3]], "the variance matrix is not square: row 1 has 1 entries, expected 2"),
        ([[1, 2], 3], "the variance matrix is not square: row 1 has 0 entries, expected 2"),
        ([[1, [2]], [3, 4]], "the variance matrix must hold one number in each place"),
        ([[1, 2, 3], [4, 5, 6]], r"has shape \(2, 3\): it must be square, row = action played"),
        ([1, 2], r"has shape \(2,\): it must be square"),
        (5, r"has shape \(\): it must be square"),
        ([], "at least one action, not 0"),
        (np.empty((0, 0)), "at least one action, not 0"),
        ([[True, False], [True, True]], r"not how noisily: use Feedback.uniform\(observes, sigma"),
        ([["1", "2"], ["3", "4"]], "the variance matrix must hold numbers"),
        (np.ones((2, 2)) * 1j, "the variance matrix must hold numbers"),
        ([[10**400, 1], [1, 1]], "the variance matrix must hold numbers"),
        (np.broadcast_to(1.0, (100_000, 100_000)), "100,000 actions are more than the limit"),
    ],
)  # fmt: skip
def test_matrices_that_cannot_be_used(variance: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Feedback(variance, labels=["A", "B"])


def test_many_actions_that_nobody_observes_are_not_all_named() -> None:
    with pytest.raises(InputError, match=r"no action observes 0, 1, 2, 3, 4 \(column 0"):
        Feedback(np.full((5, 5), inf))
    with pytest.raises(InputError, match=r"no action observes 0, 1, 2, 3, 4, \.\.\. \(column 0"):
        Feedback(np.full((6, 6), inf))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Feedback.bandit(0), "at least one action, not 0"),
        (lambda: Feedback.bandit(100_000), "100,000 actions are more than the limit of 4,096"),
        (lambda: Feedback.full_information(100_000), "100,000 actions are more than the limit"),
        (lambda: Feedback.from_graph([], actions=range(100_000)), "100,000 actions are more than"),
        (lambda: Feedback.uniform(np.broadcast_to(True, (100_000,) * 2)), "100,000 actions are"),
        (lambda: Feedback.bandit(2, sigma=[1]), r"sigma has shape \(1,\) for 2 actions"),
        (lambda: Feedback.bandit(2, sigma=inf), "no action observes 0, 1"),
        (lambda: Feedback.bandit(2, labels=["A"]), "1 labels for 2 actions"),
        (lambda: Feedback.full_information(2, labels=["A", "A"]), "the same label 'A'"),
        (lambda: Feedback([[1]], labels=5),  # type: ignore[arg-type]
         "labels must be a list"),
        (lambda: Feedback.generalized_full_information([[1.0, inf], [1.0, 1.0]]),
         r"the variance at \[0, 1\] is infinite.*use Feedback for"),
        (lambda: Feedback.uniform([[1, 0], [1, 1]]), "observes must be a matrix of booleans"),
        (lambda: Feedback.uniform([[True], [True, True]]), "booleans is not square: row 0 has 1"),
        (lambda: Feedback.uniform([[True, True]]), r"booleans has shape \(1, 2\)"),
        (lambda: Feedback.uniform([[True]], sigma=-1), "cannot be negative"),
        (lambda: Feedback.from_graph([]), "at least one action, not 0"),
        (lambda: Feedback.from_graph(nx.Graph()), "at least one action, not 0"),
        (lambda: Feedback.from_graph(5), "a graph is a networkx graph, pairs .* not 5"),
        (lambda: Feedback.from_graph([5]), "a graph is a networkx graph, pairs .* or a mapping"),
        (lambda: Feedback.from_graph({"a": 5}), "mapping from an action to a list of those it"),
        (lambda: Feedback.from_graph([(1, 1, 1, 1)]), r"edge \(1, 1, 1, 1\) must be \(played, obs"),
        (lambda: Feedback.from_graph([([1], [2])]), "unhashable .* call actions by strings"),
        (lambda: Feedback.from_graph([("a", "a")], actions=3),  # type: ignore[arg-type]
         "labels must be a list"),
        (lambda: Feedback.from_graph([("test", "tset")], actions=["test"]),
         "edges: no action is called 'tset'; did you mean 'test'"),
        (lambda: Feedback.from_graph([("a", "b")]), "no action observes 'a'"),
        (lambda: Feedback.from_graph([(0, 0, -1.0)]), "sigma of edge 0 -> 0 is -1.0: .* least 0"),
        (lambda: Feedback.from_graph([(0, 0, "x")]), "sigma of edge 0 -> 0 must hold numbers"),
        (lambda: Feedback.from_graph([(0, 0, [1, 1])]), "sigma of edge 0 -> 0 is .* at least 0"),
        (lambda: Feedback.from_graph([(0, 0, 1e200)]), "square that no float can hold"),
        (lambda: Feedback.from_graph([(0, 0, 1), (0, 0, 2)]), "edge 0 -> 0 has two variances"),
        (lambda: Feedback.from_graph(nx.DiGraph([(0, 0, {"variance": math.nan})])),
         "variance of edge 0 -> 0 is nan: it must be a number of at least 0"),
    ],
)  # fmt: skip
def test_arguments_that_cannot_be_used(make: Callable[[], Feedback], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
