"""Running a service: logs without secrets, stopping, a store that fails, backup, limits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sidelight as sl
from commands import Command
from serving import BANDIT, MANY, PATIENCE, Apart, Running, hard, serving_here, tokens_for
from sidelight.live.store import open_store
from sidelight.remote import Calls
from sidelight.serve import compiling
from sidelight.serve.compiling import Compiler, is_missing
from sidelight.serve.logs import trace_of

E = "/v1/experiments/shop"


def apart(service: Apart, secrets: dict[str, str]) -> Running:
    """The same calls, for a service in a process of its own."""
    return Running(service.port, secrets, None)  # type: ignore[arg-type]


def everywhere(canary: str) -> tuple[tuple[str, str, Any, dict[str, str]], ...]:
    """Requests with a token wherever somebody may put it."""
    return (
        ("GET", f"/v1/experiments/{canary}", None, {}),
        ("PUT", f"/v1/experiments/{canary}", BANDIT, {}),
        ("GET", f"/v1/experiments?after={canary}", None, {}),
        ("GET", f"/v1/experiments?{canary}=1", None, {}),
        ("GET", f"/{canary}", None, {}),
        ("POST", f"{E}/decisions", {"key": canary}, {}),
        ("POST", f"{E}/decisions", {canary: 1}, {}),
        ("POST", f"{E}/decisions", {}, {"idempotency-key": canary}),
        ("POST", f"{E}/observations", {"items": [{"decision": 1, "values": {canary: 1}}]}, {}),
        ("POST", f"{E}/records", {"items": [{"action": canary, "values": {}}]}, {}),
        ("PUT", f"{E}/state", {"state": canary}, {}),
        ("PUT", "/v1/experiments/other", {**BANDIT, "policy": canary}, {}),
        (
            "PUT",
            "/v1/experiments/other",
            {"problem": {"actions": [canary], "kind": canary}},
            {},
        ),
        ("GET", f"{E}/events", None, {"last-event-id": canary, "accept": canary}),
        ("GET", "/v1/health", None, {"host": canary}),
        ("GET", "/v1/health", None, {"origin": f"http://{canary}"}),
        ("GET", "/v1/experiments", None, {"traceparent": canary, "user-agent": canary}),
        (canary, "/v1/experiments", None, {}),
        ("POST", "/ofrep/v1/evaluate/flags/shop", {"context": {"targetingKey": canary}}, {}),
        ("POST", f"/ofrep/v1/evaluate/flags/{canary}", {}, {}),
        ("GET", "/v1/metrics", None, {}),
        ("GET", f"{E}/events", None, {}),
    )


def test_a_token_is_found_nowhere(tmp_path: Path) -> None:
    """Wherever a caller puts it: not in the log, the answers, the events, the metrics."""
    tokens = tmp_path / "tokens"
    secrets = tokens_for(tokens)
    service = Apart(str(tmp_path / "events.db"), tokens)
    running = apart(service, secrets)
    canary = secrets["admin"]
    heard = b""
    try:
        running.create()
        for method, path, body, headers in everywhere(canary):
            answer = running.call(method, path, body, "admin", headers)
            heard += answer.body + str(answer.headers).encode()
    finally:
        service.stop()
    heard += "".join(service.lines).encode()
    for file in tmp_path.iterdir():
        heard += file.read_bytes()
    assert len(heard) > 10_000
    secret = canary.removeprefix("sidelight_admin_").encode()
    for part in (secret[:12], secret[15:27], secret[-12:]):
        assert part not in heard


def test_the_log_says_who_asked_what_and_follows_traces(tmp_path: Path) -> None:
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    with serving_here(str(tmp_path / "e.db"), tmp_path) as running:
        running.create()
        running.decide()
        running.call("POST", f"{E}/decisions", {}, "decide", {"traceparent": trace})
        running.call("POST", f"{E}/decisions", {"count": 0}, "decide")
    lines = [json.loads(line) for line in running.log.getvalue().splitlines()]
    requests = [line for line in lines if line["event"] == "request"]
    assert [(line["method"], line["status"]) for line in requests] == [
        ("PUT", 201),
        ("POST", 201),  # the one that is traced: others of this route are events, not lines
        ("POST", 400),
    ]
    assert requests[1]["trace"] == "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
    assert requests[1]["token"] == "decide"
    assert trace_of("00-xyz") == ""
    assert [line["event"] for line in lines][-1] == "stopping"


def test_metrics_count_what_happened(tmp_path: Path) -> None:
    with serving_here(str(tmp_path / "e.db"), tmp_path) as running:
        running.create()
        running.create("zoo")
        running.decide(count=3)
        running.decide(count=0)
        text = running.call("GET", "/v1/metrics", token="read").body.decode()
        route = 'route="/v1/experiments/{experiment}/decisions",method="POST"'
        assert f'sidelight_requests_total{{{route},status="201"}} 1' in text
        assert f'sidelight_requests_total{{{route},status="400"}} 1' in text
        assert 'sidelight_events{experiment="shop"} 5.0' in text
        assert 'sidelight_waiting{experiment="shop"} 3.0' in text
        assert "sidelight_commit_seconds_count 1" in text
        assert "sidelight_store_up 1.0" in text
        for line in text.splitlines():
            assert line.startswith("#") or float(line.rpartition(" ")[2]) >= 0
        mine = running.call("GET", "/v1/metrics", token="read-shop").body.decode()
        assert "zoo" in text
        assert "zoo" not in mine


def test_a_service_that_is_told_to_end_answers_what_it_was_asked(
    where: str, tmp_path: Path
) -> None:
    tokens = tmp_path / "tokens"
    secrets = tokens_for(tokens)
    service = Apart(where, tokens)
    apart(service, secrets).create()
    answered: list[int] = []
    started = threading.Event()

    def ask(number: int) -> None:
        calls = Calls(f"http://127.0.0.1:{service.port}", secrets["decide"], patience=0.0)
        try:
            for k in range(10_000):
                body = {"key": f"{number}-{k}"}
                found = calls.call("POST", f"{E}/decisions", body)["decisions"]
                answered.append(found[0]["id"])
                if len(answered) > 40:
                    started.set()
        except sl.StoreError:
            started.set()
        finally:
            calls.close()

    with ThreadPoolExecutor(8) as crowd:
        for number in range(8):
            crowd.submit(ask, number)
        assert started.wait(PATIENCE)
        assert service.stop() == 0
    assert json.loads(service.lines[-1])["event"] == "stopped"
    with open_store(where, read_only=True) as store:
        kept = [event.data["id"] for event in store.read("shop") if event.type == "decided"]
    assert len(set(answered)) == len(answered) > 40
    assert set(answered) <= set(kept)


BREAKING = """
import sys
from sidelight.cli import main
from sidelight.live.writer import Writer
commit, count = Writer._commit, 0
def broken(self, transaction):
    global count
    count += 1
    if count > 3:
        raise OSError(28, "No space left on device")
    commit(self, transaction)
Writer._commit = broken
main(sys.argv[1:])
"""


def test_a_service_whose_store_fails_says_so_and_ends(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    secrets = tokens_for(tokens)
    good = Apart(str(tmp_path / "events.db"), tokens)
    apart(good, secrets).create()
    first = apart(good, secrets).decide(key="kept").data["decisions"]
    good.stop()
    service = Apart.__new__(Apart)
    service.command = [sys.executable, "-c", BREAKING, *good.command[3:]]
    service.port, service.lines = 0, []
    service.process = service._start()
    running = apart(service, secrets)
    kinds = []
    for number in range(6):
        answer = running.decide(key=f"k{number}")
        kinds.append("" if answer.status < 300 else answer.kind)
    assert kinds == ["", "", "", "storage-failed", "storage-failed", "storage-failed"]
    assert running.call("GET", "/v1/health", token=None).kind == "storage-failed"
    assert service.process.wait(PATIENCE) == 1
    good.again()
    running = apart(good, secrets)
    assert running.call("GET", "/v1/health", token=None).status == 200
    assert running.decide(key="kept").data["decisions"] == first
    assert [running.decide(key=f"k{n}").data["replayed"] for n in range(3)] == [True] * 3
    assert running.decide(key="k3").data["decisions"][0]["id"] == 5
    assert good.stop() == 0


def test_a_backup_of_a_service_that_runs_is_a_service(where: str, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
    with serving_here(where, tmp_path / "one") as running:
        running.create()
        told = running.decide(count=20, key="k").data["decisions"]
        running.observe(*({"decision": one["id"], "values": {"A": 0.5}} for one in told))
        with open_store(where, read_only=True) as reading:
            reading.backup(tmp_path / "copy.db")
        exported = running.call("GET", f"{E}/events").body.decode()
        shown = running.call("GET", E).data
    with open_store(tmp_path / "loaded.db") as store:
        assert store.load(exported.splitlines()) == "shop"
    for folder, copy in (("two", "copy.db"), ("three", "loaded.db")):
        with serving_here(str(tmp_path / copy), tmp_path / folder) as again:
            assert again.call("GET", E).data == shown
            assert again.decide(count=20, key="k").data["decisions"] == told
            assert again.decide().data["decisions"][0]["id"] == 21


def test_a_hard_analysis_is_cut_off_and_others_are_served(tmp_path: Path) -> None:
    limits = replace(MANY, seconds=1)
    with serving_here(str(tmp_path / "e.db"), tmp_path, limits) as running:
        running.create()
        with ThreadPoolExecutor(1) as asking:
            waiting = asking.submit(running.call, "POST", "/v1/analyze", {"problem": hard(400)})
            for _ in range(20):
                assert running.decide().status == 201
            answer = waiting.result(PATIENCE)
        assert (answer.status, answer.kind) == (422, "budget-exceeded")
        alone = {"actions": 1, "kind": "bandit"}  # easy on every machine: nothing is to be found
        easy = running.call("POST", "/v1/analyze", {"problem": alone})
        assert easy.data["structure"]["independence"]["proved"]


def test_policies_are_compiled_in_a_child(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    code = (
        "from sidelight.serve.compiling import Compiler, is_missing; "
        "assert is_missing('uniform'); Compiler().compile('uniform'); "
        "assert not is_missing('uniform')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=300)


def test_what_is_compiled_already_needs_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_missing("ucb-n")

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("a child was started")

    monkeypatch.setattr(subprocess, "Popen", fail)
    Compiler().compile("ucb-n")


def test_a_rule_is_loaded_before_its_first_decision_and_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(compiling, "compile_for_use", loaded.append)
    compiler = Compiler()
    for name in ("ucb-n", "greedy", "ucb-n"):
        compiler.compile(name)
    assert loaded == ["ucb-n", "greedy"]


# ---- the command line ----------------------------------------------------------------------------


def test_tokens_on_the_command_line(sidelight: Command, tmp_path: Path) -> None:
    made = sidelight("token", "add", "shop", "--role", "decide", "--experiment", "p-*")
    assert made.code == 0
    assert made.out.startswith("sidelight_decide_")
    assert made.out.strip() not in made.err
    assert "the only time" in made.err
    sidelight("token", "add", "me", "--role", "admin", "--expires", "90d")
    listed = sidelight("token", "list").out.splitlines()
    assert [line.split("\t")[:3] for line in listed] == [
        ["me", "admin", "*"],
        ["shop", "decide", "p-*"],
    ]
    assert made.out.strip() not in "".join(listed)
    assert (tmp_path / "sidelight.db.tokens").exists()
    assert sidelight("token", "revoke", "shop").code == 0
    assert sidelight("token", "revoke", "shop").code == 2
    assert len(sidelight("token", "list").out.splitlines()) == 1
    for call in (("list",), ("revoke", "me")):
        nowhere = sidelight("token", *call, "--data", "folder")
        assert (nowhere.code, nowhere.out) == (2, "")
        assert "folder/sidelight.db.tokens: there is no such file of tokens" in nowhere.err
    assert not (tmp_path / "folder").exists()
    for words in (("add", "x", "--role", "read"), ("list",), ("revoke", "x")):
        here = sidelight("token", *words, "--tokens", ".")
        assert here.code == 2
        assert "tokens are in a file" in here.err
    folder = sidelight("token", "add", "a", "--role", "read", "--data", "folder")
    assert folder.code == 0
    assert (tmp_path / "folder" / "sidelight.db.tokens").exists()
    (tmp_path / "events").touch()  # a file without a suffix is no folder
    assert sidelight("token", "add", "a", "--role", "read", "--data", "events").code == 0
    assert (tmp_path / "events.tokens").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "plain text"),
        (["--host", "0.0.0.0", "--behind-proxy"], "no token"),
        (["--tls-cert", "c.pem"], "go together"),
        (["--data", "a.db", "--database", "postgresql://x/y"], "one of the two"),
        (["--data", "nowhere/a.db"], "no such folder"),
        (["--read-only"], "no such file"),
        (["--port", "99999"], "port"),
        (["--tls-cert", "c.pem", "--tls-key", "k.pem"], "c.pem"),
        (["--database", "events.db"], "--data"),
        (["--database", "postgresql:/db"], "postgresql://"),
    ],
)
def test_it_does_not_start_where_it_should_not(
    sidelight: Command, options: list[str], said: str
) -> None:
    done = sidelight("serve", *options)
    assert done.code == 2
    assert said in done.err


def test_a_second_service_on_a_file_refuses_to_start(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens_for(tokens)
    first = Apart(str(tmp_path / "events.db"), tokens)
    second = subprocess.run(
        [*first.command, "--port", "0"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert second.returncode == 1
    assert "writes into it already" in second.stderr
    other = [*first.command[:-4], "--tokens", str(tokens), "--data", str(tmp_path / "other.db")]
    third = subprocess.run(
        [*other, "--port", str(first.port)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert third.returncode == 2
    assert "choose another with --host or --port" in third.stderr
    assert not (tmp_path / "other.db").exists()
    first.process.send_signal(signal.SIGINT)
    assert first.process.wait(PATIENCE) == 0
