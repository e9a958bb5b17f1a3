"""What each route does, over HTTP, on both databases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sidelight as sl
from serving import BANDIT, JSON, Running, serving_here
from sidelight.live.events import check_chain
from sidelight.live.exchange import from_lines


@pytest.fixture
def running(where: str, tmp_path: Path) -> Iterator[Running]:
    """A service with one experiment."""
    with serving_here(where, tmp_path) as service:
        assert service.create().status == 201
        yield service


E = "/v1/experiments/shop"


def test_the_same_beginning_may_be_sent_again_and_another_may_not(running: Running) -> None:
    assert running.create().status == 200
    others: tuple[tuple[str, Any], ...] = (
        ("seed", 4),
        ("policy", "uniform"),
        ("patience", 3),
        ("horizon", 5.0),
    )
    for key, value in others:
        refused = running.create(**{key: value})
        assert (refused.status, refused.kind) == (409, "conflict")
        assert refused.data["pointer"] == f"/{key}"


def test_the_same_key_gets_the_same_answer(running: Running) -> None:
    first, again = running.decide(key="visit"), running.decide(key="visit")
    assert (first.status, again.status) == (201, 200)
    assert (first.data["replayed"], again.data["replayed"]) == (False, True)
    assert first.data["decisions"] == again.data["decisions"]
    header = running.call("POST", E + "/decisions", {}, "decide", {"idempotency-key": "visit"})
    assert header.data["decisions"] == first.data["decisions"]
    refused = running.decide(key="visit", count=2)
    assert (refused.status, refused.kind) == (422, "key-reused")
    two = running.call("POST", E + "/decisions", {"key": "a"}, headers={"idempotency-key": "b"})
    assert two.kind == "invalid-request"


def test_many_decisions_come_in_one_list(running: Running) -> None:
    found = running.decide(count=1000, key="many").data
    assert [one["id"] for one in found["decisions"]] == list(range(1, 1001))
    assert running.decide(count=1001).kind == "invalid-request"
    assert running.decide(count=1000, key="many").data["decisions"] == found["decisions"]


def test_values_are_taken_all_or_none(running: Running) -> None:
    running.decide(count=2)
    before = len(running.events())
    bad = running.observe(
        {"decision": 1, "values": {"A": 0.5}}, {"decision": 2, "values": {"C": 0.5}}
    )
    assert (bad.status, bad.data["pointer"]) == (400, "/items/1")
    assert len(running.events()) == before
    good = [
        {"decision": 1, "values": {"A": 0.5, "B": None}, "key": "e1"},
        {"decision": 2, "values": {"A": 0.25, "B": 0.75}, "key": "e2", "last": True},
    ]
    answers = [running.observe(*good).data for _ in range(2)]
    counts = [(one["accepted"], one["duplicate"]) for one in answers]
    assert counts == [(2, 0), (0, 2)]
    reused = running.observe({"decision": 2, "values": {"A": 0.25}, "key": "e1"})
    assert (reused.status, reused.kind) == (422, "key-reused")
    values = running.observe({**good[0], "values": {"A": 0.75}})
    assert (values.status, values.kind) == (422, "key-reused")
    other = running.observe({"decision": 1, "values": {"A": 0.75}})
    assert (other.status, other.kind) == (409, "conflict")
    late = running.observe({"decision": 1, "values": {"B": 0.5}})
    assert late.data["accepted"] == 1


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/decisions", {"count": 1.5}, "a whole number belongs here, and this is a number with"),
        ("/decisions", {"count": 0}, "a whole number, at least 1, belongs here (at /count)"),
        ("/decisions", {"key": ""}, "text of at least 1 character belongs here (at /key)"),
        ("/decisions", {"key": [1]}, "text or null belongs here, and this is a list"),
        ("/decisions", {"cuont": 1}, "there is no field 'cuont' here"),
        ("/decisions", [], "an object belongs here, and this is a list"),
        ("/decisions", b"{", "it ends too early: see whether a quote or a bracket is open"),
        ("/decisions", b"x", "invalid character (byte 0); see the quotes"),
        ("/decisions", b'{"count": 1e400}', "the number is too large"),
        ("/observations", {}, "the field 'items' is missing"),
        ("/observations", {"items": []}, "a list of at least 1 item belongs here"),
        ("/observations", {"items": [{"decision": 1, "last": 1}]}, "true or false belongs here"),
    ],
)
def test_what_does_not_fit_is_said_in_our_words(
    running: Running, path: str, body: Any, said: str
) -> None:
    refused = running.call("POST", E + path, body, headers=JSON)
    assert refused.kind == "invalid-request"
    assert said in refused.data["detail"]
    assert not re.search("Expected|`|got|Object|malformed", refused.data["detail"])


def test_refusals_say_what_to_do(running: Running) -> None:
    running.decide(key="a")
    reused = running.decide(key="a", count=2)
    assert "give each real event a key of its own" in reused.data["detail"]
    deep: list[Any] = []
    for _ in range(10):
        deep = [deep]
    assert "send a flatter one" in running.create("deep", problem={"x": deep}).data["detail"]
    running.call("PUT", E + "/state", {"state": "paused"})
    assert "or set its state to running" in running.decide().data["detail"]


def test_a_header_stands_for_the_key_of_a_batch(running: Running) -> None:
    running.decide(count=2)
    items = [{"decision": 1, "values": {"A": 0.5}}, {"decision": 2, "values": {"A": 0.5}}]
    key = {"idempotency-key": '"batch-7"'}
    assert running.observe(*items, headers=key).data["accepted"] == 2
    assert running.observe(*items, headers=key).data["duplicate"] == 2
    assert running.observe(items[0], headers=key).kind == "key-reused"
    other = [items[0], {**items[1], "values": {"A": 0.75}}]
    assert running.observe(*other, headers=key).kind == "key-reused"
    own = running.observe(items[0], {**items[1], "key": "own"}, headers=key)
    assert (own.kind, own.data["pointer"]) == ("invalid-request", "/items/1")
    before = running.events()
    one = {**items[0], "key": "own"}
    assert running.observe(one, headers=key).status in (400, 422)
    assert running.observe(one, headers={"idempotency-key": "new"}).kind == "invalid-request"
    assert running.observe(one, headers={"idempotency-key": "own"}).data["duplicate"] == 1
    assert len(running.events()) == len(before) + 1  # the key is new


def test_what_an_action_does_not_show_is_refused(running: Running) -> None:
    running.create("shop2", problem={"actions": ["A", "B"], "kind": "bandit"})
    (decision,) = running.decide("shop2").data["decisions"]
    other = "B" if decision["action"] == "A" else "A"
    refused = running.observe({"decision": decision["id"], "values": {other: 0.5}}, name="shop2")
    assert (refused.status, refused.kind) == (422, "not-observable")


def test_actions_that_nobody_asked_about_are_recorded(running: Running) -> None:
    items = {"items": [{"action": "A", "values": {"A": 0.5, "B": 0.25}, "key": "i1"}]}
    assert running.call("POST", E + "/records", items).data["accepted"] == 1
    assert running.call("POST", E + "/records", items).data["duplicate"] == 1
    found = running.call("GET", E).data["estimates"]
    assert [one["plays"] for one in found] == [1, 0]


def test_states(running: Running) -> None:
    def to(state: str) -> Any:
        return running.call("PUT", E + "/state", {"state": state})

    running.decide(key="before")
    assert to("paused").data == {"state": "paused", "changed": True}
    assert to("paused").data["changed"] is False
    assert running.decide().kind == "paused"
    assert running.decide(key="before").status == 200
    assert running.observe({"decision": 1, "values": {"A": 0.5}}).data["accepted"] == 1
    assert to("shadow").status == 200
    assert running.decide().data["decisions"][0]["shadow"] is True
    assert to("asleep").kind == "invalid-request"
    assert to("closed").status == 200
    assert to("running").kind == "paused"
    assert running.observe({"decision": 1, "values": {"B": 0.5}}).kind == "paused"
    assert running.call("GET", E).data["state"] == "closed"


def test_a_key_gets_its_answer_even_from_a_closed_experiment(running: Running) -> None:
    told = {"decision": 1, "values": {"A": 0.5}, "key": "sale"}
    recorded = {"action": "A", "values": {"A": 0.5}, "key": "import"}
    running.decide(key="visit")
    running.observe(told)
    running.call("POST", E + "/records", {"items": [recorded]})
    running.call("PUT", E + "/state", {"state": "closed"})
    before = running.events()
    assert running.decide(key="visit").data["decisions"][0]["id"] == 1
    assert running.observe(told).data["duplicate"] == 1
    again = running.call("POST", E + "/records", {"items": [recorded]})
    assert again.data["duplicate"] == 1
    with sl.connect(running.url, running.secrets["decide"]) as shop:
        assert not shop.tell(1, {"A": 0.5}, key="sale")
        assert not shop.record("A", {"A": 0.5}, key="import")
    other = {**told, "values": {"B": 0.5}}
    assert running.observe(other).kind == "key-reused"
    assert running.observe(told, {**told, "key": "another"}).kind == "paused"
    assert running.events() == before


def test_an_experiment_shows_what_it_knows(running: Running) -> None:
    running.decide(count=2)
    running.observe({"decision": 1, "values": {"A": 0.5}})
    found = running.call("GET", E)
    data = found.data
    assert found.headers["etag"] == f'"{data["seq"]}"'
    assert (data["decisions"], data["waiting"], data["policy"]) == (2, 2, "ucb-n")
    assert data["pending"][0]["awaited"] == ["B"]
    assert data["estimates"][1]["mean"] is None
    again = running.call("GET", E, headers={"if-none-match": found.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


def test_verdict_and_diagnosis_are_those_of_the_learner(running: Running) -> None:
    problem = sl.Feedback.full_information(2, labels=["A", "B"])
    learner = sl.Learner(problem, "ucb-n")
    for _ in range(30):
        decision = learner.ask()
        values = {"A": 0.75, "B": 0.25}
        learner.tell(decision.id, values)
        running.decide()
        running.observe({"decision": decision.id, "values": values})
    verdict = running.call("GET", E + "/verdict?delta=0.1").data
    wanted = learner.verdict(0.1)
    assert (verdict["best"], verdict["loss"], verdict["cost"]) == ("A", wanted.loss, wanted.cost)
    assert verdict["intervals"][0]["high"] == wanted.intervals["A"][1]
    diagnosis = running.call("GET", E + "/diagnose").data
    assert diagnosis["text"] == str(learner.diagnose())
    for wrong in ("delta=0", "delta=1", "delta=nan", "delta=x", "dleta=0.1", "delta=0.1&delta=0.2"):
        assert running.call("GET", E + f"/verdict?{wrong}").kind == "invalid-request"


def test_events_are_a_whole_chain_from_any_number_on(running: Running) -> None:
    running.decide(count=700)
    found = running.call("GET", E + "/events")
    assert found.headers["content-type"] == "application/x-ndjson"
    events = from_lines(found.body.decode().splitlines())
    assert check_chain(events) is None
    assert len(events) == 702
    assert [event["n"] for event in running.events(after=700)] == [701, 702]
    assert running.call("GET", E + "/events?after=703").kind == "invalid-request"
    assert running.call("GET", E + "/events?after=702&wait=0.1").body == b""


def test_names_are_listed_in_pages(running: Running) -> None:
    for name in ("shop-b", "shop-a", "zoo"):
        running.create(name)
    first = running.call("GET", "/v1/experiments?limit=2").data
    assert first == {"experiments": ["shop", "shop-a"], "next": "shop-a"}
    second = running.call("GET", f"/v1/experiments?limit=2&after={first['next']}").data
    assert second == {"experiments": ["shop-b", "zoo"], "next": None}
    assert (
        "zoo" not in running.call("GET", "/v1/experiments", token="read-shop").data["experiments"]
    )


def test_a_read_only_service_takes_no_changes(running: Running, tmp_path: Path) -> None:
    running.decide()
    (tmp_path / "more").mkdir()
    with serving_here(running.settings.where, tmp_path / "more", read_only=True) as reading:
        assert reading.call("GET", E).data["decisions"] == 1
        for refused in (
            reading.decide(),
            reading.observe({"decision": 1, "values": {"A": 0.5}}),
            reading.create("other"),
            reading.call("PUT", E + "/state", {"state": "paused"}),
        ):
            assert (refused.status, refused.kind) == (503, "read-only")
        running.decide()
        assert reading.call("GET", E).data["decisions"] == 2


def test_a_service_goes_on_where_the_one_before_ended(where: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with serving_here(where, tmp_path / "one") as first:
        first.create()
        told = first.decide(count=5, key="k").data["decisions"]
    with serving_here(where, tmp_path / "two") as second:
        assert second.decide(count=5, key="k").data["decisions"] == told
        assert second.decide().data["decisions"][0]["id"] == 6
        assert json.loads(second.call("GET", E).body)["decisions"] == 6


def test_bounds_come_with_certificates(tmp_path: Path) -> None:
    with serving_here(str(tmp_path / "events.db"), tmp_path) as running:
        running.create()
        found = running.call("GET", E + "/bounds?horizon=1000").data
        wanted = sl.bounds.minimax(sl.Feedback.full_information(2), 1.0, 1000)
        assert found["bounds"]["minimax"]["value"] == wanted.value
        assert found["certificates"]
        body = {"problem": {**BANDIT["problem"], "means": [0.5, 0.25]}, "horizon": 1000}  # type: ignore[dict-item]
        analysed = running.call("POST", "/v1/analyze", body, token="read").data
        assert analysed["bounds"]["general"]["valid"] in (True, False)
        assert running.call("POST", "/v1/analyze", {"problem": {}}).kind == "invalid-request"
        for horizon in (5e-324, 0.5):  # fewer than one round
            of_an_experiment = running.call("GET", f"{E}/bounds?horizon={horizon}")
            of_a_problem = running.call("POST", "/v1/analyze", {**body, "horizon": horizon})
            for refused in (of_an_experiment, of_a_problem):
                assert (refused.status, refused.kind) == (400, "invalid-request")
            assert of_an_experiment.data["parameter"] == "horizon"
            assert of_a_problem.data["pointer"] == "/horizon"
            assert "at least 1" in of_a_problem.data["detail"]
