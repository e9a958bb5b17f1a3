"""Append events to a store in a file, and say on standard output what was acknowledged.

    python tests/appending.py PATH ROUNDS CHECKPOINT SEED [SYNCHRONOUS]

A round hands over one to four appends of one to three events to three experiments, waits for the
answers, and writes "experiment n" for the last event of each. Event n says n and has the key
"k<n>". After CHECKPOINT commits the log is moved into the database; now and then the store is
closed and opened again. SYNCHRONOUS replaces the store's own setting, to see what that is worth.
Exits as the command line does, with the message of an error on standard error.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

from sidelight import SidelightError
from sidelight.live import sqlite_file
from sidelight.live.events import Entry, check_chain
from sidelight.live.sqlite import SqliteStore
from sidelight.live.store import open_store

NAMES = ("a", "b", "c")


def entries(after: int, count: int, pad: int) -> list[Entry]:
    """The events that follow n."""
    return [
        Entry("told", {"n": n, "pad": "x" * pad}, f"k{n}")
        for n in range(after + 1, after + count + 1)
    ]


def work(path: Path, rounds: int, checkpoint: int, seed: int, say: Callable[[str], object]) -> None:
    """Append for so many rounds; `say` hears every acknowledgement."""
    rng = random.Random(seed)
    done = 0
    while done < rounds:
        with SqliteStore(path) as store:
            store._writing()._every = checkpoint
            last = {name: event.n if (event := store.last(name)) else 0 for name in NAMES}
            for _ in range(rng.randint(5, 40)):
                waiting = []
                for _ in range(rng.randint(1, 4)):
                    name, count = rng.choice(NAMES), rng.randint(1, 3)
                    new = entries(last[name], count, rng.choice([0, 10, 10, 3000]))
                    waiting.append((name, store.submit(name, last[name], new)))
                    last[name] += count
                for name, future in waiting:
                    say(f"{name} {future.result()[-1].n}\n")
                done += 1


def fault(where: str | Path, said: str) -> str:
    """What is wrong with a store to which that was said of it; "" where nothing is."""
    acknowledged = dict.fromkeys(NAMES, 0)
    acknowledged |= {name: int(n) for name, n in map(str.split, said.splitlines())}
    try:
        with open_store(where) as store:
            for name, least in acknowledged.items():
                events = list(store.read(name))
                if damage := check_chain(events):
                    return f"{name}: {damage.why}"
                if len(events) < least:
                    return f"{name}: {least} were acknowledged, {len(events)} are there"
                if any(
                    event.data["n"] != event.n or event.key != f"k{event.n}" for event in events
                ):
                    return f"{name}: an event is not what was appended"
    except SidelightError as error:
        return f"{type(error).__name__}: {error}"
    return ""


if __name__ == "__main__":
    path, (rounds, checkpoint, seed, *other) = Path(sys.argv[1]), map(int, sys.argv[2:])
    if other:
        sqlite_file.SETTINGS["synchronous"] = other[0]
    try:
        work(path, rounds, checkpoint, seed, lambda text: os.write(1, text.encode()))
    except SidelightError as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.exit(error.exit_code)
