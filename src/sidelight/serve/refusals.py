"""Every answer that is no success: an RFC 9457 problem of one of these types, with what to do.

    {"type": "urn:sidelight:problem:key-reused", "title": "...", "status": 422, "detail": "...",
     "instance": "/v1/experiments/dosing/decisions"}

The list is closed. `detail` says what is wrong and what to do; `pointer`, where there is one, says
where in the body (RFC 6901). A bug is `internal`, with an id that is in the log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from ..errors import (
    ConflictError,
    ContradictionError,
    DamagedError,
    InputError,
    ItemError,
    KeyReusedError,
    NotRunningError,
    NotShownError,
    SidelightError,
    StoreError,
)

MEDIA = "application/problem+json"
PREFIX = "urn:sidelight:problem:"
KINDS: dict[str, tuple[int, str]] = {
    "invalid-request": (400, "The request cannot be used as it is"),
    "unauthorized": (401, "A token is needed"),
    "forbidden": (403, "This is not allowed"),
    "not-found": (404, "There is no such thing"),
    "conflict": (409, "This contradicts what is there"),
    "paused": (409, "The experiment takes no such call now"),
    "too-large": (413, "The request is too large"),
    "unsupported-media": (415, "The body has another format"),
    "key-reused": (422, "The key was used for something else"),
    "not-observable": (422, "The action does not show this value"),
    "budget-exceeded": (422, "The analysis takes too much"),
    "rate-limited": (429, "Too many requests"),
    "internal": (500, "A fault of the service"),
    "read-only": (503, "The service only reads"),
    "storage-failed": (503, "The store cannot be written"),
    "stopping": (503, "The service ends"),
}
# The order matters: the first class that fits.
_BY_ERROR: tuple[tuple[type[SidelightError], str], ...] = (
    (KeyReusedError, "key-reused"),
    (NotRunningError, "paused"),
    (NotShownError, "not-observable"),
    (ContradictionError, "conflict"),
    (DamagedError, "storage-failed"),
    (InputError, "invalid-request"),
    (ConflictError, "storage-failed"),
    (StoreError, "storage-failed"),
)
SECRET = re.compile(r"sidelight_(read|decide|admin)_[A-Za-z0-9_-]{8,}")
LONGEST = 600  # characters of a detail
HEADERS = {  # of every answer, whatever it is
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
}


class Refusal(Exception):  # noqa: N818 - it is an answer
    """An answer from the closed list."""

    def __init__(
        self,
        kind: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.kind, self.detail = kind, detail
        self.headers, self.more = dict(headers or {}), dict(more or {})
        self.status, self.title = KINDS[kind]

    def body(self, instance: str) -> bytes:
        """The problem as JSON; `instance` is the path of the request."""
        said = {
            "type": PREFIX + self.kind,
            "title": self.title,
            "status": self.status,
            "detail": shown(self.detail),
            "instance": shown(instance),
            **self.more,
        }
        return msgspec.json.encode(said)


def stopping() -> Refusal:
    """The answer where the service is told to end before it has one."""
    words = "the service ends before this is answered: ask again, with the same key, when it runs"
    return Refusal("stopping", words, {"retry-after": "1", "connection": "close"})


def refusal_of(error: SidelightError) -> Refusal | None:
    """The answer that an error of the library is; None where it is a bug of ours."""
    if isinstance(error, ItemError):
        found = refusal_of(error.cause)
        return found and Refusal(
            found.kind, found.detail, more={"pointer": f"/items/{error.place}"}
        )
    for kind_of_error, kind in _BY_ERROR:
        if isinstance(error, kind_of_error):
            headers = {"retry-after": "1"} if kind == "storage-failed" else {}
            return Refusal(kind, str(error), headers=headers)
    return None


def shown(text: str) -> str:
    """A text that may go out or into the log: no secret, no half characters, not endless."""
    plain = without_secrets(text).encode("utf-8", "replace").decode()
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]} ..."


def without_secrets(text: str) -> str:
    """The text with what looks like a token made unreadable."""
    return SECRET.sub(r"sidelight_\1_...", text) if "sidelight_" in text else text
