"""The application: routes, errors, and the guard around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp

from ..errors import SidelightError
from . import hot, ofrep
from .document import document
from .guard import Guard, answer_to, visit_of
from .refusals import MEDIA, Refusal
from .routes import router
from .service import Service

# FastAPI's own telemetry would send exceptions with their messages wherever the environment says;
# `tracing` is ours.
SILENT: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


def create_app(service: Service) -> ASGIApp:
    """The service as an ASGI application; it closes its store when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        with ThreadPoolExecutor(1) as closing:  # meanwhile, those who cannot wait get an answer
            await asyncio.get_running_loop().run_in_executor(closing, service.shelf.close)

    app = FastAPI(
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        telemetry=SILENT,
    )
    app.state.service = service
    for path, endpoint in (
        (hot.DECISIONS, hot.Decide(service)),
        (hot.OBSERVATIONS, hot.Observe(service)),
        (hot.RECORDS, hot.Record(service)),
        (ofrep.EVALUATE, ofrep.Evaluate(service)),
    ):
        app.router.routes.append(Route(path, endpoint, methods=["POST"]))
    app.include_router(router)

    async def refused(request: Request, error: Exception) -> Response:
        visit = visit_of(request.scope)
        refusal = answer_to(visit, understood(error, visit.method, visit.path), service.log)
        return Response(refusal.body(visit.path), refusal.status, refusal.headers, media_type=MEDIA)

    for kind in (Refusal, SidelightError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, refused)
    written: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not written:
            written.update(document(app))
        return written

    app.openapi = openapi  # type: ignore[method-assign]
    return Guard(app, service.gate, service.log, service.metrics)


def understood(error: Exception, method: str, path: str) -> Exception:
    """What Starlette and FastAPI raise, as refusals of our own."""
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"] if step not in ("query", "path"))
        return Refusal(
            "invalid-request",
            f"{where}: {first['msg']}; /v1/openapi.json says what fits",
            more={"parameter": where},
        )
    if isinstance(error, HTTPException):
        if error.status_code in (404, 405):
            return Refusal(
                "not-found", f"no route {method} {path}: /v1/openapi.json lists all routes"
            )
        return Refusal("invalid-request", str(error.detail))
    return error
