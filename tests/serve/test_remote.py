"""`sidelight.connect`: the verbs of a learner over HTTP, repeated until they have an answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from commands import Command
from serving import Apart, Running, serving_here, tokens_for
from sidelight.errors import ContradictionError, NotShownError
from sidelight.remote import Calls


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with serving_here(str(tmp_path / "events.db"), tmp_path) as service:
        service.create("shop", problem={"actions": ["A", 2, "C"], "kind": "full-information"})
        yield service


def test_it_plays_as_a_learner_does(running: Running) -> None:
    feedback = sl.Feedback.full_information(3, labels=["A", 2, "C"])
    learner = sl.Learner(feedback, "ucb-n")
    rng = np.random.default_rng(1)
    with sl.connect(running.url, running.secrets["decide"]) as shop:
        for t in range(1, 31):
            decision = shop.ask(key=f"visit-{t}")
            assert decision == learner.ask() == shop.ask(key=f"visit-{t}")
            values = rng.normal(0.5, 1.0, 3)
            assert shop.tell(decision.id, values, key=f"sale-{t}")
            learner.tell(decision.id, values)
        assert not shop.tell(decision.id, values, key="sale-30")
        assert shop.record(2, {"A": 0.5, 2: 0.25})
        learner.record(2, {"A": 0.5, 2: 0.25})
        decision = shop.ask()
        assert decision == learner.ask()
        assert shop.pending == learner.pending
        assert shop.rounds == learner.rounds == 31
        for name in ("plays", "information", "sums"):
            assert np.array_equal(getattr(shop.belief, name), getattr(learner.belief, name))
        assert shop.verdict(0.1) == learner.verdict(0.1)
        assert shop.diagnose() == learner.diagnose()
        assert [event["type"] for event in shop.events()][:3] == ["created", "opened", "decided"]
        assert shop.state == "running"
        assert [one.id for one in shop.ask_many(3)] == [32, 33, 34]


def test_refusals_are_errors_of_the_library(running: Running) -> None:
    shop = sl.connect(running.url, running.secrets["admin"], experiment="shop")
    shop.ask(key="a")
    shop.tell(1, {"A": 0.5}, key="t")
    for error, call in (
        (sl.KeyReusedError, lambda: shop.tell(1, {"C": 0.5}, key="t")),
        (ContradictionError, lambda: shop.tell(1, {"A": 0.75})),
        (sl.InputError, lambda: shop.tell(7, {"A": 0.75})),
        (sl.InputError, lambda: shop.tell(1, {"A": float("nan")})),
        (sl.InputError, lambda: shop.tell(1, {"A": True})),
        (sl.InputError, lambda: shop.record("B", {})),
        (sl.InputError, lambda: shop.set_state("asleep")),
        (sl.InputError, lambda: shop.verdict(2.0)),
    ):
        with pytest.raises(error):
            call()
    assert shop.set_state("paused")
    with pytest.raises(sl.NotRunningError):
        shop.ask()
    running.create("shop2", problem={"actions": ["A", "B"], "kind": "bandit"})
    other = sl.connect(running.url, running.secrets["admin"], experiment="shop2")
    decision = other.ask()
    with pytest.raises(NotShownError):
        other.tell(decision.id, {"A": 0.5, "B": 0.5})
    for remote in (shop, other):
        remote.close()
    with pytest.raises(sl.InputError, match="which experiment"):
        sl.connect(running.url, running.secrets["admin"])


@pytest.mark.parametrize("wanted", [1.7, True, "1", "x", None, 0, -1, 2])
def test_an_id_that_a_learner_refuses_is_not_sent(running: Running, wanted: Any) -> None:
    learner = sl.Learner(sl.Feedback.full_information(3, labels=["A", 2, "C"]), "ucb-n")
    learner.ask()
    with sl.connect(running.url, running.secrets["decide"]) as shop:
        shop.ask()
        before = running.events()
        for player in (learner, shop):
            with pytest.raises(sl.InputError, match="id"):
                player.tell(wanted, {"A": 0.5})
        assert running.events() == before
        assert shop.tell(np.int64(1), {"A": 0.5})  # type: ignore[arg-type]


def test_numbers_of_all_kinds_are_values_as_for_a_learner(running: Running) -> None:
    with sl.connect(running.url, running.secrets["decide"]) as shop:
        shop.ask()
        assert shop.tell(1, {"A": Fraction(1, 2), 2: Decimal("0.25")})  # type: ignore[dict-item]
        assert running.events()[-1]["body"]["values"] == {"A": 0.5, "2": 0.25}
        for value in (10**400, Decimal("NaN"), "0.5", None):
            with pytest.raises(sl.InputError, match="the value of 'C'"):
                shop.tell(1, {"C": value})  # type: ignore[dict-item]
        for delta in ("x", 0, 1, float("nan")):
            for ask in (shop.verdict, shop.diagnose):
                with pytest.raises(sl.InputError, match="delta"):
                    ask(delta)  # type: ignore[arg-type]


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999", "http://127.0.0.1:x", "http://[::1"])
def test_an_address_that_is_none_is_refused_in_a_sentence(sidelight: Command, url: str) -> None:
    done = sidelight("ask", "shop", "--url", url)
    assert (done.code, done.out) == (2, "")
    assert "is no address of a service" in done.err


@pytest.mark.parametrize("more", ["/", "/v1", "/v1/"])
def test_the_version_may_be_part_of_the_address(running: Running, more: str) -> None:
    with sl.connect(running.url + more, running.secrets["decide"], experiment="shop") as shop:
        assert shop.ask(key="visit").id == 1
        assert [event["n"] for event in shop.events()] == [1, 2, 3]


def test_a_label_names_the_action_that_a_learner_finds(running: Running) -> None:
    """Its text alone would let None be "None", and 2 be "2"."""
    labels = [None, 2, "C"]
    written = [{"none": True}, 2, "C"]
    running.create("odd", problem={"actions": written, "kind": "full-information"})
    learner = sl.Learner(sl.Feedback.full_information(3, labels=labels), "ucb-n")
    learner.ask()
    with sl.connect(running.url, running.secrets["decide"], experiment="odd") as shop:
        shop.ask()
        for player in (learner, shop):
            assert player.tell(1, {None: 0.5, 2: 0.25})
            assert not player.tell(1, {"2": 0.25})
            with pytest.raises(sl.InputError, match="'D'"):
                player.tell(1, {"D": 0.5})
        with pytest.raises(sl.InputError, match="two different values of '2'"):
            shop.tell(1, {2: 0.25, "2": 0.5})


@pytest.mark.parametrize("key", ["", "x" * 201])
def test_a_key_that_is_none_is_refused_as_a_learner_refuses_it(running: Running, key: str) -> None:
    with sl.connect(running.url, running.secrets["decide"]) as shop:
        shop.ask()
        before = running.events()
        for say in (
            lambda: shop.ask(key=key),
            lambda: shop.ask_many(2, key),
            lambda: shop.tell(1, {"A": 0.5}, key=key),
            lambda: shop.record("A", {"A": 0.5}, key=key),
        ):
            with pytest.raises(sl.InputError, match="a key is text of 1 to 200 characters"):
                say()
        assert running.events() == before


def test_a_token_comes_from_the_environment_and_goes_nowhere_in_plain_text(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(sl.InputError, match="no token"):
        sl.connect(running.url)
    no_text: Any
    for no_text in (b"sidelight_read_x", 7):
        with pytest.raises(sl.InputError, match="must be text"):
            sl.connect(running.url, no_text)
    for token in ("a b\x00", " ", "ä"):
        with pytest.raises(sl.InputError, match="characters that no token has"):
            sl.connect(running.url, token)
    sl.connect(running.url, running.secrets["read"] + "\n").close()  # as a file has it
    monkeypatch.setenv("SIDELIGHT_TOKEN", running.secrets["read"])
    shop = sl.connect(running.url)
    assert running.secrets["read"] not in f"{shop!r} {shop._calls!r}"
    shop.close()
    for url in ("http://example.org", "ftp://127.0.0.1", "127.0.0.1", "http://u:p@127.0.0.1"):
        with pytest.raises(sl.InputError):
            sl.connect(url, "sidelight_read_x")
    with pytest.raises(sl.InputError, match="unknown, revoked or expired"):
        sl.connect(running.url, "sidelight_read_" + "x" * 43)


def test_answers_that_are_lost_are_asked_for_again(tmp_path: Path) -> None:
    """The service is killed under the client; every decision is made once."""
    tokens = tmp_path / "tokens"
    secret = tokens_for(tokens)["admin"]
    service = Apart(str(tmp_path / "events.db"), tokens)
    try:
        here = Running(service.port, {"admin": secret}, None)  # type: ignore[arg-type]
        assert here.create().status == 201
        shop = sl.connect(here.url, secret, patience=60.0)
        found: list[int] = []

        def ask() -> None:
            found.extend(shop.ask().id for _ in range(200))

        asking = threading.Thread(target=ask)
        asking.start()
        for _ in range(3):
            service.kill()
            service.again()
        asking.join(120)
        shop.close()
        assert found == list(range(1, 201))
    finally:
        service.kill()


def test_without_a_service_the_error_says_what_to_do() -> None:
    calls = Calls("http://127.0.0.1:9", "x", patience=0.1)
    with pytest.raises(sl.StoreError, match="see whether the service runs"):
        calls.call("GET", "/v1/health")
    with pytest.raises(sl.StoreError, match="see whether the service runs"):
        next(calls.lines("/v1/experiments/shop/events"))
    for body in ({"key": "auto-7"}, {"items": [{"key": "auto-7"}]}):
        with pytest.raises(sl.UnknownOutcomeError, match="repeat it with the same key, 'auto-7'"):
            calls.call("POST", "/v1/health", body)
    for plain in ({"state": "paused"}, None):
        with pytest.raises(sl.UnknownOutcomeError, match=r"repeat it$"):
            calls.call("POST", "/v1/health", plain)


def test_whoever_waits_is_told_so_once_for_each_call() -> None:
    said: list[str] = []
    calls = Calls("http://127.0.0.1:9", "x", patience=0.5, notice=said.append)
    with pytest.raises(sl.StoreError):
        calls.call("GET", "/v1/health")
    assert len(said) == 1
    assert "see whether the service runs; trying again for 0.5 s" in said[0]


def test_a_command_that_waits_for_a_service_says_so(
    sidelight: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDELIGHT_TOKEN", "x")
    monkeypatch.setattr("sidelight.remote.experiment.Calls", hurried)
    found = sidelight("verdict", "shop", "--url", "http://127.0.0.1:9")
    assert found.code == 1
    assert "trying again for 0.2 s" in found.err


def hurried(url: str, token: str, _: float, *more: Any) -> Calls:
    return Calls(url, token, 0.2, *more)


def test_commands_reach_a_service(
    running: Running, sidelight: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDELIGHT_TOKEN", running.secrets["admin"])
    there = ("--url", running.url)
    asked = sidelight("ask", "shop", *there, "--key", "v", "--json")
    assert asked.code == 0, asked.err
    decision = json.loads(asked.out)
    assert decision["shows"] == ["A", "2", "C"]
    assert f"sidelight tell shop --url {running.url} 1 A=..." in asked.err
    assert json.loads(sidelight("ask", "shop", *there, "--key", "v", "--json").out) == decision
    assert sidelight("tell", "shop", 1, "A=0.5", *there).out == (
        "decision 1: taken; awaited: 2, C\n"
    )
    assert sidelight("record", "shop", "C", "A=0.25", *there).out == "recorded\n"
    assert sidelight("verdict", "shop", *there).out.startswith("best so far: A")
    assert "2 pairs with data" in sidelight("diagnose", "shop", *there).out
    assert sidelight("state", "shop", "paused", *there).out.startswith("shop: paused, 1 decisions")
    lines = sidelight("events", "shop", *there).out.splitlines()
    assert [line.split()[2] for line in lines[:3]] == ["created", "opened", "decided"]
    refused = sidelight("ask", "shop", *there)
    assert refused.code == 2
    assert "paused" in refused.err
    assert sidelight("ask", "nobody", *there).code == 2
    assert sidelight("ask", "shop", "-e", "shop", *there).code == 2
