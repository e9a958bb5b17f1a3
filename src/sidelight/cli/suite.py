"""`sidelight suite`: every policy on every problem of the gallery."""

from __future__ import annotations

import shlex
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from .. import progress, writing
from ..canvas import save_figure
from ..errors import InputError
from ..extras import check
from ..maps import draw_ratios
from ..simulate import Results
from ..simulate.joining import join
from ..study import Cell, Crew, Store, blocks, check_own, compute, crew
from ..suite import (
    Panel,
    cells,
    contenders,
    panel,
    ratios,
    ratios_to_lower,
    searched,
    searches,
    to_markdown,
)
from ..suite.cells import BLOCK, HORIZONS, RECIPES, REPLICATES
from ..suite.page import sheet
from ..suite.searches import MAIN, MOST_ACTIONS, ROUNDS, RUNS
from ..worst import LEAST_RUNS
from .completion import complete_policy, complete_recipe
from .options import (
    check_output,
    count,
    crew_options,
    force_option,
    print_tables,
    table_form,
    table_options,
)

BESIDE = ("--force", "--csv", "--latex")  # options that change nothing on the page
QUICK = ("bandit", "revealing", "graded")


@click.command("suite", short_help="Race every policy on every shipped problem.")
@click.option("--quick", is_flag=True, help="Only three problems, 1,000 rounds and 20 runs.")
@click.option(
    "--problem",
    "problems",
    multiple=True,
    metavar="RECIPE",
    shell_complete=complete_recipe,
    help="Race on this recipe of `sidelight new`; repeat for more.  [default: the whole "
    "gallery, and some of its recipes with other parameters]",
)
@click.option(
    "-p",
    "--policy",
    "policies",
    multiple=True,
    metavar="POLICY",
    shell_complete=complete_policy,
    help="Race this policy, or your own as file.py:Name or package.module:Name; repeat for more.  "
    "[default: every built-in policy that can run]",
)
@click.option(
    "-T",
    "--horizon",
    "horizons",
    type=count,
    multiple=True,
    metavar="N",
    help="Race over this number of rounds; repeat for more.  [default: "
    f"{', '.join(f'{T:,}' for T in HORIZONS)}]",
)
@click.option(
    "-n",
    "--replicates",
    type=count,
    metavar="N",
    help=f"The number of runs (replicates) of each policy.  [default: {REPLICATES}]",
)
@click.option(
    "--worst-cases",
    is_flag=True,
    help="Search for the worst means of the main policies, too, on every feedback with at most "
    f"{MOST_ACTIONS} actions, and put a table of them on the page.",
)
@crew_options
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("out/suite"),
    show_default=True,
    help="The folder for suite.md, suite.svg, worst_cases.svg and what is finished.",
)
@table_options
@force_option
def suite_command(
    quick: bool,
    problems: tuple[str, ...],
    policies: tuple[str, ...],
    horizons: tuple[int, ...],
    replicates: int | None,
    **who: Any,
) -> None:
    """Race every policy on every problem of the gallery, and write one page with all results.

    A policy whose mean regret is more than twice the least after 100 runs plays no more runs. Only
    a few fast policies race over a million rounds, on a few problems. Finished cells (blocks of
    runs of one policy) are kept, so an interrupted suite goes on where it stopped. A page that
    another command made is replaced only with --force.

    \b
        sidelight suite --quick
        sidelight suite --worst-cases --out out/suite
        sidelight suite --quick --csv > suite.csv
        sidelight suite --problem labs --problem trap -p ids -p minimax-sigma -T 1e5
    """
    check("sidelight suite", "figures", "frames")
    form = table_form(False, who.pop("as_csv"), who.pop("as_latex"))
    horizons = horizons or ((1_000,) if quick else ())
    recipes = problems or (QUICK if quick else RECIPES)
    runs = replicates or (20 if quick else REPLICATES)
    planned = list(cells(recipes, horizons or HORIZONS, runs, policies or None))
    if not planned:
        raise InputError("nothing to race: none of these policies can run on these problems")
    out: Path = who.pop("out")
    command = shlex.join(["sidelight", *(word for word in sys.argv[1:] if word not in BESIDE)])
    _check_pages(out, command, who.pop("force"))
    sought = []
    if who.pop("worst_cases"):
        rounds = dict.fromkeys(horizons, policies or MAIN) or ROUNDS
        sought = list(searches(recipes, rounds, LEAST_RUNS if quick else RUNS))
    try:
        panels = _race(planned, Store(out), crew(**who))
        with progress.of_steps("searching for worst means") as watch:
            worst = searched(sought, out, watch)
    except KeyboardInterrupt:
        click.echo(f"finished cells are kept in {out}; run again to go on", err=True)
        raise
    writing.save(out / "suite.md", to_markdown(panels, command, worst).encode())
    save_figure(draw_ratios(*ratios(panels)), out / "suite.svg")
    if worst:
        save_figure(draw_ratios(*ratios_to_lower(worst)), out / "worst_cases.svg")
    if form:
        print_tables([sheet(panels)], form)
    for p in panels:
        if said := p.verdict():
            click.echo(f"{p.recipe}, T = {p.horizon:,}: ids has {said}", err=bool(form))
    click.echo(f"wrote {out / 'suite.md'} and {out / 'suite.svg'}", err=bool(form))


def _check_pages(out: Path, command: str, force: bool) -> None:
    """Refuse to replace a page of another command; a page names the command that made it."""
    page = out / "suite.md"
    if not out.is_dir():
        return
    made = page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""
    for name in ("suite.md", "suite.svg", "worst_cases.svg"):
        check_output(out / name, force, again=f"Made by `{command}`" in made)


def _race(planned: list[Cell], store: Store, workers: Crew) -> list[Panel]:
    """Race the first block of every policy, then the other blocks of policies not far behind."""
    check_own(planned)
    store.prepare()
    parts = {cell: list(blocks(cell, BLOCK)) for cell in planned}
    raced = _computed({cell: found[:1] for cell, found in parts.items()}, store, workers)
    near = [cell for race in raced for cell in contenders(race)]
    raced = _computed(
        {cell: found if cell in near else found[:1] for cell, found in parts.items()},
        store,
        workers,
    )
    return [panel(race) for race in raced]


def _computed(
    parts: dict[Cell, list[Cell]], store: Store, workers: Crew
) -> list[list[tuple[Cell, Results]]]:
    """The results of each cell, its blocks joined, in one list for each problem and horizon."""
    with progress.of_study() as watch:
        compute([part for found in parts.values() for part in found], store, workers, watch)
    raced = [(cell, join(map(store.read, found))) for cell, found in parts.items()]
    groups = groupby(raced, key=lambda pair: (pair[0].label, pair[0].horizon))
    return [list(group) for _, group in groups]
