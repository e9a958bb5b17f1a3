"""`sidelight race`: compare policies under the same random numbers, on one problem or many."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import figures, progress, writing
from ..canvas import figure_content
from ..errors import InputError, Interrupted, PolicyError
from ..extras import check
from ..problem import Problem
from ..setting import MAX_HORIZON, whole
from ..simulate import Results, simulate
from ..simulate.simulate import check_means
from ..simulate.wait import wait_of
from ..study import Study, is_study, manifest, read
from .completion import complete_policy
from .options import (
    check_figure,
    check_new_folder,
    check_output,
    count,
    crew_options,
    force_option,
    give_way,
    read_problem,
    refuse,
    seed_option,
    table_options,
    warn,
)
from .request import Request, race_study, show_race

if TYPE_CHECKING:
    from ..policies.specification import Specification

WRITTEN = (
    "results.parquet",
    "table.csv",
    "table.md",
    "table.tex",
    "regret.svg",
    "regret.png",
)
# What a study file sets itself, and the options that would set the same.
IN_THE_STUDY = {
    "policies": "-p",
    "horizon": "-T",
    "replicates": "-n",
    "seed": "--seed",
    "delay": "--delay",
    "means": "--means",
}
# The default, the paper's two, and well-known ones. Compiling all policies would take minutes.
USUAL = ("ids", "minimax", "asymptotic", "ts-n", "ucb-n", "greedy", "uniform")


@click.command("race", short_help="Compare policies on a problem or a study.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-p",
    "--policy",
    "policies",
    multiple=True,
    metavar="POLICY",
    shell_complete=complete_policy,
    help="A policy: name or name:parameter=value,...; your own as file.py:Name or "
    "package.module:Name; `all` for every built-in policy that can run here; repeat -p for more.  "
    f"[default: those of {', '.join(USUAL)} that can run here]",
)
@click.option(
    "-T",
    "--horizon",
    type=count,
    default="1e4",
    show_default=True,
    metavar="N",
    help="The number of rounds of each run.",
)
@click.option(
    "-n",
    "--replicates",
    type=count,
    default="100",
    show_default=True,
    metavar="N",
    help="The number of runs (replicates) of each policy.",
)
@seed_option
@crew_options
@click.option(
    "--delay",
    metavar="N",
    help="Observed values arrive N rounds late; geometric:N, a random number of rounds late, N on "
    "average.  [default: no delay]",
)
@click.option(
    "--means",
    type=click.Choice(["posterior"]),
    help="Draw other means for each run, from the standard errors in FILE, which `sidelight fit` "
    "writes; say what each policy costs, and what going on as today costs.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write data, tables and figures into this folder.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Run nothing; say for each cell of a study whether it is finished, or why it would run.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    help="Draw the regret against time into this .png, .svg, .pdf or .eps file.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for machines, instead of tables."
)
@click.option(
    "--against",
    metavar="COLUMN",
    help="With --plot and a study: draw the regret against this parameter, such as recipe.gap, "
    "policy.exploration or horizon.",
)
@table_options
@force_option
@click.pass_context
def race_command(context: click.Context, /, file: Path, **options: Any) -> None:
    """Let policies play the problem or the study in FILE, and print the regret of each.

    Regret is what a policy is expected to lose against always playing the best action. All
    policies meet the same random numbers, so only their decisions make a difference. The same seed
    gives the same results, with any number of workers. Ctrl-C keeps the runs that are finished.

    If the folder of --out holds a race already, the same race, or the same race with more runs or
    more policies, may replace it. Any other race needs --force, and so do a table or a figure there
    that somebody changed, and --plot if its file exists.

    A study is a file that lists problems, policies and horizons. Its work is divided into cells: a
    cell is a block of runs of one policy on one problem. Finished cells are kept in the folder of
    --out (by default out/NAME), so running a study again computes only the missing cells. With
    --processes or --dask, a race on a single problem is kept in cells, too.

    \b
        sidelight race dosing.toml
        sidelight race dosing.toml -p greedy -p uniform -T 1e5 -n 1000 --seed 1
        sidelight race dosing.toml -p all
        sidelight race dosing.toml -p ucb-n:exploration=0.5 -p ts-n --plot regret.png
        sidelight race dosing.toml -p ids -p mine.py:Greedy:rate=0.1
        sidelight race dosing.toml --out out/        results.parquet, table.csv, regret.svg ...
        sidelight race shop.toml -T 1e4 --means posterior
        sidelight race study.toml --out out/study --workers 8
        sidelight race study.toml --out out/study --dask tcp://scheduler:8786
        sidelight race study.toml --out out/study --explain
        sidelight race study.toml --csv > study.csv
        sidelight race study.toml --plot gap.pdf --against recipe.gap
    """
    request = Request(file, **options)
    if is_study(file):
        refuse(context, IN_THE_STUDY, "a study file says that itself: change it there")
        race_study(read(file), request)
    elif request.against is not None:
        raise InputError("--against draws the races of a study: give a study file")
    elif request.apart and request.means is not None:
        raise InputError("--means: drawn means race on threads, without --processes or --dask")
    elif request.apart:
        race_study(_as_study(request), request)
    else:
        _race(request)


def _as_study(request: Request) -> Study:
    """A race on one problem, as a study, which can be resumed and sent to a cluster."""
    problem, name = read_problem(request.file)
    horizon = whole("horizon", request.horizon, 1, MAX_HORIZON)
    return Study(
        name=name,
        problems={name: problem},
        policies=_chosen(request.policies, problem, horizon),
        horizons=(horizon,),
        replicates=request.replicates,
        seed=request.seed,
        delay=wait_of(request.delay),
    )


def _race(request: Request) -> None:
    problem, name = read_problem(request.file)
    horizon = whole("horizon", request.horizon, 1, MAX_HORIZON)
    _check_names(request.out, request.plot)
    check_means(request.means, problem)
    chosen = _chosen(request.policies, problem, horizon)
    _check_outputs(request, problem, chosen, name)
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
                means=request.means,
                progress=tick,
            )
    except (Interrupted, PolicyError) as error:
        results, stopped = error.results, error
    if results is not None:
        _save(
            results, name, request
        )  # saved first: the reader of the table may leave before its end
        show_race(results, name, request.form)
    if isinstance(stopped, Interrupted):
        kept = 0 if results is None else results.replicates
        click.echo(f"{kept} of {request.replicates} replicates were finished", err=True)
    if stopped is not None:
        raise stopped


def _check_names(out: Path | None, plot: Path | None) -> None:
    """Check first: nobody wants to hear after an hour that a folder or a package is missing."""
    if out is not None:
        check("--out", "figures", "frames")
    if plot is not None:
        check_figure(plot)
    if out is not None and writing.exists(out / manifest.NAME):
        raise InputError(f"{out}: holds a study: choose another folder for a single race")
    if out is not None and not out.is_dir():
        check_new_folder(out)


def _check_outputs(
    request: Request, problem: Problem, chosen: tuple[Specification, ...], title: str
) -> None:
    """Refuse to replace other results without --force."""
    out, force = request.out, request.force
    if request.plot is not None:
        check_output(request.plot, force)
    if out is None or not out.is_dir():
        return
    old = _there(out, force)
    if old is not None:
        from ..simulate.ingredients import losses, planned  # noqa: PLC0415 - imports numba

        new = planned(problem, chosen, request.horizon, request.seed, request.delay)
        new = replace(new, posterior=request.means is not None)
        if said := losses(old, new, request.replicates):
            give_way(out, force, f"it holds {_described(old)}, which would be lost: {said[0]}")
    for name in WRITTEN:  # tables and figures belong to the results beside them
        check_output(out / name, force, again=old is not None)
    if old is not None:
        _check_own(out, force, old, title)


def _check_own(out: Path, force: bool, old: Results, title: str) -> None:
    """Refuse to replace a table or a figure that was changed since its results were written."""
    there = [name for name in WRITTEN[1:] if (out / name).is_file()]
    figure = old.plot(title=title) if any(name.startswith("regret.") for name in there) else None
    for name in there:
        kind = name.rpartition(".")[2]
        made = _tables(old)[name] if figure is None or name.startswith("table.") else None
        if (out / name).read_bytes() != (made or figure_content(figure, kind)):
            give_way(out / name, force, "it is not what `race --out` wrote beside these results")


def _tables(results: Results) -> dict[str, bytes]:
    """The content of each file with a table."""
    table = results.table()
    made = {"csv": table.to_csv(), "md": table.to_markdown(), "tex": table.to_latex()}
    return {f"table.{kind}": text.encode() for kind, text in made.items()}


def _there(out: Path, force: bool = False) -> Results | None:
    """The results in a folder, if there are any that can be read."""
    path = out / WRITTEN[0]
    if not path.is_file():
        return None
    try:
        return Results.load(path)
    except InputError as error:
        give_way(path, force, f"it cannot be read ({error})")
        return None


def _described(results: Results) -> str:
    name = results.problem.name or "a race"
    return (
        f"{name} after {results.horizon:,} rounds, {results.replicates:,} replicates of "
        f"{', '.join(results.policies)} with the seed {results.seed}"
    )


def _chosen(policies: tuple[str, ...], problem: Problem, horizon: int) -> tuple[Specification, ...]:
    """The policies to race: those named; for `all`, all that can run here; else the usual ones."""
    from ..policies.entry import fitting  # noqa: PLC0415 - numba takes half a second to import
    from ..policies.own import find  # noqa: PLC0415
    from ..policies.registry import names  # noqa: PLC0415
    from ..simulate.stage import revealed  # noqa: PLC0415

    named = [find(policy) for policy in policies if policy != "all"]
    if policies and "all" not in policies:
        return tuple(named)
    wanted = map(find, names() if policies else USUAL)
    fit, refused = fitting(wanted, revealed(problem, horizon))
    if refused:
        said = ", ".join(map(str, refused))
        click.echo(f"not in this race: {said}; -p {refused[0]} says why", err=True)
    return tuple(dict.fromkeys([*fit, *named]))


def _would_lose(results: Results, request: Request) -> bool:
    """Whether an interrupted race would replace results that hold more; if so, say they stay."""
    from ..simulate.ingredients import losses, recorded  # noqa: PLC0415 - imports numba

    assert request.out is not None
    old = None if request.force else _there(request.out)
    said = [] if old is None else losses(old, recorded(results), results.replicates)
    if said:
        click.echo(f"note: {request.out} stays as it is: {said[0]}", err=True)
    return bool(said)


def _save(results: Results, name: str, request: Request) -> None:
    out, plot = request.out, request.plot
    targets = [] if plot is None else [plot]
    if out is not None and _would_lose(results, request):
        out = None
    if out is not None:
        writing.make_folder(out)
        results.save(out / WRITTEN[0])
        for file, content in _tables(results).items():
            writing.save(out / file, content)
        targets += [out / "regret.svg", out / "regret.png"]
    if targets:
        figure = results.plot(title=name)
        for target in targets:
            figures.save_figure(figure, target)
    for written in (plot, out):
        if written is not None:
            click.echo(f"wrote {written}", err=True)
