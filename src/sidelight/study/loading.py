"""What a folder of results holds, as data: `load_study`.

study = load_study("out")     of a study or a race, finished or not
study.races                   the `Results` of every race that is complete
study.to_frame()              one row for each policy of each race, a column for every parameter
study.plot("recipe.gap")      regret against one of these columns
study.notes                   what is not finished, and which policies were left out
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import writing
from ..errors import DamagedError, InputError
from ..simulate import Results
from ..simulate.joining import join
from . import manifest
from .store import Store

RESULTS = "results.parquet"


@dataclass(frozen=True, eq=False, repr=False)
class Loaded:
    """What a folder holds: the races that are complete, and what to know about the others.

    `settings` are the keys of the study file, problems left out; a single race has none. `left_out`
    has what was refused of the other races, `unfinished` says it in words; `keys` the cells of all
    races of the study.
    """

    settings: Mapping[str, Any]
    races: tuple[Results, ...]
    notes: tuple[str, ...]
    left_out: tuple[InputError, ...] = ()
    keys: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether every race of the study is complete."""
        return not self.left_out

    def to_frame(self, bounds: bool = True) -> Any:
        """A polars frame with one row for each policy of each race, and a column for every fact.

        The columns are problem, recipe and `recipe.x` for every parameter x of a recipe, actions,
        policy, rule and `policy.x` for every parameter x of a policy, horizon, seed, replicates,
        delay; mean_regret, standard_error, median, q05, q95, q99, most; and lower bounds on the
        regret, `bound.x`, which take seconds for each problem and horizon unless `bounds=False`.
        A parameter that a problem or a policy does not have is null.
        """
        from .frame import frame  # noqa: PLC0415 - imports polars

        return frame(self.races, bounds)

    def plot(self, against: str, horizon: int | None = None) -> Any:
        """A matplotlib figure: the regret at the horizon against a column of `to_frame`.

        Every policy has a line through its means, with their 95 % intervals. Rows that differ in
        another column have lines of their own. Of several horizons the longest is drawn, unless
        `horizon` names another.
        """
        from .sweep import draw, sweep  # noqa: PLC0415 - imports matplotlib

        return draw(sweep(self.to_frame(bounds=False), against, horizon))

    def __repr__(self) -> str:
        name = f" {self.settings['name']!r}" if self.settings else ""
        more = "" if self.finished else f", {len(self.left_out)} not finished"
        races = "1 race" if len(self.races) == 1 else f"{len(self.races)} races"
        return f"<Loaded{name}: {races}{more}>"


def load(folder: Path) -> Loaded:
    """The last study that was run in the folder, as far as it is finished."""
    found = manifest.read(folder)
    if found is None:
        raise InputError(f"{folder}: there is no study here: no file {manifest.NAME}")
    store, races, notes, left_out = Store(folder), [], [], []
    unfinished = []
    for race in found.races:
        try:
            races.append(join([store.read_key(cell.key) for cell in race.cells]))
        except InputError as error:
            unfinished.append(f"{race.title} is not finished: {error}. Run the study again.")
            notes.append(unfinished[-1])
            left_out.append(error)
        notes += [f"{race.title}: without {policy}: {why}." for policy, why in race.refused.items()]
    keys = tuple(cell.key for race in found.races for cell in race.cells)
    return Loaded(
        found.settings, tuple(races), tuple(notes), tuple(left_out), keys, tuple(unfinished)
    )


def load_study(path: writing.StrPath) -> Loaded:
    """What `sidelight race --out` wrote: the folder of a study or of a race, or a file of results.

    Of a study that is not finished, the races that are complete; `notes` say what is missing. A
    study of which no race is complete is refused.

    >>> import sidelight as sl, tempfile
    >>> race = sl.simulate(sl.gallery("bandit"), "greedy", horizon=50, replicates=4, seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     race.save(f"{folder}/results.parquet")
    ...     found = sl.load_study(folder)
    >>> found.to_frame(bounds=False).select("problem", "policy", "horizon", "replicates").rows()
    [('bandit', 'greedy', 50, 4)]
    """
    place = Path(path)
    if writing.exists(place / manifest.NAME):
        found = load(place)
        if not found.races:
            damaged = any(isinstance(error, DamagedError) for error in found.left_out)
            kind = DamagedError if damaged else InputError
            raise kind(f"{place}: no race is finished. {' '.join(found.notes)}")
        return found
    if writing.exists(place / RESULTS):
        return Loaded({}, (Results.load(place / RESULTS),), ())
    if place.is_file():
        return Loaded({}, (Results.load(place),), ())
    raise InputError(
        f"{place}: neither {manifest.NAME} nor {RESULTS} is there: name a folder that "
        "`sidelight race --out` wrote"
    )
