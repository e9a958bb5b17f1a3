"""Answers from other threads: one wake-up for many, errors, and callers who have gone."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from serving import PATIENCE, serving_here
from sidelight.serve.landing import Landing
from sidelight.serve.service import FEW


def test_many_answers_wake_the_loop_once() -> None:
    async def work() -> tuple[list[int], int]:
        landing, loop = Landing(), asyncio.get_running_loop()
        woken = []
        plain = loop.call_soon_threadsafe

        def count(callback: Any, *rest: Any) -> Any:
            woken.append(callback)
            return plain(callback, *rest)

        futures: list[Future[int]] = [Future() for _ in range(100)]
        waiting = [asyncio.create_task(landing.of(future)) for future in futures]
        await asyncio.sleep(0)
        loop.call_soon_threadsafe = count  # type: ignore[method-assign, assignment]

        def answer() -> None:
            for number, future in enumerate(futures):
                future.set_result(number)

        answering = threading.Thread(target=answer)
        answering.start()
        answering.join()  # the loop stands still meanwhile, as it does while it decides
        return await asyncio.gather(*waiting), len(woken)

    found, woken = asyncio.run(work())
    assert found == list(range(100))
    assert woken == 1


def test_errors_and_answers_that_are_there_already() -> None:
    async def work() -> None:
        landing = Landing()
        done: Future[int] = Future()
        done.set_result(7)
        assert await landing.of(done) == 7
        failed: Future[int] = Future()
        threading.Timer(0.01, failed.set_exception, [LookupError("no")]).start()
        with pytest.raises(LookupError):
            await landing.of(failed)

    asyncio.run(work())


def test_a_caller_who_has_gone_is_in_nobodys_way() -> None:
    async def work() -> int:
        landing = Landing()
        gone: Future[int] = Future()
        stays: Future[int] = Future()
        leaving = asyncio.create_task(landing.of(gone))
        staying = asyncio.create_task(landing.of(stays))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.sleep(0)

        def answer() -> None:
            gone.set_result(1)
            stays.set_result(2)

        threading.Timer(0.01, answer).start()
        return await staying

    assert asyncio.run(work()) == 2


def test_many_decisions_hold_up_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take a thread; so does whoever asks the same experiment meanwhile, and has to wait."""
    with serving_here(str(tmp_path / "e.db"), tmp_path) as running:
        running.create()
        running.decide()
        assert running.server is not None
        shop = running.server.service.shelf.find("shop")
        assert shop is not None
        at_work, go = threading.Event(), threading.Event()
        decide = shop.decide

        def slow(count: int = 1, key: str | None = None) -> Any:
            with shop._lock:
                if count > FEW:
                    at_work.set()
                    go.wait(PATIENCE / 4)
                return decide(count, key)

        monkeypatch.setattr(shop, "decide", slow)
        with ThreadPoolExecutor(2) as asking:
            many = asking.submit(running.decide, count=FEW + 1)
            assert at_work.wait(PATIENCE)
            one = asking.submit(running.decide)
            until = time.monotonic() + PATIENCE / 4
            while running.server.service._threads["shop"] < 2:
                assert time.monotonic() < until, "it holds up the service"
                time.sleep(0.01)
            assert running.call("GET", "/v1/health", token=None).status == 200
            assert not one.done()
            assert not many.done()
            go.set()
            assert [found["id"] for found in many.result().data["decisions"]] == [
                *range(2, FEW + 3)
            ]
            assert one.result().data["decisions"][0]["id"] == FEW + 3
        assert not running.server.service._threads["shop"]
