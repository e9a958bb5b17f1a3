"""An experiment in a store: a learner that loses nothing it was told.

    with sidelight.open("pricing.db", feedback, policy="ids", seed=7) as shop:
        decision = shop.ask(key="visit-881")
        shop.tell(decision.id, {"9.99": 1.0}, key="sale-17")

The verbs are those of `Learner`. Each is a change of the learner in memory and one event in the
store, and is answered after the event is on disk. What was answered is there after a crash; what
was not answered may be there or not, and repeating it with its key is harmless.

    a file      one process writes: the learner in memory is ahead of the disk while events are
                being written, and an answer waits for all events before it
    a server    several processes write, in turns: each turn begins with the events of the others,
                whose decisions are derived again and compared

If an append fails, the learner in memory is forgotten and made from the events again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, Self, TypeVar

from ..belief import Belief
from ..errors import InputError, NotRunningError
from ..labels import Label
from ..policies.specification import Specification
from . import replay as events_of
from .audit import Audit, audit
from .diagnose import Diagnosis
from .events import Entry, Event, Head
from .known_answer import opened
from .learner import Decision, Learner
from .replay import CLOSED, PAUSED, SHADOW, STATES, DeviationError, Replay, replayed
from .store import Store
from .values import Values
from .verdict import Verdict, judge

T = TypeVar("T")
Work = Callable[[Replay, int], tuple[list[Entry], T]]  # with the number of our `opened` event


class Experiment:
    """A learner whose history is in a store; see `Learner` for what the verbs mean.

    `brief` is for processes that come and go with every call: they write no `opened` event if the
    last one says the same.
    """

    def __init__(
        self, store: Store, name: str, *, owns_store: bool = False, brief: bool = False
    ) -> None:
        self.store, self.name = store, name
        self._owns_store, self._brief = owns_store, brief
        self._lock = threading.RLock()
        self._replay: Replay | None = None
        self._opened: int | None = None  # the number of our `opened` event
        self._written: Future[Any] | None = None  # the last append, which others wait for, too
        if store.last(name) is None:
            raise InputError(f"there is no experiment {name!r} here{those(store)}")

    # ---- the verbs ---------------------------------------------------------------------------

    def ask(self, key: str | None = None) -> Decision:
        """What to do next; with the key of an earlier ask, its decision."""

        def work(replay: Replay, by: int) -> tuple[list[Entry], Decision]:
            learner = replay.learner
            before = learner.rounds
            if key is None or key not in learner.history.asked:
                self._check_can_decide(replay)
            decision = (learner.propose if replay.state == SHADOW else learner.ask)(key)
            if decision.id <= before:
                return [], decision
            return [events_of.decided(learner, decision, by, key)], decision

        return self._change(work)

    def tell(
        self,
        id: int,  # noqa: A002 - as `Learner.tell`
        values: Values,
        key: str | None = None,
        last: bool = False,
    ) -> bool:
        """What a decision showed, or a part of it; whether that was news."""

        def work(replay: Replay, by: int) -> tuple[list[Entry], bool]:
            learner = replay.learner
            is_new = key is not None and key not in learner.history.tells
            if replay.state == CLOSED:
                self._refuse(replay)
            news = learner.tell(id, values, key, last)
            if not (news or is_new):
                return [], False
            decision = learner.decision(id)
            said = learner.taken(decision.action, values)
            return [events_of.told(decision.id, said, key, bool(last))], news

        return self._change(work)

    def record(self, action: Label, values: Values, key: str | None = None) -> bool:
        """An action that was taken without asking, and what it showed; whether that was news."""

        def work(replay: Replay, by: int) -> tuple[list[Entry], bool]:
            learner = replay.learner
            if replay.state == CLOSED:
                self._refuse(replay)
            if not learner.record(action, values, key):
                return [], False
            place = learner.place(action)
            label = learner.setting.labels[place]
            return [events_of.recorded(label, learner.taken(place, values), key)], True

        return self._change(work)

    def set_state(self, state: str) -> bool:
        """Run, pause, shadow or close the experiment; whether that changed anything.

        Paused, it takes values and no questions. In shadow, its decisions are for nobody to carry
        out: record what was done. Closed, it takes nothing any more, for ever.
        """
        if state not in STATES:
            raise InputError(
                f"no state of an experiment: {state!r}; choose from {', '.join(STATES)}"
            )

        def work(replay: Replay, by: int) -> tuple[list[Entry], bool]:
            if replay.state == state:
                return [], False
            if replay.state == CLOSED:
                self._refuse(replay)
            replay.state = state
            return [Entry("state", {"state": state})], True

        return self._change(work)

    def adopt(self, policy: str | Specification | None = None) -> None:
        """Keep what was learnt, and let a policy go on from its beginning: this one, or another.

        It is needed where another edition of the policy decided before; it is an event of its own.
        """

        def work(replay: Replay, by: int) -> tuple[list[Entry], None]:
            if replay.state == CLOSED:
                self._refuse(replay)
            replay.learner.adopt(replay.policy if policy is None else policy)
            entry = events_of.adopted(replay.learner)
            replay.begin(entry.body)
            return [entry], None

        self._change(work)

    # ---- answers -----------------------------------------------------------------------------

    @property
    def learner(self) -> Learner:
        """The learner as it is now. Do not change it: what it is told here is not kept."""
        return self._current().learner

    @property
    def state(self) -> str:
        """Running, paused, shadow or closed."""
        return self._current().state

    @property
    def policy(self) -> str:
        """The policy that decides."""
        return self._current().policy

    @property
    def belief(self) -> Belief:
        """What was learnt so far."""
        return self.learner.belief

    @property
    def pending(self) -> dict[int, tuple[Label, ...]]:
        """By the id of each decision that is waited for: the actions whose values are awaited."""
        return self.learner.pending

    @property
    def rounds(self) -> int:
        """How many decisions were made."""
        return self.learner.rounds

    def decision(self, id: int) -> Decision:  # noqa: A002 - as in `tell`
        """A decision that was made."""
        return self.learner.decision(id)

    def verdict(self, delta: float = 0.05) -> Verdict:
        """Which action is best, which are ruled out, and whether to stop; see `Learner.verdict`."""
        replay = self._current()
        if replay.absent:
            return judge(replay.learner.belief, None, delta)
        return replay.learner.verdict(delta)

    def diagnose(self, delta: float = 0.05) -> Diagnosis:
        """Whether the values are as was declared; see `Learner.diagnose`."""
        return self.learner.diagnose(delta)

    def to_json(self) -> str:
        """A learner of its own as text, for `Learner.from_json`."""
        return self.learner.to_json()

    def events(self, after: int = 0) -> Iterator[Event]:
        """What happened after event n."""
        return self.store.read(self.name, after)

    def audit(self, head: Head | None = None) -> Audit:
        """Whether the events are as they were written, and the decisions those of the rule.

        `head` is the last event as somebody noted it elsewhere: it shows whether the end is cut.
        """
        return audit(lambda: self.store.read(self.name), self.name, head)

    def close(self) -> None:
        """Let go of the store, if it was opened for this experiment."""
        if self._owns_store:
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        replay = self._current()
        waits = len(replay.learner.history.awaited)
        said = f"{replay.learner.rounds} decisions, {waits} of them awaited"
        return f"<Experiment {self.name!r}, {replay.policy}, {replay.state}: {said}>"

    # ---- inside ------------------------------------------------------------------------------

    def _change(self, work: Work[T]) -> T:
        with self._lock:
            if self.store.shared:
                return self._change_in_turn(work)
            replay = self._folded(self.events)
            opening = self._opening(replay)
            entries, answer = work(replay, self._by(replay))  # if refused, nothing has changed
            with self._forgetting():
                if entries:
                    after = replay.n
                    entries = self._counted(replay, opening, entries)
                    self._written = self.store.submit(self.name, after, entries)
            written = self._written
        if written is not None:
            with self._forgetting():
                written.result()
        return answer

    def _change_in_turn(self, work: Work[T]) -> T:
        refused = None
        with self._forgetting(), self.store.turn(self.name) as turn:
            replay = self._folded(turn.read)
            opening = self._opening(replay)
            try:
                entries, answer = work(replay, self._by(replay))
            except InputError as error:
                refused = error
            else:
                if entries:
                    after = replay.n
                    turn.append(after, self._counted(replay, opening, entries))
        if refused:
            raise refused
        return answer

    def _opening(self, replay: Replay) -> list[Entry]:
        """Our `opened` event, where there is none yet."""
        if self._opened is not None:
            return []
        entry = opened(replay)
        last = max(replay.openings, default=None)
        if self._brief and last is not None and replay.openings[last] == entry.body:
            self._opened = last
            return []
        return [entry]

    def _by(self, replay: Replay) -> int:
        return replay.n + 1 if self._opened is None else self._opened

    def _counted(self, replay: Replay, opening: list[Entry], entries: list[Entry]) -> list[Entry]:
        """All entries of a change, which the replay holds already; the first after our `opened`."""
        if opening:
            self._opened = replay.n + 1
            replay.openings[self._opened] = opening[0].body
        if any(entry.type == "adopted" for entry in entries):
            self._opened = None  # the new rule has another known answer
        replay.n += len(opening) + len(entries)
        return [*opening, *entries]

    @contextmanager
    def _forgetting(self) -> Iterator[None]:
        """Forget the learner in memory if the block fails: it may be ahead of the store."""
        try:
            yield
        except BaseException:
            with self._lock:
                self._replay = self._opened = self._written = None
            raise

    def _current(self) -> Replay:
        with self._lock:
            return self._folded(self.events)

    def _folded(self, read: Callable[[int], Iterator[Event]]) -> Replay:
        """The replay with all events that others wrote."""
        replay = self._replay
        if replay is not None and not self.store.shared:
            return replay
        if replay is not None:
            with suppress(DeviationError):
                for event in read(replay.n):
                    replay.take(event)
                    if event.type == "adopted":
                        self._opened = None  # the new rule has another known answer
                return replay
        self._replay = replay = replayed(lambda: read(0), self.name)
        return replay

    def _check_can_decide(self, replay: Replay) -> None:
        if replay.state in (PAUSED, CLOSED):
            self._refuse(replay)
        if replay.absent:
            raise NotRunningError(
                f"{self.name}: {replay.absent.why}; audit the experiment, and adopt a policy to go "
                "on with what was learnt"
            )

    def _refuse(self, replay: Replay) -> None:
        advice = "values are welcome" if replay.state == PAUSED else "begin a new experiment"
        raise NotRunningError(f"{self.name} is {replay.state}: {advice}")


def those(store: Store) -> str:
    """The end of a sentence: which experiments a store holds."""
    names = store.experiments()
    shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    return f"; there are: {shown}" if names else "; there is none yet: give a problem to begin one"
