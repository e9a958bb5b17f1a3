"""Closed-form lower bounds on the worst-case regret of every policy [cor:lb-minimax].

Each takes one hard problem and says: a policy whose regret never exceeds B has regret at least B
on it. With D = `upper`, s_i = min_j variance[j, i] and the hard sets of `hard_sets`:

    paper, strong      sigma sqrt(kappa T / (64 e))                   T >= e sigma^2 kappa^3 / D^2
    paper, weak        (rho D)^(1/3) (sigma T / log K)^(2/3) / 73     T >= .21148 rho
                                                                           (sigma / (D log K))^2
    better one         sqrt(T V / (32 e))                             T >= 2 e V (k + 1)^2 / D^2
    hidden set         (R D T^2 / (256 e))^(1/3), level D/2           T >= 16 sqrt(e) R / D^2
    hidden set, high   the root of B^3 = R (D - x) T^2 / (128 e),     the same
                       x = 8 sqrt(e) B / T, level D - x
    tied pair          s (1 - sqrt(1 - e^(-2 s^2))) sqrt(2 T / q)     all T
                       with s = min(.4200359, D sqrt(q T / 8))

The first two are the paper's, for strongly and weakly observable structures that are not (general)
full information; the threshold of the second is missing there, and without it the statement is
false. The others are ours. V is the sum of s_i over k actions, which with one more form a set in
which no action shows another (k sigma^2 for uniform variance); R is the price of the hidden set
(sigma^2 rho_LP for uniform variance); q is the information about the pair (2 / sigma^2 in full
information, 1 / sigma^2 for two bandit actions). Each holds for every structure, strong or weak,
that has such a set.

Departures from the paper. Its sigma is for uniform variance: for others we take the sharpest
observation (sigma_min), never an upper bound. A set that was found stands for the largest one.
Near its threshold, the paper's problem for kappa = 1 leaves [0, D]^K; another one takes its place.
The proof of the weak form counts where ours add up, so it has no certificate: `closed_forms` lists
it, `minimax` never chooses it. (It would win only where rho exceeds 10^5.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..feedback import Feedback
from ..numerals import grouped
from ..programs import check_budget
from ..setting import Given, resolved
from .bound import Bound, Candidate
from .case import Case
from .certificate import Certificate
from .hard_problems import BetterOne, Game, better_one, blind_pair, hidden_tie, tied_pair
from .hard_sets import HardSets, hard_sets
from .inputs import positive

E = math.e
ROOT_E = math.sqrt(E)
# The maximiser of s (1 - sqrt(1 - exp(-2 s^2))); the maximum is 0.1910009.
TIE = 0.4200359
NAME = "minimax"
# A closed form is an equality of reals; this much below it the exact check has room.
ROOM = 1e-12


@dataclass(frozen=True, eq=False)
class Form:
    """A closed form before it is decided whether it holds: `obstacle` says why it cannot.

    `certify` makes the certificate of a worst-case regret just below `value`.
    """

    method: str
    source: str
    value: float = 0.0
    threshold: float = math.inf
    certify: Callable[[float], Certificate] | None = None
    obstacle: str = ""


def minimax(
    feedback: Given,
    upper: float | None = None,
    horizon: float | None = None,
    budget: float | None = None,
) -> Bound:
    """The largest closed-form lower bound on worst-case regret that holds here [cor:lb-minimax].

    The hard sets are sought as far as `structure` goes, and remembered for other horizons; `budget`
    is a limit in seconds on top of that. A `Setting` may say the range and the horizon.
    """
    known, upper, horizon = resolved(feedback, upper, horizon, "bounds.minimax")
    game = _game(known, upper, horizon)
    if len(known) == 1:
        why = "there is only one action: nothing can be lost"
        return Bound(NAME, 0.0, True, why, _nothing(game), method="trivial")
    forms = closed_forms(known, upper, horizon, budget)
    sets = hard_sets(known, check_budget(budget))
    for form in sorted(forms, key=lambda form: -form.value):
        proof = form.certificate
        if form.applies and isinstance(proof, Certificate) and proof.check():
            return Bound(
                NAME,
                form.value,
                True,
                form.why,
                proof,
                method=form.method,
                candidates=forms,
                means=np.array([float(mean) for mean in proof.case.means]),
                stopped=sets.stopped,
                sampled=sets.sampled,
            )
    provable = [form.horizon for form in forms if form.source == "ours"]
    why = "everything is seen exactly, and then no closed form holds"
    if min(provable) < math.inf:
        why = (
            f"below a horizon of {grouped(min(provable))} no closed form holds, and this is "
            f"{grouped(horizon)}"
        )
    return Bound(
        NAME,
        0.0,
        False,
        why,
        _nothing(game),
        method="none",
        candidates=forms,
        stopped=sets.stopped,
        sampled=sets.sampled,
    )


def closed_forms(
    feedback: Feedback, upper: float, horizon: float, budget: float | None = None
) -> tuple[Candidate, ...]:
    """All closed forms, with the horizon from which each holds and a proof where it does."""
    game = _game(feedback, upper, horizon)
    if len(feedback) == 1:
        return ()
    sets = hard_sets(feedback, check_budget(budget))
    forms = (
        _paper_strong(game, sets),
        _paper_weak(game, sets),
        _better_one(game, sets),
        _hidden(game, sets, high=False),
        _hidden(game, sets, high=True),
        _tied_pair(game, sets),
    )
    return tuple(_decided(form, float(game.horizon)) for form in forms)


def _decided(form: Form, T: float) -> Candidate:
    """Whether the form holds at this horizon."""
    value = form.value * (1 - ROOM)
    if form.obstacle or not 0 < value < math.inf:
        why = form.obstacle or "its numbers are out of range"
        return Candidate(form.method, form.source, 0.0, False, why, math.inf)
    applies = form.threshold <= T
    if form.threshold == 0:
        why = "this form holds at every horizon"
    else:
        verb = "is at least" if applies else "is below"
        why = (
            f"the horizon {grouped(T)} {verb} {grouped(form.threshold)}, from which this form holds"
        )
    proof = form.certify(value) if applies and form.certify is not None else None
    return Candidate(form.method, form.source, value, applies, why, form.threshold, proof)


def _paper_strong(game: Game, sets: HardSets) -> Form:
    """[cor:lb-minimax (i)] at its alpha = 1/(8 sqrt(e)), for the independent set that is known."""
    T, D = game.sizes
    blind, (best, *others) = sets.blind, sets.independent
    kappa = 1 + len(others)
    method = f"the paper's bound for strong observability, independence number {kappa}"
    if not sets.strong or blind is None:
        obstacle = "it is for strong observability short of general full information"
        return Form(method, "paper", obstacle=obstacle)
    seen = list(sets.independent) if kappa > 1 else [blind[1]]
    variance = float(sets.sharpest[seen].min())
    gap = math.sqrt(E * kappa / T) * math.sqrt(variance)  # 8 e B / T

    def certify(B: float) -> Certificate:
        weight = Fraction(variance)
        if kappa > 1:
            weights = dict.fromkeys(others, weight * kappa / (2 * (kappa - 1)))
            return better_one(game, BetterOne(best, weights, game.upper / 2, Fraction(gap)), B)
        # Where twice the gap leaves [0, D], the whole range is the best change.
        sizes = (gap, 2 * gap) if gap <= D / 2 else (0.35 * D, D)
        return blind_pair(game, blind, weight, (Fraction(sizes[0]), Fraction(sizes[1])), B)

    B = math.sqrt(kappa * T / (64 * E)) * math.sqrt(variance)
    return Form(method, "paper", B, E * kappa**3 * (variance / D / D), certify)


def _paper_weak(game: Game, sets: HardSets) -> Form:
    """[cor:lb-minimax (ii)] at its alpha = 1/73, with the threshold that its proof needs."""
    (T, D), log_K = game.sizes, math.log(len(game.feedback))
    rho, sigma = sets.domination, sets.sigma_min
    method = f"the paper's bound for weak observability, domination number {rho:g}"
    if sets.strong:
        return Form(method, "paper", obstacle="it is for weak observability")
    value = (rho * D) ** (1 / 3) * (sigma * T / log_K) ** (2 / 3) / 73
    ratio = sigma / D / log_K
    return Form(method, "paper", value, (16 * E / 73) ** 3 * rho * ratio * ratio)


def _better_one(game: Game, sets: HardSets) -> Form:
    """One better action among k + 1 that do not show each other: the best k for this horizon."""
    (T, D), blind = game.sizes, sets.blind
    if blind is None:
        obstacle = "every action shows all others, or some action shows them exactly"
        return Form("one better action", "ours", obstacle=obstacle)
    # For k = 1 it is enough that the one does not show the other.
    rest = sets.sharpest[list(sets.independent)].cumsum()[1:-1]
    V = np.array([sets.sharpest[blind[1]], *rest])
    k = np.arange(1, len(V) + 1)
    with np.errstate(over="ignore"):  # an infinite threshold is never reached
        thresholds = 2 * E * (k + 1) ** 2 * (V / D / D)
    fitting = np.where(thresholds <= T, V, 0.0)
    at = int(fitting.argmax() if fitting.any() else thresholds.argmin())
    count, total = at + 1, math.sqrt(V[at])

    def certify(B: float) -> Certificate:
        gap = Fraction(math.sqrt(2 * E / T) * total)  # 8 e B / T
        if count == 1:
            return blind_pair(game, blind, Fraction(float(V[0])), (gap, 2 * gap), B)
        used = (i for i in sets.independent[:count] if sets.sharpest[i] > 0)
        weights = {i: Fraction(float(sets.sharpest[i])) for i in used}
        best = sets.independent[count]
        return better_one(game, BetterOne(best, weights, game.upper - gap, gap), B)

    method = "one better action that does not show another"
    if count > 1:
        method = f"one better action among {count + 1} that do not show each other"
    return Form(method, "ours", math.sqrt(T / (32 * E)) * total, float(thresholds[at]), certify)


def _hidden(game: Game, sets: HardSets, high: bool) -> Form:
    """A hidden set, tied at the level D/2, or as high as the changes allow."""
    (T, D), R = game.sizes, sets.hidden.value
    method = f"tied actions seen only from outside, {'high' if high else 'halfway'} in the range"
    if not sets.hidden.actions:
        obstacle = "no action is weakly observable" if sets.strong else "they are seen exactly"
        return Form(method, "ours", obstacle=obstacle)
    threshold = 16 * ROOT_E * (R / D / D)
    # The size x of the change solves x^3 = p D^2 (D - x), or p D^3 / 2 at the level D/2.
    p = threshold / (4 * T)
    y = high_root(p) if high else (p / 2) ** (1 / 3)
    x = D * (min(0.5, y) if threshold <= T else y)

    def certify(B: float) -> Certificate:
        size = Fraction(x)
        level = game.upper - size if high else game.upper / 2
        return hidden_tie(game, sets.hidden, size, level, B)

    return Form(method, "ours", T * x / (8 * ROOT_E), threshold, certify)


def high_root(p: float) -> float:
    """The root in (0, 1) of y^3 = p (1 - y), by the hyperbolic form of Cardano's rule."""
    if not 0 < p < math.inf:
        return math.nan
    return 2 * math.sqrt(p / 3) * math.sinh(math.asinh(1.5 * math.sqrt(3 / p)) / 3)


def _tied_pair(game: Game, sets: HardSets) -> Form:
    """Two tied actions about which no play tells more than q, by [thm:lb-0] itself.

    The alternatives +x, -x and -x, +x, both with a shift of x (1/root - 1), contradict each other
    for policies that never lose more than T x (1 - root), where root = sqrt(1 - e^(-2 s^2)). A
    larger root costs a little; it keeps the shift within reach of logarithms.
    """
    (T, D), method = game.sizes, "two tied actions"
    if sets.pair is None:
        obstacle = "no two actions are seen with noise only"
        return Form(method, "ours", obstacle=obstacle)
    i, j, q = sets.pair
    unit = math.sqrt(2 / q) / math.sqrt(T)
    s = min(TIE, D / 2 / unit)
    x = min(s * unit, D / 2)
    inverse = 1 / max(math.sqrt(-math.expm1(-2 * s * s)), 1e-4)
    partner = math.sqrt(inverse * inverse - 1)
    loss = 1 - 1 / (inverse + partner) + partner * math.expm1(-s * s)

    def certify(B: float) -> Certificate:
        return tied_pair(game, (i, j), Fraction(x), Fraction(x * (inverse - 1)), B)

    return Form(method, "ours", T * x * loss, 0.0, certify)


def _game(feedback: Feedback, upper: float, horizon: float) -> Game:
    D, T = positive(upper, "upper", "payoff"), positive(horizon, "horizon", "rounds")
    return Game(feedback, D, T)


def _nothing(game: Game) -> Certificate:
    """The proof that regret is at least 0."""
    case = game.case({}, Fraction(0), 1.0)
    return Certificate(Case(case.variance, case.means, case.upper, case.horizon), (), 0.0)
