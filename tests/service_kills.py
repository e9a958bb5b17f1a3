"""Kill a service under clients that repeat what was not answered, again and again.

    python tests/service_kills.py WHERE KILLS SEED

A process of clients asks and tells from 16 threads, each with keys, and repeats until it has an
answer; sometimes it asks again for what it knows. The service is a process that is ended by SIGKILL
after a random time, every other one not before it listens, and started again. At the end the store
is opened: all that was ever answered is there, nothing is there twice, the chain is whole, and a
replay makes the same decisions. Prints what happened as JSON; exits with 1 at the first fault.
`landed` counts the questions that a kill hit between the commit and its answer: the first answer
that the client saw was a repetition.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import socket
import sys
import tempfile
import threading
import time
from itertools import count
from pathlib import Path
from typing import Any

from sidelight import Feedback, Learner
from sidelight.live.bodies import created
from sidelight.live.events import Event, check_chain
from sidelight.live.replay import replayed
from sidelight.live.store import open_store
from sidelight.remote import Calls
from sidelight.remote import calls as attempts
from sidelight.serve.run import serve
from sidelight.serve.settings import Limits, Settings
from sidelight.serve.tokens import TokenFile

CLIENTS = 16
SPAN = 0.3  # seconds that a service may live
PAUSE = 0.1  # seconds at most between two attempts, so that most clients wait for an answer
PATIENCE = 120.0  # seconds until it must have started
ANSWER = 3600.0  # seconds until a client gives up: many kills may hit the same one
PATH = "/v1/experiments/shop"
LABELS = ("A", "B", "C")


def client(calls: Calls, number: int, say: Any, stop: threading.Event) -> None:
    """Ask and tell until told to stop; say what was answered."""
    rng = random.Random(number)
    known: list[tuple[dict[str, Any], Any]] = []
    for k in count():
        if stop.is_set():
            return
        asked = {"key": f"ask-{number}-{k}", "count": rng.randint(1, 3)}
        first = calls.call("POST", f"{PATH}/decisions", asked)
        found = first["decisions"]
        say({"key": asked["key"], "decisions": found, "landed": first["replayed"]})
        known.append((asked, found))
        items = [
            {"decision": one["id"], "values": {"A": rng.random()}, "key": f"t-{number}-{k}-{i}"}
            for i, one in enumerate(found)
        ]
        taken = calls.call("POST", f"{PATH}/observations", {"items": items})
        assert taken["accepted"] + taken["duplicate"] == len(items), taken
        say({"told": [item["key"] for item in items]})
        before, answer = rng.choice(known)
        again = calls.call("POST", f"{PATH}/decisions", before)
        assert again["replayed"], "what was answered was decided again"
        assert again["decisions"] == answer, "the same key got another answer"


def clients(port: int, token: str, said: Path, told: int) -> None:
    """All clients, in a process of their own; they end when the pipe `told` closes."""
    attempts.LONGEST = PAUSE
    with said.open("w") as stream:
        lock, stop = threading.Lock(), threading.Event()
        calls = Calls(f"http://127.0.0.1:{port}", token, patience=ANSWER)

        def say(line: Any) -> None:
            with lock:
                stream.write(json.dumps(line) + "\n")

        def run(number: int) -> None:
            try:
                client(calls, number, say, stop)
            except BaseException as error:
                say({"error": repr(error)})

        threads = [threading.Thread(target=run, args=(i,)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        os.read(told, 1)
        stop.set()
        for thread in threads:
            thread.join()


def begin(settings: Settings, end: int) -> tuple[int, int]:
    """A service in a process of its own; its number, and its log."""
    heard, said = os.pipe()
    child = os.fork()
    if child:
        os.close(said)
        return child, heard
    os.close(end)
    os.dup2(said, 2)
    try:
        serve(settings)
    finally:
        os._exit(0)


def listens(heard: int) -> None:
    """Wait until a service has opened its port."""
    text = b""
    while b'"listening"' not in text:
        assert select.select([heard], [], [], PATIENCE)[0], f"a service did nothing: {text!r}"
        piece = os.read(heard, 65536)
        assert piece, f"a service ended: {text!r}"
        text += piece


def reserved() -> socket.socket:
    """A port that nobody else gets between two services: it is bound here, and nobody listens."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def check(where: str, lines: list[dict[str, Any]]) -> dict[str, int]:
    """Compare what was answered with what is there."""
    errors = [line["error"] for line in lines if "error" in line]
    assert not errors, errors[0]
    with open_store(where) as store:
        events = list(store.read("shop"))
    assert check_chain(events) is None, "the chain is broken"
    replay = replayed(lambda: events, "shop")
    assert not replay.deviations, "a replay decides otherwise"
    by_key: dict[tuple[str, str], Event] = {}
    for event in events:
        if event.key is not None:
            assert (event.type, event.key) not in by_key, "an event is there twice"
            by_key[event.type, event.key] = event
    decided = [event.data for event in events if event.type == "decided"]
    assert [one["id"] for one in decided] == list(range(1, len(decided) + 1))
    answered = 0
    for line in lines:
        for place, one in enumerate(line.get("decisions", []), 1):
            key = line["key"] if place == 1 else f"{line['key']}\x1f{place}"
            kept = by_key["decided", key].data
            assert (kept["id"], kept["action"]) == (one["id"], one["action"]), "another decision"
            answered += 1
        for key in line.get("told", []):
            assert ("told", key) in by_key, "a value is lost"
    assert answered <= len(decided) <= answered + 3 * CLIENTS, "nobody asked for so much"
    landed = sum(line.get("landed", False) for line in lines)
    return {
        "decisions": len(decided),
        "answered": answered,
        "events": len(events),
        "landed": landed,
    }


def kill_services(settings: Settings, kills: int, rng: random.Random, end: int) -> int:
    """Start a service and kill it, so often; how often."""
    killed = 0
    for run in range(kills):
        service, log = begin(settings, end)
        if run % 2:
            listens(log)
        time.sleep(rng.uniform(0, SPAN))
        os.kill(service, signal.SIGKILL)
        os.waitpid(service, 0)
        os.close(log)
        killed += 1
    return killed


def main(where: str, kills: int, seed: int) -> dict[str, int]:
    """Kill so often; what happened."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, reserved() as held:
        tokens = Path(folder) / "tokens"
        token, _ = TokenFile(tokens).add("client", "decide")
        learner = Learner(Feedback.full_information(3, labels=LABELS), "ucb-n", seed=seed)
        learner.tell(learner.ask().id, {"A": 0.5})  # loads machine code, for all services to come
        learner.ask()
        with open_store(where) as store:
            store.append("shop", 0, [created(Learner(learner.setting, "ucb-n", seed=seed))])
        port = held.getsockname()[1]
        settings = Settings(where, tokens, port=port, limits=Limits(rate=1e6))
        said, (ended, end) = Path(folder) / "said", os.pipe()
        crowd = os.fork()
        if not crowd:
            os.close(end)
            try:
                clients(settings.port, token, said, ended)
            finally:
                os._exit(0)
        os.close(ended)
        try:
            killed = kill_services(settings, kills, rng, end)
            service, log = begin(settings, end)
            listens(log)
        except BaseException:
            os.kill(crowd, signal.SIGKILL)  # it would wait for an answer for long
            raise
        os.close(end)
        os.waitpid(crowd, 0)
        os.kill(service, signal.SIGTERM)
        _, status = os.waitpid(service, 0)
        assert os.waitstatus_to_exitcode(status) == 0, "the last service did not end well"
        os.close(log)
        lines = [json.loads(line) for line in said.read_text().splitlines()]
    return {"killed": killed, **check(where, lines)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
