"""Events as they come: lines of JSON for one question, or server-sent events that do not end.

    GET .../events?after=17&wait=20                       application/x-ndjson
    GET .../events?after=17, Accept: text/event-stream    CloudEvents 1.0 as server-sent events

A stream has what is in the store, never what is only in the memory of a learner. On a file, this
process is told of every event when it is on disk, and need not read it; on a server, where others
write, too, all streams of an experiment share one look at the store. New events go out four times a
second at most, and all streams share the bytes. The streams send one after the other: if all sent
at the same moment, decisions would wait. A reader who is far behind looks for itself until it has
caught up.

A stream and a question that waits have a place: there are so many in all, and half as many for one
token, so that no reader keeps out the others. Before anything is sent, the token of the reader is
looked at again: it may have been revoked meanwhile.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count, islice
from typing import NamedTuple

import msgspec
from msgspec import Raw
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from ..live.events import Event
from ..live.exchange import to_lines
from ..live.store import Store
from .refusals import Refusal

NDJSON, SSE = "application/x-ndjson", "text/event-stream"
PAGE = 500  # events in a piece of a stream
LOOK = 1000  # events that a look takes at most
RECENT = 2 * LOOK  # events that are kept for streams
PAUSE = 0.25  # seconds between two looks while events come
POLL = 0.5  # seconds between two looks of a reader that waits
GOLDEN = 0.6180339887498949  # its multiples, modulo 1, lie evenly, however many there are
BEAT = 15.0  # seconds until a silent stream says that it lives
SPEC = "1.0"


class Sent(NamedTuple):
    """An event, and its bytes in a stream."""

    event: Event
    message: bytes


class Feed:
    """The events of one experiment from now on, for all its streams; `last` is the last of them."""

    def __init__(self, experiment: str, last: int) -> None:
        self.experiment, self.last, self.readers = experiment, last, 0
        self.due = 0.0  # when to go on, by the clock of the event loop
        self._lags = (PAUSE * (turn * GOLDEN % 1) for turn in count())
        self.recent: deque[Sent] = deque(maxlen=RECENT)
        # What this process has appended; its other threads write here.
        self.kept: deque[Sent] = deque(maxlen=RECENT)
        self.stale = True  # whether there may be events that nobody told us of
        self.lock = asyncio.Lock()
        self.news = asyncio.Event()

    def lag(self) -> float:
        """How long the next reader waits before it sends new events: another time for each."""
        return next(self._lags)

    def after(self, n: int) -> list[Sent] | None:
        """The next events after n; None where they are too old to be here."""
        first = self.last - len(self.recent) + 1
        if n + 1 < first:
            return None
        return list(islice(self.recent, n + 1 - first, n + 1 - first + PAGE))

    def add(self, found: list[Sent]) -> None:
        """Events that were read."""
        self.recent += found
        self.last += len(found)
        self.stale |= len(found) == LOOK  # it may have become stale while we looked

    def take(self) -> None:
        """Events that this process has appended; what is missing between them must be read."""
        while self.kept and not self.stale:
            sent = self.kept.popleft()
            self.stale = sent.event.n > self.last + 1
            if sent.event.n == self.last + 1:
                self.recent.append(sent)
                self.last += 1

    def wake(self) -> None:
        """There is something new."""
        self.news.set()
        self.news = asyncio.Event()


class Streamed(StreamingResponse):
    """An answer that has a place for as long as it lasts."""

    def __init__(
        self,
        content: AsyncIterator[bytes],
        media_type: str,
        headers: dict[str, str],
        place: AbstractContextManager[None],
    ) -> None:
        super().__init__(content, media_type=media_type, headers=headers)
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; a refusal where no place is left."""
        with self._place:
            await super().__call__(scope, receive, send)


class Feeds:
    """All feeds of a service."""

    def __init__(self, store: Store, most: int) -> None:
        self._store, self._most = store, most
        self._each = (most + 1) // 2
        self._feeds: dict[str, Feed] = {}
        self._places: Counter[str] = Counter()  # by the name of the token
        self.closing = False

    @property
    def open(self) -> int:
        """How many streams and questions that wait there are."""
        return self._places.total()

    def keep(self, events: list[Event]) -> None:
        """Events that this process has appended, and that are on disk; called by any thread."""
        feed = self._feeds.get(events[0].experiment)
        if feed is not None:
            feed.kept += [Sent(event, as_cloud_event(event)) for event in events]

    def wake(self, experiment: str) -> None:
        """There is something new."""
        feed = self._feeds.get(experiment)
        if feed is not None:
            feed.stale |= self._store.shared
            feed.wake()

    def close(self) -> None:
        """End all streams soon."""
        self.closing = True
        for feed in self._feeds.values():
            feed.wake()

    async def lines(
        self, experiment: str, after: int, seconds: float, may_read: Callable[[], bool]
    ) -> AsyncIterator[bytes]:
        """All events after n; where there is none yet, the first that come within so long."""
        clock = asyncio.get_running_loop()
        until = clock.time() + seconds
        page = await asyncio.to_thread(self._look, experiment, after)
        if not page and seconds:
            with self._reading(experiment, after) as feed:
                while not page and not self.closing and (left := until - clock.time()) > 0:
                    page = await self._next(feed, after, left)
        while page and may_read():
            yield "".join(f"{line}\n" for line in to_lines(sent.event for sent in page)).encode()
            after = page[-1].event.n
            full = len(page) == PAGE
            page = await asyncio.to_thread(self._look, experiment, after) if full else []

    async def sent(
        self, experiment: str, after: int, last: int, may_read: Callable[[], bool]
    ) -> AsyncIterator[bytes]:
        """Server-sent events after n, until the caller goes or may not read any more.

        `last` is the number of the last event that is there now.
        """
        clock = asyncio.get_running_loop()
        said = clock.time()
        yield b": sidelight\n\n"
        with self._reading(experiment, last) as feed:
            lag = feed.lag()
            while not self.closing:
                waits = after == feed.last  # who has to catch up goes on
                page = await self._next(feed, after, BEAT)
                if waits:
                    await asyncio.sleep(lag)
                if not may_read():
                    return
                if page:
                    yield b"".join([sent.message for sent in page])
                    after, said = page[-1].event.n, clock.time()
                elif clock.time() - said >= BEAT:
                    yield b": alive\n\n"
                    said = clock.time()

    @contextmanager
    def place(self, token: str) -> Iterator[None]:
        """A place for a stream, or for a question that waits; refused where none is left."""
        words = ""
        if self._places[token] >= self._each:
            words = f"the token {token!r} has {self._each} streams and questions that wait already"
        elif self.open >= self._most:
            words = f"{self._most} streams and questions that wait are open already"
        if words:
            advice = "close one, or ask for lines without `wait`"
            raise Refusal("rate-limited", f"{words}: {advice}", {"retry-after": "5"})
        self._places[token] += 1
        try:
            yield
        finally:
            self._places[token] -= 1
            if not self._places[token]:
                del self._places[token]

    async def _next(self, feed: Feed, after: int, seconds: float) -> list[Sent]:
        """The events after n; where there are none yet, wait for so long at most."""
        news = feed.news  # before we look: what comes after the look sets it
        page = await self._read(feed, after)
        if page:
            return page
        try:
            # Now and then without news: an event may be kept a moment after its reader was woken.
            async with asyncio.timeout(min(seconds, POLL)):
                await news.wait()
        except TimeoutError:
            feed.stale |= self._store.shared
        return await self._read(feed, after)

    async def _read(self, feed: Feed, after: int) -> list[Sent]:
        if feed.stale or feed.kept or feed.lock.locked():
            async with feed.lock:
                if feed.stale or feed.kept:
                    clock = asyncio.get_running_loop()
                    await asyncio.sleep(feed.due - clock.time())
                    feed.due = clock.time() + PAUSE
                    feed.take()
                if feed.stale:
                    await self._catch_up(feed)
        found = feed.after(after)
        if found is None:
            found = await asyncio.to_thread(self._look, feed.experiment, after)
        return found

    async def _catch_up(self, feed: Feed) -> None:
        """Read what nobody told us of; what becomes stale meanwhile is noticed."""
        feed.stale = False
        try:
            feed.add(await asyncio.to_thread(self._look, feed.experiment, feed.last, LOOK))
        except BaseException:
            feed.stale = True  # the next reader tries again
            raise

    @contextmanager
    def _reading(self, experiment: str, last: int) -> Iterator[Feed]:
        """The feed of an experiment, which is there as long as somebody reads."""
        feed = self._feeds.setdefault(experiment, Feed(experiment, last))
        feed.readers += 1
        try:
            yield feed
        finally:
            feed.readers -= 1
            if not feed.readers:
                del self._feeds[experiment]

    def _look(self, experiment: str, after: int, most: int = PAGE) -> list[Sent]:
        page = islice(self._store.read(experiment, after), most)
        return [Sent(event, as_cloud_event(event)) for event in page]


def as_cloud_event(event: Event) -> bytes:
    """An event as a message of a stream; its id is the number to go on from."""
    said = {
        "specversion": SPEC,
        "id": str(event.n),
        "source": f"/v1/experiments/{event.experiment}",
        "type": f"sidelight.{event.type}",
        "time": event.time,
        "datacontenttype": "application/json",
        "data": {"n": event.n, "key": event.key, "hash": event.hash, "body": Raw(event.body)},
    }
    text = msgspec.json.encode(said).decode()
    return f"id: {event.n}\nevent: {event.type}\ndata: {text}\n\n".encode()
