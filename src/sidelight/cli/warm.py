"""`sidelight warm`: compile policies before they are used."""

from __future__ import annotations

import click

from .. import progress
from .completion import complete_policy
from .race import USUAL


@click.command("warm", short_help="Compile policies before they are used.")
@click.argument("policies", nargs=-1, metavar="[POLICY]...", shell_complete=complete_policy)
def warm_command(policies: tuple[str, ...]) -> None:
    """Compile policies now, so that their first race, trace or decision need not wait.

    Compiling a policy takes some seconds and is done once: the machine code is kept on disk for
    all later runs of the same version. Without POLICY, the usual policies of `sidelight race` are
    compiled; `all` stands for every policy.

    \b
        sidelight warm
        sidelight warm ids ucb-n
        sidelight warm all
    """
    from ..machine_code import cache_folder  # noqa: PLC0415 - numba takes half a second to import
    from ..policies import own, registry  # noqa: PLC0415
    from ..simulate.warming import warm  # noqa: PLC0415

    names = registry.names() if "all" in policies else policies or USUAL
    found = dict.fromkeys(own.find(name).rule for name in names)
    rules = [rule for rule in found if rule.is_compiled]
    with progress.of_steps("compiling") as tick:
        warm(rules, tick)
    click.echo(f"{len(rules)} policies are compiled; kept in {cache_folder()}", err=True)
