"""What the paper's two algorithms promise: upper bounds on regret.

    asymptotic   Algorithm 1 on one problem, in expectation                          [thm:alg1-ub1]
    minimax      Algorithm 2 on every problem with these feedback and range          [thm:ub-alg2]
    instance     Algorithm 2 on one problem                                         [thm:ub2-alg2]
    greedy       the policy `greedy` on one problem where every action shows every other   [sec:pre]
    commit       the policy `commit`, explore-then-commit, on every problem: not in the paper
    index        the policy `index`, an optimistic one, on every problem: not in the paper

Algorithm 2 takes a probability of failure, `delta`. With a `delta` the bound holds with probability
at least 1 - delta. Without one, delta = 1/T and what failure may cost is added, at most
delta T gap_max: this bounds the expected regret.

The formulas, and how ours improve on the paper's, are in `bounds.formulas`. Each function returns
the smallest that applies and keeps the others in `candidates`. All of them are loose: where playing
anything at all for T rounds cannot cost as much, `why` says so. Numbers that are hard to compute
enter by their upper end.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from .bounds.bound import Bound, Candidate
from .bounds.commitment import CAP
from .bounds.decay import approximate_sums
from .bounds.formulas import FormulaProof, Schedule, Terms, Witness
from .bounds.hard_sets import known_structure
from .bounds.index_proof import proved_index
from .bounds.inputs import positive
from .bounds.kept import kept
from .bounds.promising import promised
from .bounds.rational import float_up
from .errors import InputError
from .feedback import Feedback
from .numerals import grouped
from .problem import Problem
from .programs import check_budget
from .setting import Given, resolved
from .variances import Array

# formula -> (words, source)
WORDS = {
    "strong, paper": ("the paper's bound, by the independence number", "paper"),
    "strong, proof": ("inside the paper's proof, by the hardest cover of any subset", "proof"),
    "weak, paper": ("the paper's bound, by the domination number", "paper"),
    "weak, proof": ("inside the paper's proof, by the fractional domination number", "proof"),
    "weak, ours": ("the paper's bound with its constants kept apart", "ours"),
    "instance, paper": ("the paper's bound, by the domination number, at least 1", "paper"),
    "instance, sharper": ("the paper's bound, by the fractional domination number", "ours"),
    "instance, strong": ("gaps of survivors shrink like t^(-1/2)", "ours"),
    "instance, strong, until one is left": (
        "gaps of survivors shrink like t^(-1/2), until one action is left",
        "ours",
    ),
    "instance, weak": ("the paper's bound with its constants kept apart", "ours"),
    "asymptotic": ("the paper's bound, with plays capped around this problem", "paper"),
    "greedy": ("the chance, round by round, that a wrong action leads", "ours"),
}
# Sizes of eps that are tried, as parts of the largest one; then again around the best.
GRID = 160
INDEX = "index guarantee"


def minimax(
    feedback: Given,
    upper: float | None = None,
    horizon: float | None = None,
    delta: float | None = None,
    budget: float | None = None,
) -> Bound:
    """The regret of Algorithm 2 on any problem with this feedback and means in [0, upper].

    [thm:ub-alg2] A `Setting` may say the range and the horizon.
    """
    known, upper, horizon = resolved(feedback, upper, horizon, "guarantees.minimax")
    D, T = positive(upper, "upper", "payoff"), positive(horizon, "horizon", "rounds")
    failing, expected = _failing(delta, T)
    witness = _witness(known, budget)
    terms = Terms(known, D, T, witness, delta=failing, expected=expected)
    formulas = ["strong, paper", "strong, proof"]
    if terms.weak:
        formulas = ["weak, paper", "weak, proof", "weak, ours"]
    where = "for every problem with this feedback and range"
    return _marked(_best("minimax guarantee", terms, formulas, where), known, budget)


def index(feedback: Feedback, upper: float, horizon: float) -> Bound:
    """The expected regret of the policy `index` on any problem with this feedback and range.

    Every action must show itself, and there must be one variance; otherwise the bound is not valid,
    and says why. Its proof computes how long a random walk stays above a rising bar. Where the
    range is out of all proportion to the noise, nothing less than the whole range in every round
    is proved: the bound is vacuous, and says `stopped`.
    """
    D, T = positive(upper, "upper", "payoff"), positive(horizon, "horizon", "rounds")
    if not isinstance(feedback, Feedback):
        raise InputError(
            f"guarantees.index needs a Feedback, not {type(feedback).__name__}: "
            "for a Problem pass problem.feedback and problem.upper"
        )
    if not feedback.is_self_observing or feedback.uniform_sigma is None:
        why = "some action does not show itself: see guarantees.commit"
        if feedback.is_self_observing:
            why = "the theorem needs one variance, and here there are several"
        return _empty(INDEX, Terms(feedback, D, T, Witness(0, (), ())), why)
    return _index(feedback, D, T)


@lru_cache(maxsize=64)
@kept
def _index(feedback: Feedback, D: Fraction, T: Fraction) -> Bound:
    """The bound, remembered."""
    made = proved_index(feedback, D, T)
    proof = made.proof
    vacuous = len(feedback) > 1 and proof.value >= float_up(T * D)
    return Bound(
        INDEX,
        proof.value,
        True,
        "holds in expectation for every problem with this feedback and range",
        proof,
        method="nobody loses more than the whole range in every round"
        if vacuous
        else "how long the index of a bad action stays above that of the best one",
        stopped=made.stopped,
        vacuous=vacuous,
    )


def commit(feedback: Feedback, upper: float, horizon: float) -> Bound:
    """The expected regret of the policy `commit` on any problem with this feedback and range.

    It plays every action as often as `allocation` says, then the action with the largest average
    (weighed by precision) for the rest. Its bound is proved by covering all gaps with boxes: close
    to its true worst case, for up to nine actions; looser, but of the same kind, for more. With
    more than 24 kinds of actions no plan is looked for: the bound is vacuous, and says `stopped`.
    """
    if not isinstance(feedback, Feedback):
        raise InputError(
            f"guarantees.commit needs a Feedback, not {type(feedback).__name__}: "
            "for a Problem pass problem.feedback and problem.upper"
        )
    return _commit(
        feedback, positive(upper, "upper", "payoff"), positive(horizon, "horizon", "rounds")
    )


@lru_cache(maxsize=64)
@kept
def _commit(feedback: Feedback, D: Fraction, T: Fraction) -> Bound:
    """The bound, remembered."""
    made = promised(feedback, D, T)
    promise = made.promise
    plays = np.array(promise.plan.plays, dtype=float)
    plays.setflags(write=False)
    vacuous = len(feedback) > 1 and promise.value >= float_up(T * D)
    method = "every gap by itself" if promise.thresholds else "a cover of all gaps by boxes"
    if made.loose and not vacuous:
        method += "; the policy may promise less than is proved"
    return Bound(
        "commit guarantee",
        promise.value,
        True,
        "holds in expectation for every problem with this feedback and range",
        promise,
        allocation=plays,
        method="nobody loses more than the whole range in every round" if vacuous else method,
        stopped=made.loose,
        vacuous=vacuous,
    )


def instance(
    problem: Problem,
    horizon: float,
    delta: float | None = None,
    budget: float | None = None,
) -> Bound:
    """The regret of Algorithm 2 on this problem, whose optimum must be unique [thm:ub2-alg2]."""
    T = _horizon(problem, horizon)
    failing, expected = _failing(delta, T)
    witness = _witness(problem.feedback, budget)
    terms = Terms(
        problem.feedback, Fraction(problem.upper), T, witness, _exact(problem), failing, expected
    )
    name = "instance guarantee"
    if _tied(terms):
        why = "the optimum is tied, and the theorem needs a unique one: see guarantees.minimax"
        return _empty(name, terms, why)
    formulas = ["instance, paper", "instance, sharper"]
    if terms.weak:
        formulas += ["instance, weak"]
    else:
        formulas += ["instance, strong", "instance, strong, until one is left"]
    return _marked(_best(name, terms, formulas, "on this problem"), problem.feedback, budget)


def asymptotic(
    problem: Problem,
    horizon: float,
    alpha: float = 2.1,
    a: float = 0.5,
    b: float = 0.5,
    epsilon: float | None = None,
) -> Bound:
    """The expected regret of Algorithm 1 with beta(n) = a n^b on this problem [thm:alg1-ub1].

    `epsilon` is a free size in the analysis, not a parameter of the algorithm: by default the one
    that makes the bound smallest.
    """
    T = _horizon(problem, horizon)
    schedule = Schedule(
        positive(alpha, "alpha", "units"), positive(a, "a", "units"), positive(b, "b", "units")
    )
    terms = Terms(problem.feedback, Fraction(problem.upper), T, Witness(0, (), ()), _exact(problem))
    name = "asymptotic guarantee"
    if len(problem) == 1:
        return _best(name, terms, ("asymptotic",), "on this problem")
    if _tied(terms):
        return _empty(name, terms, "the optimum is tied, and the theorem needs a unique one")
    if alpha <= 2:
        return _empty(name, terms, f"the theorem needs alpha > 2, and this is {alpha:g}")
    if a > 0.5 or b >= 1:
        return _empty(name, terms, "the theorem needs beta(n) = a n^b with a <= 1/2 and b < 1")
    if epsilon is not None and not 0 < 2 * positive(epsilon, "epsilon", "payoff") < terms.d_min:
        why = f"epsilon must be below half the smallest gap, {float(terms.d_min) / 2:g}"
        return _empty(name, terms, why)
    free = _best_epsilon(terms, schedule) if epsilon is None else Fraction(epsilon)
    terms = replace(terms, schedule=replace(schedule, epsilon=free))
    return _best(name, terms, ("asymptotic",), "on this problem")


def greedy(problem: Problem, horizon: float) -> Bound:
    """The expected regret of `greedy` on this problem, if every action shows every other [sec:pre].

    The paper says in a footnote that it is constant, because the chance of a wrong leader falls
    exponentially. This is the sum of these chances, each bounded by a Gaussian tail.
    """
    T = _horizon(problem, horizon)
    terms = Terms(problem.feedback, Fraction(problem.upper), T, Witness(0, (), ()), _exact(problem))
    name = "greedy guarantee"
    if not problem.feedback.observes.all():
        return _empty(name, terms, "some action does not show all others: greedy may stay wrong")
    if (
        len(set(map(tuple, problem.feedback.variance.tolist()))) > 1
        and (problem.feedback.variance < problem.upper**2 / CAP).any()
    ):
        return _empty(name, terms, "nearly exact observations beside others: weights would be cut")
    return _best(name, terms, ("greedy",), "on this problem")


def _best(name: str, terms: Terms, formulas: Collection[str], where: str) -> Bound:
    """The smallest of the formulas, and all of them as candidates."""
    if terms.K == 1:
        proof = FormulaProof("one action", terms, 0.0)
        return Bound(name, 0.0, True, "there is only one action: nothing can be lost", proof)
    sure = terms.expected or terms.schedule or "greedy" in formulas
    why = f"holds {'in expectation' if sure else _chance(terms)} {where}"
    if not terms.feedback.is_uniform and "greedy" not in formulas:
        sigma = math.sqrt(terms.variance)
        why += f", for plain averages with sigma = {sigma:g}, the largest"
    candidates = tuple(_candidate(formula, terms, why) for formula in formulas)
    best = min(candidates, key=lambda candidate: candidate.value)
    assert best.certificate is not None
    trivial = float_up(terms.horizon * (terms.upper if terms.means is None else terms.d_max))
    vacuous = trivial <= best.value
    if vacuous:
        why += f"; vacuous at this horizon: the trivial bound {grouped(trivial)} is smaller"
    return Bound(
        name,
        best.value,
        True,
        why,
        best.certificate,
        method=best.method,
        candidates=candidates,
        vacuous=vacuous,
    )


def _candidate(formula: str, terms: Terms, why: str) -> Candidate:
    value = float_up(FormulaProof(formula, terms, math.inf).evaluate())
    words, source = WORDS[formula]
    return Candidate(
        words, source, value, True, why, certificate=FormulaProof(formula, terms, value)
    )


def _empty(name: str, terms: Terms, why: str) -> Bound:
    """No promise at all."""
    proof = FormulaProof("none", terms, math.inf)
    return Bound(name, math.inf, False, why, proof, method="none")


def _chance(terms: Terms) -> str:
    return f"with probability at least {float(1 - terms.delta):.6g}"


def _failing(delta: float | None, T: Fraction) -> tuple[Fraction, bool]:
    """The probability of failure, and whether its cost is to be added."""
    if delta is None:
        return min(1 / T, Fraction(1, 2)), True
    failing = positive(delta, "delta", "probability")
    if failing >= 1:
        raise InputError(
            f"delta = {delta!r} is a probability of failure: choose it between 0 and 1"
        )
    return failing, False


def _horizon(problem: Problem, horizon: float) -> Fraction:
    if not isinstance(problem, Problem):
        raise InputError(f"this guarantee needs a Problem, not {type(problem).__name__}")
    return positive(horizon, "horizon", "rounds")


def _exact(problem: Problem) -> tuple[Fraction, ...]:
    return tuple(Fraction(float(mean)) for mean in problem.means)


def _tied(terms: Terms) -> bool:
    return terms.gaps.count(Fraction(0)) > 1


def _witness(feedback: Feedback, budget: float | None) -> Witness:
    found = known_structure(feedback, check_budget(budget))
    # Plans are vertices, with small denominators that floats only come near to.
    plan = found.fractional.plan
    exact = tuple(Fraction(float(c)).limit_denominator(10**6) for c in plan)
    return Witness(int(found.independence.upper), found.domination.witness, exact)


def _marked(bound: Bound, feedback: Feedback, budget: float | None) -> Bound:
    """The bound, which says whether a number behind it was not found to the end."""
    found = known_structure(feedback, check_budget(budget))
    proved = found.independence.proved and found.domination.proved
    return replace(bound, stopped=not proved or math.isnan(found.fractional_domination))


def _best_epsilon(terms: Terms, schedule: Schedule) -> Fraction:
    """Where the bound is smallest, by a grid that is refined; any other would be as valid."""
    shares = np.linspace(0, 1, GRID + 2)[1:-1]
    for _ in range(3):
        costs = _costs(terms, schedule, float(terms.d_min) / 2 * shares)
        k = int(np.argmin(np.where(np.isnan(costs), np.inf, costs)))
        best = Fraction(float(shares[k]))
        shares = np.linspace(shares[max(k - 1, 0)], shares[min(k + 1, GRID - 1)], GRID)
    return terms.d_min / 2 * best


@np.errstate(all="ignore")  # what is out of range is not the smallest
def _costs(terms: Terms, schedule: Schedule, sizes: Array) -> Array:
    """[thm:alg1-ub1] in floats, for many sizes of eps; without what does not depend on it."""
    alpha, a, b = float(schedule.alpha), float(schedule.a), float(schedule.b)
    K, d_max, variance = terms.K, float(terms.d_max), float(terms.variance)
    rates = np.where(variance > 0, a * sizes**2 / (2 * K * variance), np.inf)
    sums = approximate_sums(math.ceil(terms.T), rates, b)
    gaps = np.array([float(gap) for gap in terms.gaps])
    seen = np.where(gaps == 0, float(terms.d_min), gaps)
    nearest = np.where(terms.feedback.observes, seen, np.inf).min(axis=1)
    caps = 2 * variance / (nearest - 2 * sizes[:, None]) ** 2
    scale = 4 * alpha * math.log(terms.T)
    beta = a * np.floor(scale * caps.sum(axis=1) + K) ** b
    return np.asarray(d_max * (4 * K * sums + 2 * beta) + scale * (caps @ gaps))
