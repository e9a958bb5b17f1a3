"""The variance matrices of the paper's models, as plain functions."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sidelight import InputError
from sidelight.variances import (
    MAX_ACTIONS,
    Array,
    BoolArray,
    check_count,
    check_sigma,
    masked,
    numbers,
    squared,
)


@pytest.mark.parametrize("count", [1, np.int64(7), MAX_ACTIONS])
def test_a_legal_number_of_actions_comes_back_as_an_int(count: Any) -> None:
    assert type(check_count(count)) is int
    assert check_count(count) == count


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (0, "at least one action, not 0"),
        (-3, "at least one action, not -3"),
        (True, "whole number, not True"),
        (2.0, "whole number, not 2.0"),
        ("2", "whole number, not '2'"),
        (
            100_000,
            "100,000 actions are more than the limit of 4,096: .* take 80.0 GB.*Merge actions",
        ),
        (MAX_ACTIONS + 1, "4,097 actions are more than the limit"),
    ],
)
def test_illegal_numbers_of_actions(count: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_count(count)


def test_numbers_are_copied_and_lose_the_sign_of_zero() -> None:
    mine = np.array([-0.0, 2.0])
    ours = numbers(mine, "means")
    mine[:] = 7.0
    assert ours.tolist() == [0.0, 2.0]
    assert not np.signbit(ours).any()


@pytest.mark.parametrize(
    "wrong", ["1", ["1", "2"], 1j, np.array([1j]), True, [10**400], {"a": 1}, [[1], [1, 2]], b"1"]
)
def test_what_are_not_numbers_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="sigma must hold numbers, not "):
        numbers(wrong, "sigma")


@pytest.mark.parametrize(
    "sigma", [2.0, 2, np.float64(2), [2, 2], (2.0, 2.0), np.array([2.0, 2.0]), {"a": 2, 1: 2.0}]
)
def test_every_spelling_of_sigma(sigma: Any) -> None:
    assert check_sigma(sigma, ("a", 1)).tolist() == [2.0, 2.0]


def test_sigma_may_come_from_a_generator() -> None:
    assert check_sigma((float(j) for j in range(2)), ("a", 1)).tolist() == [0.0, 1.0]


def test_a_mapping_gives_each_action_its_own_sigma() -> None:
    assert check_sigma({"1": 0.0, "a": np.inf}, ("a", 1)).tolist() == [np.inf, 0.0]


@pytest.mark.parametrize(
    ("sigma", "message"),
    [
        (
            [1.0],
            r"sigma has shape \(1,\) for 2 actions: give one standard deviation, or one for each",
        ),
        ([1.0, 1.0, 1.0], r"sigma has shape \(3,\) for 2 actions"),
        (np.ones((2, 2)), r"sigma has shape \(2, 2\) for 2 actions"),
        (-1.0, "standard deviation and cannot be negative or NaN: -1.0"),
        ([1.0, float("nan")], "cannot be negative or NaN"),
        ({"a": 1.0, 1: float("nan")}, "cannot be negative or NaN"),
        ("loud", "sigma, a standard deviation, must hold numbers"),
        ({"a": "loud", 1: 1.0}, "sigma, a standard deviation, must hold numbers"),
        (None, "cannot be negative or NaN: None"),
        ({"a": 1.0}, r"sigma has no entry for \[1\]: give one for each action"),
        ({"a": 1.0, 1: 1.0, "A": 1.0}, "sigma: no action is called 'A'; did you mean 'a'"),
    ],
)
def test_sigmas_that_cannot_be_used(sigma: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_sigma(sigma, ("a", 1))


@settings(max_examples=100, deadline=None)
@given(st.floats(1e-150, 1e150) | st.sampled_from([0.0, np.inf]))
def test_a_variance_is_the_square_of_sigma(sigma: float) -> None:
    assert squared(np.array([sigma])).tolist() == [sigma * sigma]


def test_exact_and_unseen_stay_what_they_are() -> None:
    assert squared(np.array([0.0, 1.0, np.inf])).tolist() == [0.0, 1.0, np.inf]


@pytest.mark.parametrize("sigma", [1e-200, 1e200])
def test_a_sigma_never_becomes_exact_or_unseen_by_rounding(sigma: float) -> None:
    with pytest.raises(InputError, match=re.escape(f"sigma = {sigma:g} has a square that")):
        squared(np.array([1.0, sigma]))


@settings(max_examples=50, deadline=None)
@given(
    arrays(bool, (3, 3)),
    arrays(float, 3, elements=st.sampled_from([0.0, 0.5, 3.0, np.inf])),
)
def test_the_masked_matrix_is_the_feedback_graph_of_its_definition(
    observes: BoolArray, sigmas: Array
) -> None:
    variance = masked(observes, sigmas)
    for i in range(3):
        for j in range(3):
            assert variance[i, j] == (sigmas[j] ** 2 if observes[i, j] else np.inf)
