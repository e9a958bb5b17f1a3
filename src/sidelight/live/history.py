"""What a learner remembers of its past, in little memory.

A learner forgets nothing: whoever asks again with a key of a year ago gets the same answer. So
what a decision leaves behind is bytes in columns, not objects of Python, and objects are made when
somebody looks:

    a decision      16 bytes, and its key
    its values      16 bytes each, and 100 for the first
    its tells       their keys; tells of the same actions share the names of these
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import overload

from ..player import Choice
from .pairs import Pairs

NONE = -1  # in the place of a batch


class Choices(Sequence[Choice]):
    """All decisions; that of round t has the place t - 1."""

    def __init__(self) -> None:
        self._actions, self._whys, self._batches = array("i"), array("i"), array("q")
        self._words: list[str] = []
        self._places: dict[str, int] = {}  # of each word

    def append(self, choice: Choice) -> None:
        """One more; nothing has changed where a number does not fit."""
        (batch,) = array("q", (NONE if choice.batch is None else choice.batch,))
        self._actions.append(choice.action)
        if choice.why not in self._places:
            self._places[choice.why] = len(self._words)
            self._words.append(choice.why)
        self._whys.append(self._places[choice.why])
        self._batches.append(batch)

    def __len__(self) -> int:
        return len(self._actions)

    @overload
    def __getitem__(self, place: int) -> Choice: ...

    @overload
    def __getitem__(self, place: slice) -> list[Choice]: ...

    def __getitem__(self, place: int | slice) -> Choice | list[Choice]:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        action, batch = self._actions[place], self._batches[place]
        t = place % len(self) + 1
        return Choice(t, action, self._words[self._whys[place]], None if batch == NONE else batch)


class Told(Mapping[int, dict[int, float]]):
    """By the id of a decision: the value of each action that was told."""

    def __init__(self) -> None:
        self._packed: dict[int, bytes] = {}

    def add(self, t: int, values: Mapping[int, float]) -> None:
        """Values of actions that were not told before."""
        self._packed[t] = self._packed.get(t, b"") + _packed(values)

    def __getitem__(self, t: int) -> dict[int, float]:
        return _unpacked(self._packed[t])

    def __iter__(self) -> Iterator[int]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


class Records(Mapping[str, tuple[int, dict[int, float]]]):
    """By key: an action that nobody asked about, and its values."""

    def __init__(self) -> None:
        self._packed: dict[str, tuple[int, bytes]] = {}

    def add(self, key: str, action: int, values: Mapping[int, float]) -> None:
        """One more."""
        self._packed[key] = action, _packed(values)

    def __getitem__(self, key: str) -> tuple[int, dict[int, float]]:
        action, values = self._packed[key]
        return action, _unpacked(values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


def _packed(values: Mapping[int, float]) -> bytes:
    """Doubles: action, value, action, value, ..."""
    return array("d", chain.from_iterable(values.items())).tobytes()


def _unpacked(doubles: bytes) -> dict[int, float]:
    flat = array("d", doubles)
    return dict(zip(map(int, flat[::2]), flat[1::2], strict=True))


class History:
    """What was decided and told; a decision's id is its place, from 1 on.

    told       by id: the value of each action that was told
    awaited    by id: how many values are still awaited; the rest were told, or forgotten
    asked      by key of an ask: the id
    tells      by key of a tell: the id, the actions, and whether the rest never comes; the values
               are those in `told`
    records    by key of a record: the action and the values
    shadow     ids of decisions that nobody carries out
    pairs      sums of all values by (played, observed)
    """

    def __init__(self) -> None:
        self.choices = Choices()
        self.told = Told()
        self.awaited: dict[int, int] = {}
        self.asked: dict[str, int] = {}
        self.tells: dict[str, tuple[int, frozenset[int], bool]] = {}
        self.records = Records()
        self.pairs: Pairs = {}
        self.shadow: set[int] = set()
        self._sets: dict[frozenset[int], frozenset[int]] = {}

    def note_tell(self, key: str, t: int, actions: Iterable[int], last: bool) -> None:
        """Remember a key, and what it told of a decision."""
        those = frozenset(actions)
        self.tells[key] = t, self._sets.setdefault(those, those), last
