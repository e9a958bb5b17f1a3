"""What only the store on a server does: several processes, lost connections, other settings."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from proxies import wired
from servers import Server
from sidelight import ConflictError, InputError, StoreError, UnknownOutcomeError
from sidelight.live import postgres, sql, sqlite
from sidelight.live.events import check_chain
from sidelight.live.postgres import PostgresStore
from sidelight.live.store import Store, open_store
from stores import told


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    with server.lend() as lent:
        yield lent


def database(address: str) -> str:
    return address.rpartition("/")[2]


# ---- several processes ---------------------------------------------------------------------------

GUESS = """
import json, sys
from sidelight import ConflictError
from sidelight.live.events import Entry
from sidelight.live.store import open_store
where, me, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
made, conflicts = [], 0
with open_store(where) as store:
    for i in range(rounds):
        entry = Entry("told", {"who": me, "i": i}, f"{me}-{i}")
        if i % 2:
            with store.turn("shared") as turn:
                last = turn.last()
                (event,) = turn.append(last.n if last else 0, [entry])
        else:
            while True:
                last = store.last("shared")
                try:
                    (event,) = store.append("shared", last.n if last else 0, [entry])
                    break
                except ConflictError:
                    conflicts += 1
        made.append([event.n, i])
print(json.dumps({"made": made, "conflicts": conflicts}))
"""


def together(address: str, processes: int, rounds: int) -> list[dict[str, list[list[int]]]]:
    """So many processes at once, from an empty database on; what each one made."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", GUESS, address, str(me), str(rounds)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for me in range(processes)
    ]
    said = [process.communicate(timeout=600)[0] for process in running]
    assert [process.returncode for process in running] == [0] * processes
    return [json.loads(text) for text in said]


def check_together(address: str, processes: int, rounds: int) -> int:
    """No gap, no number twice, and everybody's events in their order; how many conflicts."""
    found = together(address, processes, rounds)
    with open_store(address) as store:
        events = list(store.read("shared"))
    assert [event.n for event in events] == list(range(1, processes * rounds + 1))
    assert check_chain(events) is None
    for me, one in enumerate(found):
        mine = [[event.n, event.data["i"]] for event in events if event.data["who"] == str(me)]
        assert mine == one["made"]
        assert [i for _, i in mine] == list(range(rounds))
    return sum(int(str(one["conflicts"])) for one in found)


def test_four_processes_leave_no_gap(address: str) -> None:
    check_together(address, 4, 30)


@pytest.mark.campaign
def test_four_processes_for_long(address: str) -> None:
    conflicts = check_together(address, 4, 2000)
    sys.stdout.write(f"8000 events, {conflicts} conflicts\n")


def test_a_turn_sees_what_another_process_wrote(address: str) -> None:
    with open_store(address) as one, open_store(address) as other:
        other.append("a", 0, told(1, 2))
        with one.turn("a") as turn:
            assert [event.n for event in turn.read()] == [1, 2]
            turn.append(2, told(3))
        with pytest.raises(ConflictError, match="the last event is 3, not 2"):
            other.append("a", 2, told(4))


def test_nobody_waits_for_ever(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """On both databases: a turn inside a turn of the same experiment would wait for itself."""
    for module in (sql, sqlite, postgres):
        monkeypatch.setattr(module, "TURN", 1.0)
    if isinstance(store, PostgresStore):
        place = store._engine.url.render_as_string(hide_password=False)
        store = open_store(place.replace("+psycopg", ""))
    with (
        store.turn("a") as turn,
        pytest.raises(StoreError, match="another turn has lasted 1 s: end it first"),
        store.turn("a"),
    ):
        pytest.fail("two turns at once")
    assert turn.last is not None
    store.close()


# ---- lost connections ----------------------------------------------------------------------------


def end_connections(server: Server, address: str) -> None:
    """As if the server had been told to end them."""
    name = database(address)
    server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")


def test_a_connection_lost_in_a_turn_keeps_nothing(server: Server, address: str) -> None:
    with open_store(address) as store:
        store.append("a", 0, told(1))

        def lose() -> None:
            with store.turn("a") as turn:
                turn.append(1, told(2))
                end_connections(server, address)
                turn.append(2, told(3))

        with pytest.raises(
            StoreError, match=r"the connection was lost .*nothing was kept"
        ) as error:
            lose()
        assert not isinstance(error.value, UnknownOutcomeError)
        assert "\n" not in str(error.value)
        assert [event.n for event in store.append("a", 1, told(2))] == [2]


def test_a_connection_lost_between_appends_is_made_again(server: Server, address: str) -> None:
    with open_store(address) as store:
        store.append("a", 0, told(1))
        end_connections(server, address)
        assert store.append("a", 1, told(2))[0].n == 2
        end_connections(server, address)
        assert len(list(store.read("a"))) == 2


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_commit_whose_outcome_is_unknown_is_said_to_be_that(
    server: Server, address: str, cut: str
) -> None:
    """The caller repeats with the same key: the event is there once, wherever the wire was cut."""
    place = database(address)
    with wired(server.port) as wire, open_store(server.address(place, wire.own)) as store:
        store.append("a", 0, told(1))
        wire.cut = cut
        with pytest.raises(UnknownOutcomeError, match="not known: repeat it with the same key"):
            store.append("a", 1, told(2, key="k"))
        wire.cut = ""
        assert wire.cuts == 1
        if cut == "after":
            with pytest.raises(ConflictError) as caught:
                store.append("a", 1, told(2, key="k"))
            assert caught.value.event.n == 2
        else:
            assert store.append("a", 1, told(2, key="k"))[0].n == 2
        assert [event.data["x"] for event in store.read("a")] == [1, 2]


def test_a_server_that_is_gone_is_named_without_its_password(server: Server) -> None:
    with server.lend() as address, wired(server.port) as wire:
        store = open_store(server.address(database(address), wire.own))
        wire.port = 1  # nobody listens there
        end_connections(server, address)
        for ask in (lambda: store.last("a"), lambda: store.append("a", 0, told(1))):
            with pytest.raises(StoreError) as caught:
                ask()
            said = str(caught.value)
            assert "keeper:***@127.0.0.1" in said
            assert server.password not in said
        store.close()


# ---- opening -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place", ["postgresql://u:secret@127.0.0.1:1/x", "postgres://127.0.0.1:1/x"]
)
def test_no_server(place: str) -> None:
    with pytest.raises(InputError, match=r"no connection .* whether the server runs") as caught:
        open_store(place)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_address() -> None:
    with pytest.raises(InputError, match="no address: it is postgresql://user@host"):
        open_store("postgresql://host:port/x")


def test_a_table_of_somebody_else(server: Server, address: str) -> None:
    server.run("CREATE TABLE event (name text); CREATE TABLE other (x int)", database(address))
    with pytest.raises(InputError, match=r"a database of something else \(event\)"):
        open_store(address)


def test_other_tables_are_no_matter(server: Server, address: str) -> None:
    server.run("CREATE TABLE other (x int)", database(address))
    with open_store(address) as store:
        assert store.append("a", 0, told(1))[0].n == 1


def test_a_newer_schema(server: Server, address: str) -> None:
    open_store(address).close()
    server.run("UPDATE sidelight_schema SET version_num = '9999'", database(address))
    with pytest.raises(InputError, match=r"newer sidelight \(step 9999\)"):
        open_store(address)


def test_an_encoding_that_cannot_hold_every_key(server: Server) -> None:
    name = server.new("ENCODING 'SQL_ASCII' LOCALE 'C'")
    with pytest.raises(InputError, match="server_encoding is SQL_ASCII, not UTF8"):
        open_store(server.address(name))


def test_a_server_that_does_not_sync_is_refused(server: Server, address: str) -> None:
    def sync(value: str) -> None:
        server.run(f"ALTER SYSTEM SET fsync = {value}")
        server.run("SELECT pg_reload_conf()")
        for _ in range(1000):
            with psycopg.connect(address) as connection:
                found = connection.execute("SHOW fsync").fetchone()
            if found == (value,):
                return
        pytest.fail("the server did not take the setting")

    sync("off")
    try:
        with pytest.raises(InputError, match="fsync is off, not on: what it acknowledged might"):
            open_store(address)
    finally:
        sync("on")


def test_commits_are_synced_whatever_the_database_says(server: Server, address: str) -> None:
    server.run(f"ALTER DATABASE {database(address)} SET synchronous_commit = off")
    try:
        with open_store(address) as store:
            assert isinstance(store, PostgresStore)
            with store._reading() as connection:
                assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
    finally:
        server.run(f"ALTER DATABASE {database(address)} RESET synchronous_commit")


def test_a_user_without_rights_is_told_so(server: Server, address: str, tmp_path: Path) -> None:
    server.run("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    place = f"postgresql://guest:guest@127.0.0.1:{server.port}/{database(address)}"
    try:
        with pytest.raises(InputError, match="this user lacks a right in the database: grant it"):
            open_store(place)
        with open_store(address) as store:
            store.append("a", 0, told(1))
        with pytest.raises(InputError, match="lacks a right"):
            open_store(place)
        assert list(tmp_path.iterdir()) == []
    finally:
        server.run("DROP ROLE guest")
