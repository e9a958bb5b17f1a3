"""The worst case of every policy, by pairs: a base and alternatives, each against the base alone.

For means theta^0 (the base) and theta^k (alternatives) and weights w that sum to one, whatever the
policy does, its largest regret is at least

    sum_k w_k R(theta^k)  =  E_0 sum_t [ w_0 gap^0_a  +  sum_k w_k gap^k_a X^k ],     a = a_t,

where X^k is the likelihood ratio of theta^k to theta^0 before round t. Split w_0 gap^0_a into parts
price^k_a >= 0, one for each k. Then the sum falls apart into one control problem for each k, with
one variable X^k, the prices, the stakes w_k gap^k_a and the information
I^k_a = sum_j P[a, j] (theta^0_j - theta^k_j)^2 / 2. `subsolution` proves what each costs at least.

The proof holds the means, weights and prices in exact numbers; what floats compute with is rounded
against the claim: prices and stakes down, information up. `check` solves the control problems once
more in floats and proves whatever comes out; it searches for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import DamagedError
from . import certificate_file
from .case import ZERO, Case, RefutedError
from .rational import float_down, float_up
from .subsolution import Duel, curvatures, mesh, proved

FORMAT = "sidelight-pairs-1"
ENTRIES = ("format", "claim", "value", "means", "upper", "variance", "horizon", "mesh", "pairs")
CLAIM = "minimax"
MOST_CELLS, MOST_SLABS = 2000, 600
MOST_DUELS = 60


@dataclass(frozen=True)
class Alternative:
    """Means that might be the true ones, their weight, and their part of the prices."""

    means: tuple[Fraction, ...]
    weight: Fraction
    prices: tuple[Fraction, ...]


@dataclass(frozen=True)
class PairsProof(certificate_file.Saved):
    """A claim that no policy has a worst-case regret below `value`.

    `case` holds the structure, the range, the horizon and the base; the weight of the base is what
    the alternatives leave of one. `cells` and `slabs` say how fine the mesh is.
    """

    case: Case
    alternatives: tuple[Alternative, ...]
    value: float
    cells: int
    slabs: int

    def duels(self) -> dict[Duel, int]:
        """The control problems, and how often each occurs. What is not allowed is an error."""
        case = self.case
        case.validate()
        if case.horizon is None or case.worst_case is not None:
            raise RefutedError("this claim needs a horizon, and no worst case")
        left = 1 - sum((a.weight for a in self.alternatives), ZERO)
        if left < 0 or any(a.weight < 0 for a in self.alternatives):
            raise RefutedError("weights are not negative, and sum to one at most")
        for a in self.alternatives:
            if len(a.means) != len(case.means) or len(a.prices) != len(case.means):
                raise RefutedError("an alternative has a mean and a price for each action")
            if not all(0 <= mean <= case.upper for mean in a.means):
                raise RefutedError("an alternative has a mean outside [0, upper]")
            if any(price < 0 for price in a.prices):
                raise RefutedError("a price is negative")
        for played, gap in enumerate(case.gaps):
            if sum((a.prices[played] for a in self.alternatives), ZERO) > left * gap:
                raise RefutedError("prices are more than the base loses")
        found: dict[Duel, int] = {}
        for a in self.alternatives:
            duel = _duel(case, a)
            found[duel] = found.get(duel, 0) + 1
        return found

    def certified(self) -> float:
        """What the pairs prove."""
        if not 2 <= self.cells <= MOST_CELLS or not 1 <= self.slabs <= MOST_SLABS:
            raise RefutedError("the mesh is too coarse or too fine")
        duels = self.duels()
        assert self.case.horizon is not None
        on, T = mesh(self.cells, self.slabs), float_down(self.case.horizon)
        total = ZERO
        for duel, times in duels.items():
            worth = proved(on, T, duel, curvatures(on, T, duel))
            total += times * Fraction(max(0.0, worth) if math.isfinite(worth) else 0.0)
        return float_down(total * self.case.upper)

    def check(self) -> bool:
        """Whether the pairs prove the claim."""
        return self.objection() is None

    def objection(self) -> str | None:
        """Why the pairs do not prove the claim; None if they do."""
        if math.isnan(self.value):
            return "this is no claim about regret"
        try:
            worth = self.certified()
        except (RefutedError, OverflowError) as error:
            return str(error)
        return None if worth >= self.value else f"the pairs prove {worth:.6g} only"

    def statement(self) -> str:
        """The claim in words."""
        return f"minimax >= {self.value!r} in {self.case.horizon} rounds"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; rational numbers are written as text."""
        case = self.case
        return {
            "format": FORMAT,
            "claim": CLAIM,
            "value": str(Fraction(self.value)),
            "means": [str(mean) for mean in case.means],
            "upper": str(case.upper),
            "variance": [[None if v is None else str(v) for v in row] for row in case.variance],
            "horizon": str(case.horizon),
            "mesh": [self.cells, self.slabs],
            "pairs": [
                {
                    "means": [str(mean) for mean in a.means],
                    "weight": str(a.weight),
                    "prices": [str(price) for price in a.prices],
                }
                for a in self.alternatives
            ],
        }

    @classmethod
    def from_dict(cls, data: object) -> PairsProof:
        """The inverse of `to_dict`; nothing in the data is trusted."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise DamagedError(f"not a proof by pairs: no {FORMAT!r}; {certificate_file.ADVICE}")
        _, claim, value, means, upper, variance, horizon, size, pairs = certificate_file.entries(
            data, ENTRIES
        )
        if claim != CLAIM:
            raise DamagedError(f"claim must be {CLAIM!r}; {certificate_file.ADVICE}")
        rows = certificate_file.bounded_list(variance, "variance", certificate_file.MOST_ACTIONS)
        case = Case(
            variance=tuple(_variances(row) for row in rows),
            means=certificate_file.numbers(means, "means"),
            upper=certificate_file.number(upper, "upper"),
            horizon=certificate_file.number(horizon, "horizon"),
        )
        fine = [certificate_file.index(n) for n in certificate_file.bounded_list(size, "mesh", 2)]
        if len(fine) != 2:
            raise DamagedError(f"mesh is a pair of whole numbers; {certificate_file.ADVICE}")
        listed = [_pair(pair) for pair in certificate_file.bounded_list(pairs, "pairs", MOST_DUELS)]
        # Rounded against the claim.
        least = float_up(certificate_file.number(value, "value"))
        return cls(case, tuple(listed), least, *fine)


def _duel(case: Case, a: Alternative) -> Duel:
    """The control problem in units of the range, rounded against the claim.

    Actions are sorted, so that problems that differ by labels alone are the same.
    """
    D = case.upper
    moves = [mine - other for mine, other in zip(case.means, a.means, strict=True)]
    best = max(a.means)
    rows = sorted(
        (
            max(0.0, float_down(price / D)),
            max(0.0, float_down(a.weight * (best - mean) / D)),
            float_up(Fraction(told) / 2),
        )
        for price, mean, told in zip(a.prices, a.means, case.told(moves), strict=True)
    )
    price, stake, information = zip(*rows, strict=True)
    return Duel(price, stake, information)


def _variances(row: object) -> tuple[Fraction | None, ...]:
    line = certificate_file.bounded_list(row, "variance", certificate_file.MOST_ACTIONS)
    return tuple(certificate_file.maybe(v, "variance") for v in line)


def _pair(data: object) -> Alternative:
    means, weight, prices = certificate_file.entries(data, ("means", "weight", "prices"))
    return Alternative(
        certificate_file.numbers(means, "means"),
        certificate_file.number(weight, "weight"),
        certificate_file.numbers(prices, "prices"),
    )
