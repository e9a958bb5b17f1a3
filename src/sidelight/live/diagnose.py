"""Are the values as noisy as was declared, and do side values have the mean of direct ones?

Each hypothesis gets an e-process: a positive process M that is at most a martingale beginning in 1,
under every distribution of the hypothesis. By Ville's inequality 1/M is a p-value at every look.
Ours are universal (Wasserman, Ramdas and Balakrishnan 2020): a mixture of alternatives over the
largest likelihood within the hypothesis. They hold in the history of everything that came, so that
a policy may choose by the values what it looks at next (Wang and Ramdas 2024 compare the two ways
for means with an unknown variance).

**Spread** of one pair: n values are Gaussian with an unknown mean and the variance s^2. Let Q be
the sum of squares around their mean, Q' the same without the first value, m = n - 1. The mixture
takes the mean as unknown, beginning with the first value, and 1/variance ~ Gamma(1/2, s0^2/2), one
observation's worth of the declared s0:

    log M(s) = log G(1/2 + m/2) - log G(1/2) + (1/2) log(s0^2/2) - (m + 1)/2 log((s0^2 + Q)/2)
               - (1/2) log n + m log s + Q' / (2 s^2),          Q' = Q - n/(n-1) (first - mean)^2

M(s0) is the evidence against the declared s0; {s : M(s) < 1/a} is an interval for the truth.

**Bias** of i -> j against j -> j: means x, y with informations w, v (counts over declared
variances). Under the hypothesis both have one mean. The mixture gives each a mean of its own,
N(c, 1/r) with c = upper/2 and r = 4/upper^2:

    log M = (1/2) (x - y)^2 w v / (w + v)
            - (1/2) sum over (x, w), (y, v) of  log(1 + w/r) + r w / (r + w) (x - c)^2

Holm's procedure goes over all hypotheses that the feedback declares, with or without data: so their
number is fixed beforehand, and all looks together accuse a right declaration with probability
delta at most. The intervals hold together, at all looks, with probability 1 - delta.

An exact observation (sigma 0) is taken for a millionth of the range, as in the belief, and accused
only of more than that. The test of bias trusts the declared sigmas: mind the spread first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..belief import precisions
from ..engine.contract import Floats, Ints
from ..labels import Label, display
from ..setting import Setting
from ..variances import BoolArray
from .pairs import Pairs
from .values import probability

STEPS = 200  # of bisection, on a logarithmic scale: more than doubles can tell apart
REACH = 1e9  # the ends of an interval lie within this factor of what the data say


@dataclass(frozen=True)
class Finding:
    """What the data say of one pair.

    `sigma` is the standard deviation of the values, None for a single one, and [low, high] an
    interval for the truth. `bias` is their mean less that of direct values, None where there are
    none. `spread_accused` and `bias_accused` say what cannot be as declared.
    """

    played: Label
    observed: Label
    count: int
    declared: float
    sigma: float | None
    low: float
    high: float
    bias: float | None
    spread_accused: bool
    bias_accused: bool

    @property
    def accused(self) -> bool:
        """Whether anything is wrong with the pair."""
        return self.spread_accused or self.bias_accused

    def lines(self) -> list[str]:
        """The finding in words; of a pair that is as declared, what the data say."""
        name = f"`{display(self.played)} -> {display(self.observed)}`"
        said = []
        if self.spread_accused or not self.bias_accused:
            found = "nothing yet" if self.sigma is None else f"{self.sigma:#.2g}"
            interval = "" if self.sigma is None else f" [{self.low:#.2g}, {self.high:#.2g}]"
            said.append(
                f"{name}: declared sigma {self.declared:#.2g}, the data say {found}{interval}"
            )
        if self.bias_accused:
            said.append(
                f"{name}: side values differ from direct ones of {display(self.observed)} by "
                f"{self.bias:+.2g}: they show something else"
            )
        return said


@dataclass(frozen=True)
class Diagnosis:
    """A finding for each pair with data; wrong accusations with probability `delta` at most."""

    delta: float
    findings: tuple[Finding, ...]

    @property
    def accused(self) -> tuple[Finding, ...]:
        """The pairs that cannot be as declared."""
        return tuple(finding for finding in self.findings if finding.accused)

    def __repr__(self) -> str:
        return f"<Diagnosis: {len(self.findings)} pairs, {len(self.accused)} of them accused>"

    def __str__(self) -> str:
        wrong = self.accused
        lines = [line for finding in wrong for line in finding.lines()]
        rest = len(self.findings) - len(wrong)
        if rest or not wrong:
            pairs = "pair" if rest == 1 else "pairs"
            lines.append(f"{rest} {pairs} with data: nothing speaks against what was declared")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums of several pairs as arrays, with declared sigmas; any shape."""

    count: Floats
    first: Floats
    mean: Floats
    spread: Floats
    declared: Floats  # positive: an exact observation counts as a millionth of the range


def examine(pairs: Pairs, setting: Setting, delta: float) -> Diagnosis:
    """What the data say of each pair."""
    delta = probability(delta)
    if not pairs:
        return Diagnosis(delta, ())
    own, places = sums_of(pairs, setting)
    spread = spread_evidence(own, own.declared)
    exact = setting.variance[places[:, 0], places[:, 1]] * precisions_at(setting, places) < 1
    tame = own.spread <= own.declared**2 * (own.count - 1)
    spread = np.where(exact & tame, 0.0, spread)
    bias, differences = _biases(own, places, setting)
    spreads, sides = hypotheses(setting)
    accused = holm(np.concatenate([spread, bias]), spreads + sides, delta)
    low, high = spread_interval(own, delta / spreads)
    findings = [
        Finding(
            played=setting.labels[i],
            observed=setting.labels[j],
            count=int(own.count[k]),
            declared=float(np.sqrt(setting.variance[i, j])),
            sigma=float(np.sqrt(own.spread[k] / (own.count[k] - 1))) if own.count[k] > 1 else None,
            low=float(low[k]),
            high=float(high[k]),
            bias=None if np.isnan(differences[k]) else float(differences[k]),
            spread_accused=bool(accused[k]),
            bias_accused=bool(accused[len(places) + k]),
        )
        for k, (i, j) in enumerate(places.tolist())
    ]
    return Diagnosis(delta, tuple(findings))


def hypotheses(setting: Setting) -> tuple[int, int]:
    """How many spreads there are to test, and how many side means against direct ones."""
    observes = setting.observes
    sides = observes & observes.diagonal()
    return int(observes.sum()), int(sides.sum() - sides.diagonal().sum())


def precisions_at(setting: Setting, places: Ints) -> Floats:
    """The precisions of these pairs, as the belief counts them."""
    found: Floats = precisions(setting.feedback, setting.upper)[places[:, 0], places[:, 1]]
    return found


def sums_of(pairs: Pairs, setting: Setting) -> tuple[Sums, Ints]:
    """The sums as arrays, and the pairs that they belong to, in order."""
    places = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    found = [pairs[i, j] for i, j in places.tolist()]
    sums = Sums(
        count=np.array([float(pair.count) for pair in found]),
        first=np.array([pair.first for pair in found]),
        mean=np.array([pair.mean for pair in found]),
        spread=np.array([pair.spread for pair in found]),
        declared=1.0 / np.sqrt(precisions_at(setting, places)),
    )
    return sums, places


def spread_evidence(own: Sums, sigma: Floats) -> Floats:
    """log M(sigma) of each pair; 0 for a single value."""
    from scipy.special import gammaln  # noqa: PLC0415 - a fifth of a second, for this alone

    n, m = np.maximum(own.count, 2.0), np.maximum(own.count - 1.0, 1.0)
    # In units of the declared sigma: no square is too large or too small.
    q = own.spread / own.declared / own.declared
    without = np.maximum(q - n / m * np.square((own.first - own.mean) / own.declared), 0.0)
    mixed = gammaln(0.5 + m / 2) - gammaln(0.5) - 0.5 * np.log(2.0)
    mixed = mixed - (m + 1) / 2 * np.log((1.0 + q) / 2) - 0.5 * np.log(n)
    s = sigma / own.declared
    evidence = mixed + m * np.log(s) + without / (2.0 * s * s)
    return np.where(own.count > 1, evidence, 0.0)


def spread_interval(own: Sums, delta: float) -> tuple[Floats, Floats]:
    """Where the standard deviations lie: the evidence against what is inside is below 1/delta."""
    m = np.maximum(own.count - 1.0, 1.0)
    middle = np.maximum(np.sqrt(own.spread / m), own.declared / REACH)
    bound = np.log(1.0 / delta)

    def end(outside: Floats) -> Floats:
        inner, outer = np.log(middle), np.log(outside)
        for _ in range(STEPS):
            half = (inner + outer) / 2
            within = spread_evidence(own, np.exp(half)) < bound
            inner, outer = np.where(within, half, inner), np.where(within, outer, half)
        return np.exp((inner + outer) / 2)

    several = own.count > 1
    low = np.where(several & (own.spread > 0), end(middle / REACH), 0.0)
    return low, np.where(several, end(middle * REACH), np.inf)


def bias_evidence(
    side: tuple[Floats, Floats], direct: tuple[Floats, Floats], upper: float
) -> Floats:
    """log M of each pair, from (mean, information) of its side values and of direct ones."""
    (x, w), (y, v) = side, direct
    r, c = 4.0 / upper**2, upper / 2
    evidence = 0.5 * np.square(x - y) * (w * (v / (w + v)))
    for mean, information in (side, direct):
        evidence = evidence - 0.5 * np.log1p(information / r)
        evidence = evidence - 0.5 * np.square(mean - c) * (r * (information / (r + information)))
    return evidence


def holm(evidence: Floats, hypotheses: int, delta: float) -> BoolArray:
    """Which of these are rejected, of so many in all; those without data are never rejected."""
    order = np.argsort(-evidence, kind="stable")
    left = np.maximum(hypotheses - np.arange(len(evidence)), 1)
    needed = np.log(left / delta)
    passed = np.logical_and.accumulate(evidence[order] >= needed)
    rejected = np.zeros(len(evidence), dtype=bool)
    rejected[order[passed]] = True
    return rejected


def _biases(own: Sums, places: Ints, setting: Setting) -> tuple[Floats, Floats]:
    """The evidence for a bias of each pair, and the difference: 0 and NaN where none is known."""
    row = {pair: k for k, pair in enumerate(map(tuple, places.tolist()))}
    evidence, differences = np.zeros(len(places)), np.full(len(places), np.nan)
    information = own.count / own.declared / own.declared
    pairs: Iterable[tuple[int, int]] = (
        (k, row[j, j]) for (i, j), k in row.items() if i != j and (j, j) in row
    )
    found = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    k, d = found[:, 0], found[:, 1]
    side, direct = (own.mean[k], information[k]), (own.mean[d], information[d])
    evidence[k] = bias_evidence(side, direct, setting.upper)
    differences[k] = own.mean[k] - own.mean[d]
    return evidence, differences
