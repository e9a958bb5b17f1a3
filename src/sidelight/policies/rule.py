"""A built-in policy, as the registry holds it: two compiled functions and how to start them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..engine.contract import Floats
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
    them, in functions at module level so that numba can cache them.
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
