"""Values that come late: the values that a play shows arrive some rounds after the play.

The values of a play in round t arrive together, d rounds later: after the play of round t + d and
before the choice of round t + d + 1. d = 0 is no delay at all.

    fixed        d is the same for every play
    geometric    P(d = k) = p (1 - p)^k with mean (1 - p)/p, cut at `longest`; every round draws one
                 uniform number from a stream for delays alone, so that all policies wait alike

The noise of a value belongs to the play that shows the value, not to the round of its arrival. The
values of a play are kept in slot t mod (longest + 1) until they arrive; plays whose values arrive
in the same round are a linked list. So memory does not grow with the horizon.
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
    """The key of the stream, the longest delay, and log(1 - p), which is 0 for a fixed delay."""

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
    """No delay: values arrive at once."""
    return Delay(np.zeros(2, dtype=np.uint64), NONE, 0.0)


def fixed(rounds: int) -> Delay:
    """Every play is under way for the same number of rounds."""
    return Delay(np.zeros(2, dtype=np.uint64), rounds, 0.0)


def geometric(mean: float, seed: int) -> Delay:
    """Random delays; one in 10^12 would be longer than the longest, and is cut."""
    log_stay = math.log(mean) - math.log1p(mean)
    return Delay(base_words(seed, "delay"), math.ceil(math.log(1e-12) / log_stay), log_stay)


def no_mail(delay: Delay, actions: int) -> Mail:
    """Room for plays under way; call `seed_mail` before the first play."""
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
    """Empty the mail: nothing is under way."""
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
    """Count a play, and put the values that it shows on their way."""
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
    """Take in the values that arrive in round t; those of the latest play come first."""
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
