"""`sidelight fit`: a problem file from a log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from .. import files
from ..errors import InputError
from ..labels import as_text, display
from ..log import Fit, from_log
from ..log.rows import NAMES
from ..log.words import sheets
from .options import (
    TABLE_FORMS,
    check_output,
    force_option,
    positive,
    print_tables,
    table_form,
    table_options,
)

PROBLEMS = (".toml", ".json")


@click.command("fit", short_help="Make a problem file from a log.")
@click.argument("log", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the problem into this .toml or .json file.",
)
@click.option("--round", "round_", metavar="COLUMN", help="Which play a row belongs to.")
@click.option("--played", metavar="COLUMN", help="The action that was played.")
@click.option("--observed", metavar="COLUMN", help="The action whose value the row shows.")
@click.option("--value", metavar="COLUMN", help="The value; more is better.")
@click.option(
    "--upper",
    type=positive,
    metavar="X",
    help="All means lie in [0, X].  [default: chosen from the log]",
)
@click.option(
    "--shift",
    type=float,
    default=0.0,
    metavar="X",
    help="Add X to all values, so that no mean is negative; differences stay as they are.",
)
@click.option("--name", metavar="TEXT", help="The name of the problem.  [default: that of the log]")
@click.option("--keep-all", is_flag=True, help="Drop no values, however far they are off.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines, instead of text.")
@table_options
@force_option
def fit_command(log: Path, output: Path | None, force: bool, **options: Any) -> None:
    """Estimate what each action shows and earns from the .csv or .parquet file LOG.

    Each row has the round (or visit), the action played, the action observed, and the value. The
    columns are called round, played, observed and value, unless options name others; a log without
    an observed column shows what was played. Prints the noise of each pair and the mean of each
    action with intervals, and which pairs have too little data, look biased (side values against
    direct ones) or are not Gaussian. The problem file also holds the standard errors of the means
    and how often each action was played, for `sidelight race --means posterior`.

    \b
        sidelight fit log.csv
        sidelight fit log.csv -o problem.toml
        sidelight fit visits.parquet --round visit --played arm --value revenue -o problem.toml
    """
    form = table_form(*(options.pop(f"as_{form}") for form in TABLE_FORMS))
    if output is not None:
        if output.suffix.lower() not in PROBLEMS:
            raise InputError(f"{output}: a problem file needs the suffix .toml or .json")
        check_output(output, force)
    found = from_log(log, **_arguments(log, options)).fit
    if output is not None:
        files.write(output, found.subject.to_document(), _comment(log, found))
    if form == "json":
        click.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    elif form:
        print_tables(sheets(found), form)
    else:
        click.echo(str(found))
    if output is not None:
        click.echo(f"wrote {output}", err=True)


def _arguments(log: Path, options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `from_log`."""
    named = {role: options["round_" if role == "round" else role] for role in NAMES}
    name = options["name"]
    return {
        "columns": {role: column for role, column in named.items() if column is not None},
        "upper": options["upper"],
        "shift": options["shift"],
        "robust": not options["keep_all"],
        "name": as_text(log.stem) if name is None else name,
    }


def _comment(log: Path, found: Fit) -> str:
    """The first lines of the file: where it comes from, and what to mind."""
    head = f"estimated by sidelight fit from {display(as_text(log.name))}, {found.rows:,} rows"
    shift = [f"every value plus {found.shift:g}"] if found.shift else []
    return "\n".join([head, *shift, *found.cautions])
