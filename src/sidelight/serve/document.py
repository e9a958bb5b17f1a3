"""The OpenAPI 3.1 document: what each route takes and answers, said once, beside the models.

FastAPI writes down what it knows of its routes (paths, queries); the bodies are ours, and so are
the routes that are not FastAPI's. A test lets a program call whatever stands here and compares.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
from fastapi import FastAPI, Response
from fastapi.openapi.utils import get_openapi

from .. import __version__
from ..live.events import KEY_LENGTH
from . import hot, ofrep, streams, wire
from .metrics import MEDIA as PROMETHEUS
from .refusals import KINDS, MEDIA

REF = "#/components/schemas/"
ANYWHERE = ("invalid-request", "unauthorized", "forbidden", "rate-limited", "internal", "stopping")
BODY = ("too-large", "unsupported-media")
CHANGE = ("conflict", "paused", "key-reused", "not-observable", "read-only", "storage-failed")
ONE = ("not-found",)


@dataclass(frozen=True)
class Call:
    """A route, in words and models."""

    role: str
    says: str
    answers: dict[int, type | str]  # a model, or a media type
    refusals: tuple[str, ...] = ()
    body: type | None = None


_key = "The same `key` (or header `Idempotency-Key`) gets the same answer."
_once = (
    "What is sent again with its `key` counts once, as a duplicate; the header `Idempotency-Key` "
    "stands for the keys of all items."
)
CALLS = {
    "health": Call("", "Whether decisions can be made and kept.", {200: wire.HealthAnswer}, (
        "storage-failed",
    )),
    "metrics": Call("read", "Counts and times for Prometheus.", {200: PROMETHEUS}),
    "openapi": Call("read", "This document.", {200: wire.JSON}),
    "list": Call("read", "The experiments that the token reaches.", {200: wire.ExperimentList}),
    "create": Call(
        "admin",
        "Begin an experiment; the same beginning may be sent again.",
        {200: wire.ExperimentAnswer, 201: wire.ExperimentAnswer},
        (*ONE, *BODY, "conflict", "read-only", "storage-failed"),
        wire.ExperimentRequest,
    ),
    "show": Call(
        "read",
        "An experiment as it is now; `ETag` is the number of its last event.",
        {200: wire.ExperimentAnswer, 304: ""},
        (*ONE, "storage-failed"),
    ),
    "decide": Call(
        "decide",
        f"What to do next, once or several times; always a list. {_key}",
        {200: wire.Decisions, 201: wire.Decisions},
        (*ONE, *BODY, *CHANGE),
        wire.DecisionRequest,
    ),
    "observe": Call(
        "decide",
        f"What decisions showed, late or in parts: all items are taken, or none. {_once}",
        {200: wire.Accepted},
        (*ONE, *BODY, *CHANGE),
        wire.ObservationRequest,
    ),
    "record": Call(
        "decide",
        f"Actions that were taken without asking: all items are taken, or none. {_once}",
        {200: wire.Accepted},
        (*ONE, *BODY, *CHANGE),
        wire.RecordRequest,
    ),
    "state": Call(
        "admin",
        "Run, pause, shadow (decisions for nobody) or close (for ever) an experiment.",
        {200: wire.StateAnswer},
        (*ONE, *BODY, "paused", "read-only", "storage-failed"),
        wire.StateRequest,
    ),
    "verdict": Call(
        "read",
        "Which action is best, and whether to stop; valid however often one looks.",
        {200: wire.VerdictAnswer},
        (*ONE, "storage-failed"),
    ),
    "diagnose": Call(
        "read",
        "Whether the values are as was declared; valid however often one looks.",
        {200: wire.DiagnosisAnswer},
        (*ONE, "storage-failed"),
    ),
    "bounds": Call(
        "read",
        "Structure and bounds of the problem of an experiment, with certificates.",
        {200: wire.JSON},
        (*ONE, "budget-exceeded", "storage-failed"),
    ),
    "analyze": Call(
        "read",
        "Structure and bounds of a problem; nothing is kept.",
        {200: wire.JSON},
        (*BODY, "budget-exceeded"),
        wire.AnalyzeRequest,
    ),
    "events": Call(
        "read",
        "Events after a number, as lines of JSON; with `Accept: text/event-stream` a stream of "
        "CloudEvents that does not end.",
        {200: streams.NDJSON},
        (*ONE, "storage-failed"),
    ),
    "evaluate": Call(
        "decide",
        "One decision for an OpenFeature client (OFREP); `targetingKey` is the key. What is wrong "
        "with a request has OFREP's `errorCode`.",
        {200: ofrep.Evaluated, 400: ofrep.EvaluationFailure, 404: ofrep.FlagNotFound},
        ("read-only", "storage-failed"),
        ofrep.Evaluation,
    ),
}  # fmt: skip
OTHERS = {
    "decide": hot.DECISIONS,
    "observe": hot.OBSERVATIONS,
    "record": hot.RECORDS,
    "evaluate": ofrep.EVALUATE,
}
MODELS = [
    model
    for call in CALLS.values()
    for model in (call.body, *call.answers.values())
    if isinstance(model, type)
]


def described(name: str) -> dict[str, Any]:
    """What FastAPI should write down of a route of its own."""
    call = CALLS[name]
    more: dict[str, Any] = _body(call)
    return {
        "operation_id": name,
        "summary": call.says,
        "description": _needs(call),
        "responses": _responses(call),
        "openapi_extra": more,
        "response_class": Response,
        "response_model": None,
    }


def document(app: FastAPI) -> dict[str, Any]:
    """The whole document."""
    found = get_openapi(
        title="sidelight",
        version=__version__,
        openapi_version="3.1.0",
        summary="Decisions that nobody loses.",
        routes=app.routes,
    )
    for path in found["paths"].values():
        for operation in path.values():
            responses = operation["responses"]
            if "HTTPValidationError" in str(responses.get("422")):
                del responses["422"]  # ours is 400
            _name_path(operation)
    for name, path in OTHERS.items():
        found["paths"][path] = {"post": _operation(name)}
    _, schemas = msgspec.json.schema_components(
        [*MODELS, wire.ProblemAnswer], ref_template=REF + "{name}"
    )
    found["components"] = {
        "schemas": schemas,
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    }
    found["security"] = [{"token": []}]
    found["paths"]["/v1/health"]["get"]["security"] = []
    return found


def _operation(name: str) -> dict[str, Any]:
    call = CALLS[name]
    parameters = [_experiment()]
    if name in ("decide", "observe", "record"):
        schema = {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH, "pattern": "^[ -~]+$"}
        parameters.append(
            {"name": "Idempotency-Key", "in": "header", "required": False, "schema": schema}
        )
    return {
        "operationId": name,
        "summary": call.says,
        "description": _needs(call),
        "parameters": parameters,
        "responses": {str(status): said for status, said in _responses(call).items()},
        **_body(call),
    }


def _experiment() -> dict[str, Any]:
    schema = {"type": "string", "pattern": r"^[a-z0-9][a-z0-9_.-]{0,63}$"}
    return {"name": "experiment", "in": "path", "required": True, "schema": schema}


def _name_path(operation: dict[str, Any]) -> None:
    others = [one for one in operation.get("parameters", []) if one["in"] != "path"]
    if len(others) < len(operation.get("parameters", [])):
        operation["parameters"] = [_experiment(), *others]


def _needs(call: Call) -> str:
    return f"Needs a token with the role {call.role}." if call.role else "Needs no token."


def _body(call: Call) -> dict[str, Any]:
    if call.body is None:
        return {}
    content = {wire.JSON: {"schema": {"$ref": REF + call.body.__name__}}}
    return {"requestBody": {"required": True, "content": content}}


def _responses(call: Call) -> dict[int | str, dict[str, Any]]:
    responses: dict[int | str, dict[str, Any]] = {}
    for status, kinds in _by_status((*ANYWHERE, *call.refusals)).items():
        words = "; ".join(f"{kind}: {KINDS[kind][1]}" for kind in kinds)
        content = {MEDIA: {"schema": {"$ref": REF + "ProblemAnswer"}}}
        responses[status] = {"description": words, "content": content}
    for status, model in call.answers.items():
        words = "As asked." if status < 400 else "An error of OFREP."
        found = responses.setdefault(status, {"description": words, "content": {}})
        if isinstance(model, type):
            found["content"][wire.JSON] = {"schema": {"$ref": REF + model.__name__}}
        elif model:
            schema = {"type": "object"} if model == wire.JSON else {"type": "string"}
            found["content"][model] = {"schema": schema}
    return dict(sorted(responses.items(), key=lambda item: str(item[0])))


def _by_status(kinds: Iterable[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for kind in kinds:
        found.setdefault(KINDS[kind][0], []).append(kind)
    return found
