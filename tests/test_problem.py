"""A feedback structure together with the truth."""

from __future__ import annotations

import copy
import math
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from sidelight import Feedback, InputError, Problem, load
from sidelight.document import Document
from sidelight.problem import from_document
from sidelight.setting import Setting
from strategies import problems, typed

inf = math.inf


def facts(problem: Problem | Feedback) -> tuple[object, ...]:
    """All that a problem says, down to types and bits."""
    assert isinstance(problem, Problem)
    labels = [typed(label) for label in problem.feedback.labels]
    variance, means = problem.feedback.variance.tobytes(), problem.means.tobytes()
    return labels, variance, means, problem.upper, problem.name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("problems")


@settings(max_examples=60, deadline=None)
@given(problem=problems())
def test_gaps_and_the_best_action_are_their_definitions(problem: Problem) -> None:
    means = problem.means.tolist()
    assert problem.best == means.index(max(means))
    assert problem.gaps.tolist() == [max(means) - mean for mean in means]
    assert len(problem) == len(means)


@pytest.mark.parametrize(
    "means", [[0.25, 1], (0.25, 1.0), np.array([0.25, 1]), {"B": 1, "A": 0.25}]
)
def test_every_spelling_of_the_means(means: Any) -> None:
    problem = Problem(Feedback.bandit(2, labels="AB"), means)
    assert problem.means.tolist() == [0.25, 1.0]
    assert (problem.upper, problem.name, problem.best) == (1.0, "", 1)


def test_means_are_found_by_the_text_of_a_label() -> None:
    assert Problem(Feedback.bandit(2), {"1": 0.5, 0: 0.25}).means.tolist() == [0.25, 0.5]


def test_means_may_reach_the_ends_of_their_range() -> None:
    assert Problem(Feedback.bandit(2), [0, 3], upper=3).gaps.tolist() == [3.0, 0.0]


# ---- there and back --------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(problem=problems())
def test_copies_are_the_same(problem: Problem) -> None:
    for other in (
        copy.copy(problem),
        copy.deepcopy(problem),
        pickle.loads(pickle.dumps(problem)),
        from_document(problem.to_document()),
    ):
        assert facts(other) == facts(problem)
        assert other == problem
        assert hash(other) == hash(problem)


@pytest.mark.parametrize("suffix", ["toml", "json"])
@settings(max_examples=25, deadline=None)
@given(problem=problems())
def test_a_saved_problem_is_loaded_as_it_was(folder: Path, suffix: str, problem: Problem) -> None:
    problem.save(folder / f"a.{suffix}")
    assert facts(load(folder / f"a.{suffix}")) == facts(problem)


@pytest.mark.parametrize("suffix", ["csv", "npy"])
def test_a_file_that_would_lose_the_means_is_not_written(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(InputError, match=r"save .*as \.toml or \.json"):
        Problem(Feedback.bandit(2), [0, 1]).save(tmp_path / f"a.{suffix}")


def test_a_file_without_means_is_a_setting(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('name = "x"\nkind = "bandit"\nactions = 2\nupper = 3\n')
    found = load(tmp_path / "a.toml")
    assert found == Setting(Feedback.bandit(2), 3, name="x")
    assert isinstance(found, Feedback)


# ---- a value like any other ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["means", "gaps"])
def test_arrays_cannot_be_written_nor_made_writable(name: str) -> None:
    array = getattr(Problem(Feedback.bandit(2), [0, 1]), name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 0.5
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.setflags(write=True)


def test_the_callers_array_stays_the_callers() -> None:
    mine = np.array([0.25, 0.5])
    problem = Problem(Feedback.bandit(2), mine)
    mine[:] = 1.0
    assert problem.means.tolist() == [0.25, 0.5]


@pytest.mark.parametrize("name", ["feedback", "means", "upper", "name", "gaps", "best", "new"])
def test_attributes_cannot_be_set(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(Problem(Feedback.bandit(2), [0, 1]), name, None)


def test_equality_is_of_values() -> None:
    feedback = Feedback.bandit(2)
    problem = Problem(feedback, [0.0, 1.0], name="x")
    negative = Problem(feedback, [-0.0, 1.0], name="x")
    assert problem == negative
    assert len({problem, negative}) == 1
    assert problem != Problem(feedback, [0.5, 1.0], name="x")
    assert problem != Problem(feedback, [0.0, 1.0], upper=2, name="x")
    assert problem != Problem(feedback, [0.0, 1.0], name="y")
    assert problem != Problem(Feedback.full_information(2), [0.0, 1.0], name="x")
    assert problem != feedback


def test_it_shows_itself_in_one_line() -> None:
    problem = Problem(Feedback.bandit(2, labels="AB"), [0, 1], upper=2, name="two")
    assert repr(problem) == "<Problem 'two': 2 actions, best 'B', means in [0, 2]>"


# ---- complaints ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("means", "message"),
    [
        ([0.5, 1.5], r"the mean of 'B' is 1.5, outside \[0, 1\]: set upper to a bound on the mea"),
        ([-0.1, 0.5], r"the mean of 'A' is -0.1, outside \[0, 1\]"),
        ([0.5, math.nan], "the mean of 'B' is nan, outside"),
        ([0.5, inf], "the mean of 'B' is inf, outside"),
        ([0.5], r"means has shape \(1,\) for 2 actions: give one for each action"),
        ([[0.5, 0.5]], r"means has shape \(1, 2\) for 2 actions"),
        (0.5, r"means has shape \(\) for 2 actions"),
        (["low", "high"], "means must hold numbers, not "),
        ([0.5, 1j], "means must hold numbers"),
        ([0.5, 10**400], "means must hold numbers"),
        ({"A": 0.5}, r"means has no entry for \['B'\]: give one for each action"),
        ({"A": 0.5, "B": 0.5, "test": 1}, "means: no action is called 'test'; choose from: A, B"),
    ],
)
def test_means_that_cannot_be_used(means: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Problem(Feedback.bandit(2, labels="AB"), means)


@pytest.mark.parametrize("upper", [0, -1, inf, math.nan])
def test_the_range_must_be_positive_and_finite(upper: float) -> None:
    with pytest.raises(InputError, match=f"upper = {upper} must be positive and finite: means lie"):
        Problem(Feedback.bandit(2), [0, 0], upper)


@pytest.mark.parametrize("upper", ["high", [1, 2], 10**400])
def test_the_range_must_be_a_number(upper: Any) -> None:
    with pytest.raises(InputError, match=r"upper = .* must be a number"):
        Problem(Feedback.bandit(2), [0, 0], upper)


def test_a_name_must_be_text() -> None:
    name: Any = 5
    with pytest.raises(InputError, match="name = 5 must be text"):
        Problem(Feedback.bandit(2), [0, 0], name=name)


def test_a_problem_starts_from_a_feedback() -> None:
    matrix: Any = np.eye(2)
    with pytest.raises(InputError, match="a Problem needs a Feedback first, not ndarray"):
        Problem(matrix, [0, 0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("variance = [[1, inf], [1, inf]]", "no action observes 1 .column 1"),
        ("variance = [[1, -1], [1, 1]]", r"variance\[0, 1\] \(0 shows 1\) is -1"),
        ("variance = [[nan]]", r"variance\[0, 0\] .* is NaN"),
        ("variance = [[1, 2], [3]]", "variance is not square"),
        ("variance = [[1]]\nmeans = [2]", r"the mean of 0 is 2, outside \[0, 1\]: set upper"),
        ("variance = [[1]]\nmeans = [nan]", "the mean of 0 is nan, outside"),
        ("variance = [[1]]\nmeans = [0]\nupper = 0", "upper = 0 must be positive and finite"),
        ("variance = [[1]]\nupper = -1", "upper = -1 must be positive and finite"),
        ("actions = 2\n[reveals]\n1 = { 1 = 1.0 }", "no action observes 0 "),
    ],
)
def test_a_file_that_breaks_the_model_is_refused_by_name(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: {message}"):
        load(path)


@pytest.mark.parametrize("name", ["a.toml", "a.json", "a.csv", "a.npy"])
def test_a_missing_file_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(str(tmp_path / name))}: no such file"):
        load(tmp_path / name)


def test_a_matrix_in_a_file_must_be_square_too(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((2, 3)))
    with pytest.raises(InputError, match=r"a\.npy: the variance matrix has shape \(2, 3\)"):
        load(tmp_path / "a.npy")


def test_a_document_from_elsewhere_is_checked_as_well() -> None:
    with pytest.raises(InputError, match=r"^the lab: the mean of 0 is 7, outside"):
        from_document(Document((0,), np.eye(1), np.array([7.0])), where="the lab")


# ---- what is known of estimated means ------------------------------------------------------------

pair = Feedback.bandit(2, labels=["x", "y"])


def test_errors_and_plays_come_like_means() -> None:
    found = Problem(pair, [0.5, 0.2], errors={"y": 0.1, "x": 0.2}, played=[3, 1])
    assert found.errors is not None
    assert found.played is not None
    assert found.errors.tolist() == [0.2, 0.1]
    assert found.played.tolist() == [3.0, 1.0]
    assert found == pickle.loads(pickle.dumps(found))
    assert hash(found) == hash(pickle.loads(pickle.dumps(found)))
    for other in (
        Problem(pair, [0.5, 0.2]),
        Problem(pair, [0.5, 0.2], errors=[0.2, 0.1]),
        Problem(pair, [0.5, 0.2], errors=[0.2, 0.3], played=[3, 1]),
        Problem(pair, [0.5, 0.2], errors=[0.2, 0.1], played=[3, 2]),
    ):
        assert found != other


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_files_keep_errors_and_plays(tmp_path: Path, suffix: str) -> None:
    for feedback in (pair, Feedback.bandit(2)):
        found = Problem(feedback, [0.5, 0.2], errors=[0.1, 1 / 3], played=[0, 7])
        found.save(tmp_path / f"a{suffix}")
        assert load(tmp_path / f"a{suffix}") == found


@pytest.mark.parametrize(
    ("beside", "says"),
    [
        ({"errors": [0.1]}, r"errors has shape \(1,\) for 2 actions"),
        ({"errors": [0.1, -1]}, "the standard error of 'y' is -1: it must be a finite number"),
        ({"errors": [inf, 0.1]}, "the standard error of 'x' is inf"),
        ({"errors": {"x": 0.1}}, r"errors has no entry for \['y'\]"),
        ({"played": [0, 0]}, "numbers that are not negative, and not all 0"),
        ({"played": [1, -1]}, "not negative"),
        ({"played": [1, inf]}, "not negative"),
        ({"played": "often"}, "played must hold numbers"),
    ],
)
def test_wrong_errors_and_plays_are_refused(beside: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Problem(pair, [0.5, 0.2], **beside)


@pytest.mark.parametrize("key", ["errors", "played"])
def test_they_go_with_means(tmp_path: Path, key: str) -> None:
    (tmp_path / "a.toml").write_text(f"kind = 'bandit'\nactions = 2\n{key} = [0.1, 0.2]\n")
    with pytest.raises(InputError, match=rf"{key} goes with means: give the file a \[means\]"):
        load(tmp_path / "a.toml")
