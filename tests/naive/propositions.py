"""What the paper's proofs say about every run of its two algorithms, checked on a trace.

These are no expectations: they hold in every single run, so that one round that breaks one of them
refutes the proof, or the run.
"""

from __future__ import annotations

import math

import numpy as np

import sidelight as sl
from naive.auditor import CLOSE, Cover, Elimination, Past, ViolationError, require


def forced_rounds(trace: sl.Trace) -> tuple[int, float]:
    """Algorithm 1: the number of forced rounds, and the most that [eq:forced-expl] allows.

    [prop:expl-count] From a forced round on, K forced rounds raise the least number of
    observations by one at least. [eq:forced-expl] Of the rounds after the first K that do not
    exploit, at most 1 + beta(their number) are forced.
    """
    K, a, b = len(trace.problem), trace.parameters["a"], trace.parameters["b"]
    past = Past(trace.problem.feedback.observes)
    starts: list[tuple[int, float]] = []  # the round of each forced play, and the least n before it
    explored = 0
    for t, (action, seen) in enumerate(zip(trace.actions, trace.observations, strict=True), 1):
        why = trace.why[t - 1]
        least = float(past.n.min())
        past.add(t, int(action), seen)
        explored += why in ("forced", "track")
        if why == "forced":
            starts.append((t, least))
            if len(starts) >= K:
                first, before = starts[-K]
                enough = past.n.min() >= before + 1
                require(enough, t, f"{K} forced rounds since {first}, and nothing seen more often")
            most = 1 + a * explored**b
            require(len(starts) <= most + CLOSE, t, f"more than {most:.1f} forced rounds")
    return len(starts), 1 + a * explored**b


def weak_plays(trace: sl.Trace) -> tuple[int, float]:
    """Algorithm 2: plays in weak batches, and the most that [prop:weak-expl-2] allows at the end.

    [prop:weak-expl] Whoever is weak in batch r was seen at least alpha_(r-1)/2 times as often as
    there were plays in weak batches, less (beta_r - 1) K, where beta_r counts all who were weak so
    far. [prop:weak-expl-2] These plays are at most (2 gamma(r) + 2 K beta_r)/alpha_r.
    """
    problem, sigma = trace.problem, trace.problem.feedback.uniform_sigma
    assert sigma is not None
    assert trace.round is not None
    K, past = len(problem), Past(problem.feedback.observes)
    delta = trace.parameters["delta"] or 1 / len(trace)
    every = frozenset(range(K))
    state = Elimination(past, Cover(past.shows), sigma, problem.upper, delta, every)
    t, plays, most, ever_weak = 0, 0, math.inf, set[int]()
    while t < len(trace) and len(state.alive) > 1:
        alpha_before = 1.0 if state.alpha is None else state.alpha
        state.expected(t)  # brings alpha up to date
        weak = {i for i in state.alive if not any(past.shows[j, i] for j in state.alive)}
        ever_weak |= weak
        beta = len(ever_weak)
        for i in weak:
            least = alpha_before / 2 * plays - (beta - 1) * K
            require(past.n[i] >= least - CLOSE, t + 1, f"action {i} was seen too seldom")
        last = int(np.searchsorted(trace.round, state.r, side="right"))
        plays += (last - t) * (trace.why[t] == "weak")
        if state.alpha is not None:
            gamma = (sigma * state.alpha * t / problem.upper) ** (2 / 3)
            most = (2 * gamma + 2 * K * beta) / state.alpha
            require(plays <= most + CLOSE, t + 1, f"more than {most:.1f} plays in weak batches")
        for s in range(t, last):
            past.add(s + 1, int(trace.actions[s]), trace.observations[s])
        t = last
        state.eliminate()
    return plays, most


__all__ = ["ViolationError", "forced_rounds", "weak_plays"]
