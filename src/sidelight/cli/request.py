"""The request of `sidelight race`, and how a study answers the request."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from .. import console, progress, writing
from ..analysis import finite
from ..errors import DamagedError, InputError
from ..outlook import advice, outlook
from ..simulate import Results
from ..simulate.remarks import cautions
from ..study import Store, Study, crew, explain, manifest, run
from .options import give_way, warn_all


@dataclass(frozen=True)
class Request:
    """The arguments of `sidelight race`."""

    file: Path
    policies: tuple[str, ...]
    horizon: int
    replicates: int
    seed: int
    delay: str | None
    means: str | None
    out: Path | None
    plot: Path | None
    as_json: bool
    explain: bool
    force: bool
    workers: int | None
    processes: bool
    dask: str | None

    @property
    def apart(self) -> bool:
        """Whether the race is run as a study, cell by cell."""
        return self.processes or self.explain or self.dask is not None


def race_study(study: Study, request: Request) -> None:
    """Compute the missing cells and print every race; with --explain, only say what would run."""
    if request.plot is not None:
        raise InputError("--plot draws one race: the figures of a study are in its report")
    folder = request.out or Path("out") / writing.slug(study.name, r"\w.-", "study")
    if writing.exists(folder / "results.parquet"):
        raise InputError(f"{folder}: holds a single race: choose another folder for the study")
    if request.explain:
        _explain(study, folder, request.as_json)
        return
    _check_folder(study, folder, request.force)
    workers = crew(request.workers, request.processes, request.dask)
    for race in study.races:
        for policy, reason in race.refused.items():
            click.echo(f"note: {race}: without {policy}: {reason}", err=True)
    warn_all([(str(race), race.problem, race.policies, race.horizon) for race in study.races])
    try:
        with progress.of_study() as watch:
            outcome = run(study, folder, workers, watch)
    except KeyboardInterrupt:
        done = sum(Store(folder).path(cell).exists() for cell in study.cells)
        click.echo(f"{done} of {len(study.cells)} cells are finished; run again to go on", err=True)
        raise
    races = tuple(zip(study.races, outcome.races, strict=True))
    if request.as_json:
        _print_json([_record(results, race.label) for race, results in races])
    else:
        for race, results in races:
            show_race(results, race.label)
            click.echo()
    click.echo(
        f"{outcome.computed} cells computed, {outcome.kept} kept from before, in {folder}; "
        f"`sidelight report {shlex.quote(str(folder))}` makes a page of them",
        err=True,
    )


def _check_folder(study: Study, folder: Path, force: bool) -> None:
    """Refuse the folder of another study; if this study has changed, say so and keep its cells."""
    if not folder.is_dir():
        return
    try:
        known = manifest.read(folder)
    except DamagedError as error:
        click.echo(f"note: {error}. It is written again now", err=True)
        return
    if known is None:
        return
    before, now = known.settings, manifest.settings_of(study)
    if before["name"] != now["name"]:
        give_way(folder / manifest.NAME, force, f"it is of the study {before['name']!r}")
    changed = [key for key in now if before[key] != now[key]]
    if changed and before["name"] == now["name"]:
        words = "; ".join(f"{key} was {before[key]}, is {now[key]}" for key in changed)
        click.echo(f"note: the study has changed: {words}. Finished cells are kept", err=True)


def _explain(study: Study, folder: Path, as_json: bool) -> None:
    found = list(explain(study, folder))
    if as_json:
        _print_json([{"cell": str(x), "key": x.key, "reason": why} for x, why in found])
        return
    for cell, why in found:
        click.echo(f"{cell}: {f'would run: {why}' if why else 'finished'}")
    left = sum(bool(why) for _, why in found)
    click.echo(f"{len(found)} cells: {len(found) - left} finished, {left} would run")


def show_race(results: Results, name: str, as_json: bool = False) -> None:
    """Print the table of a race and which policy lost least."""
    if as_json:
        _print_json(_record(results, name))
        return
    click.echo(f"{name}: {_printed(results)}")
    if said := console.verdict(results):
        click.echo(said)


def _printed(results: Results) -> str:
    """The table; on a terminal as wide as that, without the cautions that stand there already."""
    table = results.table()
    if not sys.stdout.isatty():
        return str(table)
    if sys.stderr.isatty():
        said = {name: set(remarks) for name, remarks in cautions(results).items()}
        origin = dict(results.provenance)
        kept = {
            name: [remark for remark in remarks if remark not in said.get(name, ())]
            for name, remarks in origin.get("remarks", {}).items()
        }
        origin["remarks"] = {name: remarks for name, remarks in kept.items() if remarks}
        table = replace(results, provenance=origin).table()
    return table.fitted(shutil.get_terminal_size().columns)


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def _record(results: Results, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "horizon": results.horizon,
        "replicates": results.replicates,
        "seed": results.seed,
        "policies": [finite(row) for row in results.table().to_dicts()],
        "hindsight": advice(results),
        **({"outlook": finite(asdict(outlook(results)))} if results.posterior else {}),
        "comparisons": [finite(vars(pair)) for pair in results.comparisons()],
        "provenance": finite(results.provenance),
    }
