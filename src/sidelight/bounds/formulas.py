"""The guarantees of the two algorithms as formulas in exact numbers, and proofs that repeat them.

L = log(2 K T / delta), w the number of weakly observable actions, eta = eta_min (`subgames`),
a = max(1, rho_LP([K], W)), r = max(1, rho), d_min and d_max the smallest and largest positive gap.
Logarithms, exponentials and roots are rounded up, so that a value is never below its formula.

Algorithm 2, worst case:

    strong, paper    2 K D + 80 sigma sqrt(6 kappa T log K L)                          [thm:ub-alg2]
    strong, proof    2 K D + 8 sigma sqrt(12 L T / eta)
    weak, paper      7 (rho D)^(1/3) (sigma T)^(2/3) sqrt(6 L) + 125 sigma^2 K^3 / D + 13 K^3 D
    weak, proof      the same with rho_LP in place of rho
    weak, ours       (a D)^(1/3) (sigma T)^(2/3) (2 + 6 sqrt(6 L)) + D (T0 + 2 K + 2 K w a)

Algorithm 2, one problem with a unique optimum:

    paper            1603 r D sigma^2 L^(3/2) / d_min^2 + 14 K^3 D + 125 sigma^2 K^3 / D
                     + 15 (r D sigma^2)^(1/3) (125 sigma^2 / D^2 + 10) K^2 sqrt(L)    [thm:ub2-alg2]
    sharper, ours    the same with a in place of r, and the bracket to the power 2/3
    strong, ours     2 K d_max + 384 sigma^2 L / (eta d_min); the T in L may be the time after which
                     one action is left, if that is earlier
    weak, ours       d_max (192 a sigma^2 L / d_min^2 + 2 a K (w - 1) + T0 + 4 K) + 6 sqrt(6 L)
                     (96 a D sigma^2 L / d_min^2 + (a D sigma^2)^(1/3) T0^(2/3))

T0 = z^3, z the root of z^3 = (2 a^(1/3) + 2 a^(-2/3) / eta) (sigma / D)^(2/3) z^2 + 2 K w a: from
then on every round without extra exploration rests on (sigma t / (a D))^(2/3) observations.

Algorithm 1, one problem with a unique optimum [thm:alg1-ub1], for any 0 < eps < d_min / 2:

    (2 K + 2 + 4 K / (alpha - 2)) d_max + 4 K d_max sum_{s=0}^T exp(-beta(s) eps^2 / (2 K sigma^2))
    + 2 d_max beta(floor(4 alpha log T sum_i c_i + K)) + 4 alpha log T sum_i c_i d_i

with beta(n) = A n^b and c_i = max_{j in S_i} 2 sigma^2 / (d_j - 2 eps)^2 (d_min for the best
action), which bounds the plays of i in every problem within eps of this one.

Greedy, one problem with generalized full information: the sum in `leading` [sec:pre].

Departures from the paper: r is rho there, which is 0 for strong observability, where the statement
is false; the argument of beta is a whole number here; sigma is sigma_max where variances differ,
for an algorithm that takes plain averages.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..feedback import Feedback
from ..programs.subgames import hardest_cover
from ..structure import Actions, strongly_observable
from .case import ZERO, RefutedError
from .decay import decay_sum
from .leading import leading
from .rational import cbrt_up, exp_up, float_up, log_up, sqrt_up

ONE = Fraction(1)
NEWTON_STEPS = 100
HUGE = 10**300  # beyond this no float stands in for a rational, and exact steps grow too long


@dataclass(frozen=True)
class Schedule:
    """The parameters of Algorithm 1, and the eps of its analysis."""

    alpha: Fraction
    a: Fraction
    b: Fraction
    epsilon: Fraction = ZERO


@dataclass(frozen=True)
class Witness:
    """What shows that the numbers of the structure are large enough.

    `dominating` shows all weakly observable actions, and so does `plan` in the fractional sense:
    both are verified. `independence` is the upper end of the bracket: it is taken on trust.
    """

    independence: int
    dominating: Actions
    plan: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class Terms:
    """Everything that occurs in the formulas. `means` are None in worst-case statements.

    `delta` is the probability with which a statement about Algorithm 2 may fail; with `expected`
    what is lost then is added.
    """

    feedback: Feedback
    upper: Fraction
    horizon: Fraction
    witness: Witness
    means: tuple[Fraction, ...] | None = None
    delta: Fraction = ONE / 2
    expected: bool = False
    schedule: Schedule | None = None

    @cached_property
    def K(self) -> int:  # noqa: N802 - its name in the paper
        """The number of actions."""
        return len(self.feedback)

    @cached_property
    def T(self) -> Fraction:  # noqa: N802 - its name in the paper
        """The horizon; a fraction of a round counts as a round."""
        return max(self.horizon, ONE)

    @cached_property
    def variance(self) -> Fraction:
        """sigma^2: the largest of the finite variances."""
        return Fraction(float(self.feedback.variance[self.feedback.observes].max()))

    @cached_property
    def L(self) -> Fraction:  # noqa: N802 - its name in the paper
        """log(2 K T / delta)."""
        return log_up(2 * self.K * self.T / self.delta)

    @cached_property
    def weak(self) -> Actions:
        """The weakly observable actions."""
        hidden = np.flatnonzero(~strongly_observable(self.feedback.observes))
        return tuple(int(i) for i in hidden)

    @cached_property
    def rho(self) -> int:
        """The size of the dominating set."""
        chosen = sorted(set(self.witness.dominating) & set(range(self.K)))
        shown = self.feedback.observes[np.ix_(chosen, self.weak)].any(axis=0)
        if not np.all(shown):
            raise RefutedError("the set does not show all weakly observable actions")
        return len(chosen)

    @cached_property
    def cover(self) -> Fraction:
        """max(1, sum(plan)), the plan being scaled so that every weak action is covered once."""
        if not self.weak:
            return ONE
        plan = {j: c for j, c in enumerate(self.witness.plan[: self.K]) if c}
        observes = self.feedback.observes
        covered = min(sum((c for j, c in plan.items() if observes[j, i]), ZERO) for i in self.weak)
        if covered <= 0 or any(c < 0 for c in plan.values()):
            raise RefutedError("the plan does not show all weakly observable actions")
        return max(ONE, sum(plan.values(), ZERO) / covered)

    @cached_property
    def hardest(self) -> Fraction:
        """1 / eta_min, or an upper bound on it."""
        return hardest_cover(self.feedback.observes)

    @cached_property
    def gaps(self) -> tuple[Fraction, ...]:
        """What each play costs."""
        if self.means is None:
            raise RefutedError("this formula needs the means")
        return tuple(max(self.means) - mean for mean in self.means)

    @cached_property
    def d_max(self) -> Fraction:
        """The largest gap."""
        return max(self.gaps)

    @cached_property
    def d_min(self) -> Fraction:
        """The second smallest gap: 0 if the optimum is tied."""
        second = sorted(self.gaps)[1]
        if second == 0:
            raise RefutedError("the optimum is tied")
        return second

    @cached_property
    def settled(self) -> Fraction:
        """T0: the time from which every ordinary round rests on enough observations."""
        a = self.cover
        ratio = cbrt_up(self.variance / self.upper**2)
        A = 2 * (cbrt_up(a) + cbrt_up(1 / a**2) * self.hardest) * ratio
        C = 2 * self.K * len(self.weak) * a
        z = A + cbrt_up(C)  # above the root; Newton's steps come down to it and never pass it
        while z < HUGE:
            lower = Fraction(float_up(z - (z * z * (z - A) - C) / (z * (3 * z - 2 * A))))
            if lower >= z:
                break
            z = lower
        return z**3

    @cached_property
    def over(self) -> Fraction:
        """A time by which Algorithm 2 has one action left if the structure is strong.

        Until then t <= c log(2 K (t + 1) / delta) with c = 192 sigma^2 / (eta d_min^2); no t does
        beyond a point x > c that does not.
        """
        c = 192 * self.variance * self.hardest / self.d_min**2
        x = 4 * c * log_up(4 * self.K * (c + 1) / self.delta) + 1
        for _ in range(NEWTON_STEPS):
            bound = c * log_up(2 * self.K * (x + 1) / self.delta)
            if x > HUGE or bound < c or bound >= x:
                break
            x = Fraction(float_up(bound))
        x *= 1 + Fraction(1, 10**9)
        settled = x >= c and x >= c * log_up(2 * self.K * (x + 1) / self.delta)
        return min(self.T, x + 1) if settled else self.T


def _strong_paper(t: Terms) -> Fraction:
    """[thm:ub-alg2], strong observability."""
    inside = 6 * t.witness.independence * t.T * log_up(Fraction(t.K)) * t.L
    return 2 * t.K * t.upper + 80 * sqrt_up(t.variance * inside)


def _strong_proof(t: Terms) -> Fraction:
    """Inside the proof of [thm:ub-alg2]."""
    return 2 * t.K * t.upper + 8 * sqrt_up(12 * t.variance * t.L * t.T * t.hardest)


def _weak_paper(t: Terms, rho: Fraction | None = None) -> Fraction:
    """[thm:ub-alg2], weak observability; with another number in place of rho, as in its proof."""
    number = t.rho if rho is None else rho
    main = 7 * cbrt_up(number * t.upper * t.variance * t.T**2) * sqrt_up(6 * t.L)
    return main + 125 * t.variance * t.K**3 / t.upper + 13 * t.K**3 * t.upper


def _weak_ours(t: Terms) -> Fraction:
    """[thm:ub-alg2] with T0 and the number of weak actions as they are."""
    a, K, D = t.cover, t.K, t.upper
    main = cbrt_up(a * D * t.variance * t.T**2) * (2 + 6 * sqrt_up(6 * t.L))
    return main + D * (t.settled + 2 * K + 2 * K * len(t.weak) * a)


def _instance_paper(t: Terms) -> Fraction:
    """[thm:ub2-alg2] with max(1, rho)."""
    noise = 125 * t.variance / t.upper**2 + 10
    return _instance(t, Fraction(max(1, t.rho)), noise)


def _instance_sharper(t: Terms) -> Fraction:
    """[thm:ub2-alg2] with the fractional cover, and T0^(2/3) kept in the last term."""
    noise = 125 * t.variance / t.upper**2 + 10
    return _instance(t, t.cover, cbrt_up(noise**2))


def _instance(t: Terms, r: Fraction, factor: Fraction) -> Fraction:
    D, root, cube = t.upper, sqrt_up(t.L), t.K**3
    main = 1603 * r * D * t.variance * t.L * root / t.d_min**2
    last = 15 * cbrt_up(r * D * t.variance) * factor * t.K**2 * root
    return main + 14 * cube * D + 125 * t.variance * cube / D + last


def _instance_strong(t: Terms) -> Fraction:
    """Every surviving action has a gap of at most sqrt(192 sigma^2 L / (eta t))."""
    return _instance_strong_until(t, t.T)


def _instance_strong_over(t: Terms) -> Fraction:
    """The same, with the logarithm taken where the last rival is gone."""
    return _instance_strong_until(t, t.over)


def _instance_strong_until(t: Terms, time: Fraction) -> Fraction:
    L = log_up(2 * t.K * time / t.delta)
    return 2 * t.K * t.d_max + 384 * t.variance * L * t.hardest / t.d_min


def _instance_weak(t: Terms) -> Fraction:
    """[thm:ub2-alg2] with its constants kept apart."""
    a, K, noise = t.cover, t.K, t.variance * t.L / t.d_min**2
    plays = 192 * a * noise + 2 * a * K * (len(t.weak) - 1) + t.settled + 4 * K
    tail = cbrt_up(a * t.upper * t.variance) * cbrt_up(t.settled**2)
    return t.d_max * plays + 6 * sqrt_up(6 * t.L) * (96 * a * t.upper * noise + tail)


def _asymptotic(t: Terms) -> Fraction:
    """[thm:alg1-ub1]."""
    s = t.schedule
    if s is None or s.alpha <= 2 or not 0 < s.a <= ONE / 2 or not 0 < s.b < 1:
        raise RefutedError("the theorem needs alpha > 2, 0 < a <= 1/2 and 0 < b < 1")
    if not 0 < 2 * s.epsilon < t.d_min:
        raise RefutedError("eps must lie between 0 and half the smallest gap")
    K, plays = t.K, play_caps(t)
    log_T = log_up(t.T) if t.T > 1 else ZERO
    rate = s.a * s.epsilon**2 / (2 * K * t.variance) if t.variance else None
    forced = math.floor(4 * s.alpha * log_T * sum(plays, ZERO) + K)
    cost = sum((c * gap for c, gap in zip(plays, t.gaps, strict=True)), ZERO)
    fixed = 2 * K + 2 + 4 * K / (s.alpha - 2)
    slow = 4 * K * decay_sum(math.ceil(t.T), rate, s.b)
    beta = s.a * exp_up(s.b * log_up(Fraction(forced)))
    return t.d_max * (fixed + slow + 2 * beta) + 4 * s.alpha * log_T * cost


def play_caps(t: Terms) -> list[Fraction]:
    """c_i: no problem within eps needs more plays of i, per unit of 4 alpha log T."""
    s = t.schedule
    if s is None:
        raise RefutedError("this formula needs the parameters of Algorithm 1")
    best = t.gaps.index(ZERO)
    seen = [t.d_min if j == best else gap for j, gap in enumerate(t.gaps)]
    nearest = [
        min((seen[j] for j in np.flatnonzero(row)), default=None) for row in t.feedback.observes
    ]
    return [ZERO if d is None else 2 * t.variance / (d - 2 * s.epsilon) ** 2 for d in nearest]


FORMULAS: dict[str, Callable[[Terms], Fraction]] = {
    "strong, paper": _strong_paper,
    "strong, proof": _strong_proof,
    "weak, paper": _weak_paper,
    "weak, proof": lambda t: _weak_paper(t, t.cover),
    "weak, ours": _weak_ours,
    "instance, paper": _instance_paper,
    "instance, sharper": _instance_sharper,
    "instance, strong": _instance_strong,
    "instance, strong, until one is left": _instance_strong_over,
    "instance, weak": _instance_weak,
    "asymptotic": _asymptotic,
    "greedy": leading,
}


@dataclass(frozen=True, eq=False, repr=False)
class FormulaProof:
    """A claim `regret <= value`, and the terms from which it follows."""

    formula: str
    terms: Terms
    value: float

    def __repr__(self) -> str:
        return f"<FormulaProof {self.formula!r}: check() says whether it proves its claim>"

    def evaluate(self) -> Fraction:
        """The formula, rounded up. Terms that do not support it are an error."""
        t = self.terms
        if t.K == 1:
            return ZERO
        if not 0 < t.delta < 1 or self.formula not in FORMULAS:
            raise RefutedError("there is no such formula, or delta is not a probability")
        if self.formula.startswith(("strong", "instance, strong")) and t.weak:
            raise RefutedError("this formula is for strong observability")
        if self.formula.startswith(("weak", "instance, weak")) and not t.weak:
            raise RefutedError("this formula is for weak observability")
        lost = t.upper if t.means is None else t.d_max
        return FORMULAS[self.formula](t) + (t.delta * t.T * lost if t.expected else ZERO)

    def check(self) -> bool:
        """Whether the value is at least the formula; an infinite one claims nothing."""
        if self.value == math.inf:
            return True
        try:
            return not math.isnan(self.value) and self.evaluate() <= Fraction(self.value)
        except RefutedError:
            return False
