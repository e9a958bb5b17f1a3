"""What a live decision costs, beside an empty compiled call with the same arrays in the same run.

    python benchmarks/live.py

Ask and tell of two values with ten actions, each of which shows itself and the next; the best of
several turns, since the machine is shared. Then the first decision of a new process whose machine
code is on disk, in seconds of the processor, beside `import numba` alone, and beside a process
that compiles a function of nothing: numba makes itself ready at the first call, whatever it is.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from typing import Any

import numba
import numpy as np

import sidelight as sl

ACTIONS, TURNS, ROUNDS = 10, 8, 2000
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
    """Print both tables."""
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


if __name__ == "__main__":
    main()
