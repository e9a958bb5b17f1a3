"""Mappings that keep their newest entries in memory, and all others in a temporary file.

A learner forgets nothing: whoever asks again with a key of a year ago gets the same answer. So the
past must be at hand, and it must not fill the memory. The newest entries, which are asked for most,
are in memory: about `KEEP` of each mapping. Older entries are rows of a private database that has
no name. SQLite makes it in the folder for temporary files (`SQLITE_TMPDIR`, `TMPDIR`, `/var/tmp`),
and it is gone with the process. It is no second truth: the events of an experiment, or the text of
a learner, are what lasts.

    spill = Spill()
    asked = Table(spill, "asked", pack, unpack)     `pack` makes bytes of a value
    asked.add("visit-881", 17)                      a new key
    asked.replace("visit-881", 18)                  a known key

A mapping is in the order in which its keys came, as a dict is. `add` and `replace` never fail: if
the file takes no more, since the disk is full, entries stay in memory. A process that was forked
leaves the file to its parent, because both would write into it.
"""

from __future__ import annotations

import os
import sqlite3
from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from ..errors import StoreError

KEEP = 4096  # entries of each mapping
MOVE = 256  # entries that are moved at once, in a millisecond
CACHED = -8192  # SQLite's own cache of the file; a negative number means kilobytes

LAYER = 4096  # keys in the first layer of a sieve
MIXER = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio

K = TypeVar("K", str, int)
V = TypeVar("V")


class Sieve:
    """Which keys may be in the file: all that are, and a few in a hundred of the others.

    Almost every key that somebody asks for is new, and a file that does not have it need not be
    read. This is a Bloom filter: each key sets three bits of one word, and is new if one of them is
    not set. It grows by layers, each twice as large as the one before: two bytes for a key. Each
    layer lets one in a hundred of the other keys pass.
    """

    def __init__(self) -> None:
        self._layers: list[array[int]] = []
        self._room = 0  # for so many keys in the last layer

    def add(self, key: Hashable) -> None:
        """A key that is in the file from now on."""
        if self._room == 0:
            self._room = LAYER << len(self._layers)
            self._layers.append(array("Q", bytes(2 * self._room)))
        self._room -= 1
        layer, (place, bits) = self._layers[-1], _marks(key)
        layer[place % len(layer)] |= bits

    def may_have(self, key: Hashable) -> bool:
        """Whether it is worth looking."""
        place, bits = _marks(key)
        # A loop in place of `any`, which takes twice as long.
        for layer in self._layers:  # noqa: SIM110
            if layer[place % len(layer)] & bits == bits:
                return True
        return False


def _marks(key: Hashable) -> tuple[int, int]:
    """A place, to be taken modulo the length of a layer, and the bits of a word there."""
    number = hash(key) * MIXER % 2**64  # neighbours get places far from each other
    bits = 1 << (number >> 58) | 1 << (number >> 52 & 63) | 1 << (number >> 46 & 63)
    return number >> 20, bits


class Spill:
    """A temporary file for several mappings; it is made when the first of them needs it."""

    def __init__(self) -> None:
        self._database: sqlite3.Connection | None = None
        self._process = 0  # that made the file

    def database(self) -> sqlite3.Connection:
        """The file; whoever uses a learner in several threads lets them take turns."""
        if self._database is None:
            # Each statement is a transaction of its own: it is done as a whole, or not at all.
            database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            database.execute(f"PRAGMA cache_size = {CACHED}")
            database.execute("PRAGMA synchronous = OFF")  # nobody reads it after a crash
            database.execute("PRAGMA journal_mode = MEMORY")
            self._database, self._process = database, os.getpid()
        if self._process != os.getpid():
            raise sqlite3.ProgrammingError("another process made it, of which this one is a copy")
        return self._database

    def __del__(self) -> None:
        if self._database is not None:
            self._database.close()


class Table(Mapping[K, V], Generic[K, V]):
    """One of the mappings."""

    def __init__(
        self, spill: Spill, name: str, pack: Callable[[V], bytes], unpack: Callable[[bytes], V]
    ) -> None:
        self._spill, self._name = spill, name
        self._pack, self._unpack = pack, unpack
        self._newest: dict[K, bytes] = {}
        self._changed: dict[K, bytes] = {}  # other values of entries that are in the file
        self._moved = 0  # entries in the file
        self._sieve = Sieve()  # for their keys

    def add(self, key: K, value: V) -> None:
        """An entry with a new key."""
        self._newest[key] = self._pack(value)
        more = len(self._newest) - KEEP
        if more > 0 and more % MOVE == 0:
            self._write()

    def replace(self, key: K, value: V) -> None:
        """Another value for a known key."""
        if key in self._newest:
            self._newest[key] = self._pack(value)
            return
        self._changed[key] = self._pack(value)
        if len(self._changed) % MOVE == 0:
            self._write()

    def __getitem__(self, key: K) -> V:
        packed = self._found(key)
        if packed is None:
            raise KeyError(key)
        return self._unpack(packed)

    def __contains__(self, key: object) -> bool:
        return self._found(key) is not None

    def __len__(self) -> int:
        return self._moved + len(self._newest)

    def __iter__(self) -> Iterator[K]:
        if self._moved:
            found = self._rows(f"SELECT key FROM {self._name} ORDER BY place")
            yield from (key for (key,) in found)
        yield from self._newest

    def entries(self) -> Iterator[tuple[K, V]]:
        """What `items` gives, read from one end of the file to the other."""
        everything = f"SELECT key, value FROM {self._name} ORDER BY place"
        moved = self._rows(everything) if self._moved else ()
        for key, packed in chain(moved, self._newest.items()):
            yield key, self._unpack(self._changed.get(key, packed))

    def _found(self, key: Any) -> bytes | None:
        for known in (self._newest, self._changed):
            if key in known:
                return known[key]
        return self._in_file(key)

    # ---- the file --------------------------------------------------------------------------------

    def _write(self) -> None:
        """Write what changed, and move the oldest entries; what fails is tried again later."""
        with suppress(sqlite3.Error):
            while self._changed:
                some = dict(islice(self._changed.items(), MOVE))
                self._insert(some, "ON CONFLICT (key) DO UPDATE SET value = excluded.value")
                for key in some:
                    del self._changed[key]
            while len(self._newest) >= KEEP + MOVE:
                oldest = dict(islice(self._newest.items(), MOVE))
                self._insert(oldest)
                for key in oldest:
                    self._sieve.add(key)
                    del self._newest[key]
                self._moved += len(oldest)

    def _insert(self, rows: Mapping[K, bytes], on_conflict: str = "") -> None:
        """Insert all or none.

        This is one statement. After each statement the threads of the process take turns, and that
        costs more than the statement.
        """
        database = self._spill.database()
        database.execute(
            f"CREATE TABLE IF NOT EXISTS {self._name} "
            "(place INTEGER PRIMARY KEY, key UNIQUE NOT NULL, value BLOB NOT NULL)"
        )
        marks = ", ".join(["(?, ?)"] * len(rows))
        insert = f"INSERT INTO {self._name} (key, value) VALUES {marks} {on_conflict}"
        database.execute(insert, [*chain(*rows.items())])

    def _in_file(self, key: object) -> bytes | None:
        if not self._sieve.may_have(key):
            return None
        rows = self._rows(f"SELECT value FROM {self._name} WHERE key = ?", key)
        return next((packed for (packed,) in rows), None)

    def _rows(self, statement: str, *values: object) -> Iterator[Any]:
        try:
            yield from self._spill.database().execute(statement, values)
        except sqlite3.Error as error:
            raise StoreError(
                f"the temporary file of a learner's history cannot be read ({error}): make sure "
                "that the folder for temporary files is well, then make the learner or open the "
                "experiment again"
            ) from error
