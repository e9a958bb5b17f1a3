"""The loop over rounds in Python: readable, on the same luck as the compiled loop.

It serves policies of the caller's, whose `choose` is no compiled code, and traces of any policy.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from ..engine.contract import Floats
from ..engine.runner import DONE, STOP, Job
from ..errors import PolicyError
from ..player import Choice, Player
from .source import Source
from .stage import Stage, revealed


def play_own(policy: Any, name: str, stage: Stage, job: Job, report: Callable[[], object]) -> None:
    """Fill the rows of a job, one replicate after the other; report after every round."""
    for row in range(len(job.regret)):
        replicate = job.first + row
        player = Player(
            copied(policy, name, replicate),  # what it remembers ends with the replicate
            revealed(stage.problem, stage.known.horizon or None),
            seed=stage.seed,
            replicate=replicate,
        )
        rounds = play(player, Source(stage, replicate))
        for column, checkpoint in enumerate(job.checkpoints):
            while player.t < checkpoint:
                if job.control[STOP]:
                    return
                next(rounds)
                if player.t == checkpoint:
                    job.regret[row, column] = player.data.plays @ stage.world.gaps
                    job.plays[row] = player.data.plays
                # Only now: Ctrl-C from here on must find the outcome of a round that counts.
                job.control[DONE] += 1
                report()


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
