"""Races put together: blocks of replicates and single policies become one `Results`.

Replicate r of a policy depends on (seed, r) alone, so that a long race may be played in blocks, by
anybody, in any order; joined, they are the race played at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..engine.contract import Floats, Ints
from ..errors import InputError
from .results import Results


def join(blocks: Iterable[Results]) -> Results:
    """One race of every policy in the parts, in the order in which they first come."""
    parts = tuple(blocks)
    if not parts:
        raise InputError("there is nothing to join")
    by_policy: dict[str, list[Results]] = {}
    for part in parts:
        _check_alike(parts[0], part)
        for name in part.policies:
            by_policy.setdefault(name, []).append(part)
    rows = [_row(name, found) for name, found in by_policy.items()]
    first, replicates = rows[0][0].first, {len(regret) for _, regret, _ in rows}
    if len(replicates) > 1 or any(part.first != first for part, _, _ in rows):
        raise InputError("the policies were not played on the same replicates")
    return Results(
        problem=parts[0].problem,
        policies=tuple(by_policy),
        checkpoints=parts[0].checkpoints,
        regret=np.stack([regret for _, regret, _ in rows]),
        plays=np.stack([plays for _, _, plays in rows]),
        seed=parts[0].seed,
        horizon=parts[0].horizon,
        provenance=_provenance(parts),
        first=first,
    )


def _row(name: str, parts: list[Results]) -> tuple[Results, Floats, Ints]:
    """The first block of a policy, and all its regrets and plays."""
    parts = sorted(parts, key=lambda part: part.first)
    for one, other in pairwise(parts):
        if one.first + one.replicates != other.first:
            raise InputError(
                f"{name}: replicates {one.first} to {one.first + one.replicates - 1} are followed "
                f"by {other.first}: a block is missing, or is there twice"
            )
    places = [part.policies.index(name) for part in parts]
    regret = np.concatenate([part.regret[p] for part, p in zip(parts, places, strict=True)])
    plays = np.concatenate([part.plays[p] for part, p in zip(parts, places, strict=True)])
    return parts[0], regret, plays


def _check_alike(one: Results, other: Results) -> None:
    same = (
        one.problem == other.problem
        and (one.seed, one.horizon) == (other.seed, other.horizon)
        and np.array_equal(one.checkpoints, other.checkpoints)
        and one.provenance.get("delay") == other.provenance.get("delay")
        and ("known_horizon" in one.provenance) == ("known_horizon" in other.provenance)
        and one.posterior == other.posterior
    )
    if not same:
        raise InputError(
            "only races on the same problem, with the same horizon (known to all policies, or to "
            "none), seed, checkpoints and delay, and means drawn in all or in none, can be joined"
        )


def _provenance(parts: Sequence[Results]) -> dict[str, Any]:
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
    }
