"""A file with one wrong byte: the damage is found, or it is in a place that nobody reads."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from sidelight import SidelightError
from sidelight.live.events import Entry, Event, check_chain
from sidelight.live.store import open_store


def make(path: Path) -> list[Event]:
    """A closed file with 200 events."""
    entries = [Entry("told", {"x": n / 7, "pad": "x" * (n % 90)}, f"k{n}") for n in range(200)]
    with open_store(path) as store:
        return store.append("a", 0, entries)


def outcome(path: Path, events: list[Event]) -> str:
    """How a file is found to be damaged; "harmless" where every answer is right, else "missed"."""
    copy = path.with_name("copy.db")
    copy.unlink(missing_ok=True)
    try:
        with open_store(path) as store:
            found = list(store.read("a"))
            if check_chain(found, head=events[-1]):
                return "chain"
            store.backup(copy)
            answers = [store.find("a", event.type, event.key or "") for event in events]
            right = found == answers == events and store.experiments() == ["a"]
            return "harmless" if right else "missed"
    except SidelightError:
        return "refused"


def flip(tmp_path: Path, count: int, seed: int) -> dict[str, int]:
    path, rng = tmp_path / "events.db", random.Random(seed)
    events = make(path)
    whole = path.read_bytes()
    outcomes: dict[str, int] = {}
    for _ in range(count):
        hurt = bytearray(whole)
        hurt[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(hurt)
        how = outcome(path, events)
        outcomes[how] = outcomes.get(how, 0) + 1
    return outcomes


def cut(tmp_path: Path, count: int, seed: int) -> dict[str, int]:
    path, rng = tmp_path / "events.db", random.Random(seed)
    events = make(path)
    whole = path.read_bytes()
    outcomes: dict[str, int] = {}
    for _ in range(count):
        path.write_bytes(whole[: rng.randrange(1, len(whole))])
        how = outcome(path, events)
        outcomes[how] = outcomes.get(how, 0) + 1
    return outcomes


def test_a_flipped_bit_is_found_or_harmless(tmp_path: Path) -> None:
    found = flip(tmp_path, 150, 1)
    assert "missed" not in found
    assert {"chain", "refused", "harmless"} <= set(found)


def test_a_file_cut_short_is_found(tmp_path: Path) -> None:
    found = cut(tmp_path, 50, 1)
    assert set(found) <= {"refused", "chain"}


@pytest.mark.campaign
def test_many_flips_and_cuts(tmp_path: Path) -> None:
    for change in (flip, cut):
        found = change(tmp_path, 1500, random.randrange(2**32))
        assert "missed" not in found
        sys.stdout.write(f"{change.__name__}: {found}\n")
        (tmp_path / "events.db").unlink()
