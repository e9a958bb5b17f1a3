"""Where many can be best: the coarse integral against the exact ones, its twin, and its limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from naive import cut as naive
from naive import loop, random_problems
from naive.crowd import crowd as naive_crowd
from naive.crowd import points
from sidelight.engine.contract import Floats
from sidelight.policies import ids, registry, v_ids
from sidelight.policies.parts import crowd, cut


def many(rng: np.random.Generator) -> tuple[Floats, Floats, float]:
    """Posteriors of 21 to 120 actions about means in the range, alike or not at all; the range."""
    K, wide = int(rng.integers(21, 121)), rng.uniform(-2.5, 0)
    s = 10 ** rng.uniform(wide, rng.choice([wide, 0, 0.5]), K)
    return rng.uniform(0.3, 0.6, K), s, float(rng.choice([1.0, math.inf]))


PLAIN = 1.0, 0.0  # explained variances as they are, whatever is at stake


def found(
    mu: Floats, s: Floats, upper: float, scale: tuple[float, float] = PLAIN
) -> tuple[Any, Floats, float, Floats]:
    """What is left of the posteriors, their means, and r and v by the coarse integral."""
    n, m, v = 1 / s**2, mu.copy(), np.full(len(mu), np.nan)
    whole = cut.cut(n, m, 1.0, upper)
    return whole, m, crowd.weigh_all(whole, m, int(m.argmax()), math.nan, scale, v), v


def exact(whole: Any, m: Floats) -> tuple[float, Floats]:
    """r and v of `v-ids`."""
    K = len(m)
    p, shift, v = np.empty((3, K))
    cross, base = np.empty((2, K, K))
    r = v_ids.integrate(whole, m, int(m.argmax()), p, shift, cross, base)
    v_ids.explained(whole, m, p, shift, cross, base, v)
    return r, v


def test_against_the_exact_integrals() -> None:
    """Where pairs are wrong by a factor."""
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(300):
        mu, s, upper = many(rng)
        whole, m, r, v = found(mu, s, upper)
        lead, n, w = int(m.argmax()), 1 / s**2, np.empty(len(m))
        if ids.pairs(n, m, 1.0, lead, whole, PLAIN, w)[2] >= ids.CROWD:
            continue
        compared += 1
        true_r, true_v = exact(whole, m)
        assert r == pytest.approx(true_r, rel=0.015)
        assert v == pytest.approx(true_v, abs=0.03 * true_v.max())
        assert v.sum() == pytest.approx(true_v.sum(), rel=0.04)
    assert compared > 150


# How many, how wide, and how many deviations the means are above the end of the range, from and to.
ENDS: list[tuple[int, float, float, float]] = [
    (100, 0.01, 0, 0.1),
    (30, 0.01, 1, 1.1),
    (21, 0.01, 0, 0),
    (100, 0.01, -1, -0.9),
    (60, 0.02, -5, 0),
    (40, 0.05, 0, 2),
    (50, 0.7, -0.7, 0),
    (25, 7.0, 0, 0),
]


@pytest.mark.parametrize("which", range(len(ENDS)))
def test_at_the_end_of_the_range(which: int) -> None:
    """Against the sums of the description over 2,000 points."""
    K, width, low, high = ENDS[which]
    s = np.full(K, width)
    mu = 1 + s * np.random.default_rng(which).uniform(low, high, K)
    *_, r, v = found(mu, s, 1.0)
    start = max(0.0, float((mu - 5 * s).max()))
    step = (1 - start) / 2_000
    fine = [(start + (k + 0.5) * step, step) for k in range(2_000)]
    true_r, true_v = naive_crowd(naive.cut((1 / s**2).tolist(), mu.tolist(), 1.0, 1.0), fine)
    assert r == pytest.approx(true_r, rel=0.015)
    assert v == pytest.approx(true_v, abs=0.03 * max(true_v))


def test_a_wide_leader_beside_a_narrow_crowd() -> None:
    """By pairs anybody beats the leader; in truth only the next one can be best beside it."""
    mu, s = np.full(21, 0.48), np.full(21, 1e-3)
    mu[:2], s[0] = (0.5, 0.495), 0.2
    whole, m, _, v = found(mu, s, 1.0)
    assert ids.pairs(1 / s**2, m, 1.0, 0, whole, PLAIN, np.empty(21))[2] < ids.CROWD
    assert v[0] == pytest.approx(exact(whole, m)[1][0], rel=0.03)
    assert v[1:].max() < 1e-9


def test_the_tail() -> None:
    z = np.linspace(0, 8, 2_001)
    by_formula = [crowd.tail_of(x, naive.density(x)) for x in z]
    assert by_formula == pytest.approx([naive.tail(x) for x in z], abs=7.5e-8, rel=0)


def test_pairs_promise_too_much_of_a_crowd() -> None:
    rng = np.random.default_rng(2)
    n, m, v = np.full(100, 25.0), rng.uniform(0.3, 0.6, 100), np.empty(100)
    whole = cut.cut(n, m, 1.0, math.inf)
    regret, _, p1 = ids.pairs(n, m, 1.0, int(m.argmax()), whole, PLAIN, v)
    true_r, true_v = exact(whole, m)
    assert p1 < ids.CROWD
    assert regret > 10 * true_r
    assert v.sum() > 4 * true_v.sum()
    weighed = ids.weigh(n, m, 1.0, int(m.argmax()), whole, PLAIN, v)
    assert weighed[0] == pytest.approx(true_r, rel=0.02)


def test_against_samples() -> None:
    """The three events that v_j tells apart, and who is best for the leader."""
    rng = np.random.default_rng(3)
    mu, s, draws = rng.uniform(0.2, 0.7, 25), 10 ** rng.uniform(-1, -0.5, 25), 400_000
    _, m, r, v = found(mu, s, math.inf)
    theta = mu + s * rng.standard_normal((draws, 25))
    best, lead = theta.argmax(axis=1), int(m.argmax())
    ahead = theta.max(axis=1) - theta[:, lead]
    assert r == pytest.approx(ahead.mean(), abs=0.005 * r + 4 * ahead.std() / math.sqrt(draws))
    for j in range(25):
        event = best if j == lead else np.where(best == j, 1, np.where(best == lead, 2, 0))
        sizes = np.bincount(event)
        sums = np.bincount(event, theta[:, j] - mu[j])
        explained = (sums[sizes > 0] ** 2 / sizes[sizes > 0]).sum() / draws
        assert v[j] == pytest.approx(explained, rel=0.05, abs=0.02 * v.max())


def test_the_stakes_against_samples() -> None:
    """Terms count by how far ahead of the leader an action is where it is best.

    The integral is good to 3 %; the square of a mean of samples has twice their relative error.
    """
    rng = np.random.default_rng(8)
    mu, s, draws = rng.uniform(0.2, 0.7, 25), 10 ** rng.uniform(-1, -0.5, 25), 400_000
    _, m, _, plain = found(mu, s, math.inf)
    *_, v = found(mu, s, math.inf, (1.0, 2.0))
    theta = mu + s * rng.standard_normal((draws, 25))
    best, lead = theta.argmax(axis=1), int(m.argmax())
    chance = np.bincount(best, minlength=25) / draws
    leads = [theta[best == j, j] - theta[best == j, lead] for j in range(25)]
    ahead = np.array([x.mean() for x in leads])
    others = np.delete(np.arange(25), lead)
    likely = others[chance[others] > 0.01]
    assert len(likely) > 5
    for j in likely:
        error = 2 * leads[j].std() / math.sqrt(len(leads[j])) / ahead[j]
        assert v[j] == pytest.approx(ahead[j] ** 2 * plain[j], rel=0.03 + 4 * error)
    moved = np.array([(theta[best == j, lead] - mu[lead]).mean() for j in range(25)])
    down = -(chance * moved)[others]
    mean = down @ ahead[others] ** 2 / down.sum()
    expected = (chance * ahead**2 * moved**2)[others].sum() + chance[lead] * moved[lead] ** 2 * mean
    assert v[lead] == pytest.approx(expected, rel=0.05)


def test_against_the_twin() -> None:
    rng = np.random.default_rng(4)
    for _ in range(60):
        mu, s, upper = many(rng)
        stake = 0.5, float(rng.choice([0.0, 1.0, 2.0]))
        *_, r, v = found(mu, s, upper, stake)
        parts = naive.cut((1 / s**2).tolist(), mu.tolist(), 1.0, upper)
        expected = naive_crowd(parts, points(parts, upper), stake=stake)
        assert r == pytest.approx(expected[0], rel=1e-9)
        assert v == pytest.approx(expected[1], rel=1e-6, abs=1e-9 * v.max())


@pytest.mark.parametrize("policy", ["ids:guard=0", "ids:guard=0,range=0", "ids", "ids:stake=0"])
def test_twins_play_alike(policy: str) -> None:
    """With 21 to 30 actions, of which at first any may be best."""
    rng = np.random.default_rng(5)
    specification = registry.parse(policy)
    rule, parameters = specification.rule, specification.parameters
    for seed in range(3):
        K = int(rng.integers(21, 31))
        problem = sl.Problem(sl.Feedback(random_problems.variances(rng, K, 0.5)), rng.random(K))
        played = sl.trace(problem, policy, 60, seed).actions.tolist()
        assert played == loop.play(problem, (rule.name, parameters), 60, seed)


def test_few_are_weighed_by_pairs() -> None:
    for K, crowded in ((20, False), (21, True)):
        n, m, v, w = np.full(K, 4.0), np.full(K, 0.5), np.empty(K), np.empty(K)
        whole = cut.cut(n, m, 1.0, 1.0)
        regret, _, p1 = ids.pairs(n, m, 1.0, 0, whole, PLAIN, v)
        assert p1 < ids.CROWD
        assert (ids.weigh(n, m, 1.0, 0, whole, PLAIN, w)[0] != regret) == crowded
        assert (not np.array_equal(v, w)) == crowded


def test_a_leader_that_stands_out_is_weighed_by_pairs() -> None:
    n, m, v, w = np.full(50, 1e4), np.full(50, 0.4), np.empty(50), np.empty(50)
    m[7] = 0.5
    whole = cut.cut(n, m, 1.0, 1.0)
    weighed = ids.weigh(n, m, 1.0, 7, whole, PLAIN, w)
    assert weighed == ids.pairs(n, m, 1.0, 7, whole, PLAIN, v)[:2]
    assert np.array_equal(v, w)


def test_many_more() -> None:
    """The mean of the largest of 100,000 normals lies 4.38 deviations above."""
    _, _, r, v = found(np.full(100_000, 0.5), np.full(100_000, 1e-3), math.inf)
    assert r == pytest.approx(4.384e-3, rel=0.03)
    assert np.ptp(v[1:]) == 0
    assert (v > 0).all()


@pytest.mark.parametrize("unit", [2.0**-300, 2.0**-20, 2.0**20, 2.0**300])
def test_units(unit: float) -> None:
    rng = np.random.default_rng(6)
    mu, s, _ = many(rng)
    for upper in (1.0, math.inf):
        *_, r, v = found(mu, s, upper)
        *_, there, w = found(mu * unit, s * unit, upper * unit)
        assert there == r * unit
        assert np.array_equal(w, v * unit * unit)


def test_hostile_posteriors() -> None:
    """Known exactly, hardly known, and outside the range: nothing that is no number."""
    rng = np.random.default_rng(7)
    for _ in range(300):
        K = int(rng.integers(21, 60))
        s = 10.0 ** rng.uniform(-18, 1, K)
        mu = rng.choice([0.0, 0.5, 1.0, rng.random()], K) + rng.uniform(-2.9, 2.9, K) * s
        _, m, r, v = found(mu, s, 1.0)
        n = 1 / s**2
        cut.cut(n, mu.copy(), 1.0, 1.0)
        assert r >= 0 or math.isnan(r)
        assert not (v > 1.1 / n + 1e-31).any()  # floats next to 1 are 1e-16 apart
        assert (v[np.isfinite(v)] >= 0).all()
        assert np.isfinite(v).all() == (not math.isnan(r))
        assert r <= 1.0 - m.max() + 1e-6 or math.isnan(r)


def test_what_is_narrower_than_floats_stays_with_the_pairs() -> None:
    _, _, r, v = found(np.full(30, 0.5), np.full(30, 1e-20), 1.0)
    assert math.isnan(r)
    assert np.isnan(v).all()
