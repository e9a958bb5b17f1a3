"""What is asked of the table, the same for both databases, in the transaction of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from ..errors import ConflictError
from .events import Entry, Event, Head, follow
from .schema import event

PAGE = 1000  # events in a question: no reader holds on to the database while its caller thinks

_columns = [event.c[name] for name in Event.__dataclass_fields__]
_of = event.c.experiment == sa.bindparam("experiment")
_page = (
    sa.select(*_columns)
    .where(_of, event.c.n > sa.bindparam("after"))
    .order_by(event.c.n)
    .limit(sa.bindparam("limit"))
)
_last = sa.select(*_columns).where(_of).order_by(event.c.n.desc()).limit(1)
_find = sa.select(*_columns).where(
    _of, event.c.type == sa.bindparam("type"), event.c.key == sa.bindparam("key")
)
_find_any = (
    sa.select(*_columns)
    .where(
        _of,
        event.c.type == sa.bindparam("type"),
        event.c.key.in_(sa.bindparam("keys", expanding=True)),
    )
    .limit(1)  # in no order: for one by n, SQLite would read all events of the experiment
)
_insert = event.insert()


def read(connection: sa.Connection, experiment: str, after: int, limit: int) -> list[Event]:
    """The next events after n, in their order."""
    asked = {"experiment": experiment, "after": after, "limit": limit}
    return [Event(*row) for row in connection.execute(_page, asked)]


def last(connection: sa.Connection, experiment: str) -> Event | None:
    """The last event of an experiment."""
    return _one(connection, _last, {"experiment": experiment})


def find(connection: sa.Connection, experiment: str, kind: str, key: str) -> Event | None:
    """The event of that type with that key."""
    return _one(connection, _find, {"experiment": experiment, "type": kind, "key": key})


def experiments(connection: sa.Connection) -> Iterator[str]:
    """Their names in order, by one step in the index for each."""
    least = sa.select(sa.func.min(event.c.experiment))
    name = connection.scalar(least)
    while name is not None:
        yield name
        name = connection.scalar(least.where(event.c.experiment > name))


def append(
    connection: sa.Connection,
    experiment: str,
    after: int,
    entries: Sequence[Entry],
    time: str,
    before: Event | None = None,
) -> list[Event]:
    """Append all entries or none; `ConflictError` where the number or a key is taken.

    Whoever repeats an append that was kept gets its event, whatever came after. `before` is the
    last event, if the caller knows it.
    """
    before = before or last(connection, experiment)
    # Of several rows, too: psycopg logs a warning where one of many cannot be inserted.
    if after != (before.n if before else 0) or len(entries) > 1:
        refuse_any_taken(connection, experiment, entries)
    events = follow(experiment, before, after, entries, time)
    insert(connection, events)
    return events


def refuse_taken(
    known: Callable[[str, str], Event | None], entries: Sequence[Entry | Event]
) -> None:
    """`ConflictError` with the event that has the key of one of these, where there is one."""
    for entry in entries:
        found = known(entry.type, entry.key) if entry.key is not None else None
        if found:
            raise _taken(found)


def refuse_any_taken(connection: sa.Connection, experiment: str, entries: Sequence[Entry]) -> None:
    """The same with one question for each type and many keys."""
    by_type: dict[str, list[str]] = {}
    for entry in entries:
        if entry.key is not None:
            by_type.setdefault(entry.type, []).append(entry.key)
    for kind, keys in by_type.items():
        for start in range(0, len(keys), PAGE):
            some = keys[start : start + PAGE]
            asked: dict[str, Any] = {"experiment": experiment, "type": kind, "keys": some}
            if found := _one(connection, _find_any, asked):
                raise _taken(found)


def _taken(found: Event) -> ConflictError:
    said = f"{found.experiment}: event {found.n} ({found.type}) has the key {found.key!r}"
    error = ConflictError(f"{said} already: take it for the answer, or choose another key")
    error.event = found
    return error


def insert(connection: sa.Connection, events: Sequence[Event]) -> None:
    """Insert all or none, in a savepoint; `ConflictError` where a number or a key is taken."""
    connection.exec_driver_sql("SAVEPOINT one")  # begin_nested() costs as much as all the rest
    try:
        connection.execute(_insert, [vars(row) for row in events])
    except sa.exc.IntegrityError:
        connection.exec_driver_sql("ROLLBACK TO one")
        connection.exec_driver_sql("RELEASE one")
        name, n = events[0].experiment, events[0].n
        refuse_taken(lambda kind, key: find(connection, name, kind, key), events)
        raise ConflictError(f"{name}: there is an event {n} already: read it first") from None
    except sa.exc.DBAPIError:
        raise  # of the whole transaction, which is lost
    except BaseException:
        connection.exec_driver_sql("ROLLBACK TO one")
        connection.exec_driver_sql("RELEASE one")
        raise
    connection.exec_driver_sql("RELEASE one")


def insert_after(
    connection: sa.Connection, before: Event | Head | None, events: list[Event]
) -> None:
    """Insert events that were made to follow `before`, if it is still the last."""
    name = events[0].experiment
    found = last(connection, name)
    n, hash_before = (before.n, before.hash) if before else (0, None)
    if (found.n, found.hash) != (n, hash_before) if found else before is not None:
        raise ConflictError(f"{name}: another event came after {n} meanwhile: read it, and repeat")
    insert(connection, events)


def _one(connection: sa.Connection, question: Any, asked: dict[str, Any]) -> Event | None:
    row = connection.execute(question, asked).first()
    return None if row is None else Event(*row)
