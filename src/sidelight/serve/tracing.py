"""Spans of OpenTelemetry, off until an operator asks for them.

With SIDELIGHT_OPENTELEMETRY=1 every request is a span, inside the trace that its `traceparent`
names. Only the interface of OpenTelemetry is used here: without an SDK, which the operator
configures (`opentelemetry-instrument sidelight serve`), spans go nowhere. The service itself calls
nobody.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import InputError
from .gate import Visit

VARIABLE = "SIDELIGHT_OPENTELEMETRY"


class Tracing:
    """A span for every request, or nothing."""

    def __init__(self) -> None:
        self._tracer: Any = None
        if os.environ.get(VARIABLE, "0") in ("", "0"):
            return
        try:
            from opentelemetry import propagate, trace  # noqa: PLC0415 - only where asked for
        except ModuleNotFoundError:
            advice = "pip install opentelemetry-distro, or unset it"
            raise InputError(
                f"{VARIABLE} is set, and OpenTelemetry is not here: {advice}"
            ) from None
        self._tracer, self._extract = trace.get_tracer("sidelight"), propagate.extract
        self._server = trace.SpanKind.SERVER

    @property
    def is_on(self) -> bool:
        """Whether anybody asked for spans."""
        return self._tracer is not None

    @contextmanager
    def span(self, visit: Visit) -> Iterator[None]:
        """The span of a request; it has no header, no body and no token."""
        carrier = {"traceparent": visit.header(b"traceparent")}
        name = f"{visit.method[:20]} request"
        with self._tracer.start_as_current_span(
            name, context=self._extract(carrier), kind=self._server
        ) as span:
            yield
            span.set_attribute("http.request.method", visit.method[:20])
            span.set_attribute("http.route", visit.route or "none")
            span.set_attribute("http.response.status_code", visit.status)
            span.set_attribute("sidelight.request.id", visit.id)
