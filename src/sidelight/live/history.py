"""What a learner remembers of its past, in little memory.

A learner forgets nothing. The newest entries are bytes in memory, and older ones are in a temporary
file (`spill`). Objects of Python are made when somebody reads an entry.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import overload

from ..player import Choice
from .pairs import Pairs
from .spill import Spill, Table

NONE = -1  # in the place of a batch
WIDTH = 8  # bytes of a number

Tell = tuple[int, frozenset[int], bool]
Record = tuple[int, dict[int, float]]


class Choices(Sequence[Choice]):
    """All decisions; that of round t has the place t - 1."""

    def __init__(self, spill: Spill) -> None:
        self._rows: Table[int, tuple[int, ...]] = Table(spill, "choices", _whole, _wholes)
        self._words: list[str] = []
        self._places: dict[str, int] = {}  # of each word

    def append(self, choice: Choice) -> None:
        """One more; nothing has changed where a number does not fit."""
        batch = NONE if choice.batch is None else choice.batch
        word = self._places.get(choice.why, len(self._words))
        self._rows.add(len(self), (choice.action, word, batch))
        if word == len(self._words):
            self._places[choice.why] = word
            self._words.append(choice.why)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Choice: ...

    @overload
    def __getitem__(self, place: slice) -> list[Choice]: ...

    def __getitem__(self, place: int | slice) -> Choice | list[Choice]:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        at = place % len(self)
        return self._choice(at, self._rows[at])

    def __iter__(self) -> Iterator[Choice]:
        return (self._choice(at, row) for at, row in self._rows.entries())

    def _choice(self, at: int, row: tuple[int, ...]) -> Choice:
        action, word, batch = row
        return Choice(at + 1, action, self._words[word], None if batch == NONE else batch)


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
        spill = Spill()
        self.choices = Choices(spill)
        self.told: Table[int, dict[int, float]] = Table(spill, "told", _pack_values, _values)
        self.awaited: dict[int, int] = {}
        self.asked: Table[str, int] = Table(spill, "asked", _pack_id, _id)
        self.tells: Table[str, Tell] = Table(spill, "tells", _pack_tell, _tell)
        self.records: Table[str, Record] = Table(spill, "records", _pack_record, _record)
        self.shadow: Table[int, None] = Table(spill, "shadow", _pack_nothing, _nothing)
        self.pairs: Pairs = {}

    def note_values(self, t: int, values: Mapping[int, float]) -> None:
        """Values of a decision, of actions that were not told before."""
        known = self.told.get(t)
        if known is None:
            self.told.add(t, dict(values))
        else:
            self.told.replace(t, {**known, **values})

    def note_tell(self, key: str, t: int, actions: Iterable[int], last: bool) -> None:
        """Remember a new key, and what it told of a decision."""
        self.tells.add(key, (t, frozenset(actions), last))


# ---- values as bytes -----------------------------------------------------------------------------


def _whole(numbers: Iterable[int]) -> bytes:
    return array("q", numbers).tobytes()


def _wholes(packed: bytes) -> tuple[int, ...]:
    return tuple(array("q", packed))


def _pack_id(t: int) -> bytes:
    return _whole([t])


def _id(packed: bytes) -> int:
    return array("q", packed)[0]


def _pack_values(values: Mapping[int, float]) -> bytes:
    """Doubles: action, value, action, value, ..."""
    return array("d", chain.from_iterable(values.items())).tobytes()


def _values(packed: bytes) -> dict[int, float]:
    flat = array("d", packed)
    return dict(zip(map(int, flat[::2]), flat[1::2], strict=True))


def _pack_tell(tell: Tell) -> bytes:
    t, actions, last = tell
    return _whole([t, last, *actions])


def _tell(packed: bytes) -> Tell:
    t, last, *actions = array("q", packed)
    return t, frozenset(actions), bool(last)


def _pack_record(record: Record) -> bytes:
    action, values = record
    return _whole([action]) + _pack_values(values)


def _record(packed: bytes) -> Record:
    return _id(packed[:WIDTH]), _values(packed[WIDTH:])


def _pack_nothing(_: None) -> bytes:
    return b""


def _nothing(_: bytes) -> None:
    return None
