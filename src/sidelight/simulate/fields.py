"""Values in files that sidelight wrote, checked one by one: each function gives the value back.

A file of results, a trace and the manifest of a study are read by machines only. Whatever in them
is not as it was written is damage, and the error names its place.
"""

from __future__ import annotations

import math
import reprlib
from typing import Any

from ..document import MAX_TEXT
from ..errors import DamagedError
from ..labels import is_text


def table(value: object, where: str) -> dict[str, Any]:
    """A table from text to anything."""
    if not isinstance(value, dict):
        raise _wrong(value, where, "a table")
    return {text(key, f"a key of {where}"): inner for key, inner in value.items()}


def items(value: object, where: str) -> list[Any]:
    """A list of anything."""
    if not isinstance(value, list):
        raise _wrong(value, where, "a list")
    return value


def text(value: object, where: str) -> str:
    """A text of reasonable length that any file can hold."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise _wrong(value, where, f"a text of at most {MAX_TEXT:,} characters")
    if not is_text(value):
        raise _wrong(value, where, "a text of whole characters")
    return value


def whole(value: object, where: str, low: int, high: int | None = None) -> int:
    """A whole number in the range; a boolean is none."""
    if type(value) is not int or value < low or (high is not None and value > high):
        upper = "on" if high is None else f"to {high:,}"
        raise _wrong(value, where, f"a whole number from {low:,} {upper}")
    return value


def number(value: object, where: str) -> float:
    """A number; an infinite one is written as text."""
    if value in ("inf", "-inf"):
        return float(str(value))
    if type(value) not in (int, float):
        raise _wrong(value, where, "a number")
    try:
        found = float(value)  # type: ignore[arg-type]
    except OverflowError:
        found = math.nan
    if not math.isfinite(found):
        raise _wrong(value, where, "a finite number")
    return found


def _wrong(value: object, where: str, needed: str) -> DamagedError:
    return DamagedError(f"{where} is {reprlib.repr(value)}, and should be {needed}")
