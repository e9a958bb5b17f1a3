"""Clients that are not ours: curl, `fetch` in a browser, the OpenFeature SDK."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode

from browser import browsing
from commands import Command
from serving import Answer, Running, serving_here
from sidelight.live.store import open_store

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "operations.md").read_text()
LOCAL = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with serving_here(str(tmp_path / "events.db"), tmp_path) as service:
        yield service


def example(language: str, running: Running) -> str:
    """The block of this language in the documentation, for the port of this service."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    text: str = found.replace("http://127.0.0.1:7733", running.url)
    return text


def run_example(running: Running, text: str, program: str, *options: str) -> list[Any]:
    """The objects that a program prints which reads a block, with the token where the page says."""
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    done = subprocess.run(
        [program, *options],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "SIDELIGHT_TOKEN": running.secrets["admin"]},
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def curl_example(running: Running) -> list[Any]:
    """What the documented calls of curl answer."""
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    return run_example(running, example("sh", running), "sh", "-e")


def test_the_documented_calls_of_curl_and_then_of_node_decide_and_tell(running: Running) -> None:
    """In the order of the page, on one store, with nothing replaced but the port."""
    answers = curl_example(running)
    assert answers[0]["name"] == "dosing"
    assert answers[1]["decisions"][0]["id"] == 1
    assert answers[2]["accepted"] == 1
    types = [event["type"] for event in running.events("dosing")]
    assert types == ["created", "opened", "decided", "told"]
    text = example("js", running) + "console.log(JSON.stringify({decision, told}));"
    (found,) = run_example(running, text, "node", "--input-type=module", "-")
    assert found["decision"]["id"] == 2
    assert found["told"]["accepted"] == 1
    types = [event["type"] for event in running.events("dosing")]
    assert types == ["created", "opened", "decided", "told", "decided", "told"]


def test_the_documented_calls_of_fetch_run_in_a_browser(
    running: Running, chromium: str, tmp_path: Path
) -> None:
    curl_example(running)
    process = json.dumps({"env": {"SIDELIGHT_TOKEN": running.secrets["admin"]}})
    calls = f"const process = {process};\n{example('js', running)}"
    with browsing(chromium, tmp_path / "profile", LOCAL) as page:
        page.open(f"{running.url}/v1/health")
        found = page.ask(f"(async () => {{ {calls}; return [decision, told] }})()")
        assert found[0]["id"] == 2
        assert found[1]["accepted"] == 1
    types = [event["type"] for event in running.events("dosing")]
    assert types == ["created", "opened", "decided", "told", "decided", "told"]


def test_the_documented_ways_to_back_up_and_restore_work(
    tmp_path: Path, sidelight: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    section = PAGE.partition("## Backup and restore")[2].partition("\n## ")[0]
    lines = [line.partition("#")[0].split() for line in section.splitlines()]
    commands = [words[1:] for words in lines if words[:1] == ["sidelight"]]
    (program,) = re.findall(r"```py\n(.*?)```", section, flags=re.DOTALL)
    with serving_here("sidelight.db", tmp_path) as running:
        running.create("dosing")
        running.decide("dosing")
        events = running.events("dosing")
        for command in commands:
            assert sidelight(*command).code == 0, command
        exec(compile(program, "operations.md", "exec"), {})
        exported = running.call("GET", "/v1/experiments/dosing/events").body
        Path("dosing.ndjson").write_bytes(exported)
        assert sidelight("restore", "dosing.ndjson", "lines.db").code == 0
    assert [words[0] for words in commands] == ["backup", "restore"]
    for copy in ("copy.db", "new.db", "monday.db", "other.db", "lines.db"):
        with open_store(copy, read_only=True) as store:
            assert [event.n for event in store.read("dosing")] == [event["n"] for event in events]


def test_a_page_of_another_origin_cannot_call(
    running: Running, chromium: str, tmp_path: Path
) -> None:
    running.create("dosing")
    before = running.events("dosing")
    page_of_theirs = tmp_path / "evil.html"
    page_of_theirs.write_text("<!doctype html><title>evil</title>")
    with browsing(chromium, tmp_path / "profile", LOCAL) as page:
        page.open(page_of_theirs.as_uri())
        where = f"{running.url}/v1/experiments/dosing/decisions"
        headers = {
            "authorization": f"Bearer {running.secrets['admin']}",
            "content-type": "application/json",
        }
        for options, wanted in (
            ({"method": "POST", "body": "{}", "headers": headers}, {"blocked"}),
            ({"method": "POST", "body": "{}", "mode": "no-cors"}, {"opaque", "blocked"}),
        ):
            call = f"fetch({json.dumps(where)}, {json.dumps(options)})"
            assert page.ask(f"{call}.then(answer => answer.type, () => 'blocked')") in wanted
    assert running.events("dosing") == before


def test_an_openfeature_client_decides(running: Running) -> None:
    running.create("prices", problem={"actions": ["8.99", "9.99"], "kind": "full-information"})
    headers = {"authorization": f"Bearer {running.secrets['decide']}"}
    api.set_provider(OFREPProvider(running.url, headers_factory=lambda: headers))
    try:
        client = api.get_client()
        ana = EvaluationContext("visitor-ana", {"country": "fi"})
        first = client.get_string_details("prices", "none", ana)
        again = client.get_string_details("prices", "none", ana)
        assert first.value == again.value in ("8.99", "9.99")
        assert first.variant == first.value
        assert first.flag_metadata["decision"] == again.flag_metadata["decision"] == 1
        told = {"decision": first.flag_metadata["decision"], "values": {first.value: 1.0}}
        assert running.observe(told, name="prices").data["accepted"] == 1
        nobody = client.get_string_details("prices", "none", EvaluationContext())
        assert (nobody.value, nobody.error_code) == ("none", ErrorCode.TARGETING_KEY_MISSING)
        odd = client.get_string_details("prices", "none", EvaluationContext("a\nb"))
        assert (odd.value, odd.error_code) == ("none", ErrorCode.INVALID_CONTEXT)
        absent = client.get_string_details("nowhere", "none", ana)
        assert (absent.value, absent.error_code) == ("none", ErrorCode.FLAG_NOT_FOUND)
        path = "/v1/experiments/prices/state"
        for state in ("paused", "shadow"):
            running.call("PUT", path, {"state": state})
            other = client.get_string_details("prices", "none", EvaluationContext("bea"))
            assert (other.value, other.error_code) == ("none", ErrorCode.GENERAL)
    finally:
        api.shutdown()
        api.clear_providers()


def test_a_context_is_no_deeper_than_any_other_body(running: Running) -> None:
    running.create("prices")

    def nested(levels: int) -> list[Any]:
        return [nested(levels - 1)] if levels > 1 else []

    def evaluate(levels: int, **more: Any) -> Answer:
        body = {"context": {"targetingKey": "ana", "deep": nested(levels)}, **more}
        return running.call("POST", "/ofrep/v1/evaluate/flags/prices", body)

    assert evaluate(6).status == 200
    for refused in (evaluate(7), evaluate(60), evaluate(1, other=nested(60))):
        assert (refused.status, refused.data["errorCode"]) == (400, "INVALID_CONTEXT")
        assert "more than 8 levels" in refused.data["errorDetails"]
        assert "send a flatter one" in refused.data["errorDetails"]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"", "PARSE_ERROR", "there is no body"),
        (b"{", "PARSE_ERROR", "the body is no JSON"),
        (b"\xff{}", "PARSE_ERROR", "the body is no JSON"),
        (b'{"context": 3}', "INVALID_CONTEXT", "/context"),
        (b'{"context": {"targetingKey": "a", "targetingKey": "b"}}', "INVALID_CONTEXT", "twice"),
        (b'{"context": {"targetingKey": 7}}', "INVALID_CONTEXT", "text of 1 to 200 characters"),
        (b'{"context": {"targetingKey": ""}}', "TARGETING_KEY_MISSING", "1 to 200 characters"),
        (b"{}", "TARGETING_KEY_MISSING", "needs a targetingKey"),
        (b'{"context": {"targetingKey": "a\\u001fb"}}', "INVALID_CONTEXT", "printable"),
        (b'"%s"' % (b"x" * 2**20), "GENERAL", "more than 1,048,576 bytes"),
    ],
)
def test_what_is_wrong_with_an_evaluation_has_a_code_of_ofrep(
    running: Running, body: bytes, code: str, words: str
) -> None:
    running.create("prices")
    before = running.events("prices")
    headers = {"content-type": "application/json"}
    answer = running.call("POST", "/ofrep/v1/evaluate/flags/prices", body, headers=headers)
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/json"
    assert (answer.data["key"], answer.data["errorCode"]) == ("prices", code)
    assert words in answer.data["errorDetails"]
    assert running.events("prices") == before


def test_an_evaluation_without_a_content_type_is_no_json(running: Running) -> None:
    running.create("prices")
    answer = running.call("POST", "/ofrep/v1/evaluate/flags/prices", b"{}")
    assert (answer.status, answer.data["errorCode"]) == (400, "PARSE_ERROR")
    assert "content-type: application/json" in answer.data["errorDetails"]


def test_there_is_no_bulk_evaluation(running: Running) -> None:
    body = {"context": {"targetingKey": "ana"}}
    assert running.call("POST", "/ofrep/v1/evaluate/flags", body).status == 404
