"""Services that are killed, and several at once: nothing answered is lost, nothing is twice."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from serving import BANDIT, Apart, tokens_for
from sidelight.live.events import check_chain
from sidelight.live.replay import replayed
from sidelight.live.store import open_store
from sidelight.remote import Calls

if TYPE_CHECKING:
    from servers import Server

TESTS = Path(__file__).parent.parent
SHORT, LONG = 5, 250
SEEDS = range(2, 22)  # 20 times LONG on each of the two databases: 10,000


def kill(where: str, kills: int, seed: int) -> dict[str, int]:
    """What `service_kills.py` found."""
    command = [sys.executable, str(TESTS / "service_kills.py"), where, str(kills), str(seed)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60 + 20 * kills
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, int] = json.loads(done.stdout)
    return found


def test_a_service_that_is_killed_loses_nothing(where: str) -> None:
    found = kill(where, SHORT, 1)
    assert found["killed"] == SHORT
    assert found["answered"] > 0


@pytest.mark.campaign
@pytest.mark.parametrize("seed", SEEDS)
def test_a_service_that_is_killed_often_loses_nothing(where: str, seed: int) -> None:
    found = kill(where, LONG, seed)
    sys.stdout.write(f"{found}\n")
    assert found["killed"] == LONG


@pytest.mark.parametrize("experiments", [1, 40])
def test_four_services_on_one_server_number_every_decision_once(
    server: Server, tmp_path: Path, experiments: int
) -> None:
    names = [f"e{i}" for i in range(experiments)]
    tokens = tmp_path / "tokens"
    token = tokens_for(tokens)["admin"]
    with server.lend() as where:
        with ThreadPoolExecutor(4) as starting:
            services = list(starting.map(lambda _: Apart(where, tokens), range(4)))
        calls = [Calls(f"http://127.0.0.1:{one.port}", token, 120.0) for one in services]
        try:
            for name in names:
                calls[0].call("PUT", f"/v1/experiments/{name}", BANDIT)

            def ask(number: int) -> list[tuple[str, int, str]]:
                found = []
                for k in range(5):
                    name = names[(number + 7 * k) % experiments]
                    body = {"key": f"{number}-{k}", "count": 1 + k % 3}
                    path = f"/v1/experiments/{name}/decisions"
                    first = calls[number % 4].call("POST", path, body)["decisions"]
                    again = calls[(number + k) % 4].call("POST", path, body)["decisions"]
                    assert again == first
                    found += [(name, one["id"], one["action"]) for one in first]
                return found

            with ThreadPoolExecutor(32) as crowd:
                asked = [one for found in crowd.map(ask, range(32)) for one in found]
        finally:
            for one in calls:
                one.close()
            codes = [service.stop() for service in services]
        assert codes == [0] * 4
        assert len(asked) == len(set(asked)) == 32 * (1 + 2 + 3 + 1 + 2)
        with open_store(where, read_only=True) as store:
            for name in names:
                events = list(store.read(name))
                assert check_chain(events) is None
                replay = replayed(partial(iter, events), name)
                assert not replay.deviations
                kept = [event.data for event in events if event.type == "decided"]
                mine = sorted((id_, action) for other, id_, action in asked if other == name)
                assert [(one["id"], one["action"]) for one in kept] == mine
