"""Policies of the caller: found by a reference, and named by their edition and their source.

    find("ucb-n:exploration=0.5")          a built-in policy
    find("mine.py:Greedy:rate=0.1")        a class, an object or a `Rule` in a file
    find("package.module:Greedy")          the same in a module that Python finds
    find("their-name")                     what an installed package registers: an entry point of
                                           the group `sidelight.policies`

A class has `choose(self, belief, rng)`. The numbers in the signature of its constructor are its
parameters. It may declare `summary`, `edition`, `needs` and `caution(setting)`, and it may have
`choose_many` (see `belief.Beliefs`). A compiled policy is a `Rule` of two functions, as the
built-in ones are (`engine.contract`).

What is found keeps a hash of its source: the file, or the module and the modules of its own that
it imports (`sources`). A file travels to worker processes as text. A module must be installed
there, with the same source.
"""

from __future__ import annotations

import importlib
import linecache
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import InputError, choose_from
from ..sources import LOADED, digest, digest_of, parts_of_text
from . import registry
from .adopted import adopt, as_object
from .rule import Origin, Rule
from .specification import REFERENCE, Specification

GROUP = "sidelight.policies"


def find(text: str | Specification | Rule, folder: Path | None = None) -> Specification:
    """The policy that a text describes; files are looked for in `folder`, or the current one."""
    if isinstance(text, Rule):
        return Specification(_given(text))
    if isinstance(text, Specification):
        return replace(text, rule=_given(text.rule))
    if not isinstance(text, str):
        return registry.parse(text)  # refuses it
    name, colon, rest = (part.strip() for part in text.partition(":"))
    reference = REFERENCE.fullmatch(text.strip())
    if name in registry.names():
        return registry.parse(text)
    if reference is not None:
        rule = _referred(reference["place"].strip(), reference["name"], folder)
        return registry.tell(text, rule, reference["rest"])
    if name.endswith(".py"):
        raise InputError(f"{text!r}: which policy of the file? Write {name}:Name")
    point = installed().get(name)
    if point is None:
        raise InputError(f"no policy is called {name!r}; {choose_from(name, names())}")
    return registry.tell(text, _registered(name, point), rest if colon else None)


def names() -> tuple[str, ...]:
    """Every policy that has a name: the built-in ones, and those of installed packages."""
    return (*registry.names(), *(name for name in installed() if name not in registry.names()))


def installed() -> Mapping[str, EntryPoint]:
    """The entry points of installed packages, by name; nothing is imported."""
    return {point.name: point for point in sorted(entry_points(group=GROUP))}


def rebuilt(origin: Origin, given: tuple[tuple[str, float], ...]) -> Specification:
    """In a worker process: the policy with this origin.

    It does not fail here, where the error would be taken for the death of the worker, but when the
    policy is to be played.
    """
    try:
        rule = _same(origin)
    except InputError as error:
        rule = _absent(origin, str(error))
    return Specification(rule, given)


def _same(origin: Origin) -> Rule:
    if origin.text is not None:
        place, _, name = origin.reference.rpartition(":")
        rule = _in_file(place, name, origin.text)
    else:
        rule = find(origin.reference).rule
    if rule.digest != origin.digest:
        raise InputError(
            f"{origin.reference}: its source is not the same here as where the study was started: "
            "install the same version everywhere, and start again"
        )
    return rule


def _absent(origin: Origin, why: str) -> Rule:
    def refuse(*given: Any) -> Any:
        raise InputError(why)

    return Rule(origin.reference, why, "", (), {}, refuse, None, None, origin=origin)


def _given(rule: Rule) -> Rule:
    """A rule that was given as an object: a built-in one, one that was found, or a new one."""
    if rule.origin is not None or rule is _built_in(rule.name):
        return rule
    if rule.name in registry.names() or REFERENCE.fullmatch(rule.name):
        raise InputError(f"your policy is called {rule.name!r}, as another one is: rename it")
    return _adopted_once(rule)


@cache
def _adopted_once(rule: Rule) -> Rule:
    source = digest_of(str(rule.choose.__module__)) if rule.is_compiled else None
    return adopt(rule, rule.name, Origin("", source or "unknown"))


def _built_in(name: str) -> Rule | None:
    return registry.rule(name) if name in registry.names() else None


def _referred(place: str, name: str, folder: Path | None) -> Rule:
    if not place.endswith(".py"):
        return _in_module(place, name)
    path = (folder or Path()) / place
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    return _in_file(place, name, text)


@cache
def _in_file(place: str, name: str, text: bytes) -> Rule:
    """The policy in the text of a file, which is executed once."""
    found = digest(parts_of_text(text))
    reference = f"{place}:{name}"
    module = _execute(place, text, found)
    origin = Origin(reference, found, text)
    return adopt(_attribute(module, name, place), reference, origin)


def _execute(place: str, text: bytes, found: str) -> ModuleType:
    name = f"{LOADED}{found}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = place
    sys.modules[name] = module  # classes look their module up
    try:
        source = text.decode("utf-8-sig")
        linecache.cache[place] = len(source), None, source.splitlines(keepends=True), place
        exec(compile(source, place, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InputError(f"{place}: {_why(error)}") from error
    return module


def _in_module(place: str, name: str) -> Rule:
    if not all(part.isidentifier() for part in place.split(".")):
        raise InputError(f"{place!r} is no module: write package.module:Name or file.py:Name")
    return _from_module(place, name, f"{place}:{name}")


@cache
def _registered(name: str, point: EntryPoint) -> Rule:
    return _from_module(point.module, point.attr, name)


@cache
def _from_module(place: str, name: str, reference: str) -> Rule:
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)  # last: a module of the caller hides no other
    try:
        found = digest_of(place)  # before the module is imported, so that both are of one moment
        module = importlib.import_module(place)
    except (Exception, SystemExit) as error:
        raise InputError(f"{reference}: the module {place!r}: {_why(error)}") from error
    origin = Origin(reference, found or "unknown")
    return adopt(_attribute(module, name, reference), reference, origin)


def _attribute(module: ModuleType, name: str, where: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            policies = [key for key, x in vars(module).items() if as_object(x, module.__name__)]
            raise InputError(f"{where}: has no policy {name!r}; {choose_from(name, policies)}")
    return found


def _why(error: BaseException) -> str:
    """What went wrong in code of the caller, in words."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8: save it as UTF-8"
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    line, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith("<frozen") and file not in (__file__, importlib.__file__):
            line = f"line {trace.tb_lineno} of {Path(file).name}: "
        trace = trace.tb_next
    return f"{line}{type(error).__name__}: {error}"
