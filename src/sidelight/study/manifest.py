"""What a folder was used for: the file `study.json`, written before the first cell.

So an unfinished study can be explained, and reported as far as it went. `settings` are the keys of
a study file, problems left out; each race names the cells it is made of, each cell what it is made
of. A file that is not of this form is refused as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import writing
from ..errors import InputError
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


def write(study: Study, folder: Path) -> None:
    """Say what the folder is used for now."""
    settings = {
        "name": study.name,
        "seed": study.seed,
        "replicates": study.replicates,
        "horizons": list(study.horizons),
        "policies": list(study.policies),
        "block": study.block,
        "checkpoints": study.checkpoints and list(study.checkpoints),
        "delay": study.delay,
    }
    races = [
        RaceRecord(
            race.label,
            race.horizon,
            race.refused,
            tuple(CellRecord(cell.key, cell.place, cell.ingredients) for cell in cells),
        )
        for race, cells in study.cells_by_race
    ]
    content = {"settings": settings, "races": [asdict(race) for race in races]}
    writing.save(folder / NAME, json.dumps(content, indent=1, ensure_ascii=False).encode())


def read(folder: Path) -> Manifest | None:
    """What the folder was used for last; None where it never was."""
    path = folder / NAME
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(_table(found["settings"]), tuple(map(_race, _list(found["races"]))))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"{path}: not the manifest of a study ({error}): run the study again"
        ) from None


def _race(found: Any) -> RaceRecord:
    refused = {_text(key): _text(value) for key, value in _table(found["refused"]).items()}
    cells = tuple(map(_cell, _list(found["cells"])))
    if not cells:
        raise ValueError("a race without cells")
    return RaceRecord(_text(found["label"]), _whole(found["horizon"]), refused, cells)


def _cell(found: Any) -> CellRecord:
    label, policy, horizon, first = _list(found["place"])
    place = _text(label), _text(policy), _whole(horizon), _whole(first)
    key = _text(found["key"])
    if not key.isalnum():  # it becomes a file name
        raise ValueError(f"{key!r} is no name of a cell")
    return CellRecord(key, place, _table(found["made_of"]))


def _table(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("a table is needed")
    return value


def _list(value: object) -> Sequence[Any]:
    if not isinstance(value, list):
        raise TypeError("a list is needed")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is needed")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError("a whole number is needed")
    return value
