"""The variance matrix of each feedback model that the paper names [sec:pre].

Row = action played, column = action observed, inf = nothing seen. With one standard deviation
sigma_j for each observed action j:

    full information     variance[i, j] = sigma_j^2 for all i, j
    bandit               variance[j, j] = sigma_j^2, inf elsewhere
    feedback graph       variance[i, j] = sigma_j^2 for the edges i -> j, inf elsewhere

In the uniform-variance version all sigma_j are equal. These are plain functions on arrays:
`Feedback` and the readers of problem files both build on them.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from .errors import InputError
from .frames import ordered
from .labels import Labels

Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.intp]  # positions in an array
Scalar = TypeVar("Scalar", bound=np.generic)
Sigma = float | Iterable[float] | Mapping[Any, float]

MAX_ACTIONS = 4_096


def check_count(count: int) -> int:
    """At least one action, and a matrix that fits in memory."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        raise InputError(f"the number of actions must be a whole number, not {count!r}")
    if count < 1:
        raise InputError(f"a problem needs at least one action, not {count}")
    if count > MAX_ACTIONS:
        size = f"{count:,}" if count < 10**15 else "so many"
        room = f"{8 * count**2 // 10**7 / 100} GB" if count < 10**15 else "too much memory"
        raise InputError(
            f"{size} actions are more than the limit of {MAX_ACTIONS:,}: their variances alone "
            f"would take {room}, and no number about such a structure could be "
            "proved in reasonable time. Merge actions that show and earn alike"
        )
    return int(count)


def numbers(values: npt.ArrayLike, what: str) -> Array:
    """Our own copy of these numbers as floats. -0.0 becomes 0.0, so that its inverse is +inf."""
    try:
        raw = np.asarray(values)
        if raw.dtype.kind in "iufO":  # whole, unsigned, float, and Python objects that may be these
            with np.errstate(invalid="ignore", over="ignore"):  # NaN and inf are judged later
                return np.array(raw, dtype=float) + 0.0
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{what} must hold numbers, not {reprlib.repr(values)}")


def check_sigma(sigma: Sigma, labels: Labels) -> Array:
    """One standard deviation for each observed action.

    From a number, a sequence in the order of the actions, a mapping or a Series of pandas.
    """
    sigma = ordered(sigma, labels, "sigma")
    sigmas = numbers(
        list(sigma) if isinstance(sigma, Iterable) else sigma, "sigma, a standard deviation,"
    )
    if sigmas.ndim > 1 or (sigmas.ndim == 1 and len(sigmas) != len(labels)):
        raise InputError(
            f"sigma has shape {sigmas.shape} for {len(labels)} actions: "
            "give one standard deviation, or one for each action"
        )
    if not (sigmas >= 0).all():
        raise InputError(f"sigma is a standard deviation and cannot be negative or NaN: {sigma!r}")
    return np.broadcast_to(sigmas, (len(labels),))


def squared(sigma: Array) -> Array:
    """The variances of these standard deviations; only 0 gives 0, and only inf gives inf."""
    with np.errstate(over="ignore", under="ignore"):
        variance = np.square(sigma)
    lost = (sigma != 0) & (sigma != np.inf) & ((variance == 0) | (variance == np.inf))
    if lost.any():
        raise InputError(
            f"the standard deviation sigma = {sigma[lost][0]:g} has a square that no float can "
            "hold: write 0 for an exact observation and inf for none"
        )
    return variance


def masked(observes: BoolArray, sigmas: Array) -> Array:
    """sigma_j^2 where `observes[i, j]`, inf elsewhere: the feedback-graph model."""
    return np.where(observes, squared(sigmas), np.inf)


def frozen(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """A copy that nobody can make writable again: its memory is a `bytes` object."""
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)
