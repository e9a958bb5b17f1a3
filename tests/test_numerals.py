"""Numbers as text: nothing is lost in files, and people see no exponents."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.numerals import exact, finite, grouped, steady


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (999.7, "999.7"),
        (1e3, "1,000"),
        (2154.43469, "2,154.43"),
        (-1e6, "-1,000,000"),
        (163116.3, "163,116"),
        (1e12, "1,000,000,000,000"),
        (math.inf, "inf"),
    ],
)
def test_people_see_thousands_and_no_exponent(value: float, text: str) -> None:
    assert grouped(value) == text


@given(st.floats(1, 9e14))
def test_six_digits_are_kept(value: float) -> None:
    assert float(grouped(value).replace(",", "")) == pytest.approx(value, rel=1e-5)
    assert "e" not in grouped(value)


@given(st.floats(allow_nan=False))
def test_a_file_reads_back_the_same_number(value: float) -> None:
    assert float(exact(value)) == value


@given(st.floats(1e-300, 1e300), st.sampled_from([-1, 1]))
def test_twelve_digits_do_not_show_the_last_ones_of_a_float(value: float, step: int) -> None:
    shown = steady(value)
    assert shown == pytest.approx(value, rel=1e-11)
    assert steady(shown * (1 + step * 2**-50)) == shown


def test_json_has_null_for_what_is_no_number() -> None:
    data = {"a": math.inf, "b": [1.5, math.nan, (-math.inf, "x")], "c": {"d": 2, "e": True}}
    assert finite(data) == {"a": None, "b": [1.5, None, [None, "x"]], "c": {"d": 2, "e": True}}
