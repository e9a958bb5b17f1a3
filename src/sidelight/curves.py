"""Bounds against the horizon: numbers first, ink second (`figures`).

Lower bounds on one problem speak of policies whose worst-case regret is at most B, and B has to
grow with the horizon: a fixed B would soon be below what any policy can do. The default is the
minimax rate with constant 1,

    B(T) = s0 sqrt(E T)           strongly observable   E the effective independence number, s0 the
                                                        root of its reference variance
    B(T) = (D R)^(1/3) T^(2/3)    weakly observable     R the cheapest plan of unit information
                                                        about every weakly observable action

which for uniform variance is sigma sqrt(kappa T) and (rho_LP D)^(1/3) (sigma T)^(2/3).

`trivial` is what can be lost at all, T times the largest gap: a guarantee above it says nothing.

`sandwich_curves` are the two proved bounds on the worst case, for every problem with a feedback.

`limit` is the exact asymptotic constant times log T. It is the slope that regret tends to, not a
bound at any horizon, and is marked as such.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from . import bounds, guarantees
from .bounds import Bound
from .bounds.hard_sets import known_structure
from .bounds.titles import GUARANTEES, unfinished
from .errors import InputError, choose_from
from .feedback import Feedback
from .problem import Problem
from .programs.allocation import allocate
from .sandwich import sandwich
from .structure import Structure
from .variances import Array, BoolArray

WorstCase = Callable[[float], float]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PowerLaw:
    """B(T) = scale T^exponent, and where it comes from."""

    scale: float
    exponent: float
    words: str

    def __call__(self, horizon: float) -> float:
        """B at this horizon."""
        return self.scale * math.pow(horizon, self.exponent)


@dataclass(frozen=True, eq=False)
class Curve:
    """One bound over a range of horizons; `values` is nan where it does not hold.

    `kind` is "lower", "upper" or "limit"; `note` says where the curve holds, or why it does not.
    """

    name: str
    kind: str
    horizons: Array
    values: Array
    note: str

    def __repr__(self) -> str:
        points = f"{len(self.horizons)} horizons"
        return f"<Curve {self.name!r}: {self.kind}, {points}, {self.note[:60]}>"

    @property
    def valid(self) -> BoolArray:
        """Where the bound holds."""
        return np.asarray(~np.isnan(self.values))


def minimax_rate(feedback: Feedback, upper: float, found: Structure | None = None) -> PowerLaw:
    """The default B(T): the minimax rate of this structure, with constant 1."""
    found = found or known_structure(feedback, None)
    if found.weak:
        needs = np.zeros(len(feedback))
        needs[list(found.weak)] = 1.0
        cost = allocate(np.ones(len(feedback)), feedback.precision, needs).value
        law = PowerLaw((upper * cost) ** (1 / 3), 2 / 3, "(upper R)^(1/3) T^(2/3)")
    else:
        graded = found.effective_independence
        law = PowerLaw(math.sqrt(graded.reference * graded.upper), 1 / 2, "s0 sqrt(E T)")
    exact = PowerLaw(upper * len(feedback), 0.0, "K upper: one exact look at each action is enough")
    return law if law.scale > 0 else exact


@dataclass(frozen=True, eq=False)
class _Point:
    """Where a bound is asked for; `last` is the same bound at the horizon before."""

    problem: Problem
    horizon: float
    worst_case: float
    last: Bound | None


_BOUNDS: dict[str, Callable[[_Point], Bound]] = {
    "finite_time": lambda at: bounds.finite_time(at.problem, at.horizon, at.worst_case),
    "general": lambda at: bounds.general(at.problem, at.horizon, at.worst_case),
    "minimax": lambda at: bounds.minimax(at.problem.feedback, at.problem.upper, at.horizon),
    "minimax_computed": lambda at: bounds.minimax_computed(
        at.problem.feedback, at.problem.upper, at.horizon
    ),
    "limit": lambda at: at.last or bounds.graves_lai(at.problem),
    GUARANTEES["asymptotic"]: lambda at: guarantees.asymptotic(at.problem, at.horizon),
    GUARANTEES["minimax"]: lambda at: guarantees.minimax(
        at.problem.feedback, at.problem.upper, at.horizon
    ),
    GUARANTEES["instance"]: lambda at: guarantees.instance(at.problem, at.horizon),
}
TRIVIAL = "trivial"
NAMES = (*_BOUNDS, TRIVIAL)
SLOW = ("minimax_computed",)  # seconds for every point: only where it is asked for


def as_worst_case(given: WorstCase | float | None, default: WorstCase) -> WorstCase:
    """B(T) from a function, from one number for all horizons, or by default."""
    if given is None:
        return default
    if callable(given):
        return given
    constant = float(given)
    return lambda horizon: constant


def curves(
    problem: Problem,
    horizons: Iterable[float],
    worst_case: WorstCase | float | None = None,
    names: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> tuple[Curve, ...]:
    """Bounds on the regret of one problem over a range of horizons.

    `names` picks from `NAMES`, by default all but those in `SLOW`. `progress` is called with points
    done and in all.
    """
    chosen = tuple(names) if names is not None else tuple(n for n in NAMES if n not in SLOW)
    for name in chosen:
        if name not in NAMES:
            raise InputError(f"no curve is called {name!r}; {choose_from(name, NAMES)}")
    points = np.array(sorted(float(T) for T in horizons))
    rate = minimax_rate(problem.feedback, problem.upper)
    law = as_worst_case(worst_case, rate)
    done, searched = 0, len([name for name in chosen if name != TRIVIAL])
    drawn = []
    for name in chosen:
        if name == TRIVIAL:
            drawn.append(_trivial(problem, points))
            continue
        found: list[Bound] = []
        for T in points:
            last = found[-1] if found else None
            found.append(_BOUNDS[name](_Point(problem, float(T), law(float(T)), last)))
            done += 1
            if progress is not None:
                progress(done, searched * len(points))
        drawn.append(_curve(name, points, found))
    return tuple(drawn)


def _trivial(problem: Problem, horizons: Array) -> Curve:
    most = horizons * float(problem.gaps.max())
    return Curve(TRIVIAL, "upper", horizons, most, "holds at every horizon shown")


def sandwich_curves(
    feedback: Feedback,
    upper: float,
    horizons: Iterable[float],
    progress: Progress | None = None,
) -> tuple[Curve, Curve]:
    """What every policy loses on some means, and what one policy never exceeds, by horizon.

    Every point is a `sandwich`, which takes a second or more. Neither curve falls: what is lost in
    fewer rounds is lost in more, and a promise for more rounds is one for fewer.
    """
    points = np.array(sorted(float(T) for T in horizons))
    found = []
    for done, T in enumerate(points, start=1):
        found.append(sandwich(feedback, upper, float(T)))
        if progress is not None:
            progress(done, len(points))
    policies = ", ".join(dict.fromkeys(both.policy for both in found))
    lowers = np.maximum.accumulate([both.lower.value for both in found])
    uppers = np.minimum.accumulate([both.upper.value for both in found][::-1])[::-1]
    return (
        Curve("must lose", "lower", points, lowers, "holds at every horizon shown"),
        Curve("need not lose more", "upper", points, uppers, f"kept by {policies}"),
    )


def _curve(name: str, horizons: Array, found: list[Bound]) -> Curve:
    holds = np.array([bound.valid for bound in found])
    values = np.where(holds, [bound.value for bound in found], np.nan)
    kind = "upper" if name in GUARANTEES.values() else "lower"
    if name == "limit":
        kind, values = "limit", values * np.log(horizons)
    if holds.all():
        note = "holds at every horizon shown"
    elif holds.any():
        first = float(horizons[holds.argmax()])
        note = f"holds from {first:.3g} rounds on, among those shown"
    else:
        note = found[-1].why
    left = sorted({words for bound in found if (words := unfinished(bound))}, reverse=True)
    note += "".join(f"; {words}" for words in left)
    return Curve(name, kind, horizons, values, note)
