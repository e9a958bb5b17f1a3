"""Events: bytes, bodies, and the chain, with every kind of damage found at its place."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import chain
from sidelight import ConflictError, InputError
from sidelight.live.events import (
    START,
    TYPES,
    Entry,
    Event,
    Head,
    check_chain,
    check_entries,
    check_key,
    check_name,
    follow,
    link,
    read_body,
    utc_now,
    write_body,
)

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters())  # halves of pairs, too
)
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
bodies = st.dictionaries(st.text(), values, max_size=4)
keys = st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
plain_keys = keys.filter(lambda key: key is None or "\0" not in key)
entries = st.builds(Entry, st.sampled_from(TYPES), bodies, plain_keys)


def story(count: int, experiment: str = "story") -> list[Event]:
    """A chain of so many events."""
    made = [
        Entry(TYPES[i % 8], {"i": i, "x": i / 7}, f"k{i}" if i % 3 else None) for i in range(count)
    ]
    return follow(experiment, None, 0, made, "2026-01-02T03:04:05.000006Z")


# ---- bodies --------------------------------------------------------------------------------------


@given(bodies)
def test_a_body_comes_back_as_it_was(body: dict[str, object]) -> None:
    text = write_body(body)
    assert text.isascii()
    assert read_body(text) == body
    assert write_body(read_body(text)) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_comes_back_bit_for_bit(x: float) -> None:
    assert struct.pack("d", read_body(write_body({"x": x}))["x"]) == struct.pack("d", x)


def test_a_body_is_sorted_and_has_no_blanks() -> None:
    body = {"b": (1, 2.5, None, True), "a": {"ü": "\ud800", "e": -0.0}}
    assert write_body(body) == '{"a":{"e":-0.0,"\\u00fc":"\\ud800"},"b":[1,2.5,null,true]}'


def test_numbers_of_numpy_are_numbers() -> None:
    assert write_body({"x": np.float64(0.1)}) == '{"x":0.1}'


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([1], "is an object, not list"),
        ({"x": math.nan}, "no place for nan"),
        ({"x": [math.inf]}, "no place for inf"),
        ({"x": {1: 2}}, "keys in the body of an event are text"),
        ({"x": np.int64(3)}, "cannot hold a int64"),
        ({"x": b"ab"}, "cannot hold a bytes"),
        ({"x": 10**5000}, "cannot be written"),
    ],
)
def test_what_is_no_body_is_refused(body: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        write_body(body)


def test_a_body_that_is_too_deep_is_refused() -> None:
    body: dict[str, object] = {}
    for _ in range(60):
        body = {"x": body}
    with pytest.raises(InputError, match="more than 50 levels"):
        write_body(body)


@pytest.mark.parametrize("text", ["", "[1]", "{", "[" * 100_000])
def test_text_that_is_no_body_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="body of an event"):
        read_body(text)


# ---- names, keys, time ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "A", "a b", "../a", "a\n", "-a", "a" * 65, "ä", None, 3])
def test_a_bad_name_is_refused(name: object) -> None:
    with pytest.raises(InputError, match="no name of an experiment"):
        check_name(name)


@pytest.mark.parametrize("name", ["a", "0", "pricing-2.b_c", "a" * 64])
def test_a_good_name_is_taken(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize("key", ["", "a\0b", "\ud800", "x" * 201, 7])
def test_a_bad_key_is_refused(key: object) -> None:
    with pytest.raises(InputError, match="a key"):
        check_key(key)


def test_a_key_may_be_any_other_text() -> None:
    for key in (None, "x" * 200, "ü 😀 \n", "'; DROP TABLE event; --"):
        check_key(key)


@pytest.mark.parametrize(
    ("after", "made", "said"),
    [
        (-1, [Entry("told", {})], "no number of an event"),
        (True, [Entry("told", {})], "no number of an event"),
        (0, [], "nothing to append"),
        (0, [Entry("decide", {})], "did you mean 'decided'"),
        (0, [Entry("told", {}, "k"), Entry("told", {}, "k")], "have the same key"),
    ],
)
def test_what_cannot_be_appended_is_refused(after: int, made: list[Entry], said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_entries("a", after, made)


def test_one_key_may_serve_two_types() -> None:
    check_entries("a", 0, [Entry("told", {}, "k"), Entry("decided", {}, "k")])


def test_time_is_utc_to_the_microsecond() -> None:
    time = utc_now()
    assert (len(time), time[10], time[-1]) == (27, "T", "Z")


# ---- the chain -----------------------------------------------------------------------------------


@given(st.lists(entries, min_size=1, max_size=6))
@settings(max_examples=40)
def test_the_chain_is_that_of_the_definition(made: list[Entry]) -> None:
    events = follow("a.b", None, 0, made, "2026-01-02T03:04:05.000006Z")
    rows = [(e.experiment, e.n, e.time, e.type, e.key, e.body) for e in events]
    assert [event.hash for event in events] == chain.hashes(rows)
    assert [event.data for event in events] == [entry.body for entry in made]
    assert check_chain(events) is None


def test_the_bytes_of_a_hash_never_change() -> None:
    """A stored chain must be readable for ever; computed once with another program (sha256sum)."""
    event = Event("a", 1, "2026-01-02T03:04:05.000006Z", "told", "k\u00e9", '{"x":0.5}', "")
    assert link(START, event) == PINNED


PINNED = "ffa565eb0e89bdc1c98dd17131ddca96c8d022d6bffeb51db56bcfbc02646cb0"


def test_a_key_that_looks_like_the_next_field_is_not_confused_with_it() -> None:
    one = Event("a", 1, "t", "told", None, "{}", "")
    others = [replace(one, key=""), replace(one, key="-"), replace(one, key="2:{},", body="")]
    assert len({link(START, event) for event in [one, *others]}) == 4


def test_a_chain_goes_on_where_it_ended() -> None:
    whole = story(10)
    assert check_chain(whole[6:], before=whole[5]) is None
    assert check_chain(whole[6:], before=Head(6, whole[5].hash)) is None
    assert follow("story", whole[3], 4, [Entry("told", {})], "t")[0].n == 5
    damage = check_chain(whole[6:], before=whole[4])
    assert damage is not None
    assert damage.n == 6


def test_what_must_follow_another_number_is_a_conflict() -> None:
    with pytest.raises(ConflictError, match="the last event is 3, not 2"):
        follow("story", story(3)[-1], 2, [Entry("told", {})], "t")


def test_a_cut_end_is_seen_by_whoever_noted_it() -> None:
    whole = story(10)
    assert check_chain(whole[:7]) is None
    damage = check_chain(whole[:7], head=whole[-1])
    assert damage is not None
    assert (damage.n, damage.why) == (8, "events 8 to 10 are missing at the end")
    assert check_chain(whole, head=whole[-1]) is None
    assert check_chain(whole, head=whole[4]) is None
    other = check_chain(whole, head=Head(5, START))
    assert other is not None
    assert other.n == 5


def test_an_empty_chain_is_whole() -> None:
    assert check_chain([]) is None


Tampering = Callable[[list[Event], random.Random], tuple[list[Event], int]]


def edit(events: list[Event], rng: random.Random) -> tuple[list[Event], int]:
    """Another value in one field of one row, the hash included."""
    i = rng.randrange(len(events))
    row = dict(vars(events[i]))
    field = rng.choice(["experiment", "time", "type", "key", "body", "hash"])
    row[field] = _another(str(row[field]), rng)
    changed = Event(**row)
    return [*events[:i], changed, *events[i + 1 :]], i + 1


def _another(text: str, rng: random.Random) -> str:
    i = rng.randrange(len(text) + 1)
    letter = chr(ord("a") + rng.randrange(26))
    changed = text[:i] + letter + text[i + rng.randrange(2) :]
    return changed if changed != text else text + "x"


def drop(events: list[Event], rng: random.Random) -> tuple[list[Event], int]:
    """One row less; at the end only a noted head can tell, so the last stays."""
    i = rng.randrange(len(events) - 1)
    return events[:i] + events[i + 1 :], i + 1


def insert(events: list[Event], rng: random.Random) -> tuple[list[Event], int]:
    """One row more, and later ones renumbered; its own hash is right, so that the next is wrong."""
    i = rng.randrange(len(events))
    last = events[i - 1] if i else None
    (new,) = follow("story", last, i, [Entry("told", {"forged": rng.random()})], "t")
    return [*events[:i], new, *(replace(event, n=event.n + 1) for event in events[i:])], i + 2


def swap(events: list[Event], rng: random.Random) -> tuple[list[Event], int]:
    """Two rows change places, with or without their numbers."""
    i, j = sorted(rng.sample(range(len(events)), 2))
    changed = list(events)
    changed[i], changed[j] = events[j], events[i]
    if rng.random() < 0.5:
        changed[i], changed[j] = replace(changed[i], n=i + 1), replace(changed[j], n=j + 1)
    return changed, i + 1


def renumber(events: list[Event], rng: random.Random) -> tuple[list[Event], int]:
    """From some place on all numbers are one too large."""
    i = rng.randrange(len(events))
    return events[:i] + [replace(event, n=event.n + 1) for event in events[i:]], i + 1


def repeat(events: list[Event], rng: random.Random) -> tuple[list[Event], int]:
    """A row is there twice."""
    i = rng.randrange(len(events))
    return events[: i + 1] + events[i:], i + 2


def restart(events: list[Event], rng: random.Random) -> tuple[list[Event], int]:
    """The whole chain is made again, well, but on another first hash."""
    before, made = _another(START, rng), []
    for event in events:
        before = link(before, event)
        made.append(replace(event, hash=before))
    return made, 1


TAMPERINGS: list[Tampering] = [edit, drop, insert, swap, renumber, repeat, restart]


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda tamper: tamper.__name__)
def test_a_thousand_tamperings_are_found_at_their_place(tamper: Tampering) -> None:
    rng = random.Random(tamper.__name__)
    events = story(40)
    found = 0
    for _ in range(1000):
        forged, n = tamper(events, rng)
        damage = check_chain(forged)
        rows = [((e.experiment, e.n, e.time, e.type, e.key, e.body), e.hash) for e in forged]
        found += damage is not None and damage.n == n and str(n) in damage.why
        if tamper is not restart:
            assert chain.first_damage(rows) == n
    assert found == 1000


@pytest.mark.parametrize("field", ["experiment", "time", "type", "key", "body", "hash"])
@pytest.mark.parametrize("value", [b"bytes", b"\xff", 3, 2.5, None, "\ud800"])
def test_a_row_of_other_types_is_damage(field: str, value: object) -> None:
    events = story(5)
    row: dict[str, Any] = {**vars(events[3]), field: value}
    if row == vars(events[3]):
        row["key"] = "another"  # it had none
    damage = check_chain([*events[:3], Event(**row), events[4]])
    assert damage is not None
    assert damage.n == 4


def test_damage_is_said_in_words() -> None:
    events = story(5)
    missing = check_chain([*events[:2], *events[3:]])
    assert missing is not None
    assert missing.why == "event 3 is missing: 4 comes in its place"
    mixed = check_chain([events[0], story(5, "other")[1]])
    assert mixed is not None
    assert mixed.why == "event 2 is of 'other', not of 'story'"
