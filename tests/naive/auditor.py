"""Did a run follow the algorithm? Written from the paper's two listings, not from our code.

`audit_asymptotic` and `audit_minimax` read a trace line by line, keep counts and averages of their
own, and raise a `ViolationError` at the first round that the listing does not allow. Where the
paper leaves a choice (which observer, which deficit, which maximiser c) every choice is allowed.
Linear programs are solved by scipy. A comparison closer than CLOSE cannot be decided by somebody
who adds in another order; both sides are allowed then.

The readings of the paper that they share with the code are those of docs/paper_map.md: n_i counts
observations by any action, and an empty A^S is met by one play of the best survivor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

import sidelight as sl

Floats = npt.NDArray[np.float64]
CLOSE = 1e-9


class ViolationError(AssertionError):
    """A round that the algorithm does not allow."""


def require(condition: object, t: int, message: str) -> None:
    """Raise an error that names the round."""
    if not condition:
        raise ViolationError(f"round {t}: {message}")


@dataclass
class Past:
    """What happened before the current round."""

    shows: npt.NDArray[np.bool_]
    N: Floats = field(init=False)
    n: Floats = field(init=False)
    sums: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.N, self.n, self.sums = (np.zeros(len(self.shows)) for _ in range(3))

    @property
    def means(self) -> Floats:
        """Plain averages."""
        return self.sums / self.n

    def add(self, t: int, action: int, seen: Floats) -> None:
        """One play; what it showed must be S_i, no more and no less."""
        came = ~np.isnan(seen)
        require((came == self.shows[action]).all(), t, "the observations are not those of S_i")
        self.N[action] += 1
        self.n[came] += 1
        self.sums[came] += seen[came]


# ---- Algorithm 1 ---------------------------------------------------------------------------------


@dataclass
class Vertex:
    """An optimum of min <cost, c>, rows @ c >= need, remembered by its columns and tight rows."""

    columns: list[int]
    tight: list[int]
    inverse: Floats

    def plan(self, cost: Floats, rows: Floats, need: Floats) -> Floats | None:
        """Its plan for other numbers, if duality proves that it still is optimal."""
        c, y = np.zeros(len(cost)), np.zeros(len(need))
        c[self.columns] = self.inverse @ need[self.tight]
        y[self.tight] = self.inverse.T @ cost[self.columns]
        small = CLOSE * need.max(initial=0.0)
        proved = (
            (c >= -small).all()
            and (rows @ c >= need * (1 - CLOSE) - 1e-3 * small).all()
            and (y >= -CLOSE * cost.max()).all()
            and (y @ rows <= cost + CLOSE * cost.max()).all()
        )
        return c.clip(0) if proved else None


def independent(rows: Floats, first: Iterable[int], more: Iterable[int], size: int) -> list[int]:
    """Rows from `first`, then from `more`, each independent of those before."""
    kept: list[int] = []
    for j in (*first, *more):
        wanted = len(kept) < size and j not in kept
        if wanted and np.linalg.matrix_rank(rows[[*kept, j]]) == len(kept) + 1:
            kept.append(j)
    return kept


def solve(cost: Floats, rows: Floats, need: Floats) -> tuple[Floats, Vertex | None]:
    """An optimal vertex by scipy."""
    size = (rows / need[:, None]).max(axis=0)
    size[size == 0] = 1.0
    scale = (cost / size).max() or 1.0
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    result = linprog(
        cost / size / scale,
        A_ub=-rows / need[:, None] / size,
        b_ub=-np.ones(len(need)),
        method="highs-ds",
        options=tight,
    )
    assert result.status == 0, result.message
    columns = np.flatnonzero(result.x > 1e-9).tolist()
    prices = -result.ineqlin.marginals
    met = np.flatnonzero(result.slack < 1e-9)
    priced = [int(j) for j in met if prices[j] > 1e-9]
    chosen = independent(rows[:, columns], priced, met.tolist(), len(columns))
    if len(chosen) < len(columns):
        return result.x / size, None
    inverse: Floats = np.asarray(np.linalg.inv(rows[np.ix_(chosen, columns)]))
    return result.x / size, Vertex(columns, chosen, inverse)


class Plans:
    """c(theta) for estimates that move slowly: a remembered vertex for each best action."""

    def __init__(self, shows: npt.NDArray[np.bool_], sigma: float) -> None:
        self.rows = shows.T.astype(float)
        self.sigma = sigma
        self.known: dict[int, Vertex] = {}

    def needs(self, gaps: Floats, best: int) -> Floats:
        """2 sigma^2 / d^2, with d_2 for the best action."""
        d = gaps.copy()
        d[best] = np.delete(gaps, best).min()
        return np.asarray(2 * self.sigma**2 / d**2)

    def __call__(self, gaps: Floats, best: int) -> Floats:
        """The cheapest plan with the least c_best, which costs nothing."""
        need = self.needs(gaps, best)
        free = self.rows[:, best] > 0
        c = np.zeros(len(gaps))
        others = np.delete(np.arange(len(gaps)), best)
        if not free.all():
            cost, rows, rest = gaps[others], self.rows[np.ix_(~free, others)], need[~free]
            vertex = self.known.get(best)
            plan = vertex.plan(cost, rows, rest) if vertex else None
            if plan is None:
                plan, found = solve(cost, rows, rest)
                if found:
                    self.known[best] = found
            c[others] = plan
        c[best] = max(0.0, *(need - self.rows @ c)[free], 0.0)
        return c

    def most(self, i: int, gaps: Floats, best: int) -> float:
        """The largest c_i over all optimal plans with the least c_best: ties are free."""
        need, c = self.needs(gaps, best), self(gaps, best)
        limits = [gaps, np.eye(len(gaps))[best]]
        slack = [CLOSE * gaps @ c, CLOSE * need.max()]
        result = linprog(
            -np.eye(len(gaps))[i],
            A_ub=np.vstack([-self.rows / need[:, None], *limits]),
            b_ub=np.array([*-np.ones(len(need)), gaps @ c + slack[0], c[best] + slack[1]]),
        )
        return float(-result.fun) if result.status == 0 else -math.inf


def audit_asymptotic(trace: sl.Trace) -> dict[str, int]:
    """Check every round of Algorithm 1 [alg:asym]; how many rounds each branch had."""
    feedback, sigma = trace.problem.feedback, trace.problem.feedback.uniform_sigma
    assert sigma is not None
    K, past = len(feedback), Past(feedback.observes)
    alpha, a, b = (trace.parameters[name] for name in ("alpha", "a", "b"))
    plans, explored, branches = Plans(feedback.observes, sigma), 0, dict.fromkeys(KINDS, 0)
    for t, (action, seen) in enumerate(zip(trace.actions, trace.observations, strict=True), 1):
        if t <= K:
            require(past.shows[action, t - 1], t, f"action {t - 1} must be observed")
            why = "initial"
        else:
            limit = 4 * alpha * math.log(t)
            why = trace.why[t - 1]
            require(why in allowed_branches(past, sigma, limit, a * explored**b), t, f"not {why}")
            require(allowed(past, plans, limit, int(action), why), t, f"{action} is not to {why}")
            explored += why != "exploit"
        require(trace.why[t - 1] == why, t, f"this is an {why} round")
        branches[why] += 1
        past.add(t, int(action), seen)
    return branches


KINDS = ("initial", "exploit", "forced", "track")


def allowed_branches(past: Past, sigma: float, limit: float, beta: float) -> set[str]:
    """The branch of lines 5-12, or both where a comparison is too close."""
    means = past.means
    gaps = means.max() - means
    d = gaps.copy()
    d[means.argmax()] = np.sort(gaps)[1]
    # N / limit is in C: each need 2 sigma^2 / d^2 is met by n / limit
    evidence = (past.n * d**2).min() / (2 * sigma**2 * limit)
    branches = {"exploit"} if evidence >= 1 - CLOSE else set()
    if evidence < 1 + CLOSE:
        forced = past.n.min() - beta / len(past.n)
        branches |= {"forced"} if forced < CLOSE else set()
        branches |= {"track"} if forced > -CLOSE else set()
    return branches


def allowed(past: Past, plans: Plans, limit: float, action: int, why: str) -> bool:
    """May this action be played in this branch?"""
    means = past.means
    best = int(means.argmax())
    if why == "exploit":
        return bool(means[action] >= means[best] - CLOSE * abs(means[best]))
    if why == "forced":
        return bool(past.shows[action, past.n == past.n.min()].any())
    gaps = means[best] - means
    if past.N[action] < plans(gaps, best)[action] * limit:
        return True
    return bool(past.N[action] < plans.most(action, gaps, best) * limit)


# ---- Algorithm 2 ---------------------------------------------------------------------------------


class Cover:
    """c(A, A') and m(A, A') of one feedback graph."""

    def __init__(self, shows: npt.NDArray[np.bool_]) -> None:
        self.shows = shows.astype(float)
        self.m = cache(self._m)
        self.is_batch = cache(self._is_batch)

    def _best(
        self, players: list[int], targets: list[int], low: Floats, high: Floats
    ) -> float | None:
        """The largest coverage by a distribution between two bounds; None where there is none."""
        rows = self.shows[np.ix_(players, targets)].T
        result = linprog(
            np.array([*np.zeros(len(players)), -1.0]),
            A_ub=np.hstack([-rows, np.ones((len(targets), 1))]),
            b_ub=np.zeros(len(targets)),
            A_eq=np.array([[*np.ones(len(players)), 0.0]]),
            b_eq=np.array([1.0]),
            bounds=[*zip(low, high, strict=True), (0, 1)],
        )
        return float(-result.fun) if result.status == 0 else None

    def _m(self, players: frozenset[int], targets: frozenset[int]) -> float:
        size = len(players)
        found = self._best(sorted(players), sorted(targets), np.zeros(size), np.ones(size))
        assert found is not None
        return found

    def _is_batch(
        self, players: frozenset[int], targets: frozenset[int], batch: tuple[int, ...]
    ) -> bool:
        """Is the batch ceil(c ||c||_0) for some maximiser c?"""
        support = [i for i, plays in enumerate(batch) if plays]
        if not set(support) <= players:
            return False
        plays = np.array([batch[i] for i in support], dtype=float)
        size = len(support)
        low, high = (plays - 1) / size - CLOSE, plays / size + CLOSE
        found = self._best(support, sorted(targets), low.clip(0), high)
        return found is not None and found >= self.m(players, targets) - 10 * CLOSE


@dataclass
class Elimination:
    """The state of Algorithm 2 between batches."""

    past: Past
    cover: Cover
    sigma: float
    upper: float
    delta: float
    alive: frozenset[int]
    r: int = 1
    alpha: float | None = None

    def expected(self, t: int) -> tuple[str, frozenset[int], frozenset[int]]:
        """The kind of the next batch, after t rounds, its players and its targets [lines 4-8]."""
        shows, n, everyone = self.past.shows, self.past.n, frozenset(range(len(self.past.n)))
        if len(self.alive) == 1:
            return "final", self.alive, self.alive
        strong = frozenset(i for i in self.alive if any(shows[j, i] for j in self.alive))
        weak = self.alive - strong
        if weak:
            m = self.cover.m(everyone, weak)
            self.alpha = m if self.alpha is None else min(self.alpha, m)
        alpha = 1.0 if self.alpha is None else self.alpha
        gamma = (self.sigma * alpha * t / self.upper) ** (2 / 3)
        least_weak = min((n[i] for i in weak), default=math.inf)
        least_strong = min((n[i] for i in strong), default=math.inf)
        if weak and least_weak < least_strong and least_weak < gamma - CLOSE:
            return "weak", everyone, weak
        return ("strong", self.alive, strong) if strong else ("empty", self.alive, strong)

    def check(self, t: int, words: set[str], batch: tuple[int, ...], whole: bool) -> None:
        """Check the batch that starts after t rounds [line 10]."""
        kind, players, targets = self.expected(t)
        require(words == {kind}, t + 1, f"a {kind} batch must follow, not {words}")
        played = {i for i, plays in enumerate(batch) if plays}
        require(played <= players, t + 1, f"{played - players} may not be played")
        if kind == "empty":
            means = self.past.means
            best = max(means[i] for i in self.alive)
            require(sum(batch) == 1, t + 1, "one play, since no survivor shows another")
            require(all(means[i] >= best - CLOSE for i in played), t + 1, "not the best survivor")
        elif kind != "final" and whole:
            message = f"{batch} is not ceil(c |c|_0) for a c({sorted(players)}, {sorted(targets)})"
            require(self.cover.is_batch(players, targets, batch), t + 1, message)

    def eliminate(self) -> None:
        """Drop what is worse beyond doubt [line 12]."""
        self.r += 1
        K, means = len(self.past.n), self.past.means
        g = self.sigma * np.sqrt(2 * math.log(8 * K**2 * self.r**3 / self.delta) / self.past.n)
        bar = max(means[j] - g[j] for j in self.alive)
        self.alive = frozenset(i for i in self.alive if means[i] + g[i] >= bar)


def audit_minimax(trace: sl.Trace) -> Mapping[str, object]:
    """Check every batch of Algorithm 2 [alg:minimax]; kinds of batches, eliminations, survivors."""
    feedback, sigma = trace.problem.feedback, trace.problem.feedback.uniform_sigma
    assert sigma is not None
    assert trace.round is not None
    K = len(feedback)
    delta = trace.parameters["delta"] or 1 / len(trace)
    past, every = Past(feedback.observes), frozenset(range(K))
    state = Elimination(past, Cover(past.shows), sigma, trace.problem.upper, delta, every)
    t, kinds, dropped = 0, dict.fromkeys(("strong", "weak", "empty", "final"), 0), []
    while t < len(trace):
        last = int(np.searchsorted(trace.round, state.r, side="right"))
        require(last > t, t + 1, f"batch {state.r} must follow")
        require((trace.round[t:last] == state.r).all(), t + 1, "batches are mixed up")
        played = np.bincount(trace.actions[t:last], minlength=K)
        words = set(trace.why[t:last])
        state.check(t, words, tuple(played.tolist()), whole=last < len(trace))
        for s in range(t, last):
            past.add(s + 1, int(trace.actions[s]), trace.observations[s])
        kinds[trace.why[t]] += 1
        before, t = state.alive, last
        if len(before) > 1:
            state.eliminate()
        dropped += [(t, i) for i in sorted(before - state.alive)]
    return {"kinds": kinds, "dropped": dropped, "alive": state.alive}
