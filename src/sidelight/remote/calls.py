"""Calls of a service that are repeated until they have an answer, with nothing but Python's own.

A call is repeated where no answer came, where the service says that it could not keep it (503), or
that there were too many (429). All calls are harmless to repeat: questions, and what has a key. The
pauses double, and end when the caller's patience does; `notice` is told when they begin.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from ..errors import (
    ContradictionError,
    InputError,
    KeyReusedError,
    NotRunningError,
    NotShownError,
    SidelightError,
    StoreError,
    UnknownOutcomeError,
)

PATIENCE = 30.0  # seconds
PAUSE, LONGEST = 0.05, 2.0  # seconds
TIMEOUT = 60.0  # seconds without a byte
AGAIN = {"rate-limited", "storage-failed", "stopping"}
ERRORS: dict[str, type[SidelightError]] = {
    "key-reused": KeyReusedError,
    "paused": NotRunningError,
    "not-observable": NotShownError,
    "conflict": ContradictionError,
    "storage-failed": StoreError,
    "stopping": StoreError,
    "rate-limited": StoreError,
    "internal": StoreError,
}


class Calls:
    """A service, and the token to call it with; each thread has a connection of its own."""

    def __init__(
        self,
        url: str,
        token: str,
        patience: float = PATIENCE,
        context: ssl.SSLContext | None = None,
        notice: Callable[[str], object] | None = None,
    ) -> None:
        try:
            parts = urlsplit(url)
            parts.port  # noqa: B018 - whether it is a number
        except ValueError as error:
            raise InputError(f"{url!r} is no address of a service: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{url!r} is no address of a service: such as http://127.0.0.1:7733")
        if parts.username or parts.query or parts.fragment:
            raise InputError(f"{parts.hostname}: the address has nothing but host, port and path")
        if parts.scheme == "http" and not _is_loopback(parts.hostname):
            raise InputError(
                f"{url}: the token would go over the network in plain text: use https://"
            )
        self.url, self._parts, self._token = url, parts, _checked(token)
        # Paths of calls begin with /v1 themselves.
        self._path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
        self._patience, self._context, self._notice = patience, context, notice
        self._local = threading.local()
        self._open: set[http.client.HTTPConnection] = set()

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The answer, as plain data; an error of the library where the service refuses."""
        content = None if body is None else json.dumps(body, allow_nan=False).encode()
        until = time.monotonic() + self._patience
        pause = PAUSE
        while True:
            try:
                status, found = self._once(method, path, content)
                error = None if status < 400 else _error(found)
            except (OSError, http.client.HTTPException) as lost:
                self._drop()
                status, error = 0, self._lost(method, lost, body)
            if error is None:
                return found
            is_known = status and _kind(found) not in AGAIN
            if is_known or time.monotonic() + pause > until:
                raise error
            if self._notice is not None and pause == PAUSE:  # once for each call
                self._notice(f"{error}; trying again for {self._patience:g} s")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST)

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of an answer, as they come; not repeated."""
        connection = self._connect()
        try:
            connection.request("GET", self._path + path, headers=self._headers())
            answer = connection.getresponse()
            if answer.status >= 400:
                raise _error(_data(answer.read()))
            yield from answer
        except (OSError, http.client.HTTPException) as lost:
            raise self._lost("GET", lost) from None
        finally:
            connection.close()

    def close(self) -> None:
        """Close all connections; a later call opens another."""
        while self._open:
            self._open.pop().close()

    def _drop(self) -> None:
        """Close the connection of this thread."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._open.discard(connection)
            self._local.connection = None

    def _once(self, method: str, path: str, content: bytes | None) -> tuple[int, Any]:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
        self._open.add(connection)
        headers = self._headers()
        if content is not None:
            headers["content-type"] = "application/json"
        connection.request(method, self._path + path, content, headers)
        answer = connection.getresponse()
        return answer.status, _data(answer.read())

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname, self._parts.port
        assert host is not None
        if self._parts.scheme == "https":
            context = self._context or ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=TIMEOUT, context=context)
        return http.client.HTTPConnection(host, port, timeout=TIMEOUT)

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._token}", "accept": "application/json"}

    def _lost(self, method: str, error: Exception, body: Any = None) -> SidelightError:
        said = f"{self.url}: no answer ({type(error).__name__}: {error})"
        if method == "GET":
            return StoreError(f"{said}: see whether the service runs")
        key = _key_in(body)
        again = "repeat it" if key is None else f"repeat it with the same key, {key!r}"
        return UnknownOutcomeError(f"{said}: whether it was kept is not known: {again}")

    def __repr__(self) -> str:
        return f"<Calls of {self.url}>"


def _checked(token: object) -> str:
    """The token, if it can be one; the end of the line of a file is no part of it."""
    if token is None or token == "":
        raise InputError("no token: set SIDELIGHT_TOKEN to one that `sidelight token add` printed")
    if not isinstance(token, str):
        raise InputError(f"the token is {type(token).__name__}, and must be text")
    told = token.strip()
    if not told or not told.isascii() or not told.isprintable():
        raise InputError(
            "the token has characters that no token has: give what `sidelight token add` printed"
        )
    return told


def _key_in(body: Any) -> str | None:
    """The key of a request, or of its only item."""
    found = body if isinstance(body, dict) else {}
    key = found.get("items", [found])[0].get("key")
    return None if key is None else str(key)


def _data(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        raise http.client.HTTPException(f"no JSON: {content[:80]!r}") from None


def _kind(found: Any) -> str:
    said = found.get("type") if isinstance(found, dict) else None
    return str(said).rpartition(":")[2]


def _error(found: Any) -> SidelightError:
    detail = found.get("detail", found) if isinstance(found, dict) else found
    where = found.get("pointer", "") if isinstance(found, dict) else ""
    words = f"{detail} (at {where})" if where else str(detail)
    return ERRORS.get(_kind(found), InputError)(words)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
