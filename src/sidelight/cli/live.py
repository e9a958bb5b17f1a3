"""`sidelight create | ask | tell | record | verdict | diagnose | state | adopt`: live decisions.

Each command opens the experiment, does one thing, and lets go of the file.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import InputError
from ..labels import Label, display
from ..numerals import finite
from .options import positive

if TYPE_CHECKING:
    from ..live.experiment import Experiment
    from ..live.learner import Decision
    from ..remote import Remote

STATES = ("running", "paused", "shadow", "closed")

file_argument = click.argument("file", metavar="FILE")
experiment_option = click.option(
    "-e",
    "--experiment",
    metavar="NAME",
    help="The experiment; needed where the file holds more than one.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
key_option = click.option(
    "--key",
    metavar="KEY",
    help="A name for this call: repeated with the same key, it counts once.",
)
url_option = click.option(
    "--url",
    metavar="URL",
    help="Ask the service there instead; FILE is then the name of the experiment, and the token is "
    "taken from SIDELIGHT_TOKEN.",
)
delta_option = click.option(
    "--delta",
    type=float,
    default=0.05,
    show_default=True,
    metavar="P",
    help="The probability of ever saying something wrong, over all looks together.",
)


class Asked(NamedTuple):
    """What all commands about an experiment take."""

    file: str
    name: str | None
    as_json: bool
    url: str | None = None

    def open(self, read_only: bool = False) -> Experiment:
        """The experiment in a file, or in a database."""
        from ..live.opening import open_experiment  # noqa: PLC0415 - it imports numba

        if self.url is not None:
            raise InputError("--url: this is not done over HTTP: use the file or the database")
        return open_experiment(self.file, experiment=self.name, read_only=read_only, brief=True)

    def reach(self, read_only: bool = False) -> Experiment | Remote:
        """The experiment, there or behind a service."""
        if self.url is None:
            return self.open(read_only)
        from ..remote import connect  # noqa: PLC0415 - only for this

        if self.name is not None:
            raise InputError("-e: with --url the first argument names the experiment")
        return connect(self.url, experiment=self.file, notice=partial(click.echo, err=True))

    def words(self, command: str) -> list[str]:
        """How another command about the same experiment begins."""
        named = [] if self.name is None else ["-e", shlex.quote(self.name)]
        there = [] if self.url is None else ["--url", shlex.quote(self.url)]
        return ["sidelight", command, shlex.quote(self.file), *named, *there]

    def show(self, data: Any, text: str) -> None:
        """The answer of the command."""
        show(self.as_json, data, text)


def of_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose first argument is an `Asked`."""

    @wraps(command)
    def wrapped(file: str, experiment: str | None, as_json: bool, **rest: Any) -> None:
        command(Asked(file, experiment, as_json, rest.pop("url", None)), **rest)

    for option in (json_option, experiment_option, file_argument):
        wrapped = option(wrapped)
    return wrapped


def values_of(words: Iterable[str]) -> dict[str, float]:
    """Values as people write them: A=0.4 B=1."""
    values = {}
    for word in words:
        label, equals, number = word.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = None
        if not equals or value is None:
            raise InputError(f"{word!r} is no value: write LABEL=NUMBER, such as A=0.4")
        if label in values:
            raise InputError(f"{label!r} is there twice: give each action one value")
        values[label] = value
    return values


def show(as_json: bool, data: Any, text: str) -> None:
    """The answer of a command."""
    click.echo(json.dumps(finite(data), indent=2, default=str) if as_json else text)


@click.command("create", short_help="Begin an experiment in a file.")
@of_a_file
@click.argument("problem", type=click.Path(path_type=Path))
@click.option("-p", "--policy", help="The policy that decides.  [default: ids]")
@click.option("-T", "--horizon", type=positive, metavar="N", help="The number of rounds, if known.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="S",
    help="The seed of all random numbers of the policy.  [default: 0]",
)
@click.option(
    "--patience",
    type=click.IntRange(min=0),
    metavar="N",
    help="Wait for the values of a decision during so many further decisions.  [default: for ever]",
)
def create_command(asked: Asked, problem: Path, policy: str | None, **given: Any) -> None:
    """Begin an experiment: the problem file says what each action shows of the others.

    FILE is made if it is not there; it may hold several experiments. It may also be the address of
    a PostgreSQL database, postgresql://user@host/database, which several processes can share. The
    means in a problem file are left out: the experiment is there to find out.

    \b
        sidelight create pricing.db prices.toml
        sidelight create pricing.db prices.toml -p ids --seed 7 --patience 200
    """
    from ..live.opening import open_experiment  # noqa: PLC0415 - it imports numba
    from ..problem import load  # noqa: PLC0415

    known = {name: value for name, value in given.items() if value is not None}
    begun = open_experiment(
        asked.file, load(problem), policy, experiment=asked.name, brief=True, **known
    )
    with begun as found:
        data = {"experiment": found.name, "policy": found.policy, "decisions": found.rounds}
        asked.show(data, f"{found.name}: {found.policy} decides; {found.rounds} decisions so far")
        click.echo(f"ask it: {' '.join(asked.words('ask'))}", err=True)


@click.command("ask", short_help="Ask an experiment what to do next.")
@of_a_file
@url_option
@key_option
def ask_command(asked: Asked, key: str | None) -> None:
    """Ask what to do next; the answer is kept before it is printed.

    \b
        sidelight ask pricing.db
        sidelight ask pricing.db --key visit-881 --json
        sidelight ask prices --url http://127.0.0.1:7733
    """
    with asked.reach() as found:
        decision = found.ask(key)
        shown = found.shown(decision.action)
    data = {**asdict(decision), "key": key, "shows": [str(label) for label in shown]}
    only = " (in shadow: do not carry it out)" if decision.shadow else ""
    asked.show(data, f"decision {decision.id}: {display(decision.label)} ({decision.why}){only}")
    _how_to_tell(asked, decision, shown)


def _how_to_tell(asked: Asked, decision: Decision, shown: tuple[Label, ...]) -> None:
    if decision.shadow:
        words = [*asked.words("record"), "ACTION", "LABEL=VALUE"]
        click.echo(f"record what was done: {' '.join(words)}", err=True)
    elif shown:
        values = [shlex.quote(f"{display(label)}=...") for label in shown[:4]]
        words = [*asked.words("tell"), str(decision.id), *values]
        click.echo(f"tell what it showed: {' '.join(words)}", err=True)


@click.command("tell", short_help="Tell an experiment what a decision showed.")
@of_a_file
@url_option
@click.argument("id", type=int)
@click.argument("values", nargs=-1, metavar="[LABEL=VALUE]...")
@key_option
@click.option("--last", is_flag=True, help="The rest of the values of this decision never comes.")
def tell_command(
    asked: Asked,
    id: int,  # noqa: A002 - the argument
    values: tuple[str, ...],
    key: str | None,
    last: bool,
) -> None:
    """Tell what a decision showed: now or late, all of it or a part, once or twice.

    \b
        sidelight tell pricing.db 17 9.99=1 12.99=0
        sidelight tell pricing.db 17 8.99=1 --key sale-4 --last
    """
    with asked.reach() as found:
        news = found.tell(id, values_of(values), key, last)
        awaited = [str(label) for label in found.pending.get(id, ())]
    data = {"id": id, "news": news, "awaited": awaited}
    waits = f"; awaited: {', '.join(awaited)}" if awaited else ""
    asked.show(data, f"decision {id}: {'taken' if news else 'nothing new'}{waits}")


@click.command("record", short_help="Record an action that was taken without asking.")
@of_a_file
@url_option
@click.argument("action")
@click.argument("values", nargs=-1, metavar="[LABEL=VALUE]...")
@key_option
def record_command(asked: Asked, action: str, values: tuple[str, ...], key: str | None) -> None:
    """Record an action that was taken without asking, and what it showed.

    \b
        sidelight record pricing.db 9.99 9.99=1 8.99=1 --key import-17
    """
    with asked.reach() as found:
        news = found.record(action, values_of(values), key)
    asked.show({"action": action, "news": news}, "recorded" if news else "nothing new")


@click.command("verdict", short_help="Which action is best, and whether to stop.")
@of_a_file
@url_option
@delta_option
def verdict_command(asked: Asked, delta: float) -> None:
    """Say which action is best, which are ruled out, and whether to stop.

    Look as often as you like: all looks together are wrong with probability P at most.

    \b
        sidelight verdict pricing.db
        sidelight verdict pricing.db --delta 0.01 --json
    """
    with asked.reach(read_only=True) as found:
        verdict = found.verdict(delta)
    data = asdict(verdict)
    data["intervals"] = {str(label): ends for label, ends in verdict.intervals.items()}
    asked.show(data, str(verdict))


@click.command("diagnose", short_help="Whether the values are as noisy as was declared.")
@of_a_file
@url_option
@delta_option
def diagnose_command(asked: Asked, delta: float) -> None:
    """Say whether values are as noisy as declared, and side values as good as direct ones.

    Exit code 3 says that something is not as declared.

    \b
        sidelight diagnose pricing.db
    """
    with asked.reach(read_only=True) as found:
        diagnosis = found.diagnose(delta)
    asked.show(asdict(diagnosis), str(diagnosis))
    if diagnosis.accused:
        click.get_current_context().exit(3)


@click.command("state", short_help="Run, pause, shadow or close an experiment.")
@of_a_file
@url_option
@click.argument("state", type=click.Choice(STATES), required=False)
def state_command(asked: Asked, state: str | None) -> None:
    """Show the state of an experiment, or change it.

    \b
        running   it decides
        paused    it takes values, and makes no decisions
        shadow    its decisions are for trial: do not carry them out, record what was done instead
        closed    it takes nothing any more: there is no way back

    \b
        sidelight state pricing.db
        sidelight state pricing.db paused
    """
    with asked.reach(read_only=state is None) as found:
        changed = state is not None and found.set_state(state)
        data = {
            "experiment": found.name,
            "state": found.state,
            "changed": changed,
            "policy": found.policy,
            "decisions": found.rounds,
            "awaited": len(found.pending),
        }
    asked.show(
        data,
        f"{data['experiment']}: {data['state']}, {data['decisions']} decisions, "
        f"{data['awaited']} of them awaited; {data['policy']} decides",
    )


@click.command("adopt", short_help="Keep what was learnt, and let a policy begin afresh.")
@of_a_file
@click.option("-p", "--policy", help="Another policy.  [default: the same]")
def adopt_command(asked: Asked, policy: str | None) -> None:
    """Keep what was learnt, and let the policy, or another one, go on from its beginning.

    An experiment is never continued silently by another edition of its policy: `ask` refuses, and
    this command goes on. It is an event that an audit shows.

    \b
        sidelight adopt pricing.db
        sidelight adopt pricing.db -p ucb-n
    """
    with asked.open() as found:
        found.adopt(policy)
        data = {"experiment": found.name, "policy": found.policy}
    asked.show(data, f"{data['experiment']}: {data['policy']} decides from here on")


COMMANDS = (
    create_command,
    ask_command,
    tell_command,
    record_command,
    verdict_command,
    diagnose_command,
    state_command,
    adopt_command,
)
