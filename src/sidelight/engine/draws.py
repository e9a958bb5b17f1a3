"""The noise of one replicate, drawn in blocks, and how one value changes the belief."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled import inlined_kernel, kernel
from .contract import Floats, Ints, Words
from .intrinsics import apart, sqrt
from .streams import fill, seed_stream

BLOCK = 128  # normals drawn at once for an action
PAD = 8  # an odd number of cache lines for each action, so that they do not compete for one place


class Noise(NamedTuple):
    """For each action: its stream, a block of normals, and the place of the next normal."""

    state: Words
    block: Floats
    place: Ints


def no_noise(actions: int) -> Noise:
    """Room for the noise of one replicate; call `seed_noise` before the first value."""
    return Noise(
        np.zeros((actions, 4), dtype=np.uint64),
        np.zeros((actions, BLOCK + PAD)),
        np.full(actions, BLOCK),
    )


@kernel
def seed_noise(noise: Any, base: Any, replicate: Any) -> None:
    """Start the noise of one replicate, before the first value."""
    for j in range(noise.place.size):
        seed_stream(noise.state[j], base, replicate, j)
        noise.place[j] = BLOCK


@kernel
def _refill(noise: Any, j: Any) -> None:
    fill(noise.state[j], noise.block[j, :BLOCK])


_refill_apart = apart(_refill)


@inlined_kernel
def next_normal(noise: Any, j: Any) -> Any:
    """The next normal of the stream of action j."""
    place = np.uint64(noise.place[j])
    if place == np.uint64(BLOCK):
        _refill_apart(noise, j)
        place = np.uint64(0)
    noise.place[j] = place + np.uint64(1)
    return noise.block[j, place]


@inlined_kernel
def learn(belief: Any, j: Any, weight: Any, value: Any) -> None:
    """Take in one value of action j with the given precision."""
    information = belief.information[j] + weight
    total = belief.sums[j] + weight * value
    belief.information[j] = information
    belief.sums[j] = total
    belief.means[j] = total / information
    belief.errors[j] = 1.0 / sqrt(information)
