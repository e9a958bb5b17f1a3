"""A policy, as the registry holds it: two compiled functions and how to start them.

A policy of the caller (`own`) is a rule, too: of compiled functions that are written like ours, or
of a Python object with `choose(belief, rng)`, which `Prepared` holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..engine.contract import Floats
from ..engine.runner import make_run, no_again, no_promise
from ..errors import InputError
from ..setting import Setting
from .needs import Need


def no_caution(setting: Setting, parameters: Mapping[str, float]) -> str:
    """Nothing to warn of."""
    return ""


@dataclass(frozen=True, eq=False)
class Prepared:
    """A policy ready to begin: its numbers, and its memory before the first round.

    `resolved` has the parameters whose default depends on the setting, as they are used. All of it
    is plain Python, so that one can ask whether a policy fits a setting without compiling it.
    """

    parameters: Floats
    memory: Floats
    resolved: Mapping[str, float] = field(default_factory=dict)
    made: Any = None  # the object that decides, where the policy is not compiled


@dataclass(frozen=True)
class Origin:
    """Where a policy of the caller comes from, and a hash of its source.

    `reference` finds it again: "file.py:Name", "package.module:Name", or the name under which an
    installed package registers it; "" where it was given as an object. `text` is the source of a
    file, which travels to the workers of a study.
    """

    reference: str
    digest: str
    text: bytes | None = None


@dataclass(frozen=True, eq=False)
class Rule:
    """A policy by name.

    `defaults` are its parameters; `choices` lists the words of those that take one, which stand for
    0, 1, ...; `prepare` turns them into numbers for compiled code. `words` says what the `why` of a
    choice means. `choose`, `update`, `promise`, `again` and `starts` follow `engine.contract`.
    `rounds` says that memory[0] counts rounds of the policy's own, which a trace shows. `needs` are
    declared, printed in tables, and checked by `needs.check` before `prepare`. `prepare` raises an
    error for a setting that it cannot use; where it takes long, `refuse` raises the same error at
    once, and does nothing else. `caution` says in one sentence, where it is so, that the regret may
    be linear on a structure that the policy accepts. `edition` is raised when the policy decides
    otherwise than before, so that old outcomes are not taken for its own. A policy of the caller
    has an `origin`; if it is a Python object, it has no `choose` and `update`.
    """

    name: str
    summary: str
    source: str
    words: tuple[str, ...]
    defaults: Mapping[str, float]
    prepare: Callable[[Setting, Mapping[str, float]], Prepared]
    choose: Any
    update: Any
    promise: Any = no_promise
    again: Any = no_again
    starts: bool = False
    rounds: bool = False
    needs: tuple[Need, ...] = ()
    refuse: Callable[[Setting, Mapping[str, float]], None] | None = None
    caution: Callable[[Setting, Mapping[str, float]], str] = no_caution
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    edition: int = 1
    origin: Origin | None = None

    @property
    def digest(self) -> str:
        """A hash of the source of a policy of the caller; "" for a built-in one."""
        return "" if self.origin is None else self.origin.digest

    @property
    def is_compiled(self) -> bool:
        """Whether the policy is compiled functions, not a Python object."""
        return self.choose is not None

    @cached_property
    def run(self) -> Any:
        """The compiled loop of the simulator, made of these four functions."""
        return make_run(self.choose, self.update, self.promise, self.again, self.starts)


# Limits of parameters without a natural one: beyond them sums may vanish and products overflow.
LEAST, MOST = 1e-12, 1e12


def in_range(
    name: str, parameters: Mapping[str, float], key: str, low: float, high: float
) -> float:
    """The parameter, if it lies in (low, high]."""
    value = parameters[key]
    if not low < value <= high:
        raise InputError(
            f"{name}:{key}={value:g} must be greater than {low:g} and at most {high:g}"
        )
    return value


def from_zero(name: str, parameters: Mapping[str, float], key: str, high: float) -> float:
    """The parameter, if it lies in [0, high]."""
    value = parameters[key]
    if not 0 <= value <= high:
        raise InputError(f"{name}:{key}={value:g} must lie between 0 and {high:g}")
    return value


def switch(name: str, parameters: Mapping[str, float], key: str) -> float:
    """The parameter, if it is 0 (off) or 1 (on)."""
    value = parameters[key]
    if value not in (0.0, 1.0):
        raise InputError(f"{name}:{key}={value:g} is a switch: write {key}=1 (on) or {key}=0 (off)")
    return value
