"""What the claims of three kinds of files are about, computed by other methods than the proofs use.

*Pairs.* A policy pays price_a + stake_a X for a round in which it plays a, and a play of a
multiplies X, which begins at 1, by exp(sqrt(2 I_a) Z - I_a) with a standard normal Z. The least
expected cost of T rounds comes from dynamic programming, backwards, on an even grid of log X. The
expectation is a convolution: samples of the density, which sum smooth functions exactly where the
standard deviation is a step of the grid or more; below that a walk to the next points, with the
same variance, that leaves the mean of X at 1. Outside the grid one action is played to the end.

*Commitments.* The chance that one of three averages is the largest is a bivariate normal one, and
Owen's function T(h, a) gives it. The regret at any gaps is a loss that really occurs; a grid of
gaps, made finer around its maximum, finds nearly the largest.

*Indices.* The policy is played as its definition says, in many runs at once, at several gaps. The
largest loss on average, found in some runs and measured in others, less five standard errors, is a
loss that really occurs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, owens_t

Array = npt.NDArray[np.float64]
Rows = tuple[tuple[float, ...], ...]

POINTS = 2048  # of the grid and its margins, which are half of it
WIDEST = 18.0  # log X beyond which nothing is left to decide
# More information only makes a round cheaper, and more rounds than this are not computed.
MOST_INFORMATION, MOST_ROUNDS = 200.0, 1000
SEARCHED, MEASURED = 250, 4000  # runs that look for the hardest gaps, and that measure the loss
ERRORS = 5.0
FAR = 37.0  # standard deviations beyond which a chance is 0 or 1


# ---- pairs


@lru_cache(maxsize=20_000)
def least_cost(rows: Rows, T: float) -> float:
    """The least expected cost of T rounds, the last of which may be a part of one.

    `rows` has price, stake and information of each action.
    """
    price, stake, information = (np.array(part)[:, None] for part in zip(*rows, strict=True))
    information = np.minimum(information, MOST_INFORMATION)
    most = float(information.max())
    if most == 0 or not 1 < T <= MOST_ROUNDS:
        return float((T * (price + stake)).min())
    rounds, spread = math.ceil(T), math.sqrt(2 * most)
    room = most * (rounds - 1) + 6 * spread * math.sqrt(rounds - 1)
    half = min(room, max(WIDEST, most + 7 * spread + 6))
    h = 4 * half / POINTS
    x = np.exp((np.arange(POINTS) - POINTS // 2) * h)
    cost = price + stake * x
    steps = np.array([np.conj(np.fft.rfft(_kernel(float(i), h))) for i in information[:, 0]])
    outside = np.abs(np.arange(POINTS) - POINTS // 2) > POINTS // 4
    alone = cost.min(axis=0)
    part = T - (rounds - 1)
    value = part * alone
    for later in range(1, rounds):
        moved = np.fft.irfft(np.fft.rfft(value) * steps, POINTS)
        value = np.where(outside, (part + later) * alone, (cost + moved).min(axis=0))
    return float(value[POINTS // 2])


def _kernel(information: float, h: float) -> Array:
    """The chances to move by multiples of h, those to the left at the end of the row."""
    kernel = np.zeros(POINTS)
    spread = math.sqrt(2 * information)
    if spread < h:
        beside = (2 * information + information**2) / (h * h * 2 * math.cosh(h / 2))
        kernel[1], kernel[-1] = beside * math.exp(-h / 2), beside * math.exp(h / 2)
        kernel[0] = 1 - kernel[1] - kernel[-1]
        return kernel
    k = np.arange(-POINTS // 4, POINTS // 4 + 1)
    density = np.exp(-0.5 * ((k * h + information) / spread) ** 2)
    kernel[k] = density / density.sum()
    return kernel


# ---- commitments


@lru_cache(maxsize=20_000)
def commitment(
    plays: tuple[int, ...], variances: tuple[float, ...], rest: float, upper: float
) -> float:
    """Nearly the largest regret, from below: `rest` rounds after the plays, and the variances of
    the averages, of two or three actions."""
    K = len(plays)
    sds = sorted({math.sqrt(a + b) for a in variances for b in variances})
    near = [np.linspace(0, min(upper, 4 * s), 12) for s in sds[-3:]]
    levels = np.unique(np.concatenate([*near, [0.0, upper]]))
    worst = 0.0
    for best in range(K):
        axes = [levels] * (K - 1)
        for _ in range(4):
            gaps = np.array(list(product(*axes)))
            lost = _regret(np.insert(gaps, best, 0.0, axis=1), best, plays, variances, rest)
            at = int(lost.argmax())
            worst = max(worst, float(lost[at]))
            axes = [_finer(axis, g) for axis, g in zip(axes, gaps[at], strict=True)]
    return worst


def _finer(axis: Array, at: float) -> Array:
    """Nine points between the neighbours of one."""
    k = int(np.searchsorted(axis, at))
    return np.linspace(axis[max(0, k - 1)], axis[min(len(axis) - 1, k + 1)], 9)


def _regret(
    gaps: Array, best: int, plays: Sequence[int], variances: Sequence[float], rest: float
) -> Array:
    """sum_i n_i d_i + rest sum_i d_i p_i, for each row of gaps."""
    K = len(plays)
    lost = gaps @ np.array(plays, dtype=float)
    for i in set(range(K)) - {best}:
        beaten = [
            _standard(gaps[:, j] - gaps[:, i], variances[i] + variances[j])
            for j in range(K)
            if j != i
        ]
        chance = ndtr(beaten[0])
        if K == 3:
            others = [math.sqrt(variances[i] + variances[j]) for j in range(K) if j != i]
            both = others[0] * others[1]
            chance = _both(beaten[0], beaten[1], min(1.0, variances[i] / both) if both else 0.0)
        lost = lost + rest * gaps[:, i] * chance
    return np.asarray(lost)


def _standard(difference: Array, variance: float) -> Array:
    """In standard deviations; a tie of two exact averages counts for nobody."""
    if not variance:
        return np.where(difference > 0, FAR, -FAR)
    return np.clip(difference / math.sqrt(variance), -FAR, FAR)


def _both(h: Array, k: Array, r: float) -> Array:
    """P(Y <= h, Z <= k) for standard normal Y and Z with the correlation r, by Owen's function."""
    if r > 1 - 1e-13:
        return np.asarray(ndtr(np.minimum(h, k)))
    h, k = (np.where(np.abs(part) < 1e-150, 1e-150, part) for part in (h, k))
    root = math.sqrt((1 - r) * (1 + r))
    opposite = 0.5 * (h * k < 0)
    arms = owens_t(h, (k / h - r) / root) + owens_t(k, (h / k - r) / root)
    return np.asarray(np.maximum(0.5 * (ndtr(h) + ndtr(k)) - arms - opposite, 0.0))


# ---- indices

Play = tuple[tuple[int, ...], tuple[float, ...]]


@lru_cache(maxsize=20_000)
def index(
    shows: tuple[tuple[bool, ...], ...], sigma: float, upper: float, T: float, play: Play
) -> float:
    """A regret that the policy with these counts and widths has for some means in the range."""
    K = len(shows)
    unit = sigma * math.sqrt(K / T)
    levels = sorted({min(upper, unit * c) for c in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0)})
    levels = sorted({*levels, upper, *([min(upper, 1.5 * sigma), upper / 2] if K == 2 else [])})
    gaps = [
        (*others[:best], 0.0, *others[best:])
        for best in range(K)
        for others in {*((level,) * (K - 1) for level in levels), *_mixed(levels, K)}
    ]
    seen = np.array(shows, dtype=np.int64)
    tried = _played(seen, np.array(gaps), _indices(sigma, T, K, play, 1), T)
    hardest = np.array(gaps)[np.argsort(-tried.mean(axis=0))[:2]]
    lost = _played(seen, hardest, _indices(sigma, T, K, play, 2), T)
    error = lost.std(axis=0) / math.sqrt(MEASURED)
    return float((lost.mean(axis=0) - ERRORS * error).max())


def _mixed(levels: Sequence[float], K: int) -> list[tuple[float, ...]]:
    """One gap that is small and others that are the whole range, in either order."""
    few = levels[1::3]
    return [(d, *[levels[-1]] * (K - 2)) for d in few] + [(*[levels[-1]] * (K - 2), d) for d in few]


@lru_cache(maxsize=256)
def _averages(rounds: int, K: int, seed: int) -> Array:
    """Averages of the first 1, 2, ... standard normal values: runs, actions, numbers of values."""
    runs = SEARCHED if seed == 1 else MEASURED
    noise = np.random.default_rng([9, seed]).standard_normal((runs, K, rounds))
    return np.asarray(noise.cumsum(axis=2) / np.arange(1, rounds + 1))


def _indices(sigma: float, T: float, K: int, play: Play, seed: int) -> Array:
    """The index of each action by the number of values seen, less its mean: infinite at first."""
    rounds = math.ceil(T)
    averages = _averages(rounds, K, seed) * sigma
    found = np.full((len(averages), K, rounds + 1), np.inf)
    for s, width in zip(*play, strict=True):
        if s <= rounds:
            here = np.minimum(found[:, :, s], averages[:, :, s - 1] + width)
            found[:, :, s:] = here[:, :, None]
    return found


def _played(shows: npt.NDArray[np.int64], gaps: Array, indices: Array, T: float) -> Array:
    """The regret of each run (rows) at each row of gaps (columns), round by round."""
    runs, K, length = indices.shape
    flat = indices.ravel()
    place = ((np.arange(runs)[:, None] * K + np.arange(K)) * length)[:, None, :]
    seen = np.zeros((runs, len(gaps), K), dtype=np.int64)
    lost = np.zeros((runs, len(gaps)))
    columns = np.arange(len(gaps))
    rounds = math.ceil(T)
    for t in range(rounds):
        # Of several that are infinite, the one that was seen least, then the first.
        values = np.minimum(flat[place + seen], 1e300 - 1e290 * seen) - gaps
        action = values.argmax(axis=2)
        lost += gaps[columns, action] * (T - t if t == rounds - 1 else 1.0)
        seen += shows[action]
    return lost
