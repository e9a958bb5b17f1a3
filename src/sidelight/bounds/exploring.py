"""How often to play each action before committing: a search, in floats, for a good plan.

The worst regret of a plan is looked for uphill, from equal gaps, one kind of actions at a time and
then one action at a time. Plans are improved one kind of actions at a time, by factors that shrink.
That compares hundreds of plans, and for most of them a few hard gaps are enough (`Hard`): those on
which the plan found so far loses most are added until it loses no more than they say. Hard gaps are
kept as multiples of standard deviations, so that they are hard for longer and shorter plans, too.

Whatever is found is a plan and a guess of its worst case. `commitment` and `apart` prove bounds, so
a bad guess costs tightness and never truth. Every loop has a fixed number of turns, and losses are
compared to nine digits, so that the last bits of a mathematical library decide nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..variances import Array
from .kinds import alike

# Gaps that are tried, in standard deviations of a difference; 0 and the whole range come on top.
LEVELS = np.geomspace(0.2, 6.0, 20)
SWEEPS = 2
REFINEMENTS = (1.12, 1.04, 1.012)
# Factors by which plays are changed, each tried until it no longer helps.
FACTORS = (1.6, 1.25, 1.1, 1.04)
TURNS = 6
# A kind of actions that is not played is tried with this part of the largest number of plays.
RETURN = 0.2
# Equal gaps that plans are compared on at first, in standard deviations of a difference.
EQUAL = (0.5, 0.8, 1.1, 1.5, 2.0, math.inf)
# How often hard gaps are added, and when they are hard enough, relatively.
CUTS = 8
HARDER = 0.002
NODES = 45
MOST_SUPPORTS = 12
MOST_WAYS = 64
# With more kinds of actions only the length of a plan is improved.
MANY = 8


def below(x: Array) -> Array:
    """The chance that a standard normal number is less than x."""
    from scipy.special import ndtr  # noqa: PLC0415 - a fifth of a second of each start, for this

    return np.asarray(ndtr(x))


@dataclass(frozen=True, eq=False)
class Explored:
    """What is known after a plan, in floats: plays and standard deviations of the averages."""

    plays: Array
    sds: Array
    upper: float
    rest: float

    def kinds(self) -> list[list[int]]:
        """Actions that may change places."""
        groups: dict[tuple[float, float], list[int]] = {}
        for i, (n, s) in enumerate(zip(self.plays, self.sds, strict=True)):
            groups.setdefault((float(n), round(float(s), 15)), []).append(i)
        return list(groups.values())

    def regrets(self, gaps: Array) -> Array:
        """R for each row of gaps."""
        chances = np.stack([self._chance(gaps, i) for i in range(len(self.sds))], axis=1)
        return np.asarray(gaps @ self.plays + self.rest * (gaps * chances).sum(axis=1))

    def _chance(self, gaps: Array, i: int) -> Array:
        """The chance that the average of i is largest."""
        own = self.sds[i]
        rivals = [j for j in range(len(self.sds)) if j != i]
        smallest = min([self.sds[j] for j in rivals if self.sds[j] > 0] or [own])
        if own == 0:
            nodes, weights = np.zeros(1), np.ones(1)
        else:
            count = NODES * min(8, max(1, math.ceil(own / smallest)))
            z = np.linspace(-7.0, 7.0, count)
            weights = np.exp(-0.5 * z * z)
            nodes, weights = own * z, weights / weights.sum()
        product = np.broadcast_to(weights, (len(gaps), len(weights))).copy()
        for j in rivals:
            beyond = nodes + (gaps[:, j] - gaps[:, i])[:, None]
            product *= below(beyond / self.sds[j]) if self.sds[j] > 0 else beyond > 0
        return np.asarray(product.sum(axis=1))


@dataclass(frozen=True, eq=False)
class Worst:
    """The largest regret that was found, where it is, and which action is best there."""

    value: float
    gaps: Array
    best: int


def worst(known: Explored, *, thorough: bool = False) -> float:
    """The largest regret that is found over gaps in [0, D].

    Actions that may change places have equal gaps in it, unless the search is thorough.
    """
    return max((found.value for found in worsts(known, thorough=thorough)), default=0.0)


def worsts(known: Explored, *, thorough: bool = False) -> list[Worst]:
    """The same for each kind of best action."""
    kinds = known.kinds()
    return [_uphill(known, kind[0], kinds, thorough) for kind in kinds]


def _uphill(known: Explored, best: int, kinds: list[list[int]], thorough: bool) -> Worst:
    """The worst gaps with this best action."""
    moving = [[i for i in kind if i != best] for kind in kinds]
    moving = [kind for kind in moving if kind]
    single = [[i] for kind in moving if len(kind) > 1 for i in kind] if thorough else []
    unit = math.hypot(float(known.sds[best]), float(known.sds.max()))
    levels = np.array([0.0, *np.minimum(LEVELS * unit, known.upper), known.upper])
    starts = _starts(known, moving, levels)
    values = known.regrets(starts)
    gaps, top = starts[int(np.argmax(values))], float(values.max())
    for _ in range(SWEEPS):
        for moved in (*moving, *single):
            gaps, top = _improved(known, gaps, top, moved, levels)
    for factor in REFINEMENTS:
        for moved in (*moving, *single):
            near = float(gaps[moved[0]]) * np.array([1 / factor, factor])
            gaps, top = _improved(known, gaps, top, moved, np.minimum(near, known.upper))
    return Worst(top, gaps, best)


def _starts(known: Explored, moving: list[list[int]], levels: Array) -> Array:
    """Equal gaps for some actions, while others, of each kind so many, are as bad as can be."""
    counts = [range(len(kind) + 1) for kind in moving]
    ways = itertools.islice(itertools.product(*counts), MOST_WAYS)
    rows = []
    for way in ways:
        row = np.zeros((len(levels), len(known.sds)))
        for kind, far in zip(moving, way, strict=True):
            row[:, kind] = levels[:, None]
            row[:, kind[:far]] = known.upper
        rows.append(row)
    return np.concatenate(rows)


def _improved(
    known: Explored, gaps: Array, top: float, moved: list[int], levels: Array
) -> tuple[Array, float]:
    """The best of some common gaps for the actions that are moved."""
    tried = np.repeat(gaps[None, :], len(levels), axis=0)
    tried[:, moved] = levels[:, None]
    values = known.regrets(tried)
    k = int(np.argmax(values))
    return (tried[k], float(values[k])) if values[k] > top else (gaps, top)


def single_gaps(known: Explored) -> float:
    """A bound for any number of actions, in floats: every gap by itself (`apart`), where lambda is
    a number and not a function."""
    kinds = sorted(known.kinds(), key=lambda kind: float(known.sds[kind[0]]))
    # The worst best action is mostly the one that is known best or worst.
    return max(_single(known, kind[0], kinds) for kind in (kinds[0], kinds[-1]))


def _single(known: Explored, best: int, kinds: list[list[int]]) -> float:
    rest, upper = known.rest, known.upper
    unit = math.hypot(float(known.sds[best]), float(known.sds.max()))
    lambdas = np.minimum(np.linspace(0.0, 4.0, 21) * unit, upper)
    total = rest * lambdas
    for kind in kinds:
        count = len(kind) - (best in kind)
        pair = math.hypot(float(known.sds[best]), float(known.sds[kind[0]]))
        levels = np.array([*np.minimum(LEVELS * pair, upper), upper])
        beaten = below(-levels / pair) if pair else np.zeros(len(levels))
        kept = np.maximum(levels[:, None] - lambdas, 0.0) * beaten[:, None]
        lost = known.plays[kind[0]] * levels[:, None] + rest * kept
        total = total + count * lost.max(axis=0)
    return float(total.min())


# ---- hard gaps ---------------------------------------------------------------------------------


class Hard:
    """A few gaps that are hard for plans, each in standard deviations of a difference from its best
    action; inf is the whole range."""

    def __init__(self, actions: int) -> None:
        self.best: list[int] = []
        self.rows: list[Array] = []
        for best in range(actions):
            for level in EQUAL:
                self._keep(best, np.where(np.arange(actions) == best, 0.0, level))

    def _keep(self, best: int, row: Array) -> None:
        self.best.append(best)
        self.rows.append(row)

    def learn(self, known: Explored, found: Worst) -> None:
        """Add the worst gaps of a plan."""
        units = self._units(known, np.array([found.best]))[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            row = np.where(found.gaps >= known.upper, np.inf, found.gaps / units)
        self._keep(found.best, np.where(found.gaps > 0, row, 0.0))

    def cost(self, known: Explored) -> float:
        """The largest regret of a plan on these gaps."""
        best, rows = np.array(self.best), np.array(self.rows)
        units = self._units(known, best)
        with np.errstate(invalid="ignore"):
            gaps = np.where(np.isinf(rows), known.upper, np.minimum(rows * units, known.upper))
        return float(known.regrets(gaps).max())

    @staticmethod
    def _units(known: Explored, best: npt.NDArray[np.int64]) -> Array:
        return np.asarray(np.hypot(known.sds[best][:, None], known.sds[None, :]))


# ---- plans -------------------------------------------------------------------------------------

Cost = Callable[[Explored], float]
Found = tuple[float, tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Planner:
    """A structure on which plans are compared; `few` says that there are few enough actions to look
    for the worst gaps of a plan."""

    precision: Array
    upper: float
    horizon: float
    few: bool

    def known(self, plays: Sequence[int]) -> Explored | None:
        """What a plan leaves known; None if it leaves an action unseen or takes too long."""
        counts = np.array(plays, dtype=float)
        if counts.sum() > self.horizon:
            return None
        used = counts > 0
        seen = (counts[used, None] * self.precision[used]).sum(axis=0)
        if not seen.all():
            return None
        return Explored(counts, 1.0 / np.sqrt(seen), self.upper, self.horizon - counts.sum())

    def loss(self, plays: Sequence[int], cost: Cost) -> float:
        """The cost to nine digits; inf for what is no plan."""
        known = self.known(plays)
        return math.inf if known is None else float(f"{cost(known):.9g}")


def has_plan(planner: Planner) -> bool:
    """Whether `best_plan` finds a plan: it does if it can start with one."""
    kinds = alike(planner.precision)
    starts = (_whole(kinds, even) for even in _even(planner, kinds))
    return any(planner.known(plays) is not None for plays in starts)


def best_plan(planner: Planner) -> tuple[int, ...] | None:
    """The cheapest plan that was found; None if no plan shows everything in time."""
    kinds = alike(planner.precision)
    hard = Hard(len(planner.precision)) if planner.few else None
    cost = single_gaps if hard is None else hard.cost
    starts = _started(planner, kinds, cost)
    if not starts:
        return None
    if hard is None:
        return _whole(kinds, min(_refined(planner, kinds, cost, start) for start in starts)[1])
    found = [_against(planner, kinds, hard, start) for start in starts]
    return _whole(kinds, min(found)[1])


def _against(planner: Planner, kinds: list[list[int]], hard: Hard, start: Found) -> Found:
    """The best plan from a start, against gaps that are added as long as they are harder."""
    found = []
    for _ in range(CUTS):
        # From the start again: what was dropped against easier gaps does not come back.
        again = _loss(planner, kinds, hard.cost, start[1]), start[1]
        supposed, amounts = _refined(planner, kinds, hard.cost, again)
        known = planner.known(_whole(kinds, amounts))
        assert known is not None
        worst_cases = worsts(known)
        loss = float(f"{max(case.value for case in worst_cases):.9g}")
        found.append((loss, amounts))
        if loss <= supposed * (1 + HARDER):
            break
        for case in worst_cases:
            hard.learn(known, case)
    return min(found)


def _started(planner: Planner, kinds: list[list[int]], cost: Cost) -> list[Found]:
    """The best of equal plays of some kinds, and the best of those that play other actions."""
    found = sorted((_loss(planner, kinds, cost, even), even) for even in _even(planner, kinds))
    if not found or found[0][0] == math.inf:
        return []
    first = found[0]
    used = [amount > 0 for amount in first[1]]
    others = [start for start in found[1:] if [a > 0 for a in start[1]] != used]
    return [first, *others[:1]] if others and others[0][0] < 1.5 * first[0] else [first]


def _even(planner: Planner, kinds: list[list[int]]) -> Iterator[tuple[float, ...]]:
    """Equal plays of some kinds, fewer and fewer of them."""
    for support in _supports(planner, kinds):
        total = sum(len(kind) for kind, used in zip(kinds, support, strict=True) if used)
        for k in range(1, 60):
            each = planner.horizon / total / 2**k
            if each >= 0.4:
                yield tuple(each if used else 0.0 for used in support)


def _refined(planner: Planner, kinds: list[list[int]], cost: Cost, start: Found) -> Found:
    """Change the plays of one kind, or of all, as long as that helps."""
    loss, amounts = start
    for factor in FACTORS:
        for _ in range(TURNS):
            before = loss
            for change in _changes(len(kinds), factor):
                tried = _changed(amounts, change)
                new = _loss(planner, kinds, cost, tried)
                if new < loss:
                    loss, amounts = new, tried
            if loss == before:
                break
    return loss, amounts


def _changed(amounts: tuple[float, ...], change: tuple[float, ...]) -> tuple[float, ...]:
    """Each amount times its factor; what is not played comes back as a part of what is."""
    back = RETURN * max(amounts)
    return tuple(back if a == 0 and c > 1 else a * c for a, c in zip(amounts, change, strict=True))


def _changes(kinds: int, factor: float) -> list[tuple[float, ...]]:
    whole = [(factor,) * kinds, (1 / factor,) * kinds]
    if kinds == 1 or kinds > MANY:
        return whole
    one = [
        tuple(change if k == c else 1.0 for k in range(kinds))
        for c in range(kinds)
        for change in (factor, 1 / factor)
    ]
    none = [tuple(0.0 if k == c else 1.0 for k in range(kinds)) for c in range(kinds)]
    return whole + none + one


def _loss(planner: Planner, kinds: list[list[int]], cost: Cost, amounts: Sequence[float]) -> float:
    return planner.loss(_whole(kinds, amounts), cost)


def _whole(kinds: list[list[int]], amounts: Sequence[float]) -> tuple[int, ...]:
    """Whole numbers of plays, of three digits: a fourth changes the regret by nothing."""
    plays = [0] * sum(map(len, kinds))
    for kind, amount in zip(kinds, amounts, strict=True):
        for i in kind:
            plays[i] = int(float(f"{round(amount):.3g}"))
    return tuple(plays)


def _supports(planner: Planner, kinds: list[list[int]]) -> list[tuple[bool, ...]]:
    """Kinds of actions to play: those that show everything, small ones first."""
    shows = np.array([(planner.precision[kind] > 0).any(axis=0) for kind in kinds])
    order = sorted(range(len(kinds)), key=lambda c: -int(shows[c].sum()))[:6]
    found = []
    for size in range(1, len(order) + 1):
        for chosen in itertools.combinations(sorted(order), size):
            if shows[list(chosen)].any(axis=0).all():
                found.append(tuple(c in chosen for c in range(len(kinds))))
    found = found[: MOST_SUPPORTS - 1]
    return [*found, tuple(True for _ in kinds)]
