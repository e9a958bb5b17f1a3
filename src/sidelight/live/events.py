"""Events, and the chain that shows whether anybody touched them.

All that happens in an experiment is a row of one table, and no row is ever changed:

    experiment, n, time, type, key, body, hash        n = 1, 2, ... in each experiment

The hash of a row vouches for the row and, through the hash before it, for all rows before:

    hash_0 = "0" repeated 64 times
    hash_n = SHA-256( N(hash_{n-1}) N(experiment) N(n) N(time) N(type) K N(body) )

written with 64 hexadecimal digits in lower case. N(x) is the netstring of x: the number of its
bytes in decimal digits, a colon, the bytes in UTF-8, a comma. Numbers are decimal digits without
leading zeros. K is N(key), or the single byte "-" where there is no key. No two rows have the
same bytes: a netstring says where it ends, and none begins with "-".

`body` is canonical JSON: an object in ASCII, keys sorted by code points, no blanks, other
characters as \\uXXXX, floats as Python's `repr`, which is the shortest text that comes back as the
same bits; no NaN, no infinity. `time` is UTC, for people. Nothing is derived from it but the hash.

A chain does not show that rows are missing at its end: a shorter chain is a chain, too. Whoever
noted the last n and its hash elsewhere (`head`) can tell.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from ..errors import ConflictError, InputError, choose_from

TYPES = ("created", "opened", "decided", "told", "recorded", "lost", "state", "adopted")
START = "0" * 64  # the hash before the first event
NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
KEY_LENGTH = 200  # characters
DEPTH = 50  # of lists and objects in a body


@dataclass(frozen=True)
class Entry:
    """What somebody wants to append: an event that has no place in the chain yet."""

    type: str
    body: Mapping[str, Any]
    key: str | None = None


@dataclass(frozen=True)
class Event:
    """A row of the table."""

    experiment: str
    n: int
    time: str
    type: str
    key: str | None
    body: str
    hash: str

    @property
    def data(self) -> dict[str, Any]:
        """What the body says."""
        return read_body(self.body)


@dataclass(frozen=True)
class Head:
    """The end of a chain, as somebody noted it: the last n and its hash."""

    n: int
    hash: str


@dataclass(frozen=True)
class Damage:
    """Where a chain is broken first, and how."""

    n: int
    why: str


def utc_now() -> str:
    """The time as text, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


# ---- bodies --------------------------------------------------------------------------------------


def write_body(data: Mapping[str, Any]) -> str:
    """The canonical JSON of an object; a tuple is written as a list."""
    if not isinstance(data, Mapping):
        raise InputError(f"the body of an event is an object, not {type(data).__name__}")
    try:
        return json.dumps(_plain(data), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(f"the body of an event cannot be written: {error}") from None


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def is_canonical(text: str, data: Mapping[str, Any]) -> bool:
    """Whether the text is what `write_body` makes of the data that it says."""
    try:
        return _canonical(data) == text
    except ValueError:
        return False


def is_time(text: object) -> bool:
    """Whether this is a time as `utc_now` writes it."""
    return isinstance(text, str) and TIME.fullmatch(text) is not None


def read_body(text: str) -> dict[str, Any]:
    """The object that a body says; `InputError` where it says none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"the body of an event is no JSON: {text[:80]!r}") from None
    if not isinstance(data, dict):
        raise InputError(f"the body of an event is an object, not {text[:80]!r}")
    return data


def _plain(value: Any, depth: int = 0) -> Any:
    """The same value made of what JSON has; floats and integers lose their subclasses."""
    if depth > DEPTH:
        raise InputError(f"the body of an event has more than {DEPTH} levels")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if value - value != 0:
            raise InputError(f"the body of an event has no place for {value}: write it as text")
        return float(value)
    if isinstance(value, (dict, Mapping)):
        if not all(isinstance(key, str) for key in value):
            raise InputError(f"the keys in the body of an event are text: {list(value)[:5]}")
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    advice = "give numbers, text, true, false, null, lists and objects"
    raise InputError(f"the body of an event cannot hold a {type(value).__name__}: {advice}")


# ---- doors ---------------------------------------------------------------------------------------


def check_name(experiment: object) -> None:
    """Refuse what is no name of an experiment."""
    if not isinstance(experiment, str) or not NAME.fullmatch(experiment):
        rule = "1 to 64 of a-z, 0-9, '_', '.', '-', and the first is a letter or a digit"
        raise InputError(f"no name of an experiment: {experiment!r}; a name has {rule}")


def check_type(kind: object) -> None:
    """Refuse a type that there is not."""
    if kind not in TYPES:
        raise InputError(f"no type of events: {kind!r}; {choose_from(kind, TYPES)}")


def check_key(key: object) -> None:
    """Refuse what both databases could not keep and find again."""
    if key is None:
        return
    if not isinstance(key, str) or not 0 < len(key) <= KEY_LENGTH:
        raise InputError(f"a key is text of 1 to {KEY_LENGTH} characters, not {str(key)[:50]!r}")
    halves = not key.isascii() and any("\ud800" <= letter <= "\udfff" for letter in key)
    if "\0" in key or halves:
        raise InputError(f"a key has no zero character and no half of a pair: {key!r}")


# ---- the chain -----------------------------------------------------------------------------------


def link(before: str, event: Event) -> str:
    """The hash that the event must have after the hash `before`."""
    parts = (before, event.experiment, str(event.n), event.time, event.type, event.key, event.body)
    text = "".join(["-" if part is None else f"{len(part)}:{part}," for part in parts])
    if text.isascii():  # nearly always; then a character is a byte
        return sha256(text.encode()).hexdigest()
    return sha256(b"".join(map(_net, parts))).hexdigest()


def _net(text: str | None) -> bytes:
    if text is None:
        return b"-"
    content = str(text).encode("utf-8", "surrogatepass")  # a damaged row may hold anything
    return b"%d:%b," % (len(content), content)


def follow(
    experiment: str, last: Event | Head | None, after: int, entries: Sequence[Entry], time: str
) -> list[Event]:
    """The entries as the events that come after `last`, whose n the caller expects to be `after`.

    `ConflictError` where it is another.
    """
    n, before = (last.n, last.hash) if last else (0, START)
    if n != after:
        advice = "read what was written since, and decide again"
        raise ConflictError(f"{experiment}: the last event is {n}, not {after}: {advice}")
    events = []
    for entry in entries:
        n += 1
        event = Event(experiment, n, time, entry.type, entry.key, write_body(entry.body), "")
        before = link(before, event)
        events.append(Event(experiment, n, time, entry.type, entry.key, event.body, before))
    return events


def check_entries(experiment: str, after: int, entries: Sequence[Entry]) -> None:
    """Refuse what cannot be appended, whatever is there already."""
    check_name(experiment)
    if type(after) is not int or after < 0:
        raise InputError(
            f"{experiment}: no number of an event: {after!r}; before the first it is 0"
        )
    if not entries:
        raise InputError(f"{experiment}: nothing to append")
    named = []
    for entry in entries:
        check_type(entry.type)
        check_key(entry.key)
        if entry.key is not None:
            named.append((entry.type, entry.key))
    if len(set(named)) < len(named):
        raise InputError(f"{experiment}: two entries of one type have the same key")


class BrokenChainError(Exception):
    """A chain is damaged; `damage` says where first."""

    def __init__(self, damage: Damage) -> None:
        super().__init__(damage.why)
        self.damage = damage


def check_chain(
    events: Iterable[Event], before: Event | Head | None = None, head: Event | Head | None = None
) -> Damage | None:
    """The first n at which a chain is damaged; None where it is whole.

    `events` are those of one experiment in their order. `before` is an event that was checked
    before, where they do not begin with 1; `head` is the last event, if somebody noted it.
    """
    try:
        deque(sound(events, before, head), maxlen=0)
    except BrokenChainError as error:
        return error.damage
    return None


def sound(
    events: Iterable[Event], before: Event | Head | None = None, head: Event | Head | None = None
) -> Iterator[Event]:
    """The events as they come, as long as their chain is whole; `BrokenChainError` where not."""
    n, last = (before.n, before.hash) if before else (0, START)
    experiment = before.experiment if isinstance(before, Event) else None
    for event in events:
        n += 1
        experiment = experiment or event.experiment
        if event.n != n:
            raise BrokenChainError(Damage(n, _misplaced(n, event.n)))
        if event.experiment != experiment:
            why = f"event {n} is of {event.experiment!r}, not of {experiment!r}"
            raise BrokenChainError(Damage(n, why))
        if not _fits(last, event):
            why = f"event {n} is not as it was written, or not what followed {n - 1}"
            raise BrokenChainError(Damage(n, why))
        last = event.hash
        if head and n == head.n and last != head.hash:
            raise BrokenChainError(Damage(n, f"event {n} does not have the hash that was noted"))
        yield event
    if head and n < head.n:
        missing = f"events {n + 1} to {head.n} are missing at the end"
        raise BrokenChainError(Damage(n + 1, missing))


def _fits(before: str, event: Event) -> bool:
    try:
        return link(before, event) == event.hash
    except TypeError:  # a damaged row may hold what is no text
        return False


def _misplaced(wanted: int, found: object) -> str:
    if isinstance(found, int) and found > wanted:
        return f"event {wanted} is missing: {found} comes in its place"
    return f"event {wanted} is missing, or {found} is there twice or in the wrong place"
