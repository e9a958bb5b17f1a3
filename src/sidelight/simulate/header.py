"""What a file of results says about itself, as JSON: everything that is needed to get it again.

    format, policies, first, replicates, horizon, seed, checkpoints, problem
    provenance      versions, parameters, delay, remarks, editions, hashes of the sources of
                    policies that are the caller's; in a study the name of the cell; where means
                    were drawn, that they were; where several seeds were joined, the blocks

It is checked once, here, when it is read and before it is written: pages and tables trust it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .. import files
from ..document import from_table
from ..errors import DamagedError, InputError
from ..labels import check_name
from ..problem import Problem, from_document
from ..setting import MAX_HORIZON
from . import fields
from .simulate import MAX_REPLICATES
from .wait import wait_of

if TYPE_CHECKING:
    from .results import Results

FORMAT = 1


class OtherFormatError(InputError):
    """The file was written by another version of sidelight."""


@dataclass(frozen=True, eq=False)
class Header:
    """The fields of `Results`, but for the numbers themselves."""

    problem: Problem
    policies: tuple[str, ...]
    first: int
    replicates: int
    horizon: int
    seed: int
    checkpoints: tuple[int, ...]
    provenance: Mapping[str, Any]


def to_table(results: Results) -> dict[str, Any]:
    """The header of these results."""
    return {
        "format": FORMAT,
        "policies": list(results.policies),
        "first": results.first,
        "replicates": results.regret.shape[1],
        "horizon": results.horizon,
        "seed": results.seed,
        "checkpoints": results.checkpoints.tolist(),
        "problem": json.loads(files.to_json(results.problem.to_document())),
        "provenance": _plain(results.provenance),
    }


def parse(value: object) -> Header:
    """The header in a table; `DamagedError` names what is not as `to_table` wrote it."""
    found = fields.table(value, "the header")
    _check_format(found)
    names = [fields.text(x, "a policy") for x in fields.items(found.get("policies"), "policies")]
    if not names or len(set(names)) < len(names):
        raise DamagedError("policies must be names, all of them different")
    first = fields.whole(found.get("first"), "first", 0, MAX_REPLICATES - 1)
    horizon = fields.whole(found.get("horizon"), "horizon", 1, MAX_HORIZON)
    problem, provenance = _problem(found.get("problem")), _provenance(found.get("provenance"))
    if "means" in provenance and (provenance["means"] != "posterior" or problem.errors is None):
        raise DamagedError("means is not as a race writes it")
    return Header(
        problem=problem,
        policies=tuple(check_name(name, "a policy") for name in names),
        first=first,
        replicates=fields.whole(found.get("replicates"), "replicates", 1, MAX_REPLICATES - first),
        horizon=horizon,
        seed=fields.whole(found.get("seed"), "seed", 0),
        checkpoints=_checkpoints(found.get("checkpoints"), horizon),
        provenance=provenance,
    )


def _check_format(found: dict[str, Any]) -> None:
    written = fields.whole(found.get("format"), "format", 1)
    if written != FORMAT:
        origin = fields.table(found.get("provenance"), "provenance")
        versions = fields.table(origin.get("versions"), "versions")
        raise OtherFormatError(
            f"the file has format {written}, this version reads {FORMAT}: it was written by "
            f"sidelight {fields.text(versions.get('sidelight'), 'versions.sidelight')}"
        )


def _problem(value: object) -> Problem:
    problem = from_document(from_table(fields.table(value, "problem")), "the problem")
    if not isinstance(problem, Problem):
        raise DamagedError("the problem has no means")
    fields.text(problem.name, "the name of the problem")
    return problem


def _checkpoints(value: object, horizon: int) -> tuple[int, ...]:
    rounds = tuple(
        fields.whole(t, "a checkpoint", 1, horizon) for t in fields.items(value, "checkpoints")
    )
    if not rounds or rounds[-1] != horizon or any(s >= t for s, t in pairwise(rounds)):
        raise DamagedError("checkpoints must increase, and end with the horizon")
    return rounds


def _provenance(value: object) -> dict[str, Any]:
    """Every part that anybody reads is checked; what else there is stays as it is."""
    found = fields.table(value, "provenance")
    versions = fields.table(found.get("versions"), "versions")
    parameters = fields.table(found.get("parameters"), "parameters")
    remarks = fields.table(found.get("remarks", {}), "remarks")
    editions = fields.table(found.get("editions", {}), "editions")
    checked = {
        "versions": {k: fields.text(v, f"versions.{k}") for k, v in versions.items()},
        "parameters": {name: _parameters(given, name) for name, given in parameters.items()},
        "delay": _delay(found.get("delay")),
        "remarks": {name: _remarks(said, name) for name, said in remarks.items()},
    }
    if "editions" in found:
        checked["editions"] = {k: fields.whole(n, f"editions.{k}", 0) for k, n in editions.items()}
    if "sources" in found:  # written only where a policy is the caller's
        sources = fields.table(found["sources"], "sources")
        checked["sources"] = {k: fields.text(x, f"sources.{k}") for k, x in sources.items()}
    if found.get("known_horizon", False) is not False:  # written only where it is not known
        raise DamagedError("known_horizon is not as a race writes it")
    if "blocks" in found:  # written only where several seeds were joined
        checked["blocks"] = _blocks(found["blocks"])
    if "cell" in found:
        fields.text(found["cell"], "provenance.cell")
    return {**found, **checked}


def _blocks(value: object) -> list[list[int]]:
    blocks = [fields.items(block, "a block") for block in fields.items(value, "blocks")]
    if len(blocks) < 2 or any(len(block) != 3 for block in blocks):
        raise DamagedError("blocks must be (seed, first, replicates), two or more of them")
    return [
        [
            fields.whole(seed, "the seed of a block", 0),
            fields.whole(first, "the first replicate of a block", 0, MAX_REPLICATES - 1),
            fields.whole(count, "the replicates of a block", 1, MAX_REPLICATES),
        ]
        for seed, first, count in blocks
    ]


def _parameters(value: object, name: str) -> dict[str, float]:
    given = fields.table(value, f"the parameters of {name}")
    return {key: fields.number(x, f"the parameter {key} of {name}") for key, x in given.items()}


def _remarks(value: object, name: str) -> list[str]:
    return [fields.text(x, f"a remark on {name}") for x in fields.items(value, f"remarks.{name}")]


def _delay(value: object) -> str | None:
    if value is None:
        return None
    given = fields.text(value, "delay")
    if str(wait_of(given)) != given:
        raise DamagedError(f"delay is {given!r}, which is not as a race writes it")
    return given


def _plain(value: Any) -> Any:
    """Provenance as JSON can hold it: an infinite parameter as the text "inf"."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
