"""Series and frames: read by label or refused, and never by position in silence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sidelight import Belief, Feedback, InputError, Learner, Problem, analyze, load
from strategies import NASTY_TEXTS, matrices

inf = float("inf")
two = Feedback.bandit(2, labels=["x", "y"])


def names(size: int) -> st.SearchStrategy[list[Any]]:
    """Distinct labels as people have them: all of them texts, all whole numbers, or pairs."""
    kinds = (
        st.sampled_from(NASTY_TEXTS) | st.text(max_size=3),
        st.integers(-9, 9),
        st.tuples(st.sampled_from("ab"), st.integers(0, 9)),
    )
    return st.one_of(*(st.lists(k, min_size=size, max_size=size, unique=True) for k in kinds))


def index(labels: list[Any]) -> pd.Index:
    """The labels as they are: pandas would make a MultiIndex of tuples."""
    return pd.Index(labels, tupleize_cols=False)


# ---- the same problem in any order ---------------------------------------------------------------


@given(st.data(), matrices())
def test_any_permutation_of_a_labelled_frame_is_the_same_problem(
    data: st.DataObject, variance: Any
) -> None:
    size = len(variance)
    labels = data.draw(names(size))
    means = data.draw(arrays(float, size, elements=st.floats(0, 1)))
    expected = Problem(Feedback(variance, labels), means)
    rows, columns, order = (data.draw(st.permutations(range(size))) for _ in range(3))
    frame = pd.DataFrame(variance, index=index(labels), columns=index(labels))
    shuffled = frame.iloc[list(rows), list(columns)]
    series = pd.Series(means, index=index(labels)).iloc[list(order)]
    assert Problem(Feedback(shuffled, labels), series) == expected
    own = Feedback(shuffled)  # the actions stand in the order of its rows
    assert own.labels == tuple(labels[i] for i in rows)
    at = [own.index(label) for label in labels]
    assert np.array_equal(own.variance[np.ix_(at, at)], expected.feedback.variance)
    assert Problem(own, series).means[at].tolist() == means.tolist()


@given(st.data(), arrays(float, 3, elements=st.floats(1e-3, 1e3)))
def test_a_series_gives_each_action_its_sigma(data: st.DataObject, sigma: Any) -> None:
    labels = data.draw(names(3))
    shuffled = pd.Series(sigma, index=index(labels)).iloc[data.draw(st.permutations(range(3)))]
    for make in (Feedback.bandit, Feedback.full_information):
        assert make(3, shuffled, labels) == make(3, list(sigma), labels)


def test_the_series_that_was_read_by_position() -> None:
    assert Problem(two, pd.Series({"y": 0.2, "x": 0.5})) == Problem(two, {"y": 0.2, "x": 0.5})
    assert Problem(two, pd.Series({"y": 0.2, "x": 0.5})).means.tolist() == [0.5, 0.2]


def test_a_frame_of_booleans_is_read_by_label() -> None:
    frame = pd.DataFrame([[True, False], [False, True]], index=["x", "y"], columns=["y", "x"])
    assert Feedback.uniform(frame).observes.tolist() == [[False, True], [True, False]]
    full = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], index=["x", "y"], columns=["y", "x"])
    found = Feedback.generalized_full_information(full, labels=["y", "x"])
    assert (found.labels, found.to_list()) == (("y", "x"), [[3.0, 4.0], [1.0, 2.0]])


def test_numbered_actions_need_no_labels() -> None:
    assert Feedback(pd.DataFrame([[1.0, 2.0], [3.0, 4.0]])) == Feedback([[1, 2], [3, 4]])
    numbered = Feedback.bandit(2)
    assert Problem(numbered, pd.Series([0.2, 0.5])) == Problem(numbered, [0.2, 0.5])
    assert Problem(numbered, pd.Series({1: 0.2, 0: 0.5})) == Problem(numbered, [0.5, 0.2])
    backwards = Feedback.bandit(2, labels=[1, 0])
    assert Problem(backwards, pd.Series([0.2, 0.5])).means.tolist() == [0.5, 0.2]


def test_a_polars_series_has_no_index_and_is_read_for_numbered_actions_only() -> None:
    numbered = Feedback.bandit(2)
    assert Problem(numbered, pl.Series([0.5, 0.2])) == Problem(numbered, [0.5, 0.2])
    assert Feedback.bandit(2, pl.Series([1.0, 2.0])) == Feedback.bandit(2, [1.0, 2.0])


@given(st.data(), matrices())
def test_a_frame_of_sigma_is_read_by_label_too(data: st.DataObject, sigma: Any) -> None:
    sigma = np.minimum(sigma, 1e100) * np.where(np.isinf(sigma), inf, 1.0)
    size = len(sigma)
    labels = data.draw(names(size))
    rows, columns = (list(data.draw(st.permutations(range(size)))) for _ in range(2))
    frame = pd.DataFrame(sigma, index=index(labels), columns=index(labels)).iloc[rows, columns]
    try:
        expected = Feedback(sigma=sigma, labels=labels)
    except InputError:  # a square that no float can hold
        with pytest.raises(InputError, match="has a square that no float"):
            Feedback(sigma=frame, labels=labels)
        return
    assert Feedback(sigma=frame, labels=labels) == expected
    assert expected.sigma.tolist() == sigma.tolist()


# ---- what was seen -------------------------------------------------------------------------------

shown = Feedback.full_information(3, labels=["x", "y", "z"])


@given(st.permutations([("x", 0.1), ("y", 0.2), ("z", 0.3)]), st.integers(0, 3))
def test_a_series_of_values_tells_each_action_its_own(
    pairs: list[tuple[str, float]], count: int
) -> None:
    came = dict(pairs[:count])
    series = pd.Series(dict(pairs)).where(lambda s: s.index.isin(list(came)))  # NaN: nothing came
    empty = Belief.empty(shown)
    assert empty.observe(0, series).sums.tolist() == empty.observe(0, came).sums.tolist()
    learners = [Learner(shown, "greedy", seed=1) for _ in range(2)]
    for learner, values in zip(learners, (series, came), strict=True):
        learner.tell(learner.ask().id, values)
    assert learners[0].to_json() == learners[1].to_json()


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (pd.Series([0.1, 0.2, 0.3]), "only positions 0, 1"),
        (pd.Series([0.1, 0.2], index=["x", "x"]), "names action 'x' twice"),
        (pd.Series({"x": 0.1, "w": 0.2}), "no action is called 'w'"),
        (pd.DataFrame({"x": [0.1]}), "is a frame: give one of its columns"),
        (pl.DataFrame({"x": [0.1]}), "is a frame: give one of its columns"),
        (
            pl.Series([0.1, 0.2, 0.3]),
            "a polars Series, which does not say which of the actions 'x'",
        ),
    ],
)
def test_values_that_do_not_name_the_actions_are_refused(values: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Belief.empty(shown).observe(0, values)
    learner = Learner(shown, "greedy", seed=1)
    with pytest.raises(InputError, match=says):
        learner.tell(learner.ask().id, values)


def test_a_series_names_what_an_action_shows() -> None:
    by_label = {"x": pd.Series({"y": 2.0, "x": 1.0}), "y": pd.Series({"y": 3.0})}
    plain = {"x": {"y": 2.0, "x": 1.0}, "y": {"y": 3.0}}
    assert Feedback.from_graph(by_label) == Feedback.from_graph(plain)


# ---- refusals ------------------------------------------------------------------------------------

square = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]])
named = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], index=["x", "y"], columns=["x", "y"])
graph = nx.Graph([(0, 1), (1, 2)])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Problem(two, pd.Series([0.5, 0.2])),
         r"means: only positions 0, 1, \.\.\. for the actions 'x', 'y'\. The index of a Series "
         r"must name the actions; means\.to_numpy\(\) goes by position"),
        (lambda: Problem(two, pd.Series({"x": 0.5, "z": 0.2})), "no action is called 'z'"),
        (lambda: Problem(two, pd.Series({"x": 0.5})), r"no entry for \['y'\]"),
        (lambda: Problem(two, pd.Series([0.1, 0.2, 0.3], index=list("xyx"))), "'x' twice"),
        (lambda: Problem(two, named), "means is a frame: give one of its columns"),
        (lambda: Problem(two, pl.DataFrame({"x": [0.1]})), "means is a frame"),
        (lambda: Problem(Feedback.bandit(2, labels=[True, False]), pd.Series([0.5, 0.2])),
         "for the actions True, False"),
        (lambda: Problem(Feedback.bandit(2, labels=[1.0, 0.0]), pd.Series([0.5, 0.2])),
         "for the actions 1.0, 0.0"),
        (lambda: Feedback.bandit(2, pd.Series([1.0, 2.0]), ["x", "y"]), "sigma: only positions"),
        (lambda: Feedback.bandit(5, pd.Series(np.ones(5)), list("abcde")),
         r"for the actions 'a', 'b', 'c', \.\.\."),
        (lambda: Feedback(square, labels=["x", "y"]),
         r"the rows of the variance matrix: only positions .*frame\.to_numpy\(\) goes by position"),
        (lambda: Feedback(square.set_axis(["x", "y"])), "the columns of the variance matrix: only"),
        (lambda: Feedback(named, labels=["x", "z"]), "rows .*no action is called 'y'"),
        (lambda: Feedback(named.rename(columns={"y": "z"})), "columns .*no action is called 'z'"),
        (lambda: Feedback(named[["x", "x"]]), "columns of the variance matrix names action 'x' tw"),
        (lambda: Feedback(named.iloc[:1]), "columns .*no action is called 'y'"),
        (lambda: Feedback.uniform(square > 1, labels=["x", "y"]), "the matrix of booleans: only"),
        (lambda: Feedback(pl.DataFrame({"x": [1.0, 2.0], "y": [1.0, 2.0]})),
         r"a polars frame, which does not say which action a row belongs to: give frame\.to_numpy"),
        (lambda: Problem(two, pl.Series([0.5, 0.2])),
         r"means is a polars Series, .* actions 'x', 'y' a number belongs to: give a dictionary; "
         r"means\.to_list\(\) goes by position"),
        (lambda: Problem(two, [0.5, 0.2], errors=pl.Series([0.1, 0.1])), "errors is a polars Ser"),
        (lambda: Feedback.bandit(2, pl.Series([1.0, 2.0]), ["x", "y"]), "sigma is a polars Series"),
        (lambda: Feedback([named.loc["y"], named.loc["x"]]), "made of Series, whose labels would"),
        (lambda: Feedback(sigma=(pl.Series([1.0]),)), "made of Series, whose labels would"),
        (lambda: Feedback(named["x"]), "made of Series, whose labels would"),
        (lambda: Feedback(sigma=square, labels=["x", "y"]),
         "rows of sigma, the matrix of standard deviations,: only positions"),
        (lambda: Feedback(pl.LazyFrame({"x": [1.0]})), "polars frame"),  # type: ignore[arg-type]
        (lambda: Feedback.from_graph(named), r"frame\.itertuples\(index=False\) in pandas"),
        (lambda: Feedback.from_graph(named["x"]), "a graph cannot be a frame or a Series"),
        (lambda: Feedback.from_graph(pl.DataFrame({"a": ["x"], "b": ["y"]})), "iter_rows"),
        (lambda: Feedback.from_graph(graph.edges), "networkx EdgeView: give the graph itself"),
        (lambda: Feedback.from_graph(nx.DiGraph(graph).edges), "networkx OutEdgeView: give the gr"),
        (lambda: Feedback.from_graph(graph.edges(data=True)), "networkx EdgeDataView: give the gr"),
        (lambda: Feedback.from_graph(graph.adj), "networkx AdjacencyView: give the graph itself"),
        (lambda: Feedback.from_graph(["ab", "ba"]), r"edge 'ab' must be \(played, observed\)"),
        (lambda: Feedback.from_graph({"a": "ab", "b": "b"}), "to a list of those it shows"),
    ],
)  # fmt: skip
def test_what_does_not_name_the_actions_is_refused(make: Callable[[], object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()


# ---- units ---------------------------------------------------------------------------------------


def test_matrices_hold_variances_and_sigma_is_a_standard_deviation() -> None:
    assert Feedback([[2, 2], [2, 2]]).uniform_sigma == pytest.approx(2**0.5)
    assert Feedback.from_graph({0: {0: 2.0}}).variance.tolist() == [[4.0]]
    assert Feedback([[4.0]]) == Feedback.bandit(1, sigma=2.0) == Feedback(sigma=[[2.0]])
    graded = Feedback.generalized_full_information(sigma=[[2.0, 1.0], [0.1, 3.0]])
    assert graded == Feedback(np.square([[2.0, 1.0], [0.1, 3.0]]))
    assert graded.sigma.tolist() == [[2.0, 1.0], [0.1, 3.0]]
    assert Feedback(sigma=[[1.0, inf], [0.0, 2.0]]).variance.tolist() == [[1, inf], [0, 4]]


def test_a_matrix_is_given_in_exactly_one_unit() -> None:
    with pytest.raises(InputError, match="give variance or sigma, not both"):
        Feedback([[1.0]], sigma=[[1.0]])
    with pytest.raises(InputError, match=r"needs a matrix: Feedback\(sigma=...\) takes standard"):
        Feedback()
    with pytest.raises(InputError, match="has a variance and a sigma: keep one"):
        Feedback.from_graph(nx.DiGraph([(0, 0, {"sigma": 1.0, "variance": 4.0})]))


def test_what_people_read_is_sigma(tmp_path: Path) -> None:
    graded = Feedback(sigma=[[3.0, 0.5], [7.0, 2.0]])
    Problem(graded, [0.1, 0.2]).save(tmp_path / "a.toml")
    assert "sigma = [\n  [3.0, 0.5],\n  [7.0, 2.0],\n]" in (tmp_path / "a.toml").read_text()
    assert load(tmp_path / "a.toml") == Problem(graded, [0.1, 0.2])
    record: Any = analyze(graded, horizon=100).to_dict()
    assert record["feedback"]["sigma"] == [[3.0, 0.5], [7.0, 2.0]]
    assert "variance" not in record["feedback"]
    assert record["structure"]["effective_independence"]["threshold_sigma"] in (2.0, 3.0)


@pytest.mark.parametrize(
    ("make", "unit"),
    [
        (lambda: Feedback([[-1.0]]), "variance"),
        (lambda: Feedback([["a"]]), "variance"),
        (lambda: Feedback(sigma=[[-1.0]]), r"sigma\[0, 0\] .*a standard deviation cannot be neg"),
        (lambda: Feedback(sigma=[["a"]]), "standard deviation"),
        (lambda: Feedback(sigma=[[1.0, 2.0]]), "standard deviation"),
        (lambda: Feedback(sigma=[[inf, 1.0], [float("nan"), 1.0]]), r"sigma\[1, 0\] .* is NaN"),
        (lambda: Feedback([[1.0, 2.0]]), "variance"),
        (lambda: Feedback.generalized_full_information([[inf, 1.0], [1.0, inf]]), "variance"),
        (lambda: Feedback.bandit(1, -1.0), "standard deviation"),
        (lambda: Feedback.bandit(1, [1.0, 2.0]), "standard deviation"),
        (lambda: Feedback.bandit(1, 1e200), "standard deviation"),
        (lambda: Feedback.bandit(1, "loud"), "standard deviation"),  # type: ignore[arg-type]
        (lambda: Feedback.from_graph([(0, 0, -1.0)]), "standard deviation"),
        (lambda: Feedback.from_graph({0: {0: "loud"}}), "standard deviation"),
    ],
)
def test_every_complaint_about_a_number_says_its_unit(
    make: Callable[[], object], unit: str
) -> None:
    with pytest.raises(InputError, match=unit):
        make()


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("actions = 1\nreveals = { 0 = { 0 = -1.0 } }", "standard deviation"),
        ("actions = 1\nreveals = { 0 = { 0 = 'loud' } }", "standard deviation"),
        ("actions = 1\nkind = 'bandit'\nsigma = 'loud'", "standard deviation"),
        ("actions = 1\nkind = 'bandit'\nsigma = ['loud']", "standard deviation"),
        ("actions = 1\nkind = 'bandit'\nsigma = { 0 = 'loud' }", "standard deviation"),
        ("actions = 1\nkind = 'bandit'\nsigma = -1", "standard deviation"),
        ("sigma = [['loud']]", "standard deviation"),
        ("sigma = [[-1.0]]", "standard deviation"),
        ("variance = [['loud']]", "variance"),
        ("variance = [[-1.0]]", "variance"),
    ],
)
def test_so_does_every_complaint_about_a_file(tmp_path: Path, text: str, unit: str) -> None:
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(InputError, match=f"a.toml: .*{unit}"):
        load(tmp_path / "a.toml")


@pytest.mark.parametrize("scale", ["sigma", "variance"])
@pytest.mark.parametrize("value", ["loud", "-1", "nan"])
def test_and_about_an_edge_list(tmp_path: Path, scale: str, value: str) -> None:
    (tmp_path / "a.csv").write_text(f"source,target,{scale}\n0,0,{value}\n")
    unit = "the standard deviation" if scale == "sigma" else "the variance"
    with pytest.raises(InputError, match=f"line 2: {unit} .*{value}"):
        load(tmp_path / "a.csv")


@pytest.mark.parametrize(
    "door",
    [
        Feedback,
        Feedback.bandit,
        Feedback.full_information,
        Feedback.generalized_full_information,
        Feedback.uniform,
        Feedback.from_graph,
    ],
)
def test_every_door_that_takes_sigma_says_what_it_is(door: Callable[..., Feedback]) -> None:
    assert "standard deviation" in str(door.__doc__)
    assert "variances" in str(Feedback.__doc__)
