"""A database server that goes away: said in words, red health, and no decision twice."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from proxies import Wire, close, wired
from servers import free_port
from serving import Answer, Running, serving_here

if TYPE_CHECKING:
    from servers import Server


@pytest.fixture
def service(server: Server, tmp_path: Path) -> Iterator[tuple[Running, Wire]]:
    """A service that reaches its database by a wire which can be cut."""
    with server.lend() as address, wired(server.port) as wire:
        place = address.replace(f":{server.port}/", f":{wire.own}/")
        with serving_here(place, tmp_path) as running:
            assert running.create().status == 201
            assert running.decide(key="first").status == 201
            yield running, wire


def check_tells_nothing(running: Running, red: Answer, *words: str) -> None:
    """A stranger reads that something is wrong; the operator reads what and where."""
    told = red.body.decode()
    for word in (*words, running.settings.where, "127.0.0.1", "/tmp", ".db"):
        assert word not in told
    for word in words:
        assert word in running.log.getvalue()


def test_health_tells_nobody_where_the_store_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "events.db")
    with serving_here(path, tmp_path) as running:
        with monkeypatch.context() as patch:
            patch.setattr(Path, "open", full)
            red = running.call("GET", "/v1/health", token=None)
        assert (red.status, red.kind) == (503, "storage-failed")
        check_tells_nothing(running, red, path, "the disk is full")
        assert running.call("GET", "/v1/health", token=None).status == 200
        assert running.server is not None
        running.server.service.failure = f"{path}: the disk failed"
        red = running.call("GET", "/v1/health", token=None)
        assert (red.status, red.kind) == (503, "storage-failed")
        check_tells_nothing(running, red)


def full(path: Path, *_: object, **__: object) -> None:
    """What opening a file gives on a full disk."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_commit_whose_answer_is_lost_counts_once(
    service: tuple[Running, Wire], moment: str
) -> None:
    running, wire = service
    wire.cut = moment
    lost = running.decide(key="second", count=3)
    assert (lost.status, lost.kind) == (503, "storage-failed")
    assert "same key" in lost.data["detail"]
    wire.cut = ""
    found = running.decide(key="second", count=3)
    assert found.status == (200 if moment == "after" else 201)
    assert [one["id"] for one in found.data["decisions"]] == [2, 3, 4]
    assert running.decide(key="third").data["decisions"][0]["id"] == 5
    assert wire.cuts


def test_health_is_red_while_the_server_is_away(service: tuple[Running, Wire]) -> None:
    running, wire = service
    there, wire.port = wire.port, free_port()
    for end in list(wire.ends):
        close(end)
    red = running.call("GET", "/v1/health", token=None)
    assert (red.status, red.kind) == (503, "storage-failed")
    check_tells_nothing(running, red, "postgresql://", "no connection")
    assert running.decide(key="lost").kind == "storage-failed"
    wire.port = there
    assert running.call("GET", "/v1/health", token=None).status == 200
    assert running.decide(key="lost").data["decisions"][0]["id"] == 2


def test_health_commits_something_without_an_event(server: Server, tmp_path: Path) -> None:
    with server.lend() as address, psycopg.connect(address, autocommit=True) as watching:
        written = "SELECT pg_current_wal_lsn()"
        with serving_here(address, tmp_path) as running:
            before = watching.execute(written).fetchone()
            assert running.call("GET", "/v1/health", token=None).status == 200
            assert watching.execute(written).fetchone() != before
            assert watching.execute("SELECT count(*) FROM event").fetchone() == (0,)
