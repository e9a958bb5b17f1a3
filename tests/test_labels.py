"""The names of actions."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Hashable
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight import InputError
from sidelight.labels import (
    are_default,
    check_labels,
    decode_label,
    display,
    encode_label,
    find_label,
    first_names,
    in_order,
    joined,
    label_index,
    listed,
)
from strategies import labels, scalar_labels, typed


def test_actions_without_labels_are_numbered() -> None:
    assert check_labels(None, 3) == (0, 1, 2)


@settings(max_examples=50, deadline=None)
@given(st.lists(labels(), unique=True, max_size=5))
def test_distinct_labels_are_kept_as_they_are(given_labels: list[Hashable]) -> None:
    checked = check_labels(given_labels, len(given_labels))
    assert [typed(label) for label in checked] == [typed(label) for label in given_labels]


def test_numpy_labels_become_python_labels() -> None:
    checked = listed([np.int64(3), np.float64(0.5), np.str_("a"), np.bool_(True)])
    assert [typed(label) for label in checked] == [typed(x) for x in (3, 0.5, "a", True)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["a"], "1 labels for 2 actions: give one label for each"),
        (["a", "b", "c"], "3 labels for 2 actions"),
        (["a", "a"], "actions 0 and 1 have the same label 'a'.*distinct"),
        ([1, True], "actions 0 and 1 have the same label"),
        ([0.0, -0.0], "same label"),
        (["a", ["b"]], r"label \['b'\] of action 1 is not hashable: use a string"),
        (["a", ("b", [1])], "of action 1 is not hashable"),
        ([float("nan"), "a"], "label nan of action 0 does not equal itself: use a string"),
        (["a", (1, (float("nan"),))], "of action 1 does not equal itself"),
        (["a", frozenset([float("nan")])], "of action 1 does not equal itself"),
        (5, "labels must be a list, one for each action, not 5"),
    ],
)
def test_labels_that_cannot_name_two_actions(wrong: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_labels(wrong, 2)


@pytest.mark.parametrize("default", [(), (0,), (0, 1, 2)])
def test_the_numbers_in_order_are_default(default: tuple[Hashable, ...]) -> None:
    assert are_default(default)


@pytest.mark.parametrize("other", [(1,), (1, 0), (False, True), (0.0, 1.0), ("0",)])
def test_everything_else_is_not_default(other: tuple[Hashable, ...]) -> None:
    assert not are_default(other)


@settings(max_examples=50, deadline=None)
@given(st.lists(labels(), unique=True, max_size=5))
def test_every_label_is_found_where_it_stands(given_labels: list[Hashable]) -> None:
    index = label_index(tuple(given_labels))
    assert [find_label(index, label, "here") for label in given_labels] == list(
        range(len(given_labels))
    )


def test_the_text_of_a_label_finds_it() -> None:
    index = label_index((7, (1, 2), None))
    assert [index["7"], index["(1, 2)"], index["None"]] == [0, 1, 2]


def test_a_label_wins_over_the_text_of_another() -> None:
    index = label_index((1, "1"))
    assert (index[1], index["1"]) == (0, 1)


def test_a_text_that_several_labels_share_finds_none_of_them() -> None:
    tuples = ((1, 2), frozenset([dt.date(2026, 1, 2)]))
    assert "3" not in label_index((3, b"3", *tuples, _Three(), _Three()))


class _Three:
    def __str__(self) -> str:
        return "3"


def test_an_unknown_label_is_corrected() -> None:
    with pytest.raises(InputError, match=r"edges: no action is called 'tset'; did you mean 'test'"):
        find_label(label_index(("test", "A")), "tset", "edges")


def test_an_unknown_label_far_from_all_gets_the_list() -> None:
    with pytest.raises(InputError, match="no action is called 9; choose from: 0, 1"):
        find_label(label_index((0, 1)), 9, "edges")


def test_an_unhashable_name_is_unknown_too() -> None:
    unhashable: Any = ["A"]
    with pytest.raises(InputError, match=r"no action is called \['A'\]"):
        find_label(label_index(("A",)), unhashable, "edges")


def test_values_are_put_in_the_order_of_the_labels() -> None:
    assert in_order({"b": 2.0, "1": 1.0}, (1, "b"), "sigma") == [1.0, 2.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({1: 0.5}, r"means has no entry for \['b'\]: give one for each action"),
        ({1: 0.5, "b": 1.0, "c": 1.0}, "means: no action is called 'c'"),
        ({1: 0.5, "1": 1.0, "b": 1.0}, "means names action 1 twice"),
    ],
)
def test_values_that_do_not_fit_the_labels(values: dict[Any, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        in_order(values, (1, "b"), "means")


# ---- on paper --------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(labels())
def test_a_label_written_as_json_is_read_as_itself(label: Hashable) -> None:
    written = json.dumps(encode_label(label), allow_nan=False)
    assert typed(decode_label(json.loads(written))) == typed(label)


@settings(max_examples=50, deadline=None)
@given(st.lists(scalar_labels(), unique=True), st.lists(scalar_labels(), unique=True))
def test_a_set_is_written_in_one_order(a: list[Hashable], b: list[Hashable]) -> None:
    forth = frozenset([frozenset(a), frozenset(b)])
    back = frozenset([frozenset(b[::-1]), frozenset(a[::-1])])
    if len(forth) == 1 and a != b:  # [1] and [True]: equal sets of different types
        return
    assert encode_label(forth) == encode_label(back)


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ("a", "a"),
        (3, 3),
        (True, True),
        (1.5, 1.5),
        (None, {"none": True}),
        ((1, ("a",)), {"tuple": [1, {"tuple": ["a"]}]}),
        (frozenset([2, 1]), {"frozenset": [1, 2]}),
        (float("-inf"), {"float": "-inf"}),
        (b"\x00\xff", {"bytes": "00ff"}),
        (dt.date(2026, 1, 2), {"date": "2026-01-02"}),
        (dt.datetime(2026, 1, 2, 3), {"datetime": "2026-01-02T03:00:00"}),
        (dt.time(3, 4), {"time": "03:04:00"}),
    ],
)
def test_how_each_kind_of_label_is_written(label: Hashable, written: object) -> None:
    assert encode_label(label) == written


@pytest.mark.parametrize(
    "label",
    [1j, object, ("a", 1j), frozenset([range(2)]), dt.timedelta(1), Decimal("1.5"), UUID(int=1)],
)
def test_labels_that_files_cannot_hold_are_refused(label: Hashable) -> None:
    with pytest.raises(
        InputError, match=r"label .* is a \w+, which files cannot hold: use its text"
    ):
        encode_label(label)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "null is no label: give a text or a number"),
        ({"tuple": ["a", None]}, "is not a label: null is no label"),
        ([1], r"\[1\] cannot be a label: use a string or a number"),
        ({"tupel": [1]}, "is not a label; did you mean 'tuple'"),
        ({}, r"\{\} is not a label; choose from: none, tuple"),
        ({"tuple": [1], "none": True}, "is not a label"),
        ({"tuple": 3}, "is not a label: its members must stand in a list"),
        ({"frozenset": "ab"}, "is not a label: its members must stand in a list"),
        ({"bytes": "xyz"}, "is not a label: non-hexadecimal"),
        ({"bytes": 3}, "is not a label"),
        ({"date": "yesterday"}, "is not a label: Invalid isoformat"),
        ({"float": "much"}, "is not a label: could not convert"),
        ({"float": 10**400}, "is not a label: int too large"),
    ],
)
def test_values_that_are_no_labels(value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        decode_label(value)


def test_half_a_character_is_no_label() -> None:
    with pytest.raises(InputError, match="of action 1 holds half a character"):
        check_labels(["a", "\ud83d"], 2)


def test_labels_are_displayed_on_one_line_and_without_control_characters() -> None:
    assert display("a b") == "a b"
    assert display("a\nb\x1b[1m") == r"a\nb\x1b[1m"
    assert display((1, "x")) == "(1, 'x')"


def test_names_in_a_sentence() -> None:
    names = ["A", "B", "C"]
    assert [joined(names[:k]) for k in range(4)] == ["", "A", "A and B", "A, B and C"]
    assert first_names(names, 3) == "A, B, C"
    assert first_names(names, 1) == "A, ... 2 more"
    assert first_names(names, 2, "…") == "A, B, … 1 more"
