"""Random streams: xoshiro256++ (Blackman and Vigna 2019) and a ziggurat for normals.

A stream is four words of state that depend only on (seed, role, replicate, action): not on threads,
not on the other policies of a race, and not on the order of anything. The words are splitmix64
outputs of a key; the authors of xoshiro recommend this way of seeding.

    role "noise"    one stream for each action: its m-th normal is the noise of the m-th value seen
                    of this action, whichever action shows the value, whatever the policy
    role "policy"   one stream for the policy's own randomness
    role "delay"    one stream for how long plays are under way
    role "payoff"   as "noise", for the payoffs of the Gymnasium environment

The ziggurat (Marsaglia and Tsang 2000, with 256 layers of equal area under exp(-x^2/2)) reads one
word for a normal in 99 % of cases: bits 0-7 pick the layer, bits 11-63 the signed position in it.
The layers are computed here, from the right edge r, where the tail's area equals a layer's.

Blocks are filled with the state in local variables: measured three times faster than a
numpy Generator called from compiled code.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..compiled import cached, inlined_kernel, kernel
from .contract import Floats, Words
from .intrinsics import borrowed

LAYERS = 256
RIGHT = 3.6541528853610088

_MASK = (1 << 64) - 1


def _ziggurat() -> tuple[Floats, Floats, Floats]:
    """Edges x_0 > x_1 = r > ... > x_256 = 0 of the layers, their heights, and widths per bit."""
    area = RIGHT * math.exp(-(RIGHT**2) / 2) + math.sqrt(math.pi / 2) * math.erfc(
        RIGHT / math.sqrt(2)
    )
    x = np.zeros(LAYERS + 1)
    x[0] = area / math.exp(-(RIGHT**2) / 2)  # a rectangle as large as the lowest layer and its tail
    x[1] = RIGHT
    for k in range(1, LAYERS - 1):
        x[k + 1] = math.sqrt(-2 * math.log(math.exp(-(x[k] ** 2) / 2) + area / x[k]))
    heights = np.exp(-(x**2) / 2)
    return x, heights, x / 2.0**52


EDGE, HEIGHT, WIDTH = _ziggurat()
NEXT = EDGE[1:].copy()  # a layer is safe up to the edge of the next one


def _mix(word: int) -> int:
    """The finaliser of splitmix64."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return word ^ (word >> 31)


def base_words(seed: int, role: str) -> Words:
    """Two words that stand for the seed and the role; `seed_stream` adds replicate and action."""
    words = np.random.SeedSequence(seed).generate_state(2, dtype=np.uint64)
    name = int.from_bytes(role.encode()[:8].ljust(8, b"\0"), "little")
    return np.array([words[0], _mix(int(words[1]) ^ _mix(name))], dtype=np.uint64)


def stream_words(base: Words, replicate: int, action: int) -> Words:
    """The four words of a stream, in plain Python; as `seed_stream` sets them."""
    key = (replicate << 32) | action
    z = ((int(base[0]) + (key + 1) * 0xD1342543DE82EF95) & _MASK) ^ int(base[1])
    words = [_mix((z + w * 0x9E3779B97F4A7C15) & _MASK) for w in range(1, 5)]
    return np.array(words, dtype=np.uint64)


@inlined_kernel
def mix(word: Any) -> Any:
    """The finaliser of splitmix64."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def seed_stream(state: Any, base: Any, replicate: Any, action: Any) -> None:
    """Set the four words of a stream; different (replicate, action) below 2^32 never share them."""
    key = (np.uint64(replicate) << np.uint64(32)) | np.uint64(action)
    z = (base[0] + (key + np.uint64(1)) * np.uint64(0xD1342543DE82EF95)) ^ base[1]
    for w in range(4):
        state[w] = mix(z + np.uint64(w + 1) * np.uint64(0x9E3779B97F4A7C15))


@kernel
def next_word(state: Any) -> Any:
    """One step of xoshiro256++."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    total = s0 + s3
    word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    state[0], state[1], state[2] = s0, s1, s2
    state[3] = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    return word


@kernel
def uniform(state: Any) -> Any:
    """A float in [0, 1) with 53 random bits."""
    return float(next_word(state) >> np.uint64(11)) * 2.0**-53


@kernel
def _rejected(state: Any, layer: Any, x: float) -> float:
    """Finish a normal whose first word fell outside the safe part of its layer.

    The lowest layer goes on into the tail (Marsaglia 1964). Any other layer has a wedge under the
    density; a point above the density is dropped, and a new point is drawn.
    """
    while True:
        if layer == 0:
            while True:
                over = -math.log(1.0 - uniform(state)) / RIGHT
                if -2.0 * math.log(1.0 - uniform(state)) > over * over:
                    return math.copysign(RIGHT + over, x)
        height = HEIGHT[layer] + uniform(state) * (HEIGHT[layer + 1] - HEIGHT[layer])
        if height < math.exp(-0.5 * x * x):
            return x
        word = next_word(state)
        layer = np.int64(word & np.uint64(255))
        x = float(np.int64(word) >> 11) * WIDTH[layer]
        if abs(x) < NEXT[layer]:
            return x


@kernel
def normal(state: Any) -> Any:
    """One standard normal."""
    word = next_word(state)
    layer = np.int64(word & np.uint64(255))
    x = float(np.int64(word) >> 11) * WIDTH[layer]
    if abs(x) < NEXT[layer]:
        return x
    return _rejected(state, layer, x)


@inlined_kernel
def draw(state, s0, s1, s2, s3):
    """One standard normal and the next four words: `normal` with the state in local variables.

    `state` is written only on the way through the slow path; at the end the caller stores the
    words there.
    """
    total = s0 + s3
    word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    layer = word & np.uint64(255)
    x = float(np.int64(word) >> 11) * WIDTH[layer]
    if abs(x) >= NEXT[layer]:
        state[0], state[1], state[2], state[3] = s0, s1, s2, s3
        x = _rejected(state, np.int64(layer), x)
        s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    return x, s0, s1, s2, s3


@kernel
def fill(state: Any, out: Any) -> None:
    """Standard normals, the same as from repeated `normal`."""
    state = borrowed(state)
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for k in range(out.size):
        out[k], s0, s1, s2, s3 = draw(state, s0, s1, s2, s3)
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3


@cached
def normals(base: Any, replicate: int, action: int, out: Any) -> None:
    """Fill `out` with the first normals of a stream, as the simulator sees them."""
    state = np.empty(4, dtype=np.uint64)
    seed_stream(state, base, replicate, action)
    fill(state, out)
