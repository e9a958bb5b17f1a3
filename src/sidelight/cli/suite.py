"""`sidelight suite`: every policy on every problem of the gallery."""

from __future__ import annotations

import shlex
import sys
from itertools import groupby
from pathlib import Path

import click

from .. import figures, files
from ..errors import InputError
from ..suite import Cell, Panel, cells, panel, ratios, run_cell, to_markdown
from ..suite.cells import HORIZONS, RECIPES, REPLICATES
from .options import count

QUICK = ("bandit", "revealing", "graded")


@click.command("suite")
@click.option("--quick", is_flag=True, help="Three problems, 1,000 rounds, 20 replicates.")
@click.option("--problem", "problems", multiple=True, help="Only this recipe; repeat for more.")
@click.option("-p", "--policy", "policies", multiple=True, help="Only this policy; repeat.")
@click.option("-T", "--horizon", "horizons", type=count, multiple=True, help="Only so many rounds.")
@click.option("-n", "--replicates", type=count, help=f"[default: {REPLICATES}]")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("out/suite"),
    show_default=True,
    help="Where suite.md, suite.svg and the finished cells go.",
)
def suite_command(
    quick: bool,
    problems: tuple[str, ...],
    policies: tuple[str, ...],
    horizons: tuple[int, ...],
    replicates: int | None,
    out: Path,
) -> None:
    """Race every policy on every problem of the gallery, and write one page about it.

    Finished cells are kept: an interrupted suite goes on where it stopped.

    \b
        sidelight suite --quick
        sidelight suite --out out/suite
        sidelight suite --problem labs --problem trap -p ids -p minimax-sigma -T 1e5
    """
    folder = out / "cells"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    planned = list(
        cells(
            problems or (QUICK if quick else RECIPES),
            horizons or ((1_000,) if quick else HORIZONS),
            replicates or (20 if quick else REPLICATES),
            policies or None,
        )
    )
    panels = _race(planned, folder)
    command = shlex.join(["sidelight", *sys.argv[1:]])
    files.replace(out / "suite.md", to_markdown(panels, command).encode())
    figures.save_figure(figures.draw_ratios(*ratios(panels)), out / "suite.svg")
    for p in panels:
        if said := p.verdict():
            click.echo(f"{p.recipe}, T = {p.horizon:,}: ids has {said}")
    click.echo(f"wrote {out / 'suite.md'} and {out / 'suite.svg'}")


def _race(planned: list[Cell], folder: Path) -> list[Panel]:
    done, panels = 0, []
    for (recipe, horizon), group in groupby(planned, key=lambda c: (c.recipe, c.horizon)):
        raced = []
        for cell in group:
            results, new = run_cell(cell, folder)
            raced.append((cell, results))
            done += 1
            state = "" if new else " (kept)"
            click.echo(f"{done}/{len(planned)} {recipe} T={horizon} {cell.policy}{state}", err=True)
        panels.append(panel(raced))
    return panels
