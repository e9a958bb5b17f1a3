"""What the events of an experiment say, and the learner that they make.

    created    the problem, the policy, its seed and its numbers as they were prepared
    opened     a process began to write: its code, and what a known run gives there
    decided    an action, why, and a digest of the belief and of the random stream after it
    told       values of a decision; `last`: the rest of them never comes
    lost       the rest of the values of a decision never comes
    recorded   an action that nobody asked about, and its values
    state      running, paused (no decisions), shadow (decisions for nobody), closed (for ever)
    adopted    the belief is kept, and a rule begins afresh

A `Replay` takes the events one by one. It asks the rule for every decision again, and compares:
so the same events give the same learner, to the bit. Where this code decides otherwise than the
events say, or has another edition of the policy, the replay goes on without the rule: it follows
the decisions, and knows the belief, which depends on no rule. Nothing can be asked then until
somebody adopts a rule; all else works.

Labels are written as text: two actions whose labels have the same text cannot be told apart here.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import files
from ..document import from_table
from ..engine.contract import EDITION, Floats
from ..errors import DamagedError, InputError
from ..labels import Label
from ..player import Choice, Player
from ..policies import registry
from ..policies.specification import Specification
from ..problem import from_document
from ..setting import Setting
from ..simulate import fields
from .events import START, Entry, Event, Head
from .learner import Decision, Learner
from .values import Values

FORMAT = 1
STATES = ("running", "paused", "shadow", "closed")
RUNNING, PAUSED, SHADOW, CLOSED = STATES
SHORT = 12  # hexadecimal digits of a digest

Body = Mapping[str, Any]


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


# ---- bodies --------------------------------------------------------------------------------------


def texts(setting: Setting) -> tuple[str, ...]:
    """The labels as text, which must be distinct."""
    found = tuple(map(str, setting.labels))
    if len(set(found)) < len(found):
        twice = next(text for text in found if found.count(text) > 1)
        raise InputError(f"two actions have the text {twice!r}: give them labels that differ in it")
    return found


def created(learner: Learner) -> Entry:
    """The first event of an experiment."""
    texts(learner.setting)
    body = {
        "format": FORMAT,
        "problem": json.loads(files.to_json(learner.setting.to_document())),
        "horizon": learner.setting.horizon,
        "seed": learner.seed,
        "patience": learner.patience,
        **_rule(learner),
    }
    return Entry("created", body)


def adopted(learner: Learner) -> Entry:
    """The rule that a learner has just adopted."""
    return Entry("adopted", _rule(learner))


def decided(learner: Learner, decision: Decision, by: int, key: str | None = None) -> Entry:
    """A decision that was just made; `by` is the `opened` event of whoever made it."""
    player = learner.player
    data = player.data
    belief = digest(data.plays, data.information, data.sums, data.pending)
    stream = digest(player.mind.stream)
    body = {
        "id": decision.id,
        "action": str(decision.label),
        "why": decision.why,
        "by": by,
        "digest": f"{belief}-{stream}",
    }
    if decision.batch is not None:
        body["batch"] = decision.batch
    if decision.shadow:
        body["shadow"] = True
    return Entry("decided", body, key)


def told(id: int, values: Mapping[Label, float], key: str | None, last: bool) -> Entry:  # noqa: A002
    """What a decision showed; where it shows no more and showed nothing now, the rest is lost."""
    if last and not values:
        return Entry("lost", {"id": id}, key)
    body = {"id": id, "values": _by_text(values)}
    return Entry("told", {**body, "last": True} if last else body, key)


def recorded(action: Label, values: Mapping[Label, float], key: str | None) -> Entry:
    """An action that nobody asked about."""
    return Entry("recorded", {"action": str(action), "values": _by_text(values)}, key)


def _by_text(values: Mapping[Label, float]) -> dict[str, float]:
    return {str(label): value for label, value in values.items()}


def built_in(policy: object) -> Specification:
    """A policy that a store can run again later."""
    if isinstance(policy, Specification):
        return policy
    name = getattr(policy, "name", type(policy).__name__)
    raise InputError(
        f"policy {name!r} is an object of yours, which a store cannot run again later: choose a "
        "built-in policy, or use a Learner, which lives in memory alone"
    )


def _rule(learner: Learner) -> dict[str, Any]:
    policy = built_in(learner.policy)
    snapshot = learner.player.snapshot()
    return {
        "policy": str(policy),
        "edition": policy.edition,
        "engine": EDITION,
        "parameters": _text(snapshot.parameters),
        "memory": _text(snapshot.memory),
    }


def digest(*arrays: npt.NDArray[Any]) -> str:
    """The beginning of the SHA-256 of the bytes of all arrays."""
    return sha256(b"".join([array.tobytes() for array in arrays])).hexdigest()[:SHORT]


def _text(array: Floats) -> str:
    return b64encode(array.astype("<f8", copy=False).tobytes()).decode("ascii")


def _floats(text: object) -> Floats:
    if not isinstance(text, str):
        raise DamagedError("numbers that are no text in base64")
    return np.frombuffer(b64decode(text, validate=True), dtype="<f8").copy()


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
        self.openings: dict[int, Body] = {}
        self.deviations: list[Deviation] = []
        self.absent: Deviation | None = None
        self._distrusted = distrusted or {}
        self._takes: dict[str, Callable[[Event, dict[str, Any]], None]] = {
            "created": self._created,
            "opened": self._opened,
            "decided": self._decided,
            "told": self._told,
            "lost": self._lost,
            "recorded": self._recorded,
            "state": self._state,
            "adopted": self._adopted,
        }

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
            self._takes[event.type](event, event.data)
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
        numbers = _floats(data["parameters"]), _floats(data["memory"])
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
        if here != data:
            differs = next(k for k in sorted({*here, *data}) if here.get(k) != data.get(k))
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
            None if batch is None else fields.whole(batch, "batch", 0),
        )
        learner.follow(choice, event.key, shadow=shadow)

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
