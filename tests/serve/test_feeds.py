"""What streams of events are made of: told by the writer or read, shared, in order, bounded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest

from serving import PATIENCE
from sidelight import Feedback, Learner
from sidelight.errors import StoreError
from sidelight.live.bodies import created
from sidelight.live.events import Event
from sidelight.live.store import Store
from sidelight.live.together import Together
from sidelight.serve.streams import BEAT, PAGE, PAUSE, RECENT, Feed, Feeds


def in_a_shop(store: Store, read: Callable[[Together], Coroutine[Any, Any, None]]) -> None:
    """Begin an experiment, and let somebody read what happens in it."""
    store.append("shop", 0, [created(Learner(Feedback.bandit(2), "ucb-n"))])
    with ThreadPoolExecutor(1) as crew:
        asyncio.run(read(Together(store, "shop", crew)))


def last_of(store: Store) -> int:
    """The number of the last event."""
    last = store.last("shop")
    assert last is not None
    return last.n


def test_a_reader_who_is_far_behind_holds_up_nobody(store: Store) -> None:
    async def read(shop: Together) -> None:
        feeds = Feeds(store, 9)
        shop.when_kept = feeds.keep
        slow = feeds.sent("shop", 0, last_of(store), lambda: True)
        assert await anext(slow) == b": sidelight\n\n"
        assert b"id: 1\n" in await anext(slow)  # and then it does not read on
        quick = feeds.sent("shop", last_of(store), last_of(store), lambda: True)
        assert await anext(quick) == b": sidelight\n\n"
        waiting = asyncio.ensure_future(anext(quick))
        await asyncio.sleep(0)
        await asyncio.to_thread(shop.decide(1, "news").result)
        feeds.wake("shop")
        assert (await waiting).startswith(b"id: %d\n" % last_of(store))
        assert (await anext(slow)).startswith(b"id: %d\n" % (PAGE + 1))
        for reader in (slow, quick):
            await reader.aclose()  # type: ignore[attr-defined]

    async def after_many(shop: Together) -> None:
        for _ in range(5):
            await asyncio.to_thread(shop.decide(1000).result)
        await read(shop)

    in_a_shop(store, after_many)


def test_readers_share_looks_and_send_at_different_times(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    look = Feeds._look

    def counted(feeds: Feeds, experiment: str, after: int, *most: int) -> Any:
        looks.append(after)
        return look(feeds, experiment, after, *most)

    monkeypatch.setattr(Feeds, "_look", counted)

    async def read(shop: Together) -> None:
        feeds = Feeds(store, 99)
        shop.when_kept = feeds.keep
        readers = [feeds.sent("shop", 1, 1, lambda: True) for _ in range(20)]
        for reader in readers:
            await anext(reader)
        for key in "abcdef":
            await asyncio.to_thread(shop.decide(1, key).result)
            feeds.wake("shop")
            pieces = await asyncio.gather(*map(anext, readers))
            assert len(set(pieces)) == 1
            assert b"id: %d\n" % last_of(store) in pieces[0]
        assert len(looks) == (6 if store.shared else 1)  # what is told needs no look
        await asyncio.to_thread(shop.decide(PAGE + 1, "many").result)
        feeds.wake("shop")
        for length in (PAGE, 1):  # more than a piece: still one look for all
            pieces = await asyncio.gather(*map(anext, readers))
            assert {piece.count(b"\nevent: ") for piece in pieces} == {length}
        assert len(looks) == (7 if store.shared else 1)
        for reader in readers:
            await reader.aclose()  # type: ignore[attr-defined]

    in_a_shop(store, read)
    feed = Feed("shop", 1)
    lags = sorted(feed.lag() for _ in range(20))
    assert lags[0] == 0
    assert lags[-1] < PAUSE
    assert max(b - a for a, b in pairwise(lags)) < 2 * PAUSE / 20


def test_an_event_that_nobody_told_of_is_read(store: Store) -> None:
    """A stream has it before the next one that is told."""

    async def read(shop: Together) -> None:
        feeds = Feeds(store, 9)
        shop.when_kept = feeds.keep
        reader = feeds.sent("shop", 1, 1, lambda: True)
        await anext(reader)
        await asyncio.to_thread(shop.decide().result)
        found = await anext(reader)  # all that was there before is read now
        for told in (True, False, True, False, False, True):
            shop.when_kept = feeds.keep if told else None
            await asyncio.to_thread(shop.decide().result)
        feeds.wake("shop")
        async with asyncio.timeout(PATIENCE):
            while b"\nid: %d\n" % last_of(store) not in found:
                found += await anext(reader)
        ids = [line for line in found.splitlines() if line.startswith(b"id: ")]
        assert ids == [b"id: %d" % n for n in range(2, last_of(store) + 1)]
        await reader.aclose()  # type: ignore[attr-defined]

    in_a_shop(store, read)


def test_after_a_look_that_failed_the_next_reader_looks_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, fails = Feeds._look, [True]

    def broken(feeds: Feeds, *question: Any) -> Any:
        if fails:
            raise StoreError("the disk failed")
        return look(feeds, *question)

    monkeypatch.setattr(Feeds, "_look", broken)

    async def read(shop: Together) -> None:
        feeds = Feeds(store, 9)
        readers = [feeds.sent("shop", 1, 1, lambda: True) for _ in range(2)]
        for reader in readers:
            await anext(reader)
        await asyncio.to_thread(shop.decide().result)
        with pytest.raises(StoreError):
            await anext(readers[0])
        fails.clear()
        async with asyncio.timeout(PATIENCE):
            assert await anext(readers[1]) not in (b"", b": alive\n\n")
        for reader in readers:
            await reader.aclose()  # type: ignore[attr-defined]

    in_a_shop(store, read)


def test_an_event_that_is_told_after_its_reader_was_woken_comes_soon(store: Store) -> None:
    async def read(shop: Together) -> None:
        feeds = Feeds(store, 9)
        told: list[list[Event]] = []
        shop.when_kept = told.append
        reader = feeds.sent("shop", 1, 1, lambda: True)
        await anext(reader)
        await asyncio.to_thread(shop.decide().result)
        await anext(reader)
        del told[:]
        await asyncio.to_thread(shop.set_state, "paused")
        waiting = asyncio.ensure_future(anext(reader))
        feeds.wake("shop")
        await asyncio.sleep(2 * PAUSE)
        for events in told:  # on a server it is read
            feeds.keep(events)
        async with asyncio.timeout(BEAT - 1):
            assert b"event: state\n" in await waiting
        await reader.aclose()  # type: ignore[attr-defined]

    in_a_shop(store, read)


def test_a_reader_waits_for_the_look_of_another(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the other one hangs up meanwhile."""
    look, looking, goes_on = Feeds._look, threading.Event(), threading.Event()

    def slow(feeds: Feeds, *question: Any) -> Any:
        looking.set()
        assert goes_on.wait(PATIENCE)
        return look(feeds, *question)

    monkeypatch.setattr(Feeds, "_look", slow)

    async def read(shop: Together, hangs_up: bool) -> None:
        feeds = Feeds(store, 9)
        for event in (looking, goes_on):
            event.clear()
        last = last_of(store)
        await asyncio.to_thread(shop.decide().result)
        readers = [feeds.sent("shop", last, last, lambda: True) for _ in range(2)]
        for reader in readers:
            await anext(reader)
        first, second = (asyncio.ensure_future(anext(reader)) for reader in readers)
        assert await asyncio.to_thread(looking.wait, PATIENCE)
        await asyncio.sleep(0)
        if hangs_up:
            first.cancel()
        goes_on.set()
        async with asyncio.timeout(BEAT - 1):
            assert b"id: %d\n" % last_of(store) in await second
        with suppress(asyncio.CancelledError):
            await first
        for reader in readers:
            await reader.aclose()  # type: ignore[attr-defined]

    async def both(shop: Together) -> None:
        for hangs_up in (False, True):
            await read(shop, hangs_up)

    in_a_shop(store, both)


def test_a_reader_that_does_not_read_on_costs_bounded_memory(store: Store) -> None:
    async def read(shop: Together) -> None:
        feeds = Feeds(store, 9)
        shop.when_kept = feeds.keep
        reader = feeds.sent("shop", 1, 1, lambda: True)
        await anext(reader)
        await asyncio.to_thread(shop.decide().result)
        found = await anext(reader)
        for _ in range(1 + 2 * RECENT // 1000):
            await asyncio.to_thread(shop.decide(1000).result)
        (feed,) = feeds._feeds.values()
        assert len(feed.kept) <= RECENT
        feeds.wake("shop")
        async with asyncio.timeout(PATIENCE):
            while b"\nid: %d\n" % last_of(store) not in found:
                found += await anext(reader)
        ids = [line for line in found.splitlines() if line.startswith(b"id: ")]
        assert ids == [b"id: %d" % n for n in range(2, last_of(store) + 1)]
        await reader.aclose()  # type: ignore[attr-defined]

    in_a_shop(store, read)
