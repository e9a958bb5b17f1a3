"""Search for alternatives to one problem: pairs that bound its own regret, in units of the range.

The base is the problem itself, with weight 1. If no policy of a kind loses more than B on any
means, its regret on the base is at least

    sum_k [ W_k(0, 1) - B w_k ]                                             (`pairing`, "regret")

for alternatives k with weights w_k, where the gaps of the base are split among them. For a given
split every alternative stands alone, so each is searched for by itself: it raises one rival and
lowers the best action, by more than the gap between them in all. A proof of [thm:lb-0] says which
rivals matter, and how the gaps are split: in proportion to what a play tells about each, weighed as
in that proof. Or a rival pays for its own alternative alone; both are tried.

`Relabelled` does the same for alternatives that are given (`orbit`): only their weights are free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..variances import Array
from .case import Case
from .hard_pairs import DIGITS, Ground, nine, short
from .pairing import LOWS, MOST_DUELS, Alternative, PairsProof
from .subsolution import Duel, guess, mesh

# Logarithms of the weights that are tried first.
WEIGHTS = (-6.0, -4.5, -3.0, -1.5)
ORBIT_WEIGHTS = (-6.0, -4.5, -3.0, -1.5, 0.0, 1.5)
# A move of less than this part of the range is none.
LEAST = 1e-9
# The logarithm of the weight, that of the move, the part of it that is the fall: first steps.
STEPS = (1.2, 0.6, 0.2)
HALVINGS, SWEEPS = 4, 5
CLAIM = "regret"
# On one problem X changes fast, and stays where the policy stops looking: fine in x, not in time.
ROUGH, MESH = (260, 40), (2600, 60)
# A rough guess is too high by up to this part of W, and a proof too low. Without this allowance the
# search would run to huge weights, where a small part of W is more than the bound itself.
SAFETY = 0.015

Numbers = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Base:
    """A problem in units of the range, exact and in floats."""

    case: Case

    @cached_property
    def ground(self) -> Ground:
        """Variances and horizon, in units of the range."""
        D, T = self.case.upper, self.case.horizon
        assert T is not None
        rows = self.case.variance
        return Ground(tuple(tuple(None if v is None else v / D**2 for v in r) for r in rows), T)

    @cached_property
    def means(self) -> tuple[Fraction, ...]:
        """The means in units of the range."""
        return tuple(mean / self.case.upper for mean in self.case.means)

    @cached_property
    def theta(self) -> Array:
        """The same in floats."""
        return np.array([float(mean) for mean in self.means])

    def moved(self, rival: int, excess: Fraction, part: Fraction) -> tuple[Fraction, ...]:
        """The rival raised and the best action lowered, by their gap and the excess in all."""
        best, means = self.case.best, list(self.means)
        lowered = Fraction(0) if best in self.ground.exact else part
        swing = means[best] - means[rival] + excess
        means[rival] = min(means[rival] + swing * (1 - lowered), Fraction(1))
        means[best] = max(means[best] - swing * lowered, Fraction(0))
        return tuple(means)


@dataclass(frozen=True)
class Found:
    """An alternative: its means, its weight, and what it adds to the bound, roughly."""

    means: tuple[Fraction, ...]
    weight: Fraction
    worth: float


def strongest(
    base: Base, most: float, rows: Sequence[tuple[float, Array]], least: float = 0.0
) -> PairsProof | None:
    """The pairs that prove most about the base, for policies with regret of at most B on any means.

    `most` is B in units of the range. `rows` are the weights and the means of the alternatives in
    a proof by rows [thm:lb-0]: they say who the rivals are, how to split the gaps, and where to
    begin. None if no more than `least` would be proved.
    """
    told = _told(base, rows)
    first = _starts(base, rows)
    rivals = tuple(k for k in told if k in first)[:MOST_DUELS]
    answers: list[tuple[float, dict[int, Found], dict[int, list[Fraction]]]] = []
    for own in (True, False):
        prices = _prices(base, {k: told[k] for k in rivals}, own)
        found = {k: _best(base, k, prices[k], most, first[k]) for k in rivals}
        useful = {k: one for k, one in found.items() if one.worth > 0}
        answers.append((sum(one.worth for one in useful.values()), useful, prices))
        if not any(told[i][a] > 0 for a in rivals for i in rivals if a != i):
            break  # both ways to split the gaps are the same
    worth, useful, prices = max(answers, key=lambda answer: answer[0])
    return _proof(base, useful, prices) if worth > least else None


def _told(base: Base, rows: Sequence[tuple[float, Array]]) -> dict[int, Array]:
    """For each rival, what a play of each action tells about the rows in which it is best."""
    free = [i for i in base.case.actions if i not in base.ground.exact and i != base.case.best]
    found: dict[int, Array] = {}
    for weight, means in rows:
        k = int(np.argmax(means))
        if k in free:
            told = weight * (base.ground.precision @ np.square(means - base.theta))
            found[k] = found.get(k, np.zeros(len(told))) + told
    return {k: found[k] for k in free if k in found and np.isfinite(found[k]).all()}


class Relabelled:
    """Alternatives that are given, by the action that is best in each: only weights are free."""

    def __init__(self, base: Base, given: dict[int, tuple[Fraction, ...]], own: bool) -> None:
        D = base.case.upper
        moved = {k: tuple(mean / D for mean in means) for k, means in given.items()}
        told = {
            k: base.ground.precision @ np.square(base.theta - np.array(means, dtype=float))
            for k, means in moved.items()
            if not any(means[i] != base.means[i] for i in base.ground.exact)
        }
        self.base = base
        self.moved = {k: moved[k] for k in told}
        self.prices = _prices(base, told, own)

    def first(self) -> float:
        """What one weight for all alternatives would prove, roughly."""
        searches = [self._search(k, 0.0) for k in self.moved]
        ratios = [
            sum(search.worth((weight,)) for search in searches)
            / (1 + len(searches) * math.exp(weight))
            for weight in ORBIT_WEIGHTS
        ]
        return max(ratios)

    def best(self, value: float) -> tuple[float, PairsProof | None]:
        """The weights that maximise the sum of W_k - v w_k for this value v.

        The number is the sum of W_k over one plus the sum of all weights, roughly.
        """
        starts = [(weight,) for weight in ORBIT_WEIGHTS]
        found = {k: self._search(k, value).climbed(starts, STEPS[:1]) for k in self.moved}
        useful = {k: one for k, one in found.items() if one.worth > 0}
        if not useful:
            return 0.0, None
        weights = float(sum(one.weight for one in useful.values()))
        total = sum(one.worth + value * float(one.weight) for one in useful.values())
        return total / (1 + weights), _proof(self.base, useful, self.prices)

    def _search(self, k: int, value: float) -> _Search:
        return _Search(self.base, self.prices[k], value, _always(self.moved[k]))


def _always(means: tuple[Fraction, ...]) -> Callable[[Numbers], tuple[Fraction, ...]]:
    return lambda numbers: means


class _Search:
    """One alternative with free numbers: the logarithm of its weight first."""

    def __init__(
        self,
        base: Base,
        prices: Sequence[Fraction],
        most: float,
        means: Callable[[Numbers], tuple[Fraction, ...]],
    ) -> None:
        self.base, self.most, self.means = base, most, means
        self.prices = tuple(nine(float(price)) for price in prices)
        self.T = float(base.ground.horizon)

    def worth(self, numbers: Numbers) -> float:
        """W - B w, roughly."""
        weight = float(short(math.exp(min(numbers[0], 8.0))))
        moved = np.array([float(mean) for mean in self.means(numbers[1:])])
        told = self.base.ground.precision @ np.square(self.base.theta - moved) / 2
        stakes = weight * (moved.max() - moved)
        duel = Duel(self.prices, tuple(map(nine, stakes)), tuple(map(nine, told)))
        worth = guess(mesh(*ROUGH, LOWS[CLAIM]), self.T, duel)
        value = worth * (1 - SAFETY) - self.most * weight
        return nine(value) if math.isfinite(value) else 0.0

    def climbed(self, starts: Sequence[Numbers], steps: Sequence[float]) -> Found:
        """The best start, improved one number at a time by steps that are halved."""
        worths = [self.worth(numbers) for numbers in starts]
        k = int(np.argmax(worths))
        worth, numbers = worths[k], starts[k]
        for halving in range(HALVINGS):
            for _ in range(SWEEPS):
                before = worth
                for place, step in enumerate(steps):
                    for sign in (1, -1):
                        tried = list(numbers)
                        tried[place] = round(tried[place] + sign * step / 2**halving, DIGITS)
                        new = self.worth(tuple(tried))
                        if new > worth:
                            worth, numbers = new, tuple(tried)
                            break
                if worth == before:
                    break
        weight = short(math.exp(min(numbers[0], 8.0)))
        return Found(self.means(numbers[1:]), weight, worth)


def _best(
    base: Base, rival: int, prices: Sequence[Fraction], most: float, start: Sequence[Numbers]
) -> Found:
    """The alternative that raises this rival, or lowers the best action to it."""

    def means(numbers: Numbers) -> tuple[Fraction, ...]:
        excess, part = short(math.exp(min(numbers[0], 0.0))), min(max(numbers[1], 0.0), 1.0)
        return base.moved(rival, excess, short(part))

    return _Search(base, prices, most, means).climbed(start, STEPS)


def _starts(base: Base, rows: Sequence[tuple[float, Array]]) -> dict[int, list[Numbers]]:
    """For each rival the numbers of the heaviest row in which it is best, with a few weights.

    They are rounded, so that it does not matter how the rows were found.
    """
    found: dict[int, list[Numbers]] = {}
    best = base.case.best
    for _, means in sorted(rows, key=lambda row: -row[0]):
        k = int(np.argmax(means))
        if k == best or k in found or len(means) != len(base.theta):
            continue
        rise, fall = means[k] - base.theta[k], base.theta[best] - means[best]
        swing = max(rise, 0.0) + max(fall, 0.0)
        excess = swing - (base.theta[best] - base.theta[k])
        if excess > LEAST:
            part, move = round(max(fall, 0.0) / swing, 1), round(math.log(excess), 1)
            found[k] = [(weight, move, part) for weight in WEIGHTS]
    return found


def _prices(base: Base, told: dict[int, Array], own: bool) -> dict[int, list[Fraction]]:
    """The gaps of the base, split among the rivals in proportion to what an action tells of them.

    With `own` a rival pays for its own alternative alone; so it does where it tells nothing.
    """
    prices: dict[int, list[Fraction]] = {k: [] for k in told}
    top = base.means[base.case.best]
    for played, mean in enumerate(base.means):
        parts = {k: Fraction(float(line[played])) for k, line in told.items()}
        if played in told and (own or not sum(parts.values())):
            parts = {k: Fraction(k == played) for k in told}
        whole = sum(parts.values(), Fraction(0))
        spent = Fraction(0)
        for k, part in parts.items():
            # Rounded like the starts; together never more than all.
            near = Fraction(f"{float(part / whole):.2f}") if whole else Fraction(0)
            share = min(near, 1 - spent)
            spent += share
            prices[k].append((top - mean) * share)
    return prices


def _proof(base: Base, found: dict[int, Found], prices: dict[int, list[Fraction]]) -> PairsProof:
    """The pairs in the units of the case."""
    D = base.case.upper
    alternatives = tuple(
        Alternative(
            tuple(mean * D for mean in one.means),
            one.weight,
            tuple(price * D for price in prices[k]),
        )
        for k, one in found.items()
    )
    return PairsProof(base.case, alternatives, 0.0, *MESH, claim=CLAIM)
