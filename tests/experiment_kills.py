"""Kill a process that decides, at random moments, again and again, while clients retry.

    python tests/experiment_kills.py WHERE KILLS SEED

Every run has some clients (threads). They say what was answered, and go on in the next run with the
round that was cut off. After each kill nothing that was answered is missing
or different, nothing is there twice, and the audit is clean. Prints what it did as JSON; exits with
1 at the first fault.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from functools import partial
from itertools import count

import deciding
from deciding import NAME, begin, one_round
from killing import killed
from sidelight.live.sqlite import SqliteStore

CLIENTS = 4


def serve(where: str, start: list[int], said: int) -> None:
    """Clients that go on from their rounds, for ever."""
    experiment = begin(where)
    if isinstance(experiment.store, SqliteStore):
        experiment.store._writing()._every = 5

    def client(number: int) -> None:
        for j in count(start[number]):
            one_round(experiment, number, j, lambda text: os.write(said, text.encode()))
            os.write(said, f"done {number} {j} -\n".encode())

    for number in range(CLIENTS):
        threading.Thread(target=client, args=(number,)).start()


def main(where: str, kills: int, seed: int) -> dict[str, int]:
    """Kill so often; what happened."""
    rng = random.Random(seed)
    start = [0] * CLIENTS
    answered: dict[tuple[str, str], str] = {}
    done = {"killed": 0, "answers": 0, "answers repeated": 0}
    begin(where).close()
    for run in range(kills):
        for line in killed(partial(serve, where, start), where, run, rng):
            kind, key, number, label = line.split()
            if kind == "done":
                start[int(key)] = int(number) + 1
                continue
            done["answers"] += 1
            known = answered.setdefault((kind, key), f"{number} {label}")
            assert known == f"{number} {label}", f"{line}: was {known}"
        lines = [f"{kind} {key} {what}" for (kind, key), what in answered.items()]
        wrong = deciding.fault(where, "\n".join(lines[-400:]))
        assert not wrong, wrong
        done["killed"] += 1
    wrong = deciding.fault(where, "\n".join(lines))
    assert not wrong, wrong
    done["answers repeated"] = done["answers"] - len(answered)
    with begin(where) as experiment:
        done["decisions"] = experiment.rounds
        done["events"] = sum(1 for _ in experiment.store.read(NAME))
    return done


if __name__ == "__main__":
    result = main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(json.dumps(result))
