"""All parts of one service, as its routes share them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from time import perf_counter
from typing import TypeVar
from urllib.parse import parse_qsl

from ..errors import ConflictError, choose_from
from ..live.events import KEY_LENGTH
from ..live.together import MARK, Together
from .analysing import Analyses
from .gate import Gate, Visit
from .landing import Landing
from .logs import Log
from .metrics import Metrics
from .refusals import SECRET, Refusal
from .settings import Settings
from .shelf import Shelf
from .streams import Feeds

T = TypeVar("T")
FEW = 10  # items up to which a change is made without another thread
ATTEMPTS = 3  # to make a change on what is in the store, where memory was not


@dataclass
class Service:
    """What a route needs."""

    settings: Settings
    gate: Gate
    shelf: Shelf
    log: Log
    metrics: Metrics
    feeds: Feeds
    landing: Landing = field(default_factory=Landing)
    failure: str = ""  # why nothing can be written any more
    analyses: Analyses = field(default_factory=Analyses)
    _threads: Counter[str] = field(default_factory=Counter)  # at work, by experiment
    _looking: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """End streams, analyses and children that compile: the service is told to end."""
        self.feeds.close()
        self.analyses.close()
        self.shelf.compiler.close()

    def check_writable(self) -> None:
        """Refuse a change where none can be kept."""
        if self.settings.read_only:
            raise Refusal(
                "read-only", "this service only reads: send changes to the one that writes"
            )
        if self.failure:
            raise Refusal("storage-failed", self.failure, {"retry-after": "1"})

    async def check_store(self) -> None:
        """Look whether the store can be used now; those who ask at once share one look."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(asyncio.to_thread(self.shelf.store.check))
        await asyncio.shield(self._looking)

    async def experiment(self, visit: Visit, role: str, name: str) -> Together:
        """The experiment that a route is about, if the caller may do this there."""
        self.gate.allow(visit, role, name)
        found = self.shelf.find(name)
        return found if found is not None else await self.shelf.get(name)

    async def change(
        self, experiment: Together, make: Callable[[], Future[T]], count: int = 1
    ) -> T:
        """Make a change of so many items; the answer comes when it is on disk.

        A decision takes microseconds, less than a thread: it is made right here, unless events have
        to be replayed before, there are many actions or many items, or a thread is at work on the
        experiment, for which everybody else would wait.
        """
        start = perf_counter()
        name = experiment.name
        for attempt in range(1, ATTEMPTS + 1):
            at_once = experiment.is_ready and name not in self.shelf.large and count <= FEW
            if self.shelf.store.shared or (at_once and not self._threads[name]):
                future = make()
            else:
                self._threads[name] += 1
                try:
                    future = await asyncio.to_thread(make)
                finally:
                    self._threads[name] -= 1
            try:
                answer = await self.landing.of(future)
                break
            except ConflictError:  # memory was ahead of a store that failed; it has been read again
                if attempt == ATTEMPTS:
                    raise
        self.metrics.committed.add(perf_counter() - start)
        self.feeds.wake(name)
        return answer


def key_of(visit: Visit, said: str | None) -> str | None:
    """The key of a request: in its body, or in the header `Idempotency-Key`."""
    raw = visit.headers.get(b"idempotency-key")
    key = said
    if raw is not None:
        key = raw.decode("latin-1").strip().removeprefix('"').removesuffix('"')
        if said is not None and said != key:
            raise Refusal(
                "invalid-request",
                "the body and the header Idempotency-Key have different keys: send one",
                more={"pointer": "/key"},
            )
        if not 0 < len(key) <= KEY_LENGTH or not key.isascii():
            raise Refusal(
                "invalid-request",
                f"Idempotency-Key has 1 to {KEY_LENGTH} characters of ASCII: choose another",
            )
    if key is not None:
        check_key_text(key, "/key")
    return key


def check_key_text(key: str, pointer: str) -> None:
    """Refuse control characters, one of which is ours, and tokens: a key is kept for ever."""
    if "sidelight_" in key and SECRET.search(key):
        raise Refusal("invalid-request", "a token is no key: it belongs into the header only")
    if MARK in key or not key.isprintable():
        raise Refusal(
            "invalid-request",
            "a key has printable characters only: choose another",
            more={"pointer": pointer},
        )


def check_query(query: bytes, known: Sequence[str] = ()) -> None:
    """Refuse parameters that a route does not know, and those that are there twice."""
    if not query:
        return
    names = [name for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True)]
    for name in names:
        if name not in known:
            raise Refusal(
                "invalid-request", f"unknown parameter {name[:50]!r}; {choose_from(name, known)}"
            )
        if names.count(name) > 1:
            raise Refusal("invalid-request", f"the parameter {name} is there twice: send one")
