"""Answers that come from other threads, handed to the event loop several at a time.

Waking the loop from another thread is a call of the system. `asyncio.wrap_future` wakes it for each
answer; the writer of a file answers a whole group after one commit, and one wake-up is enough.
"""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Landing:
    """Where futures of other threads become awaitable."""

    def __init__(self) -> None:
        self._landed: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._is_woken = False

    async def of(self, future: Future[T]) -> T:
        """The result of a future."""
        if future.done():
            return future.result()
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[T] = loop.create_future()

        def land(done: Future[T]) -> None:
            self._landed.append((waiter, done))
            if not self._is_woken:  # if two threads come at once, it is woken twice
                self._is_woken = True
                loop.call_soon_threadsafe(self._take)

        future.add_done_callback(land)
        return await waiter

    def _take(self) -> None:
        self._is_woken = False  # before we look: whoever comes now wakes the loop again
        while self._landed:
            waiter, done = self._landed.popleft()
            if waiter.cancelled():
                continue
            error = done.exception()
            if error is None:
                waiter.set_result(done.result())
            else:
                waiter.set_exception(error)
