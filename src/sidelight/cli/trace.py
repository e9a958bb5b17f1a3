"""`sidelight trace`: every round of one run, written down."""

from __future__ import annotations

from pathlib import Path

import click

from ..simulate import trace
from .completion import complete_policy
from .options import check_output, count, force_option, read_problem, seed_option, warn


@click.command("trace", short_help="Write down every round of one run.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-p",
    "--policy",
    required=True,
    metavar="POLICY",
    shell_complete=complete_policy,
    help="The policy: name or name:parameter=value,...; your own as file.py:Name or "
    "package.module:Name.",
)
@click.option(
    "-T",
    "--horizon",
    type=count,
    default="1000",
    show_default=True,
    metavar="N",
    help="The number of rounds.",
)
@seed_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write to this file instead of stdout.",
)
@force_option
def trace_command(
    file: Path, policy: str, horizon: int, seed: int, output: Path | None, force: bool
) -> None:
    """Write down every round of one run: the action, the reason for the action, the values seen.

    The output is JSON Lines: a header, then one line for each round. The run is the first run
    (replicate 0) of a race with the same problem, policy, rounds and seed. With a trace, anybody
    can check that a policy followed its rule.

    \b
        sidelight trace dosing.toml -p greedy -T 20
        sidelight trace dosing.toml -p ucb-n:exploration=0.5 -T 1e5 --seed 1 -o run.jsonl
    """
    problem, _ = read_problem(file)
    if output is not None:
        check_output(output, force)
    from ..policies.own import find  # noqa: PLC0415 - numba takes half a second to import

    chosen = find(policy)
    warn(problem, [chosen], horizon)
    run = trace(problem, chosen, horizon, seed)
    if output is None:
        for line in run.lines():
            click.echo(line)
        return
    run.save(output)
    click.echo(f"wrote {output}", err=True)
