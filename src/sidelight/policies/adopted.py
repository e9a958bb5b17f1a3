"""A class or an object of the caller as a `Rule`: its parameters, its needs, its own words.

    adopt(found, name, origin)      the rule, under this name
    blaming(rule)                   errors of compiled functions of the caller become ours

A compiled `choose` of the caller is checked in every round: an action that there is not would
write into memory that belongs to others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from ..compiled import inlined
from ..errors import InputError, PolicyError, SidelightError, choose_from
from ..setting import Setting
from .needs import Need
from .rule import Origin, Prepared, Rule

CHOSEN = "chosen"  # the word for a choice of the caller's own policy


def adopt(found: Any, name: str, origin: Origin) -> Rule:
    """The rule of a class, an object, or a compiled rule of the caller."""
    if isinstance(found, Rule):
        return replace(found, name=name, choose=guarded(found.choose), origin=origin)
    if not callable(getattr(found, "choose", None)):
        raise InputError(
            f"{name}: {found!r} is no policy: give a class or an object with "
            "choose(self, belief, rng), or a compiled Rule"
        )
    make = _maker(found, name)
    defaults = _defaults(found, name) if inspect.isclass(found) else {}

    def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
        return Prepared(np.empty(0), np.empty(0), made=make(parameters))

    def caution(setting: Setting, parameters: Mapping[str, float]) -> str:
        said = getattr(make(parameters), "caution", "")
        return _text(said(setting) if callable(said) else said, f"{name}: caution")

    return Rule(
        name=name,
        summary=_summary(found, name),
        source=origin.reference,
        words=(CHOSEN,),
        defaults=defaults,
        prepare=prepare,
        choose=None,
        update=None,
        needs=tuple(_need(need, name) for need in getattr(found, "needs", ())),
        caution=caution,
        edition=_edition(getattr(found, "edition", 1), name),
        origin=origin,
    )


def guarded(choose: Any) -> Any:
    """The same choice, refused where there is no such action."""

    @inlined
    def choose_checked(t, belief, known, parameters, memory, stream):
        action, why = choose(t, belief, known, parameters, memory, stream)
        if action < 0 or action >= belief.plays.size:
            raise IndexError("choose returned an action that there is not")
        return np.int64(action), why

    return choose_checked


@contextmanager
def blaming(rule: Rule) -> Iterator[None]:
    """Say in a sentence what a compiled policy of the caller does wrong."""
    try:
        yield
    except NumbaError as error:
        if rule.origin is None:
            raise
        raise InputError(f"{rule.name} cannot be compiled: {_first_words(error)}") from error
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        if rule.origin is None or isinstance(error, SidelightError):
            raise
        raise PolicyError(f"policy {rule.name!r}: {type(error).__name__}: {error}") from error


def _first_words(error: Exception) -> str:
    """What numba says, without its advice; the place in the source is what helps."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    places = [line for line in lines if line.startswith("File ")]
    said = [line for line in lines if not line.startswith(("File ", "Failed in", "-", "During"))]
    return " ".join([*said[:1], *places[-1:]])[:400]


def as_object(found: Any, module: str) -> bool:
    """Whether this is a policy, as far as one can see, that the module itself defines."""
    if isinstance(found, Rule):
        return True
    kind = found if inspect.isclass(found) else type(found)
    return kind.__module__ == module and callable(getattr(found, "choose", None))


def _maker(found: Any, name: str) -> Callable[[Mapping[str, float]], Any]:
    if not inspect.isclass(found):
        return lambda parameters: found

    def make(parameters: Mapping[str, float]) -> Any:
        given = {key: _as_declared(found, name, key, x) for key, x in parameters.items()}
        try:
            return found(**given)
        except Exception as error:
            said = ",".join(f"{key}={value}" for key, value in given.items())
            raise InputError(f"{name}: {found.__name__}({said}): {error}") from error

    return make


def _parameters(found: type) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(found).parameters
    except (TypeError, ValueError):
        return {}


def _defaults(found: type, name: str) -> dict[str, float]:
    """The numbers in the signature of the constructor."""
    defaults = {}
    for key, parameter in _parameters(found).items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty or parameter.kind is parameter.POSITIONAL_ONLY:
            raise InputError(
                f"{name}: the parameter {key!r} of {found.__name__} needs a default, so that the "
                "policy can be made by name"
            )
        if isinstance(parameter.default, bool | int | float):
            defaults[key] = float(parameter.default)
    return defaults


def _as_declared(found: type, name: str, key: str, value: float) -> bool | int | float:
    """A parameter as the kind of number that its default is."""
    default = _parameters(found)[key].default
    if isinstance(default, bool):
        if value not in (0.0, 1.0):
            raise InputError(f"{name}:{key}={value:g} is a switch: write {key}=1 or {key}=0")
        return bool(value)
    if isinstance(default, int):
        if not float(value).is_integer():
            raise InputError(f"{name}:{key}={value:g} must be a whole number")
        return int(value)
    return value


def _summary(found: Any, name: str) -> str:
    said = getattr(found, "summary", None)
    if said is None:
        kind = found if inspect.isclass(found) else type(found)
        lines = (kind.__doc__ or "").strip().splitlines()
        said = lines[0].rstrip(".") if lines else ""
    return _text(said, f"{name}: summary")


def _text(said: object, what: str) -> str:
    if not isinstance(said, str):
        raise InputError(f"{what} = {said!r} must be a text")
    return said


def _edition(number: object, name: str) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise InputError(f"{name}: edition = {number!r} must be a whole number, such as 1")
    return number


def _need(need: object, name: str) -> Need:
    """A need, or its words."""
    try:
        return Need(str(need))
    except ValueError:
        raise InputError(f"{name}: needs {need!r}; {choose_from(need, Need)}") from None
