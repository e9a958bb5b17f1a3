"""The errors a caller can act on."""

from __future__ import annotations

import pickle

import pytest

from sidelight import DamagedError, InputError, MissingExtraError, SidelightError
from sidelight.errors import choose_from


def test_bad_input_is_a_value_error_and_bad_usage() -> None:
    assert issubclass(InputError, SidelightError)
    assert issubclass(InputError, ValueError)
    assert (SidelightError("no").exit_code, InputError("no").exit_code) == (1, 2)


def test_damage_is_bad_input_with_an_exit_code_of_its_own() -> None:
    assert issubclass(DamagedError, InputError)
    assert DamagedError("no").exit_code == 4


def test_a_missing_extra_is_an_import_error_that_names_the_remedy() -> None:
    error = MissingExtraError("a networkx graph", "graph")
    assert isinstance(error, SidelightError)
    assert isinstance(error, ImportError)
    assert error.exit_code == 2
    assert (
        str(error) == "a networkx graph needs an optional package: pip install 'sidelight[graph]'"
    )


@pytest.mark.parametrize(
    "error", [InputError("no such thing"), DamagedError("x: cut"), MissingExtraError("a", "b")]
)
def test_errors_survive_the_way_home_from_a_worker(error: SidelightError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)


def test_a_near_miss_is_corrected() -> None:
    assert choose_from("variences", ["sigma", "variance"]) == "did you mean 'variance'?"
    assert choose_from("IDS", ["ucb-n", "ids"]) == "did you mean 'ids'?"
    assert choose_from("alpha", ["Alpha", "Beta"]) == "did you mean 'Alpha'?"


def test_a_far_miss_gets_the_list() -> None:
    assert choose_from("zebra", ["sigma", 7]) == "choose from: sigma, 7"


def test_a_long_list_is_cut() -> None:
    assert choose_from("x", range(100, 125)).endswith("123, 124")
    assert choose_from("x", range(100, 126)).endswith("123, 124, ...")


def test_an_empty_list_says_so() -> None:
    assert choose_from("x", []) == "there are none"
