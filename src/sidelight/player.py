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

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from .belief import Belief, known
from .engine.contract import LATE, START, Data, Floats, Ints, Known, Words, no_data
from .engine.streams import base_words, stream_words
from .errors import InputError, PolicyError
from .policies import registry
from .policies.entry import Entry, enter
from .policies.specification import Specification
from .setting import Given, setting_of

CHOSEN = "chosen"  # the word for a choice of the caller's own policy


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
        self._empty = Belief.empty(self.setting.feedback, self.setting.upper)
        self._unsettled: tuple[int, int] | None = None  # the last action and why, before `update`
        if isinstance(policy, str | Specification):
            entry = enter(registry.parse(policy), self.setting)
            stream = stream_words(base_words(seed, "policy"), replicate, 0)
            self.mind: _Rule | _Own = _Rule(entry, (self.data, self._known), stream)
            if entry.rule.starts:
                self.mind.update(0, 0, START)
        else:
            self.mind = _Own(policy, seed, replicate)

    @property
    def parameters(self) -> Mapping[str, float]:
        """The parameters of a built-in policy, as they are used."""
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
        self.settle()
        action, why = self.mind.choose(self.t + 1, self)
        batch = self.mind.batch
        self.t += 1
        self._unsettled = action, why
        self.data.plays[action] += 1
        shown = self.shown(action)
        self.data.pending[shown] += self._known.precision[action, shown]
        return Choice(self.t, action, self.mind.words[why], batch)

    def settle(self) -> None:
        """End the round: the rule takes in the values that came. `choose` calls this if needed."""
        if self._unsettled is not None:
            self.mind.update(self.t, *self._unsettled)
            self._unsettled = None

    def tell(self, choice: Choice, values: npt.ArrayLike | Mapping[Any, float]) -> None:
        """Values that a play showed: one for each action, NaN where none came, or by label."""
        seen = self._empty.check_values(choice.action, values)
        came = np.flatnonzero(~np.isnan(seen))
        self.take(choice, came, seen[came])

    def take(self, choice: Choice, observed: Ints, values: Floats) -> None:
        """As `tell`, for values of these actions that were checked already."""
        self._learn(choice.action, observed, values, late=choice.round != self.t)
        self.forget(choice, observed)

    def record(self, action: int, values: npt.ArrayLike | Mapping[Any, float]) -> None:
        """Count a play that the policy did not choose; it is no round of the rule."""
        seen = self._empty.check_values(action, values)
        came = np.flatnonzero(~np.isnan(seen))
        self.data.plays[action] += 1
        self._learn(action, came, seen[came], late=True)

    def forget(self, choice: Choice, observed: Ints) -> None:
        """Stop waiting for the values of these actions."""
        data = self.data
        left = data.pending[observed] - self._known.precision[choice.action, observed]
        # What rounding leaves of the sum of all that came and went is nothing.
        data.pending[observed] = np.where(left > 1e-9 * data.information[observed], left, 0.0)

    def shown(self, action: int) -> Ints:
        """The actions of which a play shows a value."""
        start = self._known.start
        return self._known.shown[start[action] : start[action + 1]]

    def _learn(self, action: int, observed: Ints, values: Floats, late: bool) -> None:
        """As the compiled `draws.learn`: the same operations in the same order."""
        data, weight = self.data, self._known.precision[action, observed]
        information = data.information[observed] + weight
        total = data.sums[observed] + weight * values
        data.information[observed] = information
        data.sums[observed] = total
        data.means[observed] = total / information
        data.errors[observed] = 1.0 / np.sqrt(information)
        data.seen[0] += len(observed) + (LATE if late else 0)


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
        action, why = self.entry.rule.choose(t, *self._given, self.stream)
        return int(action), int(why)

    def update(self, t: int, action: int, why: int) -> None:
        self.entry.rule.update(t, *self._given, action, why)


class _Own:
    """An object of the caller's, and a generator that depends on (seed, replicate) alone."""

    words = (CHOSEN,)
    memory: Floats = np.empty(0)
    batch = None
    parameters: Mapping[str, float] = MappingProxyType({})

    def __init__(self, policy: Any, seed: int, replicate: int) -> None:
        self.policy, self.replicate = policy, replicate
        self.name = str(getattr(policy, "name", type(policy).__name__))
        self.rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(replicate,)))

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
