"""Texts of other modules in the words of the page.

Bounds speak to programmers: they name functions and the paper's labels. A page has titles for them.
"""

from __future__ import annotations

import re

from ..bounds.titles import LOWER, METHODS, UPPER

TITLES = {
    **LOWER,
    **{f"bounds.{name}": title for name, title in LOWER.items()},
    **{f"guarantees.{name}": title for name, title in UPPER.items()},
}
# Only advice at the end is changed: before it stand labels, which are not ours.
_ADVICE = re.compile(r"\b(?:use|see) ([a-z_.]+)$")
_ONE_ROUND = re.compile(r"(?<![\d.,'\"])1 rounds\b")
_LABEL = re.compile("|".join(map(re.escape, sorted(METHODS, key=len, reverse=True))))


def in_words(why: str) -> str:
    """Why a bound holds, or does not, with the titles of the page for names of functions."""
    said = _ADVICE.sub(lambda found: f"see “{TITLES.get(found[1], found[1])}”", why)
    return _ONE_ROUND.sub("1 round", said)


def method_in_words(method: str) -> str:
    """How a bound was found, without the paper's labels."""
    return METHODS.get(method) or _LABEL.sub(lambda found: f"“{METHODS[found[0]]}”", method)
