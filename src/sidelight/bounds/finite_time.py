"""Finite-time lower bound for one problem [cor:lb-0].

If a policy never regrets more than B in T rounds, whatever the means in [0, D], then on this
problem

    R_T(theta) >= min <c, gaps>   over c >= 0, sum(c) = T,
                                  sum_j c_j / variance[j, i] >= m_i(theta, B) for all i.

m_i is the information needed to tell theta_i from its most misleading change (module `needs`). If
no c exists, then neither does such a policy, and the bound is infinite.

The bound is about policies with worst-case regret at most B. A small B claims much about few
policies: below the minimax regret there are none. A bound above B says the same as an infinite one.
It is often exactly 0 at practical horizons.

An action seen without noise by some other one asks for nothing: its row is dropped.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ..numerals import grouped
from ..problem import Problem
from ..programs.allocation import allocate
from ..variances import Array
from .bound import Binding, Bound
from .case import Case
from .certificate import Information, Row
from .duality import certify, exact_case
from .needs import Needs, information_needs

# A change this close to the end of its range, relatively, is taken to be the end.
AT_THE_END = Fraction(1, 2**49)


def finite_time(problem: Problem, horizon: float, worst_case: float) -> Bound:
    """b'(theta, B): regret of every policy whose worst-case regret is at most B [cor:lb-0]."""
    case = exact_case(problem, horizon, worst_case)
    T, B = float(horizon), float(worst_case)
    needs = information_needs(problem.means, problem.upper, T, B)
    P = problem.feedback.precision
    found = allocate(problem.gaps, P, needs.need, T)
    certificate = certify(case, information_rows(case, needs, found.prices))
    if found.status == "infeasible" and certificate.value < np.inf:
        # So close to feasible that the proof of the contrary drowns in rounding.
        found = allocate(problem.gaps, P, needs.need)
        certificate = certify(case, information_rows(case, needs, found.prices))
    impossible = certificate.value == np.inf
    return Bound(
        name="finite_time",
        value=certificate.value,
        valid=True,
        why=_why(problem, T, B, certificate.value),
        certificate=certificate,
        allocation=None if impossible else found.plan,
        method="cor:lb-0",
        binding=() if impossible else _binding(needs.need, found.prices),
    )


def information_rows(case: Case, needs: Needs, prices: Array) -> tuple[tuple[Fraction, Row], ...]:
    """Certificate rows with the changes that attain the needs, moved into their exact ranges."""
    return tuple(
        (Fraction(float(prices[i])), information_row(case, needs, int(i)))
        for i in np.flatnonzero((prices > 0) & (needs.need > 0))
    )


def information_row(case: Case, needs: Needs, action: int) -> Information:
    """The row of one action that has a positive need."""
    theta, D = case.means[action], case.upper
    if action == case.best:
        gap, rise_room, fall_room = case.second_gap, theta, D - theta
    else:
        gap, rise_room, fall_room = case.gaps[action], D - theta, theta
    rise, fall = float(needs.rise[action]), float(needs.fall[action])
    return Information(
        action,
        _inside(rise, gap, rise_room),
        None if math.isnan(fall) else _inside(fall, Fraction(0), fall_room),
    )


def _inside(change: float, above: Fraction, room: Fraction) -> Fraction:
    exact = Fraction(change)
    return exact if above < exact < room * (1 - AT_THE_END) else room


def _binding(need: Array, prices: Array) -> tuple[Binding, ...]:
    return tuple(
        Binding(int(i), float(need[i]), float(prices[i])) for i in np.flatnonzero(prices > 0)
    )


def _why(problem: Problem, T: float, B: float, value: float) -> str:
    box = f"over {grouped(T)} rounds, whatever the means in [0, {problem.upper:g}]"
    if value > B:
        return f"no policy has regret of at most {grouped(B)} {box}"
    return f"holds for every policy that has regret of at most {grouped(B)} {box}"
