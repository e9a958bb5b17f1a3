"""Numbers as text that reads back to the same number."""

from __future__ import annotations


def exact(value: float) -> str:
    """The shortest of the usual ways to write a number that loses nothing."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
