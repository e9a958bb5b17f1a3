"""What the event store costs, beside bare SQLite and bare SHA-256 in the same run.

    python benchmarks/store.py [postgresql://...]

Appends of one event, as a decision of ten actions is: one caller who waits for each answer, 32 who
do, and one who hands over 3,000 and waits at the end. Bare SQLite has the same settings and commits
each row by itself. Then a store of 100,000 events: opening it, reading it, checking its chain
against hashing the same bytes. The best of three turns, since the machine is shared.
"""

from __future__ import annotations

import hashlib
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

from sidelight.live.events import Entry, check_chain, follow, utc_now
from sidelight.live.sqlite import SqliteStore
from sidelight.live.store import Store, open_store

BODY = {"action": "B", "why": "explore", "estimates": [[i / 7, i / 11] for i in range(10)]}
ALONE, CALLERS, EACH, AT_ONCE, MANY, TURNS = 300, 32, 30, 3000, 100_000, 3
names = (f"e{i}" for i in count())


def seconds(work: Callable[[], object]) -> float:
    """How long it takes at best."""
    taken = []
    for _ in range(TURNS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def entry(i: int) -> list[Entry]:
    """One decision."""
    return [Entry("decided", BODY, f"visit-{i}")]


def one_by_one(store: Store, appends: int = ALONE) -> None:
    """One caller, who waits for each answer."""
    name = next(names)
    for n in range(appends):
        store.append(name, n, entry(n))


def callers(store: Store) -> None:
    """Many of those at once."""
    with ThreadPoolExecutor(CALLERS) as pool:
        for waiting in [pool.submit(one_by_one, store, EACH) for _ in range(CALLERS)]:
            waiting.result()


def at_once(store: Store) -> None:
    """One caller, who waits at the end."""
    name = next(names)
    for waiting in [store.submit(name, n, entry(n)) for n in range(AT_ONCE)]:
        waiting.result()


def bare(folder: Path) -> Callable[[], None]:
    """Rows into SQLite, each committed by itself."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE event (experiment, n, body, PRIMARY KEY (experiment, n))")

    def work() -> None:
        name = next(names)
        for n in range(ALONE):
            row = (name, n, "x" * 500)
            connection.execute("INSERT INTO event VALUES (?, ?, ?)", row)

    return work


def say(what: str, count: int, taken: float, more: str = "") -> None:
    """A line of the table."""
    sys.stdout.write(f"{what:<44} {count / taken:>10,.0f} a second {more}\n")


def appends(folder: Path) -> None:
    """Appends a second, in a file."""
    say("bare SQLite, one commit for each row", ALONE, seconds(bare(folder)))
    with SqliteStore(folder / "events.db") as store:
        for what, work, size in (
            ("one caller", lambda: one_by_one(store), ALONE),
            (f"{CALLERS} callers", lambda: callers(store), CALLERS * EACH),
            (f"{AT_ONCE:,} handed over at once", lambda: at_once(store), AT_ONCE),
        ):
            before = store.commits
            taken = seconds(work)
            commits = (store.commits - before) / TURNS
            say(f"store in a file, {what}", size, taken, f"({size / commits:.1f} in a commit)")


def many(folder: Path) -> None:
    """A long chain: opening, reading, checking."""
    path = folder / "many.db"
    made = follow("a", None, 0, [entry(n)[0] for n in range(MANY)], utc_now())
    with SqliteStore(path) as store:
        store._take_over(made)
    whole = [repr(event).encode() for event in made]

    def hash_alone() -> None:
        for content in whole:
            hashlib.sha256(content).hexdigest()

    opened = seconds(lambda: open_store(path).close())
    with open_store(path) as again:
        reading = seconds(lambda: sum(1 for _ in again.read("a")))
    checking, hashing = seconds(lambda: check_chain(made)), seconds(hash_alone)
    sys.stdout.write(
        f"{MANY:,} events, {path.stat().st_size / 1e6:.0f} MB: opened and closed in "
        f"{1000 * opened:.0f} ms, read in {reading:.2f} s, chain checked in {checking:.2f} s, "
        f"hashing alone {hashing:.2f} s, ratio {checking / hashing:.1f}\n"
    )


def server(address: str) -> None:
    """The same on a server."""
    with open_store(address) as store:
        say("store on a server, one caller", ALONE, seconds(lambda: one_by_one(store)))
        say(
            f"store on a server, {CALLERS} callers", CALLERS * EACH, seconds(lambda: callers(store))
        )


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        appends(Path(folder))
        many(Path(folder))
    for address in sys.argv[1:]:
        server(address)


if __name__ == "__main__":
    main()
