"""A policy in use: it chooses actions, it is told the values that were seen, and it remembers.

    player = Player("ids", feedback, upper=1.0, horizon=1000, seed=1)
    choice = player.choose()                    the action of the next round, and why
    player.tell(choice, values)                 what it showed: now, late, in parts, in any order
    player.belief, player.memory, player.t      what is known, what the rule stored, the round

Traces, policies of the caller and live decisions all use a `Player`. No means are needed. The
compiled loop of a race does the same in the same order (`engine.contract`). So with the same seed
and the same values, a player makes the same choices as the loop:

    choose    calls `update` of the rule for the round before, then `choose`; the play is counted,
              and its values are under way
    tell      takes each value into the belief; the value is no longer under way
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .belief import Belief, known
from .engine.contract import LATE, START, Data, Floats, Ints, Known, Words, no_data
from .engine.streams import base_words, stream_words
from .errors import InputError, PolicyError
from .policies import registry
from .policies.adopted import CHOSEN, blaming
from .policies.entry import Entry, enter
from .policies.specification import Specification
from .setting import Given, setting_of

MANY = 64  # values that plain Python takes in faster than numpy does


@dataclass(frozen=True)
class Choice:
    """The action of a round, and why: a word of the policy.

    `batch` counts rounds of the policy's own, where it has such.
    """

    round: int
    action: int
    why: str
    batch: int | None = None


class Player:
    """A policy in use: a built-in one by name, or an object with `choose(belief, rng)`.

    `given` is a feedback, a setting, or a problem, whose means are left out; `upper` and `horizon`
    replace what it says. `replicate` numbers the streams of one seed.
    """

    def __init__(
        self,
        policy: str | Specification | object,
        given: Given,
        upper: float | None = None,
        horizon: float | None = None,
        seed: int = 0,
        replicate: int = 0,
    ) -> None:
        self.setting = setting_of(given, upper, horizon)
        self.data: Data = no_data(len(self.setting))
        self.t = 0
        self._known = known(self.setting.feedback, self.setting.upper, self.setting.rounds)
        self._views = _views(self.data)
        self._reveals = _Reveals(self._known)
        self._empty = Belief.empty(self.setting.feedback, self.setting.upper)
        self._unsettled: tuple[int, int] | None = None  # the last action and why, before `update`
        if isinstance(policy, str | Specification):
            self.mind: _Rule | _Own = self._mind_of(registry.parse(policy), seed, replicate)
        else:
            self.mind = _Own(policy, seed, replicate)

    def _mind_of(self, policy: Specification, seed: int, replicate: int) -> _Rule | _Own:
        entry = enter(policy, self.setting)
        if not entry.rule.is_compiled:
            mind = _Own(copy.deepcopy(entry.prepared.made), seed, replicate)
            mind.name, mind.parameters = str(policy), entry.parameters
            return mind
        stream = stream_words(base_words(seed, "policy"), replicate, 0)
        rule = _Rule(entry, (self.data, self._known), stream)
        if entry.rule.starts:
            rule.update(0, 0, START)
        return rule

    @property
    def parameters(self) -> Mapping[str, float]:
        """The parameters of a policy that has a name, as they are used."""
        return self.mind.parameters

    @property
    def has_batches(self) -> bool:
        """Whether the policy counts rounds of its own."""
        return self.mind.batch is not None

    @property
    def belief(self) -> Belief:
        """What was learnt so far: a copy, which does not change when the player goes on."""
        return self._empty.with_data(self.data)

    @property
    def memory(self) -> Floats:
        """What the rule stored, as it is now; an object of the caller's has its own."""
        return self.mind.memory.copy()

    def choose(self) -> Choice:
        """The action of the next round; from now on, the values that it shows are under way."""
        choice = self.propose()
        self._count(choice.action)
        return choice

    def propose(self) -> Choice:
        """The action of the next round, which nobody will play: no values are under way."""
        self.settle()
        action, why = self.mind.choose(self.t + 1, self)
        batch = self.mind.batch
        self.t += 1
        self._unsettled = action, why
        return Choice(self.t, action, self.mind.words[why], batch)

    def follow(self, action: int, *, played: bool = True) -> None:
        """Count a round that was decided elsewhere; the rule is not asked, and learns nothing."""
        self._unsettled = None
        self.t += 1
        if played:
            self._count(action)

    def inherit(self, other: Player) -> None:
        """Take over the belief and the round of another player in the same setting."""
        for array, its in zip(self.data, other.data, strict=True):
            array[:] = its
        self.t = other.t

    def peek(self) -> int:
        """The action that `choose` would name now; nothing changes."""
        return self.mind.peek(self.t, self._unsettled, self)

    def snapshot(self) -> Snapshot:
        """The player as it is now; only a built-in policy can be taken up again from one."""
        rule = self._built_in()
        parameters = rule.entry.prepared.parameters
        data = Data._make(array.copy() for array in self.data)
        arrays = parameters.copy(), rule.memory.copy(), rule.stream.copy()
        return Snapshot(self.t, self._unsettled, data, *arrays)

    def take_up(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same policy in the same setting."""
        rule = self._built_in()
        own = (*self.data, rule.entry.prepared.parameters, rule.memory, rule.stream)
        its = (*snapshot.data, snapshot.parameters, snapshot.memory, snapshot.stream)
        for array, other in zip(own, its, strict=True):
            if array.shape != other.shape:
                raise InputError("the snapshot is of another policy, or of another setting")
        for array, other in zip(own, its, strict=True):
            array[:] = other
        self.t, self._unsettled = snapshot.t, snapshot.unsettled

    def settle(self) -> None:
        """End the round: the rule takes in the values that came. `choose` calls this if needed."""
        if self._unsettled is not None:
            self.mind.update(self.t, *self._unsettled)
            self._unsettled = None

    def tell(self, choice: Choice, values: npt.ArrayLike | Mapping[Any, float]) -> None:
        """Values that a play showed: one for each action, NaN where none came, or by label."""
        self.take(choice, *self._came(choice.action, values))

    def take(self, choice: Choice, observed: Sequence[int], values: Sequence[float]) -> None:
        """As `tell`, for values of these actions that were checked already."""
        self.learn(choice, observed, values)
        self._unwait(choice.action, observed)

    def learn(self, choice: Choice, observed: Sequence[int], values: Sequence[float]) -> None:
        """As `take`, for values that nobody waits for any more: they were forgotten."""
        self._learn(choice.action, observed, values, late=choice.round != self.t)

    def record(self, action: int, values: npt.ArrayLike | Mapping[Any, float]) -> None:
        """Count a play that the policy did not choose; it is no round of the rule."""
        self.add(action, *self._came(action, values))

    def add(self, action: int, observed: Sequence[int], values: Sequence[float]) -> None:
        """As `record`, for values that were checked: of these actions."""
        self._views.plays[action] += 1
        self._learn(action, observed, values, late=True)

    def forget(self, choice: Choice, observed: Sequence[int]) -> None:
        """Wait no longer for the values of these actions."""
        self._unwait(choice.action, observed)
        if len(observed):  # a plan that counted on them is no longer to be trusted
            self._views.seen[0] += LATE

    def shown(self, action: int) -> Ints:
        """The actions of which a play shows a value."""
        start = self._known.start
        return self._known.shown[start[action] : start[action + 1]]

    def _count(self, action: int) -> None:
        views = self._views
        views.plays[action] += 1
        for j, weight in self._reveals[action].items():
            views.pending[j] += weight

    def _built_in(self) -> _Rule:
        if isinstance(self.mind, _Own):
            raise InputError(
                f"policy {self.mind.name!r} is an object of yours, whose memory nobody knows: only "
                "a built-in policy can be kept"
            )
        return self.mind

    def _came(
        self, action: int, values: npt.ArrayLike | Mapping[Any, float]
    ) -> tuple[list[int], list[float]]:
        seen = self._empty.check_values(action, values)
        came = np.flatnonzero(~np.isnan(seen))
        return came.tolist(), seen[came].tolist()

    def _unwait(self, action: int, observed: Sequence[int]) -> None:
        if len(observed) > MANY:
            data, those = self.data, np.asarray(observed)
            rest = data.pending[those] - self._known.precision[action, those]
            data.pending[those] = np.where(rest > 1e-9 * data.information[those], rest, 0.0)
            return
        pending, information = self._views.pending, self._views.information
        reveals = self._reveals[action]
        for j in observed:
            left = pending[j] - reveals[j]
            # What rounding leaves of the sum of all that came and went is nothing.
            pending[j] = left if left > 1e-9 * information[j] else 0.0

    def _learn(
        self, action: int, observed: Sequence[int], values: Sequence[float], late: bool
    ) -> None:
        """As the compiled `draws.learn`: the same operations in the same order."""
        # A play that shows nothing is not late: nothing came that a rule did not expect.
        self._views.seen[0] += len(observed) + (LATE if late and len(observed) else 0)
        if len(observed) > MANY:
            self._learn_many(action, np.asarray(observed), np.asarray(values))
            return
        _, information, sums, means, errors, _, _ = self._views
        reveals = self._reveals[action]
        for j, value in zip(observed, values, strict=True):
            weight = reveals[j]
            known = information[j] + weight
            total = sums[j] + weight * value
            information[j], sums[j] = known, total
            means[j], errors[j] = total / known, 1.0 / math.sqrt(known)

    def _learn_many(self, action: int, observed: Ints, values: Floats) -> None:
        data, weight = self.data, self._known.precision[action, observed]
        information = data.information[observed] + weight
        total = data.sums[observed] + weight * values
        data.information[observed], data.sums[observed] = information, total
        data.means[observed], data.errors[observed] = total / information, 1 / np.sqrt(information)


class _Reveals(dict[int, dict[int, float]]):
    """For each action, the precisions of what it shows; made when they are first needed."""

    def __init__(self, known: Known) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, action: int) -> dict[int, float]:
        start, shown, precision = self._known.start, self._known.shown, self._known.precision
        those = shown[start[action] : start[action + 1]]
        found = dict(zip(those.tolist(), precision[action, those].tolist(), strict=True))
        self[action] = found
        return found


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that a built-in policy is at one moment: a player that takes it up goes on from there.

    `unsettled` is the last action and why, before the rule took in what it showed.
    """

    t: int
    unsettled: tuple[int, int] | None
    data: Data
    parameters: Floats
    memory: Floats
    stream: Words


class _Views(NamedTuple):
    """The arrays of the belief, read and written as plain numbers: several times as fast."""

    plays: memoryview[int]
    information: memoryview[float]
    sums: memoryview[float]
    means: memoryview[float]
    errors: memoryview[float]
    pending: memoryview[float]
    seen: memoryview[int]


def _views(data: Data) -> _Views:
    numbers: list[Any] = [memoryview(array) for array in data]  # type: ignore[arg-type]
    return _Views(*numbers)


class _Rule:
    """A built-in policy: compiled functions, and the arrays that they are called with."""

    def __init__(self, entry: Entry, given: tuple[Data, Known], stream: Words) -> None:
        self.entry, self.words, self.stream = entry, entry.rule.words, stream
        self.memory = entry.prepared.memory
        self._given = *given, entry.prepared.parameters, self.memory

    @property
    def parameters(self) -> Mapping[str, float]:
        return self.entry.parameters

    @property
    def batch(self) -> int | None:
        return int(self.memory[0]) if self.entry.rule.rounds else None

    def choose(self, t: int, player: Player) -> tuple[int, int]:
        if self.entry.rule.origin is not None:
            with blaming(self.entry.rule):
                action, why = self.entry.rule.choose(t, *self._given, self.stream)
        else:
            action, why = self.entry.rule.choose(t, *self._given, self.stream)
        return int(action), int(why)

    def update(self, t: int, action: int, why: int) -> None:
        self.entry.rule.update(t, *self._given, action, why)

    def peek(self, t: int, unsettled: tuple[int, int] | None, player: Player) -> int:
        _, known, parameters, _ = self._given
        data = Data._make(array.copy() for array in player.data)
        given = data, known, parameters, self.memory.copy()
        if unsettled is not None:
            self.entry.rule.update(t, *given, *unsettled)
        action, _ = self.entry.rule.choose(t + 1, *given, self.stream.copy())
        return int(action)


def own_generator(seed: int, replicate: int) -> np.random.Generator:
    """The random numbers of an object of the caller's, in one replicate."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(replicate,)))


class _Own:
    """An object of the caller's, and a generator that depends on (seed, replicate) alone."""

    words = (CHOSEN,)
    memory: Floats = np.empty(0)
    stream: Words = np.empty(0, dtype=np.uint64)
    batch = None
    parameters: Mapping[str, float] = MappingProxyType({})

    def __init__(self, policy: Any, seed: int, replicate: int) -> None:
        self.policy, self.replicate = policy, replicate
        self.name = str(getattr(policy, "name", type(policy).__name__))
        self.rng = own_generator(seed, replicate)

    def choose(self, t: int, player: Player) -> tuple[int, int]:
        where = f"policy {self.name!r}, round {t} of replicate {self.replicate}"
        belief = player.belief
        try:
            action = self.policy.choose(belief, self.rng)
        except Exception as error:
            raise PolicyError(f"{where}: choose raised {type(error).__name__}: {error}") from error
        try:
            return belief.check_action(action), 0
        except InputError as error:
            raise PolicyError(f"{where}: choose returned {error}") from None

    def update(self, t: int, action: int, why: int) -> None:
        """Its memory is its own."""

    def peek(self, t: int, unsettled: tuple[int, int] | None, player: Player) -> int:
        kept = self.policy, self.rng
        try:
            self.policy, self.rng = copy.deepcopy(kept)
        except Exception as error:
            raise PolicyError(
                f"policy {self.name!r} cannot be copied ({type(error).__name__}: {error}), and "
                "only a copy can be asked without consequences: leave out files and locks, or "
                "give it a __deepcopy__"
            ) from error
        try:
            return self.choose(t + 1, player)[0]
        finally:
            self.policy, self.rng = kept
