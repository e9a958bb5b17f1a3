"""What no file should hold, for every place in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Place = tuple[str | int, ...]

# Python writes and reads NaN and Infinity in JSON, though JSON has neither; 1e400 is read as the
# latter.
VALUES: dict[str, Any] = {
    "null": None,
    "true": True,
    "false": False,
    "nan": float("nan"),
    "1e400": float("inf"),
    "zero": 0,
    "negative": -1,
    "half": 0.5,
    "2^63": 2**63,
    "10^400": 10**400,
    "empty text": "",
    "text": "text",
    "number as text": "1",
    "control characters": "\x00\x1b[2J\x7f",
    "half a character": "\ud83d",
    "long text": "x" * 200_000,
    "empty list": [],
    "nested lists": [[[[[[]]]]]],
    "empty table": {},
    "nested tables": {"a": {"b": {"c": None}}},
}


def places(value: Any, here: Place = ()) -> Iterator[Place]:
    """Every leaf and every node, but for the whole; of long lists the first and the last entry."""
    if here:
        yield here
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*here, key))
    elif isinstance(value, list):
        for i in sorted({0, len(value) - 1} - {-1}):
            yield from places(value[i], (*here, i))


def changed(value: Any, place: Place, new: object) -> Any:
    """The data with another value at this place."""
    if not place:
        return new
    copy = value.copy()
    copy[place[0]] = changed(value[place[0]], place[1:], new)
    return copy
