"""What explore-then-commit never loses more than, over all means in [0, D]^K: the proof.

The policy `commit` plays each action j as often as its plan says, n_j, then for the rest of the T
rounds the action whose average, weighed by precision, is largest. After the plan the average of i
has the variance 1/q_i with q_i = sum_j n_j P[j, i], and the averages are independent. (Weights are
cut at CAP/D^2, as those of a belief. What is seen with a smaller variance v than D^2/CAP has the
weight w = CAP/D^2, and the variance of the average is sum n w^2 v / (sum n w)^2.) With gaps d,
where d_b = 0 for a best action b, the expected regret is

    R(d) = sum_i n_i d_i + (T - n) sum_i d_i p_i(d),
    p_i(d) = integral of the density of i at x, times prod_{j != i} P(average of j <= x).

p_i falls with d_i and rises with the other gaps. So for all gaps in a box [lo, hi]

    R(d) <= sum_i hi_i (n_i + (T - n) u_i),   u_i = p_i(d_i = lo_i, others = hi),

where moreover no more than 1 - p_b(lo) can be shared among the others: the u_i of the largest gaps
are used up first. So a number v bounds R everywhere if the cube is covered by boxes on which this
is at most v. The proof makes the cover itself: start with the cube, stop where the bound holds,
otherwise cut the box in two. Nothing has to be stored, and nothing can be left out. Actions with
equal n_i and q_i may change places, so that among them only rising gaps are looked at, and one of
them stands for all as the best action.

Ends of boxes are multiples of one step g, and beyond what noise can bridge there is one last cell
up to D. The integral is a sum over multiples of c g (`trapezoid`), so that every value of Phi comes
from one table (`gaussian`). Floats add and multiply what tables hold: at most MOST positive terms,
each of them a product of few, so that `SAFE` makes up for all rounding of a machine that follows
IEEE 754. Differences from 1 and from what is left to share have `OFF` on top, and one sum that must
not be too large is divided by `SAFE`. Trusted are +, -, *, / of floats, comparisons (in `clip`,
`minimum` and the sort of the gaps, in which any order gives a sum of the same kind), and looking up
in tables. The square roots in `Bounding` choose the lattice, and any lattice is valid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..variances import Array
from .case import ZERO, RefutedError, fixed, rows_of
from .gaussian import LEAST, table
from .rational import float_up
from .trapezoid import Rule, rule

Indices = npt.NDArray[np.int64]

# Fewer than 2^12 roundings of 2^-53 each: (1 + 2^-53)^(2^12) < 1 + 2^-40.
MOST = 4000
SAFE = 1.0 + 2.0**-40
OFF = 2.0**-48  # more than sums and differences of a few numbers up to 1 are off by
# Actions beside the best one: LEAST to this power, times a weight, is a float of full precision.
MOST_ACTIONS = 9
assert LEAST ** (MOST_ACTIONS + 1) > 1e-290
MOST_BOXES = 1_000_000
# Values of Phi that are looked up in all boxes together: 20 to 40 nanoseconds each, so that a check
# takes about a minute. Our longest proofs, for seven to nine actions, look up 1.4e9.
MOST_TERMS = 2_000_000_000
CAP = 10**12  # as `belief.CAP`
BATCH = 2048
IN_CACHE = 1 << 14  # numbers that are computed with at a time, so that they stay in the cache
# Gaps that noise does not bridge, in standard deviations of a difference.
BRIDGED = 9
LATTICE = 8_000
# Standard deviations of averages, in units of the range, for which tables are made.
SMALLEST, LARGEST = Fraction(1, 10**100), 10


@dataclass(frozen=True)
class Exploration:
    """A plan on a structure: who shows whom how well, the range, the horizon and the plays.

    `variance` has None where nothing is observed.
    """

    variance: tuple[tuple[Fraction | None, ...], ...]
    upper: Fraction
    horizon: Fraction
    plays: tuple[int, ...]

    def __post_init__(self) -> None:
        fixed(self, variance=rows_of(self.variance), plays=tuple(self.plays))

    def validate(self) -> None:
        """Refuse what is not a structure, or a plan that shows too little or takes too long."""
        K = len(self.plays)
        if K == 0 or len(self.variance) != K or any(len(row) != K for row in self.variance):
            raise RefutedError("a plan has a number for each action and a square of variances")
        if any(v is not None and v < 0 for row in self.variance for v in row):
            raise RefutedError("a variance is negative")
        if self.upper <= 0 or self.horizon <= 0:
            raise RefutedError("upper end and horizon must be positive")
        if not all(type(n) is int and n >= 0 for n in self.plays):
            raise RefutedError("plays are whole numbers, not below 0")
        if sum(self.plays) > self.horizon:
            raise RefutedError("the plan is longer than the horizon")

    def in_units(self) -> Exploration:
        """The same with means divided by the range."""
        square = self.upper**2
        scaled = tuple(tuple(None if v is None else v / square for v in r) for r in self.variance)
        return Exploration(scaled, Fraction(1), self.horizon, self.plays)

    @cached_property
    def spreads(self) -> tuple[Fraction | None, ...]:
        """The variance of each average: 0 if seen exactly, None if not seen at all."""
        return tuple(self._spread(i) for i in range(len(self.plays)))

    def _spread(self, observed: int) -> Fraction | None:
        information = noise = ZERO
        least = self.upper**2 / CAP
        for n, row in zip(self.plays, self.variance, strict=True):
            v = row[observed]
            if n and v is not None:
                weight = 1 / max(v, least)
                information += n * weight
                noise += n * weight**2 * v
        return noise / information**2 if information else None

    @property
    def rest(self) -> Fraction:
        """The rounds after the plan."""
        return self.horizon - sum(self.plays)

    @property
    def is_blind(self) -> bool:
        """Whether some action is not seen: then nothing is promised but T D."""
        return None in self.spreads

    @cached_property
    def kinds(self) -> tuple[tuple[int, ...], ...]:
        """Actions that may change places: equal plays, equally well known."""
        groups: dict[tuple[int, Fraction | None], list[int]] = {}
        for i, kind in enumerate(zip(self.plays, self.spreads, strict=True)):
            groups.setdefault(kind, []).append(i)
        return tuple(map(tuple, groups.values()))


class Bounding:
    """Tables for one plan, and the bound on boxes of gaps."""

    def __init__(self, plan: Exploration, fineness: int) -> None:
        self.plan = plan
        self.K = len(plan.plays)
        spreads = [v for v in plan.spreads if v is not None]
        noisy = [v for v in spreads if v] or [plan.upper**2]
        low, high = SMALLEST * plan.upper, LARGEST * plan.upper
        if not low**2 < min(noisy) <= max(noisy) < high**2:
            raise RefutedError("the noise is out of all proportion to the range")
        reach = BRIDGED * math.sqrt(2 * float(max(noisy)))
        step = max(math.sqrt(float(min(noisy))) / fineness, reach / LATTICE)
        step = min(step, max(float(plan.upper) / fineness, reach / LATTICE))
        cells = min(math.ceil(reach / step), math.ceil(float(plan.upper) / step))
        whole = cells * Fraction(step) >= plan.upper
        self.cells = cells
        self.step = plan.upper / cells if whole else Fraction(step)
        edges = [float_up(m * self.step) for m in range(cells + 1)]
        self.edges = np.array(edges if whole else [*edges, float_up(plan.upper)])
        self.plays = np.array([float_up(Fraction(n)) for n in plan.plays])
        self.rest = float_up(plan.rest)
        self.rules: list[Rule | None] = [rule(spreads, i, self.step) for i in range(self.K)]
        if any(found is not None and len(found.weights) + 100 > MOST for found in self.rules):
            raise RefutedError("too many terms for the rounding that is allowed for")
        square = self.step**2
        self.tables = [table(square / v) if v else None for v in spreads]
        self.spreads = spreads
        self.terms = sum(len(r.weights) * len(r.others) for r in self.rules if r is not None)
        longest = max((len(r.weights) for r in self.rules if r is not None), default=1)
        self.block = max(1, IN_CACHE // longest)

    def chances(self, best: int, lo: Indices, hi: Indices) -> Array:
        """Numbers not below p_i, for boxes given by the indices of their edges; 0 for the best."""
        out = np.zeros(lo.shape)
        for i in range(self.K):
            if i == best:
                continue
            pair = self.spreads[i] + self.spreads[best]
            if not pair:
                continue  # both are known: whenever d_i > 0, i is not chosen
            beside = table(self.step**2 / pair)
            out[:, i] = looked_up(beside, -lo[:, i])
            found = self.rules[i]
            if found is not None:
                joint = self._joint(i, found, lo, hi)
                out[:, i] = np.minimum(out[:, i], joint)
        return out

    def _joint(self, i: int, found: Rule, lo: Indices, hi: Indices) -> Array:
        """The integral, by its rule: others that the rule cannot resolve are left out."""
        terms = np.broadcast_to(found.weights, (len(lo), len(found.weights))).copy()
        for j in found.others:
            beyond = np.where(hi[:, j] > self.cells, 4 * LATTICE, hi[:, j] - lo[:, i])
            values = self.tables[j]
            assert values is not None
            terms *= looked_up(values, beyond[:, None] + found.nodes)
        return np.asarray(terms.sum(axis=1) * SAFE + found.error)

    def wrong(self, best: int, lo: Indices) -> Array:
        """Numbers not below 1 - p_best, the chance to commit to another action than the best.

        It is largest where all gaps are smallest. Here Phi must not be too large: 1 - Phi(-t) with
        Phi(-t) from the table.
        """
        found = self.rules[best]
        if found is None or len(found.others) < self.K - 1:
            return np.ones(len(lo))
        sure = np.maximum(found.weights * (1 - OFF) - LEAST, 0.0)
        terms = np.broadcast_to(sure, (len(lo), len(sure))).copy()
        for j in found.others:
            values = self.tables[j]
            assert values is not None
            terms *= np.maximum(
                1 - OFF - looked_up(values, -(lo[:, j][:, None] + found.nodes)), 0.0
            )
        return np.asarray(np.minimum(1 + OFF + found.error - terms.sum(axis=1) / SAFE, 1.0))

    def bound(self, best: int, lo: Indices, hi: Indices) -> tuple[Array, Array]:
        """Numbers not below R on each box, and what each action may contribute per unit of gap."""
        firsts = range(0, len(lo), self.block)
        found = [self._bound(best, lo[k : k + self.block], hi[k : k + self.block]) for k in firsts]
        bounds, slopes = zip(*found, strict=True)
        return np.concatenate(bounds), np.concatenate(slopes)

    def _bound(self, best: int, lo: Indices, hi: Indices) -> tuple[Array, Array]:
        chances = self.chances(best, lo, hi)
        reached = self.edges[hi]
        wrong = _shared(chances, reached, self.wrong(best, lo))
        total = (reached * self.plays).sum(axis=1) + self.rest * wrong
        return total * SAFE, self.plays + self.rest * chances


def _shared(chances: Array, gaps: Array, whole: Array) -> Array:
    """max of sum_i gap_i p_i over p_i <= chance_i with sum(p) <= whole: the largest gaps first."""
    order = np.argsort(-gaps, axis=1, kind="stable")
    most = np.take_along_axis(chances, order, axis=1)
    before = np.concatenate([np.zeros((len(most), 1)), most.cumsum(axis=1)[:, :-1]], axis=1)
    given = np.clip(whole[:, None] * SAFE - before, 0.0, most) + OFF
    return np.asarray((np.take_along_axis(gaps, order, axis=1) * given).sum(axis=1) * SAFE)


def looked_up(values: Array, at: Indices) -> Array:
    """Entries of a table of Phi, which is constant beyond its ends."""
    return np.take(values, at + len(values) // 2, mode="clip")


def exceeded(plan: Exploration, value: float, fineness: int) -> str | None:
    """None if the regret is at most `value` whatever the means; otherwise why that is not shown."""
    plan.validate()
    if plan.is_blind or len(plan.plays) == 1:
        most = plan.horizon * plan.upper if len(plan.plays) > 1 else ZERO
        return None if value >= most else f"anything may be lost, up to {float_up(most):.6g}"
    if len(plan.plays) > MOST_ACTIONS:
        return f"boxes of gaps are cut for at most {MOST_ACTIONS} actions"
    if not 1 <= fineness <= LATTICE:
        return f"the fineness must be a whole number up to {LATTICE}"
    bounding = Bounding(plan, fineness)
    left = min(MOST_BOXES, MOST_TERMS // max(1, bounding.terms))
    for kind in plan.kinds:
        left = _cover(bounding, kind[0], value, left)
        if left <= 0:
            return f"no cover by boxes on which the regret is at most {value:.6g} was found"
    return None


def _cover(bounding: Bounding, best: int, value: float, left: int) -> int:
    """How many boxes may still be looked at once those with this best action are covered; 0 or
    less if they are not."""
    K = bounding.K
    lo = np.zeros((1, K), dtype=np.int64)
    hi = np.full((1, K), len(bounding.edges) - 1)
    hi[:, best] = 0
    kinds = [[i for i in kind if i != best] for kind in bounding.plan.kinds]
    heap = [(lo, hi)]
    while heap:
        lo, hi = heap.pop()
        left -= len(lo)
        if left <= 0:
            return 0
        bound, slopes = bounding.bound(best, lo, hi)
        # Written so that a bound that is not a number counts as too large.
        open_ = ~(bound <= value)
        lo, hi, slopes = lo[open_], hi[open_], slopes[open_]
        if not len(lo):
            continue
        if not ((hi - lo) > 1).any(axis=1).all():
            return 0
        lo, hi = _ordered(*_halves(bounding.edges, lo, hi, slopes), kinds)
        heap += [(lo[k : k + BATCH], hi[k : k + BATCH]) for k in range(0, len(lo), BATCH)]
    return left


def _halves(edges: Array, lo: Indices, hi: Indices, slopes: Array) -> tuple[Indices, Indices]:
    """Each box cut in two across the gap that makes most of its bound."""
    widths = (edges[hi] - edges[lo]) * slopes
    across = np.where(hi - lo > 1, widths, -1.0).argmax(axis=1)
    rows = np.arange(len(lo))
    middle = (lo[rows, across] + hi[rows, across]) // 2
    first, second = hi.copy(), lo.copy()
    first[rows, across] = second[rows, across] = middle
    return np.concatenate([lo, second]), np.concatenate([first, hi])


def _ordered(lo: Indices, hi: Indices, kinds: Sequence[Sequence[int]]) -> tuple[Indices, Indices]:
    """Without the boxes in which no gaps rise along actions that may change places."""
    keep = np.ones(len(lo), dtype=bool)
    for kind in kinds:
        for earlier, later in pairwise(kind):
            keep &= lo[:, earlier] <= hi[:, later]
    return lo[keep], hi[keep]
