"""An experiment in a store: a learner that loses nothing it was told.

    with sidelight.open("pricing.db", feedback, policy="ids", seed=7) as shop:
        decision = shop.ask(key="visit-881")
        shop.tell(decision.id, {"9.99": 1.0}, key="sale-17")

The verbs are those of `Learner`. Each is a change of the learner in memory and one event in the
store, and is answered after the event is on disk (`kept`). What was answered is there after a
crash; what was not answered may be there or not, and repeating it with its key is harmless. Give
each real event (a visit, a sale) a key of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Self

from ..belief import Belief
from ..errors import InputError, NotRunningError, choose_from
from ..labels import Label
from ..policies.specification import Specification
from ..simulate.simulate import policy_of
from . import bodies
from .audit import Audit, audit
from .diagnose import Diagnosis
from .events import Entry, Head, check_key
from .kept import Kept
from .learner import Decision, Learner
from .replay import CLOSED, PAUSED, SHADOW, STATES, Replay
from .store import Store
from .values import Values
from .verdict import Verdict, judge


class Experiment(Kept):
    """A learner whose history is in a store; see `Learner` for what the verbs mean.

    `brief` is for processes that come and go with every call: they write no `opened` event if the
    last one says the same.
    """

    def __init__(self, store: Store, name: str, *, brief: bool = False) -> None:
        super().__init__(store, name, brief=brief)
        self.closings: list[Callable[[], object]] = []  # one for each time that it was opened

    # ---- the verbs ---------------------------------------------------------------------------

    def ask(self, key: str | None = None) -> Decision:
        """What to do next; with the key of an earlier ask, its decision."""

        def work(replay: Replay, by: int) -> tuple[list[Entry], Decision]:
            learner = replay.learner
            before = learner.rounds
            check_key(key)
            if key is None or key not in learner.history.asked:
                self._check_can_decide(replay)
            decision = (learner.propose if replay.state == SHADOW else learner.ask)(key)
            if decision.id <= before:
                return [], decision
            return [bodies.decided(learner, decision, by, key)], decision

        return self.change(work)

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
            check_key(key)
            self._check_takes(replay, [key], learner.history.tells)
            decision = learner.decision(id)
            said = learner.taken(decision.action, values, f"decision {decision.id}")
            is_new = key is not None and key not in learner.history.tells
            news = learner.tell(decision.id, said, key, last)
            entries = [bodies.told(decision.id, said, key, bool(last))]
            return entries if news or is_new else [], news

        return self.change(work)

    def record(self, action: Label, values: Values, key: str | None = None) -> bool:
        """An action that was taken without asking, and what it showed; whether that was news."""

        def work(replay: Replay, by: int) -> tuple[list[Entry], bool]:
            learner = replay.learner
            self._check_takes(replay, [key], learner.history.records)
            place = learner.place(action)
            label = learner.setting.labels[place]
            said = learner.taken(place, values, f"a play of {label!r}")
            news = learner.record(label, said, key)
            return [bodies.recorded(label, said, key)] if news else [], news

        return self.change(work)

    def set_state(self, state: str) -> bool:
        """Run, pause, shadow or close the experiment; whether that changed anything.

        Paused, it takes values and no questions. In shadow, its decisions are for nobody to carry
        out: record what was done. Closed, it takes nothing any more, for ever.
        """
        if state not in STATES:
            raise InputError(f"no state of an experiment: {state!r}; {choose_from(state, STATES)}")

        def work(replay: Replay, by: int) -> tuple[list[Entry], bool]:
            if replay.state == state:
                return [], False
            self._check_takes(replay)
            replay.state = state
            return [Entry("state", {"state": state})], True

        return self.change(work)

    def adopt(self, policy: str | Specification | None = None) -> None:
        """Keep what was learnt, and let a policy go on from its beginning: this one, or another.

        It is needed where another edition of the policy decided before; it is an event of its own.
        """

        def work(replay: Replay, by: int) -> tuple[list[Entry], None]:
            self._check_takes(replay)
            chosen = bodies.built_in(policy_of(replay.policy if policy is None else policy))
            replay.learner.adopt(chosen)
            entry = bodies.adopted(replay.learner)
            replay.begin(entry.body)
            return [entry], None

        self.change(work)

    # ---- answers -----------------------------------------------------------------------------

    @property
    def learner(self) -> Learner:
        """The learner as it is now. Do not change it: what it is told here is not kept."""
        return self.look(lambda replay: replay.learner)

    @property
    def state(self) -> str:
        """Running, paused, shadow or closed."""
        return self.look(lambda replay: replay.state)

    @property
    def policy(self) -> str:
        """The policy that decides."""
        return self.look(lambda replay: replay.policy)

    @property
    def belief(self) -> Belief:
        """What was learnt so far."""
        return self.look(lambda replay: replay.learner.belief)

    @property
    def pending(self) -> dict[int, tuple[Label, ...]]:
        """By the id of each decision that is waited for: the actions whose values are awaited."""
        return self.look(lambda replay: replay.learner.pending)

    @property
    def rounds(self) -> int:
        """How many decisions were made."""
        return self.look(lambda replay: replay.learner.rounds)

    def decision(self, id: int) -> Decision:  # noqa: A002 - as in `tell`
        """A decision that was made."""
        return self.look(lambda replay: replay.learner.decision(id))

    def shown(self, action: int) -> tuple[Label, ...]:
        """The labels of the actions of which a play of this one shows a value."""
        return self.look(lambda replay: replay.learner.shown(action))

    def verdict(self, delta: float = 0.05) -> Verdict:
        """Which action is best, which are ruled out, and whether to stop; see `Learner.verdict`."""

        def read(replay: Replay) -> Verdict:
            if replay.absent:
                return judge(replay.learner.belief, None, delta)
            return replay.learner.verdict(delta)

        return self.look(read)

    def diagnose(self, delta: float = 0.05) -> Diagnosis:
        """Whether the values are as was declared; see `Learner.diagnose`."""
        return self.look(lambda replay: replay.learner.diagnose(delta))

    def to_json(self) -> str:
        """A learner of its own as text, for `Learner.from_json`."""

        def read(replay: Replay) -> str:
            if replay.absent:
                self._check_can_decide(replay)
            return replay.learner.to_json()

        return self.look(read)

    def audit(self, head: Head | None = None) -> Audit:
        """Whether the events are as they were written, and the decisions those of the rule.

        `head` is the last event as somebody noted it elsewhere: it shows whether the end is cut.
        """
        return audit(lambda: self.store.read(self.name), self.name, head)

    def close(self) -> None:
        """Let go of the store; it is closed with the last experiment that uses it."""
        if self.closings:
            self.closings.pop()()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        def read(replay: Replay) -> str:
            learner = replay.learner
            said = f"{learner.rounds} decisions, {len(learner.history.awaited)} of them awaited"
            return f"<Experiment {self.name!r}, {replay.policy}, {replay.state}: {said}>"

        return self.look(read)

    # ---- inside ------------------------------------------------------------------------------

    def _check_can_decide(self, replay: Replay) -> None:
        if replay.state == PAUSED:
            raise NotRunningError(
                f"{self.name} is paused: it takes values, and no questions: do what you would do "
                "without it, or set its state to running"
            )
        self._check_takes(replay)
        if replay.absent:
            raise NotRunningError(
                f"{self.name}: {replay.absent.why}; audit the experiment, and adopt a policy to go "
                "on with what was learnt"
            )

    def _check_takes(
        self, replay: Replay, keys: Sequence[str | None] = (), known: Collection[str] = ()
    ) -> None:
        """Refuse what a closed experiment does not take: all but what it was told before."""
        if replay.state == CLOSED and not (keys and all(key in known for key in keys)):
            raise NotRunningError(f"{self.name} is closed for ever: begin a new experiment")
