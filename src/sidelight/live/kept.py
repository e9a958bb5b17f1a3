"""A learner in memory and its events in a store, kept in step.

A change is made in memory, then appended; its answer waits for the append, and for all appends
before it. Whatever goes wrong after the first step of a change (a failed append, Ctrl-C), the
learner in memory may be ahead of the store: it is forgotten, and made from the events again, after
all that was handed over before is written. A change that is refused (`InputError`) has changed
nothing.

    a file      one process writes: a change is handed to the writer, who commits all that waits
    a server    several processes write, in turns: each turn begins with the events of the others,
                whose decisions are derived again and compared
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, TypeVar, cast

from ..errors import InputError
from .events import Entry, Event
from .known_answer import opened
from .replay import DeviationError, Replay, replayed
from .store import Store

T = TypeVar("T")
# A change of a learner: what is to be appended, and the answer. The number is that of the `opened`
# event of this process. Whatever is refused must be refused before anything is changed.
Work = Callable[[Replay, int], tuple[list[Entry], T]]
WhenKept = Callable[[list[Event]], object]


class Kept:
    """The events of one experiment, and the learner that they make."""

    def __init__(self, store: Store, name: str, *, brief: bool = False) -> None:
        self.store, self.name = store, name
        self._brief = brief
        self._lock = threading.RLock()
        self._replay: Replay | None = None
        self._opened: int | None = None  # the number of our `opened` event
        self._entry: Entry | None = None  # our `opened` event, before it is written
        self._written: Future[Any] | None = None  # the last append, which others wait for, too
        # Called with events that this process has appended, when they are on disk, in their order.
        self.when_kept: WhenKept | None = None
        self._unwritten = False  # whether appends of a forgotten learner may still wait
        if store.last(name) is None:
            raise InputError(f"there is no experiment {name!r} here{those(store)}")

    def events(self, after: int = 0) -> Iterator[Event]:
        """What happened after event n."""
        return self.store.read(self.name, after)

    def look(self, read: Callable[[Replay], T]) -> T:
        """Read something, and wait until all that was read is on disk.

        `read` must take copies, because the learner goes on.
        """
        with self._lock:
            answer = read(self._folded(self.events))
            written = self._written
        if written is not None:
            with self._forgetting():
                written.result()
        return answer

    def change(self, work: Work[T]) -> T:
        """Make a change, and wait until it is on disk."""
        if self.store.shared:
            with self._lock:
                (found,) = self.change_in_turn([work])
            if isinstance(found, InputError):
                raise found
            return cast("T", found)
        answer, written = self.hand_over(work)
        if written is not None:
            with self._forgetting():
                written.result()
        return answer

    def hand_over(self, work: Work[T]) -> tuple[T, Future[Any] | None]:
        """Make a change in memory, and hand it to the writer; the answer holds once that is done.

        A repeated question has nothing to write, and yet waits for the first answer to be on disk.
        """
        with self._lock:
            replay = self._folded(self.events)
            opening = self._opening(replay)
            refused = None
            with self._forgetting():
                try:
                    entries, answer = work(replay, self._by(replay))
                except InputError as error:
                    refused = error
                else:
                    if entries:
                        after = replay.n
                        entries = self._counted(replay, opening, entries)
                        self._written = self.store.submit(self.name, after, entries)
                        if self.when_kept is not None:
                            self._written.add_done_callback(_telling(self.when_kept))
            if refused:
                raise refused
            return answer, self._written

    def change_in_turn(self, works: list[Work[Any]]) -> list[Any]:
        """Several changes in one turn on a server: the answer to each, or its refusal."""
        answers: list[Any] = []
        if self._replay is None:
            self._folded(self.events)  # the long part, while others may write
        with self._forgetting(), self.store.turn(self.name) as turn:
            replay = self._folded(turn.read)
            before, made = replay.n, []
            for work in works:
                opening = self._opening(replay)
                try:
                    entries, answer = work(replay, self._by(replay))
                except InputError as error:
                    answers.append(error)
                    continue
                if entries:
                    made += self._counted(replay, opening, entries)
                answers.append(answer)
            if made:
                turn.append(before, made)
        return answers

    # ---- inside ------------------------------------------------------------------------------

    def _opening(self, replay: Replay) -> list[Entry]:
        """Our `opened` event, where it is not written yet."""
        if self._opened is not None:
            return []
        if self._entry is None:
            self._entry = opened(replay)
        last = max(replay.openings, default=None)
        if self._brief and last is not None and replay.openings[last] == self._entry.body:
            self._opened = last
            return []
        return [self._entry]

    def _by(self, replay: Replay) -> int:
        return replay.n + 1 if self._opened is None else self._opened

    def _counted(self, replay: Replay, opening: list[Entry], entries: list[Entry]) -> list[Entry]:
        """All entries of a change, which the replay holds already; the first after our `opened`."""
        if opening:
            self._opened = replay.n + 1
            replay.openings[self._opened] = opening[0].body
        if any(entry.type == "adopted" for entry in entries):
            self._announce_again()
        replay.n += len(opening) + len(entries)
        return [*opening, *entries]

    def _announce_again(self) -> None:
        """Another rule has another known answer."""
        self._opened = self._entry = None

    @contextmanager
    def _forgetting(self) -> Iterator[None]:
        """Forget the learner in memory if the block fails: it may be ahead of the store."""
        try:
            yield
        except BaseException:
            self.forget()
            raise

    def forget(self) -> None:
        """Make the learner from the events again, the next time that somebody asks."""
        with self._lock:
            self._replay = self._written = None
            self._unwritten = True
            self._announce_again()

    def _folded(self, read: Callable[[int], Iterator[Event]]) -> Replay:
        """The replay with all events that others wrote."""
        replay = self._replay
        if replay is not None:
            if not self.store.shared:
                return replay
            with suppress(DeviationError), self._forgetting():
                for event in read(replay.n):
                    replay.take(event)
                    if event.type == "adopted":
                        self._announce_again()
                return replay
        if self._unwritten:
            self.store.flush()
            self._unwritten = False
        self._replay = replay = replayed(lambda: read(0), self.name)
        return replay


def those(store: Store) -> str:
    """The end of a sentence: which experiments a store holds."""
    names = store.experiments()
    shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    if not names:
        return "; there is none yet: give a problem to begin one"
    return f"; there are: {shown}; name one with experiment= or -e"


def _telling(when_kept: WhenKept) -> Callable[[Future[list[Event]]], None]:
    """What to do when an append is done; the experiment refers to this, so this has no way back."""

    def tell(done: Future[list[Event]]) -> None:
        if done.exception() is None:
            when_kept(done.result())

    return tell
