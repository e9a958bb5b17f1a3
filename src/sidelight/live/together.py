"""Many callers of one experiment: changes that wait together are kept together.

A caller gets a future at once; it has the answer when the change is on disk.

    a file      the change is made in memory and handed to the writer, who commits all that waits
    a server    the changes that wait are made one after the other in one turn, with one commit

Several decisions of one ask have keys of their own, made of the key of the ask, so that the same
key and the same number give the same decisions. Several values are taken all or none: all are
looked at before the first is taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ..errors import ContradictionError, InputError, ItemError, KeyReusedError
from ..labels import Label
from . import bodies
from .events import KEY_LENGTH, Entry, check_key
from .experiment import Experiment
from .kept import Work
from .learner import ANOTHER_KEY, Decision, Learner
from .replay import SHADOW, Replay
from .store import Store
from .values import Values

T = TypeVar("T")
MARK = "\x1f"  # between a key and the number of a decision or an item: no key has this character
GROUP = 512  # changes in a turn


@dataclass(frozen=True)
class Told:
    """What a decision showed, or a part of it."""

    id: int
    values: Values
    key: str | None = None
    last: bool = False


@dataclass(frozen=True)
class Recorded:
    """An action that nobody asked about, and what it showed."""

    action: Label
    values: Values
    key: str | None = None


@dataclass(frozen=True)
class Decided:
    """Decisions, whether they are new, and the number of the last event after them."""

    decisions: tuple[Decision, ...]
    new: bool
    n: int


@dataclass(frozen=True)
class Taken:
    """How many items were news, how many were known, how many came after nobody waited for them."""

    accepted: int
    duplicate: int
    late: int
    n: int


class Together(Experiment):
    """An experiment for many callers; `crew` are the threads that take turns on a server."""

    def __init__(self, store: Store, name: str, crew: Executor) -> None:
        super().__init__(store, name)
        self._crew = crew
        self._waiting: deque[tuple[Work[Any], Future[Any]]] = deque()

    @property
    def is_ready(self) -> bool:
        """Whether a change can be made at once: no replay, known run or server comes before it."""
        return self._replay is not None and self._opened is not None and not self.store.shared

    def decide(self, count: int = 1, key: str | None = None) -> Future[Decided]:
        """So many decisions."""

        def work(replay: Replay, by: int) -> tuple[list[Entry], Decided]:
            learner = replay.learner
            asked = learner.history.asked
            keys, known = keys_of(key, count, asked)
            if known:
                found = tuple(learner.decision(asked[name]) for name in keys if name is not None)
                return [], Decided(found, False, replay.n)
            self._check_can_decide(replay)
            decide = learner.propose if replay.state == SHADOW else learner.ask
            entries, made = [], []
            with self._forgetting():
                for name in keys:
                    decision = decide(name)
                    made.append(decision)
                    entries.append(bodies.decided(learner, decision, by, name))
            return entries, Decided(tuple(made), True, self._after(replay, entries))

        return self.soon(work)

    def observe(self, items: Sequence[Told], key: str | None = None) -> Future[Taken]:
        """What decisions showed: all items, or none; `key` stands for all of them."""

        def work(replay: Replay, by: int) -> tuple[list[Entry], Taken]:
            learner = replay.learner
            history = learner.history
            said = with_keys(items, key, history.tells)
            self._check_takes(replay, [item.key for item in said], history.tells)
            check_tells(learner, said)
            entries, accepted, late = [], 0, 0
            with self._forgetting():
                for item in said:
                    is_new = item.key is not None and item.key not in history.tells
                    awaited = item.id in history.awaited
                    news = learner.tell(item.id, item.values, item.key, item.last)
                    accepted += news
                    late += news and not awaited
                    if news or is_new:
                        action = learner.decision(item.id).action
                        values = learner.taken(action, item.values, f"decision {item.id}")
                        entries.append(bodies.told(item.id, values, item.key, item.last))
            n = self._after(replay, entries)
            return entries, Taken(accepted, len(said) - accepted, late, n)

        return self.soon(work)

    def note(self, items: Sequence[Recorded], key: str | None = None) -> Future[Taken]:
        """Actions that were taken without asking: all items, or none; `key` as in `observe`."""

        def work(replay: Replay, by: int) -> tuple[list[Entry], Taken]:
            learner = replay.learner
            records = learner.history.records
            said = with_keys(items, key, records)
            self._check_takes(replay, [item.key for item in said], records)
            check_records(learner, said)
            entries = []
            with self._forgetting():
                for item in said:
                    if learner.record(item.action, item.values, item.key):
                        place = learner.place(item.action)
                        label = learner.setting.labels[place]
                        values = learner.taken(place, item.values, f"a play of {label!r}")
                        entries.append(bodies.recorded(label, values, item.key))
            n, news = self._after(replay, entries), len(entries)
            return entries, Taken(news, len(said) - news, 0, n)

        return self.soon(work)

    # ---- inside ------------------------------------------------------------------------------

    def soon(self, work: Work[T]) -> Future[T]:
        """Make a change; the answer comes when it is on disk, and a refusal comes there, too."""
        future: Future[T] = Future()
        if self.store.shared:
            self._waiting.append((work, future))
            self._crew.submit(self._take_turn)
            return future
        try:
            answer, written = self.hand_over(work)
        except InputError as error:
            future.set_exception(error)
            return future
        if written is None:
            future.set_result(answer)
        else:
            written.add_done_callback(lambda done: self._settle(done, future, answer))
        return future

    def _settle(self, done: Future[Any], future: Future[T], answer: T) -> None:
        error = done.exception()
        if error is None:
            future.set_result(answer)
            return
        self.forget()  # the learner in memory is ahead of the store
        future.set_exception(error)

    def _take_turn(self) -> None:
        with self._lock:
            group = [self._waiting.popleft() for _ in range(min(GROUP, len(self._waiting)))]
            if not group:
                return  # somebody before has taken them along
            try:
                answers = self.change_in_turn([work for work, _ in group])
            except BaseException as error:
                for _, future in group:
                    future.set_exception(error)
                return
        for (_, future), answer in zip(group, answers, strict=True):
            if isinstance(answer, InputError):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    def _after(self, replay: Replay, entries: Sequence[Entry]) -> int:
        """The number of the last event when these are there."""
        first = bool(entries) and self._opened is None
        return replay.n + len(entries) + first


# ---- keys ----------------------------------------------------------------------------------------


def keys_of(key: str | None, count: int, known: Mapping[str, Any]) -> tuple[list[str | None], bool]:
    """The keys of `count` things that were said with one key, and whether they are known.

    `KeyReusedError` where another number of things was said with it.
    """
    if key is None:
        return [None] * count, False
    check_key(key)
    if MARK in key:
        raise InputError(f"the key {key!r} has a unit separator (U+001F) in it: leave that out")
    keys = [key, *(f"{key}{MARK}{place}" for place in range(2, count + 1))]
    if len(keys[-1]) > KEY_LENGTH:
        longest = KEY_LENGTH - len(keys[-1]) + len(key)
        raise InputError(
            f"a key for {count} things has {longest} characters at most, and this one {len(key)}: "
            "shorten it"
        )
    found = sum(name in known for name in keys)
    if found and (found < count or f"{key}{MARK}{count + 1}" in known):
        raise KeyReusedError(
            f"the key {key!r} was used before, for another number than {count}: {ANOTHER_KEY}"
        )
    return [*keys], bool(found)


Item = TypeVar("Item", Told, Recorded)


def with_keys(items: Sequence[Item], key: str | None, known: Mapping[str, Any]) -> list[Item]:
    """The items, each with a key that is made of `key`; none has another key of its own."""
    if key is None or not items:
        return list(items)
    keys, _ = keys_of(key, len(items), known)
    said = []
    for place, (item, name) in enumerate(zip(items, keys, strict=True)):
        if item.key not in (None, name):
            one = "the request has a key for all items, and this item one of its own: send one"
            raise ItemError(place, InputError(one))
        said.append(replace(item, key=name))
    return said


# ---- all or none ---------------------------------------------------------------------------------


def check_tells(learner: Learner, items: Iterable[Told]) -> None:
    """`ItemError` for the first item that `tell` would refuse after those before it."""
    told: dict[int, dict[int, float]] = {}
    keys: dict[str, Any] = {}
    for place, item in enumerate(items):
        try:
            where = f"decision {item.id}"
            choice = learner._choice(item.id)
            if choice.round in learner.history.shadow:
                raise InputError(f"{where} was for nobody to carry out: record what was done")
            seen = learner._door.values(choice.action, item.values, where)
            last = bool(item.last)
            if item.key is not None:
                learner._is_repeated(item.key, choice.round, seen, last)
                content = choice.round, seen, last
                _check_reuse(item.key, content, keys)
                keys[item.key] = content
            learner._news(choice.round, seen, where)
            mine = told.setdefault(choice.round, {})
            for j, value in seen.items():
                if mine.setdefault(j, value) != value:
                    label = learner.setting.labels[j]
                    raise ContradictionError(f"{where}: two values of {label!r} in one request")
        except InputError as error:
            raise ItemError(place, error) from None


def check_records(learner: Learner, items: Iterable[Recorded]) -> None:
    """`ItemError` for the first item that `record` would refuse after those before it."""
    keys: dict[str, Any] = {}
    for place, item in enumerate(items):
        try:
            action = learner.place(item.action)
            seen = learner._door.values(action, item.values, f"a play of {item.action!r}")
            content = action, seen
            if item.key is not None:
                check_key(item.key)
                _check_reuse(item.key, content, learner.history.records, keys)
                keys[item.key] = content
        except InputError as error:
            raise ItemError(place, error) from None


def _check_reuse(key: str, content: object, *known: Mapping[str, Any]) -> None:
    if any(one.get(key, content) != content for one in known):
        raise KeyReusedError(
            f"the key {key!r} was used before, to say something else: {ANOTHER_KEY}"
        )
