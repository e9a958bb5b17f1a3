"""`sidelight schema`: the JSON Schema of problem files or study files."""

from __future__ import annotations

import json

import click

from ..schemas import SCHEMAS


@click.command("schema", short_help="Print the JSON Schema of a kind of file.")
@click.argument("kind", type=click.Choice(list(SCHEMAS)))
def schema_command(kind: str) -> None:
    """Print the JSON Schema of problem files or study files.

    Editors use a schema to complete keys and to mark mistakes in TOML and JSON files. sidelight
    itself checks more: what it refuses, it explains.

    \b
        sidelight schema problem > problem.schema.json
        sidelight schema study > study.schema.json
    """
    click.echo(json.dumps(SCHEMAS[kind], indent=2))
