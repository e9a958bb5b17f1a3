"""Running a study is resuming it: what is missing or damaged is computed, the rest is read.

    run(study, folder, crew)      compute what is missing, and give the races
    compute(cells, store, crew)   the same for any cells
    explain(study, folder)        for each cell, why it would be computed; "" if it is finished
    load(folder)                  the races of the last study that was run in the folder

The manifest `study.json` is written before the first cell, so that an unfinished study can be
explained, and reported as far as it went.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import files
from ..errors import InputError
from ..simulate import Results
from ..simulate.joining import join
from .cells import Cell
from .crews import Crew, Tally
from .plan import Study
from .store import Store, unwritable

MANIFEST = "study.json"


@dataclass(frozen=True)
class State:
    """How far a study is; rounds are those of this run."""

    cells: int
    kept: int
    finished: int
    running: int
    rounds: int
    all_rounds: int

    @property
    def left(self) -> int:
        """Cells that nobody has begun."""
        return self.cells - self.kept - self.finished - self.running


Watch = Callable[[State], object]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a study gave: its races in order, and how many cells were kept from before."""

    races: tuple[Results, ...]
    kept: int
    computed: int


def run(study: Study, folder: Path, crew: Crew, watch: Watch | None = None) -> Outcome:
    """Compute what is missing in the folder, and give the races."""
    store = Store(folder)
    store.prepare()
    _write_manifest(study, store)
    computed = compute(study.cells, store, crew, watch)
    races = tuple(join(map(store.read, study.cells_of(race))) for race in study.races)
    return Outcome(races, len(study.cells) - computed, computed)


def compute(cells: Sequence[Cell], store: Store, crew: Crew, watch: Watch | None = None) -> int:
    """Compute the cells that are missing or damaged, and say how many."""
    missing = [cell for cell in cells if store.problem_with(cell)]
    clock = _Clock(cells, missing, watch or (lambda state: None))
    work = crew.work(missing, clock.tally)
    try:
        for cell, content in work:
            store.write(cell, content)
            clock.finish(cell)
    finally:
        close = getattr(work, "close", None)  # a generator: stop the workers now, not some day
        if close is not None:
            close()
    return len(missing)


def explain(study: Study, folder: Path) -> Iterator[tuple[Cell, str]]:
    """Why each cell would be computed; "" for a finished one."""
    store = Store(folder)
    before = {tuple(place): made for place, made in _cells_before(folder)}
    for cell in study.cells:
        reason = store.problem_with(cell)
        old = before.get(cell.place)
        if reason and old is not None and not store.path(cell).exists():
            changed = _changes(old, cell.ingredients)
            reason = changed or "its file is gone" if reason else ""
        yield cell, reason


@dataclass(frozen=True, eq=False)
class Finished:
    """What a folder holds: the races that are complete, and what to know about the others."""

    name: str
    source: str
    races: tuple[Results, ...]
    notes: tuple[str, ...]


def load(folder: Path) -> Finished:
    """The last study that was run in the folder, as far as it is finished."""
    manifest = _manifest(folder)
    if manifest is None:
        raise InputError(f"{folder}: there is no study here: no file {MANIFEST}")
    races, notes = [], []
    for race in manifest["races"]:
        title = f"{race['label']}, T = {race['horizon']:,}"
        paths = [Store(folder).cells / f"{cell['key']}.parquet" for cell in race["cells"]]
        missing = sum(not path.exists() for path in paths)
        if missing:
            notes.append(f"{title} is not finished: {missing} of {len(paths)} cells are missing.")
        else:
            races.append(join(map(Results.load, paths)))
        notes += [f"{title}: without {policy}: {why}." for policy, why in race["refused"].items()]
    return Finished(manifest["name"], manifest["source"], tuple(races), tuple(notes))


class _Clock:
    """Counts cells and rounds, and tells whoever watches."""

    def __init__(self, cells: Sequence[Cell], missing: Sequence[Cell], watch: Watch) -> None:
        self.cells, self.missing, self.watch = cells, missing, watch
        self.finished = self.played = 0
        self.total = sum(cell.rounds for cell in missing)
        self.tally = Tally(tick=self.tick)

    def finish(self, cell: Cell) -> None:
        """A cell is on disk."""
        self.finished += 1
        self.played += cell.rounds
        self.tick()

    def tick(self) -> None:
        """Tell how far we are."""
        running = dict(self.tally.rounds)  # other threads write to it
        rounds = self.played + sum(running.values())
        self.watch(
            State(
                cells=len(self.cells),
                kept=len(self.cells) - len(self.missing),
                finished=self.finished,
                running=len(running),
                rounds=rounds,
                all_rounds=self.total,
            )
        )


# ---- the manifest --------------------------------------------------------------------------------


def _write_manifest(study: Study, store: Store) -> None:
    races = [
        {
            "label": race.label,
            "horizon": race.horizon,
            "policies": list(race.policies),
            "refused": dict(race.refused),
            "cells": [
                {"key": cell.key, "place": list(cell.place), "made_of": dict(cell.ingredients)}
                for cell in study.cells_of(race)
            ],
        }
        for race in study.races
    ]
    about = {"name": study.name, "seed": study.seed, "source": study.source}
    text = json.dumps({**about, "races": races}, indent=1, ensure_ascii=False)
    try:
        files.replace(store.folder / MANIFEST, text.encode())
    except OSError as error:
        raise unwritable(store.folder, error) from None


def _manifest(folder: Path) -> dict[str, Any] | None:
    path = folder / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        _ = found["name"], found["source"]
        for race in found["races"]:
            _ = race["label"], race["horizon"], race["refused"].items()
            _ = [(cell["key"], cell["place"], cell["made_of"]) for cell in race["cells"]]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path}: not the manifest of a study ({error}): run the study again"
        ) from None
    return dict(found)


def _cells_before(folder: Path) -> Iterator[tuple[list[Any], Mapping[str, Any]]]:
    try:
        manifest = _manifest(folder)
    except InputError:
        return
    for race in (manifest or {"races": []})["races"]:
        for cell in race["cells"]:
            yield cell["place"], cell["made_of"]


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What is not as it was in the last run, in words."""
    said = []
    for key, value in new.items():
        before = old.get(key)
        if before == value:
            continue
        said.append("the problem" if key == "problem" else f"{key} was {before}, is {value}")
    return "changed: " + "; ".join(said) if said else ""
