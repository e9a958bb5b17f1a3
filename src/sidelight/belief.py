"""What was learnt: two sums for each action, and how many times each was played [sec:algs].

    plays        N_i         counted when issued
    information  n_j = sum of 1/variance over the values seen of j
    means        theta-hat_j = sum of value/variance over them, divided by n_j

For a fixed number of observations theta-hat_j has the variance 1/n_j. Both sums commute, so that
observations may come late, in any order, or in part.

An exact observation (variance 0) has infinite precision. To keep every number finite, precisions
are cut at CAP / upper^2: a standard deviation below a millionth of the range of the means counts
as that millionth. The noise itself is not cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .engine.contract import Data, Floats, Ints, Known
from .errors import InputError
from .feedback import Feedback
from .frames import told
from .labels import Label, Labels
from .variances import frozen, numbers

CAP = 1e12
MIN_UPPER, MAX_UPPER = 1e-100, 1e100


def precisions(feedback: Feedback, upper: float) -> Floats:
    """1/variance, 0 where unobserved, and at most CAP / upper^2."""
    if not MIN_UPPER <= upper <= MAX_UPPER:
        raise InputError(
            f"upper = {upper:g} is too extreme to simulate: choose units in which it lies between "
            f"{MIN_UPPER:g} and {MAX_UPPER:g}"
        )
    cut: Floats = np.minimum(feedback.precision, CAP / upper**2)
    return cut


def best_observers(precision: Floats) -> Ints:
    """For each j the action that shows it best: j itself if none is better, else the lowest."""
    best = precision.argmax(axis=0)
    own = precision.diagonal() == precision.max(axis=0)
    return np.where(own, np.arange(len(precision)), best)


def known(feedback: Feedback, upper: float, horizon: int | None = None) -> Known:
    """What the learner knows beforehand, as compiled rules read it."""
    precision = precisions(feedback, upper)
    counts = feedback.observes.sum(axis=1)
    return Known(
        precision=precision,
        start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        shown=np.nonzero(feedback.observes)[1].astype(np.int64),
        observer=best_observers(precision).astype(np.int64),
        upper=float(upper),
        horizon=0 if horizon is None else int(horizon),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Belief:
    """What a policy knows at one moment. It never changes: each method gives a new belief.

    `feedback` and `upper` were known beforehand; `plays`, `information` and `sums` are data.
    """

    feedback: Feedback
    upper: float
    plays: Ints
    information: Floats
    sums: Floats
    _precision: Floats = field(repr=False)

    @classmethod
    def empty(cls, feedback: Feedback, upper: float = 1.0) -> Belief:
        """The belief before the first round."""
        zeros = frozen(np.zeros(len(feedback)))
        plays = frozen(np.zeros(len(feedback), dtype=np.int64))
        return cls(feedback, upper, plays, zeros, zeros, frozen(precisions(feedback, upper)))

    @cached_property
    def means(self) -> Floats:
        """The precision-weighted means; NaN where nothing was seen."""
        with np.errstate(invalid="ignore"):
            return frozen(self.sums / self.information)

    @property
    def labels(self) -> Labels:
        """The names of the actions."""
        return self.feedback.labels

    @cached_property
    def rounds(self) -> int:
        """How many plays were issued."""
        return int(self.plays.sum())

    def mean(self, label: Label) -> float:
        """The mean of the action with this label; NaN where nothing was seen."""
        return float(self.means[self.feedback.index(label)])

    def __len__(self) -> int:
        return len(self.feedback)

    def __repr__(self) -> str:
        unseen = int((self.information == 0).sum())
        return f"<Belief: {len(self)} actions, {self.rounds} plays, {unseen} actions never seen>"

    def play(self, action: int) -> Belief:
        """The belief after one more play was issued; what it shows may come later."""
        plays = self.plays.copy()
        plays[self.check_action(action)] += 1
        return replace(self, plays=frozen(plays))

    def observe(self, action: int, values: npt.ArrayLike | Mapping[Any, float]) -> Belief:
        """The belief after values came from a play of `action`.

        `values` has one number for each action, NaN where none came, or is a mapping
        or a Series of pandas from labels.
        """
        seen = self.check_values(action, values)
        came = np.isfinite(seen)
        weight = np.where(came, self._precision[action], 0.0)
        gained = weight * np.where(came, seen, 0.0)
        return replace(
            self,
            information=frozen(self.information + weight),
            sums=frozen(self.sums + gained),
        )

    def check_values(self, action: int, values: npt.ArrayLike | Mapping[Any, float]) -> Floats:
        """One number for each action, NaN where none came, if a play of `action` can show them."""
        action = self.check_action(action)
        seen = self._values(values)
        blind = np.flatnonzero(np.isfinite(seen) & ~self.feedback.observes[action])
        if len(blind):
            shown, played = self.labels[blind[0]], self.labels[action]
            raise InputError(
                f"{played!r} does not show {shown!r} (its sigma is infinite): leave that value "
                "out, or give it a finite sigma"
            )
        return seen

    def check_action(self, action: object) -> int:
        """The place of an action: a whole number from 0 to K - 1."""
        whole = isinstance(action, int | np.integer) and not isinstance(action, bool)
        if not whole or not 0 <= int(action) < len(self):  # type: ignore[call-overload]
            raise InputError(
                f"{action!r}, which is not an action: give its place, a whole number from 0 to "
                f"{len(self) - 1}"
            )
        return int(action)  # type: ignore[call-overload,no-any-return]

    def _values(self, values: npt.ArrayLike | Mapping[Any, float]) -> Floats:
        values = told(values, self.labels, "values")
        if isinstance(values, Mapping):
            given = np.full(len(self), np.nan)
            for label, value in values.items():
                given[self.feedback.index(label)] = numbers(value, f"the value of {label!r}")
            values = given
        seen = numbers(values, "the values seen")
        if seen.shape != (len(self),):
            raise InputError(
                f"values has shape {seen.shape} for {len(self)} actions: give one for each action, "
                "NaN where nothing was seen"
            )
        if np.isinf(seen).any():
            raise InputError("a value that was seen must be finite: write NaN where nothing came")
        return seen

    def to_data(self) -> Data:
        """The belief as compiled rules read it; our own copies, free to change."""
        with np.errstate(divide="ignore"):
            return Data(
                plays=np.array(self.plays),
                information=np.array(self.information),
                sums=np.array(self.sums),
                means=np.where(self.information > 0, self.means, 0.0),
                errors=1.0 / np.sqrt(self.information),
                pending=np.zeros(len(self)),
                seen=np.zeros(1, dtype=np.int64),
            )

    def with_data(self, data: Data) -> Belief:
        """The belief that holds these data."""
        return replace(
            self,
            plays=frozen(data.plays),
            information=frozen(data.information),
            sums=frozen(data.sums),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Beliefs:
    """The beliefs of several replicates after the same number of rounds, one row for each.

    A policy that has `choose_many(beliefs, rngs)` is given these; `beliefs[r]` is one of them.
    """

    feedback: Feedback
    upper: float
    rounds: int
    plays: Ints
    information: Floats
    sums: Floats
    means: Floats
    _precision: Floats = field(repr=False)

    def __len__(self) -> int:
        """How many replicates there are."""
        return len(self.plays)

    def __getitem__(self, row: int) -> Belief:
        data = self.plays[row], self.information[row], self.sums[row]
        found = Belief(self.feedback, self.upper, *data, self._precision)
        found.__dict__.update(means=self.means[row], rounds=self.rounds)
        return found

    def __repr__(self) -> str:
        return f"<Beliefs of {len(self)} replicates after {self.rounds} rounds>"
