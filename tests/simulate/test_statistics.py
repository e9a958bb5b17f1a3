"""Statistics of replicates against their definitions, on ordinary and on hostile numbers."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import sidelight as sl
from naive import statistics as naive
from sidelight.simulate.statistics import (
    all_pairs,
    check_levels,
    compare,
    holm,
    short,
    standard_error,
)

# Regrets: zero, tiny, huge, and many ties.
regrets = st.one_of(
    st.sampled_from([0.0, 1.0, 2.5]),
    st.floats(0, 1e15),
    st.floats(0, 1e-300),
)
samples = st.lists(regrets, min_size=1, max_size=12)


@given(samples)
def test_the_standard_error_is_that_of_the_definition(values: list[float]) -> None:
    found = float(standard_error(np.array(values)))
    scale = max(values)
    assert found == pytest.approx(
        naive.standard_error(values), rel=1e-9, abs=1e-14 * scale, nan_ok=True
    )


def test_standard_errors_along_an_axis() -> None:
    values = np.random.default_rng(1).exponential(size=(3, 7, 4))
    found = standard_error(values, axis=1)
    assert found.shape == (3, 4)
    assert found[2, 1] == pytest.approx(naive.standard_error(values[2, :, 1].tolist()))
    assert np.isnan(standard_error(values[:, :1], axis=1)).all()


@given(st.data())
def test_paired_differences_agree_with_scipy(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 12))
    x, y = (
        np.array(data.draw(st.lists(st.floats(0, 1e6), min_size=n, max_size=n))) for _ in range(2)
    )
    found = compare("x", "y", x, y, confidence=0.9)
    d = x - y
    if d.std() <= 1e-9 * np.abs(d).max():
        return
    reference = stats.ttest_rel(x, y)
    interval = reference.confidence_interval(0.9)
    assert found.mean == pytest.approx(naive.mean(d.tolist()), rel=1e-9, abs=1e-9)
    assert found.p_value == pytest.approx(reference.pvalue, rel=1e-6, abs=1e-300)
    assert (found.low, found.high) == pytest.approx(
        (interval.low, interval.high), rel=1e-6, abs=1e-6
    )
    assert (found.replicates, found.confidence, found.adjusted) == (n, 0.9, found.p_value)


def test_equal_values_have_no_error() -> None:
    assert standard_error(np.full((7, 2), 0.1)).tolist() == [0.0, 0.0]


def test_one_replicate_says_nothing() -> None:
    found = compare("x", "y", np.array([3.0]), np.array([1.0]))
    assert found.mean == 2
    assert math.isnan(found.error)
    assert (found.low, found.high, found.p_value) == (-math.inf, math.inf, 1.0)


@pytest.mark.parametrize(("shift", "p"), [(0.0, 1.0), (2.0, 0.0)])
def test_differences_that_never_vary(shift: float, p: float) -> None:
    y = np.array([1.0, 5.0, 8.0])
    found = compare("x", "y", y + shift, y)
    assert (found.mean, found.error, found.low, found.high) == (shift, 0.0, shift, shift)
    assert found.p_value == p


def test_common_luck_sharpens_the_comparison() -> None:
    luck = np.random.default_rng(3).normal(100, 20, size=400)
    found = compare("x", "y", luck + np.random.default_rng(4).normal(1, 0.5, 400), luck)
    assert found.error < 0.1
    assert found.low < 1 < found.high
    assert str(found).startswith("x - y: ")


@given(st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 1.0])), max_size=6))
def test_holm_is_closed_testing(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(naive.holm(p_values), rel=1e-12)


def test_holm_on_the_textbook_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_all_pairs_are_there_once_and_corrected() -> None:
    values = np.random.default_rng(2).exponential(size=(4, 30)) * np.array([[1], [1], [3], [9]])
    names = ["a", "b", "c", "d"]
    found = all_pairs(names, values)
    assert [(pair.first, pair.second) for pair in found] == list(combinations(names, 2))
    raw = [pair.p_value for pair in found]
    assert [pair.adjusted for pair in found] == pytest.approx(naive.holm(raw))
    assert all(pair.adjusted >= pair.p_value for pair in found)
    assert all_pairs(["a"], values[:1]) == ()


def test_holm_keeps_its_level() -> None:
    """Five equal policies: any false "differs" at 0.05 in at most 5 % of 400 races.

    By Markov's bound through the binomial tail, more than 36 of 400 has a chance below 5e-4; the
    seed is fixed, so the test cannot fail by chance again.
    """
    rng = np.random.default_rng(7)
    races = (all_pairs("abcde", rng.normal(size=(5, 20))) for _ in range(400))
    false = sum(min(pair.adjusted for pair in race) < 0.05 for race in races)
    assert false <= 36


@pytest.mark.parametrize("confidence", [0, 1, -1, 95])
def test_a_confidence_is_between_0_and_1(confidence: float) -> None:
    with pytest.raises(sl.InputError, match=r"between 0 and 1"):
        compare("x", "y", np.ones(3), np.zeros(3), confidence)


@pytest.mark.parametrize("levels", [1.5, [-0.1], [0.5, math.nan], "half", [[0.5]]])
def test_levels_are_between_0_and_1(levels: object) -> None:
    with pytest.raises(sl.InputError, match="from 0 to 1"):
        check_levels(levels)  # type: ignore[arg-type]


# ---- numbers for people, levels ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.nan, "-"),
        (0.0, "0"),
        (-1.23456, "-1.235"),
        (999.94, "999.9"),
        (999.95, "1,000"),
        (-999.95, "-1,000"),
        (1500.4, "1,500"),
        (1234567.8, "1,234,568"),
        (math.inf, "inf"),
    ],
)
def test_numbers_for_people(value: float, said: str) -> None:
    assert short(value) == said


@pytest.mark.parametrize("levels", [0, 1, [0.0, 0.5, 1.0], (0.25,)])
def test_levels_go_from_0_to_1(levels: Any) -> None:
    assert check_levels(levels).tolist() == np.atleast_1d(np.asarray(levels, float)).tolist()


@pytest.mark.parametrize(
    "levels", [-0.001, 1.001, [0.5, -1e-9], [0.5, 1 + 1e-9], [[0.5]], math.nan, "half", [None]]
)
def test_other_levels_are_refused(levels: Any) -> None:
    with pytest.raises(sl.InputError, match="must be numbers from 0 to 1"):
        check_levels(levels)


def test_an_adjusted_p_value_is_at_most_one() -> None:
    assert holm([0.9, 0.8, 0.001]) == (1.0, 1.0, 0.003)
    assert holm([]) == ()
