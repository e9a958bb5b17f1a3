"""`sidelight report`: everything about a study or a race, on one page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from .. import progress, writing
from ..errors import DamagedError, InputError
from ..report import chapters, save_figures, to_html
from ..simulate import Results
from ..study import Loaded, load, manifest, to_toml
from .options import check_new_folder, check_output

RESULTS = "results.parquet"


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The page.  [default: report.html in the folder]",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the figures here, too, as .pdf, .png and .svg.",
)
def report_command(folder: Path, output: Path | None, figures: Path | None) -> None:
    """Write one page about the study or the race in FOLDER, which `sidelight race --out` made.

    The page opens in any browser, without a network: problems with their feedback graphs, structure
    and bounds with certificates, tables, differences, figures with the data behind them, caveats,
    and how to get the same numbers again.

    \b
        sidelight report out/study
        sidelight report out/study -o study.html --figures figures/
    """
    page = output or folder / "report.html"
    found = _found(folder)
    check_output(page)
    if figures is not None:
        check_new_folder(figures)
    with progress.of_steps("analysing") as tick:
        parts = chapters(found.races, tick)
    problems = [f"{part.file}.toml" for part in parts]
    source = to_toml(found.settings, problems) if found.settings else ""
    name = str(found.settings.get("name") or found.races[0].problem.name or "race")
    commands = [
        *_race_commands(found, problems, folder),
        shlex.join(["sidelight", "report", str(folder), *(["-o", str(output)] if output else [])]),
    ]
    writing.save(page, to_html(parts, name, commands, found.notes, source).encode())
    click.echo(f"wrote {page}")
    if figures is not None:
        click.echo(f"wrote {len(save_figures(parts, figures))} figures to {figures}")


def _found(folder: Path) -> Loaded:
    if writing.exists(folder / manifest.NAME):
        found = load(folder)
        if not found.races:
            damaged = any(isinstance(error, DamagedError) for error in found.left_out)
            kind = DamagedError if damaged else InputError
            raise kind(f"{folder}: no race is finished. {' '.join(found.notes)}")
        return found
    if writing.exists(folder / RESULTS):
        return Loaded({}, (Results.load(folder / RESULTS),), ())
    raise InputError(
        f"{folder}: neither {manifest.NAME} nor {RESULTS} is there: name a folder that "
        "`sidelight race --out` wrote"
    )


def _race_commands(found: Loaded, problems: Sequence[str], folder: Path) -> list[str]:
    """What gives the same results, once the files on the page are saved beside each other."""
    to = ["--out", str(folder)]
    if found.settings:
        return [shlex.join(["sidelight", "race", "study.toml", *to])]
    (race,) = found.races
    policies = [word for policy in race.policies for word in ("-p", policy)]
    delay = race.provenance.get("delay")
    late = ["--delay", delay] if delay else []
    numbers = ["-T", str(race.horizon), "-n", str(race.replicates), "--seed", str(race.seed)]
    return [shlex.join(["sidelight", "race", *problems, *policies, *numbers, *late, *to])]
