"""What a feedback structure is worth: who observes whom, and the numbers that follow.

S_i = {j : variance[i, j] < inf} is what playing i shows. An action i is [cor:lb-minimax]

    strongly observable   if i is in S_i, or every other action shows i
    weakly observable     otherwise

and the structure is weak if some action is: then the worst-case regret grows like T^(2/3) instead
of T^(1/2). How fast, is told by

    independence number        the largest set in which no action shows another
    weak domination number     the fewest actions that together show all weakly observable ones

Both are NP-hard, hence brackets; both have a version that is a linear program,

    rho_LP(A, A')  =  min sum(c)   over c >= 0 on A with sum_{j in A: i in S_j} c_j >= 1 for i in A'
    m(A, A')       =  max min_{i in A'} sum_{j in A: i in S_j} c_j   over distributions c on A

and these two are reciprocal [prop:domlp]: the best distribution is the cheapest plan, rescaled.

A graph counts an observation of variance 10^6 as seen. For graded variances, keep only the entries
of at most v and call what is left G_v; if it is strongly observable, it supports regret of order
sqrt(v independence(G_v) T). The best trade is the effective independence number (after Kocak, Neu
and Valko 2016),

    min over v >= r of (v / r) independence(G_v),

where r is the smallest v for which G_v still observes every action, and strongly so if the whole
structure does. For uniform variance it is the independence number. (It is defined for weakly
observable structures too, but there the rate follows the domination number.)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from . import cards
from .errors import InputError
from .feedback import Feedback
from .labels import display, first_names
from .programs import (
    Effort,
    FractionalCover,
    SetBracket,
    check_budget,
    fractional_cover,
    largest_independent_set,
    load_solver,
    smallest_cover,
)
from .setting import Given, setting_of
from .variances import Array, BoolArray

Actions = tuple[int, ...]

# Parts of what is left of the effort; a number that needs less leaves more to the next one.
FRACTIONAL, DOMINATION, INDEPENDENCE = 0.25, 0.35, 0.6


@dataclass(frozen=True)
class Bracket:
    """A number between `lower` and `upper`, with a set of actions that shows one of the two."""

    lower: float
    upper: float
    witness: Actions

    @property
    def proved(self) -> bool:
        """Whether the two ends meet."""
        return self.lower == self.upper

    @property
    def value(self) -> float | None:
        """The number itself, or None where it is not proved."""
        return self.lower if self.proved else None

    def __str__(self) -> str:
        return f"{self.lower:g}" if self.proved else f"between {self.lower:g} and {self.upper:g}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}, a witness of {len(self.witness)} actions>"


@dataclass(frozen=True, repr=False)
class GradedBracket(Bracket):
    """The effective independence number: independence(G_threshold) threshold / reference.

    The witness is independent among the observations of variance at most `threshold`.
    """

    threshold: float
    reference: float


@dataclass(frozen=True, eq=False)
class Coverage:
    """A distribution over actions, and m(A, A'): the least chance it gives any target."""

    value: float
    plan: Array

    def __repr__(self) -> str:
        return f"<Coverage {self.value:.6g}, a plan over {len(self.plan)} actions>"


ROWS = "Structure, with witnesses"
HEAD = ("structure", "value", "witness", "what the witness shows")
NO_WEAK = "no action is weakly observable"
MOST_NAMES = 12


@dataclass(frozen=True)
class Structure:
    """Observability of every action, and the numbers that decide the worst-case regret.

    Actions are indices; `feedback.labels` names them.
    """

    feedback: Feedback
    strong: Actions
    weak: Actions
    independence: Bracket
    domination: Bracket
    fractional: FractionalCover
    effective_independence: GradedBracket

    @property
    def observability(self) -> Literal["strong", "weak"]:
        """Weak if some action is weakly observable."""
        return "weak" if self.weak else "strong"

    @property
    def fractional_domination(self) -> float:
        """rho_LP([K], W); nan where the search stopped. `fractional` has plan and prices."""
        return self.fractional.value

    @property
    def shows(self) -> tuple[Actions, ...]:
        """S_i for every action i: what playing it shows."""
        return tuple(_indices(row) for row in self.feedback.observes)

    @property
    def shown_by(self) -> tuple[Actions, ...]:
        """For every action, those that show it."""
        return tuple(_indices(column) for column in self.feedback.observes.T)

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Every number in words: its name, its value, a witness, and what the witness shows."""
        labels, K = self.feedback.labels, len(self.feedback)
        seen = f"weak: {len(self.weak)} of {K} actions" if self.weak else "strong"
        loose = "actions seen only by playing others" if self.weak else NO_WEAK

        def named(actions: Actions) -> str:
            return first_names([display(labels[i]) for i in actions], MOST_NAMES, "...") or "-"

        def number(name: str, found: Bracket, shows: str) -> tuple[str, str, str, str]:
            proved = "" if found.proved else " (not proved in time)"
            return name, f"{found}{proved}", named(found.witness), shows

        rows = [
            ("observability", seen, named(self.weak), loose),
            number("independence number", self.independence, "none of them shows another"),
        ]
        if self.weak:
            together = "together they show every weakly observable action"
            rows.append(number("weak domination number", self.domination, together))
            rows.append(("fractional domination", *_fractional_words(self)))
        if not self.feedback.is_uniform:
            graded = self.effective_independence
            trade = f"independent among sigmas up to {math.sqrt(graded.threshold):.4g}"
            rows.append(number("effective independence number", graded, trade))
        return rows

    def __repr__(self) -> str:
        numbers = [f"independence {self.independence}"]
        numbers += [f"weak domination {self.domination}"] if self.weak else []
        return (
            f"<Structure: {len(self.feedback)} actions, {self.observability}, {', '.join(numbers)}>"
        )

    def _repr_html_(self) -> str:
        return cards.card(repr(self)[1:-1], cards.numbers(ROWS, HEAD, self.rows(), 4))


def _fractional_words(found: Structure) -> tuple[str, str, str]:
    cover, labels = found.fractional, found.feedback.labels
    if math.isnan(cover.value):
        return "not computed in time", "-", "-"
    parts = [f"{c:.4g} x {display(labels[i])}" for i, c in enumerate(cover.plan) if c > 0]
    priced = [
        f"{display(labels[i])}: {price:.4g}"
        for i, price in zip(found.weak, cover.prices, strict=True)
        if price > 0
    ]
    proof = f"a plan of that cost; prices that prove it: {', '.join(priced[:MOST_NAMES])}"
    return f"{cover.value:.6g}", first_names(parts, MOST_NAMES, "..."), proof


def structure(feedback: Given, budget: float | None = None) -> Structure:
    """Analyse the feedback.

    With up to ten actions every number is proved. In larger structures a search stops after a fixed
    amount of work, the same on every machine, and what is not proved by then comes as a bracket.
    `budget` is a limit in seconds on top of that; with one, brackets depend on the machine.
    """
    feedback = setting_of(feedback).feedback
    seconds = check_budget(budget)
    load_solver()
    effort = Effort.on(len(feedback), seconds)
    observes = feedback.observes
    is_strong = strongly_observable(observes)
    weak = _indices(~is_strong)
    hits = observes[:, list(weak)]
    relaxed = fractional_cover(hits, effort.part(FRACTIONAL))
    cover = smallest_cover(hits, relaxed, effort.part(DOMINATION))
    share = 1.0 if feedback.is_uniform else INDEPENDENCE
    alone = largest_independent_set(observes | observes.T, effort.part(share))
    independence = Bracket(alone.lower, alone.upper, alone.witness)
    effective = effective_independence(feedback, independence, effort)
    if math.isnan(relaxed.value):  # its share was too small: it gets what is left
        relaxed = fractional_cover(hits, effort)
    return Structure(
        feedback=feedback,
        strong=_indices(is_strong),
        weak=weak,
        independence=independence,
        domination=Bracket(cover.lower, cover.upper, cover.witness),
        fractional=relaxed,
        effective_independence=effective,
    )


def strongly_observable(observes: BoolArray) -> BoolArray:
    """For each action: does it show itself, or do all others show it?"""
    by_others = observes.sum(axis=0) - observes.diagonal()
    return np.asarray(observes.diagonal() | (by_others == len(observes) - 1))


def rho_lp(
    feedback: Feedback,
    players: Iterable[int],
    targets: Iterable[int],
    budget: float | None = None,
) -> FractionalCover:
    """rho_LP(A, A'): the cheapest plan over `players` that observes each of `targets` once.

    The plan has an entry for every action, 0 outside `players`. The value is inf if a target is
    never shown, and nan where the search stopped before its end: see `structure`.
    """
    effort = Effort.on(len(feedback), check_budget(budget))
    rows, columns = _subset(feedback, players, "players"), _subset(feedback, targets, "targets")
    load_solver()
    hits = feedback.observes[np.ix_(rows, columns)]
    cover = fractional_cover(hits, effort)
    plan = np.zeros(len(feedback))
    plan[list(rows)] = cover.plan
    return FractionalCover(cover.value, plan, cover.prices)


def coverage(
    feedback: Feedback,
    players: Iterable[int],
    targets: Iterable[int],
    budget: float | None = None,
) -> Coverage:
    """m(A, A') = 1/rho_LP(A, A') and the distribution c(A, A') that attains it [prop:domlp].

    No targets: inf, and no distribution is better than another. An unseen target: 0.
    """
    cover = rho_lp(feedback, players, targets, budget)
    if math.isnan(cover.value):
        return Coverage(math.nan, cover.plan)
    if not 0 < cover.value < math.inf:
        return Coverage(math.inf if cover.value == 0 else 0.0, cover.plan)
    return Coverage(1.0 / cover.value, cover.plan / cover.plan.sum())


def effective_independence(
    feedback: Feedback, independence: Bracket, effort: Effort
) -> GradedBracket:
    """The best trade between how noisy the observations are that we use, and how many there are.

    G_v only gains edges with v, so its independence number only falls: between two thresholds whose
    numbers are known, everything is at least (the lower threshold) x (the number at the upper one).
    """
    thresholds = _thresholds(feedback)
    reference = float(thresholds[0])
    known: dict[int, Bracket | SetBracket] = {len(thresholds) - 1: independence}
    if len(thresholds) > 1:
        known[0] = largest_independent_set(_graph(feedback, reference), effort.part(0.5))
    if len(thresholds) == 1 or reference == 0:  # anything noisier than exact costs infinitely more
        only = known[0]
        return GradedBracket(only.lower, only.upper, only.witness, reference, reference)
    with np.errstate(over="ignore"):  # a ratio that no float can hold is never the best trade
        scale = thresholds / reference

    def best() -> int:
        return min(known, key=lambda k: scale[k] * known[k].upper)

    unknown: list[float] = []
    spans = [(0, len(thresholds) - 1)]
    while spans:
        low, high = spans.pop()
        floor = scale[low + 1] * known[high].lower if high - low > 1 else math.inf
        if floor >= scale[best()] * known[best()].upper:
            continue
        if effort.is_over():
            unknown.append(float(floor))
            continue
        middle = (low + high) // 2
        graph = _graph(feedback, thresholds[middle])
        known[middle] = largest_independent_set(graph, effort.part(0.5))
        spans += [(middle, high), (low, middle)]
    k = best()
    upper = float(scale[k] * known[k].upper)
    lower = min(upper, *unknown, *(float(scale[j] * known[j].lower) for j in known))
    return GradedBracket(lower, upper, known[k].witness, float(thresholds[k]), reference)


def _thresholds(feedback: Feedback) -> Array:
    """The distinct variances from the reference r on."""
    values = np.unique(feedback.variance[feedback.observes])
    strong = bool(strongly_observable(feedback.observes).all())
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        graph = _graph(feedback, values[middle])
        enough = strongly_observable(graph).all() if strong else graph.any(axis=0).all()
        low, high = (low, middle) if enough else (middle + 1, high)
    return np.asarray(values[low:])


def _graph(feedback: Feedback, threshold: float) -> BoolArray:
    return np.asarray(feedback.variance <= threshold)


def _indices(mask: BoolArray) -> Actions:
    return tuple(int(i) for i in np.flatnonzero(mask))


def _subset(feedback: Feedback, actions: Iterable[int], what: str) -> Actions:
    try:
        chosen = tuple(dict.fromkeys(operator.index(action) for action in actions))
    except TypeError:
        raise InputError(
            f"{what} must be numbers of actions, not {actions!r}; feedback.index(label) finds one"
        ) from None
    wrong = [i for i in chosen if not 0 <= i < len(feedback)]
    if wrong:
        raise InputError(f"{what} holds {wrong[0]}; actions are 0 to {len(feedback) - 1} here")
    return chosen
