"""`sidelight new`: a problem file to start from."""

from __future__ import annotations

from pathlib import Path

import click

from .. import files
from ..gallery import describe, from_recipe, gallery
from .completion import complete_recipe
from .options import check_output, force_option


@click.command("new", short_help="Write a problem file to start from.")
@click.argument("recipe", required=False, shell_complete=complete_recipe)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write to this file instead of stdout.",
)
@force_option
def new_command(recipe: str | None, output: Path | None, force: bool) -> None:
    """Write a problem file to start from, or list the recipes for such files.

    RECIPE is the name of a problem in the gallery, and may carry parameters; every recipe takes
    `means` in place of its own. Without RECIPE, all recipes are listed.

    \b
        sidelight new
        sidelight new dosing -o dosing.toml
        sidelight new revealing:actions=6,gap=0.1 -o revealing.toml
        sidelight new "het3:means=1 0.8 0.65" -o het3.toml
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
    check_output(output, force)
    files.write(output, problem.to_document(), comment)
    click.echo(f"wrote {output}; next: sidelight analyze {output}", err=True)
