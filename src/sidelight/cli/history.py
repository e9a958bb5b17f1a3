"""`sidelight events | export | audit | backup | restore`: what happened in an experiment."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import DamagedError, InputError
from ..labels import display
from ..writing import replace
from .live import (
    Asked,
    experiment_option,
    file_argument,
    json_option,
    of_a_file,
    show,
    url_option,
)
from .options import check_output, force_option

if TYPE_CHECKING:
    from ..live.events import Event, Head

COLUMNS = ("n", "time", "type", "key", "id", "action", "why", "observed", "value")


@click.command("events", short_help="Show what happened in an experiment.")
@of_a_file
@url_option
@click.option(
    "--after", type=click.IntRange(min=0), default=0, metavar="N", help="Leave out the first N."
)
def events_command(asked: Asked, after: int) -> None:
    """Show what happened in an experiment, event by event; all of it is kept for ever.

    \b
        sidelight events pricing.db | tail
        sidelight events pricing.db --after 120 --json
    """
    with asked.reach(read_only=True) as found:
        events = map(_event, found.events(after))
        lines = _as_json(events) if asked.as_json else map(_line, events)
        for line in lines:
            click.echo(line)


def _event(found: Event | dict[str, Any]) -> Event:
    """An event, also one that came over HTTP."""
    from ..live.events import Event, write_body  # noqa: PLC0415

    if isinstance(found, Event):
        return found
    return Event(**{**found, "body": write_body(found["body"])})


def _as_json(events: Iterable[Event]) -> Iterator[str]:
    from ..live.exchange import to_lines  # noqa: PLC0415

    return to_lines(events)


def _line(event: Event) -> str:
    """An event for people; arrays of numbers are of no interest to them."""
    try:
        data = event.data
    except InputError as error:
        raise DamagedError(f"event {event.n}: {error}") from None
    hidden = {"parameters", "memory", "problem", "format"}
    body = " ".join(f"{name}={_short(value)}" for name, value in data.items() if name not in hidden)
    key = f" key={display(event.key)}" if event.key is not None else ""
    return f"{event.n:>6}  {event.time[:19]}  {event.type:<8}{key} {body}".rstrip()


def _short(value: Any) -> str:
    return display(value) if isinstance(value, str) else json.dumps(value)


@click.command("export", short_help="Write an experiment as lines of JSON, or as CSV.")
@of_a_file
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--csv", "as_csv", is_flag=True, help="A table with a row for each value.")
@force_option
def export_command(asked: Asked, output: Path | None, as_csv: bool, force: bool) -> None:
    """Write all events of an experiment; the lines of JSON carry the chain, and `restore` takes
    them. The CSV is a table for other programs, with a row for each decision and each value.

    \b
        sidelight export pricing.db -o pricing.ndjson
        sidelight export pricing.db --csv -o pricing.csv
    """
    if output is not None:
        check_output(output, force)
    if as_csv and asked.as_json:
        raise InputError("--csv and --json: choose one")
    with asked.open(read_only=True) as found:
        lines = _table(found.events()) if as_csv else found.store.export(found.name)
        if output is None:
            for line in lines:
                click.echo(line)
        else:
            replace(output, "".join(f"{line}\n" for line in lines).encode())
            click.echo(f"wrote {output}", err=True)


def _table(events: Iterable[Event]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="", restval="")
    writer.writeheader()
    yield text.getvalue()
    for event in events:
        data = event.data
        common = {"n": event.n, "time": event.time, "type": event.type, "key": event.key}
        about: dict[str, Any] = {k: data[k] for k in ("id", "action", "why") if k in data}
        values = data.get("values") or {None: ""}
        for observed, value in values.items():
            text.seek(0)
            text.truncate()
            writer.writerow({**common, **about, "observed": observed, "value": value})
            yield text.getvalue()


@click.command("audit", short_help="Check an experiment: its chain, and every decision again.")
@file_argument
@click.argument("experiment", required=False)
@click.option("-e", "--experiment", "named", metavar="NAME", help="The same, as in other commands.")
@click.option("--head", metavar="N:HASH", help="The last event, as somebody noted it elsewhere.")
@json_option
@click.pass_context
def audit_command(
    context: click.Context, /, file: str, head: str | None, as_json: bool, **names: str | None
) -> None:
    """Check whether an experiment is as it was written, and make every decision again.

    \b
        clean        exit 0: the events are whole, and the policy decides as they say
        damaged      exit 4: from some event on they are not as they were written
        differs      exit 3: a decision is not what the policy would have decided
        other code   exit 3: other code or another machine decided; says what to install

    Note the last event and its hash elsewhere: with --head the audit also finds whether events are
    missing at the end.

    \b
        sidelight audit pricing.db
        sidelight audit pricing.db prices --head 1204:5f0c...
    """
    from ..live.audit import CODES  # noqa: PLC0415 - it imports numba

    noted = None if head is None else _head(head)
    asked = Asked(file, names["named"] or names["experiment"], as_json)
    with asked.open(read_only=True) as found:
        result = found.audit(noted)
    asked.show(asdict(result), str(result))
    context.exit(CODES[result.outcome])


def _head(text: str) -> Head:
    from ..live.events import Head  # noqa: PLC0415

    n, _, digest = text.partition(":")
    if not (n.isascii() and n.isdigit()) or len(digest) != 64:
        raise InputError(f"--head {text}: write N:HASH, as `sidelight audit` prints it")
    return Head(int(n), digest.lower())


@click.command("backup", short_help="Copy all experiments into a new file, while they run.")
@file_argument
@click.argument("copy", type=click.Path(path_type=Path))
@json_option
def backup_command(file: str, copy: Path, as_json: bool) -> None:
    """Copy all experiments into a new file, which can be opened as it is. Nobody has to wait.

    \b
        sidelight backup pricing.db monday.db
    """
    from ..live.store import open_store  # noqa: PLC0415 - SQLAlchemy takes a moment

    with open_store(file, read_only=True) as store:
        store.backup(copy)
        names = store.experiments()
    show(
        as_json, {"copy": str(copy), "experiments": names}, f"{copy}: {', '.join(names) or 'empty'}"
    )


@click.command("restore", short_help="Take experiments over from a backup or an export.")
@click.argument("source", type=click.Path(path_type=Path))
@file_argument
@experiment_option
@json_option
def restore_command(source: Path, file: str, experiment: str | None, as_json: bool) -> None:
    """Take experiments over into FILE from a backup, or from lines of JSON that `export` wrote.

    Their chains are checked first. If FILE has one of them already, nothing is taken over.

    \b
        sidelight restore monday.db new.db
        sidelight restore pricing.ndjson new.db
    """
    from ..live.exchange import to_lines  # noqa: PLC0415
    from ..live.store import open_store  # noqa: PLC0415 - SQLAlchemy takes a moment

    if not source.is_file():
        raise InputError(f"{source}: no such file")
    exports = _exports(source, experiment)
    with open_store(file) as store:
        names = [events[0].experiment for events in exports]
        for name in names:
            if store.last(name) is not None:
                raise InputError(f"{name} is here already: choose others with -e; nothing is taken")
        for events in exports:
            store.load(to_lines(events))
    show(as_json, {"restored": names}, f"restored: {', '.join(names)}")


def _exports(source: Path, experiment: str | None) -> list[list[Event]]:
    """The events of each experiment in a backup, or of the one in an export; chains are checked."""
    from ..live.exchange import from_lines  # noqa: PLC0415
    from ..live.store import open_store  # noqa: PLC0415

    with source.open("rb") as content:
        is_store = content.read(16) == b"SQLite format 3\0"
    if is_store:
        with open_store(source, read_only=True) as other:
            names = [experiment] if experiment else other.experiments()
            return [from_lines(other.export(name)) for name in names]
    if experiment:
        raise InputError("-e: an export holds one experiment: leave it out")
    with source.open(encoding="utf-8", errors="replace") as lines:
        return [from_lines(lines)]


COMMANDS = (events_command, export_command, audit_command, backup_command, restore_command)
