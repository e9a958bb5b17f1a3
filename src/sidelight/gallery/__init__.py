"""Problems to start from: benchmark families and worked applications, by name.

    gallery()                                       name -> one line on each
    gallery("revealing", actions=5, gap=0.2)        the Problem
    from_recipe("revealing:actions=5,gap=0.2")      the same, from the command line
    describe("revealing")                           what it is, and what its parameters mean

A recipe is a function whose parameters all have defaults. `families` and `graphs` hold problems
from the literature, `scenarios` applications that say where their variances come from. Every recipe
also takes `means`, which replace its own: on the command line with spaces between them,
"het3:means=1 0.8 0.65".
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import overload

from ..errors import InputError, choose_from
from ..notebook import following
from ..problem import Problem
from . import families, graphs, scenarios
from .parameters import MEANS, check_types, given_means

__all__ = ["CATALOGUE", "all_parameters", "describe", "from_recipe", "gallery"]

CATALOGUE: dict[str, Callable[..., Problem]] = {
    "bandit": families.bandit,
    "full-information": families.full_information,
    "revealing": families.revealing,
    "apple-tasting": families.apple_tasting,
    "loopless": families.loopless,
    "star": families.star,
    "cliques": families.cliques,
    "cycle": families.cycle,
    "fano": families.fano,
    "het3": families.het3,
    "graded": families.graded,
    "slow-but-free": families.slow_but_free,
    "labs": families.labs,
    "trap": families.trap,
    "revealing-tie": families.revealing_tie,
    "cycle-tie": families.cycle_tie,
    "random-precisions": graphs.random_precisions,
    "erdos-renyi": graphs.erdos_renyi,
    "preferential-attachment": graphs.preferential_attachment,
    "planted-partition": graphs.planted_partition,
    "social": graphs.social,
    "dosing": scenarios.dosing,
    "rollout": scenarios.rollout,
    "test-rigs": scenarios.rigs,
    "reserve-prices": scenarios.reserve_prices,
    "promotions": scenarios.promotions,
    "off-policy": scenarios.off_policy,
    "early-readout": scenarios.early_readout,
    "judges": scenarios.judges,
    "newcomer": scenarios.newcomer,
}


@overload
def gallery() -> dict[str, str]: ...
@overload
def gallery(name: str, **parameters: object) -> Problem: ...
def gallery(name: str | None = None, **parameters: object) -> Problem | dict[str, str]:
    """The shipped problem of this name; without a name, one line on each of them.

    Parameters may also be part of the name, as on the command line: "revealing:actions=5".
    """
    if name is None:
        if parameters:
            raise InputError(f"parameters {sorted(parameters)} without a name: say which problem")
        return {known: describe(known).splitlines()[0] for known in CATALOGUE}
    bare, given = _parsed(name)
    if twice := sorted(given.keys() & parameters.keys()):
        raise InputError(f"{name}: {', '.join(twice)} is given twice: leave it out of the name")
    with following(f"making {name}") as line:
        found = _build(bare, {**given, **parameters})
        line.end = f"{name}: {len(found)} actions"
    return found


def from_recipe(text: str) -> Problem:
    """The problem that `name` or `name:parameter=value,parameter=value` describes."""
    # Not gallery(name, **parameters): a parameter called "name" must be an unknown one.
    return _build(*_parsed(text))


def all_parameters(text: str) -> tuple[str, dict[str, object]]:
    """The name in a recipe, and every parameter with its value: the given ones, and defaults."""
    name, given = _parsed(text)
    recipe = _find(name)
    known = inspect.signature(recipe).parameters
    means = {key: str(given.pop(key)) for key in (MEANS,) if key in given}
    checked = check_types(name, recipe, given)
    return name, {key: p.default for key, p in known.items()} | checked | means


def _parsed(text: str) -> tuple[str, dict[str, object]]:
    name, colon, rest = str(text).partition(":")
    parameters: dict[str, object] = {}
    for part in rest.split(",") if colon else []:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value):
            raise InputError(
                f"{text!r}: {part!r} is not parameter=value; write name:actions=5,gap=0.2"
            )
        if key in parameters:
            raise InputError(f"{text!r} gives {key!r} twice: remove one of the two")
        parameters[key] = _value(value)
    return name.strip(), parameters


def describe(name: str) -> str:
    """What the problem is, in full."""
    return inspect.getdoc(_find(name)) or ""


def _build(name: str, parameters: Mapping[str, object]) -> Problem:
    recipe = _find(name)
    own = {key: value for key, value in parameters.items() if key != MEANS}
    problem = recipe(**check_types(name, recipe, own))
    means = given_means(name, parameters[MEANS]) if MEANS in parameters else problem.means
    return dataclasses.replace(problem, means=means, name=name)


def _find(name: str) -> Callable[..., Problem]:
    recipe = CATALOGUE.get(name)
    if recipe is None:
        raise InputError(
            f"no shipped problem is called {name!r}; {choose_from(name, CATALOGUE)} "
            "(gallery() lists them all)"
        )
    return recipe


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
