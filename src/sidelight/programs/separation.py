"""How badly can a plan be misled? The separation oracle of the general bound [thm:lb-0].

A plan is a distribution p over the K actions: it plays action i in a share p_i of the T rounds. One
such round tells n_i = sum_j p_j / variance[j, i] about the mean theta_i of action i. An alternative
is other means theta' in [0, D]^K; gap'_i is what a play of i costs under them. If the plan is slow
to notice that theta' is true, it loses, for every number u >= 0 (the shift),

    exp( sum_i p_i log(gap'_i + u) - r ) - u ,      r = (T/2) sum_i n_i (theta_i - theta'_i)^2 ,

per round. The supremum over theta' and u is what the plan loses in the worst case.
Fix the best action k of theta', its level v and u. The other coordinates decouple: theta'_i lies
x_i below theta_i, where x_i maximises p_i log(e + x) - T n_i x^2/2 with e = v + u - theta_i, so

    x_i = root of x^2 + e x = p_i / (T n_i), clipped so that 0 <= theta'_i <= v .

What is left is concave in v with a convex decreasing derivative, whose zero `levels` finds, and for
each k a function of u alone,

    F_k(u) = exp(h_k(u)) - u ,     h_k concave and non-decreasing,     h_k' = sum_i p_i / y_i ,

with y_i = gap'_i + u. F_k is evaluated on a grid in log u, and every local maximum is polished.
Where F_k exceeds a value f, it increases for u < p_k f (there exp(h) h' > f p_k/u > 1), so the grid
starts at p_k f; for p_k = 0 it also has a point next to u = 0. Written as u expm1(...), F loses no
digits when u is large.

Everything is in units of the upper end D = 1. A coordinate that somebody sees exactly is not moved:
one such play in a million rounds would expose the alternative, so it constrains nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..variances import Array, BoolArray, IntArray

# More information than this in one horizon of plays counts as an exact observation: what it takes
# to see the coordinate is then below the rounding of any plan.
EXACT = 1e30
PER_DECADE = 10
LARGEST_SHIFT = 1e4
NEXT_TO_ZERO = 1e-100
# Where the plan learns nothing about an action, F creeps up to its limit at u = inf.
FAR_SHIFTS = (1e5, 1e6, 1e8, 1e10)
# Numbers in one block of questions.
BLOCK = 50_000
# Stands for q = p/(T n) where n = 0: large enough that the root is clipped.
UNSEEN = 1e300
# Divisions by 0 occur in branches that `where` then discards.
quiet = np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")


@dataclass(frozen=True, eq=False)
class ScaledProblem:
    """A problem in units of its upper end D.

    `theta` are the means. `info[i, j]` = T D^2 / variance[i, j] is what T plays of i tell about j.
    Somebody sees the columns in `fixed` exactly; their entries in `info` are 0.
    """

    theta: Array
    info: Array
    fixed: BoolArray

    @property
    def gaps(self) -> Array:
        """What each play costs."""
        return np.asarray(self.theta.max() - self.theta)


@dataclass(frozen=True, eq=False)
class Cuts:
    """Alternatives theta', one in each row of `means`, with their shifts u."""

    means: Array
    shifts: Array

    def __len__(self) -> int:
        return len(self.shifts)

    def with_(self, other: Cuts) -> Cuts:
        """Both, in this order."""
        return Cuts(
            np.concatenate([self.means, other.means]), np.concatenate([self.shifts, other.shifts])
        )

    def only(self, keep: BoolArray | IntArray) -> Cuts:
        """Some of them."""
        return Cuts(self.means[keep], self.shifts[keep])


@dataclass(frozen=True, eq=False)
class Separation:
    """The loss of a plan per round, and alternatives near its local maxima, with their values."""

    loss: float
    cuts: Cuts
    values: Array


def scale_problem(means: Array, variance: Array, upper: float, horizon: float) -> ScaledProblem:
    """The problem in units of `upper`."""
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        info = horizon * np.square(upper / np.sqrt(variance))
    fixed = np.asarray((info > EXACT).any(axis=0))
    return ScaledProblem(np.minimum(means / upper, 1.0), np.where(fixed, 0.0, info), fixed)


def cut_rows(problem: ScaledProblem, cuts: Cuts, beta: float) -> Array:
    """log((gap'_i + u)/(beta + u)) - T I_i for each cut: plans with loss <= beta make them <= 0."""
    gaps = cuts.means.max(axis=1, keepdims=True) - cuts.means
    u = cuts.shifts[:, None]
    with np.errstate(divide="ignore"):
        near = np.log1p(np.maximum((gaps - beta) / (beta + u), -1.0))
        ratio = np.where(gaps > beta, near, np.log(gaps + u) - np.log(beta + u))
        logs = np.where(u > beta, near, ratio)
    return np.asarray(logs - 0.5 * np.square(cuts.means - problem.theta) @ problem.info.T)


def steps_to_separate(actions: int) -> float:
    """What one call of `separate` costs, in steps of `effort`: about one for each number."""
    return actions**2 * 10.0 * PER_DECADE


@quiet
def separate(problem: ScaledProblem, plan: Array, beta: float) -> Separation:
    """The loss of the plan per round, and alternatives near its local maxima [thm:lb-0].

    The maxima reported exceed `beta`, or nearly so, or are the largest one. A loss below `beta` is
    not searched for with the same care: it decides nothing.
    """
    oracle = Oracle(problem, plan)
    grid = oracle.grid(beta)
    F = oracle.losses(np.repeat(oracle.best, grid.shape[1]), grid.ravel()).reshape(grid.shape)
    row, column = np.nonzero(_peaks(F) & (min(0.8 * beta, 0.999 * float(F.max())) < F))
    k = oracle.best[row]
    last = grid.shape[1] - 1
    sides = [grid[row, np.clip(column + d, 0, last)] for d in (-1, 0, 1)]
    u = oracle.polish(*(oracle.reply(k, side) for side in sides))
    reply = oracle.reply(k, u)
    loss = max(oracle.told, float(reply.loss.max(initial=-np.inf)))
    cut = oracle.reply(k, oracle.practical(reply, beta))
    return Separation(loss, Cuts(cut.means(problem.theta), cut.u), cut.loss)


def _peaks(F: Array) -> BoolArray:
    """Where each row has a local maximum; of a plateau, which is flat up to noise, the last."""
    height = np.round(1e9 * np.log(np.maximum(F, 1e-300)))
    walls = np.pad(height, ((0, 0), (1, 1)), constant_values=-np.inf)
    return np.asarray((height >= walls[:, :-2]) & (height > walls[:, 2:]))


@dataclass(frozen=True, eq=False)
class Reply:
    """For each pair of a best action k and a shift u, the worst alternative, in one row.

    `level` is the mean of k under it and `drop` how far each mean falls. `loss` is F_k(u), `height`
    is h_k(u) and `slope` the derivative of h_k.
    """

    k: IntArray
    u: Array
    level: Array
    drop: Array
    loss: Array
    height: Array
    slope: Array

    def only(self, keep: IntArray) -> Reply:
        """Some of the rows."""
        floats = (self.u, self.level, self.drop, self.loss, self.height, self.slope)
        return Reply(self.k[keep], *(part[keep] for part in floats))

    def rise(self) -> Array:
        """log(exp(h) h'), which is positive where F increases."""
        return np.asarray(self.height + np.log(self.slope))

    def means(self, theta: Array) -> Array:
        """theta', with k on top in floating point too."""
        means = np.clip(theta - self.drop, 0.0, self.level[:, None])
        means[np.arange(len(means)), self.k] = self.level
        return np.asarray(means)


class Oracle:
    """One plan, questioned about many pairs (k, u) at once."""

    def __init__(self, problem: ScaledProblem, plan: Array) -> None:
        self.theta, self.fixed, self.p = problem.theta, problem.fixed, plan
        self.n = plan @ problem.info
        self.told = float(plan @ problem.gaps)
        q = np.where(plan > 0, np.minimum(plan / self.n, UNSEEN), 0.0)
        self.q = np.where(self.fixed, 0.0, q)
        floor = self.theta[self.fixed].max(initial=0.0)
        self.low = np.maximum(self.theta, floor)
        self.high = np.where(self.fixed, self.low, 1.0)
        self.about = (self.theta, self.n, self.p, self.q, self.fixed)
        self.best = np.flatnonzero(~self.fixed | (self.theta >= floor))

    def grid(self, worth: float) -> Array:
        """Shifts for each candidate k, from p_k worth upwards, with a point next to 0."""
        p = self.p[self.best]
        smallest = self.p[self.p > 0].min()
        start = np.maximum(np.where(p > 0, p, 1e-3 * smallest) * min(worth, 1.0), 1e-60)
        decades = np.log10(LARGEST_SHIFT / start.min())
        steps = np.linspace(0.0, 1.0, 2 + int(PER_DECADE * decades))
        inner = start[:, None] * (LARGEST_SHIFT / start[:, None]) ** steps
        outer = np.tile(FAR_SHIFTS, (len(p), 1))
        return np.hstack([np.full((len(p), 1), NEXT_TO_ZERO), inner, outer])

    def losses(self, k: IntArray, u: Array) -> Array:
        """What the worst alternatives cost, in blocks that fit the caches of the machine."""
        parts = range(0, len(k), max(1, BLOCK // len(self.theta)))
        step = parts.step
        return np.concatenate([self.reply(k[a : a + step], u[a : a + step]).loss for a in parts])

    def reply(self, k: IntArray, u: Array) -> Reply:
        """The worst alternatives with best action k at shift u."""
        from .levels import levels  # noqa: PLC0415 - numba takes half a second to import

        rows = np.arange(len(k))
        v = levels(self.about, (self.low, self.high), k, u)
        x, y = self._drops(u, v)
        x[rows, k] = self.theta[k] - v
        gap = np.maximum(v[:, None] - self.theta + x, 0.0)
        gap[rows, k] = 0.0
        told = 0.5 * np.square(x) @ self.n
        exponent = np.log1p(gap / u[:, None]) @ self.p - told
        y[rows, k] = u
        slope = (1.0 / y) @ self.p
        loss = u * np.expm1(np.minimum(exponent, 700.0))
        return Reply(k, u, v, x, loss, exponent + np.log(u), slope)

    def _drops(self, u: Array, v: Array) -> tuple[Array, Array]:
        """How far the others fall, x; and y = gap' + u."""
        e = (v + u)[:, None] - self.theta
        s = np.sqrt(np.square(e) + 4 * self.q)
        x = np.where(e > 0, 2 * self.q / (e + s), 0.5 * (s - e))
        x = np.minimum(np.maximum(x, self.theta - v[:, None]), self.theta)
        x[:, self.fixed] = 0.0
        y = np.maximum(e + x, u[:, None])
        return x, y

    def practical(self, peak: Reply, beta: float) -> Array:
        """Shifts near those of the peaks that make better cuts, at the price of some excess.

        At u = 0 a cut asks nothing of plans that play k a little; beyond 1 its row fades like 1/u.
        """
        excess = peak.loss - beta
        lifted = np.maximum(peak.u, 0.01 * np.clip(excess, 1e-12 * beta, beta))
        u = np.where(self.p[peak.k] == 0, lifted, peak.u)
        # F approaches its limit like 1/u: so far out, about half of the excess is left.
        missing = peak.loss - self.reply(peak.k, np.minimum(peak.u, 1.0)).loss
        nearer = np.clip(2 * missing / np.maximum(excess, 1e-300), 1.0, peak.u)
        return np.where((peak.u > 1) & (excess > 0), nearer, u)

    def polish(self, left: Reply, middle: Reply, right: Reply) -> Array:
        """The local maximum of F between grid points: the zero of log(exp(h) h') [Illinois]."""
        k, found = middle.k, np.log(middle.u)
        a, b, fa, fb = np.log(left.u), np.log(right.u), left.rise(), right.rise()
        movable = (fa > 0) & (fb < 0)
        for _ in range(30 if movable.any() else 0):
            c = np.where(movable, (a * fb - b * fa) / (fb - fa), found)
            fc = self.reply(k, np.exp(c)).rise()
            below = fc < 0
            fa, fb = np.where(below, fa * 0.5, fc), np.where(below, fc, fb * 0.5)
            a, b = np.where(below, a, c), np.where(below, c, b)
            settled = np.abs(c - found) <= 1e-4
            found = c
            if settled.all():
                break
        return np.asarray(np.where(movable, np.exp(found), middle.u))
