"""Spans of OpenTelemetry: none until asked for, then one for every request, without secrets."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace

from serving import serving_here
from sidelight import InputError
from sidelight.serve.tracing import VARIABLE, Tracing

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


class Span(dict[str, Any]):
    """What was said about a request."""

    def set_attribute(self, name: str, value: object) -> None:
        self[name] = value


class Tracer:
    """Notes spans, in place of an SDK."""

    def __init__(self) -> None:
        self.spans: list[Span] = []

    @contextmanager
    def start_as_current_span(self, name: str, context: Any, kind: Any) -> Iterator[Span]:
        parent = trace.get_current_span(context).get_span_context()
        span = Span(name=name, trace=f"{parent.trace_id:032x}", kind=kind)
        self.spans.append(span)
        yield span


def test_there_are_no_spans_until_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert not Tracing().is_on
    monkeypatch.setenv(VARIABLE, "0")
    assert not Tracing().is_on


def test_every_request_is_a_span_in_the_trace_of_its_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracer = Tracer()
    monkeypatch.setenv(VARIABLE, "1")
    monkeypatch.setattr(trace, "get_tracer", lambda name: tracer)
    with serving_here(str(tmp_path / "e.db"), tmp_path) as running:
        running.create()
        path = "/v1/experiments/shop/decisions"
        running.call("POST", path, {}, headers={"traceparent": TRACE})
        running.decide(count=0)
    routes = [(span["http.route"], span["http.response.status_code"]) for span in tracer.spans]
    hot = "/v1/experiments/{experiment}/decisions"
    assert routes == [("/v1/experiments/{experiment}", 201), (hot, 201), (hot, 400)]
    assert tracer.spans[1]["trace"] == TRACE.split("-")[1]
    assert tracer.spans[0]["trace"] == "0" * 32
    assert running.secrets["admin"] not in str(tracer.spans)


def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(InputError, match="OpenTelemetry is not here"):
        Tracing()
