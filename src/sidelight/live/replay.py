"""The learner that the events of an experiment make.

A `Replay` takes the events one by one. It asks the rule for every decision again, and compares:
so the same events give the same learner, to the bit. Where this code decides otherwise than the
events say, or has another edition of the policy, the replay goes on without the rule: it follows
the decisions, and knows the belief, which depends on no rule. Nothing can be asked then until
somebody adopts a rule; all else works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..document import from_table
from ..engine.contract import EDITION, Floats
from ..errors import DamagedError, InputError
from ..player import Choice, Player
from ..policies import registry
from ..policies.specification import Specification
from ..problem import from_document
from ..setting import Setting
from ..simulate import fields
from .bodies import (
    FORMAT,
    Body,
    belief_digest,
    check_shape,
    decided,
    floats,
    texts,
)
from .events import START, Event, Head, is_canonical
from .learner import Learner
from .values import Values

STATES = ("running", "paused", "shadow", "closed")
RUNNING, PAUSED, SHADOW, CLOSED = STATES
MAX_BATCH = 2**53  # of an event that says what was decided elsewhere


@dataclass(frozen=True)
class Deviation:
    """From event n on the decisions of the events are not those of the code here, and why."""

    n: int
    id: int
    why: str
    by: int | None = None  # the `opened` event of the process that decided
    start: Start | None = None  # of the rule here; None where this code has no such edition


@dataclass(frozen=True, eq=False)
class Start:
    """A policy in an experiment, and the numbers that it began with: its parameters, its memory."""

    policy: Specification
    setting: Setting
    parameters: Floats
    memory: Floats


class DeviationError(Exception):
    """A decision came out otherwise; the learner has taken the wrong turn."""

    def __init__(self, deviation: Deviation) -> None:
        super().__init__(deviation.why)
        self.deviation = deviation


class Absent:
    """Stands for a rule that is not here: decisions are followed, none are made."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, belief: object, rng: object) -> int:
        """Nobody to ask."""
        raise InputError(f"the rule of {self.name} is not here: adopt a policy first")


# ---- the replay ----------------------------------------------------------------------------------


class Replay:
    """A learner as the events make it.

    `distrusted` has the events at which a replay before this one found that the rule decides
    otherwise: from there the decisions are followed.
    """

    learner: Learner
    start: Start | None = None  # of the rule that decides; None where it is not here

    def __init__(self, experiment: str, distrusted: Mapping[int, Deviation] | None = None) -> None:
        self.experiment = experiment
        self.n, self.hash = 0, START
        self.state = RUNNING
        self.policy = ""
        self._engine = EDITION
        self.openings: dict[int, Body] = {}
        self.deviations: list[Deviation] = []
        self.absent: Deviation | None = None
        self._distrusted = distrusted or {}

    @property
    def head(self) -> Head:
        """The last event."""
        return Head(self.n, self.hash)

    def take(self, event: Event) -> None:
        """One more event; `DamagedError` where none of its kind can have come here."""
        where = f"{self.experiment}: event {event.n} ({event.type})"
        if event.n != self.n + 1 or (event.n == 1) != (event.type == "created"):
            raise DamagedError(f"{where} is out of place after event {self.n}")
        try:
            data = event.data
            check_shape(event, data)
            _TAKES[event.type](self, event, data)
        except DeviationError:
            raise
        except (InputError, LookupError, AttributeError, TypeError, ValueError) as error:
            raise DamagedError(f"{where} cannot have been written there: {error}") from None
        self.n, self.hash = event.n, event.hash

    def _created(self, event: Event, data: dict[str, Any]) -> None:
        if data["format"] != FORMAT:
            raise InputError(f"its format is {data['format']!r}, not {FORMAT}: update sidelight")
        setting = from_document(from_table(fields.table(data["problem"], "problem")))
        if not isinstance(setting, Setting):
            raise InputError("its problem has means, which nobody knows")
        texts(setting)
        policy, why = _policy(data)
        given = {name: data[name] for name in ("horizon", "seed", "patience")}
        self.learner = Learner(setting, policy, **given)
        self._begin(event, data, why)

    def _adopted(self, event: Event, data: dict[str, Any]) -> None:
        policy, why = _policy(data)
        self.learner.adopt(policy)
        self._begin(event, data, why)

    def _begin(self, event: Event, data: dict[str, Any], why: str) -> None:
        self._engine = data["engine"]
        if why:
            self.policy = fields.text(data["policy"], "policy")
            self._follow(Deviation(event.n, self.learner.rounds + 1, why))
            return
        start = self.begin(data)
        player = self.learner.player
        player.take_up(replace(player.snapshot(), parameters=start.parameters, memory=start.memory))

    def begin(self, data: Body) -> Start:
        """The rule of the learner begins, with the numbers that a body says."""
        policy = self.learner.policy
        assert isinstance(policy, Specification)
        numbers = floats(data["parameters"]), floats(data["memory"])
        self.policy, self.absent = str(policy), None
        self.start = Start(policy, self.learner.setting, *numbers)
        return self.start

    def _follow(self, deviation: Deviation) -> None:
        """Go on without the rule."""
        learner = self.learner
        self.absent, self.start = deviation, None
        self.deviations.append(deviation)
        player = Player(Absent(self.policy), learner.setting)
        player.inherit(learner.player)
        learner.player = player

    def _opened(self, event: Event, data: dict[str, Any]) -> None:
        self.openings[event.n] = data

    def _decided(self, event: Event, data: dict[str, Any]) -> None:
        learner, by = self.learner, data["by"]
        if self.state not in (RUNNING, SHADOW):
            raise InputError(f"the experiment was {self.state}")
        shadow = data.get("shadow") is True
        if shadow != (self.state == SHADOW):
            raise InputError(f"the experiment was {self.state}")
        if by not in self.openings:
            raise InputError(f"no process was opened by event {by!r}")
        if event.n in self._distrusted:
            self._follow(self._distrusted[event.n])
        if self.absent:
            self._take_over(event, data, shadow)
            return
        decision = (learner.propose if shadow else learner.ask)(event.key)
        here = decided(learner, decision, by).body
        if not is_canonical(event.body, here):
            names = sorted({*here, *data})
            differs = next((k for k in names if here.get(k) != data.get(k)), "its text")
            said = f"{differs} is {data.get(differs)!r}, and here it is {here.get(differs)!r}"
            why = f"event {event.n}, decision {decision.id}: {said}"
            raise DeviationError(Deviation(event.n, decision.id, why, by, self.start))

    def _take_over(self, event: Event, data: dict[str, Any], shadow: bool) -> None:
        learner = self.learner
        if data["id"] != learner.rounds + 1:
            raise InputError(f"decision {data['id']!r} after {learner.rounds} decisions")
        batch = data.get("batch")
        choice = Choice(
            learner.rounds + 1,
            texts(learner.setting).index(data["action"]),
            fields.text(data["why"], "why"),
            None if batch is None else fields.whole(batch, "batch", 0, MAX_BATCH),
        )
        learner.follow(choice, event.key, shadow=shadow)
        if self._engine == EDITION and str(data["digest"]).partition("-")[0] != belief_digest(
            learner
        ):
            raise InputError("its digest is that of another belief")

    def _told(self, event: Event, data: dict[str, Any]) -> None:
        self._tell(event, data["id"], data["values"], data.get("last") is True)

    def _lost(self, event: Event, data: dict[str, Any]) -> None:
        self._tell(event, data["id"], {}, True)

    def _tell(self, event: Event, id: int, values: Values, last: bool) -> None:  # noqa: A002
        self._check_open()
        key, learner = event.key, self.learner
        is_new = key is not None and key not in learner.history.tells
        if not learner.tell(id, values, key, last) and not is_new:
            raise InputError("it says nothing new")

    def _recorded(self, event: Event, data: dict[str, Any]) -> None:
        self._check_open()
        if not self.learner.record(data["action"], data["values"], event.key):
            raise InputError("it says nothing new")

    def _state(self, event: Event, data: dict[str, Any]) -> None:
        self._check_open()
        if data["state"] not in STATES or data["state"] == self.state:
            raise InputError(f"from {self.state} to {data['state']!r}")
        self.state = data["state"]

    def _check_open(self) -> None:
        if self.state == CLOSED:
            raise InputError("the experiment was closed")


# By the type of an event. Bound methods would refer to the replay that refers to them, and its
# temporary file would stay open until the garbage collector comes.
_TAKES: dict[str, Callable[[Replay, Event, dict[str, Any]], None]] = {
    "created": Replay._created,
    "opened": Replay._opened,
    "decided": Replay._decided,
    "told": Replay._told,
    "lost": Replay._lost,
    "recorded": Replay._recorded,
    "state": Replay._state,
    "adopted": Replay._adopted,
}


def _policy(data: Body) -> tuple[Specification | Absent, str]:
    """The policy, and "" where this code has the edition that decided; else why it has not."""
    text, edition, engine = data["policy"], data["edition"], data["engine"]
    name = fields.text(text, "policy")
    try:
        policy = registry.parse(name)
    except InputError as error:
        return Absent(name), f"this version of sidelight cannot run {name}: {error}"
    if (policy.edition, EDITION) == (edition, engine):
        return policy, ""
    said = f"edition {edition} of {policy.name} (engine {engine}) decided"
    return policy, f"{said}; this version has edition {policy.edition} (engine {EDITION})"


def replayed(read: Callable[[], Iterable[Event]], experiment: str) -> Replay:
    """All events; begun again without the rule where the rule decides otherwise."""
    distrusted: dict[int, Deviation] = {}
    while True:
        replay = Replay(experiment, distrusted)
        try:
            for event in read():
                replay.take(event)
        except DeviationError as error:
            distrusted[error.deviation.n] = error.deviation
        else:
            return replay
