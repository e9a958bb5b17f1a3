"""Posteriors cut to the range: their moments, and what happens where the range is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import sidelight as sl
from naive import cut as naive
from races import live
from sampling import thinned
from sidelight.policies.parts import cut


def random_posteriors(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float, float]:
    """n, m, c and the range: narrow ones, wider ones, some three deviations outside."""
    K, upper, c = int(rng.integers(1, 8)), 10.0 ** rng.integers(-3, 4), rng.uniform(1, 2.1)
    s = upper * 10.0 ** rng.uniform(-4, 0.9, K)
    m = rng.choice([rng.uniform(0, upper, K), rng.choice([0, upper], K)])
    return c / s**2, m + rng.uniform(-2.9, 2.9, K) * s, c, upper


@pytest.mark.parametrize("wider", thinned([0.1, 0.0, 2.0], 3))
def test_moments_against_scipy_and_the_definition(wider: float) -> None:
    rng = np.random.default_rng(1)
    changed = 0
    for _ in range(1_000):
        n, m, c, upper = random_posteriors(rng)
        w = wider * upper
        inside_n, inside_m = n.copy(), m.copy()
        (mu, s, below, above, edge), ends = cut.cut(inside_n, inside_m, c, upper, w)
        assert ends == (-w, upper + w)
        assert np.array_equal(mu, m)
        for j, x in enumerate(naive.cut(n.tolist(), m.tolist(), c, upper, w)):
            known = (x.s, x.below, x.above, x.edge, x.n, x.m)
            assert known == pytest.approx(
                (s[j], below[j], above[j], edge[j], inside_n[j], inside_m[j]),
                rel=1e-8,
                abs=1e-18 * max(upper, 1),
            )
            whole = stats.norm(m[j], s[j])
            if below[j] + above[j] > 0:
                low, high = (-w - m[j]) / s[j], (upper + w - m[j]) / s[j]
                part = stats.truncnorm(low, high, m[j], s[j])
                assert inside_m[j] == pytest.approx(part.mean(), rel=1e-6)
                assert c / inside_n[j] == pytest.approx(part.var(), rel=1e-5)
                assert (below[j], above[j]) == pytest.approx((whole.cdf(-w), whole.sf(upper + w)))
                changed += 1
    assert changed > 500


def test_what_is_far_from_both_ends_is_left_alone() -> None:
    n, m = np.array([1e4, 1e6]), np.array([0.5, 0.9])
    before = n.copy(), m.copy()
    cut.cut(n, m, 2.0, 1.0)
    assert np.array_equal(before, (n, m))


@pytest.mark.parametrize("s", [8.0, 9.0, 1e3, 1e15])
def test_what_is_wide_is_nearly_uniform(s: float) -> None:
    m = np.array([0.5, 0.2, 3 * s, -3 * s])
    n = np.full(4, 1 / s**2)
    steepness = (m - 0.5) / s**2  # of the logarithm of the density, in the middle
    assert cut.cut(n, m, 1.0, 1.0)[1] == (0.0, 1.0)
    assert m == pytest.approx(0.5 + steepness / 12, abs=1e-3)
    assert 1 / n == pytest.approx(1 / 12, rel=0.01)


@pytest.mark.parametrize("outside", [-0.4, 1.4])
def test_a_range_that_is_wrong_is_not_believed(outside: float) -> None:
    n, m = np.array([100.0, 4.0]), np.array([outside, 0.5])
    before = n.copy(), m.copy()
    assert cut.cut(n, m, 1.0, 1.0)[1] == (-math.inf, math.inf)
    assert np.array_equal(before, (n, m))
    # Posteriors that are cut further out do not make a wrong range any more believable.
    assert cut.cut(n, m, 1.0, 1.0, 10.0)[1] == (-math.inf, math.inf)
    m[0] = 0.5 + 0.75 * (outside - 0.5) / 0.9  # now within three deviations, 0.1 each
    assert cut.cut(n, m, 1.0, 1.0)[1] == (0.0, 1.0)


@pytest.mark.parametrize("policy", ["ids", "ids:guard=0", "v-ids:range=1"])
def test_a_best_mean_above_the_range_is_found(policy: str) -> None:
    """Means of 1.2 and 1.5, where the user had said that none is above 1."""
    problem = sl.Problem(sl.Feedback.bandit(3, 0.5), [0.3, 0.8, 0.6], 1.0)
    found = 0
    for seed in range(20):
        player = live(policy, problem, 400, seed)
        plays = np.zeros(3)
        rng = np.random.default_rng(seed)
        for _ in range(400):
            action, why = player.ask()
            plays[action] += 1
            value = np.array([0.3, 1.5, 1.2])[action] + 0.5 * rng.standard_normal()
            player.data.information[action] += 4.0
            player.data.sums[action] += 4.0 * value
            player.data.seen[0] += 1
            player.t += 1
            numbers = player.entry.prepared.parameters
            player.rule.update(
                player.t, player.data, player.stage.known, numbers, player.memory, action, why
            )
        found += plays[1] > 300
    assert found >= 18
