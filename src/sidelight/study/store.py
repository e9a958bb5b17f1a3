"""The folder of a study: finished cells, and what the study was.

    study.json          the manifest: every race of the study and the cells it is made of
    cells/KEY.parquet   a finished cell

A cell is written under another name, synced and renamed: a file with its right name is complete.
If it was damaged later, its checksum says so, and the cell counts as not computed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from .. import writing
from ..errors import DamagedError, InputError
from ..simulate import Results
from .cells import KEY, Cell

MISSING = "not computed yet"
STALE = 600.0  # seconds; no file takes so long to write


@dataclass(frozen=True)
class Store:
    """Where the cells of a study are."""

    folder: Path

    @property
    def cells(self) -> Path:
        """The folder of the cells."""
        return self.folder / "cells"

    def prepare(self) -> None:
        """Make the folder, and remove what killed runs left half written."""
        writing.make_folder(self.cells)
        for half in self.folder.glob("**/.*.tmp"):
            try:
                if time.time() - half.stat().st_mtime > STALE:  # else: maybe of another run
                    half.unlink()
            except OSError:  # the other run finished it
                continue

    def path(self, cell: Cell) -> Path:
        """Where the cell is, or will be."""
        return self.cells / f"{cell.key}.parquet"

    def read(self, cell: Cell) -> Results:
        """The results of a finished cell; `InputError` where it is missing or damaged."""
        return self.read_key(cell.key)

    def read_key(self, key: str) -> Results:
        """The same by the name of the file, which the content must agree with."""
        path = self.cells / f"{key}.parquet"
        results = Results.load(path)
        if results.provenance.get(KEY) != key:
            raise DamagedError(f"{path}: holds other results than its name says")
        return results

    def problem_with(self, cell: Cell) -> str:
        """Why the cell must be computed; "" where it is finished."""
        if not self.path(cell).exists():
            return MISSING
        try:
            self.read(cell)
        except InputError as error:
            return str(error).removeprefix(f"{self.path(cell)}: ")
        return ""

    def write(self, cell: Cell, content: bytes) -> None:
        """Keep a finished cell."""
        writing.save(self.path(cell), content)
