"""What a folder was used for: the file `study.json`, written before the first cell.

So an unfinished study can be explained, and reported as far as it went. `settings` are the keys of
a study file, problems left out; each race names the cells it is made of, each cell what it is made
of. A file that is not of this form is refused as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import writing
from ..errors import DamagedError, InputError
from ..setting import MAX_HORIZON
from ..simulate import fields
from ..simulate.simulate import MAX_REPLICATES
from .plan import Study

NAME = "study.json"


@dataclass(frozen=True)
class CellRecord:
    """Where a cell stands in the study, the name of its file, and what that depends on."""

    key: str
    place: tuple[str, str, int, int]
    made_of: Mapping[str, Any]


@dataclass(frozen=True)
class RaceRecord:
    """One problem at one horizon."""

    label: str
    horizon: int
    refused: Mapping[str, str]
    cells: tuple[CellRecord, ...]

    @property
    def title(self) -> str:
        """The race in words."""
        return f"{self.label}, T = {self.horizon:,}"


@dataclass(frozen=True)
class Manifest:
    """A study as it was run."""

    settings: Mapping[str, Any]
    races: tuple[RaceRecord, ...]


def settings_of(study: Study) -> dict[str, Any]:
    """The keys of a study file, problems left out."""
    return {
        "name": study.name,
        "seed": study.seed,
        "replicates": study.replicates,
        "horizons": list(study.horizons),
        "policies": list(map(str, study.entrants)),
        "block": study.block,
        "checkpoints": list(study.checkpoints or ()) or None,
        "delay": None if study.delay is None else str(study.delay),
    }


def write(study: Study, folder: Path) -> None:
    """Say what the folder is used for now."""
    races = [
        RaceRecord(
            race.label,
            race.horizon,
            race.refused,
            tuple(CellRecord(cell.key, cell.place, cell.ingredients) for cell in cells),
        )
        for race, cells in study.cells_by_race
    ]
    content = {"settings": settings_of(study), "races": [asdict(race) for race in races]}
    writing.save(folder / NAME, json.dumps(content, indent=1, ensure_ascii=False).encode())


def read(folder: Path) -> Manifest | None:
    """What the folder was used for last; None where it never was."""
    path = folder / NAME
    try:
        found = fields.table(json.loads(path.read_text(encoding="utf-8")), "the manifest")
        races = fields.items(found.get("races"), "races")
        return Manifest(_settings(found.get("settings")), tuple(map(_race, races)))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise DamagedError(
            f"{path}: not the manifest of a study ({error}): run the study again"
        ) from None


def _settings(value: object) -> Mapping[str, Any]:
    """The keys of a study file, as `write` writes them."""
    found = fields.table(value, "settings")
    horizons, policies, checkpoints = (
        [] if found.get(key) is None else fields.items(found[key], key)
        for key in ("horizons", "policies", "checkpoints")
    )
    block, delay = found.get("block"), found.get("delay")
    return {
        "name": fields.text(found.get("name"), "name"),
        "seed": fields.whole(found.get("seed"), "seed", 0),
        "replicates": fields.whole(found.get("replicates"), "replicates", 1, MAX_REPLICATES),
        "horizons": [fields.whole(t, "a horizon", 1, MAX_HORIZON) for t in horizons],
        "policies": [fields.text(policy, "a policy") for policy in policies],
        "block": None if block is None else fields.whole(block, "block", 1, MAX_REPLICATES),
        "checkpoints": [fields.whole(t, "a checkpoint", 1, MAX_HORIZON) for t in checkpoints]
        or None,
        "delay": None if delay is None else fields.text(delay, "delay"),
    }


def _race(value: object) -> RaceRecord:
    found = fields.table(value, "a race")
    refused = fields.table(found.get("refused"), "refused")
    cells = tuple(map(_cell, fields.items(found.get("cells"), "cells")))
    if not cells:
        raise DamagedError("a race without cells")
    return RaceRecord(
        fields.text(found.get("label"), "a label"),
        fields.whole(found.get("horizon"), "a horizon", 1, MAX_HORIZON),
        {key: fields.text(why, "a reason") for key, why in refused.items()},
        cells,
    )


def _cell(value: object) -> CellRecord:
    found = fields.table(value, "a cell")
    place = fields.items(found.get("place"), "the place of a cell")
    if len(place) != 4:
        raise DamagedError("the place of a cell has four parts")
    label, policy = (fields.text(part, "the place of a cell") for part in place[:2])
    horizon, first = (fields.whole(part, "the place of a cell", 0) for part in place[2:])
    key = fields.text(found.get("key"), "the name of a cell")
    if not key.isalnum():  # it becomes a file name
        raise DamagedError(f"{key!r} is no name of a cell")
    made_of = fields.table(found.get("made_of"), "what a cell is made of")
    return CellRecord(key, (label, policy, horizon, first), made_of)
