"""The log: one JSON object in a line on stderr, without secrets and without the bodies of requests.

A decision that was made is an event of its experiment, with its key and its time. So a request that
went well on a hot route is no line of the log, unless the caller traces it (`traceparent`).
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from typing import Any, TextIO

import msgspec

from ..live.events import utc_now
from .gate import Visit
from .refusals import shown, without_secrets

TRACE = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")


class Log:
    """Where the service says what happens."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    def say(self, event: str, **more: Any) -> None:
        """One line."""
        line = msgspec.json.encode({"time": utc_now(), "event": event, **more}).decode()
        stream = self._stream or sys.stderr
        stream.write(without_secrets(line) + "\n")
        stream.flush()

    def request(self, visit: Visit, seconds: float) -> None:
        """A request that was answered."""
        more: dict[str, Any] = {"trace": visit.trace} if visit.trace else {}
        if visit.token:
            more["token"] = visit.token.name
        self.say(
            "request",
            id=visit.id,
            method=visit.method[:20],
            path=shown(visit.path)[:200],
            status=visit.status,
            ms=round(1000 * seconds, 1),
            **more,
        )

    def fault(self, visit: Visit, error: BaseException) -> None:
        """A bug: where it was, under the id that the caller got."""
        where = [
            f"{frame.filename}:{frame.lineno}"
            for frame in traceback.extract_tb(error.__traceback__)
        ]
        said = shown(f"{type(error).__name__}: {error}")
        self.say("internal", id=visit.id, path=shown(visit.path)[:200], error=said, where=where)


class Handler(logging.Handler):
    """What the server below us says, in the same form."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """One line."""
        said: dict[str, Any] = {"said": shown(record.getMessage())}
        if record.exc_info and record.exc_info[1]:
            said["error"] = shown(repr(record.exc_info[1]))
        self._log.say("server", level=record.levelname.lower(), **said)


def trace_of(said: str) -> str:
    """The trace that a request belongs to, from its `traceparent`; "" where there is none."""
    found = TRACE.fullmatch(said)
    return f"{found[1]}-{found[2]}" if found else ""
