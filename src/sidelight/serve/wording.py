"""What msgspec says of a body that does not fit, in the words of this service.

Expected `int`, got `float`          a whole number belongs here, and this is a number with a point
Expected `str` of length <= 200      text of at most 200 characters belongs here
Object missing required field `x`    the field 'x' is missing
"""

from __future__ import annotations

import re

WANTED = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
GOT = {**WANTED, "float": "a number with a point"}
LIMITS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
UNITS = {"str": "characters", "array": "items"}

_expected = re.compile(r"Expected `([^`]+)`(?:, got `([^`]+)`| ?(.*))", re.DOTALL)
_limit = re.compile(r"(of length )?(>=|<=|>|<) (\S+)")
_pattern = re.compile(r"matching regex '(.*)'", re.DOTALL)
_missing = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_unknown = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)


def in_words(said: str) -> str:
    """A sentence of ours for one of msgspec; what is not known stays as it is."""
    if found := _missing.fullmatch(said):
        return f"the field {found[1]!r} is missing"
    if found := _unknown.fullmatch(said):
        return f"there is no field {found[1]!r} here: leave it out, or see how it is written"
    if said == "Number out of range":
        return "the number is too large: numbers go up to about 1e308"
    found = _expected.fullmatch(said)
    if not found:
        return said
    kinds, got, rest = found[1].split(" | "), found[2], found[3]
    wanted = " or ".join(WANTED.get(kind, kind) for kind in kinds) + _limited(kinds[0], rest or "")
    return f"{wanted} belongs here" + (f", and this is {GOT.get(got, got)}" if got else "")


def no_json(said: str) -> str:
    """Why a body is no JSON."""
    if said == "Input data was truncated":
        return "it ends too early: see whether a quote or a bracket is open"
    why = said.removeprefix("JSON is malformed: ")
    return f"{why}; see the quotes, commas and brackets there"


def _limited(kind: str, rest: str) -> str:
    if found := _limit.fullmatch(rest):
        bound = f"{LIMITS[found[2]]} {_number(found[3])}"
        unit = UNITS.get(kind, "parts")
        unit = unit.removesuffix("s") if found[3] == "1" else unit
        return f" of {bound} {unit}" if found[1] else f", {bound},"
    if found := _pattern.fullmatch(rest):
        return f" of the form {found[1]}"
    return f" {rest}" if rest else ""


def _number(text: str) -> str:
    return text.removesuffix(".0")
