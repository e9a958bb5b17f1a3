"""Values that come late: what a play shows is on its way for some rounds.

The values of a play issued in round t come together, d rounds later, after the play of round t + d
and before the choice of round t + d + 1; d = 0 is no delay at all.

    fixed        d is the same for every play
    geometric    P(d = k) = p (1 - p)^k with mean (1 - p)/p, cut at `longest`; one uniform number
                 of a stream of its own in every round, so that all policies wait alike

The noise of a value belongs to the play that shows it, not to the moment it comes. A play is kept
in slot t mod (longest + 1) until it comes; plays that come in the same round are a linked list. So
memory does not grow with the horizon.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..compiled import cached, kernel
from .contract import LATE, Floats, Ints, Words
from .draws import learn, next_normal
from .streams import base_words, seed_stream, uniform

NONE = -1  # `longest` where values come at once, and the end of a list


class Delay(NamedTuple):
    """The key of the stream, the longest delay, and log(1 - p), which is 0 where it is fixed."""

    base: Words
    longest: int
    log_stay: float


class Mail(NamedTuple):
    """Plays under way: actions and values by slot, lists of slots by round of arrival."""

    action: Ints
    values: Floats
    following: Ints
    first: Ints
    stream: Words


def at_once() -> Delay:
    """No delay."""
    return Delay(np.zeros(2, dtype=np.uint64), NONE, 0.0)


def fixed(rounds: int) -> Delay:
    """Every play is under way for the same number of rounds."""
    return Delay(np.zeros(2, dtype=np.uint64), rounds, 0.0)


def geometric(mean: float, seed: int) -> Delay:
    """A random number of rounds; one in 10^12 would be longer than the longest."""
    log_stay = math.log(mean) - math.log1p(mean)
    return Delay(base_words(seed, "delay"), math.ceil(math.log(1e-12) / log_stay), log_stay)


def no_mail(delay: Delay, actions: int) -> Mail:
    """Room for what is under way; `seed_mail` comes before the first play."""
    slots = delay.longest + 1
    return Mail(
        np.zeros(slots, dtype=np.int64),
        np.zeros((slots, actions)),
        np.full(slots, NONE),
        np.full(slots, NONE),
        np.zeros(4, dtype=np.uint64),
    )


@kernel
def seed_mail(mail: Any, delay: Any, replicate: Any) -> None:
    """Nothing is under way."""
    for slot in range(mail.first.size):
        mail.first[slot] = NONE
    seed_stream(mail.stream, delay.base, replicate, 0)


@kernel
def _rounds(delay: Any, stream: Any) -> Any:
    """How long the next play is under way."""
    if delay.log_stay == 0.0:
        return delay.longest
    return min(np.int64(math.log(1.0 - uniform(stream)) / delay.log_stay), delay.longest)


@kernel
def issue(t, action, world, known, noise, belief, mail, delay):
    """Count a play and put what it shows on its way."""
    slots = delay.longest + 1
    slot = t % slots
    belief.plays[action] += 1
    mail.action[slot] = action
    for k in range(known.start[action], known.start[action + 1]):
        j = np.uint64(known.shown[k])
        mail.values[slot, j] = world.means[j] + world.sd[k] * next_normal(noise, j)
        belief.pending[j] += world.weight[k]
    comes = (t + _rounds(delay, mail.stream)) % slots
    mail.following[slot] = mail.first[comes]
    mail.first[comes] = slot


@kernel
def deliver(t, world, known, belief, mail, delay):
    """Take in what comes in round t: the latest play first."""
    slots = delay.longest + 1
    slot = mail.first[t % slots]
    mail.first[t % slots] = NONE
    while slot != NONE:
        action = mail.action[slot]
        for k in range(known.start[action], known.start[action + 1]):
            j = np.uint64(known.shown[k])
            learn(belief, j, world.weight[k], mail.values[slot, j])
            left = belief.pending[j] - world.weight[k]
            # What rounding leaves of the sum of all that came and went is nothing.
            belief.pending[j] = left if left > 1e-9 * belief.information[j] else 0.0
        came = known.start[action + 1] - known.start[action]
        belief.seen[0] += came
        if slot != t % slots and came > 0:
            belief.seen[0] += LATE
        slot = mail.following[slot]


@cached
def next_delay(delay: Any, stream: Any) -> Any:
    """How long the next play is under way, for a loop in Python."""
    return _rounds(delay, stream)
