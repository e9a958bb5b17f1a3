"""Numbers as text: for files, which must read back the same number, and for people."""

from __future__ import annotations

import math
from typing import Any


def exact(value: float) -> str:
    """The shortest of the usual ways to write a number that loses nothing."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def grouped(value: float) -> str:
    """Six digits for people, thousands apart: no exponent below 10^15."""
    if not 1000 <= abs(value) < 1e15:
        return f"{value:g}"
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1e5 else f"{value:,.6g}"


def steady(value: float) -> float:
    """The number to twelve digits, which no version of a solver or of a C library changes.

    Plans and prices come from floating point, whose last digits differ between versions. Proved
    values do not need this: exact arithmetic rounds them down.
    """
    return float(f"{value:.12g}")


def finite(data: Any) -> Any:
    """The same for JSON, which has no infinity and no NaN: null, also inside lists and tables."""
    if isinstance(data, dict):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
