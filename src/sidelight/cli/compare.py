"""`sidelight compare`: two studies or races, policy by policy."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ..study.compare import compare
from .options import TABLE_FORMS, print_tables, table_form, table_options


@click.command("compare", short_help="Compare two studies or races, policy by policy.")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for machines, instead of a table."
)
@table_options
def compare_command(a: Path, b: Path, **forms: bool) -> None:
    """Print what each policy lost more in A than in B.

    A and B are folders that `sidelight race --out` wrote, or files of results. Races on the same
    problem over the same number of rounds are compared, whatever the problem is called. Replicates
    with the same seed and number met the same luck, and are compared in pairs; races without a
    common replicate are compared as independent ones. The interval is that of the difference, and
    p-values allow for the number of differences (Holm). If each race has one policy, and not the
    same, these two are compared.

    \b
        sidelight compare out/before out/after
        sidelight compare out/study other/study --json
        sidelight compare a/results.parquet b/results.parquet --latex
    """
    form = table_form(*(forms[f"as_{form}"] for form in TABLE_FORMS))
    found = compare(a, b)
    if form == "json":
        record = {"title": found.title, "rows": found.to_dicts(), "notes": list(found.notes)}
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
    elif form:
        print_tables([found.sheet], form)
    else:
        click.echo(str(found))
