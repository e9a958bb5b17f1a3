"""What holds for every request, whatever its route: who may call, which headers go out, the log.

Nothing that a route raises leaves here as anything but a problem of the closed list. And nothing
leaves that no `Gate.allow` has let through: a route that forgot to ask cannot answer.
"""

from __future__ import annotations

import asyncio
import secrets
from contextlib import nullcontext
from itertools import count
from time import perf_counter
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import SidelightError
from .gate import HUNG_UP, Gate, Visit
from .logs import Log, trace_of
from .metrics import Metrics
from .refusals import HEADERS, MEDIA, Refusal, refusal_of, shown, stopping
from .tracing import Tracing

QUIET = 300  # statuses below are no line of the log where the route says so


class Guard:
    """The outermost layer of the service."""

    def __init__(self, app: ASGIApp, gate: Gate, log: Log, metrics: Metrics) -> None:
        self.app, self.gate, self.log, self.metrics = app, gate, log, metrics
        self._tracing = Tracing()
        self._prefix = secrets.token_hex(4)
        self._numbers = count(1)
        headers = dict(HEADERS)
        if gate.settings.has_tls:
            headers["strict-transport-security"] = "max-age=31536000"
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        start = perf_counter()
        visit = scope["visit"] = self._visit(scope)

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                status = message["status"]
                if not visit.allowed and status < 400:
                    raise RuntimeError(f"{visit.method} {visit.route}: nobody asked who may do it")
                visit.status = status
                own = message.get("headers", ())
                message["headers"] = [*own, *self._headers, (b"x-request-id", visit.id.encode())]
            await send(message)

        try:
            self._check_head(scope["headers"], visit.headers)
            self.gate.admit(visit)
            with self._tracing.span(visit) if self._tracing.is_on else nullcontext():
                await self.app(scope, receive, send_on)
        except Exception as error:
            if not visit.status:
                await self._refuse(visit, answer_to(visit, error, self.log), send_on)
        except asyncio.CancelledError:  # the service ends, and can wait no longer
            if visit.status:
                raise
            await self._refuse(visit, stopping(), send_on)
        finally:
            self._note(visit, perf_counter() - start)

    def _visit(self, scope: Scope) -> Visit:
        headers = dict(scope["headers"])
        number = f"{self._prefix}-{next(self._numbers)}"
        visit = Visit(number, scope["method"], scope["path"], headers)
        if b"traceparent" in headers:
            visit.trace = trace_of(visit.header(b"traceparent"))
        visit.hung_up = HUNG_UP in scope
        return visit

    def _check_head(self, given: list[tuple[bytes, bytes]], headers: dict[bytes, bytes]) -> None:
        if len(headers) < len(given):
            check_headers(given)
        if b"content-length" in headers and b"transfer-encoding" in headers:
            words = "content-length and transfer-encoding disagree about the body: send one"
            raise Refusal("invalid-request", words, {"connection": "close"})
        most = self.gate.settings.limits.head
        if sum(map(len, headers.values())) > most:
            raise Refusal("too-large", f"the headers have more than {most:,} bytes: send fewer")

    async def _refuse(self, visit: Visit, refusal: Refusal, send: Send) -> None:
        body = refusal.body(visit.path)
        headers = {"content-type": MEDIA, "content-length": str(len(body)), **refusal.headers}
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": refusal.status, "headers": raw})
        content = b"" if visit.method == "HEAD" else body
        await send({"type": "http.response.body", "body": content})

    def _note(self, visit: Visit, seconds: float) -> None:
        method = visit.method if visit.method in METHODS else "other"
        self.metrics.requests[visit.route or "none", method, visit.status] += 1
        self.metrics.answered.add(seconds)
        if visit.status >= QUIET or visit.trace or visit.route not in HOT:
            self.log.request(visit, seconds)


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
HOT = frozenset(
    {
        "/v1/experiments/{experiment}/decisions",
        "/v1/experiments/{experiment}/observations",
        "/v1/health",
    }
)


ONCE = (b"host", b"authorization", b"origin", b"idempotency-key", b"content-type", b"last-event-id")


def check_headers(headers: list[tuple[bytes, bytes]]) -> None:
    """Refuse a request that repeats one of these headers: it is an attack or an error."""
    for name in ONCE:
        if sum(found == name for found, _ in headers) > 1:
            raise Refusal("invalid-request", f"the header {name.decode()} is there twice")


def answer_to(visit: Visit, error: Exception, log: Log) -> Refusal:
    """The refusal that an error is; a bug goes into the log."""
    found: Refusal | None = None
    if isinstance(error, Refusal):
        found = error
        if error.__cause__ is not None:
            log.say("refused", id=visit.id, why=shown(str(error.__cause__)))
    elif isinstance(error, SidelightError):
        found = refusal_of(error)
    if found is None:
        log.fault(visit, error)
        found = internal(visit)
    return found


def internal(visit: Visit) -> Refusal:
    """The answer where the fault is ours."""
    return Refusal(
        "internal",
        f"the service has a fault; whoever runs it finds it in the log under {visit.id}",
        more={"id": visit.id},
    )


def visit_of(scope: Any) -> Visit:
    """The visit of a request that the guard let in."""
    visit: Visit = scope["visit"]
    return visit
