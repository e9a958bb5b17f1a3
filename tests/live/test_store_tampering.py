"""Nothing is changed: the table refuses, and where somebody takes that away, the chain tells."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from servers import Server
from sidelight import DamagedError
from sidelight.live import rows, sqlite_file
from sidelight.live.events import check_chain, utc_now
from sidelight.live.store import Store, open_store
from stores import told


def engine_of(where: str) -> sa.Engine:
    """A connection past the store, as somebody with the password or the file has it."""
    if where.startswith("postgresql"):
        return sa.create_engine(where.replace("postgresql", "postgresql+psycopg", 1))
    return sqlite_file.engine(Path(where), read_only=False)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET body = '{}' WHERE n = 2",
        "UPDATE event SET n = 9 WHERE n = 2",
        "DELETE FROM event",
        "DELETE FROM event WHERE n = 3",
    ],
)
def test_the_table_refuses_changes(store: Store, where: str, statement: str) -> None:
    events = store.append("a", 0, told(1, 2, 3, key=None))
    engine = engine_of(where)
    with pytest.raises(sa.exc.DBAPIError, match="never changed or removed"), engine.begin() as c:
        c.exec_driver_sql(statement)
    engine.dispose()
    assert list(store.read("a")) == events


def tamper(connection: sa.Connection, how: str, count: int, rng: random.Random) -> int:
    """Change the chain behind everybody's back; where that should be found."""
    table = sa.table("event", *map(sa.column, ("n", "time", "type", "key", "body", "hash")))
    n = rng.randint(1, count - 1)

    def set_to(at: int, **values: object) -> None:
        connection.execute(table.update().where(table.c.n == at).values(**values))

    if how == "edit":
        field = rng.choice(["time", "type", "key", "body", "hash"])
        set_to(n, **{field: f"forged {rng.random()}"})
        return n
    if how == "drop":
        connection.execute(table.delete().where(table.c.n == n))
        return n
    if how == "insert":
        for later in range(count, n - 1, -1):
            set_to(later, n=later + 1)
        row = connection.execute(sa.text(f"SELECT hash FROM event WHERE n = {n + 1}")).one()
        forged = {"n": n, "time": utc_now(), "type": "told", "body": "{}", "hash": row.hash}
        connection.execute(sa.text(INSERT), forged)
        return n
    other = rng.choice([m for m in range(1, count + 1) if m != n])
    for old, new in ((n, 0), (other, n), (0, other)):
        set_to(old, n=new)
    return min(n, other)


INSERT = """INSERT INTO event (experiment, n, time, type, body, hash)
            VALUES ('a', :n, :time, :type, :body, :hash)"""
TRIGGERS = {
    "sqlite": [f"DROP TRIGGER event_{name}" for name in ("update", "delete", "replace")],
    "postgresql": ["ALTER TABLE event DISABLE TRIGGER event_change"],
}


@pytest.mark.parametrize("how", ["edit", "drop", "insert", "swap"])
def test_tampering_behind_the_triggers_is_found(store: Store, where: str, how: str) -> None:
    """250 each of four kinds: 1,000 on SQLite and 1,000 on PostgreSQL."""
    rng = random.Random(how)
    store.append("a", 0, [*told(*range(10)), *(told(n, key=f"k{n}")[0] for n in range(10))])
    engine = engine_of(where)
    found = 0
    for _ in range(250):
        with engine.connect() as connection:
            for statement in TRIGGERS[connection.dialect.name]:
                connection.exec_driver_sql(statement)
            n = tamper(connection, how, 20, rng)
            damage = check_chain(rows.read(connection, "a", -1, 100))
            found += damage is not None and damage.n == n
            connection.rollback()
    engine.dispose()
    assert found == 250
    assert check_chain(store.read("a")) is None


def test_a_file_refuses_to_replace_rows(tmp_path: Path) -> None:
    """INSERT OR REPLACE removes a row without asking the trigger for DELETE."""
    path = tmp_path / "events.db"
    with open_store(path) as store:
        events = store.append("a", 0, told(1, key="k"))
        engine = engine_of(str(path))
        for n, key in ((1, "l"), (2, "k")):
            new = f"VALUES ('a', {n}, 't', 'told', '{key}', '{{}}', 'h')"
            with pytest.raises(sa.exc.DBAPIError, match="never changed"), engine.begin() as c:
                c.exec_driver_sql(f"INSERT OR REPLACE INTO event {new}")
        engine.dispose()
        assert list(store.read("a")) == events


@pytest.mark.parametrize("value", ["x'ff'", "CAST(x'ff' AS TEXT)", "x'7b7d'"])
def test_bytes_in_a_file_are_found(tmp_path: Path, value: str) -> None:
    """SQLite keeps bytes in a column of text, and text that is none."""
    path = tmp_path / "events.db"
    with open_store(path) as store:
        store.append("a", 0, told(1, 2, 3))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER event_update")
        connection.execute(f"UPDATE event SET body = {value} WHERE n = 2")
        connection.commit()
    with open_store(path) as store:
        try:
            damage = check_chain(store.read("a"))
            assert damage is not None
            assert damage.n == 2
        except DamagedError as error:
            said = str(error)
            assert "restore a backup" in said


def test_a_server_refuses_to_empty_the_table(server: Server) -> None:
    with server.lend() as address, open_store(address) as store:
        events = store.append("a", 0, told(1, key="k"))
        engine = engine_of(address)
        for statement in (
            "TRUNCATE event",
            "INSERT INTO event SELECT * FROM event ON CONFLICT (experiment, n) DO UPDATE SET n = 2",
        ):
            with pytest.raises(sa.exc.DBAPIError, match="never changed"), engine.begin() as c:
                c.exec_driver_sql(statement)
        engine.dispose()
        assert list(store.read("a")) == events
