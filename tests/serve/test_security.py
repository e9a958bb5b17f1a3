"""SECURITY.md names tests that exist; the service runs no foreign code and calls nobody."""

from __future__ import annotations

import ast
import re
import socket
from pathlib import Path

import pytest

from serving import Running, serving_here

ROOT = Path(__file__).parent.parent.parent
SERVE = ROOT / "src" / "sidelight" / "serve"
PAGE = (ROOT / "SECURITY.md").read_text()
named = re.findall(r"\| `([\w./]+\.py)(?:::(\w+))?` \|$", PAGE, flags=re.MULTILINE)
# Of the live side, too: what a request reaches.
reached = sorted([*SERVE.glob("*.py"), *(SERVE.parent / "live").glob("*.py")])

FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "yaml", "dill", "cloudpickle", "code"}
OUTBOUND = {"urllib.request", "http.client", "ftplib", "smtplib", "requests", "httpx", "telnetlib"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}


def test_the_page_has_a_test_for_every_line() -> None:
    table = [line for line in PAGE.splitlines() if line.startswith("| ") and "|---" not in line]
    assert len(named) == len(table) - 1 > 25


@pytest.mark.parametrize(("file", "test"), named)
def test_the_tests_of_the_page_exist(file: str, test: str) -> None:
    text = (Path(__file__).parent / file).read_text()
    assert not test or f"def {test}(" in text


def imports(path: Path) -> set[str]:
    """All modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("path", reached, ids=lambda path: path.name)
def test_nothing_runs_code_that_came_over_the_network(path: Path) -> None:
    assert not imports(path) & FORBIDDEN_MODULES
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & FORBIDDEN_CALLS


@pytest.mark.parametrize("path", reached, ids=lambda path: path.name)
def test_no_module_of_the_service_can_call_others(path: Path) -> None:
    assert not imports(path) & OUTBOUND


def test_the_service_calls_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only our own client connects, and only to the service, whatever the environment says."""
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    called: list[object] = []
    connect = socket.socket.connect

    def note(self: socket.socket, address: object) -> None:
        called.append(address)
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", note)
    with serving_here(str(tmp_path / "e.db"), tmp_path) as running:
        visit(running)
        assert set(called) == {("127.0.0.1", running.port)}


def visit(running: Running) -> None:
    """A bit of everything."""
    problem = {"actions": ["http://example.org/", "B"], "kind": "bandit", "name": "//example.org"}
    running.create("shop", problem=problem)
    running.decide(key="http://example.org/")
    running.observe({"decision": 1, "values": {}, "last": True})
    for path in ("", "/verdict", "/diagnose", "/events", "/bounds"):
        assert running.call("GET", f"/v1/experiments/shop{path}").status == 200
    running.call("GET", "/v1/metrics")
    running.call("GET", "/v1/openapi.json")
