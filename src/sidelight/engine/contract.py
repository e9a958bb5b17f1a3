"""What a compiled policy is given, and what it must provide.

A policy is two compiled functions on plain arrays:

    choose(t, belief, known, parameters, memory, stream) -> (action, why)
        names the action of round t = 1, 2, ...; changes nothing but the random `stream`
    update(t, belief, known, parameters, memory, action, why)
        is called once after every play, when the values that the play showed (if they came at
        once) are in the belief; only `update` changes `memory`

A simulation and live use call these two functions in the same order: first choose, then observe,
then update, before the next choice. A repeated `choose` cannot corrupt learning.

A policy that must compute something before its first choice declares `starts`. Then `update` is
called once more, before the first round, with t = 0, action 0 and why = START.

Two more functions are for the simulator, and change nothing but its speed. A policy may know some
of its next plays, whatever they show. The engine then makes these plays in one go, and does not
compute the means and errors between them:

    promise(memory, most) -> times
        the action just chosen will be played `times` times, at most `most`, before the play that
        `update` is called for. `promise` takes these plays off the memory. The policy does not
        read the belief before that play.

A policy that mostly stays with an action may have a fast way to find this out:

    again(t, belief, known, parameters, memory, action) -> bool
        is called after round t if the action shows itself and nothing else. True says: `update`
        and `choose` would have chosen the action again without reading the stream, and the memory
        is now as `update` would have left it. False says: nothing has changed, and `update` and
        `choose` must be called.

`memory` is a float array that belongs to the policy: counters, the rest of a batch, a stored plan.
A policy that counts rounds of its own (the batches of Algorithm 2) has the number of the current
round in memory[0] when it chooses. `why` is a small integer, an index into the policy's words.
`parameters` is a float array.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

# Raised when the loop or the streams give other numbers than before, for any policy.
EDITION = 1

LATE = 1 << 13  # more than one play can show
START = -1  # the reason of the update before the first round


class Known(NamedTuple):
    """What the learner knows beforehand, as compiled code reads it.

    `precision` is finite: an exact observation has the cap of `belief.CAP`. `start`, `shown` list
    what each action shows: action i shows shown[start[i]:start[i + 1]]. `observer[j]` is the action
    that shows j best. `horizon` is 0 where it is unknown.
    """

    precision: Floats
    start: Ints
    shown: Ints
    observer: Ints
    upper: float
    horizon: int


class Data(NamedTuple):
    """The belief: what was played and seen, and what follows from it for each action.

    plays        N_i, counted when issued
    information  n_j, the sum of precisions of what was seen of j
    sums         S_j, the sum of precision times value
    means        S_j / n_j; 0, the lower end of the range, before the first look
    errors       1 / sqrt(n_j), the standard error of the mean; inf before the first look
    pending      precisions in flight: of values that plays will show and that have not come yet
    seen         one number: how many values were seen in all

    `means` and `errors` follow from `information` and `sums`. They are stored because every policy
    reads them in every round, and only few entries change. A policy that stores something derived
    from the belief also stores `seen`. It trusts what it stored only while `seen` has grown by the
    number of values that the last action shows. Code that takes in values that came late, after
    another play, adds LATE to `seen`, so that these values cannot be mistaken for expected ones.
    """

    plays: Ints
    information: Floats
    sums: Floats
    means: Floats
    errors: Floats
    pending: Floats
    seen: Ints


def no_data(actions: int) -> Data:
    """The belief before the first round."""
    return Data(
        plays=np.zeros(actions, dtype=np.int64),
        information=np.zeros(actions),
        sums=np.zeros(actions),
        means=np.zeros(actions),
        errors=np.full(actions, np.inf),
        pending=np.zeros(actions),
        seen=np.zeros(1, dtype=np.int64),
    )
