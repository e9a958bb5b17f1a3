"""A problem from a log, and how surely.

    theta_j     the mean of j in `estimates`, plus `shift`; cut to [0, upper] where the interval
                reaches beyond
    errors      margin / z, z the quantile of the Gaussian law: the standard deviation of the
                Gaussian with the same interval, a little more than the standard error if few values
                are behind it. Means drawn from it (`simulate(..., means="posterior")`) spread as
                the intervals say.
    upper       where nobody says it, the least of 1, 2, 5, 10, ... (or 0.5, 0.2, ...) that is above
                every mean by twice its margin
    played      how often the log plays each action

A mean is not said if its error exceeds upper/sqrt(12), the standard deviation of a mean of which
nothing is known but its range. If a mean is not said, the result is no `Problem` but a `Setting`,
which has no means.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..feedback import Feedback
from ..labels import Label, some
from ..problem import Problem
from ..setting import Setting, check_text, check_upper
from ..simulate.statistics import CONFIDENCE
from ..writing import StrPath
from . import rows, words
from .estimates import Estimates, Mean, Pair, Place, estimate

Z = 1.959963984540054  # the quantile of the Gaussian law that belongs to CONFIDENCE
STEPS = (1.0, 2.0, 5.0)  # the numbers that a range ends with, times powers of ten


@dataclass(frozen=True)
class ActionFit:
    """What the log says about one action. [low, high] is the 95 % interval of its mean."""

    label: Label
    plays: float
    values: int
    mean: float
    error: float
    low: float
    high: float


@dataclass(frozen=True)
class PairFit:
    """What the log says about the values that plays of one action showed of another.

    `sigma` is their standard deviation and [low, high] its 95 % interval; both ends are None if
    sigma is borrowed from other pairs. `bias` is their mean less that of direct values, None where
    there are no two means to compare. `shown` is the share of plays that showed a value.
    """

    played: Label
    observed: Label
    count: int
    dropped: int
    shown: float
    mean: float
    sigma: float
    low: float | None
    high: float | None
    bias: float | None
    few: bool
    constant: bool
    biased: bool
    not_gaussian: bool


@dataclass(frozen=True)
class Fit:
    """What a log says, and the doubts about it; `str(fit)` is a page of text.

    `subject` is the problem, or the setting where a mean cannot be said.
    """

    subject: Problem | Setting
    actions: tuple[ActionFit, ...]
    pairs: tuple[PairFit, ...]
    rows: int
    repeated: int
    shift: float
    upper_chosen: bool
    has_rounds: bool

    @property
    def dropped(self) -> int:
        """How many values were dropped as gross errors."""
        return sum(pair.dropped for pair in self.pairs)

    @property
    def few(self) -> tuple[PairFit, ...]:
        """The pairs with too little data: they borrow their sigma."""
        return tuple(pair for pair in self.pairs if pair.few)

    @property
    def biased(self) -> tuple[PairFit, ...]:
        """The pairs whose side values have another mean than direct ones: they are left out."""
        return tuple(pair for pair in self.pairs if pair.biased)

    @property
    def not_gaussian(self) -> tuple[PairFit, ...]:
        """The pairs whose values do not look Gaussian."""
        return tuple(pair for pair in self.pairs if pair.not_gaussian)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to know before the problem is trusted, in sentences."""
        return words.cautions(self)

    def __repr__(self) -> str:
        doubts = f"{len(self.cautions)} cautions; print it to read them"
        return f"<Fit: {self.rows:,} rows, {len(self.pairs)} pairs, {doubts}>"

    def __str__(self) -> str:
        return words.page(self)

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return words.record(self)


class LoggedProblem(Problem):
    """A problem that was estimated from a log: `fit` says how surely."""

    fit: Fit

    def __init__(self, problem: Problem, fit: Fit) -> None:
        super().__init__(
            problem.feedback,
            problem.means,
            problem.upper,
            name=problem.name,
            errors=problem.errors,
            played=problem.played,
        )
        object.__setattr__(self, "fit", fit)

    def __reduce__(self) -> tuple[Any, ...]:
        return LoggedProblem, (self.fit.subject, self.fit)


class LoggedSetting(Setting):
    """A setting that was estimated from a log: `fit` says how surely, and why it has no means."""

    fit: Fit

    def __init__(self, setting: Setting, fit: Fit) -> None:
        super().__init__(setting.feedback, setting.upper, name=setting.name)
        object.__setattr__(self, "fit", fit)

    def __reduce__(self) -> tuple[Any, ...]:
        return LoggedSetting, (self.fit.subject, self.fit)


def from_log(
    frame: Any | StrPath,
    columns: Mapping[str, str | None] | None = None,
    *,
    upper: float | None = None,
    shift: float = 0.0,
    robust: bool = True,
    name: str = "",
) -> LoggedProblem | LoggedSetting:
    """The problem that a log of plays and values tells of; its `fit` says how surely.

    The log is a frame of polars or pandas, or the name of a .csv or .parquet file, with columns
    called round, played, observed and value; `columns` gives other names, as in {"played": "arm"}.
    Round and observed may be missing: then every row is a play that shows itself. More value is
    better. `shift` is added to all values, so that means lie in [0, upper]; no difference between
    actions, and so no regret, depends on it. Unless `robust` is False, gross errors are dropped.

    The outcome is a problem, with standard errors of its means and the log's own plays beside
    them; or a setting, where a mean cannot be said.
    """
    check_text(name)
    offset = _check_shift(shift)
    found = rows.read(frame, columns)
    known = estimate(found.groups, bool(robust))
    unseen = [j for j in range(len(found.labels)) if j not in known.means]
    if unseen:
        raise InputError(
            f"no row has a value of {some(found.labels, unseen)}: nobody can learn what is never "
            "shown; leave out the rows that play it"
        )
    means = [known.means[j] for j in range(len(found.labels))]
    top = _upper(means, offset) if upper is None else check_upper(upper)
    _check_range(means, found, offset, top, chosen=upper is None)
    feedback = _feedback(known, found)
    errors = np.array([mean.margin / Z for mean in means])
    subject: Problem | Setting = Setting(feedback, top, name=name)
    if (errors <= top / math.sqrt(12)).all():
        middle = np.clip([mean.mean + offset for mean in means], 0.0, top)
        subject = Problem(feedback, middle, top, name=name, errors=errors, played=found.plays)
    fit = Fit(
        subject=subject,
        actions=_actions(means, found, offset),
        pairs=tuple(
            _pair(place, pair, found, offset) for place, pair in sorted(known.pairs.items())
        ),
        rows=found.rows,
        repeated=found.repeated,
        shift=offset,
        upper_chosen=upper is None,
        has_rounds=found.has_rounds,
    )
    if isinstance(subject, Problem):
        return LoggedProblem(subject, fit)
    return LoggedSetting(subject, fit)


def _check_shift(shift: float) -> float:
    try:
        value = float(shift)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"shift = {shift!r} must be a number, which is added to all values")
    return value


def _upper(means: list[Mean], shift: float) -> float:
    return rounded_up(max(mean.mean + shift + 2 * mean.margin for mean in means))


def rounded_up(value: float) -> float:
    """The least of ..., 0.5, 1, 2, 5, 10, ... that is not below the value; 1 for 0 and less."""
    if value <= 0:
        return 1.0
    power = math.floor(math.log10(value)) - 1
    return next(
        float(f"{step:g}e{p}")
        for p in range(power, power + 4)
        for step in STEPS
        if float(f"{step:g}e{p}") >= value
    )


def _check_range(
    means: list[Mean], found: rows.Rows, shift: float, top: float, chosen: bool
) -> None:
    least = min(range(len(means)), key=lambda j: means[j].mean + means[j].margin)
    low = means[least].mean + shift
    if low + means[least].margin < 0:
        lowest = min(mean.mean - 2 * mean.margin for mean in means)
        enough = rounded_up(-lowest) if lowest < 0 else 0.0
        raise InputError(
            f"the mean of {found.labels[least]!r} is {low:.4g}, and means must lie in [0, upper]: "
            f"let a shift of {enough:g} be added to all values. Differences between actions stay "
            "as they are"
        )
    most = max(range(len(means)), key=lambda j: means[j].mean - means[j].margin)
    high = means[most].mean + shift
    if not chosen and high - means[most].margin > top:
        raise InputError(
            f"the mean of {found.labels[most]!r} is {high:.4g}, above upper = {top:g}: give a "
            "larger one, or none"
        )


def _feedback(known: Estimates, found: rows.Rows) -> Feedback:
    variance = np.full((len(found.labels), len(found.labels)), np.inf)
    for place, pair in known.pairs.items():
        if not pair.biased:
            variance[place] = pair.variance
    return Feedback(variance, found.labels)


def _actions(means: list[Mean], found: rows.Rows, shift: float) -> tuple[ActionFit, ...]:
    counts = dict.fromkeys(range(len(means)), 0)
    for (_, j), values in found.groups.items():
        counts[j] += len(values)
    return tuple(
        ActionFit(
            label=found.labels[j],
            plays=float(found.plays[j]),
            values=counts[j],
            mean=mean.mean + shift,
            error=mean.error,
            low=mean.mean + shift - mean.margin,
            high=mean.mean + shift + mean.margin,
        )
        for j, mean in enumerate(means)
    )


def _pair(place: Place, pair: Pair, found: rows.Rows, shift: float) -> PairFit:
    low, high = (None, None) if pair.borrowed else spread(pair)
    i, j = place
    return PairFit(
        played=found.labels[i],
        observed=found.labels[j],
        count=pair.count,
        dropped=pair.dropped,
        shown=(pair.count + pair.dropped) / float(found.plays[i]),
        mean=pair.mean + shift,
        sigma=math.sqrt(pair.variance),
        low=low,
        high=high,
        bias=None if math.isnan(pair.bias) else pair.bias,
        few=pair.few,
        constant=pair.constant,
        biased=pair.biased,
        not_gaussian=pair.not_gaussian,
    )


def spread(pair: Pair) -> tuple[float, float]:
    """The interval of the standard deviation of Gaussian values, at the level CONFIDENCE."""
    from scipy.special import chdtri  # noqa: PLC0415 - scipy is slow to import

    tail = (1 - CONFIDENCE) / 2
    ends = (math.sqrt(pair.squares / float(chdtri(pair.degrees, p))) for p in (tail, 1 - tail))
    low, high = ends
    return low, high
