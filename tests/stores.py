"""What tests of the event store share."""

from __future__ import annotations

from sidelight.live.events import Entry


def told(*numbers: float, key: str | None = None) -> list[Entry]:
    """An entry for each number; only one can have the key."""
    return [Entry("told", {"x": x}, key) for x in numbers]
