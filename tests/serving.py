"""A service for tests: on loopback, on a free port, in a thread here or in a process of its own."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from sidelight.serve.logs import Log
from sidelight.serve.run import Server, bound, make_server, run
from sidelight.serve.settings import Limits, Settings
from sidelight.serve.tokens import TokenFile

PATIENCE = 60.0  # seconds until a service must have started or ended
JSON = {"content-type": "application/json"}
BANDIT = {"problem": {"actions": ["A", "B"], "kind": "full-information"}, "policy": "ucb-n"}
MANY = Limits(rate=1e6)  # tests send what they have


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def kind(self) -> str:
        """The type of a problem."""
        assert self.headers["content-type"] == "application/problem+json", self
        problem = self.data
        assert problem["status"] == self.status
        assert problem["detail"]
        return str(problem["type"]).removeprefix("urn:sidelight:problem:")


@dataclass
class Running:
    """A service that runs, and tokens for it."""

    port: int
    secrets: dict[str, str]
    settings: Settings
    log: io.StringIO = field(default_factory=io.StringIO)
    server: Server | None = None

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        token: str | None = "admin",
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One request; `body` is sent as JSON, or as it is where it is bytes."""
        sent = dict(headers or {})
        if token is not None:
            sent["authorization"] = f"Bearer {self.secrets[token]}"
        content = body if isinstance(body, bytes) else None
        if body is not None and content is None:
            content = json.dumps(body).encode()
            sent = {**JSON, **sent}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, content, sent)
            found = connection.getresponse()
            given = {name.lower(): value for name, value in found.getheaders()}
            return Answer(found.status, given, found.read())
        finally:
            connection.close()

    def create(self, name: str = "shop", **more: object) -> Answer:
        """Begin an experiment."""
        return self.call("PUT", f"/v1/experiments/{name}", {**BANDIT, **more})

    def decide(self, name: str = "shop", **body: object) -> Answer:
        """Ask."""
        return self.call("POST", f"/v1/experiments/{name}/decisions", body)

    def observe(self, *items: object, name: str = "shop", **more: Any) -> Answer:
        """Tell."""
        path = f"/v1/experiments/{name}/observations"
        return self.call("POST", path, {"items": list(items)}, **more)

    def events(self, name: str = "shop", after: int = 0) -> list[dict[str, Any]]:
        """All events, as a reader gets them."""
        found = self.call("GET", f"/v1/experiments/{name}/events?after={after}")
        return [json.loads(line) for line in found.body.splitlines()]


def tokens_for(path: Path) -> dict[str, str]:
    """A token for each role, in all experiments and in those that begin with `shop`."""
    file = TokenFile(path)
    found = {}
    for role in ("read", "decide", "admin"):
        for name, pattern in ((role, "*"), (f"{role}-shop", "shop*")):
            if all(token.name != name for token in file.all()):
                found[name] = file.add(name, role, pattern)[0]
    return found


@contextmanager
def serving_here(where: str, folder: Path, limits: Limits = MANY, **more: Any) -> Iterator[Running]:
    """A service in a thread of this process; it ends with the block."""
    tokens = folder / "tokens"
    secrets = tokens_for(tokens)
    settings = replace(Settings(where, tokens, port=0, limits=limits), **more)
    log = io.StringIO()
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # as `serve` does; pytest keeps all lines
    place = bound(settings)
    server = make_server(settings, Log(log))
    thread = threading.Thread(target=lambda: asyncio.run(run(server, place)), daemon=True)
    thread.start()
    until = time.monotonic() + PATIENCE
    while not server.started:
        assert thread.is_alive(), log.getvalue()
        assert time.monotonic() < until, "the service did not start"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Running(port, secrets, settings, log, server)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive(), "the service did not end"


class Apart:
    """A service in a process of its own, which may be killed and started again."""

    def __init__(self, where: str, tokens: Path, *options: str, port: int = 0) -> None:
        place = "--database" if "://" in where else "--data"
        self.command = [sys.executable, "-m", "sidelight", "serve", place, where]
        self.command += ["--tokens", str(tokens), "--rate", "1e6", *options]
        self.port = port
        self.lines: list[str] = []
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*self.command, "--port", str(self.port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert process.stderr is not None
        stderr = process.stderr
        listening = threading.Event()

        def listen() -> None:
            with stderr:
                for line in stderr:
                    self.lines.append(line)
                    if '"listening"' in line:
                        self.port = int(json.loads(line)["url"].rpartition(":")[2])
                        listening.set()
            listening.set()

        threading.Thread(target=listen, daemon=True).start()
        assert listening.wait(PATIENCE), self.lines
        assert process.poll() is None, self.lines
        return process

    def again(self) -> None:
        """Start once more, on the same port."""
        self.process = self._start()

    def kill(self) -> None:
        """End it at once, as kill -9 does."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self) -> int:
        """End it well; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


def hard(actions: int) -> dict[str, Any]:
    """A graph whose structure is hard to find."""
    rng = random.Random(1)
    edges = [[i, i] for i in range(actions)]
    edges += [[i, j] for i in range(actions) for j in range(actions) if rng.random() < 0.15]
    return {"actions": actions, "kind": "graph", "edges": edges}


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that vouches for itself, and its key."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=localhost", "-out", str(cert)]
    command += ["-keyout", str(key), "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(command, check=True, capture_output=True)
    return cert, key
