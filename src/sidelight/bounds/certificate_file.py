"""Plain data from a file that anybody may have damaged or forged, read without trust.

A rational number is text such as "3", "-7/20" or "1.5". Numbers of JSON are refused, because some
readers take 0.1 for a tenth and others for the float next to it; so are keys that stand twice or
mean nothing, because readers may take different ones. Two readers of a certificate must not read
two claims.

Time and memory of a check are bounded by the sizes below. `Fraction` alone would take
"1e1000000000" and fill the memory with its digits, so exponents are refused as well. sidelight
writes nothing that comes near a limit for 150 actions; the largest certificates have about as many
rows as actions, for the solvers stop at a vertex. Every complaint says what to do about it.
"""

from __future__ import annotations

import json
import math
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from .. import writing
from ..errors import DamagedError, InputError
from ..files import repeated_key
from .rational import float_down, float_up

# 100 actions need 0.65 MB, 200 actions 2.6 MB; reading 4 MB takes half a second.
MOST_BYTES = 4_000_000
# A float has at most 767 digits, 324 of them below a fraction line; a weight is a product of two.
DIGITS = 1000
MOST_ACTIONS = 500
MOST_ROWS = 600
# Means in all alternatives together: each costs a logarithm, 60 microseconds.
MOST_MEANS = 25_000
# Alternatives times pairs of actions of which one shows the other: a product of 0.3 microseconds.
MOST_PRODUCTS = 4_000_000

ADVICE = "the file is damaged or was changed by hand: save the certificate again"
AS_TEXT = (
    'write it in quotes as "1000", "-7/20" or "1.5", without an exponent, or save the certificate '
    "again"
)
OUT_OF_REACH = "its numbers are too large, or too small, to check"
TOO_LARGE = "a certificate that is still in Python is checked by its method `check`, without limits"

_NUMBER = re.compile(f"[+-]?[0-9]{{1,{DIGITS}}}([./][0-9]{{1,{DIGITS}}})?")


class Saved(ABC):
    """A proof that goes to a file of JSON and comes back; nothing in the file is trusted."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: check() says whether it proves its claim>"

    @abstractmethod
    def examine(self) -> str | None:
        """Evaluate the proof, without a search: why the claim is not proved; None if it is."""

    @cached_property
    def _found(self) -> str | None:
        return self.examine()

    def objection(self) -> str | None:
        """Why the claim is not proved; None if it is. A proof cannot change: one look is enough."""
        return self._found

    def check(self) -> bool:
        """Whether the claim follows from what the proof holds; without a search or a solver."""
        return self.objection() is None

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; rational numbers are written as text."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`; nothing in the data is believed until `check`."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write JSON that `sidelight check`, or any other reader, can check."""
        writing.save(Path(path), (json.dumps(self.to_dict(), indent=1) + "\n").encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote; anything else is a `DamagedError`."""
        return cls.from_file(path, json_object(path))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], data: object) -> Self:
        """As `from_dict`, of the data in a file that complaints name."""
        try:
            return cls.from_dict(data)
        except DamagedError as error:
            raise DamagedError(f"{path}: {error}") from None


def json_object(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The one object in a file of JSON, in which no key stands twice."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: cannot be read: {reason}; check the name of the file") from None
    if len(content) > MOST_BYTES:
        raise DamagedError(f"{path}: larger than {MOST_BYTES} bytes; {TOO_LARGE}")
    try:
        data = json.loads(content.decode("utf-8"), object_pairs_hook=_table)
    except DamagedError as error:
        raise DamagedError(f"{path}: {error}") from None
    except (ValueError, RecursionError):  # also numbers too long for int, and text not in UTF-8
        words = "no proof but a problem: `sidelight analyze FILE --certificates DIR` writes proofs"
        said = words if str(path).endswith(".toml") else f"not valid JSON; {ADVICE}"
        raise DamagedError(f"{path}: {said}") from None
    if not isinstance(data, dict):
        raise DamagedError(f"{path}: not a certificate, which is one JSON object; {ADVICE}")
    return data


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = repeated_key(pairs)
    if twice is not None:
        raise DamagedError(f"the entry {_shown(twice)} stands twice; {ADVICE}")
    return dict(pairs)


def entries(table: object, keys: Collection[str]) -> list[Any]:
    """The entries with these keys, all of which must be there, and no others."""
    if not isinstance(table, Mapping):
        raise DamagedError(f"a table is expected in place of {_shown(table)}; {ADVICE}")
    for key in keys:
        if key not in table:
            raise DamagedError(f"the entry {key!r} is missing; {ADVICE}")
    for key in table:
        if key not in keys:
            raise DamagedError(f"the entry {_shown(key)} is unknown; {ADVICE}")
    return [table[key] for key in keys]


def bounded_list(value: object, where: str, most: int) -> list[Any]:
    """A list of a sane length."""
    if not isinstance(value, list | tuple):
        raise DamagedError(f"{where} must be a list; {ADVICE}")
    if len(value) > most:
        raise DamagedError(
            f"{where}: {len(value)} entries, and at most {most} are read; {TOO_LARGE}"
        )
    return list(value)


def number(value: object, where: str) -> Fraction:
    """A rational number of a sane length."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        try:
            return Fraction(value)
        except ZeroDivisionError:
            pass
    raise DamagedError(
        f"{where} holds {_shown(value)}, which is no rational number in text; {AS_TEXT}"
    )


def maybe(value: object, where: str) -> Fraction | None:
    """A number, or None."""
    return None if value is None else number(value, where)


def numbers(value: object, where: str) -> tuple[Fraction, ...]:
    """A list of numbers, one for each action."""
    return tuple(number(entry, where) for entry in bounded_list(value, where, MOST_ACTIONS))


def index(value: object) -> int:
    """The number of an action, which need not exist."""
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**31:
        raise DamagedError(f"action = {_shown(value)} must be the number of an action; {ADVICE}")
    return value


def variances(value: object) -> tuple[tuple[Fraction | None, ...], ...]:
    """A table of variances, None where nothing is observed.

    Each must be a number that a float holds: sums of many inverses of longer ones take for ever.
    """
    rows = [
        bounded_list(row, "variance", MOST_ACTIONS)
        for row in bounded_list(value, "variance", MOST_ACTIONS)
    ]
    found = tuple(tuple(maybe(v, "variance") for v in row) for row in rows)
    if any(v is not None and float_up(v) != v for row in found for v in row):
        raise DamagedError(f"a variance is not a float; {ADVICE}")
    return found


def count(value: object, where: str) -> int:
    """A whole number: no float holds more digits than are read of a rational."""
    if isinstance(value, bool) or not isinstance(value, int) or value.bit_length() > 2000:
        raise DamagedError(f"{where} must be whole numbers; {ADVICE}")
    return value


def claimed(value: object) -> float:
    """The value of an upper bound, rounded against the claim."""
    return math.inf if value == "inf" else float_down(number(value, "value"))


def affordable(means: int, products: int) -> None:
    """Refuse alternatives that would take long to evaluate."""
    if means > MOST_MEANS or products > MOST_PRODUCTS:
        raise DamagedError(
            f"the alternatives have {means} means and need {products} products, and at most "
            f"{MOST_MEANS} and {MOST_PRODUCTS} are computed; {TOO_LARGE}"
        )


def _shown(value: object) -> str:
    """Enough of a value to recognise it; the text of a long integer may not even exist."""
    if isinstance(value, int):
        return repr(value) if value.bit_length() < 100 else "a huge integer"
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else f"{value[:40]!r}..."
    return repr(value) if value is None or isinstance(value, float) else f"a {type(value).__name__}"
