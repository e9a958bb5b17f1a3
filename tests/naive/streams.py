"""xoshiro256++ and splitmix64 in Python integers, from their authors' description."""

from __future__ import annotations

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
