"""What a durable decision over HTTP costs, as ratios inside one run.

    python benchmarks/serve.py

- Decisions a second from 32 connections, where requests that wait together share a commit, against
  one commit for each request: with 20 ms added to every commit, and with nothing added.
- Processor time of a request, of the service's route against a route of FastAPI with models of
  pydantic that does the same, behind the same guard.
- Latency beside that of the disk (`fdatasync` of a small append), alone and with 20 open streams of
  events, which a process of their own reads.

The service runs in a process of its own; what is compared takes turns, and the median of the
ratios of turns that follow each other counts, since the machine is shared. All decisions have keys.

    python benchmarks/serve.py soak [DECISIONS]

makes so many decisions (a million) and tells the value of each, a hundred in each request and all
with keys, and prints for each tenth of them the memory of the service and the latency of requests.
Memory does not grow: what a learner did long ago is in a temporary file.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

from fastapi import FastAPI, Request
from pydantic import BaseModel

from sidelight.live import writer
from sidelight.serve.guard import visit_of
from sidelight.serve.run import serve
from sidelight.serve.service import Service, key_of
from sidelight.serve.settings import Limits, Settings
from sidelight.serve.tokens import TokenFile

CONNECTIONS, TURNS = 32, 3
ADDED = 0.020  # seconds
STREAMS = 20
PROBLEM = {"problem": {"actions": 10, "kind": "bandit"}, "policy": "ids", "seed": 1}
ROUTE, TWIN = "/v1/experiments/shop/decisions", "/twin/shop/decisions"
VALUES = "/v1/experiments/shop/observations"
TICK = os.sysconf("SC_CLK_TCK")


# ---- the service, in a process of its own --------------------------------------------------------


class Asked(BaseModel):
    """The body of a request, for FastAPI."""

    count: int = 1
    key: str | None = None


class Made(BaseModel):
    """A decision, for FastAPI."""

    id: int
    action: str
    why: str
    batch: int | None
    shadow: bool


class Answered(BaseModel):
    """An answer, for FastAPI."""

    decisions: list[Made]
    key: str | None
    replayed: bool
    seq: int


def add_twin(app: FastAPI, service: Service) -> None:
    """The route that does the same, as FastAPI would have it."""

    @app.post("/twin/{experiment}/decisions", status_code=201)
    async def decide(request: Request, experiment: str, body: Asked) -> Answered:
        visit = visit_of(request.scope)
        visit.route = ROUTE.replace("shop", "{experiment}")
        found = await service.experiment(visit, "decide", experiment)
        key = key_of(visit, body.key)
        service.check_writable()
        done = await service.change(found, lambda: found.decide(body.count, key))
        made = [
            Made(id=one.id, action=str(one.label), why=one.why, batch=one.batch, shadow=one.shadow)
            for one in done.decisions
        ]
        return Answered(decisions=made, key=key, replayed=not done.new, seq=done.n)


def child(folder: str, added: str, group: str) -> None:
    """Serve; `added` seconds come to every commit, and so many appends share one."""
    writer.GROUP = int(group)
    commit, slower = writer.Writer._commit, float(added)

    def slow(self: Any, transaction: Any) -> None:
        time.sleep(slower)
        commit(self, transaction)

    if slower:
        writer.Writer._commit = slow  # type: ignore[method-assign]
    include = FastAPI.include_router

    def with_twin(self: FastAPI, *rest: Any, **more: Any) -> None:
        include(self, *rest, **more)
        add_twin(self, self.state.service)

    FastAPI.include_router = with_twin  # type: ignore[method-assign]
    place = Path(folder)
    limits = Limits(rate=1e9)
    serve(Settings(str(place / "events.db"), place / "tokens", port=0, limits=limits))


class Child:
    """A service that runs."""

    def __init__(self, process: subprocess.Popen[str], port: int, token: str) -> None:
        self.process, self.port, self.token = process, port, token

    def seconds(self) -> float:
        """Processor time that the process has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK


@contextmanager
def running(added: float = 0.0, group: int = writer.GROUP) -> Iterator[Child]:
    """A service with one experiment."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        token, _ = TokenFile(Path(folder) / "tokens").add("bench", "admin")
        command = [sys.executable, __file__, "child", folder, str(added), str(group)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        try:
            line = next(line for line in process.stderr if '"listening"' in line)
            found = Child(process, int(json.loads(line)["url"].rpartition(":")[2]), token)
            asyncio.run(_create(found))
            asyncio.run(load(found, 1, 50))
            yield found
        finally:
            process.terminate()
            process.communicate()


async def _create(service: Child) -> None:
    reader, out = await asyncio.open_connection("127.0.0.1", service.port)
    status, _ = await call(reader, out, service.token, "PUT", "/v1/experiments/shop", PROBLEM)
    assert status == 201
    out.close()


# ---- clients -------------------------------------------------------------------------------------


async def call(
    reader: asyncio.StreamReader,
    out: asyncio.StreamWriter,
    token: str,
    method: str,
    path: str,
    body: object,
) -> tuple[int, bytes]:
    """One request on an open connection."""
    content = json.dumps(body).encode()
    head = (
        f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
    )
    out.write(head.encode() + content)
    said = await reader.readuntil(b"\r\n\r\n")
    length = next(
        line for line in said.lower().split(b"\r\n") if line.startswith(b"content-length")
    )
    return int(said[9:12]), await reader.readexactly(int(length.partition(b":")[2]))


keys = iter(range(10**12))


async def load(service: Child, connections: int, each: int, path: str = ROUTE) -> list[float]:
    """So many decisions from so many connections; how long each took."""
    taken: list[float] = []

    async def one() -> None:
        reader, out = await asyncio.open_connection("127.0.0.1", service.port)
        for _ in range(each):
            start = time.perf_counter()
            body = {"key": f"visit-{next(keys)}"}
            status, said = await call(reader, out, service.token, "POST", path, body)
            assert status == 201, said
            taken.append(time.perf_counter() - start)
        out.close()

    await asyncio.gather(*(one() for _ in range(connections)))
    return sorted(taken)


def rate(service: Child, each: int) -> float:
    """Decisions a second."""
    start = time.perf_counter()
    asyncio.run(load(service, CONNECTIONS, each))
    return CONNECTIONS * each / (time.perf_counter() - start)


def sync_of_disk(count: int = 300) -> list[float]:
    """How long `fdatasync` takes after a small append."""
    taken = []
    with tempfile.NamedTemporaryFile(dir=".") as file:
        for _ in range(count):
            os.write(file.fileno(), b"x" * 600)
            start = time.perf_counter()
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - start)
    return sorted(taken)


async def read_streams(port: int, token: str, after: int, count: int) -> int:
    """Read the events after n from so many streams until stdin ends; how many bytes came."""

    async def one() -> int:
        reader, out = await asyncio.open_connection("127.0.0.1", port)
        head = (
            f"GET /v1/experiments/shop/events?after={after} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            f"accept: text/event-stream\r\nauthorization: Bearer {token}\r\n\r\n"
        )
        out.write(head.encode())
        size = 0
        with suppress(asyncio.CancelledError):
            while piece := await reader.read(65536):
                size += len(piece)
        out.close()
        return size

    tasks = [asyncio.create_task(one()) for _ in range(count)]
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    return sum(await asyncio.gather(*tasks))


async def with_streams(service: Child, count: int, each: int) -> list[float]:
    """Latencies from 8 connections while a process of its own reads so many streams."""
    reader, out = await asyncio.open_connection("127.0.0.1", service.port)
    _, said = await call(reader, out, service.token, "POST", ROUTE, {"key": f"now-{next(keys)}"})
    out.close()
    after = json.loads(said)["seq"]
    command = [sys.executable, __file__, "read", str(service.port), service.token]
    with subprocess.Popen(
        [*command, str(after), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        await asyncio.sleep(1.5)
        taken = await load(service, 8, each)
        size = int(process.communicate()[0])
    assert size > count * 1000 or not count
    return taken


# ---- the table -----------------------------------------------------------------------------------


def say(line: str) -> None:
    """A line of the table."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def at(taken: list[float], share: float) -> float:
    """A quantile, in milliseconds."""
    return 1000 * taken[min(len(taken) - 1, int(share * len(taken)))]


def commits() -> None:
    """Shared commits against one for each request."""
    for added, many, few, wanted in ((ADDED, 40, 3, 10), (0.0, 30, 15, 2)):
        with running(added) as shared, running(added, group=1) as alone:
            pairs = [(rate(shared, many), rate(alone, few)) for _ in range(2 * TURNS)]
        ours, others = (median(side) for side in zip(*pairs, strict=True))
        say(
            f"{1000 * added:3.0f} ms added to a commit, {CONNECTIONS} connections: shared commits "
            f"{ours:,.0f} a second, one for each {others:,.0f}: ratio "
            f"{median([a / b for a, b in pairs]):.1f} (wanted: {wanted} or more)"
        )


def processor(service: Child) -> None:
    """Processor time of a request, against the twin."""
    pairs = []
    for _ in range(4 * TURNS):
        taken = []
        for path in (ROUTE, TWIN):
            before = service.seconds()
            asyncio.run(load(service, 8, 100, path))
            taken.append((service.seconds() - before) / 800)
        pairs.append(taken)
    ours, theirs = (1e6 * median(side) for side in zip(*pairs, strict=True))
    ratio = median([a / b for a, b in pairs])
    say(
        f"processor time of a request: {ours:.0f} microseconds, as a route of FastAPI "
        f"{theirs:.0f}: ratio {ratio:.2f} (wanted: 0.75 or less)"
    )


def latency(service: Child) -> None:
    """Latencies beside the disk's, alone and with open streams."""
    disk = sync_of_disk()
    say(f"fdatasync of the disk: p50 {at(disk, 0.5):.2f}, p99 {at(disk, 0.99):.2f} ms")
    for connections in (1, 8, CONNECTIONS):
        taken = asyncio.run(load(service, connections, 640 // connections))
        say(f"{connections:2} connections: p50 {at(taken, 0.5):.1f}, p99 {at(taken, 0.99):.1f} ms")
    pairs = [
        [at(asyncio.run(with_streams(service, count, 200)), 0.99) for count in (0, STREAMS)]
        for _ in range(2 * TURNS)
    ]
    alone, watched = (median(side) for side in zip(*pairs, strict=True))
    ratio = median([b / a for a, b in pairs])
    say(
        f"p99 of 8 connections: {alone:.1f} ms, with {STREAMS} open streams {watched:.1f}: ratio "
        f"{ratio:.2f} (wanted: 1.10 or less)"
    )


async def _soak(service: Child, requests: int) -> tuple[list[float], list[float]]:
    """How long so many requests took that asked for decisions, and that told their values."""
    reader, out = await asyncio.open_connection("127.0.0.1", service.port)
    taken: tuple[list[float], list[float]] = [], []

    async def ask(path: str, body: dict[str, Any], times: list[float], wanted: int) -> Any:
        start = time.perf_counter()
        status, said = await call(reader, out, service.token, "POST", path, body)
        times.append(time.perf_counter() - start)
        assert status == wanted, said
        return json.loads(said)

    for _ in range(requests):
        asked = {"key": f"soak-{next(keys)}", "count": 100}
        made = (await ask(ROUTE, asked, taken[0], 201))["decisions"]
        items = [
            {"decision": one["id"], "values": {one["action"]: 0.5}, "key": f"value-{next(keys)}"}
            for one in made
        ]
        assert (await ask(VALUES, {"items": items}, taken[1], 200))["accepted"] == len(items)
    out.close()
    return sorted(taken[0]), sorted(taken[1])


def soak(decisions: int = 1_000_000) -> None:
    """A long run: memory and latency by tenths."""
    with running() as service:
        for tenth in range(1, 11):
            asks, tells = asyncio.run(_soak(service, max(1, decisions // 1000)))
            status = Path(f"/proc/{service.process.pid}/status").read_text().splitlines()
            memory = next(line.split()[1] for line in status if line.startswith("VmRSS"))
            say(
                f"{tenth * decisions // 10:>9,} decisions and values: {int(memory) // 1024:5} MB; "
                f"100 decisions p50 {at(asks, 0.5):.1f}, p99 {at(asks, 0.99):.1f} ms; "
                f"100 values p50 {at(tells, 0.5):.1f}, p99 {at(tells, 0.99):.1f} ms"
            )


def main() -> None:
    """Print the table."""
    commits()
    with running() as service:
        processor(service)
        latency(service)


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:])
    elif sys.argv[1:2] == ["read"]:
        port, token, *numbers = sys.argv[2:]
        say(str(asyncio.run(read_streams(int(port), token, *map(int, numbers)))))
    elif sys.argv[1:2] == ["soak"]:
        soak(*map(int, sys.argv[2:3]))
    else:
        main()
