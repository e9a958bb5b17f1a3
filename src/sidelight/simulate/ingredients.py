"""What a race is made of. Two races of the same ingredients have the same numbers, bit by bit.

    recorded(results)         as a file of results says it
    planned(problem, ...)     as this version of sidelight would play it now
    differences(old, new)     what keeps the second race from giving the numbers of the first
    losses(results, new, n)   what is lost where n replicates of it take the place of the results

Replicates are no ingredient: replicate r depends on (seed, r) alone, so that the longer race holds
the shorter one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..engine.contract import EDITION
from ..policies.entry import fits
from ..policies.specification import Specification, rule_in
from ..problem import Problem
from .results import Results
from .simulate import check_checkpoints, name_of
from .stage import revealed
from .wait import wait_of


@dataclass(frozen=True)
class Recipe:
    """A policy by name: the edition of its code, and all its parameters as they were used.

    A policy of the caller also has a hash of its source.
    """

    edition: int | None
    parameters: Mapping[str, float]
    source: str = ""


@dataclass(frozen=True, eq=False)
class Ingredients:
    """Everything that the numbers of a race depend on; an object without a name has no recipe."""

    problem: Problem
    policies: Mapping[str, Recipe | None]
    horizon: int
    seed: int
    delay: str | None
    checkpoints: tuple[int, ...]
    first: int = 0
    engine: int | None = EDITION
    known_horizon: bool = True
    posterior: bool = False
    joined: tuple[int, ...] = ()  # the seeds, where there are several


def recorded(results: Results) -> Ingredients:
    """What these results were made of."""
    origin = results.provenance
    editions, parameters = origin.get("editions", {}), origin.get("parameters", {})
    sources = origin.get("sources", {})
    return Ingredients(
        problem=results.problem,
        policies={
            name: Recipe(
                editions.get(rule_in(name)), parameters[name], sources.get(rule_in(name), "")
            )
            if name in parameters
            else None
            for name in results.policies
        },
        horizon=results.horizon,
        seed=results.seed,
        delay=origin.get("delay"),
        checkpoints=tuple(results.checkpoints.tolist()),
        first=results.first,
        engine=editions.get("engine"),
        known_horizon="known_horizon" not in origin,
        posterior=results.posterior,
        joined=tuple(seed for seed, _, _ in results.blocks) if len(results.blocks) > 1 else (),
    )


def planned(
    problem: Problem,
    policies: Iterable[Specification],
    horizon: int,
    seed: int,
    delay: str | None = None,
    checkpoints: Iterable[int] | None = None,
) -> Ingredients:
    """What a race with these arguments would be made of now, if its means are not drawn."""
    setting, wait = revealed(problem, horizon), wait_of(delay)
    entries = {name_of(policy): fits(policy, setting) for policy in policies}
    return Ingredients(
        problem=problem,
        policies={
            n: Recipe(e.rule.edition, dict(e.parameters), e.rule.digest) for n, e in entries.items()
        },
        horizon=horizon,
        seed=seed,
        delay=None if wait is None else str(wait),
        checkpoints=tuple(check_checkpoints(checkpoints, horizon).tolist()),
    )


def differences(old: Ingredients, new: Ingredients) -> list[str]:
    """Why the new race would not give the numbers of the old one; nothing if it would."""
    return [*_of_race(old, new), *(why for name in old.policies for why in _of(name, old, new))]


def losses(old: Results, new: Ingredients, replicates: int) -> list[str]:
    """What would be lost if a race took the place of these results; nothing if it holds them."""
    said = differences(recorded(old), new)
    if not said and old.replicates > replicates:
        said.append(f"there were {old.replicates:,} replicates, and would be {replicates:,}")
    return said


def _of_race(old: Ingredients, new: Ingredients) -> Iterator[str]:
    if old.problem != new.problem:
        yield "the problem is another"
    if old.checkpoints != new.checkpoints and old.horizon == new.horizon:
        yield "the regret was taken at other rounds"
    words = {"horizon": "horizon", "seed": "seed", "delay": "delay", "first": "first replicate"}
    for key, word in words.items():
        before, now = getattr(old, key), getattr(new, key)
        if before != now:
            yield f"the {word} was {_shown(before)}, is {_shown(now)}"
    if old.joined != new.joined and old.joined:
        yield f"races with the seeds {', '.join(map(str, old.joined))} were joined"
    if old.known_horizon != new.known_horizon:
        yield f"the policies {'knew' if old.known_horizon else 'did not know'} the horizon"
    if old.posterior != new.posterior:
        yield f"the means were {'drawn' if old.posterior else 'not drawn'} for every replicate"
    if old.engine != new.engine:
        yield f"the edition of the engine was {_shown(old.engine)}, is {_shown(new.engine)}"


def _of(name: str, old: Ingredients, new: Ingredients) -> Iterator[str]:
    before, now = old.policies[name], new.policies.get(name)
    if before is None:
        yield f"{name} was an object of the caller, whose code is not recorded"
    elif now is None:
        yield f"{name} is not in the race"
    elif before.edition != now.edition:
        yield f"the edition of {name} was {_shown(before.edition)}, is {_shown(now.edition)}"
    elif before.source != now.source:
        yield f"the source of {name} was {_shown(before.source)}, is {_shown(now.source)}"
    elif before.parameters != now.parameters:
        yield f"{name} had other parameters"


def _shown(value: Any) -> str:
    return "none" if value in (None, "") else f"{value:,}" if isinstance(value, int) else str(value)
