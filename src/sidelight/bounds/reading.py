"""Plain data from a file that anybody may have damaged or forged, read without trust.

A number is text such as "3", "-7/20" or "1.5", or a number of JSON. `Fraction` alone would take
"1e1000000000" and fill the memory with its digits, so exponents are refused and lengths bounded; no
number that sidelight writes comes near the bound. Every complaint says what to do about it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import InputError

# A float has at most 767 digits, and a weight is a product of two numbers of that kind.
DIGITS = 4000
ADVICE = "the file is damaged or was changed by hand: save the certificate again"

_NUMBER = re.compile(f"[+-]?[0-9]{{1,{DIGITS}}}([./][0-9]{{1,{DIGITS}}})?")


def json_object(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The one object in a file of JSON."""
    try:
        data = json.loads(Path(path).read_bytes())
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: cannot be read: {reason}; check the name of the file") from None
    except (ValueError, RecursionError):  # also numbers too long for int, and text not in UTF-8
        raise InputError(f"{path}: not valid JSON; {ADVICE}") from None
    if not isinstance(data, dict):
        raise InputError(f"{path}: not a certificate, which is one JSON object; {ADVICE}")
    return data


def field(table: object, key: str) -> Any:
    """An entry that must be there."""
    if not isinstance(table, Mapping) or key not in table:
        raise InputError(f"the entry {key!r} is missing; {ADVICE}")
    return table[key]


def listed(value: object, where: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list | tuple):
        raise InputError(f"{where} must be a list; {ADVICE}")
    return list(value)


def number(value: object, where: str) -> Fraction:
    """A rational number of a sane length."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            if _NUMBER.fullmatch(str(value)):
                return Fraction(value)
        except (ValueError, ZeroDivisionError):  # str and int refuse what is too long themselves
            pass
    raise InputError(f"{where} holds {_shown(value)}, which is no rational number; {ADVICE}")


def maybe(value: object, where: str) -> Fraction | None:
    """A number, or None."""
    return None if value is None else number(value, where)


def numbers(value: object, where: str) -> tuple[Fraction, ...]:
    """A list of numbers."""
    return tuple(number(entry, where) for entry in listed(value, where))


def index(value: object) -> int:
    """The number of an action, which need not exist."""
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**31:
        raise InputError(f"action = {_shown(value)} must be the number of an action; {ADVICE}")
    return value


def _shown(value: object) -> str:
    """Enough of a value to recognise it; the text of a long integer may not even exist."""
    if isinstance(value, int):
        return repr(value) if value.bit_length() < 100 else "a huge integer"
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else f"{value[:40]!r}..."
    return repr(value) if value is None or isinstance(value, float) else f"a {type(value).__name__}"
