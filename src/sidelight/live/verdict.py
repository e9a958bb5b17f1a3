"""Which action is best, which cannot be, and whether to stop: valid however often one looks.

Let n_j be the information about action j, S_j the sum of precision times value, theta_j its mean.
As values come, in whatever order, E_j = S_j - n_j theta_j is a martingale whose increments are
Gaussian with variances that add up to n_j (or less, where a precision was cut). So for every number
l the process exp(l E_j - l^2 n_j / 2) is a martingale, or falls on average; so does its mixture
over l ~ N(0, 1/rho), which is

    M_j = sqrt(rho / (rho + n_j)) exp(E_j^2 / (2 (rho + n_j))),      M_j = 1 at the start,

and Ville's inequality says that M_j ever reaches 1/a with probability a at most. Solved for theta_j
(Robbins 1970; the normal mixture of Howard, Ramdas, McAuliffe and Sekhon 2021):

    |S_j / n_j - theta_j| < sqrt((1 + rho / n_j) (2 log(1/a) + log(1 + n_j / rho)) / n_j)

at all times together, with probability 1 - a. With a = delta / K all intervals hold together, at
all looks, with probability 1 - delta. Late, lost and shuffled values change nothing, as long as
whether and when a value comes does not depend on the value itself. Any rho > 0 that was chosen
beforehand is valid; ours makes intervals shortest, nearly, when the standard error is upper / 20.

What one more round costs is an expectation by the belief: each theta_j independent, Gaussian around
S_j / n_j (moved into the range) with variance 1 / n_j, cut to [0, upper]; uniform where nothing was
seen. With distribution functions F_j the expected regret of playing a is

    E[max_j theta_j - theta_a] = integral over [0, upper] of  F_a(x) - prod_j F_j(x)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..belief import Belief
from ..engine.contract import Floats
from ..labels import Label, display, first_names
from .values import probability

SHARPEST = 400.0  # n_j upper^2 where the intervals are shortest: a standard error of upper / 20
NODES = 33  # of the integral, around each action that may be best
AROUND = 32  # such actions
GRID = 513  # nodes of the integral everywhere


@dataclass(frozen=True)
class Verdict:
    """What can be said about the best action, wrong with probability `delta` over all looks.

    best        the action with the largest mean so far; None where nothing was seen
    ruled_out   actions that are not the best one
    intervals   for each action, where its mean lies
    loss        what a round of `best` may lose against the best action, at most
    next        the action that the rule would play next
    cost        what that round costs: its expected regret, by the belief; None where the policy
                that decided is not here to be asked
    stop        whether one action is left: nothing remains to be learnt
    """

    delta: float
    best: Label | None
    ruled_out: tuple[Label, ...]
    intervals: Mapping[Label, tuple[float, float]]
    loss: float
    next: Label | None
    cost: float | None
    stop: bool

    def __repr__(self) -> str:
        ruled = f"{len(self.ruled_out)} of {len(self.intervals)} actions ruled out"
        return f"<Verdict: best so far {self.best!r}, {ruled}, stop = {self.stop}>"

    def __str__(self) -> str:
        if self.best is None:
            return "nothing was seen yet"
        low, high = self.intervals[self.best]
        lines = [f"best so far: {display(self.best)}, mean in [{low:.4g}, {high:.4g}]"]
        if self.ruled_out:
            lines.append(f"ruled out: {first_names([*map(display, self.ruled_out)], 10)}")
        if self.stop:
            lines.append("stop: no other action can be the best")
        else:
            price = (
                ""
                if self.cost is None
                else f"; one more round, which plays {display(self.next)}, is expected to cost "
                f"{self.cost:.3g}"
            )
            stay = f"staying with {display(self.best)} may lose up to {self.loss:.3g} a round"
            lines.append(f"go on: {stay}{price}")
        lines.append(f"(holds at all looks together with probability {1 - self.delta:.6g})")
        return "\n".join(lines)


def judge(belief: Belief, following: int | None, delta: float) -> Verdict:
    """The verdict on a belief, where the rule would play `following` next, if that is known."""
    delta = probability(delta)
    labels = belief.labels
    low, high = intervals(belief.information, belief.sums, belief.upper, delta)
    out = high < low.max()
    means = np.where(belief.information > 0, belief.means, -np.inf)
    best = int(means.argmax()) if (belief.information > 0).any() else None
    floor = 0.0 if best is None else float(low[best])
    others = np.delete(high, [] if best is None else best)
    return Verdict(
        delta=delta,
        best=None if best is None else labels[best],
        ruled_out=tuple(labels[i] for i in np.flatnonzero(out)),
        intervals=dict(zip(labels, zip(low.tolist(), high.tolist(), strict=True), strict=True)),
        loss=max(0.0, float(others.max(initial=0.0)) - floor),
        next=None if following is None else labels[following],
        cost=None if following is None else expected_regret(belief, following),
        stop=bool((~out).sum() == 1),
    )


def intervals(
    information: Floats, sums: Floats, upper: float, delta: float
) -> tuple[Floats, Floats]:
    """Lower and upper ends for all actions, together; arrays may have further axes in front."""
    each = delta / information.shape[-1]
    reach = radius(information, each, sharpness(each, upper))
    with np.errstate(invalid="ignore"):
        means = np.where(information > 0, sums / information, 0.0)
    return np.clip(means - reach, 0.0, upper), np.clip(means + reach, 0.0, upper)


def radius(information: Floats, delta: float, rho: float) -> Floats:
    """How far the mean may be from the truth, at any time; inf before the first look."""
    with np.errstate(divide="ignore", invalid="ignore"):
        width = 2.0 * math.log(1.0 / delta) + np.log1p(information / rho)
        reach = np.sqrt((1.0 + rho / information) * width / information)
    return np.where(information > 0, reach, np.inf)


def sharpness(delta: float, upper: float) -> float:
    """The rho for which the radius is smallest, to a hundredth, at n = SHARPEST / upper^2."""
    doubt = 2.0 * math.log(1.0 / delta)
    return SHARPEST / upper**2 / (doubt + math.log1p(doubt))


def expected_regret(belief: Belief, action: int) -> float:
    """The expected regret of one play, by the belief; see above."""
    from scipy.special import ndtr  # noqa: PLC0415 - a fifth of a second, for this alone

    upper = belief.upper
    centre = np.clip(np.where(belief.information > 0, belief.means, 0.0), 0.0, upper) / upper
    with np.errstate(divide="ignore"):
        spread = 1.0 / np.sqrt(belief.information) / upper
    flat = spread > 1e6  # so little is known that the cut Gaussian is uniform
    spread = np.where(flat, 1.0, spread)
    x = _nodes(centre, spread, action)[:, None]
    bottom = ndtr(-centre / spread)
    below = (ndtr((x - centre) / spread) - bottom) / (ndtr((1.0 - centre) / spread) - bottom)
    below = np.where(flat, x, below)
    return max(0.0, upper * float(np.trapezoid(below[:, action] - below.prod(axis=1), x[:, 0])))


def _nodes(centre: Floats, spread: Floats, action: int) -> Floats:
    """Where the integral on [0, 1] is taken: dense around the actions that may be the best."""
    top = np.argsort(-(centre + 3.0 * spread), kind="stable")[:AROUND]
    those = np.union1d(top, [action])
    near = centre[those, None] + spread[those, None] * np.linspace(-6.0, 6.0, NODES)
    inside = near[(near > 0.0) & (near < 1.0)]
    return np.unique(np.concatenate([np.linspace(0.0, 1.0, GRID), inside]))
