"""A claim that the policy `index` never loses more than so much, in a file that can be checked.

The claim holds the structure, the counts and widths of the policy and the value; the proof is a
function lambda (`optimism`), or nothing where the value is the whole range in every round. `check`
computes everything else again. Exact observations are a case of their own: with widths 0 an action
is played s_1 times unless it is best.

The schedule of the policy: counts rise by five per cent, and

    b(s) = sigma sqrt((2 a/s) (log+(T/(K s)) + c)),   a = 1.07 - 0.76/K,   c = 0.13 + 1.04/K^2.

a and c were chosen by trying: their bounds are smallest, to within one per cent, for 2 to 100
actions and 10^3 to 10^7 rounds. Widths are rounded to six digits, so that the last bits of a
logarithm do not show. Nothing is looked for, but lambda.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import DamagedError
from ..feedback import Feedback
from . import certificate_file
from .case import RefutedError, fixed, rational_variance, rows_of
from .certificate import upper_statement
from .optimism import Optimism, Threshold, best_threshold
from .passage import MOST_STAGES
from .rational import float_up, sqrt_down, sqrt_up

FORMAT = "sidelight-index-1"
ENTRIES = ("format", "claim", "value", "upper", "variance", "horizon", "counts", "widths", "proof")
CLAIM = "index"
# Multiples of sigma: means that differ by more are told apart at once, or not at all.
SMALLEST, LARGEST = Fraction(1, 10**6), Fraction(10**6)
MOST_HORIZON = 10**15
RATIO = Fraction(21, 20)
DIGITS = Context(prec=6, rounding=ROUND_CEILING)


@dataclass(frozen=True)
class Schedule:
    """A structure and what the policy does on it: counts, and the width added at each of them.

    `variance` has None where nothing is observed.
    """

    variance: tuple[tuple[Fraction | None, ...], ...]
    upper: Fraction
    horizon: Fraction
    counts: tuple[int, ...]
    widths: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        fixed(self, counts=tuple(self.counts), widths=tuple(self.widths))
        fixed(self, variance=rows_of(self.variance))

    def validate(self) -> Fraction:
        """Refuse what the theorem does not cover; return the one variance."""
        K = len(self.variance)
        if K == 0 or any(len(row) != K for row in self.variance):
            raise RefutedError("variances form a square")
        seen = {v for row in self.variance for v in row if v is not None}
        if any(self.variance[i][i] is None for i in range(K)):
            raise RefutedError("some action does not show itself")
        if len(seen) != 1 or min(seen) < 0:
            raise RefutedError("there is more than one variance, or a negative one")
        if self.upper <= 0 or self.horizon <= 0:
            raise RefutedError("upper end and horizon must be positive")
        if not self.counts or len(self.counts) != len(self.widths):
            raise RefutedError("there is a width for each count")
        rising = zip((0, *self.counts), self.counts, strict=False)
        if any(type(s) is not int or s <= before for before, s in rising):
            raise RefutedError("counts are whole numbers that rise from 1 or more")
        if any(width < 0 for width in self.widths):
            raise RefutedError("a width is negative")
        return seen.pop()


@dataclass(frozen=True, repr=False)
class IndexProof(certificate_file.Saved):
    """A claim `expected regret <= value` for the schedule, whatever the means in [0, upper]."""

    schedule: Schedule
    value: float
    threshold: Threshold | None = None

    def examine(self) -> str | None:
        """Why the claim is not proved; None if it is."""
        if math.isnan(self.value):
            return "this is no claim about regret"
        try:
            variance = self.schedule.validate()
            proved = self._proved(variance)
        except RefutedError as error:
            return str(error)
        except OverflowError:
            return certificate_file.OUT_OF_REACH
        # Written so that a bound that is not a number counts as too large.
        return None if proved <= self.value else f"no more than {proved:.6g} is proved"

    def _proved(self, variance: Fraction) -> float:
        """The smallest value that this proof proves."""
        own = self.schedule
        others = len(own.variance) - 1
        anything = float_up(own.horizon * own.upper * min(1, others))
        if self.value >= anything:
            return anything
        if not variance:
            exact = others * own.counts[0] * own.upper
            return min(anything, float_up(exact)) if not any(own.widths) else anything
        if self.threshold is None:
            return anything
        made = optimism(own, variance)
        return float_up(Fraction(made.bound(self.threshold)) * sqrt_up(variance))

    def statement(self) -> str:
        """The claim in words, with numbers as exact as the proof."""
        own = self.schedule
        ends = [f"{float_up(width):.6g}" for width in (*own.widths[:1], *own.widths[-1:])]
        most = upper_statement(self.value, own.horizon, own.upper)
        wide = f" from {' to '.join(ends)}" if ends else ""
        return f"{most}, for playing the largest index, with {len(own.counts)} widths{wide}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; rational numbers are written as text."""
        own, chosen = self.schedule, self.threshold
        proof: dict[str, Any] = {"kind": "anything"}
        if chosen is not None:
            proof = {"kind": "passage", "level": chosen.level, "slope": chosen.slope}
        return {
            "format": FORMAT,
            "claim": CLAIM,
            "value": "inf" if self.value == math.inf else str(Fraction(self.value)),
            "upper": str(own.upper),
            "variance": [[None if v is None else str(v) for v in row] for row in own.variance],
            "horizon": str(own.horizon),
            "counts": list(own.counts),
            "widths": [str(width) for width in own.widths],
            "proof": proof,
        }

    @classmethod
    def from_dict(cls, data: object) -> IndexProof:
        """The inverse of `to_dict`; nothing in the data is trusted."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise DamagedError(
                f"not a proof for an index: its format is not {FORMAT!r}; {certificate_file.ADVICE}"
            )
        _, claim, value, upper, variance, horizon, counts, widths, proof = certificate_file.entries(
            data, ENTRIES
        )
        if claim != CLAIM:
            raise DamagedError(f"claim must be {CLAIM!r}; {certificate_file.ADVICE}")
        schedule = Schedule(
            certificate_file.variances(variance),
            certificate_file.number(upper, "upper"),
            certificate_file.number(horizon, "horizon"),
            tuple(
                certificate_file.count(s, "counts")
                for s in certificate_file.bounded_list(counts, "counts", MOST_STAGES)
            ),
            tuple(
                certificate_file.number(b, "widths")
                for b in certificate_file.bounded_list(widths, "widths", MOST_STAGES)
            ),
        )
        kind = proof.get("kind") if isinstance(proof, Mapping) else None
        most = certificate_file.claimed(value)
        if kind == "anything":
            certificate_file.entries(proof, ("kind",))
            return cls(schedule, most)
        if kind != "passage":
            raise DamagedError(f"the proof is of an unknown kind; {certificate_file.ADVICE}")
        _, level, slope = certificate_file.entries(proof, ("kind", "level", "slope"))
        chosen = Threshold(certificate_file.index(level), certificate_file.index(slope))
        return cls(schedule, most, chosen)


@lru_cache(maxsize=4)
def optimism(schedule: Schedule, variance: Fraction) -> Optimism:
    """The tables of a schedule, in units of sigma."""
    low, high = sqrt_down(variance), sqrt_up(variance)
    if not SMALLEST <= schedule.upper / high <= LARGEST or schedule.horizon > MOST_HORIZON:
        raise RefutedError("the range or the horizon is out of all proportion to the noise")
    counts = tuple(s for s in schedule.counts if s <= schedule.horizon)
    if not counts:
        raise RefutedError("the first count comes after the horizon")
    widths = np.array([float(b / high) for b in schedule.widths[: len(counts)]])
    upper, horizon = float_up(schedule.upper / low), float_up(schedule.horizon)
    return Optimism(len(schedule.variance), upper, horizon, counts, widths)


def schedule_for(feedback: Feedback, upper: Fraction, horizon: Fraction) -> Schedule:
    """What `index` does on this structure, which must have one variance."""
    sigma = feedback.uniform_sigma
    assert sigma is not None
    K, T = len(feedback), float(horizon)
    counts = [1]
    while counts[-1] < horizon:
        counts.append(max(counts[-1] + 1, math.floor(counts[-1] * RATIO)))
    kept = tuple(s for s in counts if s <= horizon) or (1,)
    a, c = 1.07 - 0.76 / K, 0.13 + 1.04 / K**2
    widths = (math.sqrt(2 * a / s * (max(0.0, math.log(T / (K * s))) + c)) for s in kept)
    exact = tuple(Fraction(sigma * float(f"{width:.6g}")) for width in widths)
    return Schedule(rational_variance(feedback), upper, horizon, kept, exact)


@dataclass(frozen=True)
class Indexed:
    """A proof, and whether none was tried because numbers are out of its reach."""

    proof: IndexProof
    stopped: bool = False


def proved_index(feedback: Feedback, upper: Fraction, horizon: Fraction) -> Indexed:
    """What `index` provably never loses more than; T D where less is not proved."""
    schedule = schedule_for(feedback, upper, horizon)
    trivial = IndexProof(schedule, float_up(horizon * upper * min(1, len(feedback) - 1)))
    variance = schedule.validate()
    if not variance:
        exact = (len(feedback) - 1) * schedule.counts[0] * upper
        return Indexed(IndexProof(schedule, min(trivial.value, float_up(exact))))
    if len(feedback) == 1:
        return Indexed(trivial)
    try:
        made = optimism(schedule, variance)
    except RefutedError:
        return Indexed(trivial, stopped=horizon >= 1)
    chosen = best_threshold(made)
    found = Fraction(made.bound(chosen)) * sqrt_up(variance)
    value = float(DIGITS.divide(Decimal(found.numerator), Decimal(found.denominator)))
    proof = IndexProof(schedule, value, chosen)
    return Indexed(proof if value < trivial.value and proof.check() else trivial)
