"""Events as text: one JSON object for each line, with the body as an object in it.

    {"body":{...},"experiment":"pricing","hash":"...","key":null,"n":1,"time":"...","type":"created"}

A body is canonical, so that the text that the hash vouches for is written again from its object.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import DamagedError, InputError
from .events import Event, check_chain, check_key, check_name, check_type, read_body, write_body

FIELDS = set(Event.__dataclass_fields__)


def to_lines(events: Iterable[Event]) -> Iterator[str]:
    """A line for each event, without the line feed."""
    for event in events:
        try:
            line = {**vars(event), "body": read_body(event.body)}
        except InputError as error:
            raise DamagedError(f"{event.experiment}: event {event.n}: {error}") from None
        yield json.dumps(line, sort_keys=True, separators=(",", ":"))


def from_lines(lines: Iterable[str]) -> list[Event]:
    """The events of one experiment, with their chain checked; blank lines are nothing."""
    events = [_event(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not events:
        raise InputError("no events: the file is empty")
    damage = check_chain(events)
    if damage:
        raise DamagedError(f"{events[0].experiment}: {damage.why}: nothing was taken over")
    return events


def _event(number: int, line: str) -> Event:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise DamagedError(f"line {number} is no JSON") from None
    if not isinstance(found, dict) or set(found) != FIELDS:
        raise DamagedError(f"line {number} is no event: it needs {', '.join(sorted(FIELDS))}")
    try:
        event = Event(**{**found, "body": write_body(found["body"])})
        check_name(event.experiment)
        check_type(event.type)
        check_key(event.key)
    except InputError as error:
        raise DamagedError(f"line {number}: {error}") from None
    texts = (event.time, event.hash)
    if type(event.n) is not int or not all(map(_is_plain, texts)):
        raise DamagedError(f"line {number}: n is a number, time and hash are plain text")
    return event


def _is_plain(text: object) -> bool:
    return isinstance(text, str) and text.isascii() and text.isprintable()
