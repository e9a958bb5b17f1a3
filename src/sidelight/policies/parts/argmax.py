"""The first of the largest entries, fast.

One pass finds the largest value, a second the first place that attains it. The first pass has no
branch and four independent maxima, so that the processor need not wait for one comparison before
it starts the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled import inlined


@inlined
def largest_index(means: Any, errors: Any, width: Any) -> Any:
    """The largest means[j] + width * errors[j] over all j."""
    size = np.uint64(means.size)
    four = size - size % np.uint64(4)
    a = b = c = d = -np.inf
    for j in range(np.uint64(0), four, np.uint64(4)):
        x0 = means[j] + width * errors[j]
        x1 = means[j + np.uint64(1)] + width * errors[j + np.uint64(1)]
        x2 = means[j + np.uint64(2)] + width * errors[j + np.uint64(2)]
        x3 = means[j + np.uint64(3)] + width * errors[j + np.uint64(3)]
        a = x0 if x0 > a else a
        b = x1 if x1 > b else b
        c = x2 if x2 > c else c
        d = x3 if x3 > d else d
    for j in range(four, size):
        x = means[j] + width * errors[j]
        a = x if x > a else a
    a = b if b > a else a
    c = d if d > c else c
    return c if c > a else a


@inlined
def largest_bound(means: Any, errors: Any, among: Any, sign: Any, width: Any) -> Any:
    """The largest sign * means[j] - width * errors[j] with among[j] != 0; NaN does not count."""
    size = np.uint64(means.size)
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    four = size - size % np.uint64(4)
    a = b = c = d = -np.inf
    for j in range(np.uint64(0), four, np.uint64(4)):
        x = sign * means[j] - width * errors[j]
        a = x if (x > a) & (among[j] != 0.0) else a
        x = sign * means[j + one] - width * errors[j + one]
        b = x if (x > b) & (among[j + one] != 0.0) else b
        x = sign * means[j + two] - width * errors[j + two]
        c = x if (x > c) & (among[j + two] != 0.0) else c
        x = sign * means[j + three] - width * errors[j + three]
        d = x if (x > d) & (among[j + three] != 0.0) else d
    for j in range(four, size):
        x = sign * means[j] - width * errors[j]
        a = x if (x > a) & (among[j] != 0.0) else a
    return max(a, b, c, d)


@inlined
def first_largest_index(means: Any, errors: Any, width: Any) -> Any:
    """The first j with the largest means[j] + width * errors[j]."""
    largest = largest_index(means, errors, width)
    for j in range(np.uint64(means.size)):
        if means[j] + width * errors[j] == largest:
            return np.int64(j)
    return np.int64(0)


@inlined
def first_largest(values: Any) -> Any:
    """The first j with the largest value."""
    best = values[0]
    place: Any = np.uint64(0)
    for j in range(np.uint64(1), np.uint64(values.size)):
        if values[j] > best:
            best = values[j]
            place = j
    return np.int64(place)


@inlined
def best_survivor(means: Any, survivor: Any) -> int:
    """Of the actions whose entry in `survivor` is not 0, the first with the largest mean."""
    action = -1
    for j in range(survivor.size):
        if survivor[j] != 0.0 and (action < 0 or means[j] > means[action]):
            action = j
    return action
