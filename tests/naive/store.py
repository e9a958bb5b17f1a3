"""A store that is a list: what appends, turns and questions mean, without a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Item = tuple[str, str | None, dict[str, object]]  # type, key, body


@dataclass
class ListStore:
    """For each experiment the list of what was appended."""

    events: dict[str, list[Item]] = field(default_factory=dict)

    def append(self, experiment: str, after: int, items: Sequence[Item]) -> bool:
        """Append all or nothing; whether it fitted."""
        here = self.events.get(experiment, [])
        if len(here) != after:
            return False
        taken = {(kind, key) for kind, key, _ in here if key is not None}
        if any((kind, key) in taken for kind, key, _ in items):
            return False
        self.events[experiment] = here + list(items)
        return True

    def find(self, experiment: str, kind: str, key: str) -> int | None:
        """The number of the event with that key."""
        for n, (its_kind, its_key, _) in enumerate(self.events.get(experiment, []), 1):
            if (its_kind, its_key) == (kind, key):
                return n
        return None
