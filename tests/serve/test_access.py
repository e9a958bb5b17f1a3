"""Who may do what: every route, every role, every reach; hosts, origins, tokens, limits."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from serving import BANDIT, JSON, Answer, Running, certificate, serving_here
from sidelight import DamagedError, InputError
from sidelight.serve import gate
from sidelight.serve.document import CALLS, OTHERS
from sidelight.serve.settings import Limits, Settings
from sidelight.serve.tokens import FRESH, ROLES, TokenFile, expiry

OBSERVED = {"items": [{"decision": 1, "values": {"A": 0.5}}]}
RECORDED = {"items": [{"action": "A", "values": {"A": 0.5}}]}
# Every call of the service: method, path in an experiment {e}, body, the role that it needs.
ROUTES: dict[str, tuple[str, str, Any, str]] = {
    "health": ("GET", "/v1/health", None, ""),
    "metrics": ("GET", "/v1/metrics", None, "read"),
    "openapi": ("GET", "/v1/openapi.json", None, "read"),
    "list": ("GET", "/v1/experiments", None, "read"),
    "create": ("PUT", "/v1/experiments/{e}", BANDIT, "admin"),
    "show": ("GET", "/v1/experiments/{e}", None, "read"),
    "decide": ("POST", "/v1/experiments/{e}/decisions", {}, "decide"),
    "observe": ("POST", "/v1/experiments/{e}/observations", OBSERVED, "decide"),
    "record": ("POST", "/v1/experiments/{e}/records", RECORDED, "decide"),
    "state": ("PUT", "/v1/experiments/{e}/state", {"state": "running"}, "admin"),
    "verdict": ("GET", "/v1/experiments/{e}/verdict", None, "read"),
    "diagnose": ("GET", "/v1/experiments/{e}/diagnose", None, "read"),
    "bounds": ("GET", "/v1/experiments/{e}/bounds", None, "read"),
    "analyze": ("POST", "/v1/analyze", {"problem": BANDIT["problem"]}, "read"),
    "events": ("GET", "/v1/experiments/{e}/events", None, "read"),
    "evaluate": (
        "POST",
        "/ofrep/v1/evaluate/flags/{e}",
        {"context": {"targetingKey": "u"}},
        "decide",
    ),
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with an experiment in reach of all tokens, and one out of reach of some."""
    folder = tmp_path_factory.mktemp("access")
    with serving_here(str(folder / "events.db"), folder) as service:
        for name in ("shop", "zoo"):
            assert service.create(name).status == 201
            assert service.decide(name).status == 201
        yield service


def visit(running: Running, name: str, token: str | None, experiment: str, **more: Any) -> Answer:
    """Call a route."""
    method, path, body, _ = ROUTES[name]
    return running.call(method, path.format(e=experiment), body, token, **more)


def test_the_table_has_every_route() -> None:
    assert set(ROUTES) == set(CALLS)
    assert {name: role for name, (*_, role) in ROUTES.items()} == {
        name: call.role for name, call in CALLS.items()
    }
    assert {name: ROUTES[name][1].replace("{e}", "{experiment}") for name in OTHERS} == OTHERS


@pytest.mark.parametrize("experiment", ["shop", "zoo"])
@pytest.mark.parametrize("reach", ["", "-shop"])
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", ROUTES)
def test_every_cell(running: Running, name: str, role: str, reach: str, experiment: str) -> None:
    _, path, _, needed = ROUTES[name]
    answer = visit(running, name, role + reach, experiment)
    out_of_reach = "{e}" in path and reach and experiment == "zoo"
    if out_of_reach:
        assert answer.status == 404
        absent = visit(running, name, role + reach, "zap")  # in no token's reach, and nowhere
        assert absent.status == 404
        assert absent.body.replace(b"zap", b"zoo") == answer.body
    elif not needed or ROLES.index(role) >= ROLES.index(needed):
        assert answer.status in (200, 201), answer
    else:
        assert (answer.status, answer.kind) == (403, "forbidden")


def test_a_load_balancer_may_ask_for_the_head_of_health(running: Running) -> None:
    answer = running.call("HEAD", "/v1/health", token=None)
    assert (answer.status, answer.body) == (200, b"")
    assert running.call("HEAD", "/v1/metrics", token=None).status == 401


@pytest.mark.parametrize("name", [*ROUTES, "nothing"])
def test_without_a_token_there_is_nothing_but_health(running: Running, name: str) -> None:
    method, path, body, _ = ROUTES.get(name, ("GET", "/v1/nothing", None, ""))
    for headers in (
        {},
        {"authorization": "Bearer sidelight_admin_" + "x" * 43},
        {"authorization": f"Basic {running.secrets['admin']}"},
        {"authorization": running.secrets["admin"]},
        {"authorization": "Bearer " + "x" * 5000},
        {"x-token": running.secrets["admin"]},
    ):
        answer = running.call(method, path.format(e="shop"), body, None, headers)
        if name == "health":
            assert answer.status == 200
        else:
            assert (answer.status, answer.kind) == (401, "unauthorized")
            assert answer.headers["www-authenticate"].startswith("Bearer")
    in_url = running.call(
        method, f"{path.format(e='shop')}?token={running.secrets['admin']}", body, None
    )
    assert in_url.status == (400 if name == "health" else 401)  # no route has such a parameter


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:7733"},
        {"host": "127.0.0.1.evil.example"},
        {"host": ""},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
    ],
)
def test_foreign_hosts_and_origins_are_refused(
    running: Running, name: str, headers: dict[str, str]
) -> None:
    answer = visit(running, name, "admin", "shop", headers=headers)
    assert (answer.status, answer.kind) == (403, "forbidden")


def test_own_names_and_the_own_origin_are_fine(running: Running) -> None:
    for host in ("127.0.0.1", f"localhost:{running.port}", "[::1]:7733", "LOCALHOST"):
        headers = {"host": host, "origin": f"http://{host.lower()}"}
        assert visit(running, "show", "read", "shop", headers=headers).status == 200


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD", "TRACE", "PATCH", "DELETE", "BREW"])
def test_other_methods_do_nothing_and_no_page_may_ask(running: Running, method: str) -> None:
    answer = running.call(method, "/v1/experiments/shop", None, "admin")
    assert answer.status == 404
    foreign = {"origin": "https://evil.example", "access-control-request-method": "PUT"}
    asked = running.call(method, "/v1/experiments/shop", None, None, foreign)
    assert asked.status == 403
    assert not [name for name in asked.headers if name.startswith("access-control")]


def test_every_answer_has_the_headers_of_the_house(running: Running) -> None:
    for answer in (
        running.call("GET", "/v1/health", token=None),
        running.call("GET", "/v1/experiments/shop"),
        running.call("GET", "/v1/nothing"),
        running.call("GET", "/v1/experiments", token=None),
        running.decide(count=0),
    ):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-request-id"]
        assert "server" not in answer.headers


def test_one_header_twice_is_refused(running: Running) -> None:
    raw = f"Bearer {running.secrets['read']}"
    answer = _twice(running, "authorization", raw, f"Bearer {running.secrets['admin']}")
    assert b" 400 " in answer
    assert b" 400 " in _twice(running, "host", "127.0.0.1", "evil.example")


def _twice(running: Running, name: str, first: str, second: str) -> bytes:
    import socket  # noqa: PLC0415 - no client library sends such a thing

    lines = ["GET /v1/experiments HTTP/1.1", f"{name}: {first}", f"{name}: {second}"]
    if name != "host":
        lines.append("host: 127.0.0.1")
    with socket.create_connection(("127.0.0.1", running.port), 30) as raw:
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        return raw.recv(65536)


# ---- tokens --------------------------------------------------------------------------------------


def test_a_token_is_kept_as_a_hash_in_a_file_of_its_owner(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens")
    secret, token = file.add("shop", "decide", "prices-*", "90d")
    assert secret.startswith("sidelight_decide_")
    assert len(secret.removeprefix("sidelight_decide_")) == 43  # 256 bits
    written = file.path.read_text()
    assert secret.rpartition("_")[2] not in written
    assert token.hash in written
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert TokenFile(file.path).find(secret) == token
    assert file.find(secret[:-1]) is None
    assert file.find("") is None


def test_a_token_expires_and_is_revoked_at_once(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens")
    secret, token = file.add("brief", "read", lifetime="30m")
    assert token.expires is not None
    later = TokenFile(file.path, clock=lambda: "9999-01-01T00:00:00Z")
    assert later.find(secret) is None
    other, reader = TokenFile(file.path), TokenFile(file.path)
    assert reader.find(secret) == token
    other.revoke("brief")
    time.sleep(2 * FRESH)
    assert reader.find(secret) is None
    with pytest.raises(InputError, match="no token"):
        other.revoke("brief")


def test_a_service_that_runs_takes_notice_of_tokens(running: Running) -> None:
    file = TokenFile(running.settings.tokens)
    running.secrets["new"], _ = file.add("new", "read")
    time.sleep(2 * FRESH)
    assert visit(running, "show", "new", "shop").status == 200
    file.revoke("new")
    time.sleep(2 * FRESH)
    assert visit(running, "show", "new", "shop").status == 401


def test_names_roles_patterns_and_lifetimes_are_checked(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens")
    file.add("a", "read")
    for name, role, pattern, lifetime in (
        ("a", "read", "*", None),
        ("", "read", "*", None),
        ("x y", "read", "*", None),
        ("b", "root", "*", None),
        ("b", "read", "[a-z]", None),
        ("b", "read", "*", "tomorrow"),
        ("b", "read", "*", "0d"),
    ):
        with pytest.raises(InputError):
            file.add(name, role, pattern, lifetime)
    assert [token.name for token in file.all()] == ["a"]
    assert expiry(None) is None


def test_tokens_that_are_added_at_once_are_all_there(tmp_path: Path) -> None:
    names = [f"t{i}" for i in range(24)]
    with ThreadPoolExecutor(8) as crowd:
        list(crowd.map(lambda name: TokenFile(tmp_path / "tokens").add(name, "read"), names))
    assert {token.name for token in TokenFile(tmp_path / "tokens").all()} == set(names)
    with ThreadPoolExecutor(8) as crowd:
        list(crowd.map(lambda name: TokenFile(tmp_path / "tokens").revoke(name), names))
    assert not TokenFile(tmp_path / "tokens").all()
    assert [path.name for path in tmp_path.iterdir()] == ["tokens"]


def test_a_stranger_learns_nothing_of_a_damaged_file_of_tokens(tmp_path: Path) -> None:
    with serving_here(str(tmp_path / "e.db"), tmp_path) as running:
        tokens = running.settings.tokens
        for is_folder in (False, True):
            tokens.unlink()
            tokens.mkdir() if is_folder else tokens.write_text("{")
            time.sleep(2 * FRESH)
            answer = running.call("GET", "/v1/experiments")
            assert (answer.status, answer.kind) == (503, "storage-failed")
            assert str(tmp_path) not in answer.body.decode()
            assert str(tokens) in running.log.getvalue()
            assert running.call("GET", "/v1/health", token=None).status == 200


def test_a_damaged_file_of_tokens_opens_nothing(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens")
    secret, _ = file.add("a", "read")
    for content in ("", "{", "[]", '{"format": 1}', '{"format": 1, "tokens": [{}]}', "\udc80"):
        file.path.write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(DamagedError):
            TokenFile(file.path).find(secret)
    file.path.write_text('{"format": 2, "tokens": []}')
    with pytest.raises(InputError, match="newer"):
        TokenFile(file.path).find(secret)


# ---- limits and where to listen ------------------------------------------------------------------


def test_too_many_requests_of_one_token_are_told_to_wait(tmp_path: Path) -> None:
    with serving_here(str(tmp_path / "e.db"), tmp_path, Limits(rate=0.001)) as running:
        running.server.service.gate._rate = 2.0  # type: ignore[union-attr]
        answers = [running.call("GET", "/v1/experiments", token="read") for _ in range(30)]
        refused = [answer for answer in answers if answer.status == 429]
        assert refused
        assert refused[0].kind == "rate-limited"
        assert refused[0].headers["retry-after"] == "1"
        assert running.call("GET", "/v1/experiments", token="decide").status == 200


def test_a_rate_below_one_request_a_second_lets_them_in_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(gate, "monotonic", lambda: now)
    with serving_here(str(tmp_path / "e.db"), tmp_path, Limits(rate=0.4)) as running:
        assert running.call("GET", "/v1/experiments").status == 200
        refused = running.call("GET", "/v1/experiments")
        assert (refused.kind, refused.headers["retry-after"]) == ("rate-limited", "3")
        now += 3
        assert running.call("GET", "/v1/experiments").status == 200


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"problem": {"actions": 1001, "kind": "bandit"}}, "too-large"),
        ({"problem": {"actions": 10**12, "kind": "bandit"}}, "too-large"),
        ({"problem": {"actions": [str(i) for i in range(1001)], "kind": "bandit"}}, "too-large"),
        ({"problem": {"variance": [[1.0]] * 1001}}, "too-large"),
        ({"problem": {"actions": 3, "kind": "graph", "edges": [[0, 1]] * 100_001}}, "too-large"),
        ({"problem": {"variance": [[[[[[[[[1.0]]]]]]]]]}}, "invalid-request"),
        ({"problem": {"actions": 2, "kind": "bandit"}, "policy": "x"}, "invalid-request"),
        ({"problem": {"actions": 2, "kind": "bandit"}, "more": 1}, "invalid-request"),
        ({"problem": {"actions": 2, "kind": "bandit"}, "seed": -1}, "invalid-request"),
        ({"problem": {"actions": 2, "kind": "bandit"}, "seed": True}, "invalid-request"),
        ({"problem": {"actions": ["1", 1], "kind": "bandit"}}, "invalid-request"),
        ({}, "invalid-request"),
        ([], "invalid-request"),
    ],
)
def test_problems_that_are_too_large_or_wrong_are_refused(
    running: Running, body: object, kind: str
) -> None:
    answer = running.call("PUT", "/v1/experiments/new", body)
    assert answer.kind == kind
    assert running.call("GET", "/v1/experiments/new").status == 404


@pytest.mark.parametrize("name", ["..", "a/b", "%2e%2e", "A", "a" * 65, "%00", "-a", "a%0a", "ü"])
def test_names_are_never_paths(running: Running, name: str, tmp_path: Path) -> None:
    from urllib.parse import quote  # noqa: PLC0415

    answer = running.call("PUT", f"/v1/experiments/{quote(name, safe='%/')}", BANDIT)
    assert answer.status in (400, 404)
    assert answer.kind in ("invalid-request", "not-found")


def test_large_bodies_are_refused(running: Running) -> None:
    answer = running.call(
        "POST", "/v1/experiments/shop/decisions", b" " * (2**20 + 1), headers=JSON
    )
    assert (answer.status, answer.kind) == (413, "too-large")


def settings(**more: Any) -> Settings:
    return Settings("e.db", Path("tokens"), **more)


def test_it_refuses_to_listen_where_others_could_listen_in(tmp_path: Path) -> None:
    files = dict(zip(("certificate", "key"), certificate(tmp_path), strict=True))
    for host in ("127.0.0.1", "localhost", "::1", "127.1.2.3"):
        settings(host=host).check(has_tokens=False)
    for host in ("0.0.0.0", "192.0.2.7", "::", "example.org"):
        with pytest.raises(InputError, match="plain text"):
            settings(host=host).check(has_tokens=True)
        with pytest.raises(InputError, match="no token"):
            settings(host=host, behind_proxy=True).check(has_tokens=False)
        with pytest.raises(InputError, match="no token"):
            settings(host=host, **files).check(has_tokens=False)
        settings(host=host, **files, hosts=("example.org",)).check(has_tokens=True)
        settings(host=host, behind_proxy=True, hosts=("example.org",)).check(has_tokens=True)
    with pytest.raises(InputError, match="allow-host"):
        settings(host="0.0.0.0", behind_proxy=True).check(has_tokens=True)
    with pytest.raises(InputError, match="go together"):
        settings(certificate=tmp_path / "c").check(has_tokens=True)


def test_a_route_that_forgets_to_ask_cannot_answer(tmp_path: Path) -> None:
    with serving_here(str(tmp_path / "e.db"), tmp_path) as running:
        assert running.server is not None
        app: Any = running.server.config.app
        app.app.add_api_route("/v1/forgotten", lambda: {"secret": 1})
        answer = running.call("GET", "/v1/forgotten")
        assert (answer.status, answer.kind) == (500, "internal")
        assert b"secret" not in answer.body
