"""The worst means that a search finds for the main policies, over what nobody can avoid losing.

For each feedback of the suite with at most ten actions, `worst_case` searches for the means in the
range at which a policy loses most, and `bounds.minimax_computed` says what every policy loses on
some means. Their ratio says how far the policy may be from the best one on its worst problem. It is
an estimate from below, up to its error: there may be worse means that the search did not find.

A finished search is a file, named by a hash of all that its result depends on, so that an
interrupted suite goes on. The searches themselves have no edition: their source is part of that.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import bounds, files, worst, writing
from ..engine import contract
from ..gallery import from_recipe
from ..problem import Problem
from ..study.cells import key_of
from ..variances import Array
from .cells import DEFAULT, HORIZONS, RECIPES, SEED

if TYPE_CHECKING:
    from ..policies.specification import Specification

MAIN = (DEFAULT, "ts-n", "ucb-n", "asymptotic-sigma", "commit", "index", "minimax")
# The default alone also over ten times as many rounds.
ROUNDS = {HORIZONS[0]: MAIN, HORIZONS[1]: (DEFAULT,)}
RUNS = 2_000
MOST_ACTIONS = 10
FOLDER = "searches"


def _sources() -> str:
    """The code of the search, and of the proof whose means it tries first."""
    proof = [sys.modules[f"{bounds.__name__}.{name}"] for name in ("exact_pairs", "hard_pairs")]
    return "".join(map(inspect.getsource, (worst, *proof)))


@dataclass(frozen=True, eq=False)
class Search:
    """What to search for; the means of the problem play no part."""

    recipe: str
    problem: Problem
    policy: Specification
    horizon: int
    runs: int

    @cached_property
    def ingredients(self) -> Mapping[str, Any]:
        """Everything that the result depends on."""
        feedback = files.to_json(self.problem.feedback.to_document(), "variance")
        return {
            "feedback": hashlib.sha256(feedback.encode()).hexdigest()[:32],
            "upper": self.problem.upper,
            "policy": str(self.policy),
            "edition": self.policy.edition,
            "engine": contract.EDITION,
            "horizon": self.horizon,
            "runs": self.runs,
            "seed": SEED,
            "search": hashlib.sha256(_sources().encode()).hexdigest()[:32],
        }

    def compute(self) -> dict[str, Any]:
        """The content of the file."""
        known = self.problem
        found = worst.worst_case(
            self.policy, known.feedback, known.upper, self.horizon, SEED, self.runs
        )
        return {
            "made of": self.ingredients,
            "value": found.value,
            "error": found.error,
            "means": found.means.tolist(),
        }


@dataclass(frozen=True)
class Found:
    """The worst means found for one policy, and what it loses there."""

    recipe: str
    policy: str
    horizon: int
    runs: int
    value: float
    error: float
    lower: float

    @property
    def ratio(self) -> float:
        """How many times what nobody can avoid losing."""
        return _over(self.value, self.lower)

    @property
    def ratio_error(self) -> float:
        """The standard error of the loss, in the same units."""
        return _over(self.error, self.lower)


def _over(a: float, b: float) -> float:
    return a / b if b > 0 else np.inf


def searches(
    recipes: Sequence[str] = RECIPES,
    rounds: Mapping[int, Sequence[str]] = ROUNDS,
    runs: int = RUNS,
) -> Iterator[Search]:
    """One for each feedback that is small enough, horizon, and built-in policy that can run."""
    from ..policies import own  # noqa: PLC0415 - imports numba
    from ..policies.entry import fitting  # noqa: PLC0415
    from ..setting import Setting  # noqa: PLC0415

    known: dict[tuple[Any, float], tuple[str, Problem]] = {}
    for recipe in recipes:
        problem = from_recipe(recipe)
        if 1 < len(problem) <= MOST_ACTIONS:
            known.setdefault((problem.feedback, problem.upper), (recipe, problem))
    for horizon, policies in rounds.items():
        named = [found for found in map(own.find, policies) if found.rule.origin is None]
        for recipe, problem in known.values():
            setting = Setting(problem.feedback, problem.upper, horizon)
            for policy in fitting(named, setting)[0]:
                yield Search(recipe, problem, policy, horizon, runs)


def searched(
    planned: Sequence[Search], folder: Path, watch: Callable[[int, int], object]
) -> list[Found]:
    """What was found, from files where there are any; `watch` hears how many are done, of all."""
    place = folder / FOLDER
    writing.make_folder(place)
    found = []
    for done, search in enumerate(planned):
        watch(done, len(planned))
        path = place / f"{key_of(search.ingredients)}.json"
        content = _read(path, search)
        if content is None:
            content = search.compute()
            writing.save(path, json.dumps(content).encode())
        lower = bounds.minimax_computed(
            search.problem.feedback, search.problem.upper, search.horizon
        )
        loss = content["value"], content["error"], lower.value
        found.append(Found(search.recipe, str(search.policy), search.horizon, search.runs, *loss))
    return found


def _read(path: Path, search: Search) -> dict[str, Any] | None:
    """The content of a finished file; None where it is missing, damaged or of another search."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    same = isinstance(content, dict) and content.get("made of") == search.ingredients
    return content if same and {"value", "error"} <= set(content) else None


def ratios_to_lower(found: Sequence[Found]) -> tuple[list[str], list[str], Array]:
    """Feedbacks with horizons, policies, and the ratios; NaN where a policy cannot run."""
    rows = list(dict.fromkeys((x.recipe, x.horizon) for x in found))
    names = list(dict.fromkeys(x.policy for x in found))
    table = np.full((len(rows), len(names)), np.nan)
    for x in found:
        table[rows.index((x.recipe, x.horizon)), names.index(x.policy)] = x.ratio
    return [f"{name}, {T:.0e}".replace("e+0", "e") for name, T in rows], names, table
