"""A claim that explore-then-commit never loses more than so much, in a file that can be checked.

A promise holds the structure, the plan and the value, and how the value is proved:

    boxes     by a cover of the cube of gaps (`commitment`), on a lattice of a given fineness
    apart     every gap by itself (`apart`), with a threshold for each kind of actions
    anything  nobody loses more than T D

`check` makes the proof again from these few numbers. No search is repeated, and the optimiser that
found the plan is not needed. It speaks of upper bounds, unlike `Certificate`, but has its verbs.
All proofs are made in units of the range: means divided by D lie in [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import DamagedError
from . import certificate_file
from .apart import Threshold, exceeded_apart
from .case import RefutedError, fixed
from .certificate import upper_statement
from .commitment import Exploration, exceeded
from .rational import float_down, float_up

FORMAT = "sidelight-promise-1"
ENTRIES = ("format", "claim", "value", "upper", "variance", "horizon", "plays", "proof")
CLAIM = "commit"
MOST_KINDS = 64


@dataclass(frozen=True, repr=False)
class Promise(certificate_file.Saved):
    """A claim `expected regret <= value` for the plan, whatever the means in [0, upper].

    The proof is by boxes if there is a `fineness`, apart if there are `thresholds`, and otherwise
    the trivial one.
    """

    plan: Exploration
    value: float
    fineness: int | None = None
    thresholds: tuple[Threshold, ...] | None = None

    def __post_init__(self) -> None:
        if self.thresholds is not None:
            fixed(self, thresholds=tuple(self.thresholds))

    def examine(self) -> str | None:
        """Why the claim is not proved; None if it is."""
        if math.isnan(self.value):
            return "this is no claim about regret"
        try:
            return self._exceeded()
        except RefutedError as error:
            return str(error)
        except OverflowError:
            return certificate_file.OUT_OF_REACH

    def _exceeded(self) -> str | None:
        self.plan.validate()
        if self.value == math.inf or self.value >= self.plan.horizon * self.plan.upper:
            return None
        if float_up(self.plan.horizon) == math.inf:
            return certificate_file.OUT_OF_REACH
        scaled = self.plan.in_units()
        value = float_down(Fraction(self.value) / self.plan.upper)
        if self.thresholds is not None:
            return exceeded_apart(scaled, value, self.thresholds)
        if self.fineness is not None:
            return exceeded(scaled, value, self.fineness)
        return "the claim is below T D, and has no proof"

    def statement(self) -> str:
        """The claim in words, with numbers as exact as the proof."""
        plan = self.plan
        plays = ", ".join(map(str, plan.plays))
        most = upper_statement(self.value, plan.horizon, plan.upper)
        return f"{most}, for playing ({plays}) and then the largest average"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; rational numbers are written as text."""
        plan = self.plan
        return {
            "format": FORMAT,
            "claim": CLAIM,
            "value": "inf" if self.value == math.inf else str(Fraction(self.value)),
            "upper": str(plan.upper),
            "variance": [[None if v is None else str(v) for v in row] for row in plan.variance],
            "horizon": str(plan.horizon),
            "plays": list(plan.plays),
            "proof": self._proof(),
        }

    def _proof(self) -> dict[str, Any]:
        if self.thresholds is not None:
            pairs = [[t.level, t.slope] for t in self.thresholds]
            return {"kind": "apart", "thresholds": pairs}
        if self.fineness is not None:
            return {"kind": "boxes", "fineness": self.fineness}
        return {"kind": "anything"}

    @classmethod
    def from_dict(cls, data: object) -> Promise:
        """The inverse of `to_dict`; nothing in the data is trusted."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise DamagedError(
                f"not a promise: its format is not {FORMAT!r}; {certificate_file.ADVICE}"
            )
        _, claim, value, upper, variance, horizon, plays, proof = certificate_file.entries(
            data, ENTRIES
        )
        if claim != CLAIM:
            raise DamagedError(f"claim must be {CLAIM!r}; {certificate_file.ADVICE}")
        counts = certificate_file.bounded_list(plays, "plays", certificate_file.MOST_ACTIONS)
        plan = Exploration(
            variance=certificate_file.variances(variance),
            upper=certificate_file.number(upper, "upper"),
            horizon=certificate_file.number(horizon, "horizon"),
            plays=tuple(certificate_file.count(n, "plays") for n in counts),
        )
        most = certificate_file.claimed(value)
        kind = proof.get("kind") if isinstance(proof, Mapping) else None
        if kind == "boxes":
            _, fineness = certificate_file.entries(proof, ("kind", "fineness"))
            return cls(plan, most, fineness=certificate_file.index(fineness))
        if kind == "apart":
            _, pairs = certificate_file.entries(proof, ("kind", "thresholds"))
            return cls(plan, most, thresholds=_thresholds(pairs))
        if kind == "anything":
            certificate_file.entries(proof, ("kind",))
            return cls(plan, most)
        raise DamagedError(f"the proof is of an unknown kind; {certificate_file.ADVICE}")


def _thresholds(value: object) -> tuple[Threshold, ...]:
    pairs = [
        certificate_file.bounded_list(pair, "thresholds", 2)
        for pair in certificate_file.bounded_list(value, "thresholds", MOST_KINDS)
    ]
    if any(len(pair) != 2 for pair in pairs):
        raise DamagedError(f"a threshold is a pair of whole numbers; {certificate_file.ADVICE}")
    return tuple(Threshold(certificate_file.index(a), certificate_file.index(b)) for a, b in pairs)


def trivial(plan: Exploration) -> Promise:
    """Nobody loses more than T D."""
    return Promise(plan, float_up(plan.horizon * plan.upper))
