"""Analyses that wait for their turn: nobody may fill the queue."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sidelight.serve import analysing
from sidelight.serve.analysing import EACH, Analyses
from sidelight.serve.refusals import Refusal
from sidelight.serve.settings import Limits


def test_one_token_cannot_keep_others_from_their_analyses(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        go, asked = asyncio.Event(), []

        async def slow(question: dict[str, Any], limits: Limits) -> dict[str, Any]:
            asked.append(question["n"])
            await go.wait()
            return question

        monkeypatch.setattr(analysing, "analyze_apart", slow)
        analyses, limits = Analyses(), Limits()

        def ask(token: str, n: int) -> asyncio.Task[dict[str, Any]]:
            return asyncio.create_task(analyses.answer({"n": n}, limits, token))

        greedy = [ask("greedy", n) for n in range(EACH + 3)]
        other = ask("other", 100)
        done, waiting = await asyncio.wait([*greedy, other], timeout=0.1)
        assert len(done) == 3
        for one in done:
            refusal = one.exception()
            assert isinstance(refusal, Refusal)
            assert refusal.kind == "rate-limited"
        go.set()
        answers = await asyncio.gather(*waiting)
        assert sorted(answer["n"] for answer in answers) == [*range(EACH), 100]
        assert sorted(asked) == [*range(EACH), 100]
        assert (await ask("greedy", 7))["n"] == 7  # its turn has come again

    asyncio.run(play())
