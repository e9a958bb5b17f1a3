"""One decision for an OpenFeature client (OFREP, single evaluation).

The flag is the experiment, the targeting key is the key of the decision, and the decision's id is
in the metadata, to tell what it showed. There is no bulk route: evaluating all flags at once would
count plays that nobody saw. In shadow, and where nothing may be decided, the answer is an error, so
that the client takes its own default.

A request that cannot be used gets the error of OFREP, since its clients look for `errorCode` in
every answer with status 400:

    PARSE_ERROR               the body cannot be read: it is no JSON, empty, or not said to be JSON
    INVALID_CONTEXT           it can be read, but does not fit, or its targeting key can be no key
    TARGETING_KEY_MISSING     there is no targeting key
    GENERAL                   all else, such as a body that is too large, or an experiment in shadow

For 401, 403, 429 and 5xx these clients read the status, so that those answers stay problems of RFC
9457.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import msgspec
from msgspec import Struct
from starlette.types import Receive, Scope, Send

from ..errors import InputError, NotRunningError
from ..live.events import KEY_LENGTH
from ..live.together import Together
from .gate import Visit
from .guard import visit_of
from .hot import reply
from .refusals import Refusal, shown
from .service import Service, check_key_text, check_query
from .wire import body_of, check_depth, decode, read

EVALUATE = "/ofrep/v1/evaluate/flags/{experiment}"
Code = Literal["PARSE_ERROR", "TARGETING_KEY_MISSING", "INVALID_CONTEXT", "GENERAL"]
_KEY = f"text of 1 to {KEY_LENGTH} characters"


class Evaluation(Struct):
    """What an OpenFeature client sends; other fields of the context are ignored."""

    context: dict[str, Any] = {}


class Metadata(Struct):
    """The decision: its id, the policy's word, and the number of the last event."""

    decision: int
    why: str
    seq: int


class Evaluated(Struct):
    """A decision as the value of a flag."""

    key: str
    reason: str
    variant: str
    value: str
    metadata: Metadata


class EvaluationFailure(Struct, rename="camel"):
    """Why there is no decision."""

    key: str
    error_code: Code
    error_details: str


class FlagNotFound(Struct, rename="camel"):
    """There is no such experiment."""

    key: str
    error_code: Literal["FLAG_NOT_FOUND"]
    error_details: str


class Failed(Exception):  # noqa: N818 - it is an answer
    """An evaluation that cannot be made."""

    def __init__(self, code: Code, details: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(details)
        self.code, self.details, self.headers = code, details, dict(headers or {})


_asked = msgspec.json.Decoder(Evaluation)
_anything = msgspec.json.Decoder()
_UNREADABLE: dict[str, Code] = {"unsupported-media": "PARSE_ERROR", "too-large": "GENERAL"}


class Evaluate:
    """POST: the decision of an experiment for a targeting key."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        visit = visit_of(scope)
        visit.route = EVALUATE
        flag = scope["path_params"]["experiment"]
        try:
            experiment = await self.service.experiment(visit, "decide", flag)
        except Refusal as refusal:
            if refusal.kind != "not-found":
                raise
            absent = FlagNotFound(shown(flag), "FLAG_NOT_FOUND", shown(refusal.detail))
            await reply(send, 404, absent)
            return
        try:
            with failing_as("GENERAL"):
                check_query(scope["query_string"])
            key = await self._key(visit, receive)
            answer = await self._decided(experiment, flag, key)
        except Failed as failed:
            said = EvaluationFailure(shown(flag), failed.code, shown(failed.details))
            raw = [(name.encode(), value.encode()) for name, value in failed.headers.items()]
            await reply(send, 400, said, raw)
            return
        await reply(send, 200, answer)

    async def _key(self, visit: Visit, receive: Receive) -> str:
        """The targeting key in the body of a request."""
        limits = self.service.settings.limits
        with failing_as("INVALID_CONTEXT"):
            body = await body_of(visit, receive, limits.body)
        with failing_as("PARSE_ERROR"):
            plain = decode(_anything, body)
        with failing_as("INVALID_CONTEXT"):
            check_depth(plain, limits.depth)  # what is ignored is read, too
            key = (await read(_asked, body)).context.get("targetingKey")
        if key is None or key == "":
            raise Failed("TARGETING_KEY_MISSING", f"the context needs a targetingKey: {_KEY}")
        if not isinstance(key, str) or len(key) > KEY_LENGTH:
            raise Failed("INVALID_CONTEXT", f"the targetingKey is no key: give {_KEY}")
        with failing_as("INVALID_CONTEXT"):
            check_key_text(key, "/context/targetingKey")
        return key

    async def _decided(self, experiment: Together, flag: str, key: str) -> Evaluated:
        """What goes out."""
        service = self.service
        service.check_writable()
        try:
            found = await service.change(experiment, lambda: experiment.decide(1, key))
        except NotRunningError as error:
            raise Failed("GENERAL", str(error)) from None
        except InputError as error:
            raise Failed("INVALID_CONTEXT", str(error)) from None
        (decision,) = found.decisions
        if decision.shadow:
            words = "the experiment is in shadow: do what you would do without it"
            raise Failed("GENERAL", words)
        label = str(decision.label)
        metadata = Metadata(decision.id, decision.why, found.n)
        return Evaluated(flag, "SPLIT", label, label, metadata)


@contextmanager
def failing_as(code: Code) -> Iterator[None]:
    """What is wrong with a request, as an error of OFREP."""
    try:
        yield
    except Refusal as refusal:
        found = _UNREADABLE.get(refusal.kind, code)
        raise Failed(found, refusal.detail, refusal.headers) from None
