"""What a live decision costs, beside an empty compiled call with the same arrays in the same run.

    python benchmarks/live.py

Ask and tell of two values with ten actions, each of which shows itself and the next; the best of
several turns, since the machine is shared. Then the first decision of a new process whose machine
code is on disk, in seconds of the processor, beside `import numba` alone, and beside a process
that compiles a function of nothing: numba makes itself ready at the first call, whatever it is.
Last, the replay of 100,000 events, beside hashing and parsing them.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Hashable
from typing import Any

import numba
import numpy as np

import sidelight as sl
from sidelight.live import bodies
from sidelight.live.audit import audit
from sidelight.live.events import Event, check_chain, follow
from sidelight.live.known_answer import opened
from sidelight.live.replay import Replay

ACTIONS, TURNS, ROUNDS = 10, 8, 2000
EVENTS = 100_000
TIME = "2026-01-01T00:00:00.000000Z"
POLICIES = ("ucb-n", "ids", "minimax")

FIRST = """
import sidelight as sl
learner = sl.Learner(sl.Feedback.full_information({actions}), {policy!r}, horizon=100_000, seed=1)
learner.ask()
"""


READY = """
import numba
numba.njit(lambda: None)()
"""


@numba.njit
def empty(t: Any, belief: Any, known: Any, parameters: Any, memory: Any, stream: Any) -> int:
    """What every `choose` takes, and nothing done with it."""
    return 0


def ring() -> sl.Feedback:
    """Each action shows itself and the next."""
    shows = np.eye(ACTIONS, dtype=bool)
    return sl.Feedback.uniform(shows | np.roll(shows, 1, axis=1))


def decisions(policy: str) -> tuple[float, float, float]:
    """Microseconds of an empty call, of an ask and of a tell."""
    learner = sl.Learner(ring(), policy, horizon=10**6, seed=1)
    mind: Any = learner.player.mind
    given = 1, learner.player.data, learner.player._known, mind.entry.prepared.parameters
    arrays = (*given, mind.memory, mind.stream)
    empty(*arrays)
    noise = np.random.default_rng(1).normal(size=(TURNS, ROUNDS, 2)).tolist()
    best = [float("inf")] * 3
    for turn in range(TURNS):
        start = time.perf_counter()
        for _ in range(ROUNDS):
            empty(*arrays)
        called = time.perf_counter() - start
        asked = told = 0.0
        for x, y in noise[turn]:
            start = time.perf_counter()
            decision = learner.ask()
            asked += time.perf_counter() - start
            values = {decision.action: x, (decision.action + 1) % ACTIONS: y}
            start = time.perf_counter()
            learner.tell(decision.id, values)
            told += time.perf_counter() - start
        taken = (1e6 * s / ROUNDS for s in (called, asked, told))
        best = [min(pair) for pair in zip(best, taken, strict=True)]
    return best[0], best[1], best[2]


def history(policy: str) -> list[Event]:
    """The events of an experiment of which two values are told after each decision."""
    learner = sl.Learner(ring(), policy, horizon=10**6, seed=1)
    begun = Replay("x")
    begun.take(follow("x", None, 0, [bodies.created(learner)], TIME)[0])
    entries = [bodies.created(learner), opened(begun)]
    noise = np.random.default_rng(1).normal(size=(EVENTS, 2)).tolist()
    while len(entries) < EVENTS:
        n = len(entries)
        decision = learner.ask(key=f"visit-{n}")
        entries.append(bodies.decided(learner, decision, 2, f"visit-{n}"))
        first, second = noise[n]
        values: dict[Hashable, float] = {
            decision.action: first,
            (decision.action + 1) % ACTIONS: second,
        }
        learner.tell(decision.id, values, key=f"sale-{n}")
        entries.append(bodies.told(decision.id, values, f"sale-{n}", last=False))
    return follow("x", None, 0, entries, TIME)


def replays(policy: str) -> tuple[float, float]:
    """Seconds of hashing and parsing all events, and of an audit, which does that and replays."""
    events = history(policy)
    best = [float("inf")] * 2
    for _ in range(3):
        start = time.process_time()
        check_chain(events)
        for event in events:
            json.loads(event.body)
        parsed = time.process_time() - start
        start = time.process_time()
        found = audit(lambda: events, "x")
        replayed = time.process_time() - start
        assert found.is_clean, found
        best = [min(pair) for pair in zip(best, (parsed, replayed), strict=True)]
    return best[0], best[1]


def processor(code: str) -> float:
    """Seconds of the processor that a new process takes, at best."""
    found = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def say(line: str) -> None:
    """A line of a table."""
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Print the tables."""
    say("policy      empty call   ask   tell (microseconds)   ask and tell in empty calls")
    for policy in POLICIES:
        call, ask, tell = decisions(policy)
        say(f"{policy:12}{call:10.2f}{ask:7.2f}{tell:7.2f}{(ask + tell) / call:28.1f}")
    alone = processor("import numba")
    say(f"first decision of a process, machine code on disk; import numba takes {alone:.2f} s")
    say(f"{'numba ready':12}{processor(READY) / alone:6.2f} times that")
    for policy in POLICIES:
        code = FIRST.format(actions=ACTIONS, policy=policy)
        processor(code)  # whatever must be compiled is compiled now
        say(f"{policy:12}{processor(code) / alone:6.2f} times that")
    say(f"audit of {EVENTS:,} events, beside hashing and parsing them")
    for policy in POLICIES:
        parsed, replayed = replays(policy)
        say(f"{policy:12}{parsed:6.2f} s{replayed:8.2f} s{replayed / parsed:8.2f} times")


if __name__ == "__main__":
    main()
