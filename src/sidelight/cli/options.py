"""What several commands share: numbers as people write them, and the problem in a file."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import files
from ..errors import InputError
from ..labels import as_text
from ..problem import Problem, from_document

if TYPE_CHECKING:
    from ..policies.specification import Specification

seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="S",
    help="The luck: the same seed gives the same numbers.",
)


FIGURES = (".png", ".svg", ".pdf")

force_option = click.option(
    "--force", is_flag=True, help="Replace what is there, and say what it was."
)


def warn(
    problem: Problem, policies: Iterable[Specification], horizon: int, where: str = ""
) -> None:
    """Say before they run which policies may be linear here; their table will say it again."""
    from ..policies.entry import fits  # noqa: PLC0415 - numba takes half a second to import
    from ..simulate.stage import revealed  # noqa: PLC0415

    for policy in policies:
        if caution := fits(policy, revealed(problem, horizon)).caution:
            click.echo(f"note: {where}{policy}: {caution}", err=True)


def crew_options(command: Callable[..., None]) -> Callable[..., None]:
    """Who computes the cells of a study."""
    for option in (
        click.option("--dask", metavar="ADDRESS", help="A Dask scheduler, tcp://host:8786; local."),
        click.option("--processes", is_flag=True, help="Workers are processes, not threads."),
        click.option(
            "--workers",
            type=click.IntRange(1, 1024),
            metavar="N",
            help="They change nothing but speed.  [default: all processors]",
        ),
    ):
        command = option(command)
    return command


def refuse(context: click.Context, options: Mapping[str, str], why: str) -> None:
    """Refuse options that were given; the others have their defaults."""
    for name, flag in options.items():
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise InputError(f"{flag}: {why}")


def positive(text: str) -> float:
    """A positive number; 1e6 and 1_000_000 are fine."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise click.BadParameter(f"{text!r} is not a positive number")
    return number


def count(text: str) -> int:
    """A whole number of at least 1; 1e6 and 1_000_000 are fine."""
    number = positive(text)
    if not number.is_integer():
        raise click.BadParameter(f"{text!r} is not a whole number")
    return int(text) if text.isdigit() else int(number)


def read_problem(file: Path) -> tuple[Problem, str]:
    """The problem in a file, which must have means, and what to call it."""
    problem = from_document(files.read(file), where=str(file))
    if not isinstance(problem, Problem):
        raise InputError(f"{file}: a simulation needs the true means: give it a [means] table")
    return problem, problem.name or as_text(file.stem)


def check_output(file: Path, force: bool, again: bool = False) -> None:
    """Refuse a file that cannot be written, or is there, before the work that would be lost.

    The rule of all commands: none replaces a file in silence. What is made to be run again (a race
    with --out, a study, the suite, a report) goes on where it gives the same `again`; anything else
    needs --force, which says what it replaces.
    """
    # Through a symbolic link, as `writing.replace` writes; a loop of links is replaced itself.
    folder = Path(os.path.realpath(file)).parent
    if not folder.is_dir():
        raise InputError(f"{file}: cannot be written: there is no folder {file.parent}; make it")
    if file.is_dir():
        raise InputError(f"{file}: cannot be written: it is a folder")
    _try_to_write(file, folder)
    if os.path.lexists(file) and not again:
        give_way(file, force, "it is there already")


def check_figure(file: Path) -> None:
    """Refuse a figure of an unknown kind."""
    if file.suffix.lower() not in FIGURES:
        raise InputError(f"{file}: a figure needs one of the suffixes {', '.join(FIGURES)}")


def give_way(what: Path, force: bool, why: str) -> None:
    """Refuse to replace something; with --force, say what is replaced."""
    if not force:
        raise InputError(f"{what}: {why}: choose another name, or replace it with --force")
    click.echo(f"--force replaces {what}: {why}", err=True)


def check_new_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made, and make nothing yet."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"{folder}: cannot be written: it is no folder")
    above = Path(os.path.realpath(folder))
    while not above.exists() and above != above.parent:
        above = above.parent
    if not above.is_dir():
        raise InputError(f"{folder}: cannot be written: {above.name} is no folder")
    _try_to_write(folder, above)


def _try_to_write(wanted: Path, folder: Path) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"{wanted}: cannot be written: {error.strerror or error}") from None
