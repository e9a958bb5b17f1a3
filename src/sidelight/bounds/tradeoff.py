"""What a small worst case costs where nothing is to be found [cor:lb-minimax, any alpha].

A policy whose regret never exceeds B must look at what may be better, and looking costs on problems
where nothing is better. With D = `upper`, s = 8 e B / T, and the hard sets of `hard_sets`:

    strong   one action of an independent set at D/2, the others at D/2 - s, the rest at 0:
             regret >= sigma^2 kappa T / (64 e B)                        if B <= T D / (8 e kappa)
    weak     hidden actions tied at D/2, the rest at 0:
             regret >= rho D (sigma T / log K)^2 / (51200 e^2 B^2)       if B <= T D / (16 e)

These are the paper's two statements with alpha written as a function of B. The less a policy may
lose at worst, the more it loses on that problem. We build the same problems, add that of a single
action which the best one does not show, and let `general` prove what it can for each of them: at
least as much as the closed forms, and usually many times more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..problem import Problem
from ..setting import Given, resolved
from ..variances import Array
from .bound import Bound
from .general import general
from .hard_sets import HardSets, hard_sets
from .inputs import positive

NAME = "tradeoff"


def tradeoff(
    feedback: Given,
    upper: float | None = None,
    horizon: float | None = None,
    *,
    worst_case: float,
) -> Bound:
    """What every policy whose worst-case regret is at most B loses on some other problem.

    `means` is that problem. The value is infinite where no policy can keep such a promise.
    """
    known, upper, horizon = resolved(feedback, upper, horizon, "bounds.tradeoff")
    D, T = float(positive(upper, "upper", "payoff")), float(positive(horizon, "horizon", "rounds"))
    B = float(positive(worst_case, "worst_case", "payoff"))
    sets = hard_sets(known, None)
    tried = [Problem(known, means, D) for means in _hard(sets, len(known), D, B / T)]
    proved = [replace(general(problem, T, B), means=problem.means) for problem in tried]
    best = max(proved, key=lambda bound: bound.value)
    return replace(best, name=NAME, stopped=sets.stopped, sampled=sets.sampled)


def _hard(sets: HardSets, K: int, D: float, share: float) -> Iterator[Array]:
    """Means that are hard for a policy that may lose `share` in a round at worst."""
    gap = min(8 * math.e * share, D / 2)
    near = np.zeros(K)
    near[list(sets.independent)] = D / 2 - gap
    near[sets.independent[0]] = D / 2
    yield near
    if sets.blind is not None:
        best, action = sets.blind
        alone = np.full(K, D - gap if best == action else 0.0)
        alone[best] = D if best == action else gap
        yield alone
    if sets.hidden.actions:
        tied = np.zeros(K)
        tied[list(sets.hidden.actions)] = D / 2
        yield tied
