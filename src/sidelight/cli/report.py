"""`sidelight report`: everything about a study or a race, on one page."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from .. import files
from ..errors import InputError
from ..report import save_figures, to_html
from ..simulate import Results
from ..study import load
from ..study.run import MANIFEST, Finished
from .options import check_output

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
    if not found.races:
        raise InputError(f"{folder}: no race is finished: run the study again, then report")
    check_output(page)
    commands = [f"sidelight race study.toml --out {shlex.quote(str(folder))}"]
    if not found.source:
        commands = [_command(race) for race in found.races]
    commands.append(shlex.join(["sidelight", "report", str(folder)]))
    text = to_html(found.races, found.name, commands, found.notes, found.source)
    try:
        files.replace(page, text.encode())
    except OSError as error:
        raise InputError(f"{page}: cannot be written: {error.strerror or error}") from None
    click.echo(f"wrote {page}")
    if figures is not None:
        click.echo(f"wrote {len(save_figures(found.races, figures))} figures to {figures}")


def _found(folder: Path) -> Finished:
    if (folder / MANIFEST).exists():
        return load(folder)
    if (folder / RESULTS).exists():
        race = Results.load(folder / RESULTS)
        return Finished(race.problem.name or "race", "", (race,), ())
    raise InputError(
        f"{folder}: neither {MANIFEST} nor {RESULTS} is there: name a folder that "
        "`sidelight race --out` wrote"
    )


def _command(race: Results) -> str:
    """What gives the same results, once the problem is in a file."""
    policies = [word for policy in race.policies for word in ("-p", policy)]
    delay = race.provenance.get("delay")
    late = ["--delay", delay] if delay else []
    numbers = ["-T", str(race.horizon), "-n", str(race.replicates), "--seed", str(race.seed)]
    return shlex.join(["sidelight", "race", "problem.toml", *policies, *numbers, *late])
