"""Where a feedback structure is hard: the sets of actions behind the closed forms of `minimax`.

With s_i = min_j variance[j, i], the sharpest observation of i that anyone has:

    independent    actions of which none shows another; the larger s_i first
    blind          (i, k) such that playing i does not show k; k = i allowed; s_k largest
    pair           (i, j, q): q bounds the information about i and j together in one play
    hidden         weakly observable actions that only outsiders show (`programs.hidden_sets`)

For the pair, q is the largest of P[i,i] + P[i,j] and P[j,i] + P[j,j], and a quarter of the largest
P[k,i] + P[k,j]: any other action k may tell four times as much, because playing it costs more.

Exact observations (variance 0) leave nothing to be learnt about an action, so it is in none of
these sets but the first, at its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..feedback import Feedback
from ..programs import Effort
from ..programs.hidden_sets import HiddenSet, hidden_set
from ..structure import Structure, structure
from ..variances import Array

# Pairs are sought among this many actions: those about which the best observer tells least.
MAX_PAIRED = 150


@dataclass(frozen=True, eq=False)
class HardSets:
    """What every closed form needs to know about the structure; the names are those above.

    `sharpest` are the s_i, `domination` is a lower end of the weak domination number, and
    `sigma_min` the standard deviation of the sharpest observation of all.

    A longer search may find harder sets if one was `stopped` when its effort was over. If hidden
    sets were `sampled`, only some of them were tried, because there are too many.
    """

    sharpest: Array
    independent: tuple[int, ...]
    blind: tuple[int, int] | None
    pair: tuple[int, int, float] | None
    hidden: HiddenSet
    strong: bool
    domination: float
    sigma_min: float
    stopped: bool
    sampled: bool

    @property
    def complete(self) -> bool:
        """Whether every search went through all that there is."""
        return not (self.stopped or self.sampled)


@lru_cache(maxsize=64)
def known_structure(feedback: Feedback, budget: float | None) -> Structure:
    """The structure, remembered: bounds are asked for at many horizons."""
    return structure(feedback, budget)


@lru_cache(maxsize=64)
def hard_sets(feedback: Feedback, budget: float | None) -> HardSets:
    """The hard sets, the same ones for all horizons; `budget` is a limit in seconds, or None."""
    found = known_structure(feedback, budget)
    variance = feedback.variance
    sharpest = variance.min(axis=0)
    known = found.independence.witness
    hidden = hidden_set(variance, found.weak, Effort.on(len(feedback), budget))
    return HardSets(
        sharpest=sharpest,
        independent=tuple(sorted(known, key=lambda i: (-sharpest[i], i))),
        blind=_blind(feedback, sharpest),
        pair=_pair(feedback),
        hidden=hidden,
        strong=not found.weak,
        domination=found.domination.lower,
        sigma_min=float(np.sqrt(sharpest.min())),
        stopped=not (found.independence.proved and found.domination.proved) or hidden.stopped,
        sampled=hidden.sampled,
    )


def _blind(feedback: Feedback, sharpest: Array) -> tuple[int, int] | None:
    unseen = ~feedback.observes
    worth = np.where(unseen.any(axis=0), sharpest, 0.0)
    k = int(worth.argmax())
    if not worth[k] > 0:
        return None
    # Another action where there is one: then everything but the pair can stay at mean 0.
    others = np.flatnonzero(unseen[:, k] & (np.arange(len(feedback)) != k))
    return (int(others[0]) if len(others) else k), k


def _pair(feedback: Feedback) -> tuple[int, int, float] | None:
    P = feedback.precision
    told = P.max(axis=0)
    usable = np.flatnonzero(told < np.inf)
    chosen = usable[np.argsort(told[usable], kind="stable")][:MAX_PAIRED]
    best: tuple[int, int, float] | None = None
    for at, i in enumerate(chosen[:-1]):
        others = chosen[at + 1 :]
        with np.errstate(over="ignore"):
            both = P[:, [i]] + P[:, others]
        own = np.maximum(both[i], both[others, np.arange(len(others))])
        q = np.maximum(own, both.max(axis=0) / 4)
        k = int(q.argmin())
        if 0 < q[k] < np.inf and (best is None or q[k] < best[2]):
            best = int(i), int(others[k]), float(q[k])
    return best
