"""A policy in live use: ask what to do, tell what was seen, answer for it later.

    learner = Learner(feedback, policy="ids", upper=1.0, seed=7)
    decision = learner.ask(key="visit-881")             .id, .action, .label, .why
    learner.tell(decision.id, {"A": 0.42, "B": 0.37})   now or late, in parts, twice
    learner.record("A", {"A": 0.4})                     an action that nobody asked about

It drives the same `Player` as a simulation, and so makes the same decisions: `ask` lets the rule
take in what came since the decision before, then choose. Values told between two asks belong to
the window of the first.

    key        the same key, the same answer: whatever is repeated counts once
    last       of a decision: the rest of its values never comes
    patience   nobody waits for values once so many more decisions were made

A value that is awaited is information that was bought; some policies buy no more of it meanwhile.
`last` and `patience` end the waiting and nothing else: values are welcome for ever. They are
counted in decisions, not in hours, so that the same history gives the same decisions.

What is refused (an unknown id, a value that the action does not show, that is not finite, that is
out of range, or that contradicts what was told) raises `InputError`, and nothing has changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..belief import Belief
from ..errors import ContradictionError, InputError, KeyReusedError
from ..labels import Label
from ..player import Choice, Player
from ..policies.specification import Specification
from ..setting import Given, Setting, whole
from ..simulate.simulate import policy_of
from .diagnose import Diagnosis, examine
from .events import check_key
from .history import History
from .pairs import add_values
from .values import Door, Values, as_id
from .verdict import Verdict, judge

MAX_PATIENCE = 10**15
ANOTHER_KEY = "give each real event a key of its own"


@dataclass(frozen=True)
class Decision:
    """What to do, and why: a word of the policy.

    `action` is the place of the action, `label` its name. `batch` counts rounds of the policy's
    own, where it has such. A `shadow` decision is for nobody to carry out: do what you would do
    anyway, and record that.
    """

    id: int
    action: int
    label: Label
    why: str
    batch: int | None = None
    shadow: bool = False


class Learner:
    """A policy in live use.

    `given` is a feedback, or whatever `sidelight.load` gave; the means of a problem are left out.
    `upper` and `horizon` replace what it says. `policy` is a name, with parameters if need be, or
    an object with `choose(belief, rng)`. From the seed of a trace, and told its values, a learner
    plays that trace.
    """

    def __init__(
        self,
        given: Given,
        policy: str | Specification | object = "ids",
        upper: float | None = None,
        horizon: float | None = None,
        seed: int = 0,
        patience: int | None = None,
    ) -> None:
        self.seed = whole("seed", seed, 0, None)
        self.patience = None if patience is None else whole("patience", patience, 0, MAX_PATIENCE)
        self.policy = policy_of(policy)
        self.adoptions = 0
        self.player = Player(self.policy, given, upper, horizon, self.seed)
        self.history = History()
        self._door = Door(self.setting)

    @property
    def setting(self) -> Setting:
        """The feedback, the range of the means, the horizon if it is known, and a name."""
        return self.player.setting

    @property
    def belief(self) -> Belief:
        """What was learnt so far; it stays as it is when the learner goes on."""
        return self.player.belief

    @property
    def pending(self) -> dict[int, tuple[Label, ...]]:
        """By the id of each decision that is waited for: the actions whose values are awaited."""
        labels, history = self.setting.labels, self.history
        return {
            t: tuple(labels[j] for j in self._missing(history.choices[t - 1]))
            for t in history.awaited
        }

    @property
    def rounds(self) -> int:
        """How many decisions were made."""
        return len(self.history.choices)

    def __repr__(self) -> str:
        name = getattr(self.policy, "name", type(self.policy).__name__)
        waits = len(self.history.awaited)
        return f"<Learner {name!r}: {self.rounds} decisions, {waits} of them awaited>"

    # ---- the three verbs --------------------------------------------------------------------

    def ask(self, key: str | None = None) -> Decision:
        """What to do next; with the key of an earlier ask, its decision."""
        known = self._asked(key)
        if known is not None:
            return known
        self._lose_patience()
        return self._note(self.player.choose(), key)

    def propose(self, key: str | None = None) -> Decision:
        """What the rule would do next, for nobody to carry out; with a known key, as `ask`.

        It is a round of the rule that is neither played nor seen. Give what was done instead to
        `record`.
        """
        known = self._asked(key)
        if known is not None:
            return known
        self._lose_patience()
        return self._note(self.player.propose(), key, shadow=True)

    def tell(
        self,
        id: int,  # noqa: A002 - the interface
        values: Values,
        key: str | None = None,
        last: bool = False,
    ) -> bool:
        """What a decision showed, or a part of it; whether that was news.

        `values` is a mapping from labels, or has one number for each action, NaN where none came.
        """
        choice, history = self._choice(id), self.history
        where = f"decision {choice.round}"
        if choice.round in history.shadow:
            raise InputError(f"{where} was for nobody to carry out: record what was done instead")
        seen = self._door.values(choice.action, values, where)
        if key is not None and self._is_repeated(key, choice.round, seen, bool(last)):
            return False
        new = self._news(choice.round, seen, where)
        awaited = history.awaited.get(choice.round, 0)
        # What may have to read the temporary file comes first: if that fails, nothing has changed.
        if new:
            history.note_values(choice.round, new)
            self._take(choice, new, awaited)
        if last and awaited > len(new):
            self._give_up(choice)
        if key is not None:
            history.note_tell(key, choice.round, seen, bool(last))
        return bool(new) or (bool(last) and awaited > len(new))

    def record(self, action: Label, values: Values, key: str | None = None) -> bool:
        """An action that was taken without asking, and what it showed; whether that was news.

        It counts as played and seen, and is no round of the rule.
        """
        place = self.place(action)
        seen = self._door.values(place, values, f"a play of {action!r}")
        if key is not None:
            check_key(key)
            known = self.history.records.get(key)
            if known is not None:
                if known == (place, seen):
                    return False
                raise KeyReusedError(
                    f"the key {key!r} was used before, to record something else: {ANOTHER_KEY}"
                )
            self.history.records.add(key, (place, seen))
        self.player.add(place, list(seen), list(seen.values()))
        add_values(self.history.pairs, place, seen)
        return True

    def adopt(self, policy: str | Specification | object | None = None) -> None:
        """Keep what was learnt, and let another policy, or this one from its beginning, go on."""
        chosen = self.policy if policy is None else policy_of(policy)
        start = self.adoptions + 1
        player = Player(chosen, self.setting, seed=self.seed, replicate=start)
        player.inherit(self.player)
        self.policy, self.player, self.adoptions = chosen, player, start

    def follow(self, choice: Choice, key: str | None = None, *, shadow: bool = False) -> Decision:
        """Take over a decision that was made elsewhere; the rule is not asked."""
        self._lose_patience()
        self.player.follow(choice.action, played=not shadow)
        return self._note(choice, key, shadow=shadow)

    # ---- answers ----------------------------------------------------------------------------

    def decision(self, id: int) -> Decision:  # noqa: A002 - as in `tell`
        """A decision that was made."""
        return self._decided(self._choice(id))

    def shown(self, action: int) -> tuple[Label, ...]:
        """The labels of the actions of which a play of this one shows a value."""
        return tuple(self.setting.labels[j] for j in self._door.limits(action))

    def place(self, label: Label) -> int:
        """The place of an action."""
        return self._door.action(label, "an action that was taken")

    def taken(self, action: int, values: Values, where: str) -> dict[Label, float]:
        """Values that a play of an action can have shown, by label, as `tell` takes them."""
        labels = self.setting.labels
        seen = self._door.values(action, values, where)
        return {labels[j]: value for j, value in seen.items()}

    def verdict(self, delta: float = 0.05) -> Verdict:
        """Which action is best, which are ruled out, and whether to stop.

        It may be asked for at any time, as often as one likes: all verdicts together are wrong
        with probability `delta` at most.
        """
        return judge(self.belief, self.player.peek(), delta)

    def diagnose(self, delta: float = 0.05) -> Diagnosis:
        """Whether the values are as noisy as was declared, and side values as good as direct ones.

        It may be asked for at any time: if all is as declared, something is accused with
        probability `delta` at most.
        """
        return examine(self.history.pairs, self.setting, delta)

    def to_json(self) -> str:
        """All of it as text; `from_json` goes on as if nothing had happened."""
        from .state import write  # noqa: PLC0415 - it knows this module

        return write(self)

    @classmethod
    def from_json(cls, text: str) -> Learner:
        """The learner that `to_json` wrote."""
        from .state import read  # noqa: PLC0415 - it knows this module

        return read(text)

    # ---- inside -----------------------------------------------------------------------------

    def _asked(self, key: str | None) -> Decision | None:
        if key is None:
            return None
        check_key(key)
        known = self.history.asked.get(key)
        return None if known is None else self.decision(known)

    def _note(self, choice: Choice, key: str | None, shadow: bool = False) -> Decision:
        """Remember a decision of the player's."""
        history = self.history
        history.choices.append(choice)
        if shadow:
            history.shadow.add(choice.round, None)
        elif shows := len(self._door.limits(choice.action)):
            history.awaited[choice.round] = shows
        if key is not None:
            history.asked.add(key, choice.round)
        return self._decided(choice)

    def _decided(self, choice: Choice) -> Decision:
        label = self.setting.labels[choice.action]
        shadow = choice.round in self.history.shadow
        return Decision(choice.round, choice.action, label, choice.why, choice.batch, shadow)

    def _choice(self, wanted: Any) -> Choice:
        choices, number = self.history.choices, as_id(wanted)
        if not 0 < number <= len(choices):
            made = f"from 1 to {len(choices)}" if choices else "none: nothing was asked yet"
            raise InputError(f"no decision has the id {wanted!r}; there are {made}")
        return choices[number - 1]

    def _news(self, t: int, seen: dict[int, float], where: str) -> dict[int, float]:
        """What was not told before."""
        told = self.history.told.get(t)
        if not told:
            return seen
        new = {}
        for j, value in seen.items():
            known = told.get(j)
            if known is None:
                new[j] = value
            elif known != value:
                raise ContradictionError(
                    f"{where}: the value of {self.setting.labels[j]!r} was {known!r} and cannot "
                    f"become {value!r}: what was told stays"
                )
        return new

    def _is_repeated(self, key: str, t: int, seen: dict[int, float], last: bool) -> bool:
        """Whether the same was told with this key; another content is refused."""
        check_key(key)
        known = self.history.tells.get(key)
        if known is None:
            return False
        if known == (t, frozenset(seen), last):
            told = self.history.told.get(t, {})
            if all(told.get(j) == value for j, value in seen.items()):
                return True
        raise KeyReusedError(
            f"the key {key!r} was used before, to tell something else of decision {known[0]}: "
            f"{ANOTHER_KEY}"
        )

    def _take(self, choice: Choice, new: dict[int, float], awaited: int) -> None:
        """A decision is awaited as a whole or not at all: if it is, so are all these values."""
        history, t = self.history, choice.round
        take = self.player.take if awaited else self.player.learn
        take(choice, list(new), list(new.values()))
        add_values(history.pairs, choice.action, new)
        if awaited > len(new):
            history.awaited[t] = awaited - len(new)
        elif awaited:
            del history.awaited[t]

    def _missing(self, choice: Choice) -> list[int]:
        told = self.history.told.get(choice.round, {})
        return [j for j in self._door.limits(choice.action) if j not in told]

    def _give_up(self, choice: Choice) -> None:
        self.player.forget(choice, self._missing(choice))
        del self.history.awaited[choice.round]

    def _lose_patience(self) -> None:
        if self.patience is None:
            return
        oldest = self.rounds - self.patience  # it was awaited during `patience` decisions after it
        while self.history.awaited:
            t = next(iter(self.history.awaited))
            if t > oldest:
                return
            self._give_up(self.history.choices[t - 1])
