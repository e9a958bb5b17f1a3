"""One round of several replicates, for a loop in Python that asks a policy in between.

    step(t, actions, *table, *sheet)    replicate r plays actions[r] in round t, and learns

It does what the compiled loop (`runner`) does between two choices, in the same order, so that a
policy in Python has the luck and the belief of a compiled one, bit by bit.

Python hands over every array for 60 ns, and a tuple of arrays for ten times that. So all that a
round reads or writes lies in few arrays, one row for each replicate:

    numbers   means, sd and weight of what is shown (the same for all); then in each row errors,
              means and pending of the belief, a block of normals for each action, values under way
    counts    start and shown of `Known`; then in each row places in the blocks, the state of
              the random streams, `seen`, and the lists of plays under way
    sheet     information, sums and means as a policy sees them: NaN where nothing was seen
    plays     how often each action was played

`sheet` and `plays` are apart because a policy may keep them: see `simulate.own`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiled import cached, inlined
from .contract import Data, Floats, Ints, Known, Words
from .delays import Delay, Mail, deliver, issue, seed_mail
from .draws import BLOCK, PAD, Noise, seed_noise
from .intrinsics import borrowed
from .runner import World, play

WIDE = BLOCK + PAD
WORDS = 4  # of the state of a stream
ERRORS, MEANS, PENDING, NORMALS = range(4)  # in a row of numbers, in units of K
INFORMATION, SUMS, VISIBLE = range(3)  # of a sheet


class Shows(NamedTuple):
    """What each action shows: the part of `Known` that a round needs."""

    start: Ints
    shown: Ints


class Late(NamedTuple):
    """The part of `Delay` that a round needs."""

    longest: int
    log_stay: float


class Table(NamedTuple):
    """All arrays of the replicates but the sheet; the delay as two numbers."""

    still: Floats
    shows: Ints
    numbers: Floats
    counts: Ints
    longest: int
    log_stay: float


class Sheet(NamedTuple):
    """What policies see: three tables of replicates x actions, and the plays."""

    table: Floats
    plays: Ints


def new_sheet(replicates: int, actions: int) -> Sheet:
    """Before the first round: nothing was played, nothing was seen."""
    table = np.zeros((3, replicates, actions))
    table[VISIBLE] = np.nan
    return Sheet(table, np.zeros((replicates, actions), dtype=np.int64))


def new_table(
    world: World, known: Known, delay: Delay, noise: Words, replicates: Sequence[int]
) -> Table:
    """The arrays before the first round, with the random streams of these replicates."""
    actions, slots, rows = len(world.means), delay.longest + 1, len(replicates)
    table = Table(
        np.concatenate([world.means, world.sd, world.weight]),
        np.concatenate([known.start, known.shown]),
        np.zeros((rows, actions * (NORMALS + WIDE + slots))),
        np.zeros((rows, actions * (1 + WORDS) + 1 + WORDS + 3 * slots), dtype=np.int64),
        delay.longest,
        delay.log_stay,
    )
    table.numbers[:, :actions] = np.inf  # errors
    for row, replicate in enumerate(replicates):
        _begin(table.numbers[row], table.counts[row], actions, replicate, noise, delay)
    return table


@inlined
def _noise(numbers: Any, counts: Any, actions: Any) -> Any:
    """The streams of a row, its blocks of normals, and the places of the next normals."""
    state = counts[actions : actions * (1 + WORDS)].view(np.uint64).reshape((actions, WORDS))
    block = numbers[actions * NORMALS : actions * (NORMALS + WIDE)].reshape((actions, WIDE))
    return Noise(state, block, counts[:actions])


@inlined
def _mail(numbers: Any, counts: Any, actions: Any, slots: Any) -> Any:
    """The plays of a row that are under way."""
    stream = actions * (1 + WORDS) + 1
    lists = stream + WORDS
    return Mail(
        counts[lists : lists + slots],
        numbers[actions * (NORMALS + WIDE) :].reshape((slots, actions)),
        counts[lists + slots : lists + 2 * slots],
        counts[lists + 2 * slots :],
        counts[stream:lists].view(np.uint64),
    )


@cached
def _begin(numbers: Any, counts: Any, actions: Any, replicate: Any, noise: Any, delay: Any) -> None:
    own, count = borrowed(numbers), borrowed(counts)
    seed_noise(_noise(own, count, actions), noise, replicate)
    seed_mail(_mail(own, count, actions, delay.longest + 1), delay, replicate)


@cached
def step(t, actions, still, shows, numbers, counts, longest, log_stay, table, plays):
    """Every replicate plays its action in round t, and takes in what comes."""
    still, shows = borrowed(still), borrowed(shows)
    K = plays.shape[1]
    edges = shows.size - (K + 1)
    known = Shows(shows[: K + 1], shows[K + 1 :])
    world = World(still[:K], still[:0], still[K : K + edges], still[K + edges :])
    late = Late(longest, log_stay)
    for row in range(actions.size):
        own, count = borrowed(numbers)[row], borrowed(counts)[row]
        sheet = borrowed(table)[:, row]
        belief = Data(
            borrowed(plays)[row],
            sheet[INFORMATION],
            sheet[SUMS],
            own[MEANS * K : PENDING * K],
            own[ERRORS * K : MEANS * K],
            own[PENDING * K : NORMALS * K],
            count[K * (1 + WORDS) : K * (1 + WORDS) + 1],
        )
        action, noise = actions[row], _noise(own, count, K)
        if longest >= 0:
            mail = _mail(own, count, K, longest + 1)
            issue(t, action, world, known, noise, belief, mail, late)
            deliver(t, world, known, belief, mail, late)
        else:
            play(action, world, known, noise, belief)
        for j in range(K):
            if belief.information[j] > 0.0:
                sheet[VISIBLE, j] = belief.means[j]
