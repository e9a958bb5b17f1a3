"""Races put together: blocks of replicates and single policies become one `Results`.

Replicate r of a policy depends on (seed, r) alone, so that a long race may be played in blocks, by
anybody, in any order; joined, they are the race played at once. Replicates of another seed are
independent of these and can be joined, too; no race plays them at once, and the results say of
which blocks they are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..engine.contract import Floats, Ints
from ..errors import InputError
from .results import Results

Blocks = tuple[tuple[int, int, int], ...]  # (seed, first replicate, replicates)


def join(blocks: Results | Iterable[Results]) -> Results:
    """One race of every policy in the parts, in the order in which they first come.

    The parts are on the same problem, with the same horizon and checkpoints, and played by the
    same editions of the policies. They differ in policies, replicates (`first`) or seeds.

    >>> import sidelight as sl
    >>> race = {"problem": sl.gallery("bandit"), "policies": "greedy", "horizon": 50, "seed": 1}
    >>> parts = [sl.simulate(**race, replicates=4, first=first) for first in (0, 4)]
    >>> whole = sl.simulate(**race, replicates=8)
    >>> bool((sl.join(parts).regret == whole.regret).all())
    True
    """
    given = (blocks,) if isinstance(blocks, Results) else tuple(blocks)
    for part in given:
        if not isinstance(part, Results):
            raise InputError(f"join takes Results, not a {type(part).__name__}: load files first")
    parts = tuple(piece for part in given for piece in _pieces(part))
    if not parts:
        raise InputError("there is nothing to join")
    by_policy: dict[str, list[Results]] = {}
    for part in parts:
        _check_alike(parts[0], part)
        for name in part.policies:
            by_policy.setdefault(name, []).append(part)
    _check_code(parts)
    rows = [_row(name, found) for name, found in by_policy.items()]
    made_of = rows[0][0]
    if any(own != made_of for own, _, _ in rows):
        raise InputError("the policies were not played on the same replicates")
    return Results(
        problem=parts[0].problem,
        policies=tuple(by_policy),
        checkpoints=parts[0].checkpoints,
        regret=np.stack([regret for _, regret, _ in rows]),
        plays=np.stack([plays for _, _, plays in rows]),
        seed=made_of[0][0],
        horizon=parts[0].horizon,
        provenance=_provenance(parts, made_of),
        first=made_of[0][1],
    )


def _pieces(results: Results) -> Iterator[Results]:
    """The results, block by block, each with one seed."""
    if len(results.blocks) == 1:
        yield results
        return
    origin = {key: value for key, value in results.provenance.items() if key != "blocks"}
    ends = accumulate(count for _, _, count in results.blocks)
    for (seed, first, count), end in zip(results.blocks, ends, strict=True):
        runs = slice(end - count, end)
        regret, plays = results.regret[:, runs], results.plays[:, runs]
        yield replace(
            results, regret=regret, plays=plays, seed=seed, first=first, provenance=origin
        )


def _row(name: str, parts: list[Results]) -> tuple[Blocks, Floats, Ints]:
    """The blocks of a policy, joined where one goes on where another ends, and its numbers."""
    parts = sorted(parts, key=lambda part: (part.seed, part.first))
    for one, other in pairwise(parts):
        if one.seed == other.seed and one.first + one.replicates != other.first:
            raise InputError(
                f"{name}: replicates {one.first} to {one.first + one.replicates - 1} are followed "
                f"by {other.first}: a block is missing, or is there twice"
            )
    seeds = dict.fromkeys(part.seed for part in parts)
    grouped = [[part for part in parts if part.seed == seed] for seed in seeds]
    blocks = tuple((g[0].seed, g[0].first, sum(part.replicates for part in g)) for g in grouped)
    places = [part.policies.index(name) for part in parts]
    regret = np.concatenate([part.regret[p] for part, p in zip(parts, places, strict=True)])
    plays = np.concatenate([part.plays[p] for part, p in zip(parts, places, strict=True)])
    return blocks, regret, plays


def _check_alike(one: Results, other: Results) -> None:
    same = (
        one.problem == other.problem
        and one.horizon == other.horizon
        and np.array_equal(one.checkpoints, other.checkpoints)
        and one.provenance.get("delay") == other.provenance.get("delay")
        and ("known_horizon" in one.provenance) == ("known_horizon" in other.provenance)
        and one.posterior == other.posterior
    )
    if not same:
        raise InputError(
            "only races on the same problem, with the same horizon (known to all policies, or to "
            "none), checkpoints and delay, and means drawn in all or in none, can be joined"
        )
    if one.posterior and one.seed != other.seed:
        raise InputError(
            f"the means were drawn with the seeds {one.seed} and {other.seed}: join races over "
            "drawn means that have one seed, and number their replicates with `first`"
        )


def _check_code(parts: Sequence[Results]) -> None:
    """Refuse the same policy with two editions, sources or parameters: they play differently."""
    words = {"editions": "edition", "sources": "source", "parameters": "parameters"}
    for key, word in words.items():
        known: dict[str, Any] = {}
        for part in parts:
            for name, value in part.provenance.get(key, {}).items():
                if known.setdefault(name, value) != value:
                    raise InputError(
                        f"{name} was played with the {word} {known[name]} and {value}: only races "
                        "of the same code can be joined; play one of them again"
                    )


def _provenance(parts: Sequence[Results], made_of: Blocks) -> dict[str, Any]:
    """What is said once is that of the first part; the rest is said for each policy."""

    def of_all(key: str) -> dict[str, Any]:
        return {name: said for x in parts for name, said in x.provenance.get(key, {}).items()}

    first = parts[0].provenance
    return {
        "versions": first.get("versions"),
        "editions": of_all("editions"),
        "parameters": of_all("parameters"),
        "delay": first.get("delay"),
        "remarks": of_all("remarks"),
        **{key: first[key] for key in ("known_horizon", "means") if key in first},
        **({"sources": sources} if (sources := of_all("sources")) else {}),
        **({"blocks": [list(block) for block in made_of]} if len(made_of) > 1 else {}),
    }
