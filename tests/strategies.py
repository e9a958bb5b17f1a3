"""Hypothesis strategies for labels, matrices, feedback structures and problems."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sidelight import Feedback, Problem
from sidelight.variances import Array

Drawn = TypeVar("Drawn")

MAX_FLOAT = float(np.finfo(float).max)
NASTY_TEXTS = (
    *("", " ", "1", "-0", "1.0", "1e400", "true", "null", "nan", "inf", "Infinity", "None", "0x1"),
    *("a,b", 'say "hi"', "it's", "\\", "a\nb", "a\rb", "\r\n", "\t", "\x00", "\x1b", "\x7f"),
    *(
        "\x85",
        "\u2028",
        "\ufeff",
        "é",
        "名前",
        "🎲",
        "👩‍🔬",
        "# actions: [1]",
        "[1]",
        '{"none": true}',
    ),
    *("a.b", "a b", "=", "[means]", "'''", '"""', "source"),
)
ZONES = st.integers(-86_399, 86_399).map(lambda s: dt.timezone(dt.timedelta(seconds=s)))


def scalar_labels() -> st.SearchStrategy[Hashable]:
    """Every kind of label that files can hold, but tuples and frozensets."""
    return st.one_of(
        st.sampled_from(NASTY_TEXTS),
        st.text(max_size=8),
        st.integers(-3, 3),
        st.integers(),
        st.sampled_from([10**300, -(2**63) - 1, 2**64]),
        st.floats(allow_nan=False),
        st.booleans(),
        st.none(),
        st.binary(max_size=4),
        st.dates(),
        st.datetimes(timezones=st.none() | ZONES),
        st.times(timezones=st.none() | ZONES),
    )


def labels() -> st.SearchStrategy[Hashable]:
    """Every kind of label that files can hold."""
    return st.recursive(
        scalar_labels(),
        lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
        max_leaves=5,
    )


def label_lists(size: int) -> st.SearchStrategy[list[Hashable]]:
    """Distinct labels."""
    return st.lists(labels(), min_size=size, max_size=size, unique=True)


def finite_entries() -> st.SearchStrategy[float]:
    """Variances of what is observed, down to exact observations and to the edges of floats."""
    edges = [0.0, 5e-324, 1e-310, 1e-300, 0.25, 1.0, 2.0, 1e308, MAX_FLOAT]
    return st.sampled_from(edges) | st.floats(0.0, MAX_FLOAT)


@st.composite
def matrices(draw: st.DrawFn, size: int | None = None) -> Array:
    """Variance matrices in which every action is observed; few distinct entries now and then."""
    size = draw(st.integers(1, 4)) if size is None else size
    few = st.sampled_from([0.0, 1.0, 4.0])
    finite = few if draw(st.booleans()) else finite_entries()
    matrix = draw(arrays(float, (size, size), elements=finite | st.just(math.inf)))
    for j in np.flatnonzero(np.isinf(matrix).all(axis=0)):
        matrix[draw(st.integers(0, size - 1)), j] = draw(finite)
    return matrix


@st.composite
def feedbacks(draw: st.DrawFn, names: st.SearchStrategy[Hashable] | None = None) -> Feedback:
    """Feedback structures; numbered actions, or labels of any kind or of the kind asked for."""
    matrix = draw(matrices())
    chosen = st.lists(
        labels() if names is None else names,
        min_size=len(matrix),
        max_size=len(matrix),
        unique=True,
    )
    return Feedback(matrix, draw(st.none() | chosen if names is None else chosen))


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Problems with any labels, range, means and name."""
    feedback = draw(feedbacks() | feedbacks(names=st.sampled_from(NASTY_TEXTS)))
    upper = draw(st.sampled_from([5e-324, 1.0, 1e308]) | st.floats(1e-3, 1e3))
    means = draw(arrays(float, len(feedback), elements=st.floats(0.0, upper)))
    return Problem(feedback, means, upper, name=draw(st.sampled_from(NASTY_TEXTS)))


def typed(label: object) -> object:
    """The label together with its types, which tells 1, 1.0 and True apart, and 0.0 and -0.0."""
    if isinstance(label, tuple):
        return tuple, tuple(typed(part) for part in label)
    if isinstance(label, frozenset):
        return frozenset, frozenset(typed(part) for part in label)
    if isinstance(label, dt.datetime | dt.time):
        return type(label), label.isoformat()  # `repr` adds `fold`, which is no part of the value
    return type(label), repr(label)
