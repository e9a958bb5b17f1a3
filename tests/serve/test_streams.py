"""Events as they come: long polls, server-sent events in CloudEvents, many readers."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from serving import PATIENCE, Running, serving_here
from sidelight.live.events import Event, check_chain
from sidelight.serve.settings import Limits
from sidelight.serve.streams import PAGE
from sidelight.serve.tokens import FRESH, TokenFile

EVENTS = "/v1/experiments/shop/events"


@pytest.fixture
def running(where: str, tmp_path: Path) -> Iterator[Running]:
    limits = Limits(rate=1e6, streams=3)
    with serving_here(where, tmp_path, limits) as service:
        service.create()
        yield service


class Stream:
    """A reader of server-sent events."""

    def __init__(
        self, running: Running, path: str = EVENTS, token: str = "read", **headers: str
    ) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=PATIENCE)
        sent = {
            "accept": "text/event-stream",
            "authorization": f"Bearer {running.secrets[token]}",
            **headers,
        }
        self.connection.request("GET", path, headers=sent)
        self.answer = self.connection.getresponse()

    def next(self) -> dict[str, Any]:
        """The next event, as it is in its envelope."""
        found: dict[str, str] = {}
        while line := self.answer.readline().decode():
            name, _, value = line.rstrip("\n").partition(": ")
            if not line.strip() and "data" in found:
                break
            if name:
                found[name] = value
        data: dict[str, Any] = json.loads(found["data"])
        assert found["id"] == data["id"]
        assert found["event"] == data["type"].removeprefix("sidelight.")
        return data

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


def test_a_stream_has_all_events_in_cloud_events(running: Running) -> None:
    running.decide()
    stream = Stream(running)
    assert stream.answer.headers["content-type"].startswith("text/event-stream")
    first = [stream.next() for _ in range(3)]
    running.decide(count=2, key="later")
    running.observe({"decision": 1, "values": {"A": 0.5}})
    more = [stream.next() for _ in range(3)]
    stream.close()
    for number, event in enumerate(first + more, 1):
        assert event["specversion"] == "1.0"
        assert event["id"] == str(number)
        assert event["source"] == "/v1/experiments/shop"
        assert event["datacontenttype"] == "application/json"
        assert event["time"].endswith("Z")
    types = [event["type"].removeprefix("sidelight.") for event in first + more]
    assert types == ["created", "opened", "decided", "decided", "decided", "told"]
    kept = running.events()
    assert [event["data"]["hash"] for event in first + more] == [event["hash"] for event in kept]
    events = [Event(**{**one, "body": _canonical(one["body"])}) for one in kept]
    assert check_chain(events) is None


def _canonical(body: object) -> str:
    return json.dumps(body, sort_keys=True, separators=(",", ":"))


def test_a_stream_goes_on_where_it_was_left(running: Running) -> None:
    running.decide(count=5)
    stream = Stream(running, EVENTS + "?after=4")
    assert stream.next()["id"] == "5"
    stream.close()
    again = Stream(running, **{"last-event-id": "6"})
    assert again.next()["id"] == "7"
    again.close()
    both = Stream(running, EVENTS + "?after=2", **{"last-event-id": "6"})
    assert both.next()["id"] == "7"
    both.close()
    lines = running.call("GET", EVENTS, headers={"last-event-id": "6"})
    assert json.loads(lines.body.splitlines()[0])["n"] == 7


@pytest.mark.parametrize("seen", ["x", "-1", "1.0", "\xb2", "9" * 17, "999"])
@pytest.mark.parametrize("kind", ["text/event-stream", "application/x-ndjson"])
def test_a_number_of_an_event_that_is_none_is_refused(
    running: Running, seen: str, kind: str
) -> None:
    """Taken for 0, it would send all events again."""
    answer = running.call("GET", EVENTS, headers={"accept": kind, "last-event-id": seen})
    assert (answer.status, answer.kind) == (400, "invalid-request")
    assert answer.data["parameter"] == "Last-Event-ID"


def test_more_events_than_are_kept_for_streams_come_in_their_order(running: Running) -> None:
    for _ in range(4):
        running.decide(count=1000)
    stream = Stream(running)
    assert [stream.next()["id"] for _ in range(4002)] == [str(n) for n in range(1, 4003)]
    running.decide()
    assert stream.next()["id"] == "4003"
    stream.close()


def test_a_token_that_is_revoked_reads_no_more_events(running: Running) -> None:
    stream = Stream(running)
    stream.next()
    found: list[bytes] = []
    asking = threading.Thread(
        target=lambda: found.append(
            running.call("GET", EVENTS + "?after=1&wait=30", token="read").body
        )
    )
    asking.start()
    time.sleep(FRESH)
    TokenFile(running.settings.tokens).revoke("read")
    time.sleep(2 * FRESH)
    running.decide()
    assert b"data" not in stream.answer.read()
    asking.join(PATIENCE)
    assert found == [b""]
    stream.close()


def test_a_stream_that_breaks_off_is_in_the_log(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert running.server is not None
    feeds = running.server.service.feeds
    running.decide(count=2 * PAGE)
    look = feeds._look

    def broken(experiment: str, after: int) -> Any:
        if after:
            raise ZeroDivisionError
        return look(experiment, after)

    monkeypatch.setattr(feeds, "_look", broken)
    with pytest.raises(http.client.IncompleteRead):
        running.call("GET", EVENTS)
    lines = [json.loads(line) for line in running.log.getvalue().splitlines()]
    (fault,) = [line for line in lines if line["event"] == "internal"]
    assert "ZeroDivisionError" in fault["error"]
    assert any("streams.py" in place for place in fault["where"])


def test_one_stream_too_many_is_told_so(running: Running) -> None:
    streams = [Stream(running, token=token) for token in ("read", "read", "decide")]
    for stream in streams:
        stream.next()
    poll = EVENTS + "?after=1&wait=9"
    for path, token, said in (
        (EVENTS, "read", "the token 'read' has 2 streams"),
        (poll, "read", "the token 'read' has 2 streams"),
        (EVENTS, "admin", "3 streams and questions that wait are open already"),
        (poll, "admin", "3 streams and questions that wait are open already"),
    ):
        accept = {"accept": "*/*" if "wait" in path else "text/event-stream"}
        refused = running.call("GET", path, token=token, headers=accept)
        assert (refused.status, refused.kind) == (429, "rate-limited")
        assert said in refused.data["detail"]
    assert running.call("GET", EVENTS + "?wait=9", token="read").status == 200  # it need not wait
    for stream in streams:
        stream.close()


def test_questions_that_wait_keep_nobody_out(tmp_path: Path) -> None:
    limits = Limits(rate=1e6, connections=8, streams=4)
    with serving_here(str(tmp_path / "e.db"), tmp_path, limits) as running, ExitStack() as stack:
        running.create()
        for _ in range(12):
            raw = stack.enter_context(asking(running, "?after=1&wait=30"))
            with suppress(TimeoutError):
                raw.settimeout(0.2)
                raw.recv(1)  # those that wait have an answer without a body; others are refused
        assert running.call("GET", "/v1/health", token=None).status == 200
        assert running.call("GET", "/v1/experiments", token="admin").status == 200
        assert running.server is not None
        assert running.server.service.feeds.open == 2


def asking(running: Running, query: str = "", accept: str = "*/*") -> socket.socket:
    """A plain connection that has asked for events."""
    raw = socket.create_connection(("127.0.0.1", running.port), PATIENCE)
    raw.sendall(
        f"GET {EVENTS}{query} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: {accept}\r\n"
        f"authorization: Bearer {running.secrets['read']}\r\n\r\n".encode()
    )
    return raw


@pytest.mark.parametrize(
    ("query", "accept"), [("", "text/event-stream"), ("?after=1&wait=30", "*/*")]
)
def test_a_reader_who_has_gone_leaves_its_place_at_once(
    running: Running, query: str, accept: str
) -> None:
    assert running.server is not None
    feeds = running.server.service.feeds
    for _ in range(9):  # more than there are places, and nothing is written to them
        with asking(running, query, accept) as raw:
            assert raw.recv(1000).startswith(b"HTTP/1.1 200")
            assert feeds.open == 1
        until = time.monotonic() + 5  # far less than the time until a stream says that it lives
        while feeds.open:
            assert time.monotonic() < until, "the place is taken still"
            time.sleep(0.01)


def test_whoever_hangs_up_before_a_stream_begins_takes_no_place(running: Running) -> None:
    for query, accept in (("", "text/event-stream"), ("?after=1&wait=30", "*/*")):
        with asking(running, query, accept) as raw:
            raw.shutdown(socket.SHUT_WR)
            raw.settimeout(10)  # seconds, in which a stream that goes on does not end
            while raw.recv(1000):  # refused, or ended, whichever comes first
                pass
    with asking(running) as raw:  # whoever does not wait gets the answer
        raw.shutdown(socket.SHUT_WR)
        assert raw.recv(1000).startswith(b"HTTP/1.1 200")


def test_a_question_that_waits_is_answered_by_the_next_event(running: Running) -> None:
    found: list[bytes] = []
    asking = threading.Thread(
        target=lambda: found.append(running.call("GET", EVENTS + "?after=1&wait=30").body)
    )
    asking.start()
    running.decide(key="news")
    asking.join(PATIENCE)
    types = [json.loads(line)["type"] for line in found[0].splitlines()]
    assert types[0] == "opened"


def test_open_streams_do_not_keep_a_service_from_ending(where: str, tmp_path: Path) -> None:
    with serving_here(where, tmp_path) as running:
        running.create()
        stream = Stream(running)
        stream.next()
    assert stream.answer.read() == b""
    stream.close()
