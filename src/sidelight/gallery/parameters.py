"""The parameters of a shipped problem: their types, their ranges, and the means they lead to.

A family states the gaps, gap_i = max theta - theta_i, since regret depends on nothing else. Then

    theta_i = max(1/2, largest gap) - gap_i

is in [0, 1] whenever the largest gap is at most 1, and the best mean is 1/2 unless the gaps need
more room.
"""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import InputError, choose_from
from ..feedback import Feedback
from ..problem import Problem
from ..variances import Array, BoolArray, check_count

Number = TypeVar("Number", int, float)

MIN_GAP = 1e-9
MAX_SIGMA = 1e50  # squares and products of squares stay far from overflow
MAX_WHOLE = 2**63 - 1  # what arrays of whole numbers can hold
MEANS = "means"  # a parameter of every recipe
KINDS = {int: "a whole number", float: "a number", str: "text"}


def check_types(
    name: str, recipe: Callable[..., Problem], given: Mapping[str, object]
) -> dict[str, object]:
    """The parameters of one recipe; each has the type of its default."""
    known = inspect.signature(recipe).parameters
    for key in given:
        if key not in known:
            raise InputError(f"{name!r} has no parameter {key!r}; {choose_from(key, known)}")
    return {
        key: _typed(value, type(known[key].default), f"{name}: {key}")
        for key, value in given.items()
    }


def given_means(name: str, value: Any) -> Any:
    """Means in place of a recipe's own; as text, numbers with spaces between them."""
    if not isinstance(value, str | int | float):
        return value
    try:
        return [float(word) for word in str(value).split()]
    except ValueError as error:
        raise InputError(
            f"{name}: means = {value!r} must be numbers with spaces between them, such as "
            "means=0.5 0.4, one for each action"
        ) from error


def _typed(value: object, kind: type, what: str) -> object:
    if kind is str and isinstance(value, str):
        return value
    if not isinstance(value, bool):
        if kind is int and isinstance(value, numbers.Integral):
            return between(what, int(value), -MAX_WHOLE, MAX_WHOLE)
        if kind is float and isinstance(value, numbers.Real):
            return _float(value)
    raise InputError(f"{what} must be {KINDS[kind]}, not {value!r}")


def _float(value: numbers.Real) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond the floats
        return math.inf


def check_actions(actions: int, least: int) -> int:
    """A number of actions that this family exists for."""
    if check_count(actions) < least:
        raise InputError(f"actions = {actions}: this problem needs at least {least}")
    return actions


def at_least(what: str, value: int, least: int) -> int:
    """A count that is large enough."""
    if value < least:
        raise InputError(f"{what} = {value}: use {least} or more")
    return value


def between(what: str, value: Number, low: float, high: float) -> Number:
    """A number in [low, high]."""
    if not low <= value <= high:
        raise InputError(f"{what} = {value}: use a number between {low:g} and {high:g}")
    return value


def check_gap(gap: float, most: float = 1.0, what: str = "gap") -> float:
    """A gap that leaves one action the only best one, and all means in [0, 1]."""
    if not MIN_GAP <= gap <= most:
        raise InputError(
            f"{what} = {gap:g}: use a number between {MIN_GAP:g} and {most:g}; "
            "for equally good actions see 'revealing-tie' and 'cycle-tie'"
        )
    return gap


def means_of(gaps: npt.ArrayLike) -> Array:
    """max(1/2, largest gap) - gaps, to 12 digits so that files stay readable."""
    below = np.asarray(gaps, dtype=float)
    largest = below.max()
    if largest > 1 + MIN_GAP:
        raise InputError(
            f"gaps up to {largest:g} do not fit in [0, 1]: use a smaller gap or fewer actions"
        )
    means: Array = np.round(max(0.5, largest) - below, 12)
    return means


def ladder(actions: int, gap: float) -> Array:
    """Means that fall from the first action to the last in steps of `gap`."""
    return means_of(check_gap(gap) * np.arange(actions))


def on_graph(observes: BoolArray, means: npt.ArrayLike, sigma: float) -> Problem:
    """One standard deviation wherever something is observed."""
    between("sigma", sigma, 0, MAX_SIGMA)
    return Problem(Feedback.uniform(observes, sigma), means)


def with_sigmas(sigmas: npt.ArrayLike, means: npt.ArrayLike, sigma: float) -> Problem:
    """Standard deviations `sigma` times `sigmas`; inf stays inf."""
    between("sigma", sigma, 0, MAX_SIGMA)
    units = np.asarray(sigmas, dtype=float)
    seen = np.isfinite(units)
    scaled = sigma * np.where(seen, units, 0.0)  # not sigma * inf, which is NaN for sigma = 0
    return Problem(Feedback(np.where(seen, np.square(scaled), np.inf)), means)
