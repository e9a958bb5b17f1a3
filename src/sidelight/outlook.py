"""What will it cost me? One verdict from a race over the means that a log leaves open.

Every replicate r of such a race has means theta_r of its own (`simulate/posterior.py`), so that its
regrets vary as much as ignorance and luck together make them:

    expected      the mean over replicates
    bad case      the 95 % quantile: in 19 of 20 cases the cost is at most this
    today         T sum_i p_i gap_i(theta_r), p_i the share of plays that go to i today: what going
                  on like this costs under the same means, replicate by replicate

Costs are regrets: what is lost against always playing the best action, in the units of the values.
A policy starts here without the log; one that had read it would cost less.

The advice is that of `recommend`, which looks at the structure alone, so that no two commands
contradict each other; what else the race showed is said beside it. Where going on as today costs no
more than that policy, the advice is to go on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .engine.contract import Floats
from .errors import InputError
from .labels import display
from .recommend import hindsight, recommend
from .simulate import Results
from .simulate.remarks import cautions, clairvoyant
from .simulate.statistics import CONFIDENCE, compare, short, standard_error

BAD = 0.95


@dataclass(frozen=True)
class Cost:
    """What is lost over the horizon: the mean over replicates, its error, and the bad case."""

    expected: float
    error: float
    bad_case: float

    def __str__(self) -> str:
        return f"{short(self.expected)} (bad case, {BAD:.0%}: {short(self.bad_case)})"


@dataclass(frozen=True)
class Outlook:
    """Which policy, what it costs, and what going on as today costs.

    `cost` is None if the policy took no part in the race, `today` if nobody said what is played
    today. `saved` is expected, and `better` is the share of replicates in which the policy costs
    less than going on as today. `beside` says what else the race showed.
    """

    policy: str
    why: str
    horizon: int
    replicates: int
    cost: Cost | None
    today: Cost | None
    saved: float | None
    better: float | None
    beside: str

    def __repr__(self) -> str:
        return f"<Outlook: {self.policy}, {self.horizon:,} rounds; print it to read it>"

    def __str__(self) -> str:
        stay = self.saved is not None and self.saved <= 0
        said = (self._keep(),) if stay else (self._advice(), self._today())
        return " ".join(part for part in (*said, self.beside) if part)

    def _keep(self) -> str:
        """The advice where the recommended policy is expected to save nothing."""
        more = f"{short(-self.saved)} more" if self.saved else "as much"
        return (
            f"Keep what you do today. Over {self.horizon:,} rounds it is expected to cost "
            f"{self.today} against always playing the best action. {self.policy}, which is "
            f"recommended where nothing is known of the means, is expected to cost {self.cost}: "
            f"{more}."
        )

    def _advice(self) -> str:
        rounds = f"Over {self.horizon:,} rounds"
        if self.cost is None:
            return f"{self.policy} is recommended; it took no part in this race."
        return (
            f"{self.policy} is recommended. {rounds} it is expected to cost {self.cost} against "
            "always playing the best action."
        )

    def _today(self) -> str:
        if self.today is None:
            return ""
        said = f"Going on as today is expected to cost {self.today}"
        if self.saved is None or self.better is None:
            return f"{said}."
        return (
            f"{said}: {self.policy} is expected to save {short(self.saved)}, and costs less in "
            f"{self.better:.0%} of cases."
        )


def outlook(results: Results) -> Outlook:
    """The verdict on a race whose means were drawn: `simulate(..., means="posterior")`."""
    if not results.posterior:
        raise InputError(
            "an outlook needs a race over drawn means: simulate(..., means='posterior'), or "
            "`sidelight race FILE --means posterior`"
        )
    problem = results.problem
    advice = recommend(problem.feedback, problem.upper, float(results.horizon))
    mine = _of(results, advice.policy)
    now = today(results)
    saved = None if mine is None or now is None else now - mine
    return Outlook(
        policy=advice.policy,
        why=advice.why,
        horizon=results.horizon,
        replicates=results.replicates,
        cost=None if mine is None else cost(mine),
        today=None if now is None else cost(now),
        saved=None if saved is None else float(saved.mean()),
        better=None if saved is None else float((saved > 0).mean()),
        beside=_beside(results, advice.policy),
    )


def today(results: Results) -> Floats | None:
    """What going on as today costs in each replicate; None if nobody said what is played today."""
    from .simulate.posterior import drawn  # noqa: PLC0415 - imports numba

    played = results.problem.played
    if played is None:
        return None
    theta = drawn(results.problem, results.seed, results.first, results.replicates)
    gaps = theta.max(axis=1, keepdims=True) - theta
    return np.asarray(results.horizon * (gaps @ (played / played.sum())))


def cost(values: Floats) -> Cost:
    """The cost in words of statistics, from that of each replicate."""
    bad = float(np.quantile(values, BAD))
    return Cost(float(values.mean()), float(standard_error(values)), bad)


def advice(results: Results) -> str:
    """What to use: with drawn means their outlook, otherwise as `hindsight` says."""
    return str(outlook(results)) if results.posterior else hindsight(results)


def _of(results: Results, name: str) -> Floats | None:
    return results.final[results.policies.index(name)] if name in results.policies else None


def _beside(results: Results, advised: str) -> str:
    """The policy that cost least, if it is another one: by how much, how surely, and its danger."""
    told = clairvoyant(results)
    means = {
        name: float(mean)
        for name, mean in zip(results.policies, results.final.mean(axis=1), strict=True)
        if name not in told
    }
    best = min(means, key=means.__getitem__, default=advised)
    if best == advised:
        return ""
    warned = cautions(results).get(best, [])
    danger = f"; but {warned[0]}" if warned else ""
    costs = [_of(results, name) for name in (best, advised)]
    assert costs[0] is not None
    if costs[1] is None:
        return f"{display(best)} cost least here, {cost(costs[0])}{danger}."
    pair = compare(best, advised, costs[0], costs[1])
    luck = "" if pair.p_value <= 1 - CONFIDENCE else ", which may be luck"
    return f"Here {display(best)} cost {short(-pair.mean)} less than {advised}{luck}{danger}."
