"""A problem as plain data, in every spelling that files allow."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight import InputError, Problem
from sidelight.document import KEYS, Document, exact_sigma, from_table, to_table
from sidelight.variances import Array
from strategies import matrices, problems, typed

inf = math.inf
ONE = {"variance": [[1.0]]}
TWO = {"actions": ["A", "B"], "reveals": {"A": {"A": 1.0, "B": 2.0}}}


@pytest.mark.parametrize(
    ("table", "labels", "variance"),
    [
        ({"variance": [[4, inf], [0, 1.0]]}, (0, 1), [[4, inf], [0, 1]]),
        ({"variance": [[1, "inf"], [None, 1]], "actions": ["x", 2]},
         ("x", 2), [[1, inf], [inf, 1]]),
        ({"variance": [[4.0]], "actions": 1}, (0,), [[4]]),
        (TWO, ("A", "B"), [[1, 4], [inf, inf]]),
        ({"actions": 2, "reveals": {"1": {"0": 3, "1": 0}}}, (0, 1), [[inf, inf], [9, 0]]),
        ({"actions": [7, True], "reveals": {"7": {"7": 1, "True": inf}, "True": {"True": 2}}},
         (7, True), [[1, inf], [inf, 4]]),
        ({"kind": "bandit", "actions": 2}, (0, 1), [[1, inf], [inf, 1]]),
        ({"kind": "bandit", "actions": ["x", "y"], "sigma": 2}, ("x", "y"), [[4, inf], [inf, 4]]),
        ({"kind": "bandit", "actions": 2, "sigma": {"1": 3, "0": 0}}, (0, 1), [[0, inf], [inf, 9]]),
        ({"kind": "full-information", "actions": 2, "sigma": [1, 2]}, (0, 1), [[1, 4], [1, 4]]),
        ({"kind": "graph", "edges": [[0, 1], [1, 0]]}, (0, 1), [[inf, 1], [1, inf]]),
        ({"kind": "graph", "edges": [["t", "A"], ["t", "t"]], "sigma": 2},
         ("A", "t"), [[inf, inf], [4, 4]]),
        ({"kind": "graph", "actions": ["t", "A"], "edges": [["t", "A"], ["t", "t"]]},
         ("t", "A"), [[1, 1], [inf, inf]]),
        ({"kind": "graph", "actions": 2, "edges": [["0", 1], [1, "0"]]},
         (0, 1), [[inf, 1], [1, inf]]),
        ({"actions": [{"none": True}, {"tuple": [1, "a"]}], "variance": [[1, 1], [1, 1]]},
         (None, (1, "a")), [[1, 1], [1, 1]]),
        ({"actions": [dt.date(2026, 1, 2)], "variance": [[1]]}, (dt.date(2026, 1, 2),), [[1]]),
    ],
)  # fmt: skip
def test_every_spelling_of_the_feedback(
    table: dict[str, object], labels: tuple[object, ...], variance: list[list[float]]
) -> None:
    document = from_table(table)
    assert [typed(label) for label in document.labels] == [typed(label) for label in labels]
    assert document.variance.tolist() == variance


@pytest.mark.parametrize("means", [{"B": 1, "A": 0.25}, [0.25, 1]])
def test_every_spelling_of_the_means(means: object) -> None:
    document = from_table({**TWO, "means": means, "upper": 3, "name": "two"})
    assert document.means is not None
    assert document.means.tolist() == [0.25, 1.0]
    assert (document.upper, document.name) == (3.0, "two")


def test_what_is_not_said_has_its_default() -> None:
    document = from_table(TWO)
    assert (document.means, document.upper, document.name) == (None, 1.0, "")
    assert Document(document.labels, document.variance).upper == 1.0


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, r"exactly one of \[reveals\], sigma, variance and kind; the file has none of them"),
        ({**ONE, "kind": "bandit"}, "exactly one of .* the file has variance and kind"),
        ({**TWO, **ONE}, "the file has reveals and variance"),
        ({**ONE, "vairance": 1}, "unknown key 'vairance'; did you mean 'variance'"),
        ({**ONE, "zzz": 1}, "unknown key 'zzz'; choose from: name, actions"),
        ({**ONE, "name": 3}, "name = 3 must be text"),
        ({**ONE, "upper": "high"}, "upper = 'high' must be a number"),
        ({**ONE, "upper": True}, "upper = True must be a number"),
        ({**ONE, "upper": 10**400}, "upper is too large for a float"),
        ({**TWO, "sigma": 1}, "exactly one of .* the file has reveals and sigma"),
        ({**ONE, "sigma": [[1]]}, "exactly one of .* the file has variance and sigma"),
        ({"sigma": 1}, "sigma = 1 must be a square list of rows, standard .* give kind"),
        ({"sigma": [1]}, "sigma row 0 must be a list"),
        ({"sigma": [[1, 2]]}, "sigma is not square: row 0 has 2 entries, expected 1"),
        ({"sigma": [["loud"]]}, r"sigma\[0\]\[0\] = 'loud' must be a number, a standard deviation"),
        ({"sigma": [[-1]]}, r"sigma\[0\]\[0\] = -1.0: a standard deviation cannot be negative"),
        ({"sigma": [[math.nan]]}, "a standard deviation cannot be negative or NaN"),
        ({"sigma": [[1e200]]}, "standard deviation sigma = 1e.200 has a square that no float"),
        ({"sigma": [[1]], "actions": 2}, "actions names 2 actions, sigma has 1 rows"),
        ({"sigma": [[1]], "edges": []}, "edges goes with kind, not with sigma"),
        ({**TWO, "edges": []}, "edges goes with kind, not with reveals"),
    ],
)
def test_tables_that_say_too_much_or_too_little(table: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_table(table)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (0, "at least one action, not 0"),
        ([], "at least one action, not 0"),
        (True, "whole number, not True"),
        (1.0, "actions = 1.0 must be a list of labels or their number"),
        ("AB", "actions = 'AB' must be a list"),
        (["A", "A"], "actions 0 and 1 have the same label 'A'"),
        ([math.nan], "label nan of action 0 does not equal itself"),
        ([["A"]], r"\['A'\] cannot be a label: use a string"),
        ([{"tupel": []}], "not a label; did you mean 'tuple'"),
    ],
)
def test_actions_that_cannot_be_used(actions: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_table({"kind": "bandit", "actions": actions})


@pytest.mark.parametrize(
    "feedback",
    [
        {"reveals": {}},
        {"kind": "bandit"},
        {"kind": "full-information"},
        {"kind": "graph", "edges": []},
        {"variance": [[1.0]]},
    ],
)
def test_a_hundred_thousand_actions_are_refused_in_every_spelling(
    feedback: dict[str, object],
) -> None:
    with pytest.raises(InputError, match="100,000 actions are more than the limit of 4,096"):
        from_table({"actions": 100_000, **feedback})


@pytest.mark.parametrize(
    "table",
    [
        {"variance": [[]] * 5_000},
        {"kind": "graph", "edges": [[i, i] for i in range(5_000)]},
        {"kind": "bandit", "actions": list(range(5_000))},
    ],
)
def test_too_many_actions_are_counted_before_a_matrix_is_made(table: dict[str, object]) -> None:
    with pytest.raises(InputError, match="5,000 actions are more than the limit of 4,096"):
        from_table(table)


@pytest.mark.parametrize(
    ("reveals", "message"),
    [
        (3, r"\[reveals\] must be a table, not 3"),
        ({"A": 1.0}, r"\[reveals\] A must be a table, not 1.0"),
        ({"AB": {"A": 1.0}}, r"\[reveals\]: no action is called 'AB'"),
        ({"A": {"tset": 1.0}}, r"\[reveals\] A: no action is called 'tset'; did you mean 'test'"),
        (
            {"A": {"A": -1.0}},
            r"\[reveals\] A.A = -1.0: a standard deviation cannot be negative or NaN",
        ),
        (
            {"A": {"A": math.nan}},
            r"\[reveals\] A.A = nan: a standard deviation cannot be negative or NaN",
        ),
        ({"A": {"A": True}}, r"\[reveals\] A.A = True must be a number"),
        ({"A": {"A": "1"}}, r"\[reveals\] A.A = '1' must be a number"),
        ({"A": {"A": 1e200}}, "sigma = 1e\\+200 has a square that no float can hold"),
    ],
)
def test_reveals_that_cannot_be_used(reveals: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_table({"actions": ["A", "test"], "reveals": reveals})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"reveals": {}}, r"\[reveals\] needs actions: a list of labels, or their number"),
        ({"kind": "bandit"}, 'kind = "bandit" needs actions'),
        ({"variance": 1.0}, "variance must be a list, not 1.0"),
        ({"variance": []}, "at least one action"),
        ({"variance": [1.0]}, "variance row 0 must be a list, not 1.0"),
        ({"variance": [[1, 2], [3]]}, "variance is not square: row 1 has 1 entries, expected 2"),
        ({"variance": [[1, 2]]}, "variance is not square: row 0 has 2 entries, expected 1"),
        ({"variance": [[1, 2], [3, "x"]]}, r"variance\[1\]\[1\] = 'x' must be a number"),
        ({"variance": [[True]]}, r"variance\[0\]\[0\] = True must be a number"),
        ({**ONE, "actions": ["A", "B"]}, "actions names 2 actions, variance has 1 rows"),
        ({"kind": "bandits", "actions": 2}, "unknown kind 'bandits'; did you mean 'bandit'"),
        ({"kind": 3, "actions": 2}, "unknown kind 3; choose from: bandit, full-inf"),
        ({"kind": "graph", "actions": 2}, 'edges goes with kind = "graph": give both or neither'),
        ({"kind": "bandit", "actions": 2, "edges": []}, 'edges goes with kind = "graph"'),
        ({"kind": "graph", "edges": 3}, "edges must be a list, not 3"),
        ({"kind": "graph", "edges": []}, "at least one action, not 0"),
        ({"kind": "graph", "edges": [3]}, r"edges\[0\] must be a list, not 3"),
        ({"kind": "graph", "edges": [[0, 0], [0]]}, r"edges\[1\] = \[0\] must be \[played, obs"),
        ({"kind": "graph", "edges": [[0, [1]]]}, r"\[1\] cannot be a label"),
        ({"kind": "graph", "actions": ["test"], "edges": [["test", "tset"]]},
         "edges: no action is called 'tset'; did you mean 'test'"),
    ],
)  # fmt: skip
def test_feedback_that_cannot_be_used(table: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_table(table)


@pytest.mark.parametrize(
    ("sigma", "message"),
    [
        ("loud", "sigma = 'loud' must be a number"),
        (-1, "sigma is a standard deviation and cannot be negative"),
        ([1], r"sigma has shape \(1,\) for 2 actions"),
        ([1, "x"], r"sigma\[1\] = 'x' must be a number"),
        ({"A": 1}, r"sigma has no entry for \['B'\]"),
        ({"A": 1, "B": "x"}, "sigma.B = 'x' must be a number"),
        ({"A": 1, "B": 1, "C": 1}, "sigma: no action is called 'C'"),
    ],
)
def test_sigmas_that_cannot_be_used(sigma: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_table({"kind": "bandit", "actions": ["A", "B"], "sigma": sigma})


@pytest.mark.parametrize(
    ("means", "message"),
    [
        (3, r"\[means\] must be a table, not 3"),
        (None, r"\[means\] must be a table, not None"),
        ([0.5], "means has 1 entries for 2 actions"),
        ([0.5, "x"], r"means\[1\] = 'x' must be a number"),
        ({"A": 0.5}, r"\[means\] has no entry for \['B'\]: give one for each action"),
        ({"A": 0.5, "B": True}, r"\[means\] B = True must be a number"),
        ({"A": 0.5, "B": 0.5, "bb": 1}, r"\[means\]: no action is called 'bb'; did you mean 'B'"),
    ],
)
def test_means_that_cannot_be_used(means: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_table({**TWO, "means": means})


# ---- writing ---------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(problems())
def test_a_table_says_all_that_the_problem_says(problem: Problem) -> None:
    table = to_table(problem.to_document())
    document = from_table(table)
    assert set(table) <= set(KEYS)
    assert [typed(x) for x in document.labels] == [typed(x) for x in problem.feedback.labels]
    assert document.variance.tobytes() == problem.feedback.variance.tobytes()
    assert document.means is not None
    assert document.means.tobytes() == problem.means.tobytes()
    assert (document.upper, document.name) == (problem.upper, problem.name)


def test_named_actions_with_exact_roots_are_written_as_reveals() -> None:
    said = {"actions": ["A", "B", "C"], "reveals": {"A": {"A": 0.0, "B": 2.0}, "B": {"C": 1.0}}}
    table = to_table(from_table({**said, "means": [0, 0.5, 1]}))
    assert table == {**said, "upper": 1.0, "means": {"A": 0.0, "B": 0.5, "C": 1.0}}


@pytest.mark.parametrize(
    "table",
    [
        {"sigma": [[2.0, inf], [1.0, 0.0]]},
        {"actions": ["A", 1], "sigma": [[2.0, inf], [1.0, 0.1]]},
        {"variance": [[2.0, inf], [1.0, 0.0]]},
        {"actions": ["A", "B"], "variance": [[2.0, inf], [1.0, 0.0]]},
    ],
)
def test_numbered_actions_are_written_in_sigma_and_inexact_roots_as_variances(table: Any) -> None:
    assert to_table(from_table(table)) == table


def test_a_matrix_of_sigma_is_that_of_their_squares() -> None:
    rows = [[2.0, "inf"], [None, 0.5]]
    found = from_table({"sigma": rows, "actions": ["A", "B"]})
    assert found.variance.tolist() == [[4.0, inf], [inf, 0.25]]
    assert to_table(found, "variance") == to_table(found)  # named: [reveals] either way
    unnamed = from_table({"sigma": rows})
    assert to_table(unnamed, "variance") == {"variance": [[4.0, inf], [inf, 0.25]]}


@settings(max_examples=60, deadline=None)
@given(matrices())
def test_an_exact_sigma_squares_to_the_variance_bit_by_bit(variance: Array) -> None:
    sigma = exact_sigma(variance)
    if sigma is None:
        roots = [math.sqrt(entry) for entry in variance.flat]
        assert [root * root for root in roots] != variance.flatten().tolist()
    else:
        assert np.square(sigma).tobytes() == variance.tobytes()


@settings(max_examples=60, deadline=None)
@given(st.floats(1e-150, 1e150) | st.sampled_from([0.0, inf]))
def test_a_sigma_is_found_again_from_its_square(sigma: float) -> None:
    found = exact_sigma(np.array([[sigma * sigma]]))
    assert found is not None
    assert found.tolist() == [[sigma]]
