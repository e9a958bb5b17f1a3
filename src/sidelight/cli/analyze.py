"""`sidelight analyze`: what can be learnt in a problem, and what regret this must cost."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console

from .. import console, figures, progress, writing
from ..analysis import MINIMAX, PROMISE, SANDWICH_UP_TO, Analysis, analyze, told
from ..bounds.bound import Bound
from ..bounds.certificate_file import Saved
from ..bounds.titles import LOWER
from ..curves import SLOW, Curve, curves, sandwich_curves
from ..errors import InputError
from ..problem import Problem, load
from ..setting import Given, setting_of
from .options import (
    TABLE_FORMS,
    check_figure,
    check_new_folder,
    check_output,
    force_option,
    give_way,
    positive,
    print_tables,
    table_form,
    table_options,
)

PLOT_POINTS = 25
SANDWICH_POINTS = 5  # a decade apart; each takes a second or more
UPPER = ("commit", "index")  # whose promises are proved in files


def positive_or_minimax(text: str) -> float | str:
    """A worst case: a positive number, or the word for the minimax regret."""
    if text == MINIMAX:
        return text
    try:
        return positive(text)
    except click.BadParameter as error:
        raise click.BadParameter(f"{error.message}, and not the word {MINIMAX!r}") from None


@click.command("analyze", short_help="Say what can be learnt, and what regret this must cost.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for machines, instead of tables."
)
@click.option(
    "--budget",
    type=positive,
    metavar="SECONDS",
    help="Stop each search after its part of this time, and mark the numbers that were cut off.  "
    "[default: no limit]",
)
@click.option(
    "-T",
    "--horizon",
    type=positive,
    default="1e5",
    show_default=True,
    metavar="N",
    help="The number of rounds T that the bounds speak about.",
)
@click.option(
    "-B",
    "--worst-case",
    type=positive_or_minimax,
    metavar="X",
    help="The bounds b and b' speak about policies whose regret is at most X, whatever the means; "
    "'minimax' is the least that is proved of a policy.  [default: the minimax rate, printed with "
    "the bounds]",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    help="Draw the bounds against T into this .png, .svg, .pdf or .eps file; without means those "
    "on the worst case.",
)
@click.option(
    "--certificates",
    type=click.Path(path_type=Path),
    help="Write a proof of each lower bound, and with up to five actions of what commit and index "
    "never exceed, into this folder; `sidelight check` checks proofs.",
)
@table_options
@force_option
def analyze_command(
    file: Path,
    plot: Path | None,
    certificates: Path | None,
    force: bool,
    **options: Any,
) -> None:
    """Say what can be learnt in the problem in FILE, and what regret this must cost.

    Prints what nobody can avoid losing and what one policy never exceeds, who shows whom, lower
    bounds on the regret of every policy, upper bounds that the paper's two algorithms and a simple
    policy promise, and a recommended policy. Regret is what a policy is expected to lose
    against always playing the best action. If FILE has no means, only what holds for all means is
    printed.

    \b
        sidelight analyze dosing.toml
        sidelight analyze dosing.toml -T 1e6 -B 5000 --plot bounds.png
        sidelight analyze dosing.toml --json --certificates proofs/
        sidelight analyze dosing.toml --latex > dosing.tex
    """
    form = table_form(*(options.pop(f"as_{form}") for form in TABLE_FORMS))
    subject = load(file)
    _check_outputs(subject, options["budget"] is not None, plot, certificates, force)
    with Console(stderr=True).status("analysing ...") if sys.stderr.isatty() else nullcontext():
        found = analyze(subject, name=file.stem, **options)
    if form == "json":
        click.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    elif form:
        print_tables(told(found).sheets, form)
    else:
        console.show_analysis(Console(), found)
    if certificates is not None:
        _save_certificates(found, certificates)
    if plot is not None:
        _plot(found, plot)


def _check_outputs(
    subject: Given, limited: bool, plot: Path | None, certificates: Path | None, force: bool
) -> None:
    """Check before the work: nobody wants to hear after the work that a folder is missing."""
    if plot is not None:
        many = limited or len(setting_of(subject)) > SANDWICH_UP_TO
        if many and not isinstance(subject, Problem):
            raise InputError(
                f"--plot without means draws both sides of the worst case, up to {SANDWICH_UP_TO} "
                "actions and without --budget: give the file a [means] table"
            )
        check_figure(plot)
        check_output(plot, force)
    if certificates is not None:
        check_new_folder(certificates)
        if any(map(writing.exists, _proofs(certificates))):
            give_way(certificates, force, "it holds proofs already")


def _proofs(folder: Path) -> list[Path]:
    """The file for the proof of each bound; other files in the folder are left alone."""
    return [folder / f"{name}.json" for name in (*LOWER, *UPPER)]


def _save_certificates(found: Analysis, folder: Path) -> None:
    writing.make_folder(folder)
    for old in _proofs(folder):  # proofs of another analysis would be taken for proofs of this one
        old.unlink(missing_ok=True)
    for name, bound in [*found.bounds.items(), *_promises(found)]:
        if isinstance(bound.certificate, Saved):
            bound.certificate.save(folder / f"{name}.json")
    click.echo(f"wrote {folder}; check with: sidelight check {folder}/*.json", err=True)


def _promises(found: Analysis) -> list[tuple[str, Bound]]:
    """What `commit` and `index` never exceed, where the analysis asked and it says something."""
    made = [(name, found.guarantees[name]) for name in UPPER if name in found.guarantees]
    return [(name, bound) for name, bound in made if bound.valid and not bound.vacuous]


def _plot(found: Analysis, path: Path) -> None:
    horizons = np.geomspace(10, max(100.0, found.horizon), PLOT_POINTS)
    told_one = found.worst_case_from == "given" or found.worst_case_from.startswith(PROMISE)
    given = found.worst_case if told_one else None
    drawn: tuple[Curve, ...] = ()
    both, few = None, [T for k in range(SANDWICH_POINTS) if (T := found.horizon / 10**k) >= 1]
    if isinstance(found.subject, Problem):
        with progress.of_steps("bounds") as tick:
            drawn = curves(found.subject, horizons, given, progress=tick)
    with progress.of_steps("worst cases") as tick:
        if found.sandwich is not None:
            both = sandwich_curves(found.feedback, found.upper, few, tick)
        elif isinstance(found.subject, Problem):  # at least the lower of the two
            drawn += curves(found.subject, few, names=SLOW, progress=tick)
    figures.save_figure(figures.draw_bounds(drawn, title=found.name, sandwich=both), path)
    click.echo(f"wrote {path}", err=True)
