"""Policies of the caller in a race: a loop in Python that asks them, and the engine in between.

    play_own      fill the rows of some jobs; several replicates at once if the policy can
    play          the readable loop over rounds of a `Player`, for traces of any policy

A policy reads arrays that the engine goes on writing; nothing is copied for it. But a belief never
changes: if a policy keeps one, or an array of one, the engine sees that by the number of
references, leaves these arrays to the policy and goes on with copies.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..belief import Belief, Beliefs, precisions
from ..engine.contract import Floats
from ..engine.rows import INFORMATION, SUMS, VISIBLE, Sheet, new_sheet, new_table, step
from ..engine.runner import AHEAD, DONE, STOP, Job
from ..errors import InputError, PolicyError
from ..player import Choice, Player, own_generator
from ..variances import frozen
from .source import Source
from .stage import Stage

ROWS = 128  # replicates side by side, at most
NUMBERS = 1 << 21  # that they may keep in memory: 16 MB

Row = tuple[Job, int]  # a replicate: its job, and its place there


def play_own(
    policy: Any, name: str, stage: Stage, jobs: Sequence[Job], report: Callable[[], object]
) -> None:
    """Fill the rows of these jobs; report after every round."""
    rows = [(job, row) for job in jobs for row in range(len(job.regret))]
    size = side_by_side(stage) if offers_many(policy) else 1
    for start in range(0, len(rows), size):
        _play_rows(policy, name, stage, rows[start : start + size], report)


def offers_many(policy: Any) -> bool:
    """Whether a policy decides for several replicates at once."""
    return callable(getattr(policy, "choose_many", None))


def side_by_side(stage: Stage) -> int:
    """How many replicates are played at once, if the policy can."""
    each = len(stage.problem) * (200 + max(stage.delay.longest, 0))
    return max(1, min(ROWS, NUMBERS // each))


def _play_rows(
    policy: Any, name: str, stage: Stage, rows: Sequence[Row], report: Callable[[], object]
) -> None:
    """Play these replicates side by side, to the end."""
    hand = Hand(policy, name, stage, [job.first + row for job, row in rows])
    first, t = rows[0][0], 0
    control = memoryview(first.control)  # type: ignore[arg-type]
    for column, checkpoint in enumerate(first.checkpoints.tolist()):
        while t < checkpoint:
            if control[STOP]:
                return
            t += 1
            hand.round(t)
            if t == checkpoint:
                for (job, row), plays in zip(rows, hand.sheet.plays, strict=True):
                    job.regret[row, column] = plays @ stage.world.gaps
                    job.plays[row] = plays
            # Only now: Ctrl-C from here on must find the outcome of a round that counts.
            if len(rows) == 1:
                control[DONE] += 1
            elif checkpoint != first.checkpoints[-1] or t < checkpoint:
                control[AHEAD] += len(rows)
            else:
                control[AHEAD] = 0
                for job, _ in rows:
                    job.control[DONE] += t
            report()


class Hand:
    """A policy of the caller in some replicates: what it sees, and how it is asked."""

    def __init__(self, policy: Any, name: str, stage: Stage, replicates: Sequence[int]) -> None:
        self.name, self.replicates = name, replicates
        self.policy = copied(policy, name, replicates[0])  # what it remembers ends with them
        self.rngs = [own_generator(stage.seed, replicate) for replicate in replicates]
        self.actions = np.zeros(len(replicates), dtype=np.int64)
        self._places = memoryview(self.actions)  # type: ignore[arg-type]
        self._known = stage.problem.feedback, stage.problem.upper
        self._precision = frozen(precisions(*self._known))
        self._table = new_table(stage.world, stage.known, stage.delay, stage.noise, replicates)
        self._ask = self._ask_many if offers_many(policy) else self._ask_one
        self._show(new_sheet(len(replicates), len(stage.problem)))

    def round(self, t: int) -> None:
        """Ask the policy, and play what it names."""
        self._shown["rounds"] = t - 1
        self._ask(t)
        if self._references() != self._count:
            self._show(Sheet(self.sheet.table.copy(), self.sheet.plays.copy()))
        step(t, self.actions, *self._given)

    def _show(self, sheet: Sheet) -> None:
        """Let the policy read these arrays from now on."""
        self.sheet, self._given = sheet, (*self._table, *sheet)
        table, plays = sheet.table.view(), sheet.plays.view()
        plays.flags.writeable = table.flags.writeable = False
        parts: tuple[Any, ...] = plays, table[INFORMATION], table[SUMS], table[VISIBLE]
        if not offers_many(self.policy):
            parts = tuple(part[0] for part in parts)
        self.belief = self._belief(*parts)
        self._shown = self.belief.__dict__
        self._held = (self.belief, *sheet, plays, table, *parts)
        del plays, table, parts, sheet
        self._count = self._references()

    def _belief(self, *parts: Any) -> Any:
        plays, information, sums, means = parts
        data, precision = (plays, information, sums), self._precision
        if offers_many(self.policy):
            return Beliefs(*self._known, 0, *data, means, precision)
        found = Belief(*self._known, *data, precision)
        found.__dict__["means"] = means
        return found

    def _references(self) -> int:
        """How many references there are to what the policy sees."""
        return sum(map(sys.getrefcount, self._held))

    def _ask_one(self, t: int) -> None:
        try:
            action = self.policy.choose(self.belief, self.rngs[0])
        except Exception as error:
            raise self._failed(t, "choose", error) from error
        if type(action) is not int or not 0 <= action < len(self.belief):
            action = self._checked(t, "choose", action)
        self._places[0] = action

    def _ask_many(self, t: int) -> None:
        try:
            actions = self.policy.choose_many(self.belief, self.rngs)
        except Exception as error:
            raise self._failed(t, "choose_many", error) from error
        found = np.asarray(actions)
        if found.shape != self.actions.shape:
            raise PolicyError(
                f"{self._where(t, self.replicates[0])}: choose_many returned an array of shape "
                f"{found.shape} for {len(self.replicates)} replicates: give one action for each"
            )
        whole = np.issubdtype(found.dtype, np.integer)
        if not whole or found.min() < 0 or found.max() >= len(self._known[0]):
            for row, action in enumerate(found.tolist()):
                self._checked(t, "choose_many", action, row)
        self.actions[:] = found

    def _checked(self, t: int, method: str, action: object, row: int = 0) -> int:
        try:
            return Belief.empty(*self._known).check_action(action)
        except InputError as error:
            where = self._where(t, self.replicates[row])
            raise PolicyError(f"{where}: {method} returned {error}") from None

    def _failed(self, t: int, method: str, error: Exception) -> PolicyError:
        where = self._where(t, self.replicates[0])
        return PolicyError(f"{where}: {method} raised {type(error).__name__}: {error}")

    def _where(self, t: int, replicate: int) -> str:
        return f"policy {self.name!r}, round {t} of replicate {replicate}"


def play(player: Player, source: Source) -> Iterator[tuple[Choice, Floats]]:
    """Round after round: the choice, and what it shows; it may come to the player later."""
    under_way: dict[int, Choice] = {}
    while True:
        choice = player.choose()
        under_way[choice.round] = choice
        seen = source.play(choice.action)
        for letter in source.arrivals():
            shown = player.shown(letter.action)
            values = letter.values[shown].tolist()
            player.take(under_way.pop(letter.round), shown.tolist(), values)
        player.settle()
        yield choice, seen


def copied(policy: Any, name: str, replicate: int) -> Any:
    """A policy of the caller's for one replicate."""
    try:
        return copy.deepcopy(policy)
    except Exception as error:
        raise PolicyError(
            f"policy {name!r}, replicate {replicate}: it cannot be copied "
            f"({type(error).__name__}: {error}), and each replicate needs its own: leave out "
            "files and locks, or give it a __deepcopy__"
        ) from error
