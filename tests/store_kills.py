"""Kill a process that appends, at random moments, again and again, and look at what it left.

    python tests/store_kills.py WHERE KILLS SEED

Every run is a process of its own, ended by SIGKILL after a random time, every other one not before
it said something, so that busy machines get there, too; two threads append, each to
experiments of its own, one by one, in turns, or several at once, and say in a pipe what was
acknowledged. After each kill the store is opened: all that was ever acknowledged is there, nothing
is there twice, every chain is whole, and no more was kept than was under way. Prints what it did
as JSON; exits with 1 at the first fault.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from itertools import count

from appending import entries
from sidelight.live.events import check_chain
from sidelight.live.sqlite import SqliteStore
from sidelight.live.store import Store, open_store

THREADS = 2
MOST = 3  # events in an append
SPAN = 0.15  # seconds that a run may last
PATIENCE = 120  # seconds until it must have said something


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


def begin(where: str, seed: int) -> tuple[int, int]:
    """A process that appends; its number, and the pipe in which it says what it did."""
    heard, said = os.pipe()
    child = os.fork()
    if child:
        os.close(said)
        return child, heard
    try:
        store = open_store(where)
        if isinstance(store, SqliteStore):
            store._writing()._every = 5

        def say(text: str) -> None:
            os.write(said, text.encode())

        for i in range(THREADS):
            rng = random.Random(f"{seed} {i}")
            threading.Thread(target=append, args=(store, f"e{i}", rng, say)).start()
    except BaseException as error:
        os.write(2, repr(error).encode())
        os._exit(1)
    time.sleep(3600)
    os._exit(0)


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
        child, heard = begin(where, run)
        if run % 2:
            assert select.select([heard], [], [], PATIENCE)[0], "a run did nothing"
        time.sleep(rng.uniform(0, SPAN))
        os.kill(child, signal.SIGKILL)
        with os.fdopen(heard) as pipe:
            said = pipe.read().splitlines()
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "a run failed"
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
