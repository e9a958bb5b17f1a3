"""Series and frames of pandas and polars, which may name the actions that their numbers belong to.

    pandas Series        one number for each action: put in order by its index
    pandas DataFrame     row = action played, column = action observed: both put in order by label
    polars Series        has no index: taken for the actions 0, 1, ..., refused for named ones
    polars DataFrame     names columns and not rows: refused where rows are actions

A label must be found exactly where it stands in the structure, or everything is refused: a number
is never taken for that of another action. In particular a Series that was never given an index
has the numbers 0, 1, ... for one, which are not the labels of actions called otherwise; whoever
means positions says so with `.to_numpy()`. A list of Series is refused, too: each has an index that
nobody would look at.

Neither library is imported: whoever has a frame has imported its library.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from .errors import InputError
from .labels import Label, Labels, are_default, in_order, listed, plain


def is_series(value: object) -> bool:
    """Whether this is a Series of pandas."""
    return _is(value, "pandas", "Series")


def is_frame(value: object) -> bool:
    """Whether this is a DataFrame of pandas."""
    return _is(value, "pandas", "DataFrame")


def is_polars_frame(value: object) -> bool:
    """Whether this is a DataFrame of polars, or one that is not computed yet."""
    return _is(value, "polars", "DataFrame") or _is(value, "polars", "LazyFrame")


def is_polars_series(value: object) -> bool:
    """Whether this is a Series of polars, which has no index."""
    return _is(value, "polars", "Series")


def _is(value: object, library: str, kind: str) -> bool:
    module = sys.modules.get(library)
    found = getattr(module, kind, None)
    return isinstance(found, type) and isinstance(value, found)


def pairs_of(series: Any) -> list[tuple[Label, Any]]:
    """(label, value) for each entry of a Series of pandas."""
    return [(plain(label), value) for label, value in zip(series.index, series.array, strict=True)]


def ordered(values: Any, labels: Labels, where: str) -> Any:
    """The values of a mapping or a Series in the order of the labels; anything else as it is."""
    if isinstance(values, Mapping):
        return in_order(values, labels, where)
    if not _is_labelled(values, labels, where):
        return values
    with _advice("The index of a Series must name the actions", where):
        _check_named(values.index, labels, where)
        return in_order(pairs_of(values), labels, where)


def _is_labelled(values: Any, labels: Labels, where: str) -> bool:
    """Whether it is a Series of pandas; what has columns, or no labels for named actions, fails."""
    if is_frame(values) or is_polars_frame(values):
        raise InputError(f"{where} is a frame: give one of its columns, or a dictionary")
    if is_polars_series(values):
        _check_numbered(labels, where)
    return is_series(values)


def told(values: Any, labels: Labels, where: str) -> Any:
    """What a Series of pandas holds by label, NaN left out; anything else as it is.

    A play need not show all actions, so that labels may be missing here.
    """
    if isinstance(values, Mapping | list | np.ndarray):  # nearly always, and at every decision
        return values
    if not _is_labelled(values, labels, where):
        return values
    with _advice("The index of a Series must name the actions", where):
        _check_named(values.index, labels, where)
        found: dict[Label, Any] = {}
        for label, value in pairs_of(values.dropna()):
            if label in found:
                raise InputError(f"{where} names action {label!r} twice: keep one of the two")
            found[label] = value
    return found


def matrix_of(given: Any, labels: Iterable[Label] | None, what: str) -> tuple[Any, Any]:
    """A matrix and its labels; a DataFrame of pandas is put in order, anything else stays.

    The order is that of `labels`; without them, that of the frame's rows.
    """
    if is_polars_frame(given):
        raise InputError(
            f"{what} is a polars frame, which does not say which action a row belongs to: give "
            "frame.to_numpy() and, if its rows stand in the order of its columns, "
            "labels=frame.columns"
        )
    if is_series(given) or (isinstance(given, list | tuple) and any(map(_is_any_series, given))):
        raise InputError(
            f"{what} is made of Series, whose labels would be lost: give a DataFrame whose rows "
            "and columns name the actions"
        )
    if not is_frame(given):
        return given, labels
    names = listed(given.index if labels is None else labels)
    places = []
    with _advice("The rows and columns of a frame must name the same actions", "frame"):
        for axis, where in ((given.index, "the rows"), (given.columns, "the columns")):
            _check_named(axis, names, f"{where} of {what}")
            found = zip(listed(axis), range(len(axis)), strict=True)
            places.append(in_order(found, names, f"{where} of {what}"))
    return given.to_numpy()[np.ix_(*places)], names


def _check_named(index: Any, labels: Labels, where: str) -> None:
    """Refuse the numbers that pandas gives where nobody named anything, but for numbered actions.

    By their values alone they would be found among labels such as 1.0 and True, too.
    """
    if _is(index, "pandas", "RangeIndex") and not all(type(label) is int for label in labels):
        raise InputError(f"{where}: only positions 0, 1, ... for the actions {_some(labels)}")


def _check_numbered(labels: Labels, where: str) -> None:
    """Refuse a Series without an index, unless positions are the labels."""
    if not are_default(labels):
        raise InputError(
            f"{where} is a polars Series, which does not say which of the actions {_some(labels)} "
            f"a number belongs to: give a dictionary; {where}.to_list() goes by position"
        )


def _is_any_series(value: object) -> bool:
    return is_series(value) or is_polars_series(value)


def _some(labels: Labels) -> str:
    return ", ".join(map(repr, labels[:3])) + (", ..." if len(labels) > 3 else "")


@contextmanager
def _advice(rule: str, where: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise InputError(f"{error}. {rule}; {where}.to_numpy() goes by position") from None
