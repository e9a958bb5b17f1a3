"""What a compiled policy is given, and what it must provide.

A policy is two compiled functions on plain arrays:

    choose(t, belief, known, parameters, memory, stream) -> (action, why)
        names the action of round t = 1, 2, ...; changes nothing but the random `stream`
    update(t, belief, known, parameters, memory, action, why)
        called once after every play, when its observations (if they came at once) are in the
        belief; the only place where `memory` changes

The simulator and the live learner call the same two functions, in the same order: choose, then
observe, then update before the next choice. So a repeated `choose` cannot corrupt learning.

`memory` is a float array of the policy's own: counters, the rest of a batch, a stored plan. `why`
is a small integer, an index into the policy's words. `parameters` is a float array.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


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
    """The belief: plays N, information n_j = sum of precisions, and the weighted sums of values."""

    plays: Ints
    information: Floats
    sums: Floats
