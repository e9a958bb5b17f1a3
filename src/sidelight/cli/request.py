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

from .. import console, figures, progress, writing
from ..errors import DamagedError, InputError
from ..extras import check
from ..numerals import finite
from ..outlook import advice, outlook
from ..simulate import Results
from ..simulate.remarks import cautions
from ..simulate.table import differences
from ..study import Loaded, Store, Study, crew, explain, manifest, run
from ..study.frame import csv, planned
from ..study.sweep import sweep
from .options import check_figure, check_output, give_way, print_tables, table_form, warn_all


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
    as_csv: bool
    as_latex: bool
    against: str | None
    explain: bool
    force: bool
    workers: int | None
    processes: bool
    dask: str | None

    def __post_init__(self) -> None:
        table_form(self.as_json, self.as_csv, self.as_latex)  # two of them are refused

    @property
    def form(self) -> str:
        """How tables are printed: "json", "csv", "latex", or "" for people."""
        return table_form(self.as_json, self.as_csv, self.as_latex)

    @property
    def apart(self) -> bool:
        """Whether the race is run as a study, cell by cell."""
        return self.processes or self.explain or self.dask is not None


def race_study(study: Study, request: Request) -> None:
    """Compute the missing cells and print every race; with --explain, only say what would run."""
    more = () if request.plot is None else ("figures",)
    check("a race that is kept in cells, such as a study,", "frames", *more)
    _check_plot(study, request)
    folder = request.out or Path("out") / writing.slug(study.name, r"\w.-", "study")
    if writing.exists(folder / "results.parquet"):
        raise InputError(f"{folder}: holds a single race: choose another folder for the study")
    if request.explain:
        _explain(study, folder, request.form)
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
    if request.plot is not None:
        _plot(outcome.races, request)
    if request.form == "json":
        _print_json([_record(results, race.label) for race, results in races])
    elif request.form == "csv":
        _print_csv(outcome.races)
    else:
        for race, results in races:
            show_race(results, race.label, request.form)
            click.echo()
    click.echo(
        f"{outcome.computed} cells computed, {outcome.kept} kept from before, in {folder}; "
        f"`sidelight report {shlex.quote(str(folder))}` makes a page of them",
        err=True,
    )


def _check_plot(study: Study, request: Request) -> None:
    """Before the work starts: the figure of a study needs a column to be drawn against."""
    if request.plot is None and request.against is None:
        return
    if request.plot is None:
        raise InputError("--against goes with --plot, which names the file of the figure")
    if request.against is None:
        raise InputError(
            "--plot draws one race: the figures of a study are in its report; with --against "
            "recipe.gap it draws the regret against a parameter of the grid"
        )
    check_figure(request.plot)
    check_output(request.plot, request.force)
    sweep(planned(study), request.against)


def _plot(races: tuple[Results, ...], request: Request) -> None:
    assert request.plot is not None
    assert request.against is not None
    figures.save_figure(Loaded({}, races, ()).plot(request.against), request.plot)
    click.echo(f"wrote {request.plot}", err=True)


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


def _explain(study: Study, folder: Path, form: str) -> None:
    found = list(explain(study, folder))
    if form in ("csv", "latex"):
        raise InputError(f"--{form} prints results, and --explain computes none: use --json")
    if form == "json":
        _print_json([{"cell": str(x), "key": x.key, "reason": why} for x, why in found])
        return
    for cell, why in found:
        click.echo(f"{cell}: {f'would run: {why}' if why else 'finished'}")
    left = sum(bool(why) for _, why in found)
    click.echo(f"{len(found)} cells: {len(found) - left} finished, {left} would run")


def show_race(results: Results, name: str, form: str = "") -> None:
    """Print the table of a race and which policy lost least; or the table alone in a `form`."""
    if form == "json":
        _print_json(_record(results, name))
        return
    if form == "csv":
        _print_csv((replace(results, problem=replace(results.problem, name=name)),))
        return
    if form == "latex":
        sheets = [results.table().sheet]
        if len(results.policies) > 1:
            sheets.append(differences(results.comparisons()))
        print_tables([replace(x, title=f"{name}: {x.title}") for x in sheets], form)
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


def _print_csv(races: tuple[Results, ...]) -> None:
    """One row for each policy of each race, and a column for every parameter."""
    click.echo(csv(races), nl=False)


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
