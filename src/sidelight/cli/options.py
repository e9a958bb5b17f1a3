"""What several commands share: options, numbers as people write them, checks of output files."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import files
from ..errors import InputError
from ..extras import check
from ..labels import as_text
from ..problem import Problem, from_document
from ..sheet import Sheet

if TYPE_CHECKING:
    from ..policies.specification import Specification

seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="S",
    help="The seed of all random numbers: the same seed gives the same results.",
)


FIGURES = (".png", ".svg", ".pdf", ".eps", ".ps")

force_option = click.option(
    "--force", is_flag=True, help="Replace output that exists already, and say what is replaced."
)


TABLE_FORMS = ("json", "csv", "latex")


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that print tables for other programs and for papers."""
    for option in (
        click.option(
            "--latex",
            "as_latex",
            is_flag=True,
            help="Print LaTeX, for papers: tables with the package booktabs.",
        ),
        click.option(
            "--csv",
            "as_csv",
            is_flag=True,
            help="Print CSV, numbers in full; an empty line stands between two tables.",
        ),
    ):
        command = option(command)
    return command


def table_form(as_json: bool, as_csv: bool, as_latex: bool) -> str:
    """ "json", "csv", "latex", or "" for people; two of them at once are refused."""
    chosen = [
        form for form, given in zip(TABLE_FORMS, (as_json, as_csv, as_latex), strict=True) if given
    ]
    if len(chosen) > 1:
        raise InputError(f"--{chosen[0]} and --{chosen[1]}: choose one of the two")
    return "".join(chosen)


def print_tables(sheets: Iterable[Sheet], form: str) -> None:
    """Print tables as CSV or LaTeX."""
    written = [sheet.to_csv() if form == "csv" else sheet.to_latex() for sheet in sheets]
    click.echo("\n".join(written), nl=False)


def warn(problem: Problem, policies: Iterable[Specification], horizon: int) -> None:
    """Warn of policies whose regret may be linear here, before they run."""
    warn_all([("", problem, policies, horizon)])


def warn_all(races: Sequence[tuple[str, Problem, Iterable[Specification], int]]) -> None:
    """The same for many races with their titles; what holds in several of them is said once."""
    from ..policies.entry import fits  # noqa: PLC0415 - numba takes half a second to import
    from ..simulate.stage import revealed  # noqa: PLC0415

    found: dict[tuple[str, str], list[str]] = {}
    for title, problem, policies, horizon in races:
        setting = revealed(problem, horizon)
        for policy in policies:
            if caution := fits(policy, setting).caution:
                found.setdefault((str(policy), caution), []).append(title)
    for (name, caution), titles in found.items():
        more = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
        where = f"{titles[0]}{more}: " if titles[0] else ""
        click.echo(f"note: {where}{name}: {caution}", err=True)


def crew_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say which workers compute a race or the cells of a study."""
    for option in (
        click.option(
            "--dask",
            metavar="ADDRESS",
            help="Use the workers of a Dask scheduler, such as tcp://host:8786; `local` starts "
            "worker processes on this machine.",
        ),
        click.option("--processes", is_flag=True, help="Use processes as workers, not threads."),
        click.option(
            "--workers",
            type=click.IntRange(1, 1024),
            metavar="N",
            help="How many workers compute; more workers change the speed, never the results.  "
            "[default: all processors]",
        ),
    ):
        command = option(command)
    return command


def refuse(context: click.Context, options: Mapping[str, str], why: str) -> None:
    """Refuse those of these options that the user gave; defaults are not refused."""
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
    """The problem in a file, which must have means, and the name of the problem."""
    problem = from_document(files.read(file), where=str(file))
    if not isinstance(problem, Problem):
        raise InputError(f"{file}: a simulation needs the true means: give it a [means] table")
    return problem, problem.name or as_text(file.stem)


def check_output(file: Path, force: bool, again: bool = False) -> None:
    """Before the work starts, refuse an output file that cannot be written or exists already.

    No command replaces a file without saying so. Commands that are made to be run again (a race
    with --out, a study, the suite, a report) pass `again=True` if they will write the same content
    or continue what is there; then the file may be replaced. Otherwise --force is needed, and the
    command says what is replaced.
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
    """Refuse a figure file with an unknown suffix, and any where nothing can draw."""
    if file.suffix.lower() not in FIGURES:
        raise InputError(f"{file}: a figure needs one of the suffixes {', '.join(FIGURES)}")
    check("--plot", "figures")


def give_way(what: Path, force: bool, why: str) -> None:
    """Without --force, refuse to replace `what`; with --force, say that it is replaced."""
    if not force:
        raise InputError(f"{what}: {why}: choose another name, or replace it with --force")
    click.echo(f"--force replaces {what}: {why}", err=True)


def check_new_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made or written; make nothing yet."""
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
