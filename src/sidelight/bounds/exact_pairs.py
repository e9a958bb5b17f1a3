"""The minimax lower bound by exact pairs: a search for the base and its alternatives.

The base has a leader; rivals lie below it by a gap, and outsiders have the mean 0, where seeing
through them costs most. Each alternative raises one rival by a rise and lowers the leader by a
fall. Rivals that play the same part have the same gap, rise and fall. The price of an action is
split among the alternatives in proportion to what it shows of their rivals, or goes to its own
alternative if the action is a rival itself: both are tried where they differ. For each choice of
leader and outsiders the rises are scanned, and the best choices are improved one number at a time
by steps that shrink. All of it is counted, not timed; what is found is proved by `pairing`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..errors import InputError
from ..feedback import Feedback
from .bound import Bound
from .case import ZERO, Case, RefutedError
from .exploring import alike
from .inputs import positive
from .pairing import MOST_DUELS, Alternative, PairsProof
from .subsolution import estimate, mesh

NAME = "exact_pairs"
METHOD = "pairs of problems, as a control problem in the likelihood ratio"
COARSE = (100, 24)
FINE = (800, 200)
# The rise, as a part of the range, is scanned downwards from 1 by this factor.
SCAN, SCANNED = 0.6, 26
# gap/rise, fall/rise, the logarithm of the rise, the logarithm of the weight, of each kind of
# rivals; at last the weight of the base. First steps, each halved a few times.
STEPS = (0.15, 0.2, 0.35, 0.4)
STEP_BASE = 0.12
HALVINGS, SWEEPS = 5, 6
KEPT = 2
# Parameters are decimals of so many digits, so that last bits decide nothing.
DIGITS = 6
DOWN = Context(prec=6, rounding=ROUND_FLOOR)
MARGIN = 1e-7
MOST_KINDS = 4
MOST_SHAPES = 16
# With more actions the search would take minutes: none is made.
MOST_ACTIONS = 30


@dataclass(frozen=True)
class Shape:
    """Who leads, and which actions are rivals, by kinds; the rest are outsiders.

    With `own`, the price of a rival goes to its own alternative, whatever else the rival shows.
    """

    leader: int
    rivals: tuple[tuple[int, ...], ...]
    own: bool = False


@dataclass(frozen=True)
class Structure:
    """The structure in exact numbers, in units of the range."""

    variance: tuple[tuple[Fraction | None, ...], ...]
    horizon: Fraction

    def shown(self, played: int, observed: int) -> Fraction:
        """The precision with which playing the one shows the other."""
        v = self.variance[played][observed]
        return 1 / v if v else ZERO


def exact_pairs(feedback: Feedback, upper: float, horizon: float) -> Bound:
    """A lower bound on the worst-case regret of every policy, by pairs of problems."""
    if not isinstance(feedback, Feedback):
        raise InputError(
            f"bounds.exact_pairs needs a Feedback, not {type(feedback).__name__}: "
            "for a Problem pass problem.feedback and problem.upper"
        )
    D, T = positive(upper, "upper", "payoff"), positive(horizon, "horizon", "rounds")
    return _exact_pairs(feedback, D, T)


@lru_cache(maxsize=64)
def _exact_pairs(feedback: Feedback, D: Fraction, T: Fraction) -> Bound:
    """The bound, remembered."""
    scaled = Structure(
        tuple(
            tuple(None if math.isinf(v) else Fraction(float(v)) / D**2 for v in row)
            for row in feedback.variance
        ),
        T,
    )
    stopped = len(feedback) > MOST_ACTIONS
    nothing = _arranged(scaled, Shape(0, ()), (0.5,))
    found = nothing if stopped else _found(scaled, feedback.precision)
    box = f"over {float(T):g} rounds, whatever the means in [0, {float(D):g}]"
    why = f"no policy has less regret {box}"
    proof = _in_units(found, scaled, feedback, D)
    value = proof.value
    means = np.array([float(mean) for mean in proof.case.means])
    means.setflags(write=False)
    if value == 0:
        why = "regret is never negative, and no pair of problems proves more"
    if stopped:
        why = f"regret is never negative, and no search was made: more than {MOST_ACTIONS} actions"
    return Bound(NAME, value, True, why, proof, method=METHOD, means=means, stopped=stopped)


def _in_units(found: PairsProof, scaled: Structure, feedback: Feedback, D: Fraction) -> PairsProof:
    """The proof in the units of the feedback, with the largest value that it confirms."""
    variance = tuple(
        tuple(None if math.isinf(v) else Fraction(float(v)) for v in row)
        for row in feedback.variance
    )
    case = Case(variance, tuple(mean * D for mean in found.case.means), D, scaled.horizon)
    alternatives = tuple(
        Alternative(tuple(m * D for m in a.means), a.weight, tuple(p * D for p in a.prices))
        for a in found.alternatives
    )
    proof = PairsProof(case, alternatives, 0.0, *FINE)
    try:
        worth = proof.certified()
    except (RefutedError, OverflowError):
        worth = 0.0
    # Six digits: another machine solves the control problems with other last bits.
    digits = DOWN.create_decimal_from_float(worth * (1 - MARGIN))
    return replace(proof, value=float(digits))


# ---- the search --------------------------------------------------------------------------------


def _found(scaled: Structure, precision: object) -> PairsProof:
    """The best proof that the search finds, in units of the range."""
    kinds = alike(np.asarray(precision))
    starts = []
    for shape in _shapes(scaled, kinds):
        scan = [_start(shape, SCAN**k) for k in range(SCANNED)]
        worths = [_worth(scaled, shape, numbers) for numbers in scan]
        k = int(np.argmax(worths))
        starts.append((worths[k], shape, scan[k]))
    starts.sort(key=lambda start: -start[0])
    best: tuple[float, Shape, tuple[float, ...]] = (0.0, Shape(0, ()), (0.5,))
    for worth, shape, numbers in starts[:KEPT]:
        improved = _improved(scaled, shape, worth, numbers)
        best = max(best, improved, key=lambda found: found[0])
    _, shape, numbers = best
    return _arranged(scaled, shape, numbers)


def _shapes(scaled: Structure, kinds: list[list[int]]) -> list[Shape]:
    """Leaders and rivals to try: see `_sets` for the actions that are either."""
    exact = {i for row in scaled.variance for i, v in enumerate(row) if v == 0}
    found: list[Shape] = []
    for chosen in _sets(scaled, kinds):
        for kind in kinds:
            leader = next((i for i in kind if i in chosen), None)
            rivals = [[i for i in k if i != leader and i in chosen - exact] for k in kinds]
            parts = tuple(tuple(part) for part in rivals if part)
            if leader is None or not parts or sum(map(len, parts)) > MOST_DUELS:
                continue
            merged = tuple(i for part in parts for i in part)
            # Many kinds share their numbers.
            chosen_parts = parts if len(parts) <= MOST_KINDS else (merged,)
            found.append(Shape(leader, chosen_parts, own=True))
            if _differ(scaled, merged):
                found.append(Shape(leader, chosen_parts))
    return found[:MOST_SHAPES]


def _sets(scaled: Structure, kinds: list[list[int]]) -> list[frozenset[int]]:
    """All actions; all but a kind; one kind; and sets whose members do not show each other."""
    everything = frozenset(i for kind in kinds for i in kind)
    sets = [everything]
    if len(kinds) > 1:
        sets += [everything - frozenset(kind) for kind in kinds]
        sets += [frozenset(kind) for kind in kinds]
    for first in (kind[0] for kind in kinds[:MOST_SHAPES]):
        for second in sorted(everything - {first}):
            hidden = {first}
            for i in (second, *sorted(everything - {second})):
                if not any(scaled.shown(a, b) for a in (*hidden, i) for b in (*hidden, i)):
                    hidden.add(i)
            sets.append(frozenset(hidden))
    return [chosen for chosen in dict.fromkeys(sets) if len(chosen) > 1]


def _differ(scaled: Structure, rivals: Sequence[int]) -> bool:
    """Whether some rival shows another one: then its price may be split in two ways."""
    return any(scaled.shown(a, i) for a in rivals for i in rivals if a != i)


def _start(shape: Shape, rise: float) -> tuple[float, ...]:
    return (*(0.5, 0.3, math.log(rise), 0.0) * len(shape.rivals), 0.4)


def _worth(scaled: Structure, shape: Shape, numbers: Sequence[float]) -> float:
    """What the pairs would prove, roughly."""
    try:
        duels = _arranged(scaled, shape, numbers).duels()
    except (RefutedError, OverflowError):
        return 0.0
    on, T = mesh(*COARSE), float(scaled.horizon)
    with np.errstate(all="ignore"):
        total = sum(times * estimate(on, T, duel) for duel, times in duels.items())
    return float(f"{total:.9g}") if math.isfinite(total) else 0.0


def _arranged(scaled: Structure, shape: Shape, numbers: Sequence[float]) -> PairsProof:
    """Base, alternatives and prices from the numbers of the search."""
    K, leader = len(scaled.variance), shape.leader
    base_weight = _short(min(max(numbers[-1], 0.02), 0.98))
    gaps, rises, falls, shares = {}, {}, {}, {}
    for p, kind in enumerate(shape.rivals):
        part, down, log_rise, share = numbers[4 * p : 4 * p + 4]
        for i in kind:
            rises[i] = _short(math.exp(min(log_rise, 0.0)))
            gaps[i] = min(rises[i] * _short(min(max(part, 0.0), 0.99)), rises[i])
            falls[i] = rises[i] * _short(min(max(down, 0.0), 4.0))
            shares[i] = _short(math.exp(share))
    top = min([Fraction(1), *(1 + gaps[i] - rises[i] for i in rises)])
    means = [ZERO] * K
    means[leader] = top
    for i in rises:
        means[i] = max(top - gaps[i], ZERO)
    losses = [top - mean for mean in means]
    whole = sum(shares.values(), ZERO)
    alternatives = []
    for i, rise in rises.items():
        moved = list(means)
        moved[i] = min(means[i] + rise, Fraction(1))
        moved[leader] = max(top - falls[i], ZERO)
        prices = tuple(base_weight * losses[a] * _part(scaled, shape, a, i) for a in range(K))
        weight = (1 - base_weight) * shares[i] / whole
        alternatives.append(Alternative(tuple(moved), weight, prices))
    case = Case(scaled.variance, tuple(means), Fraction(1), scaled.horizon)
    return PairsProof(case, tuple(alternatives), 0.0, *FINE)


def _part(scaled: Structure, shape: Shape, played: int, rival: int) -> Fraction:
    """How much of the price of an action goes to the alternative of this rival."""
    rivals = [i for kind in shape.rivals for i in kind]
    if shape.own and played in rivals:
        return Fraction(played == rival)
    shown = {i: scaled.shown(played, i) for i in rivals}
    total = sum(shown.values(), ZERO)
    return shown[rival] / total if total else Fraction(1, len(rivals))


def _short(x: float) -> Fraction:
    return Fraction(f"{x:.{DIGITS}g}")


def _improved(
    scaled: Structure, shape: Shape, worth: float, numbers: tuple[float, ...]
) -> tuple[float, Shape, tuple[float, ...]]:
    """Change one number at a time, as long as that helps, by steps that are halved."""
    steps = (*STEPS * len(shape.rivals), STEP_BASE)
    for halving in range(HALVINGS):
        for _ in range(SWEEPS):
            before = worth
            for place, step in enumerate(steps):
                for sign in (1, -1):
                    tried = list(numbers)
                    tried[place] = round(tried[place] + sign * step / 2**halving, DIGITS)
                    new = _worth(scaled, shape, tried)
                    if new > worth:
                        worth, numbers = new, tuple(tried)
                        break
            if worth == before:
                break
    return worth, shape, numbers
