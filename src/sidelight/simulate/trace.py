"""Every round of one run, so that anybody can check by hand that it followed its rule.

A trace is replicate 0 of `simulate` with the same seed. Its file is JSON Lines, a header and then
one line for each round:

    {"sidelight": "0.1.0", "problem": {...}, "policy": "ucb-n", "parameters": {...}, "seed": 1, ...}
    {"t": 1, "action": 0, "observed": {"0": 0.31}, "why": "initial", "round": null}

Actions are numbered from 0, in the order of the problem's labels; `observed` has the value of each
action that was shown; `why` is a word of the policy, `round` counts its own rounds (batches), where
it has such.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import files, writing
from ..document import from_table
from ..engine.contract import Floats, Ints
from ..errors import DamagedError, InputError
from ..problem import Problem, from_document
from ..setting import MAX_HORIZON, whole
from ..variances import frozen
from . import fields
from .simulate import MAX_NUMBERS, check_problem, entrant_of, name_of


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """Actions, observations (NaN = not observed), reasons and the policy's own rounds."""

    problem: Problem
    policy: str
    parameters: Mapping[str, float]
    seed: int
    version: str
    actions: Ints
    observations: Floats
    why: tuple[str, ...]
    round: Ints | None

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        return f"<Trace of {self.policy!r}: {len(self)} rounds, seed {self.seed}>"

    def lines(self) -> Iterator[str]:
        """The lines of the file."""
        table = json.loads(files.to_json(self.problem.to_document()))
        yield _dumps(
            {
                "sidelight": self.version,
                "problem": table,
                "policy": self.policy,
                "parameters": dict(self.parameters),
                "seed": self.seed,
                "horizon": len(self),
            }
        )
        for t in range(len(self)):
            seen = self.observations[t]
            shown = {str(j): float(seen[j]) for j in np.flatnonzero(~np.isnan(seen))}
            number = None if self.round is None else int(self.round[t])
            action, why = int(self.actions[t]), self.why[t]
            yield _dumps(
                {"t": t + 1, "action": action, "observed": shown, "why": why, "round": number}
            )

    def save(self, path: writing.StrPath) -> None:
        """Write the lines to a file; `Trace.load` reads them back."""
        text = "".join(f"{line}\n" for line in self.lines())
        writing.save(Path(path), text.encode("ascii"))

    @classmethod
    def load(cls, path: writing.StrPath) -> Trace:
        """The trace in a file that `save` wrote."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise DamagedError(f"{path}: not a text file in UTF-8") from None
        try:
            header, *rounds = (json.loads(line) for line in text.rstrip("\n").split("\n"))
            return _from_lines(header, rounds)
        except (ValueError, RecursionError) as error:
            raise DamagedError(
                f"{path}: not a trace ({error}): the first line is a header, each other line a "
                "round, as Trace.save writes them"
            ) from None


def trace(problem: Problem, policy: str | object, horizon: float, seed: int = 0) -> Trace:
    """Every round of replicate 0 of `simulate(problem, [policy], horizon, seed=seed)`."""
    check_problem(problem)
    rounds = whole("horizon", horizon, 1, MAX_HORIZON)
    seed = whole("seed", seed, 0, None)
    if rounds * len(problem) > MAX_NUMBERS:
        raise InputError(
            f"a trace of {rounds:,} rounds with {len(problem)} actions does not fit in memory: "
            f"use simulate, or at most {MAX_NUMBERS // len(problem):,} rounds"
        )
    chosen = entrant_of(policy)
    from .recording import record  # noqa: PLC0415 - numba takes half a second to import

    return record(problem, chosen, name_of(chosen), rounds, seed)


def _from_lines(found: object, rounds: list[Any]) -> Trace:
    header = fields.table(found, "the header")
    problem = from_document(from_table(fields.table(header.get("problem"), "problem")), "problem")
    if not isinstance(problem, Problem):
        raise DamagedError("the problem in the header has no means")
    horizon = fields.whole(header.get("horizon"), "horizon", 1, MAX_HORIZON)
    if len(rounds) != horizon:
        raise DamagedError(f"rounds 1 to {horizon} must follow, one on each line")
    given = fields.table(header.get("parameters"), "parameters")
    actions, observations = _played(rounds, len(problem))
    return Trace(
        problem=problem,
        policy=fields.text(header.get("policy"), "policy"),
        parameters={key: fields.number(x, f"the parameter {key}") for key, x in given.items()},
        seed=fields.whole(header.get("seed"), "seed", 0),
        version=fields.text(header.get("sidelight"), "sidelight"),
        actions=frozen(actions),
        observations=frozen(observations),
        why=tuple(fields.text(line.get("why"), "the reason of a round") for line in rounds),
        round=_own_rounds([line.get("round") for line in rounds]),
    )


def _played(rounds: list[Any], actions: int) -> tuple[Ints, Floats]:
    """The action of every round, and what it showed."""
    played = np.empty(len(rounds), dtype=np.int64)
    seen = np.full((len(rounds), actions), np.nan)
    place = {str(j): j for j in range(actions)}
    for t, line in enumerate(rounds):
        where = f"round {t + 1}"
        if fields.table(line, where).get("t") != t + 1:
            raise DamagedError(f"{where} must stand on line {t + 2}")
        played[t] = fields.whole(line.get("action"), f"the action of {where}", 0, actions - 1)
        for j, value in fields.table(line.get("observed"), f"what {where} shows").items():
            if j not in place:
                raise DamagedError(f"{where} shows {j!r}, which is no action")
            seen[t, place[j]] = fields.number(value, f"a value of {where}")
    return played, seen


def _own_rounds(numbers: list[Any]) -> Ints | None:
    if None in numbers:
        return None
    checked = [fields.whole(n, "a round of the policy", 0, MAX_HORIZON) for n in numbers]
    return frozen(np.array(checked, dtype=np.int64))


def _dumps(value: object) -> str:
    return json.dumps(value, allow_nan=False)
