"""Races as one frame: a row for each policy of each race, a column for everything that made it.

Parameters of a recipe are read from the name of its problem, `star:hub_gap=0.2`, and believed only
if that recipe gives that very problem: a problem from a file may have any name. Parameters of a
policy are those that were used, defaults included, as the results have recorded them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..curves import curves
from ..errors import InputError
from ..gallery import CATALOGUE, all_parameters, from_recipe
from ..markup import to_csv
from ..problem import Problem
from ..simulate import Results

if TYPE_CHECKING:
    from ..tabular import pl
    from .plan import Study

BOUNDS = ("finite_time", "general", "minimax")
RECIPE, POLICY, BOUND = "recipe.", "policy.", "bound."
# The order of the columns; parameters and bounds stand where their prefix does.
FACTS = ("problem", "recipe", RECIPE, "actions", "policy", "rule", POLICY, "horizon", "seed")
NUMBERS = ("mean_regret", "standard_error", "median", "q05", "q95", "q99", "most")
ORDER = (*FACTS, "replicates", "delay", *NUMBERS, BOUND)


def frame(races: Iterable[Results], bounds: bool = True) -> pl.DataFrame:
    """One row for each policy of each race."""
    return _framed([row for race in races for row in _rows(race, bounds)])


def csv(races: Iterable[Results]) -> str:
    """The same as CSV, without bounds, and without polars."""
    rows = [row for race in races for row in _rows(race, bounds=False)]
    columns = _columns(rows)
    return to_csv(columns, [[row.get(key) for key in columns] for row in rows])


def planned(study: Study) -> pl.DataFrame:
    """The frame that a study would give, with regrets of 0: to check a figure before the work."""
    rows = [
        {
            **_facts(race.problem, str(policy), policy.parameters, race.horizon),
            **dict.fromkeys(NUMBERS, 0.0),
        }
        for race in study.races
        for policy in race.policies
    ]
    return _framed(rows)


def _framed(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    from ..tabular import pl  # noqa: PLC0415 - slow to import

    return pl.DataFrame(
        {
            key: pl.Series(key, [row.get(key) for row in rows], strict=False)
            for key in _columns(rows)
        }
    )


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    given = dict.fromkeys(key for row in rows for key in row)
    return [key for place in ORDER for key in given if _belongs(key, place)]


def _facts(
    problem: Problem, policy: str, parameters: Mapping[str, float], horizon: int
) -> dict[str, Any]:
    """What a row is made of."""
    from ..policies.specification import rule_in  # noqa: PLC0415 - imports numba

    return {
        "problem": problem.name,
        **_recipe(problem),
        "actions": len(problem),
        "policy": policy,
        "rule": rule_in(policy),
        **{f"{POLICY}{key}": value for key, value in parameters.items()},
        "horizon": horizon,
    }


def _belongs(key: str, place: str) -> bool:
    return key.startswith(place) if place.endswith(".") else key == place


def _rows(race: Results, bounds: bool) -> Iterable[dict[str, Any]]:
    limits = _bounds(race) if bounds else {}
    used = race.provenance.get("parameters", {})
    for row in race.table().rows:
        yield {
            **_facts(race.problem, row.policy, used.get(row.policy, {}), race.horizon),
            "seed": race.seed if len(race.blocks) == 1 else None,
            "replicates": race.replicates,
            "delay": race.provenance.get("delay"),
            "mean_regret": row.mean,
            "standard_error": None if race.replicates == 1 else row.error,
            **{key: getattr(row, key) for key in NUMBERS[2:]},
            **limits,
        }


def _recipe(problem: Problem) -> Mapping[str, Any]:
    """The recipe of a problem and all its parameters; nothing where it has none."""
    if problem.name.partition(":")[0].strip() not in CATALOGUE:
        return {"recipe": None}
    try:
        name, parameters = all_parameters(problem.name)
        same = replace(from_recipe(problem.name), name=problem.name) == problem
    except InputError:
        same = False
    if not same:
        return {"recipe": None}
    return {"recipe": name, **{f"{RECIPE}{key}": value for key, value in parameters.items()}}


def _bounds(race: Results) -> dict[str, float | None]:
    """Bounds at the horizon; none where every replicate has means of its own."""
    if race.posterior:
        return {f"{BOUND}{name}": None for name in BOUNDS}
    found = curves(race.problem, [race.horizon], names=BOUNDS)
    return {
        f"{BOUND}{curve.name}": float(curve.values[0]) if curve.valid[0] else None
        for curve in found
    }
