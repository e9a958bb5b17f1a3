"""One decision for an OpenFeature client (OFREP, single evaluation).

The flag is the experiment, the targeting key is the key of the decision, and the decision's id is
in the metadata, to tell what it showed. There is no bulk route: evaluating all flags at once would
count plays that nobody saw. In shadow, and where nothing may be decided, the answer is an error, so
that the client takes its own default.
"""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.types import Receive, Scope, Send

from ..errors import InputError, NotRunningError
from ..live.together import Together
from .guard import visit_of
from .hot import reply
from .refusals import Refusal, shown
from .service import Service, check_key_text, check_query
from .wire import body_of, check_depth, decode

EVALUATE = "/ofrep/v1/evaluate/flags/{experiment}"


class Evaluation(msgspec.Struct):
    """What an OpenFeature client sends; other fields of the context are ignored."""

    context: dict[str, Any] = {}


_asked = msgspec.json.Decoder(Evaluation)
_anything = msgspec.json.Decoder()


class Evaluate:
    """POST: the decision of an experiment for a targeting key."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        visit, service = visit_of(scope), self.service
        check_query(scope["query_string"])
        visit.route = EVALUATE
        flag = scope["path_params"]["experiment"]
        try:
            experiment = await service.experiment(visit, "decide", flag)
        except Refusal as refusal:
            if refusal.kind != "not-found":
                raise
            await reply(send, 404, _error(flag, "FLAG_NOT_FOUND", refusal.detail))
            return
        limits = service.settings.limits
        body = await body_of(visit, receive, limits.body)
        said = decode(_asked, body)
        check_depth(decode(_anything, body), limits.depth)  # what is ignored is read, too
        key = said.context.get("targetingKey")
        if not isinstance(key, str) or not 0 < len(key) <= 200:
            words = "the context needs a targetingKey of 1 to 200 characters"
            await reply(send, 400, _error(flag, "TARGETING_KEY_MISSING", words))
            return
        try:
            check_key_text(key, "/context/targetingKey")
        except Refusal as refusal:
            await reply(send, 400, _error(flag, "INVALID_CONTEXT", refusal.detail))
            return
        await reply(send, *await self._decided(experiment, flag, key))

    async def _decided(
        self, experiment: Together, flag: str, key: str
    ) -> tuple[int, dict[str, Any]]:
        """The status, and what goes out."""
        service = self.service
        service.check_writable()
        try:
            found = await service.change(experiment, lambda: experiment.decide(1, key))
        except NotRunningError as error:
            return 400, _error(flag, "GENERAL", str(error))
        except InputError as error:
            return 400, _error(flag, "INVALID_CONTEXT", str(error))
        (decision,) = found.decisions
        if decision.shadow:
            words = "the experiment is in shadow: do what you would do without it"
            return 400, _error(flag, "GENERAL", words)
        label = str(decision.label)
        metadata = {"decision": decision.id, "why": decision.why, "seq": found.n}
        answer = {"key": flag, "reason": "SPLIT", "variant": label, "value": label}
        return 200, {**answer, "metadata": metadata}


def _error(flag: str, code: str, details: str) -> dict[str, str]:
    return {"key": shown(flag), "errorCode": code, "errorDetails": shown(details)}
