"""Kill a process that appends, at random moments, again and again, and look at what it left.

    python tests/store_kills.py WHERE KILLS SEED

In every run two threads append, each to an experiment of its own, one by one, in turns, or several
at once, and say what was acknowledged. After each kill the store is opened: all that was ever
acknowledged is there, nothing is there twice, every chain is whole, and no more was kept than was
under way. Prints what it did as JSON; exits with 1 at the first fault.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from collections.abc import Callable
from functools import partial
from itertools import count

from appending import entries
from killing import killed
from sidelight.live.events import check_chain
from sidelight.live.sqlite import SqliteStore
from sidelight.live.store import Store, open_store

THREADS = 2
MOST = 3  # events in an append


def append(store: Store, name: str, rng: random.Random, say: Callable[[str], object]) -> None:
    """Append for ever."""
    last = store.last(name)
    n = last.n if last else 0
    for _ in count():
        size = rng.randint(1, MOST)
        new = entries(n, size, rng.choice([0, 2000]))
        if rng.random() < 0.5:
            with store.turn(name) as turn:
                turn.append(n, new)
        else:
            store.append(name, n, new)
        n += size
        say(f"{name} {n}\n")


def work(where: str, seed: int, said: int) -> None:
    """Threads that append, each to an experiment of its own."""
    store = open_store(where)
    if isinstance(store, SqliteStore):
        store._writing()._every = 5

    def say(text: str) -> None:
        os.write(said, text.encode())

    for i in range(THREADS):
        rng = random.Random(f"{seed} {i}")
        threading.Thread(target=append, args=(store, f"e{i}", rng, say)).start()


def look(where: str, acknowledged: dict[str, int]) -> dict[str, int]:
    """How many events each experiment has; an error where one is missing or wrong."""
    found = {}
    with open_store(where) as store:
        for name in (f"e{i}" for i in range(THREADS)):
            with store.turn(name) as turn:  # after whatever a server still does for the dead
                events = list(turn.read())
            found[name] = len(events)
            damage = check_chain(events)
            assert damage is None, damage
            assert all(event.data["n"] == event.n for event in events), "an event is wrong"
            assert len({event.key for event in events}) == len(events), "an event is there twice"
            assert len(events) >= acknowledged.get(name, 0), "an acknowledged event is lost"
            assert len(events) <= acknowledged.get(name, 0) + MOST, "nobody appended so much"
    return found


def main(where: str, kills: int, seed: int) -> dict[str, int]:
    """Kill so often; what happened."""
    rng = random.Random(seed)
    done = {"killed": 0, "before the first append": 0, "acknowledged": 0, "kept without": 0}
    known: dict[str, int] = {}
    for run in range(kills):
        said = killed(partial(work, where, run), where, run, rng)
        acknowledged = known | {name: int(n) for name, n in map(str.split, said)}
        found = look(where, acknowledged)
        done["killed"] += 1
        done["before the first append"] += not said
        done["acknowledged"] += sum(acknowledged.values()) - sum(known.values())
        done["kept without"] += sum(found.values()) - sum(acknowledged.values())
        known = found
    return done


if __name__ == "__main__":
    result = main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(json.dumps(result))
