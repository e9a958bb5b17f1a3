"""Whether commands can make the numbers of a page again, and if not, why.

A page claims it only where everything that the numbers depend on is on the page and in this version
of sidelight: policies that are registered, in the edition that played, with the parameters that
were used; a problem that a file gives back unchanged; rounds and replicates that a command can ask
for. And the first replicate is played again: replicate r depends on (seed, r) alone, so that a file
whose numbers were changed, or that other code made, is found out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .. import files
from ..errors import InputError
from ..notebook import silent
from ..problem import Problem, from_document
from ..simulate import Results, simulate


def obstacles(races: Sequence[Results], study: bool) -> list[str]:
    """Why no command gives these results; nothing if one does.

    A study file may ask for checkpoints; the command for a single race takes the usual ones.
    """
    said = [why for results in races for why in _of(results, study)]
    return list(dict.fromkeys(said))


def _of(results: Results, study: bool) -> list[str]:
    from ..policies.own import find  # noqa: PLC0415 - imports numba
    from ..simulate.ingredients import differences, planned, recorded  # noqa: PLC0415

    own = recorded(results)
    foreign = [name for name, recipe in own.policies.items() if recipe is None]
    if foreign:
        return [f"{', '.join(foreign)}: an object of the caller, whose code is not recorded here"]
    try:
        again = planned(
            _read_back(results.problem),
            map(find, results.policies),
            results.horizon,
            results.seed,
            own.delay,
            own.checkpoints if study else None,
        )
    except InputError as error:
        return [f"this version of sidelight refuses it ({error})"]
    again = replace(again, posterior=own.posterior)  # the command says it as the page does
    return differences(own, again) or _played_otherwise(results)


def _played_otherwise(results: Results) -> list[str]:
    """Whether the first replicate, played now, has other numbers than on record."""
    now = simulate(
        results.problem,
        results.policies,
        results.horizon,
        1,
        seed=results.seed,
        checkpoints=results.checkpoints.tolist(),
        delay=results.provenance.get("delay"),
        first=results.first,
        means="posterior" if results.posterior else None,
        progress=silent,
    )
    same = np.array_equal(now.regret, results.regret[:, :1])
    if same and np.array_equal(now.plays, results.plays[:, :1]):
        return []
    return [f"replicate {results.first}, played again, has other numbers than on record"]


def _read_back(problem: Problem) -> Problem:
    """The problem in the file that the page offers."""
    text = files.to_toml(problem.to_document())
    found = from_document(files.from_toml(text.encode()))
    assert isinstance(found, Problem)
    return found
