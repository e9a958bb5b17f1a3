"""The guard of the default policy: what a purchase is worth, and whether one repays itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import sidelight as sl
from beliefs import random_state, with_prior
from naive import ids as naive
from sidelight.belief import known
from sidelight.engine.contract import Floats, Known
from sidelight.policies.parts import guard

NOTHING = np.int64(-1), 0.0


@pytest.mark.parametrize(("behind", "s"), [(0.0, 1.0), (1.0, 0.3), (0.2, 5.0), (2.0, 0.2)])
def test_improvement_is_the_integral(behind: float, s: float) -> None:
    value, _ = integrate.quad(
        lambda x: x * stats.norm.pdf(x, -behind, s), 0, 40 * s, epsabs=0, epsrel=1e-10, limit=200
    )
    assert guard.improvement(behind, s) == pytest.approx(value, rel=1e-7)
    assert naive.improvement(behind, s) == pytest.approx(value, rel=1e-7)


def test_the_table_has_the_improvement_between_two_numbers() -> None:
    rng = np.random.default_rng(1)
    knots = np.sqrt(np.arange(2 * guard.END) / guard.FINE)
    for z in np.concatenate([knots, np.nextafter(knots, 0), rng.random(20_000) * 15, [1e3, 1e150]]):
        s = 10.0 ** rng.uniform(-8, 8)
        low, high = guard.between(z * s, s * s)
        assert low <= naive.improvement(z * s, s) <= high
    # and not too far apart, or too much is computed twice
    z = rng.uniform(0.5, 10, 1_000)
    pairs = np.array([guard.between(x, 1.0) for x in z])
    exact = np.array([naive.improvement(x, 1.0) for x in z])
    assert (pairs[:, 1] < 1.03 * exact).all()
    assert (pairs[:, 0] > 0.7 * exact).all()


def what_a_block_is_worth(block: float, i: int, n: Floats, m: Floats, P: Floats) -> float:
    """The definition."""
    lead = int(m.argmax())
    taken = 1 / n - 1 / (n + block * P[i])
    s = np.sqrt(np.maximum(taken + taken[lead], 0.0))
    others = [j for j in range(len(n)) if j != lead]
    return sum(naive.improvement(m[lead] - m[j], s[j]) for j in others)


def test_the_worth_of_a_block() -> None:
    rng = np.random.default_rng(2)
    for _ in range(1_500):
        _, knowledge, belief = random_state(rng)
        n, m = with_prior(belief)
        lead = int(m.argmax())
        nearest = min(m[lead] - m[j] for j in range(len(n)) if j != lead)
        i, block = int(rng.integers(len(n))), 2.0 ** rng.integers(0, 20)
        state = n, m, nearest
        exact = guard.worth(block, i, lead, state, knowledge)
        low, high = guard.worth_between(block, i, lead, state, knowledge)
        assert low <= exact <= high
        expected = what_a_block_is_worth(block, i, n, m, knowledge.precision)
        assert exact == pytest.approx(expected, rel=1e-6, abs=1e-30)


def repays(found: tuple[int, float], left: float, n: Floats, m: Floats, knowledge: Known) -> bool:
    """Whether this purchase is one, by the definition."""
    i, block = found
    worth = what_a_block_is_worth(block, i, n, m, knowledge.precision)
    return 1 <= block < left and (left - block) * worth > block * (m.max() - m[i]) * (1 - 1e-9)


def test_a_purchase_is_found_where_there_is_one() -> None:
    rng = np.random.default_rng(5)
    bought = 0
    for _ in range(4_000):
        _, knowledge, belief = random_state(rng)
        n, m = with_prior(belief)
        n /= 1.0 + rng.random()
        left = knowledge.horizon - int(rng.integers(knowledge.horizon))
        found = guard.purchase(float(left), int(m.argmax()), n, m, knowledge, NOTHING)
        P = knowledge.precision.tolist()
        assert (found[0] >= 0) == naive.worthwhile(n.tolist(), m.tolist(), 1.0, P, left)
        if found[0] >= 0:
            assert repays(found, left, n, m, knowledge)
            bought += 1
    assert 800 < bought < 3_600  # both answers were tested


def test_borderline_purchases() -> None:
    # The policy lives here: it stops buying where nothing repays itself any more.
    rng = np.random.default_rng(6)
    answers = []
    for _ in range(300):
        _, knowledge, belief = random_state(rng)
        n, m = with_prior(belief)
        lead, P = int(m.argmax()), knowledge.precision.tolist()
        few, many = 1.0, 1e12
        while many - few > 1:  # the least horizon with which something repays itself
            left = float(math.floor((few + many) / 2))
            if guard.purchase(left, lead, n, m, knowledge, NOTHING)[0] >= 0:
                many = left
            else:
                few = left
        for left in {few, many, math.floor(few * (1 - 1e-6)), math.ceil(many * (1 + 1e-6))}:
            found = guard.purchase(float(left), lead, n, m, knowledge, NOTHING)[0] >= 0
            assert found == naive.worthwhile(n.tolist(), m.tolist(), 1.0, P, int(left))
            answers.append(found)
    assert 300 < sum(answers) < len(answers) - 300


def test_the_purchase_found_last_is_tried_first_and_changes_nothing() -> None:
    rng = np.random.default_rng(6)
    for _ in range(300):
        _, knowledge, belief = random_state(rng)
        n, m = with_prior(belief)
        n /= 1.5
        left, lead = float(knowledge.horizon), int(m.argmax())
        found = guard.purchase(left, lead, n, m, knowledge, NOTHING)
        last = rng.integers(len(n)), 2.0 ** rng.integers(0, 12)
        again = guard.purchase(left, lead, n, m, knowledge, last)
        assert (found[0] >= 0) == (again[0] >= 0)
        if found[0] >= 0:
            assert guard.purchase(left, lead, n, m, knowledge, found) == found


@pytest.mark.parametrize("left", [0.0, 1.0])
def test_nothing_repays_itself_at_the_end(left: float) -> None:
    n, m = np.ones(2), np.array([0.5, 0.5])
    knowledge = known(sl.Feedback(np.ones((2, 2))), 1.0, 10)
    assert guard.purchase(left, 0, n, m, knowledge, NOTHING) == NOTHING
    assert guard.purchase(2.0, 0, n, m, knowledge, NOTHING) == (1, 1.0)  # a tie costs nothing
