"""The command line: parse, call one function, print.

Results go to stdout, messages to stderr. Exit codes: 0 fine, 1 an error inside sidelight, 2 bad
usage or input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import click
from rich.console import Console

from . import __version__, console, files
from .analysis import analyze
from .errors import InputError, SidelightError
from .gallery import describe, from_recipe, gallery
from .problem import from_document


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
    comment = f"{recipe}: {describe(recipe.partition(':')[0])}"
    if output is None:
        click.echo(files.to_toml(problem.to_document(), comment), nl=False)
        return
    if output.exists() and not force:
        raise InputError(f"{output} exists: choose another name, or overwrite it with --force")
    files.write(output, problem.to_document(), comment)
    click.echo(f"wrote {output}; next: sidelight analyze {output}", err=True)


@cli.command("analyze")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print data for machines.")
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for the numbers that are NP-hard; then brackets are given.",
)
def analyze_command(file: Path, as_json: bool, budget: float) -> None:
    """Say what the feedback structure in FILE is worth.

    \b
        sidelight analyze dosing.toml
        sidelight analyze dosing.toml --json
    """
    document = files.read(file)
    subject = from_document(document, where=str(file))
    with Console(stderr=True).status("analysing ...") if sys.stderr.isatty() else nullcontext():
        found = analyze(subject, document.name or file.stem, document.upper, budget)
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        console.show_analysis(Console(), found)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an expected error is one sentence and an exit code, no traceback."""
    try:
        cli(arguments)
    except SidelightError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(error.exit_code)
