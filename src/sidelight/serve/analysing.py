"""Structure and bounds of a problem that somebody sent, computed in a child with limits.

The numbers behind a structure are hard to find, and a caller may send the hardest. So a child
computes them, with so many seconds of the processor and so much memory, and the service waits for
it without doing anything else for the caller. Without a clock: what comes out is the same on every
machine, or does not come out; so the last answers are kept. Certificates go along, for a reader who
trusts nobody. Children take turns, and a token has few places in the queue, so that one caller does
not keep the others from their turn.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .refusals import Refusal, stopping
from .settings import Limits

GRACE = 4  # times the processor's seconds, until a child must have ended on a busy machine
STARTING = 3  # seconds of the processor for imports
KEPT = 32  # answers
EACH = 2  # analyses of one token that run or wait
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
EXCEEDED = (
    "the analysis takes more than {seconds} s of the processor or {memory} MB: use the library or "
    "`sidelight analyze` for a problem of this size"
)


def analysis_of(asked: dict[str, Any]) -> dict[str, Any]:
    """All that `analyze` says, with certificates; this runs in the child."""
    from ..analysis import analyze  # noqa: PLC0415 - the service itself needs none of it
    from ..bounds.certificate_file import Saved  # noqa: PLC0415
    from ..document import from_table  # noqa: PLC0415
    from ..errors import SidelightError  # noqa: PLC0415
    from ..numerals import finite  # noqa: PLC0415
    from ..problem import from_document  # noqa: PLC0415

    try:
        subject = from_document(from_table(asked["problem"]), where="problem")
        found = analyze(subject, asked["horizon"], asked["worst_case"])
    except (SidelightError, ValueError, TypeError) as error:
        return {"refused": str(error)}
    record = found.to_dict()
    record["certificates"] = {
        name: bound.certificate.to_dict()
        for name, bound in found.bounds.items()
        if isinstance(bound.certificate, Saved)
    }
    plain: dict[str, Any] = finite(record)
    return plain


def main() -> None:
    """The child: read a question, set the limits, answer."""
    import resource  # noqa: PLC0415 - not on every system

    asked = json.load(sys.stdin)
    seconds, memory = asked["seconds"], asked["memory"]
    import scipy.special  # noqa: F401, PLC0415 - not on the caller's account

    from .. import analysis  # noqa: F401, PLC0415

    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (spent + seconds, spent + seconds))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    try:
        json.dump(analysis_of(asked), sys.stdout)
    except MemoryError:
        sys.exit(1)


class Analyses:
    """One child at a time, and the last answers."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(1)
        self._kept: dict[str, dict[str, Any]] = {}  # the oldest first
        self._waiting: Counter[str] = Counter()  # by the name of the token
        self._asking: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def answer(self, asked: dict[str, Any], limits: Limits, token: str) -> dict[str, Any]:
        """What a child says, now or before."""
        question = json.dumps(asked, sort_keys=True)
        with self._place(token):
            async with self._turn:
                found = self._kept.pop(question, None) or await analyze_apart(asked, limits)
        self._kept[question] = found
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return found

    def close(self) -> None:
        """End the child, and send everybody away who waits: a hard problem outlasts any grace."""
        self._closed = True
        for task in self._asking:
            task.cancel()

    @contextmanager
    def _place(self, token: str) -> Iterator[None]:
        """A place in the queue."""
        task = asyncio.current_task()
        assert task is not None  # we are asked by a coroutine
        if self._closed:
            raise stopping()
        if self._waiting[token] >= EACH:
            words = f"the token {token!r} waits for {EACH} analyses already: wait for their answers"
            raise Refusal("rate-limited", words, {"retry-after": "5"})
        self._waiting[token] += 1
        self._asking.add(task)
        try:
            yield
        finally:
            self._asking.discard(task)
            self._waiting[token] -= 1


async def analyze_apart(asked: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """The answer of a child, or a refusal."""
    source = str(Path(__file__).parents[2])
    code = f"import sys; sys.path.insert(0, {source!r}); from {__name__} import main; main()"
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, **ONE_THREAD},
    )
    question = {**asked, "seconds": limits.seconds, "memory": limits.memory}
    try:
        async with asyncio.timeout(GRACE * (limits.seconds + STARTING)):
            said, _ = await child.communicate(json.dumps(question).encode())
    except TimeoutError:
        said = b""
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode != 0 or not said:
        words = EXCEEDED.format(seconds=limits.seconds, memory=limits.memory // 2**20)
        raise Refusal("budget-exceeded", words)
    found: dict[str, Any] = json.loads(said)
    if "refused" in found:
        raise Refusal("invalid-request", found["refused"], more={"pointer": "/problem"})
    return found
