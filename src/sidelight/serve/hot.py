"""Decide, observe and record: the routes that are called for every decision.

They are plain ASGI inside the application: no model is built twice, and no thread is woken for what
takes microseconds. An answer goes out after its commit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec
from msgspec import Struct
from starlette.types import Receive, Scope, Send

from ..live.learner import Decision
from ..live.together import Recorded, Taken, Together, Told
from .gate import Visit
from .guard import visit_of
from .service import Service, check_key_text, check_query, key_of
from .wire import (
    Accepted,
    DecisionRequest,
    Decisions,
    ObservationRequest,
    RecordRequest,
    Values,
    body_of,
    read,
)
from .wire import Decision as DecisionAnswer

DECISIONS = "/v1/experiments/{experiment}/decisions"
OBSERVATIONS = "/v1/experiments/{experiment}/observations"
RECORDS = "/v1/experiments/{experiment}/records"

_asked = msgspec.json.Decoder(DecisionRequest)
_observed = msgspec.json.Decoder(ObservationRequest)
_recorded = msgspec.json.Decoder(RecordRequest)
_encoder = msgspec.json.Encoder()


class Hot:
    """A request that changes an experiment; `answer` makes the change."""

    route: ClassVar[str]

    def __init__(self, service: Service) -> None:
        self.service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        visit, service = visit_of(scope), self.service
        check_query(scope["query_string"])
        visit.route = self.route
        experiment = await service.experiment(visit, "decide", scope["path_params"]["experiment"])
        body = await body_of(visit, receive, service.settings.limits.body)
        status, answer = await self.answer(visit, experiment, body)
        await reply(send, status, answer)

    async def answer(self, visit: Visit, experiment: Together, body: bytes) -> tuple[int, Struct]:
        """The status, and what goes out."""
        raise NotImplementedError


class Decide(Hot):
    """POST decisions: what to do next, once or several times."""

    route = DECISIONS

    async def answer(self, visit: Visit, experiment: Together, body: bytes) -> tuple[int, Struct]:
        """Decide so often."""
        said = await read(_asked, body)
        key = key_of(visit, said.key)
        self.service.check_writable()
        found = await self.service.change(
            experiment, lambda: experiment.decide(said.count, key), said.count
        )
        made = [answer_of(one) for one in found.decisions]
        return 201 if found.new else 200, Decisions(made, key, not found.new, found.n)


class Observe(Hot):
    """POST observations: what decisions showed, all or nothing."""

    route = OBSERVATIONS

    async def answer(self, visit: Visit, experiment: Together, body: bytes) -> tuple[int, Struct]:
        """Tell all items."""
        items = []
        for place, item in enumerate((await read(_observed, body)).items):
            _check_key(item.key, place)
            items.append(Told(item.decision, came(item.values), item.key, item.last))
        key = key_of(visit, None)
        self.service.check_writable()
        taken = await self.service.change(
            experiment, lambda: experiment.observe(items, key), len(items)
        )
        return 200, accepted(taken)


class Record(Hot):
    """POST records: actions that were taken without asking, all or nothing."""

    route = RECORDS

    async def answer(self, visit: Visit, experiment: Together, body: bytes) -> tuple[int, Struct]:
        """Record all items."""
        items = []
        for place, item in enumerate((await read(_recorded, body)).items):
            _check_key(item.key, place)
            items.append(Recorded(item.action, came(item.values), item.key))
        key = key_of(visit, None)
        self.service.check_writable()
        taken = await self.service.change(
            experiment, lambda: experiment.note(items, key), len(items)
        )
        return 200, accepted(taken)


def answer_of(decision: Decision) -> DecisionAnswer:
    """A decision as it goes out."""
    return DecisionAnswer(
        decision.id, str(decision.label), decision.why, decision.batch, decision.shadow
    )


def accepted(taken: Taken) -> Accepted:
    """What became of the items, as it goes out."""
    return Accepted(taken.accepted, taken.duplicate, taken.late, taken.n)


def came(values: Values) -> dict[str, float]:
    """The values that came."""
    return {label: value for label, value in values.items() if value is not None}


async def reply(
    send: Send, status: int, answer: Any, more: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Send an answer, with `more` headers."""
    body = _encoder.encode(answer)
    length = str(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _check_key(key: str | None, place: int) -> None:
    if key is not None:
        check_key_text(key, f"/items/{place}/key")
