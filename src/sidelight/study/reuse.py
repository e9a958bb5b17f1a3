"""Replicates that a folder has already, in blocks of other sizes.

The name of a cell holds its block of replicates, so that a study with fewer replicates, or another
`block`, asks for cells that were never computed, although others hold the same replicates:
replicate r depends on (seed, r) alone. A cell whose replicates all stand in finished cells of the
last study in the folder is cut out of them, with the same bytes as if it had been computed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..simulate import Results, storage
from ..simulate.joining import join
from . import manifest
from .cells import KEY, Cell, key_of
from .store import Store

BLOCK = ("first", "replicates")  # the ingredients that say which replicates a cell holds


@dataclass(frozen=True)
class Known:
    """The cells that the last study in a folder asked for, by everything but their block."""

    store: Store
    cells: dict[str, list[manifest.CellRecord]] = field(default_factory=dict)

    def results(self, cell: Cell) -> Results | None:
        """The replicates of the cell, if finished cells hold them all."""
        end, at = cell.first + cell.replicates, cell.first
        parts = []
        for record in self.cells.get(_beside(cell.ingredients), ()):
            first, count = (record.made_of[key] for key in BLOCK)
            if first <= at < min(end, first + count) and (found := self._read(record)):
                until = min(end, first + count)
                parts.append(_cut(found, at, until - at))
                at = until
        return join(parts) if at == end else None

    def _read(self, record: manifest.CellRecord) -> Results | None:
        try:
            found = self.store.read_key(record.key)
        except InputError:  # missing or damaged: it is computed
            return None
        same = (found.first, found.replicates) == tuple(record.made_of[key] for key in BLOCK)
        return found if same else None


def known(folder: Path) -> Known:
    """What the folder was used for last; nothing where it never was, or its list is damaged."""
    store = Store(folder)
    try:
        found = manifest.read(folder)
    except InputError:
        found = None
    records = [cell for race in found.races for cell in race.cells] if found else []
    cells: dict[str, list[manifest.CellRecord]] = {}
    for record in sorted(filter(_is_true, records), key=lambda r: int(r.made_of["first"])):
        cells.setdefault(_beside(record.made_of), []).append(record)
    return Known(store, cells)


def adopt(cells: Iterable[Cell], last: Known) -> None:
    """Write the missing cells that finished ones hold."""
    for cell in cells:
        if last.cells and not last.store.path(cell).exists():
            found = last.results(cell)
            if found is not None:
                signed = {**found.provenance, KEY: cell.key}
                last.store.write(cell, storage.to_bytes(replace(found, provenance=signed)))


def _is_true(record: manifest.CellRecord) -> bool:
    """Whether the cell is made of what the list says: its name is a hash of that."""
    blocked = all(type(record.made_of.get(key)) is int for key in BLOCK)
    return blocked and key_of(record.made_of) == record.key


def _beside(made_of: Mapping[str, Any]) -> str:
    left = {key: value for key, value in made_of.items() if key not in BLOCK}
    return json.dumps(left, sort_keys=True)


def _cut(results: Results, first: int, count: int) -> Results:
    start = first - results.first
    runs: Sequence[slice] = (slice(None), slice(start, start + count))
    return replace(
        results, regret=results.regret[tuple(runs)], plays=results.plays[tuple(runs)], first=first
    )
