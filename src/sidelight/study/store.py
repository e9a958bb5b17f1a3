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

from .. import files
from ..errors import InputError
from ..simulate import Results
from .cells import Cell

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
        try:
            self.cells.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from None
        for half in self.cells.glob(".*.tmp"):
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
        path = self.path(cell)
        results = Results.load(path)
        if not cell.describes(results):
            raise InputError(f"{path}: holds other results than its name says")
        return results

    def problem_with(self, cell: Cell) -> str:
        """Why the cell must be computed; "" where it is finished."""
        if not self.path(cell).exists():
            return "not computed yet"
        try:
            self.read(cell)
        except InputError as error:
            return str(error).removeprefix(f"{self.path(cell)}: ")
        return ""

    def write(self, cell: Cell, content: bytes) -> None:
        """Keep a finished cell."""
        try:
            files.replace(self.path(cell), content)
        except OSError as error:
            raise unwritable(self.folder, error) from None


def unwritable(folder: Path, error: OSError) -> InputError:
    """What to say where a file of the study cannot be written."""
    return InputError(
        f"{folder}: cannot be written: {error.strerror or error}. Cells that were finished are "
        "kept: make room, or choose another folder, and run again"
    )
