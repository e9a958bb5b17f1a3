"""xoshiro256++, splitmix64 and a ziggurat in plain Python, from their authors' description."""

from __future__ import annotations

import math
from collections.abc import Iterator

MASK = (1 << 64) - 1


def rotated(word: int, by: int) -> int:
    """The word rotated to the left."""
    return ((word << by) | (word >> (64 - by))) & MASK


def xoshiro(state: tuple[int, int, int, int]) -> Iterator[int]:
    """The outputs of xoshiro256++ (Blackman and Vigna 2019)."""
    a, b, c, d = state
    while True:
        yield (rotated((a + d) & MASK, 23) + a) & MASK
        shifted = (b << 17) & MASK
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = rotated(d, 45)


def splitmix(seed: int) -> Iterator[int]:
    """The outputs of splitmix64 (Steele, Lea and Flood 2014; Vigna's version)."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def stream_words(base: tuple[int, int], replicate: int, action: int) -> tuple[int, int, int, int]:
    """The state of a stream: four outputs of splitmix64, started from the hashed key."""
    key = (replicate << 32) | action
    words = splitmix(((base[0] + (key + 1) * 0xD1342543DE82EF95) & MASK) ^ base[1])
    return next(words), next(words), next(words), next(words)


def layers(right: float) -> tuple[list[float], list[float]]:
    """Right edges and lower ends of 256 layers of equal area under exp(-x^2/2), lowest first.

    The lowest is the rectangle up to `right` and the tail; its edge is that of a rectangle of its
    height with the same area.
    """
    density = math.exp(-0.5 * right * right)
    area = right * density + math.sqrt(math.pi / 2) * math.erfc(right / math.sqrt(2))
    edges, heights = [area / density, right], [0.0, density]
    while len(edges) < 256:
        heights.append(heights[-1] + area / edges[-1])
        edges.append(math.sqrt(-2 * math.log(heights[-1])))
    return [*edges, 0.0], [*heights, 1.0]


def normals(words: Iterator[int], right: float) -> Iterator[float]:
    """Standard normals from random words (Marsaglia and Tsang 2000, and 1964 for the tail)."""
    edges, heights = layers(right)

    def uniform() -> float:
        return (next(words) >> 11) / 2**53

    while True:
        word = next(words)
        layer, place = word & 255, (word - (word >> 63 << 64)) >> 11
        x = place / 2**52 * edges[layer]
        above = heights[layer + 1] - heights[layer]
        if abs(x) < edges[layer + 1]:
            yield x
        elif layer == 0:
            over, level = 1.0, 0.0
            while over * over >= level:
                over = -math.log(1 - uniform()) / right
                level = -2 * math.log(1 - uniform())
            yield math.copysign(right + over, x)
        elif heights[layer] + uniform() * above < math.exp(-0.5 * x * x):
            yield x
