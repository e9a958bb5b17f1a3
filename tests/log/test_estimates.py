"""The estimates of a log against their definitions, and against other people's code."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.diagnostic import normal_ad  # type: ignore[import-untyped]

import logs
import sidelight as sl
from naive import log as naive
from sidelight.log import estimates
from sidelight.log.fit import rounded_up

inf = float("inf")
GRADED = np.square([[1, 2, 3, inf], [0.5, 1, 2, 4], [2.0, 2, 1, 1], [inf, 1, 1, 0.5]]) / 4
problem = sl.Problem(sl.Feedback(GRADED, list("abcd")), [0.3, 0.5, 0.4, 0.6])
BIAS = {(0, 1): 1.5, (2, 0): -1.0}
ROUNDING = 1e-9  # sums of some hundred numbers of size 1, in other orders


def compared(rows: list[naive.Row]) -> sl.Fit:
    """The fit of a log, after it was found to agree with the definition."""
    slow, fit = naive.fit(rows), sl.from_log(logs.frame(rows), shift=20, upper=100).fit
    pairs = {(pair.played, pair.observed): pair for pair in fit.pairs}
    assert {name: pair.count for name, pair in pairs.items()} == {
        name: len(values) for name, values in slow.values.items()
    }
    assert fit.dropped == slow.dropped
    assert {name for name, pair in pairs.items() if pair.biased} == slow.biased
    assert {name for name, pair in pairs.items() if pair.not_gaussian} == slow.not_gaussian
    for name, pair in pairs.items():
        assert pair.sigma**2 == pytest.approx(slow.variance[name], rel=ROUNDING)
    for action in fit.actions:
        assert action.plays == slow.plays.get(action.label, 0)
        assert action.mean - 20 == pytest.approx(slow.mean[action.label], abs=ROUNDING)
        margin = (action.high - action.low) / 2
        assert margin == pytest.approx(slow.margin[action.label], rel=ROUNDING)
    return fit


@pytest.mark.parametrize("rounds", [30, 150, 400])
def test_a_fit_is_what_its_definition_says(rounds: int) -> None:
    for seed in range(5):
        rows = logs.drawn(problem, "uniform", rounds, seed)
        compared(rows)
        compared(logs.with_gaps(rows, 0.6, seed))
        compared(logs.with_errors(rows, 0.02, seed, 1.0))


def test_also_with_biased_pairs_heavy_tails_and_constants() -> None:
    rows = logs.drawn(problem, "uniform", 400, 7, BIAS)
    assert {(pair.played, pair.observed) for pair in compared(rows).biased} == {
        ("a", "b"),
        ("c", "a"),
    }
    curved = [(t, i, j, math.exp(value)) for t, i, j, value in rows]
    assert compared(curved).not_gaussian
    rounded = [(t, i, j, float(value > 1.2)) for t, i, j, value in rows]
    assert compared(rounded).dropped == 0
    still = [(t, i, j, 0.5 if (i, j) == ("a", "a") else value) for t, i, j, value in rows]
    (same,) = (pair for pair in compared(still).pairs if pair.constant)
    assert (same.played, same.observed, same.low) == ("a", "a", None)
    assert same.sigma > 0.3


@pytest.mark.parametrize("n", [20, 50, 500])
@pytest.mark.parametrize("law", ["normal", "uniform", "gumbel", "laplace"])
def test_the_test_for_gaussian_values_is_the_one_of_statsmodels(n: int, law: str) -> None:
    values = np.sort(getattr(np.random.default_rng(n), law)(size=n))
    assert estimates.gaussian_p(values) == pytest.approx(normal_ad(values)[1], rel=1e-9)


def test_nothing_is_said_about_the_law_of_few_or_equal_values() -> None:
    assert math.isnan(estimates.gaussian_p(np.arange(19.0)))
    assert math.isnan(estimates.gaussian_p(np.ones(100)))
    assert [estimates.anderson_p(a) for a in (0.1, 0.3, 0.5, 2.0)] == pytest.approx(
        [1.0, 0.58, 0.21, 4.3e-5], rel=0.1
    )
    assert 0 < estimates.anderson_p(1e6) == estimates.anderson_p(13.0) < 1e-25


def test_welch_is_the_test_of_scipy() -> None:
    rng = np.random.default_rng(5)
    for n, m in ((10, 10), (12, 400), (80, 30)):
        x, y = np.sort(rng.normal(0, 1, n)), np.sort(rng.normal(0.5, 3, m))
        one, other = (
            estimates.Pair(v, 0, float(v.mean()), float(((v - v.mean()) ** 2).sum()))
            for v in (x, y)
        )
        known = stats.ttest_ind(x, y, equal_var=False).pvalue
        assert estimates.welch(one, other) == pytest.approx(known, rel=1e-9)
    still = estimates.Pair(np.ones(10), 0, 1.0, 0.0)
    assert estimates.welch(still, still) == 1.0
    assert estimates.welch(still, estimates.Pair(np.zeros(10), 0, 0.0, 0.0)) == 0.0


@pytest.mark.parametrize("n", [4, 10, 30, 200])
def test_right_values_are_hardly_ever_dropped(n: int) -> None:
    """At most 1 % of Gaussian pairs may lose a value. More than 40 of 2,000 would lose one with a
    probability below 1e-4 (Poisson with mean 20)."""
    rng = np.random.default_rng(n)
    lost = sum(
        not estimates.near(np.sort(rng.standard_normal(n)), 0.01).all() for _ in range(2_000)
    )
    assert lost <= 40


def test_gross_errors_are_dropped_and_a_heavy_tail_is_not() -> None:
    rng = np.random.default_rng(1)
    clean = rng.standard_normal(200)
    spoilt = np.sort(np.r_[clean, 60.0, -1e9])
    kept = spoilt[estimates.near(spoilt, 0.01)]
    assert np.array_equal(kept, np.sort(clean))
    earned = np.sort(rng.exponential(size=2_000))  # 5 robust deviations drop one in 70
    assert estimates.near(earned, 0.01).all()
    assert not estimates.near(np.sort(np.r_[earned, 1e6]), 0.01).all()
    half = np.sort(np.r_[np.zeros(60), rng.standard_normal(40) * 1e3])
    assert estimates.near(half, 0.01).all()  # no scale
    many = np.sort(np.r_[rng.standard_normal(80), rng.standard_normal(20) * 1e3])
    assert estimates.near(many, 0.01).all()  # a fifth of them: the rule, no error


def test_the_range_ends_with_a_round_number() -> None:
    said = [rounded_up(x) for x in (0.0, -1.0, 0.03, 0.05, 0.21, 1.0, 1.01, 3.0, 99.0, 4e7)]
    assert said == [1.0, 1.0, 0.05, 0.05, 0.5, 1.0, 2.0, 5.0, 100.0, 5e7]
