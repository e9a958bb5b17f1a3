"""A service that is told to end answers everybody in words, also those for whom it cannot wait."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from serving import PATIENCE, Answer, Running, hard, serving_here
from sidelight.serve import compiling, run
from sidelight.serve.tokens import TokenFile

if TYPE_CHECKING:
    from servers import Server


def until(is_so: Callable[[], object]) -> None:
    """Wait for something that comes soon."""
    last = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < last, "it does not come"
        time.sleep(0.01)


def logged(running: Running) -> list[int]:
    """The status of every request in the log; a line that is half written is left out."""
    text = running.log.getvalue()
    lines = [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
    return [line["status"] for line in lines if line["event"] == "request"]


def check_told(running: Running, waiting: Future[Answer]) -> None:
    """The caller is told to ask again, and the log has no fault."""
    answer = waiting.result(PATIENCE)
    assert (answer.status, answer.kind) == (503, "stopping")
    assert answer.headers["retry-after"] == "1"
    assert "ask again, with the same key" in answer.data["detail"]
    until(lambda: 503 in logged(running))  # the line is written after the answer
    assert "CancelledError" not in running.log.getvalue()


def test_a_hard_analysis_ends_with_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "GRACE", 600)  # nobody waits for its end
    with ThreadPoolExecutor(2) as asking:
        with serving_here(str(tmp_path / "e.db"), tmp_path) as running:
            assert running.server is not None
            analyses = running.server.service.analyses
            question = {"problem": hard(200)}
            all_of_them = [
                asking.submit(running.call, "POST", "/v1/analyze", {**question, "horizon": n})
                for n in (1000, 2000)  # one is computed, one waits for its turn
            ]
            until(lambda: len(analyses._asking) == 2)
        for waiting in all_of_them:
            check_told(running, waiting)


def test_a_decision_that_the_server_holds_up_is_told_so(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "GRACE", 1)
    with (
        server.lend() as address,
        ThreadPoolExecutor(1) as asking,
        serving_here(address, tmp_path) as running,
        psycopg.connect(address) as holding,
    ):
        assert running.server is not None
        running.create()
        first = running.decide(key="first").data["decisions"]
        holding.execute("LOCK TABLE event")
        waiting = asking.submit(running.decide, key="second")
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        until(lambda: holding.execute(waits).fetchone() != (0,))
        running.server.should_exit = True
        check_told(running, waiting)  # while the table is held
        holding.rollback()
        assert first[0]["id"] == 1


def test_a_policy_that_is_compiled_does_not_keep_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def slow(*_: Any, **__: Any) -> subprocess.Popen[bytes]:
        children.append(start(["sleep", "600"]))
        return children[-1]

    with ThreadPoolExecutor(1) as asking:
        with serving_here(str(tmp_path / "e.db"), tmp_path) as running:
            monkeypatch.setattr(compiling, "is_missing", bool)
            monkeypatch.setattr(subprocess, "Popen", slow)
            waiting = asking.submit(running.create)
            until(lambda: children)
        check_told(running, waiting)
    assert [child.poll() is not None for child in children] == [True]


LOADED = """
import gc, sys
from pathlib import Path
from sidelight.serve import run
from sidelight.serve.settings import Settings
from sidelight.serve.wire import ExperimentRequest

async def told(server, place):
    print(gc.get_freeze_count())
    problem = {"actions": 3, "kind": "bandit"}
    for name in ("one", "two"):
        server.service.shelf.create(name, ExperimentRequest(problem, "ucb-n", 1))
        print(gc.get_freeze_count())
    server.service.shelf.close()

run.run = told
run.serve(Settings("events.db", Path("tokens"), port=0))
"""


def test_the_collector_of_garbage_leaves_out_what_lives_as_long_as_the_service(
    tmp_path: Path,
) -> None:
    TokenFile(tmp_path / "tokens").add("me", "admin")
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    first, second, third = map(int, done.stdout.split())
    assert 100_000 < first < second < third
