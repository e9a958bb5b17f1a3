"""TOML as text: the one writer for problems and studies. `tomllib` reads what it writes.

    text      in quotes, with JSON's escapes, which are TOML's too
    numbers   as Python writes them: inf, nan and 1e-05 are TOML
    lists     in brackets; one row on each line where they hold lists
    tables    at the top under [key], one line for each entry; inside other values, in braces

JSON may write a character outside the basic plane as two halves, which TOML refuses: characters
stand here as they are. A half alone is no character, and no file can hold it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from .errors import InputError


def dumps(table: Mapping[str, object], comment: str = "") -> str:
    """The text of a file; `comment` becomes its first lines."""
    plain, tables = [], []
    for key, value in table.items():
        if isinstance(value, dict):
            tables += [
                "",
                f"[{_key(key)}]",
                *(f"{_key(k)} = {_value(v)}" for k, v in value.items()),
            ]
        else:
            plain.append(f"{_key(key)} = {_value(value)}")
    head = [f"# {line}".rstrip() for line in comment.splitlines()]
    return "\n".join([*head, *plain, *tables]) + "\n"


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def encode(text: str) -> bytes:
    """The text in UTF-8, which has no place for half a character."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise InputError(f"a label or name holds {half!r}, half a character: replace it") from None


def _text(text: str) -> str:
    encode(text)
    # Only DEL may stand bare in JSON and not in TOML.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    match value:
        case str():
            return _text(value)
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case dict():
            return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
        case [[*_], *_]:
            return "[\n" + "".join(f"  {_value(row)},\n" for row in value) + "]"
        case list():
            return "[" + ", ".join(_value(item) for item in value) + "]"
        case _:
            raise TypeError(f"TOML has no place for a {type(value).__name__}")
