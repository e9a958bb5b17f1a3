"""The chain of events by its definition: all bytes of a row, in their order, then SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

Row = tuple[str, int, str, str, str | None, str]  # experiment, n, time, type, key, body


def hashes(rows: Sequence[Row]) -> list[str]:
    """The hash of every row of a chain."""
    before, found = "0" * 64, []
    for experiment, n, time, kind, key, body in rows:
        content = netstring(before)
        content += netstring(experiment)
        content += netstring(f"{n}")
        content += netstring(time)
        content += netstring(kind)
        if key is None:
            content += b"-"
        else:
            content += netstring(key)
        content += netstring(body)
        before = hashlib.sha256(content).hexdigest()
        found.append(before)
    return found


def netstring(text: str) -> bytes:
    """The number of bytes, a colon, the bytes, a comma."""
    content = text.encode("utf-8")
    return str(len(content)).encode("ascii") + b":" + content + b","


def first_damage(rows: Sequence[tuple[Row, str]]) -> int | None:
    """The first place at which a row is not the one that belongs there; None if all do."""
    right = hashes([row for row, _ in rows])
    for place, ((row, found), wanted) in enumerate(zip(rows, right, strict=True), 1):
        if row[1] != place or row[0] != rows[0][0][0] or found != wanted:
            return place
    return None
