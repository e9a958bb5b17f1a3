"""Decide in an experiment, and say on standard output what was answered.

    python tests/deciding.py PATH ROUNDS CHECKPOINT SEED

A client does one round after the other: it asks, tells the values in parts, some of them twice,
gives up on some, and now and then records an action of its own. All of it has keys and depends on
the client and on the number of the round alone, so that a round that was cut off can be done again
as a whole: a client that retries.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import sidelight as sl
from sidelight import Experiment, SidelightError
from sidelight.live.learner import Decision
from sidelight.live.sqlite import SqliteStore

NAME = "shop"
Say = Callable[[str], object]


def ring() -> sl.Feedback:
    """Each of four actions shows itself and the next."""
    inf = float("inf")
    rows = [
        [1.0 if j == i else 4.0 if j == (i + 1) % 4 else inf for j in range(4)] for i in range(4)
    ]
    return sl.Feedback(rows, labels=["A", "B", "C", "D"])


def begin(where: str | Path, policy: str = "ids") -> Experiment:
    """The experiment, from its beginning or from where it is."""
    return sl.open(where, ring(), policy, experiment=NAME, seed=3, patience=20)


def one_round(experiment: Experiment, client: int, j: int, say: Say) -> None:
    """All that a client does in its round j; done again, it changes nothing."""
    name = f"c{client}-{j}"
    rng = random.Random(name)
    decision = experiment.ask(key=name)
    say(f"decided {name} {decision.id} {decision.label}\n")
    values = {
        str(label): rng.gauss(0.5, 1.0) for label in experiment.learner.shown(decision.action)
    }
    parts = [values] if rng.random() < 0.5 else [{label: x} for label, x in values.items()]
    for k, part in enumerate(parts):
        for _ in range(rng.choice([1, 1, 2])):
            experiment.tell(decision.id, part, key=f"{name}-{k}")
            say(f"told {name}-{k} {decision.id} -\n")
        if rng.random() < 0.2:
            experiment.tell(decision.id, {}, key=f"{name}-end", last=True)
            say(f"lost {name}-end {decision.id} -\n")
            break
    if rng.random() < 0.2:
        experiment.record("B", {"B": rng.gauss(0.5, 1.0)}, key=f"{name}-own")
        say(f"recorded {name}-own 0 B\n")


def play(one: Any, rounds: int, seed: int) -> Iterator[Decision]:
    """Late, partial, lost and repeated values; the same for whoever makes the same decisions."""
    rng = random.Random(seed)
    mail: list[tuple[int, dict[str, float]]] = []
    for t in range(rounds):
        decision = one.ask(key=f"v{t}" if rng.random() < 0.5 else None)
        yield decision
        values = {"ABCD"[(decision.action + k) % 4]: rng.gauss(0.5, 1.0) for k in (0, 1)}
        mail.append((decision.id, values))
        while mail and rng.random() < 0.6:
            number, values = mail.pop(rng.randrange(len(mail)))
            if rng.random() < 0.3:
                label = rng.choice(list(values))
                one.tell(number, {label: values[label]}, last=rng.random() < 0.5)
                continue
            for _ in range(rng.choice([1, 2])):
                one.tell(number, values, key=f"w{number}")
        if rng.random() < 0.1:
            one.record("C", {"C": rng.gauss(0.5, 1.0)}, key=f"r{t}")


def fault(where: str | Path, said: str) -> str:
    """What is wrong with an experiment of which that was said; "" where nothing is."""
    try:
        with begin(where) as experiment:
            found = experiment.audit()
            if not found.is_clean:
                return str(found)
            for line in said.splitlines():
                kind, key, number, label = line.split()
                event = experiment.store.find(NAME, kind, key)
                if event is None:
                    return f"{kind} {key} was answered, and is not there"
                data = event.data
                if data.get("id", 0) != int(number) or data.get("action", "-") != label:
                    return f"{kind} {key}: {data}"
    except SidelightError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def work(path: Path, rounds: int, checkpoint: int, seed: int, say: Say) -> None:
    """Decide for so many rounds; now and then the experiment is opened again."""
    rng = random.Random(seed)
    j = 0
    while j < rounds:
        with begin(path) as experiment:
            assert isinstance(experiment.store, SqliteStore)
            experiment.store._writing()._every = checkpoint
            for _ in range(rng.randint(3, 12)):
                one_round(experiment, 0, j, say)
                j += 1


if __name__ == "__main__":
    path, (rounds, checkpoint, seed) = Path(sys.argv[1]), map(int, sys.argv[2:])
    try:
        work(path, rounds, checkpoint, seed, lambda text: os.write(1, text.encode()))
    except SidelightError as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.exit(error.exit_code)
