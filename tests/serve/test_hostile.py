"""Requests that no client of good will sends: never a fault, never an event, others are served."""

from __future__ import annotations

import json
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from serving import JSON, MANY, Running, serving_here
from sidelight.serve.settings import Limits

SHORT, LONG = 2_000, 100_000
WAIT = 20.0
PATHS = (
    "/v1/experiments/shop/decisions",
    "/v1/experiments/shop/observations",
    "/v1/experiments/shop/records",
    "/ofrep/v1/evaluate/flags/shop",
)
# Bodies that are never right on any of the paths above.
BODIES: tuple[bytes, ...] = (
    b'{"count": 1e400}',
    b'{"count": false}',
    b'{"count": -1}',
    b'{"count": 1.5}',
    b'{"count": 99999999999999999999999999}',
    b'{"count": "1"}',
    b'{"key": 7}',
    b'{"key": ""}',
    b'{"key": "\\ud800"}',
    b'{"key": "\\u0000"}',
    b'{"key": "a\\u001f2"}',
    b'{"key": "\xed\xa0\x80"}',
    b'{"key": "' + b"k" * 201 + b'"}',
    b'{"unknown": 1}',
    b'{"count": NaN}',
    b'{"items": [{"decision": 1, "values": {"A": NaN}}]}',
    b'{"items": [{"decision": 1, "values": {"A": Infinity}}]}',
    b'{"items": [{"decision": 1, "values": {"A": 1e400}}]}',
    b'{"items": [{"decision": 1, "values": {"A": 1e300}}]}',
    b'{"items": [{"decision": 1, "values": {"A": true}}]}',
    b'{"items": [{"decision": 1, "values": {"A": "0.5"}}]}',
    b'{"items": [{"decision": 10000000, "values": {"A": 0.5}}]}',
    b'{"items": [{"decision": 0, "values": {"A": 0.5}}]}',
    b'{"items": [{"decision": 1, "values": {"C": 0.5}}]}',
    b'{"items": [{"action": "C", "values": {}}]}',
    b'{"items": []}',
    b'{"items": {}}',
    b'{"items": [' + b'{"decision": 1},' * 1000 + b'{"decision": 1}]}',
    b"[" * 50_000,
    b'{"items":' * 20_000,
    b'{"context": {"targetingKey": 7}}',
    b'{"context": {"a": ' + b"[" * 10_000 + b"]" * 10_000 + b"}}",
    b"null",
    b"[]",
    b'"text"',
    b"7",
    b"{",
    b"\xff\xfe{}",
    b"\xef\xbb\xbf{}",
    b"\x00" * 100,
    b'{"count": 1}{"count": 1}',
    b"count=1",
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with an experiment in which one decision was made."""
    folder = tmp_path_factory.mktemp("hostile")
    with serving_here(str(folder / "events.db"), folder) as service:
        service.create()
        service.decide()
        yield service


@pytest.fixture(autouse=True)
def unharmed(running: Running) -> Iterator[None]:
    """After every test: no event more, no fault in the log, and decisions are made."""
    before = running.events()
    yield
    assert running.events() == before
    assert '"internal"' not in running.log.getvalue()
    assert running.call("GET", "/v1/health", token=None).status == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:30].decode("latin-1"))
def test_wrong_bodies_are_refused_in_words(running: Running, path: str, body: bytes) -> None:
    answer = running.call("POST", path, body, headers=JSON)
    assert 400 <= answer.status < 500
    if path.startswith("/v1"):
        assert len(answer.data["detail"]) > 10
        assert answer.kind in ("invalid-request", "not-observable", "too-large")


TWICE = (
    ("decisions", '{"count": 1, "count": 2}', "count"),
    ("observations", '{"items": [{"decision": 1, "values": {"A": 1, "A": 2}}]}', "A"),
    ("observations", '{"items": [{"decision": 1, "values": {"A": 1, "\\u0041": 1}}]}', "A"),
    (
        "records",
        '{"items": [%s], "items": [%s]}' % (2 * ('{"action": "A", "values": {}}',)),
        "items",
    ),
    ("records", '{"items": [{"action": "A", "action": "B", "values": {}}]}', "action"),
)


@pytest.mark.parametrize(("path", "body", "name"), TWICE)
@pytest.mark.parametrize("length", [0, 2**15])
def test_a_name_that_stands_twice_is_refused(
    running: Running, path: str, body: str, name: str, length: int
) -> None:
    """Of two values one would be lost in silence."""
    sent = (body + " " * length).encode()  # a long body is looked at by another thread
    answer = running.call("POST", f"/v1/experiments/shop/{path}", sent, headers=JSON)
    assert (answer.status, answer.kind) == (400, "invalid-request")
    assert f"the name '{name}' stands twice in one object" in answer.data["detail"]


def test_a_name_that_stands_twice_in_a_problem_is_refused(running: Running) -> None:
    problem = b'{"actions": ["A"], "actions": ["A", "B"], "kind": "bandit"}'
    for method, path in (("PUT", "/v1/experiments/other"), ("POST", "/v1/analyze")):
        answer = running.call(method, path, b'{"problem": %s}' % problem, headers=JSON)
        assert (answer.status, answer.kind) == (400, "invalid-request")
        assert "the name 'actions' stands twice" in answer.data["detail"]


def test_a_missing_content_type_gets_a_sentence_for_curl_users(running: Running) -> None:
    for kind in (
        {},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "text/plain"},
    ):
        answer = running.call("POST", PATHS[0], b'{"count": 1}', headers=kind)
        assert (answer.status, answer.kind) == (415, "unsupported-media")
        assert "-H 'content-type: application/json'" in answer.data["detail"]


def test_a_token_in_a_body_is_not_kept(running: Running) -> None:
    answer = running.decide(key=running.secrets["admin"])
    assert answer.kind == "invalid-request"
    assert running.secrets["admin"] not in answer.body.decode()


def exchange(running: Running, sent: bytes, wait: float = WAIT) -> bytes:
    """Send bytes, hear what comes until the connection closes or is silent."""
    said = b""
    with socket.create_connection(("127.0.0.1", running.port), wait) as raw:
        try:
            raw.sendall(sent)
            raw.shutdown(socket.SHUT_WR)
            while piece := raw.recv(65536):
                said += piece
        except (ConnectionError, TimeoutError):
            pass
    return said


def head(running: Running, path: str = PATHS[0], more: str = "") -> bytes:
    """The beginning of a request that could be right."""
    token = running.secrets["admin"]
    return (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
        f"content-type: application/json\r\nconnection: close\r\n{more}"
    ).encode()


RAW: tuple[Callable[[Running], bytes], ...] = (
    lambda r: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",  # TLS on a plain port
    lambda r: b"GET\r\n\r\n",
    lambda r: b"GET / HTTP/9.9\r\n\r\n",
    lambda r: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    lambda r: b"GET /v1/health HTTP/1.1\r\n\r\n",
    lambda r: b"GET http://evil.example/v1/health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
    lambda r: head(r) + b"content-length: -1\r\n\r\n{}",
    lambda r: head(r) + b"content-length: 5\r\ncontent-length: 6\r\n\r\n{}",
    lambda r: head(r) + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    lambda r: (
        head(r) + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    ),
    lambda r: head(r) + b"transfer-encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n",
    lambda r: head(r) + b"transfer-encoding: gzip\r\n\r\n{}",
    lambda r: head(r) + b"content-length: 999999999999999999999999\r\n\r\n{}",
    lambda r: head(r) + b"content-length: 100\r\n\r\n{}",  # and then nothing
    lambda r: head(r) + b"x: " + b"y" * 40_000 + b"\r\n\r\n",
    lambda r: head(r) + b"x y: 1\r\n\r\n",
    lambda r: head(r) + b"x: \x00\r\n\r\n",
    lambda r: b"GET /" + b"a" * 30_000 + b" HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
    lambda r: b"GET /%zz%00%ff HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
    lambda r: (
        b"GET /v1/health HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\n"
        b"connection: upgrade\r\n\r\n"
    ),
    lambda r: head(r, more="upgrade: websocket\r\n") + b'content-length: 11\r\n\r\n{"count":0}',
    lambda r: b"\r\n" * 1000,
    lambda r: b"\x00" * 5000,
)


@pytest.mark.parametrize("number", range(len(RAW)))
def test_bytes_that_are_no_good_request(running: Running, number: int) -> None:
    said = exchange(running, RAW[number](running))
    assert not said.startswith(b"HTTP/1.1 5")
    assert not said.startswith(b"HTTP/1.1 2") or b"/v1/health" in RAW[number](running)


def test_what_is_no_http_gets_the_headers_of_the_house_too(running: Running) -> None:
    said = exchange(running, b"GET\r\n\r\n").lower()
    assert said.startswith(b"http/1.1 400")
    assert b"x-content-type-options: nosniff\r\n" in said
    assert b"default-src 'self'" in said


def mutated(rng: random.Random, running: Running) -> bytes:
    """A request that was damaged, and is not right any more."""
    # An unknown field: no other damage makes such a body right.
    body = b'{"unknown": 1, ' + rng.choice(BODIES[:24])[1:]
    if rng.random() < 0.5:
        body = rng.randbytes(rng.randrange(1, 200))
    sent = head(running, rng.choice(PATHS)) + b"content-length: %d\r\n\r\n" % len(body) + body
    if rng.random() < 0.6:
        place = rng.randrange(len(sent))
        sent = sent[:place] + rng.randbytes(rng.randrange(1, 8)) + sent[place + rng.randrange(4) :]
    if rng.random() < 0.2:
        sent = sent[: rng.randrange(len(sent))]
    return sent


def throw(running: Running, count: int) -> None:
    """Many such requests; all are answered below 500 or not at all."""
    rng = random.Random(7)
    for number in range(count):
        said = exchange(running, mutated(rng, running))
        assert not said.startswith((b"HTTP/1.1 5", b"HTTP/1.1 2")), said
        if number % 1000 == 0:  # here the log is kept in memory; a service does not keep it
            assert '"internal"' not in running.log.getvalue()
            running.log.seek(0)
            running.log.truncate()


def test_damaged_requests(running: Running) -> None:
    throw(running, SHORT)


@pytest.mark.campaign
def test_a_hundred_thousand_damaged_requests_leave_memory_flat(running: Running) -> None:
    throw(running, LONG // 20)
    before = resident()
    throw(running, LONG)
    assert resident() < 1.05 * before


def resident() -> int:
    """Kilobytes in memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def test_huge_bodies_are_not_kept_in_memory(running: Running) -> None:
    before = resident()
    size = 200 * 2**20
    with socket.create_connection(("127.0.0.1", running.port), WAIT) as raw:
        raw.sendall(head(running) + b"content-length: %d\r\n\r\n" % size)
        try:
            for _ in range(size // 2**20):
                raw.sendall(b" " * 2**20)
        except ConnectionError:
            pass
    assert resident() < before + 64 * 1024


def test_idle_sockets_keep_nobody_out(running: Running) -> None:
    with ExitStack() as stack:
        for number in range(1000):
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", running.port), WAIT))
            if number % 3 == 1:
                raw.sendall(b"POST /v1/experiments/shop/deci")
            if number % 3 == 2:
                raw.sendall(head(running) + b"content-length: 100\r\n\r\n{")
        assert running.call("GET", "/v1/experiments/shop").status == 200
        assert running.decide(key="x", count=0).status == 400


def test_slow_clients_are_let_go(tmp_path: Path) -> None:
    limits = Limits(idle=0.5, rate=1e6)
    with serving_here(str(tmp_path / "e.db"), tmp_path, limits) as running:
        running.create()
        for beginning in (b"", b"GET /v1/he", head(running) + b"content-length: 9\r\n\r\n{"):
            with socket.create_connection(("127.0.0.1", running.port), WAIT) as raw:
                raw.sendall(beginning)
                said = _ends(raw)
                # Whoever has begun a request hears why; who said nothing has nothing to hear.
                assert (b"the request was not whole after 0.5 s" in said) == bool(beginning), said
        with socket.create_connection(("127.0.0.1", running.port), WAIT) as raw:
            raw.sendall(b"GET /v1/health HTTP/1.1\r\nhost: 127.0.0.1\r\n")
            with pytest.raises(ConnectionError):
                _drip(raw)
        assert len(running.events()) == 1


def test_a_client_that_does_not_read_is_let_go(tmp_path: Path) -> None:
    with serving_here(str(tmp_path / "e.db"), tmp_path, Limits(idle=0.5, rate=1e6)) as running:
        running.create()
        for _ in range(20):  # more than the buffers of the system hold
            running.decide(count=1000)
        token = running.secrets["read"]
        asked = (
            f"GET /v1/experiments/shop/events HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            f"accept: text/event-stream\r\nauthorization: Bearer {token}\r\n\r\n"
        )
        with socket.socket() as raw:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            raw.settimeout(WAIT)
            raw.connect(("127.0.0.1", running.port))
            raw.sendall(asked.encode())
            assert running.server is not None
            feeds = running.server.service.feeds
            for wanted in (1, 0):
                until = time.monotonic() + WAIT
                while feeds.open != wanted:
                    assert time.monotonic() < until, "it waits for ever"
                    time.sleep(0.01)
        assert running.call("GET", "/v1/health", token=None).status == 200


def _drip(raw: socket.socket) -> None:
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        raw.sendall(b"x: y\r\n")
        time.sleep(0.1)


def _ends(raw: socket.socket) -> bytes:
    """What comes until the service closes the connection."""
    said = b""
    with suppress(ConnectionError):
        while part := raw.recv(65536):
            said += part
    return said


def test_one_connection_too_many_is_told_so(tmp_path: Path) -> None:
    limits = Limits(connections=2, rate=1e6)
    with serving_here(str(tmp_path / "e.db"), tmp_path, limits) as running, ExitStack() as stack:
        running.create()
        for _ in range(2):  # both are in use: they wait for events
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", running.port), WAIT))
            token = running.secrets["read"]
            raw.sendall(
                f"GET /v1/experiments/shop/events HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: "
                f"text/event-stream\r\nauthorization: Bearer {token}\r\n\r\n".encode()
            )
            assert raw.recv(1000).startswith(b"HTTP/1.1 200")
        answer = running.call("GET", "/v1/health", token=None)
        assert (answer.status, answer.kind) == (429, "rate-limited")


def test_a_fault_of_ours_is_in_the_log_under_the_id_that_the_caller_gets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving_here(str(tmp_path / "e.db"), tmp_path, MANY) as running:
        running.create()
        assert running.server is not None
        shop = running.server.service.shelf.find("shop")

        def broken(*_: object) -> None:
            raise ZeroDivisionError("a secret: " + running.secrets["admin"])

        monkeypatch.setattr(shop, "decide", broken)
        answer = running.decide()
        assert (answer.status, answer.kind) == (500, "internal")
        lines = [json.loads(line) for line in running.log.getvalue().splitlines()]
        (fault,) = [line for line in lines if line["event"] == "internal"]
        assert fault["id"] == answer.data["id"] == answer.headers["x-request-id"]
        assert any("hot.py" in place for place in fault["where"])
        assert running.secrets["admin"] not in running.log.getvalue() + answer.body.decode()
