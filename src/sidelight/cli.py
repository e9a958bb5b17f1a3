"""The command line: parse, call one function, print.

Results go to stdout, messages to stderr. Exit codes: 0 fine, 1 something broke, 2 bad usage or
input, 130 interrupted.
"""

from __future__ import annotations

import io
import json
import math
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import click
import numpy as np
from rich.console import Console

from . import __version__, console, figures, files
from .analysis import Analysis, analyze
from .bounds import Certificate
from .curves import curves
from .errors import InputError, SidelightError
from .gallery import describe, from_recipe, gallery
from .problem import Problem, from_document

PLOT_POINTS = 25


def positive(text: str) -> float:
    """A positive number; 1e6 and 1_000_000 are fine."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise click.BadParameter(f"{text!r} is not a positive number")
    return number


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="sidelight")
def cli() -> None:
    """What to try next when trying one thing also tells you something about the others."""


@cli.command("new")
@click.argument("recipe", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write here, not to stdout.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def new(recipe: str | None, output: Path | None, force: bool) -> None:
    """Write a problem file to start from.

    RECIPE is an entry of the gallery, with parameters if you like:

    \b
        sidelight new                                  lists the recipes
        sidelight new dosing -o dosing.toml
        sidelight new revealing:actions=6,gap=0.1 -o revealing.toml
    """
    if recipe is None:
        width = max(len(name) for name in gallery())
        for name, summary in gallery().items():
            click.echo(f"{name:<{width}}  {summary}")
        return
    problem = from_recipe(recipe)
    comment = f"{describe(recipe.partition(':')[0])}\n\nMade by: sidelight new {recipe}"
    if output is None:
        click.echo(files.to_toml(problem.to_document(), comment), nl=False)
        return
    files.write(output, problem.to_document(), comment, overwrite=force)
    click.echo(f"wrote {output}; next: sidelight analyze {output}", err=True)


@cli.command("analyze")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print data for machines.")
@click.option(
    "--budget",
    type=positive,
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for what is hard to compute; then the best found so far is given.",
)
@click.option(
    "-T", "--horizon", type=positive, default=1e5, show_default=True, metavar="N", help="Rounds."
)
@click.option(
    "-B",
    "--worst-case",
    type=positive,
    metavar="X",
    help="Regret that the policies considered never exceed.  [default: the minimax rate]",
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the bounds to this file.")
@click.option("--certificates", type=click.Path(path_type=Path), help="Write proofs here.")
def analyze_command(
    file: Path,
    as_json: bool,
    plot: Path | None,
    certificates: Path | None,
    **numbers: float,
) -> None:
    """Say what the feedback structure in FILE is worth: structure, bounds, guarantees.

    \b
        sidelight analyze dosing.toml
        sidelight analyze dosing.toml -T 1e6 -B 5000 --plot bounds.png
        sidelight analyze dosing.toml --json --certificates proofs/
    """
    document = files.read(file)
    subject = from_document(document, where=str(file))
    with Console(stderr=True).status("analysing ...") if sys.stderr.isatty() else nullcontext():
        found = analyze(subject, name=document.name or file.stem, upper=document.upper, **numbers)
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        console.show_analysis(Console(), found)
    if certificates is not None:
        _save_certificates(found, certificates)
    if plot is not None:
        _plot(found, plot)


def _save_certificates(found: Analysis, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, bound in found.bounds.items():
            if isinstance(bound.certificate, Certificate):
                bound.certificate.save(folder / f"{name}.json")
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    click.echo(f"wrote {folder}; check with examples/check_certificate.py", err=True)


def _plot(found: Analysis, path: Path) -> None:
    if not isinstance(found.subject, Problem):
        raise InputError("--plot draws bounds on one problem: give the file a [means] table")
    horizons = np.geomspace(10, max(100.0, found.horizon), PLOT_POINTS)
    given = found.worst_case if found.worst_case_from == "given" else None
    with console.progress("bounds") as tick:
        drawn = curves(found.subject, horizons, given, progress=tick)
    figures.save_figure(figures.draw_bounds(drawn, title=found.name), path)
    click.echo(f"wrote {path}", err=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an expected error is one sentence and an exit code, no traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        cli.main(arguments, prog_name="sidelight", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except SidelightError as error:
        click.echo(f"error: {error}", err=True)
        return error.exit_code
    except BrokenPipeError:  # the reader went away, as in `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        click.echo(f"error: the output cannot be written: {error.strerror}", err=True)
        return 1
    return 0
