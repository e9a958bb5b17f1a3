"""A built-in policy, as the registry holds it: two compiled functions and how to start them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.contract import Floats
from ..errors import InputError
from ..feedback import Feedback


@dataclass(frozen=True, eq=False)
class Setting:
    """What a policy may know before the first round; `horizon` is None where it is unknown."""

    feedback: Feedback
    upper: float
    horizon: int | None


@dataclass(frozen=True, eq=False)
class Prepared:
    """A policy ready to run: its numbers, and its memory before the first round."""

    parameters: Floats
    memory: Floats


@dataclass(frozen=True, eq=False)
class Rule:
    """A policy by name.

    `defaults` are its parameters; `prepare` refuses, with an InputError that names a policy to use
    instead, a feedback structure outside the policy's assumptions. `words` says what the `why` of a
    choice means. `choose`, `update` follow `engine.contract`; `run`, `record` are the loops made of
    them, in functions at module level so that numba can cache them. `rounds` says that memory[0]
    counts rounds of the policy's own, which a trace shows.
    """

    name: str
    summary: str
    source: str
    words: tuple[str, ...]
    defaults: Mapping[str, float]
    prepare: Callable[[Setting, Mapping[str, float]], Prepared]
    choose: Any
    update: Any
    run: Any
    record: Any
    rounds: bool = False


def registered(*names: str) -> str:
    """Those of the names that the registry has, in words: 'a' or 'b'; empty if it has none."""
    from . import registry  # noqa: PLC0415 - the registry imports every policy, and they this file

    return " or ".join(repr(name) for name in names if name in registry.names())


def needs_self_observation(name: str, feedback: Feedback) -> None:
    """Refuse a structure in which some action does not show itself.

    An optimistic or sampling rule plays what it is unsure about. If that does not show itself, it
    stays unsure, and plays it for ever.
    """
    blind = np.flatnonzero(~feedback.observes.diagonal())
    if len(blind):
        label = feedback.labels[blind[0]]
        sigma = "" if feedback.uniform_sigma is not None else "-sigma"
        instead = registered(f"minimax{sigma}", f"asymptotic{sigma}", "ids")
        raise InputError(
            f"policy {name!r} needs actions that show themselves, and {label!r} does not: it would "
            f"play such an action for ever without learning. Use {instead or registered('greedy')}"
            ", which does not rely on it"
        )


def in_range(
    name: str, parameters: Mapping[str, float], key: str, low: float, high: float
) -> float:
    """The parameter, if it lies in (low, high]."""
    value = parameters[key]
    if not low < value <= high:
        upper = "" if high == np.inf else f" and at most {high:g}"
        raise InputError(f"{name}:{key}={value:g} must be greater than {low:g}{upper}")
    return value
