"""Our TOML is what `tomllib` reads back: any text, any number, any nesting."""

from __future__ import annotations

import math
import tomllib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidelight import InputError, toml
from strategies import NASTY_TEXTS

texts = st.sampled_from(NASTY_TEXTS) | st.text()
scalars = st.one_of(
    texts,
    st.booleans(),
    st.integers(),
    st.sampled_from([2**63, -(2**64), 10**300]),
    st.floats(),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


def exact(value: Any) -> Any:
    """The value with its types, NaN equal to itself, 0.0 and -0.0 told apart."""
    if isinstance(value, dict):
        return {key: exact(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [exact(inner) for inner in value]
    if isinstance(value, float):
        return float, "nan" if math.isnan(value) else value.hex()
    return type(value), value


@given(st.dictionaries(texts, values, max_size=6))
@example({"name": "🎲", "policies": ["ids"], "table": {"👩‍🔬": {"": [[], {}]}}})
@example({"\x7f": "\x7f\x00\x1f", "a.b": {"[c]": 1}})
def test_what_is_written_is_read_back(table: dict[str, Any]) -> None:
    assert exact(tomllib.loads(toml.dumps(table))) == exact(table)


@given(st.text(), st.dictionaries(texts, scalars, max_size=2))
def test_a_comment_is_no_part_of_it(comment: str, table: dict[str, Any]) -> None:
    lines = "".join(c if c.isprintable() else "\n" for c in comment)
    assert exact(tomllib.loads(toml.dumps(table, lines))) == exact(table)


@pytest.mark.parametrize("wrong", ["\ud83d", "a\udcffb"])
def test_half_a_character_is_refused(wrong: str) -> None:
    for table in ({"name": wrong}, {wrong: 1}, {"a": [{"b": wrong}]}):
        with pytest.raises(InputError, match="half a character: replace it"):
            toml.dumps(table)


@pytest.mark.parametrize("wrong", [None, 1j, {1, 2}])
def test_toml_has_no_place_for_everything(wrong: object) -> None:
    with pytest.raises(TypeError, match="TOML has no place"):
        toml.dumps({"a": wrong})
