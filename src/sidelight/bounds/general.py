"""The general finite-time lower bound for one problem [thm:lb-0].

If a policy never regrets more than B in T rounds, whatever the means in [0, D], then its expected
plays c on this problem satisfy, for every alternative theta' in [0, D]^K and every u >= 0,

    sum_i c_i [ log((gap'_i + u)/(B/T + u)) - T I_i(theta, theta') ] <= 0 ,

and R_T(theta) is at least the smallest <c, gaps> over such c with c >= 0, sum(c) = T. The bound is
at most B, or there is no such c, hence no such policy, and it is infinite.

The paper states the bound over all distributions on play counts, with a relative entropy for each
theta'. That program equals this one: the inner minimum has the dual above, with u for its
multiplier, and for given expected plays the distribution on the vertices T e_i of the counts is
the most permissive one for all theta' at once. No relaxation is involved; [cor:lb-0] is one.

The infinitely many rows are generated as they are needed (`programs.cutting`). Any finite number of
them proves a lower bound, and the certificate holds those with a positive weight.

Beyond the paper: the rows know how often each action is played, and not when. Pairs of problems as
control problems (`rivals`, `pairing`) do, and prove more on some problems, mostly where information
costs regret and repays it late. The value is the larger of the two.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..errors import InputError
from ..numerals import grouped
from ..problem import Problem
from ..programs.cutting import Cheapest, cheapest, least
from ..programs.separation import Cuts, ScaledProblem, cut_rows, scale_problem
from ..variances import Array
from .bound import Binding, Bound, Candidate
from .case import Case
from .certificate import Alternative, Certificate
from .duality import alternatives, as_fractions, certify_alternatives, conclusive, exact_case
from .exact_pairs import METHOD as PAIRS
from .exact_pairs import rounded_down
from .finite_time import finite_time
from .kept import kept
from .rational import float_up
from .rivals import Base, strongest

METHOD = "thm:lb-0"
TOLERANCE = 1e-9
# Where feasible and infeasible cannot be told apart in floats, a slightly larger B is feasible.
SLACKS = (0.0, 1e-10, 1e-8, 1e-6)
# A plan that loses at most this much too much, relatively, is as good as feasible.
COMPLETE = 1e-5
# With more actions the proof by pairs would take longer than the rows.
PAIRS_UP_TO = 10


def general(
    problem: Problem,
    horizon: float,
    worst_case: float,
    *,
    start: Bound | None = None,
    tolerance: float = TOLERANCE,
    pairs: bool = True,
) -> Bound:
    """The regret on this problem of every policy whose worst-case regret is at most B.

    It is the larger of b(theta, B) [thm:lb-0] and of what pairs of problems prove; without `pairs`,
    or with more than ten actions, the former alone. `method` says which, and `candidates` holds
    both where there are two. `start` may be an earlier bound, at another horizon or worst case: the
    alternatives in its proof are tried first. Rows are added until the plan loses at most
    B (1 + tolerance).
    """
    if start is None and tolerance == TOLERANCE and _are_floats(horizon, worst_case):
        return _remembered(problem, horizon, worst_case, pairs)
    return _computed(problem, horizon, worst_case, pairs, (start, tolerance))


def _are_floats(*numbers: object) -> bool:
    """Whether equal numbers give equal bounds: True and 1, or 0.1 and a tenth, are not the same."""
    return all(isinstance(x, int | float) and not isinstance(x, bool) for x in numbers)


@lru_cache(maxsize=256)
@kept
def _remembered(problem: Problem, horizon: float, worst_case: float, pairs: bool) -> Bound:
    """The bound, remembered: an analysis, its figure and its page ask for the same one."""
    found = _computed(problem, horizon, worst_case, pairs, (None, TOLERANCE))
    if found.allocation is not None:
        found.allocation.setflags(write=False)
    return found


def _computed(
    problem: Problem,
    horizon: float,
    worst_case: float,
    pairs: bool,
    search: tuple[Bound | None, float],
) -> Bound:
    """The bound, from an earlier one and to a tolerance."""
    case = exact_case(problem, horizon, worst_case)
    relaxed = _concluded(replace(finite_time(problem, horizon, worst_case), name="general"))
    rows = _by_rows(problem, case, relaxed, *search)
    return _with_pairs(case, rows) if pairs else rows


def _with_pairs(case: Case, rows: Bound) -> Bound:
    """What pairs prove, where that is more than what the rows do."""
    T, B = case.at_horizon()
    if rows.value == math.inf or len(case.means) > PAIRS_UP_TO:
        return rows
    assert isinstance(rows.certificate, Certificate)
    known = [(w, row) for w, row in rows.certificate.rows if isinstance(row, Alternative)]
    told = [(float_up(w), np.array([float(m / case.upper) for m in r.means])) for w, r in known]
    most, least_worth = float_up(B / case.upper), rows.value / float(case.upper)
    found = strongest(Base(case), most, told, least_worth)
    if found is None:
        return rows
    proof = rounded_down(found)
    if proof.value <= rows.value:
        return rows
    candidates = (
        Candidate(rows.method, "paper", rows.value, True, rows.why, certificate=rows.certificate),
        Candidate(PAIRS, "ours", proof.value, True, rows.why, certificate=proof),
    )
    impossible = proof.value == math.inf
    return Bound(
        name="general",
        value=proof.value,
        valid=True,
        why=_impossible(case.upper, float(T), float(B)) if impossible else rows.why,
        certificate=proof,
        method=PAIRS,
        candidates=candidates,
    )


def _by_rows(
    problem: Problem, case: Case, relaxed: Bound, start: Bound | None, tolerance: float
) -> Bound:
    """b(theta, B) [thm:lb-0]; never below the relaxed bound [cor:lb-0]."""
    if relaxed.value == math.inf:
        return relaxed
    D, (T, B) = problem.upper, map(float, case.at_horizon())
    scaled = scale_problem(problem.means, problem.feedback.variance, D, T)
    beta = _per_round(case)
    known = None if start is None else _known_cuts(start, scaled, D)
    answer, certificate = _solved(case, scaled, beta, known, tolerance)
    if relaxed.value > certificate.value:
        method = f"{relaxed.method}, which proves more here than the rows found for {METHOD}"
        return replace(relaxed, method=method)
    impossible = certificate.value == math.inf
    plan = None if impossible else answer.plan
    complete = impossible or answer.loss <= beta * (1 + COMPLETE)
    return Bound(
        name="general",
        value=certificate.value,
        valid=True,
        why=_impossible(case.upper, T, B) if impossible else relaxed.why,
        certificate=certificate,
        allocation=None if plan is None else T * plan,
        method=METHOD if complete else f"{METHOD}, some rows missing: the true value may be larger",
        binding=() if plan is None else _binding(scaled, beta, answer, T * D),
    )


def _concluded(bound: Bound) -> Bound:
    """A bound above B says that nobody has worst-case regret B: then it is infinite."""
    assert isinstance(bound.certificate, Certificate)
    certificate = conclusive(bound.certificate)
    if certificate.value == bound.value:
        return bound
    return replace(
        bound, value=certificate.value, certificate=certificate, allocation=None, binding=()
    )


def _per_round(case: Case) -> float:
    """B/(T D), kept within what floats and logarithms can handle; nobody loses more than 1."""
    T, B = case.at_horizon()
    return float(min(max(B / (T * case.upper), Fraction(1, 10**250)), Fraction(2)))


def _solved(
    case: Case, scaled: ScaledProblem, beta: float, known: Cuts | None, tolerance: float
) -> tuple[Cheapest, Certificate]:
    """The plan and its proof; or no plan, and the proof that there is none."""
    for slack in SLACKS:
        answer = cheapest(scaled, beta * (1 + slack), known, tolerance)
        certificate = _certificate(case, scaled, answer.cuts, answer.weights)
        if certificate.value == math.inf or answer.plan is not None:
            break
        if slack == 0.0:
            # What excludes twice as much excludes this with room for rounding.
            found = least(scaled, None, 0.1, enough=beta, above=2 * beta)
            if found.lower > beta:
                certificate = _certificate(case, scaled, found.cuts, found.weights)
                if certificate.value == math.inf:
                    break
        known = answer.cuts
    return answer, certificate


def _certificate(case: Case, scaled: ScaledProblem, cuts: Cuts, weights: Array) -> Certificate:
    used = weights > 0
    rows = alternatives(scaled, case, cuts.only(used))
    return conclusive(certify_alternatives(case, rows, as_fractions(weights[used])))


def _known_cuts(start: Bound, scaled: ScaledProblem, D: float) -> Cuts | None:
    """The alternatives in the proof of an earlier bound."""
    proofs = [start.certificate, *(form.certificate for form in start.candidates)]
    known = [rows for proof in proofs if isinstance(proof, Certificate) for _, rows in proof.rows]
    rows = [row for row in known if isinstance(row, Alternative)]
    if any(len(row.means) != len(scaled.theta) for row in rows):
        raise InputError(
            "`start` is a bound for another number of actions: leave it out, or give one for "
            f"{len(scaled.theta)} actions"
        )
    if not rows:
        return None
    means = np.array([[float(mean) / D for mean in row.means] for row in rows])
    means[:, scaled.fixed] = scaled.theta[scaled.fixed]
    return Cuts(np.clip(means, 0.0, 1.0), np.array([float(row.shift) / D for row in rows]))


def _binding(
    scaled: ScaledProblem, beta: float, answer: Cheapest, unit: float
) -> tuple[Binding, ...]:
    """For each row of the proof: the action that its alternative makes best, the information that
    the plan must gather to rule it out, in nats, and what one more nat costs."""
    used = np.flatnonzero(answer.weights > 0)
    if answer.plan is None or not len(used):
        return ()
    cuts = answer.cuts.only(used)
    told = 0.5 * np.square(cuts.means - scaled.theta) @ (answer.plan @ scaled.info)
    needs = told + cut_rows(scaled, cuts, beta) @ answer.plan
    prices = answer.weights[used] * unit
    bests = cuts.means.argmax(axis=1)
    return tuple(
        Binding(int(action), float(need), float(price))
        for action, need, price in zip(bests, needs, prices, strict=True)
    )


def _impossible(upper: Fraction, T: float, B: float) -> str:
    box = f"over {grouped(T)} rounds, whatever the means in [0, {float(upper):g}]"
    return f"no policy has regret of at most {grouped(B)} {box}"
