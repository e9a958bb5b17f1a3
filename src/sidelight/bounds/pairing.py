"""Regret by pairs: a base and alternatives, each of them against the base alone.

For means theta^0 (the base), theta^k (alternatives) and weights w >= 0, whatever the policy does,

    w_0 R(theta^0) + sum_{k>=1} w_k R(theta^k)
        =  E_0 sum_t [ w_0 gap^0_a  +  sum_{k>=1} w_k gap^k_a X^k ],     a = a_t,

where R is expected regret, E_0 the mean if theta^0 is the truth, and X^k the likelihood ratio of
theta^k to theta^0 before round t. From here on k runs over the alternatives, k >= 1. Split
w_0 gap^0_a into parts price^k_a >= 0, one for each k. Then the sum falls apart into one control
problem for each k, with one variable X^k, the prices, the stakes w_k gap^k_a and the information
I^k_a = sum_j P[a, j] (theta^0_j - theta^k_j)^2 / 2. `subsolution` proves what each costs at least:
W_k. What follows depends on the claim.

minimax   w_0 + sum_k w_k = 1. The largest regret of any policy is at least sum_k W_k.
regret    w_0 = 1. A policy that never loses more than B has R(theta^0) >= sum_k W_k - B sum_k w_k.
          If that is more than B, there is no such policy.
orbit     w_0 = 1, and theta^k is theta^0 relabelled: theta^k_i = theta^0_p(i) for a permutation p
          that leaves the structure as it is, variance[p(i), p(j)] = variance[i, j]. Let G be the
          group that these p generate. The inequality holds with theta^0 o g for theta^0, for every
          g in G. In the mean over g all regrets have the same mean M, so that
          M >= sum_k W_k / (1 + sum_k w_k). A policy that treats labels alike has R(theta^0) = M.

The proof holds the means, weights and prices in exact numbers; what floats compute with is rounded
against the claim: prices and stakes down, information up. `check` solves the control problems once
more in floats and proves whatever comes out; it searches for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..errors import DamagedError
from . import certificate_file
from .case import ZERO, Case, RefutedError, fixed
from .certificate import digits, exact_text, lower_statement
from .rational import float_down, float_up
from .subsolution import REACH, Duel, curvatures, mesh, proved

FORMAT = "sidelight-pairs-1"
ENTRIES = ("format", "claim", "value", "means", "upper", "variance", "horizon", "mesh", "pairs")
CLAIMS = ("minimax", "regret", "orbit")
# How far down in log x the mesh reaches.
LOWS = {"minimax": REACH, "regret": 12.5, "orbit": 12.5}
MOST_CELLS, MOST_SLABS = 2600, 600
MOST_DUELS = 60
# Pairs, times actions, times cells of the mesh, times steps of time: 50 to 200 nanoseconds each, so
# that a check takes about a minute. Our searches have at most 29 pairs of 30 actions: 2.4e8.
MOST_WORK = 300_000_000
# A pair of two actions takes as long as one of so many: part of the work does not depend on them.
LEAST_ACTIONS = 6
# Bits of a common denominator: prices of ours are floats times short decimals.
MOST_BITS = 8_000


@dataclass(frozen=True)
class Alternative:
    """Means that might be the true ones, their weight, and their part of the prices.

    In an orbit, the mean of action i is that of action `order[i]` in the base.
    """

    means: tuple[Fraction, ...]
    weight: Fraction
    prices: tuple[Fraction, ...]
    order: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        order = None if self.order is None else tuple(self.order)
        fixed(self, means=tuple(self.means), prices=tuple(self.prices), order=order)


@dataclass(frozen=True, repr=False)
class PairsProof(certificate_file.Saved):
    """A claim that regret is at least `value`: see the module for the three kinds of claims.

    `case` holds the structure, the range, the horizon and the base, and for a claim about "regret"
    the worst case B. `cells` and `slabs` say how fine the mesh is.
    """

    case: Case
    alternatives: tuple[Alternative, ...]
    value: float
    cells: int
    slabs: int
    claim: str = "minimax"

    def __post_init__(self) -> None:
        fixed(self, alternatives=tuple(self.alternatives))

    @property
    def weight(self) -> Fraction:
        """The sum of the weights of all alternatives."""
        return _total([a.weight for a in self.alternatives])

    def duels(self) -> dict[Duel, int]:
        """The control problems, and how often each occurs. What is not allowed is an error."""
        case = self.case
        case.validate()
        if self.claim not in CLAIMS:
            raise RefutedError("this is no claim about regret")
        if case.horizon is None or (case.worst_case is None) == (self.claim == "regret"):
            raise RefutedError("a claim needs a horizon, and a worst case if it is about regret")
        left = 1 - self.weight if self.claim == "minimax" else Fraction(1)
        if left < 0 or any(a.weight < 0 for a in self.alternatives):
            raise RefutedError("weights are not negative, and sum to one at most")
        for a in self.alternatives:
            _refuse_impossible(case, a)
            if self.claim == "orbit":
                _refuse_strangers(case, a)
        for played, gap in enumerate(case.gaps):
            if _total([a.prices[played] for a in self.alternatives]) > left * gap:
                raise RefutedError("prices are more than the base loses")
        found: dict[Duel, int] = {}
        for a in self.alternatives:
            duel = _duel(case, a)
            found[duel] = found.get(duel, 0) + 1
        return found

    def work(self) -> int:
        """How many numbers the proof computes: from sizes alone."""
        rows = len(self.alternatives) * max(LEAST_ACTIONS, len(self.case.means))
        steps = len(mesh(self.cells, self.slabs, LOWS.get(self.claim, REACH)).times)
        return rows * self.cells * steps

    def certified(self) -> float:
        """What the pairs prove: inf if there is no policy that the claim speaks of."""
        return _certified(replace(self, value=0.0))

    def _evaluated(self) -> float:
        if not 2 <= self.cells <= MOST_CELLS or not 1 <= self.slabs <= MOST_SLABS:
            raise RefutedError("the mesh is too coarse or too fine")
        if self.work() > MOST_WORK:
            raise RefutedError("there are too many pairs on too fine a mesh for a check")
        duels = self.duels()
        assert self.case.horizon is not None
        T = float_down(self.case.horizon)
        on = mesh(self.cells, self.slabs, LOWS[self.claim])
        total = ZERO
        for duel, times in duels.items():
            worth = proved(on, T, duel, curvatures(on, T, duel))
            total += times * Fraction(max(0.0, worth))
        proved_here = self._concluded(total * self.case.upper)
        return math.inf if proved_here is None else float_down(proved_here)

    def _concluded(self, total: Fraction) -> Fraction | None:
        """What follows from the sum of all W; None for a contradiction."""
        if self.claim == "orbit":
            return total / (1 + self.weight)
        if self.claim == "regret":
            B = self.case.worst_case
            assert B is not None
            least = max(ZERO, total - B * self.weight)
            return None if least > B else least
        return total

    def examine(self) -> str | None:
        """Why the claim is not proved; None if it is."""
        if math.isnan(self.value):
            return "this is no claim about regret"
        try:
            worth = self.certified()
        except RefutedError as error:
            return str(error)
        except OverflowError:
            return certificate_file.OUT_OF_REACH
        return None if worth >= self.value else f"the pairs prove {worth:.6g} only"

    def statement(self) -> str:
        """The claim in words, with numbers as exact as the proof."""
        T, B = self.case.horizon, self.case.worst_case
        if self.claim == "orbit" and T is not None:
            least = f"mean expected regret over relabellings >= {digits(self.value)}"
            return f"{least} in {exact_text(T)} rounds"
        return lower_statement(self.claim, self.value, T, B)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; rational numbers are written as text."""
        case = self.case
        record = {
            "format": FORMAT,
            "claim": self.claim,
            "value": "inf" if self.value == math.inf else str(Fraction(self.value)),
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
                    **({"order": list(a.order or ())} if self.claim == "orbit" else {}),
                }
                for a in self.alternatives
            ],
        }
        return record | ({"worst_case": str(case.worst_case)} if self.claim == "regret" else {})

    @classmethod
    def from_dict(cls, data: object) -> PairsProof:
        """The inverse of `to_dict`; nothing in the data is trusted."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise DamagedError(f"not a proof by pairs: no {FORMAT!r}; {certificate_file.ADVICE}")
        claim = data.get("claim")
        if not isinstance(claim, str) or claim not in CLAIMS:
            raise DamagedError(
                f"claim must be one of {', '.join(CLAIMS)}; {certificate_file.ADVICE}"
            )
        keys = (*ENTRIES, "worst_case") if claim == "regret" else ENTRIES
        _, _, value, means, upper, variance, horizon, size, pairs, *most = certificate_file.entries(
            data, keys
        )
        rows = certificate_file.bounded_list(variance, "variance", certificate_file.MOST_ACTIONS)
        case = Case(
            variance=tuple(_variances(row) for row in rows),
            means=certificate_file.numbers(means, "means"),
            upper=certificate_file.number(upper, "upper"),
            horizon=certificate_file.number(horizon, "horizon"),
            worst_case=certificate_file.number(most[0], "worst_case") if most else None,
        )
        fine = [certificate_file.index(n) for n in certificate_file.bounded_list(size, "mesh", 2)]
        if len(fine) != 2:
            raise DamagedError(f"mesh is a pair of whole numbers; {certificate_file.ADVICE}")
        listed = [
            _pair(pair, claim) for pair in certificate_file.bounded_list(pairs, "pairs", MOST_DUELS)
        ]
        # Rounded against the claim.
        least = math.inf if value == "inf" else float_up(certificate_file.number(value, "value"))
        return cls(case, tuple(listed), least, fine[0], fine[1], claim)


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


def _total(parts: Sequence[Fraction]) -> Fraction:
    """The sum; parts whose common denominator is long are refused, for their sum takes long."""
    whole = 1
    for part in parts:
        whole = math.lcm(whole, part.denominator)
        if whole.bit_length() > MOST_BITS:
            raise RefutedError("weights or prices have no short common denominator")
    return Fraction(sum(part.numerator * (whole // part.denominator) for part in parts), whole)


def _variances(row: object) -> tuple[Fraction | None, ...]:
    line = certificate_file.bounded_list(row, "variance", certificate_file.MOST_ACTIONS)
    return tuple(certificate_file.maybe(v, "variance") for v in line)


@lru_cache(maxsize=256)
def _certified(proof: PairsProof) -> float:
    """What the pairs prove, whatever they claim: who searches asks first, and claims afterwards."""
    return proof._evaluated()


def _refuse_impossible(case: Case, a: Alternative) -> None:
    """Refuse an alternative that is no problem with this structure and range."""
    if len(a.means) != len(case.means) or len(a.prices) != len(case.means):
        raise RefutedError("an alternative has a mean and a price for each action")
    if not all(0 <= mean <= case.upper for mean in a.means):
        raise RefutedError("an alternative has a mean outside [0, upper]")
    if any(price < 0 for price in a.prices):
        raise RefutedError("a price is negative")


def _refuse_strangers(case: Case, a: Alternative) -> None:
    """Refuse an alternative that is not the base relabelled, or a label that is not free."""
    K = len(case.means)
    p = a.order
    if p is None or sorted(p) != list(range(K)):
        raise RefutedError("an alternative of an orbit needs an order of all actions")
    if any(mean != case.means[p[i]] for i, mean in enumerate(a.means)):
        raise RefutedError("an alternative is not the base in another order")
    rows = case.variance
    if any(rows[p[i]][p[j]] != rows[i][j] for i in range(K) for j in range(K)):
        raise RefutedError("an order changes the structure")


def _pair(data: object, claim: str) -> Alternative:
    keys = ("means", "weight", "prices", *(("order",) if claim == "orbit" else ()))
    means, weight, prices, *order = certificate_file.entries(data, keys)
    listed = [
        certificate_file.bounded_list(part, "order", certificate_file.MOST_ACTIONS)
        for part in order
    ]
    return Alternative(
        certificate_file.numbers(means, "means"),
        certificate_file.number(weight, "weight"),
        certificate_file.numbers(prices, "prices"),
        tuple(certificate_file.index(i) for i in listed[0]) if listed else None,
    )
