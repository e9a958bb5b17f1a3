"""`sidelight race`: policies against each other under the same luck, on one problem or many."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .. import figures, progress, writing
from ..errors import InputError, Interrupted, PolicyError
from ..problem import Problem
from ..simulate import Results, simulate
from ..simulate.simulate import MAX_HORIZON, name_of, whole
from ..study import Study, is_study, manifest, read
from .options import (
    check_new_folder,
    check_output,
    count,
    crew_options,
    read_problem,
    refuse,
    seed_option,
    warn,
)
from .request import Request, race_study, show_race

FIGURES = (".png", ".svg", ".pdf")
WRITTEN = ("results.parquet", "table.csv", "table.md", "regret.svg", "regret.png")
# What a study file says itself, and how the options are called.
IN_THE_STUDY = {
    "policies": "-p",
    "horizon": "-T",
    "replicates": "-n",
    "seed": "--seed",
    "delay": "--delay",
}
# The default, the paper's two, and what people know. Compiling all would take minutes.
USUAL = ("ids", "minimax", "asymptotic", "ts-n", "ucb-n", "greedy", "uniform")


@click.command("race")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-p",
    "--policy",
    "policies",
    multiple=True,
    metavar="POLICY",
    help="A policy, name:parameter=value, or all; repeat for more.  [default: the usual ones]",
)
@click.option(
    "-T", "--horizon", type=count, default="1e4", show_default=True, metavar="N", help="Rounds."
)
@click.option(
    "-n",
    "--replicates",
    type=count,
    default="100",
    show_default=True,
    metavar="N",
    help="Runs of each policy.",
)
@seed_option
@crew_options
@click.option("--delay", metavar="N", help="Rounds until values come; geometric:N on average.")
@click.option("--out", type=click.Path(path_type=Path), help="Write data, tables, figures here.")
@click.option("--explain", is_flag=True, help="Of a study: say for each cell why it would run.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the regret to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print data for machines.")
@click.pass_context
def race_command(context: click.Context, /, file: Path, **options: Any) -> None:
    """Race policies on the problem or the study in FILE, and print what each of them lost.

    Every policy meets the same luck, so that differences are differences of decisions; the same
    seed gives the same numbers, with any number of workers. Ctrl-C keeps the finished replicates.

    A study lists problems, policies and horizons. Its finished cells are kept in the folder (--out,
    by default out/NAME): running again computes only what is missing. With --processes or --dask,
    a problem is raced in the same way.

    \b
        sidelight race dosing.toml
        sidelight race dosing.toml -p greedy -p uniform -T 1e5 -n 1000 --seed 1
        sidelight race dosing.toml -p all
        sidelight race dosing.toml -p ucb-n:exploration=0.5 -p ts-n --plot regret.png
        sidelight race dosing.toml --out out/        results.parquet, table.csv, regret.svg ...
        sidelight race study.toml --out out/study --workers 8
        sidelight race study.toml --out out/study --dask tcp://scheduler:8786
        sidelight race study.toml --out out/study --explain
    """
    request = Request(file, **options)
    if is_study(file):
        refuse(context, IN_THE_STUDY, "a study file says that itself: change it there")
        race_study(read(file), request)
    elif request.apart:
        race_study(_as_study(request), request)
    else:
        _race(request)


def _as_study(request: Request) -> Study:
    """A race on one problem as a study, so that it can be resumed and sent to a cluster."""
    problem, name = read_problem(request.file)
    horizon = whole("horizon", request.horizon, 1, MAX_HORIZON)
    return Study(
        name=name,
        problems={name: problem},
        policies=tuple(map(name_of, _chosen(request.policies, problem, horizon))),
        horizons=(horizon,),
        replicates=request.replicates,
        seed=request.seed,
        delay=request.delay,
    )


def _race(request: Request) -> None:
    problem, name = read_problem(request.file)
    _check_outputs(request.out, request.plot)
    horizon = whole("horizon", request.horizon, 1, MAX_HORIZON)
    chosen = _chosen(request.policies, problem, horizon)
    if horizon < len(problem):
        click.echo(
            f"note: {horizon} rounds for {len(problem)} actions: too few for a policy "
            "to try each of them once",
            err=True,
        )
    warn(problem, chosen, horizon)
    stopped: Interrupted | PolicyError | None = None
    try:
        with progress.of_race() as tick:
            results: Results | None = simulate(
                problem,
                chosen,
                horizon,
                request.replicates,
                seed=request.seed,
                threads=request.workers,
                delay=request.delay,
                progress=tick,
            )
    except (Interrupted, PolicyError) as error:
        results, stopped = error.results, error
    if results is not None:
        _save(results, name, request)  # first: whoever reads the table may leave before its end
        show_race(results, name, request.as_json)
    if isinstance(stopped, Interrupted):
        kept = 0 if results is None else results.replicates
        click.echo(f"{kept} of {request.replicates} replicates were finished", err=True)
    if stopped is not None:
        raise stopped


def _check_outputs(out: Path | None, plot: Path | None) -> None:
    """Before the race: nobody wants to hear after an hour that a folder is missing."""
    if plot is not None and plot.suffix.lower() not in FIGURES:
        raise InputError(f"{plot}: a figure needs one of the suffixes {', '.join(FIGURES)}")
    if plot is not None:
        check_output(plot)
    if out is not None and (out / manifest.NAME).exists():
        raise InputError(f"{out}: holds a study: choose another folder for a single race")
    if out is not None and out.is_dir():
        for name in WRITTEN:
            check_output(out / name)
    elif out is not None:
        check_new_folder(out)


def _chosen(policies: tuple[str, ...], problem: Problem, horizon: int) -> tuple[str, ...]:
    """The policies named, `all` for every one that can run here; without any, the usual ones."""
    from ..policies import registry  # noqa: PLC0415 - numba takes half a second to import
    from ..simulate.entry import fitting  # noqa: PLC0415

    if policies and "all" not in policies:
        return policies
    wanted = registry.names() if policies else USUAL
    fit, refused = fitting(problem, horizon, wanted)
    if refused:
        click.echo(f"not in this race: {', '.join(refused)}; -p {refused[0]} says why", err=True)
    others = (policy for policy in policies if policy != "all")
    return tuple(dict.fromkeys([*fit, *others]))


def _save(results: Results, name: str, request: Request) -> None:
    out, plot = request.out, request.plot
    targets = [] if plot is None else [plot]
    if out is not None:
        writing.make_folder(out)
        results.save(out / "results.parquet")
        table = results.table()
        writing.save(out / "table.csv", table.to_csv().encode())
        writing.save(out / "table.md", table.to_markdown().encode())
        targets += [out / "regret.svg", out / "regret.png"]
    if targets:
        figure = results.plot(title=name)
        for target in targets:
            figures.save_figure(figure, target)
    for written in (plot, out):
        if written is not None:
            click.echo(f"wrote {written}", err=True)
