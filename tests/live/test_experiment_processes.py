"""Four processes with eight clients each decide in one experiment on a server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from deciding import NAME, begin
from servers import Server

HERE = Path(__file__).parents[1]
DECIDE = """
import sys, threading
from deciding import begin, one_round
where, me, clients, rounds = sys.argv[1], *map(int, sys.argv[2:])
lines = []
with begin(where) as experiment:
    def client(number):
        for j in range(rounds):
            one_round(experiment, number, j, lines.append)
    # Clients meet: each belongs to two processes, which repeat each other.
    numbers = [(clients // 2 * me + k) % (2 * clients) for k in range(clients)]
    threads = [threading.Thread(target=client, args=(number,)) for number in numbers]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
sys.stdout.write("".join(lines))
"""


def decide(server: Server, processes: int, clients: int, rounds: int) -> tuple[int, int]:
    """How many decisions and events there are; every answer is checked."""
    with server.lend() as address:
        begin(address).close()
        running = [
            subprocess.Popen(
                [sys.executable, "-c", DECIDE, address, str(me), str(clients), str(rounds)],
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": f"{HERE}:{':'.join(sys.path)}"},
            )
            for me in range(processes)
        ]
        said = [process.communicate(timeout=900)[0] for process in running]
        assert [process.returncode for process in running] == [0] * processes
        lines = [line for text in said for line in text.splitlines()]
        answers = {tuple(line.split()[:2]): line for line in lines}
        assert set(lines) == set(answers.values())  # the same key, the same answer, everywhere
        with begin(address) as experiment:
            found = experiment.audit()
            assert found.is_clean, found
            decided = [event.data for event in experiment.events() if event.type == "decided"]
            assert [data["id"] for data in decided] == list(range(1, len(decided) + 1))
            keys = Counter(key for kind, key in answers if kind == "decided")
            assert len(decided) == len(keys)
            assert len({data["by"] for data in decided}) > 1  # several processes decided
            assert experiment.store.last(NAME) is not None
            return len(decided), found.events


def test_two_processes_with_four_clients_each(server: Server) -> None:
    decisions, _ = decide(server, 2, 4, 4)
    assert decisions == 4 * 6


@pytest.mark.campaign
def test_four_processes_with_eight_clients_each(server: Server) -> None:
    decisions, events = decide(server, 4, 8, 60)
    sys.stdout.write(f"{decisions} decisions, {events} events by 4 processes with 32 clients\n")
