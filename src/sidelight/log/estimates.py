"""What a log says about noise and means, pair by pair.

A pair (i, j) is what plays of i showed of j. Its values are taken for independent draws with the
mean theta_j and the variance v_ij.

**Gross errors.** Let m be the median of the n values of a pair and s = 1.4826 median |x - m|, which
estimates the standard deviation and hardly notices a few wrong values; it is as sure as the
usual estimate from 0.37 n values. Values with

    |x - m| > s t,      t the (1 - a/(2n))-quantile of Student's law with 0.37 (n - 1) degrees

are dropped, where a = TAIL/(number of pairs): all pairs of a Gaussian log together lose a value
with a probability of about TAIL. The cut makes no sense for values that are not Gaussian. Where
those it leaves do not look Gaussian, only values FURTHER times as far are dropped; and where it
would drop more than a tenth, they are no errors but the rule, and none is.

**Noise.** v_ij = sum (x - mean)^2 / (n - 1) with n - 1 degrees of freedom. A pair of fewer than FEW
values, or whose values are all the same, borrows the variance of all pairs that show j, pooled
(sums of squares over sums of degrees); where these have too few values, that of the whole log.

**Means.** With w_i = n_ij / v_ij for each pair that shows j, f_i the degrees of v_ij, W = sum w_i:

    theta_j = sum w_i mean_ij / W
    error^2 = (1/W) (1 + 4 sum (w_i/W) (1 - w_i/W) / f_i)        (Meier 1953: the w_i are estimates)
    degrees = W^2 / sum (w_i^2 / f_i)

and theta_j +- t error is the interval at the level CONFIDENCE, t that quantile of Student's law.

**Bias.** Side values of j should have the mean of direct ones. Welch's test compares the means of
(i, j) and (j, j) where both have FEW values; Holm's rule goes over all such pairs, so that the
chance of any false alarm in a log is LEVEL. A pair found biased does not show j: it is left out.

**Gaussian or not.** Anderson and Darling's statistic with estimated mean and variance and the
p-values of D'Agostino and Stephens (1986), for pairs of TESTED values, Holm's rule over them.

Sums are rounded once (fsum), so that no order of rows or actions changes a bit of the answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError
from ..simulate.statistics import CONFIDENCE, holm, student, student_quantile, welch_degrees
from ..variances import Array, BoolArray

LEVEL = 0.05
TAIL = 0.01
FURTHER = 10.0
MANY = 0.1
FEW = 10  # values of a pair: fewer leave its standard deviation uncertain by a quarter or more
TESTED = 20  # values, before anything is said about their law
NOT_GAUSSIAN = 0.001  # the p-value below which the cut of gross errors is not trusted
MAD_SCALE, MAD_SHARE = 1.4826022185056018, 0.3675  # of a Gaussian: its scale, its efficiency

Place = tuple[int, int]  # played, observed


@dataclass(frozen=True, eq=False)
class Pair:
    """The values of one pair that were kept, in increasing order, and what they say.

    `variance` has `degrees` of freedom; if it is `borrowed`, they are those of other pairs, too.
    `bias` is the mean less that of direct values, NaN where there is nothing to compare.
    """

    values: Array
    dropped: int
    mean: float
    squares: float
    variance: float = math.nan
    degrees: float = 0.0
    borrowed: bool = False
    bias: float = math.nan
    biased: bool = False
    gaussian: float = math.nan
    not_gaussian: bool = False

    @property
    def count(self) -> int:
        """How many values were kept."""
        return len(self.values)

    @property
    def few(self) -> bool:
        """Whether there are too few values to say how noisy they are."""
        return self.count < FEW

    @property
    def constant(self) -> bool:
        """Whether all values are the same."""
        return self.squares == 0


@dataclass(frozen=True)
class Mean:
    """The mean of one action, its standard error, and the degrees of freedom of that error."""

    mean: float
    error: float
    degrees: float

    @property
    def margin(self) -> float:
        """Half the length of the interval around the mean."""
        return self.error * student_quantile(self.degrees, (1 + CONFIDENCE) / 2)


@dataclass(frozen=True, eq=False)
class Estimates:
    """Every pair with values, and the mean of every action that was shown."""

    pairs: Mapping[Place, Pair]
    means: Mapping[int, Mean]


def estimate(groups: Mapping[Place, Array], robust: bool = True) -> Estimates:
    """What the values of each pair say; they come in increasing order."""
    pairs = {place: _summary(values, robust, len(groups)) for place, values in groups.items()}
    pairs = _with_variances({place: pair for place, pair in pairs.items() if pair.count})
    pairs = _with_laws(_with_biases(pairs))
    sound = {place: pair for place, pair in pairs.items() if not pair.biased}
    return Estimates(pairs, {j: combined(found) for j, found in _by_observed(sound).items()})


def _by_observed(pairs: Mapping[Place, Pair]) -> dict[int, list[Pair]]:
    """The pairs that show each action."""
    found: dict[int, list[Pair]] = {}
    for (_, j), pair in pairs.items():
        found.setdefault(j, []).append(pair)
    return found


def _summary(values: Array, robust: bool, pairs: int) -> Pair:
    finite = np.isfinite(values)
    if not robust and not finite.all():
        raise InputError("a value is infinite: remove it, or let gross errors be dropped")
    kept = values[finite]
    if robust and len(kept):
        kept = kept[near(kept, TAIL / pairs)]
    mean = math.fsum(kept) / max(len(kept), 1)
    return Pair(kept, len(values) - len(kept), mean, math.fsum(np.square(kept - mean)))


def near(values: Array, tail: float) -> BoolArray:
    """Which values are no gross errors, for a probability `tail` of dropping a right one."""
    middle = float(np.median(values))
    distance = np.abs(values - middle)
    scale = MAD_SCALE * float(np.median(distance))
    everything = np.ones(len(values), dtype=bool)
    if len(values) < 4 or scale == 0:  # half of the values are the same: no scale to measure with
        return everything
    degrees = MAD_SHARE * (len(values) - 1)
    reach = scale * student_quantile(degrees, 1 - tail / (2 * len(values)))
    kept = distance <= reach
    if gaussian_p(values[kept]) < NOT_GAUSSIAN:
        kept = distance <= FURTHER * reach
    return kept if (~kept).sum() <= max(1.0, MANY * len(values)) else everything


# ---- noise -----------------------------------------------------------------------------------


def _with_variances(pairs: Mapping[Place, Pair]) -> dict[Place, Pair]:
    whole = _pooled(pairs.values())
    if not whole[1]:
        raise InputError(
            "no action was shown twice by the same action: nothing can be said about the noise; "
            "a longer log is needed"
        )
    columns = {j: _pooled(shown) for j, shown in _by_observed(pairs).items()}
    found = {}
    for (i, j), pair in pairs.items():
        degrees = pair.count - 1.0
        if not pair.few and not pair.constant:
            own = pair.squares / degrees
            found[i, j] = replace(pair, variance=own, degrees=degrees)
            continue
        variance, degrees = columns[j]
        if variance == 0 or degrees < FEW - 1:
            variance, degrees = whole
        found[i, j] = replace(pair, variance=variance, degrees=degrees, borrowed=True)
    return found


def _pooled(pairs: Iterable[Pair]) -> tuple[float, float]:
    """The variance around the means of these pairs, and its degrees of freedom."""
    given = list(pairs)
    degrees = math.fsum(pair.count - 1 for pair in given)
    return math.fsum(pair.squares for pair in given) / max(degrees, 1.0), degrees


# ---- means -----------------------------------------------------------------------------------


def combined(pairs: Sequence[Pair]) -> Mean:
    """The mean of an action from all pairs that show it."""
    if any(pair.variance == 0 for pair in pairs):  # then nothing in the whole log varies
        return Mean(math.fsum(pair.mean for pair in pairs) / len(pairs), 0.0, math.inf)
    weights = [pair.count / pair.variance for pair in pairs]
    W = math.fsum(weights)
    shares = [w / W for w in weights]
    mean = math.fsum(s * pair.mean for s, pair in zip(shares, pairs, strict=True))
    extra = math.fsum(s * (1 - s) / p.degrees for s, p in zip(shares, pairs, strict=True))
    inverse = math.fsum(s * s / p.degrees for s, p in zip(shares, pairs, strict=True))
    return Mean(mean, math.sqrt((1 + 4 * extra) / W), 1 / inverse)


# ---- doubts ----------------------------------------------------------------------------------


def welch(one: Pair, other: Pair) -> float:
    """The two-sided p-value of "both have the same mean"; each has its own variance."""
    a, b = (pair.squares / (pair.count - 1) / pair.count for pair in (one, other))
    if a + b == 0:
        return float(one.mean == other.mean)
    degrees = welch_degrees(a, b, one.count, other.count)
    return 2 * student(degrees, -abs(one.mean - other.mean) / math.sqrt(a + b))


def _with_biases(pairs: Mapping[Place, Pair]) -> dict[Place, Pair]:
    compared = [
        (i, j)
        for (i, j), pair in pairs.items()
        if i != j and (j, j) in pairs and not pair.few and not pairs[j, j].few
    ]
    adjusted = holm([welch(pairs[i, j], pairs[j, j]) for i, j in compared])
    found = dict(pairs)
    for (i, j), p in zip(compared, adjusted, strict=True):
        bias = pairs[i, j].mean - pairs[j, j].mean
        found[i, j] = replace(pairs[i, j], bias=bias, biased=p <= LEVEL)
    return found


def gaussian_p(values: Array) -> float:
    """The p-value of "these are Gaussian"; NaN for few values, or where all are the same."""
    n = len(values)
    if n < TESTED or values[0] == values[-1]:
        return math.nan
    from scipy.special import log_ndtr  # noqa: PLC0415 - scipy is slow to import

    mean = math.fsum(values) / n
    z = (values - mean) / math.sqrt(math.fsum(np.square(values - mean)) / (n - 1))
    weight = 2 * np.arange(1, n + 1) - 1
    statistic = -n - math.fsum(weight * (log_ndtr(z) + log_ndtr(-z[::-1]))) / n
    return anderson_p(statistic * (1 + 0.75 / n + 2.25 / n**2))


def anderson_p(a: float) -> float:
    """The p-value of Anderson and Darling's statistic, corrected for n."""
    if a < 0.2:
        return 1 - math.exp(-13.436 + 101.14 * a - 223.73 * a * a)
    if a < 0.34:
        return 1 - math.exp(-8.318 + 42.796 * a - 59.938 * a * a)
    if a < 0.6:
        return math.exp(0.9177 - 4.279 * a - 1.38 * a * a)
    return math.exp(1.2937 - 5.709 * min(a, 13.0) + 0.0186 * min(a, 13.0) ** 2)


def _with_laws(pairs: Mapping[Place, Pair]) -> dict[Place, Pair]:
    p_values = {place: gaussian_p(pair.values) for place, pair in pairs.items()}
    tested = [place for place, p in p_values.items() if not math.isnan(p)]
    adjusted = holm([p_values[place] for place in tested])
    found = dict(pairs)
    for place, p in zip(tested, adjusted, strict=True):
        found[place] = replace(pairs[place], gaussian=p_values[place], not_gaussian=p <= LEVEL)
    return found
