"""The default policy: its formulas, its laws, and how its regret grows.

Statistical tests have fixed seeds; drawn anew, each would fail with the probability ALARM or less.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import sidelight as sl
from beliefs import random_state, with_prior
from naive import ids as naive
from naive import loop
from races import decisions, live
from sidelight.belief import known
from sidelight.engine.contract import Floats, no_data
from sidelight.policies import ids
from sidelight.policies.parts import cut, lazy
from sidelight.setting import Setting

ALARM = 1e-4


def numbers(feedback: sl.Feedback, horizon: int | None = None, **given: float) -> Any:
    return ids.prepare(Setting(feedback, 1.0, horizon), {**ids.IDS.defaults, **given})


# ---- formulas ------------------------------------------------------------------------------------


def weighed(n: Floats, m: Floats, c: float, upper: float = math.inf, stake: float = 0.0) -> Any:
    """The sum and the largest of EI, v, and n and m as they are after the cut."""
    n, m, v = n.copy(), m.copy(), np.zeros(len(n))
    whole = cut.cut(n, m, c, upper)
    return *ids.weigh(n, m, c, int(m.argmax()), whole, (1.0, stake), v), v, n, m


def draws_of(n: Floats, m: Floats, c: float, upper: float, rng: np.random.Generator) -> Floats:
    """Samples of the posteriors; those outside the range are drawn again."""
    mu, s = np.broadcast_to(m, (400_000, len(n))), np.sqrt(c / n)
    theta = mu + rng.standard_normal(mu.shape) * s
    low = 0.0 if upper < math.inf else -math.inf
    while (outside := (theta < low) | (theta > upper)).any():
        theta[outside] = (mu + rng.standard_normal(mu.shape) * s)[outside]
    return theta


@pytest.mark.parametrize("stake", [0.0, 2.0])
@pytest.mark.parametrize("upper", [math.inf, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_pairs_against_monte_carlo(seed: int, upper: float, stake: float) -> None:
    """Of a leader that is well inside, as its own cut is only approximated."""
    rng = np.random.default_rng(seed)
    K, c = 2 + seed, rng.uniform(1, 2.1)
    n, m = rng.uniform(4, 100, K), rng.uniform(0.2, 0.8, K)
    leader = int(m.argmax())
    if upper < math.inf:
        n[leader], m[leader] = 2_000, 0.82
    regret, most, v, *_ = weighed(n, m, c, upper, stake)
    theta = draws_of(n, m, c, upper, rng)
    ahead = np.delete(theta - theta[:, [leader]], leader, axis=1)
    gained = np.maximum(ahead, 0)
    largest = gained[:, gained.mean(axis=0).argmax()]
    for sample, expected in ((gained.sum(axis=1), regret), (largest, most)):
        error = sample.std() / math.sqrt(len(theta))
        assert abs(sample.mean() - expected) < stats.norm.isf(ALARM / 2) * error
    # By samples: odds, the probabilities that they make, how far the means move, and the stakes.
    others = np.delete(np.arange(K), leader)
    wins = ahead > 0
    odds = wins.mean(axis=0) / (1 - wins.mean(axis=0))
    p1 = 1 / (1 + odds.sum())
    rise = [theta[w, j].mean() - theta[:, j].mean() for w, j in zip(wins.T, others, strict=True)]
    fall = np.array([theta[:, leader].mean() - theta[w, leader].mean() for w in wins.T])
    counts = np.array([x[w].mean() for x, w in zip(ahead.T, wins.T, strict=True)]) ** stake
    explained = counts * p1 * odds * np.square(rise) * (1 + odds)
    assert v[others] == pytest.approx(explained, rel=0.05, abs=0.01 * v.max())
    lead = p1 * (counts * odds * fall) @ (fall + odds @ fall)
    assert v[leader] == pytest.approx(lead, rel=0.05, abs=0.01 * v.max())


def test_no_more_is_hoped_for_than_means_and_variances_allow() -> None:
    """The leader is taken for normal, and has a part below 0 that only its variance can excuse."""
    for mu in (-0.04, 0.0, 0.02):  # known to 0.014, beside one that is not known at all
        regret, _, _, n, m = weighed(np.array([4.0, 1e4]), np.array([0.5, mu]), 2.0, 1.0)
        gap, variance = m[0] - m[1], (2 / n).sum()
        assert regret <= (math.hypot(gap, math.sqrt(variance)) - gap) / 2 * (1 + 1e-12)
    rng = np.random.default_rng(3)
    for _ in range(2_000):
        likely, better = ids.whatever(gap := rng.exponential(), variance := rng.exponential())
        X = np.array([-gap - variance / 0.3, -gap + 0.3])  # two points with this mean and variance
        chance = 0.3 / (0.3 + variance / 0.3)
        values = X @ [chance, 1 - chance], (X + gap) ** 2 @ [chance, 1 - chance]
        assert values == pytest.approx((-gap, variance))
        assert np.maximum(X, 0) @ [chance, 1 - chance] <= better * (1 + 1e-12)
        assert likely == ids.LIKELY or (X > 0) @ [chance, 1 - chance] <= likely * (1 + 1e-12)


def test_two_actions_explain_their_variance_exactly() -> None:
    # With two actions "j beats the leader" is "j is best": v is the variance of E(theta | best).
    rng = np.random.default_rng(4)
    n, m, draws = np.array([20.0, 5.0]), np.array([0.5, 0.3]), 1_000_000
    v = weighed(n, m, 1.0)[2]
    theta = m + rng.standard_normal((draws, 2)) / np.sqrt(n)
    second = theta[:, 1] > theta[:, 0]
    for j in range(2):
        parts = [theta[~second, j], theta[second, j]]
        explained = sum(len(x) / draws * (x.mean() - m[j]) ** 2 for x in parts)
        assert v[j] == pytest.approx(explained, rel=0.02)  # four standard errors


@pytest.mark.parametrize("upper", [1.0, math.inf])
def test_costs_and_gains_on_random_beliefs(upper: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(1_500):
        _, knowledge, belief = random_state(rng)
        n, m = with_prior(belief)
        belief.pending[:] = n * rng.exponential(size=len(n)) * rng.integers(2)
        P = knowledge.precision
        played = int(rng.integers(knowledge.horizon))
        c = ids.inflation(float(played), 0.0)
        assert c == naive.inflation(played, 0.0)
        stake = float(rng.choice([0.0, 1.0, 2.0]))
        regret, _, v, n_cut, m_cut = weighed(n, m, c, upper, stake)
        gain = np.zeros(len(n))
        ids.gains(n_cut, v, c, belief, knowledge, gain)
        if naive.believed(n.tolist(), m.tolist(), c, upper):
            regret = min(regret, ids.lacking(n_cut, m_cut, int(m_cut.argmax()), upper))
        cost, explained = naive.costs_and_explained(
            n.tolist(), m.tolist(), c, ends=(upper, 0.0), stake=(1.0, stake)
        )
        expected = naive.gains(explained, (n_cut / c).tolist(), belief.pending.tolist(), P.tolist())
        assert regret + (m_cut.max() - m_cut) == pytest.approx(cost, rel=1e-9, abs=1e-15)
        # A stake is a difference of means: what is worth next to nothing is rounding.
        assert gain == pytest.approx(expected, rel=1e-6, abs=1e-15 * max(expected))


def test_what_is_in_flight_is_worth_less() -> None:
    rng = np.random.default_rng(7)
    _, knowledge, belief = random_state(rng)
    n, _ = with_prior(belief)
    v, c = rng.random(len(n)), 1.7
    belief.pending[:] = rng.exponential(size=len(n)) * n
    gain = np.zeros(len(n))
    ids.gains(n, v, c, belief, knowledge, gain)
    nn, h, P = n / c, n / c + belief.pending, knowledge.precision
    assert gain == pytest.approx((v * nn**2 * P / (h * (h + P))).sum(axis=1), rel=1e-12)


# ---- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", ["graded", "revealing", "labs", "loopless", "slow-but-free"])
def test_units_change_nothing(recipe: str) -> None:
    one = sl.gallery(recipe)
    unit = 2.0**7  # a power of two, so that not even rounding differs
    variance = one.feedback.variance * unit**2
    scaled = sl.Problem(sl.Feedback(variance), one.means * unit, one.upper * unit)
    for seed in range(3):
        here, there = (sl.trace(problem, "ids", 2_000, seed) for problem in (one, scaled))
        assert np.array_equal(here.actions, there.actions)


def test_the_order_of_the_actions_does_not_matter_without_ties() -> None:
    rng = np.random.default_rng(8)
    for _ in range(150):
        feedback, knowledge, belief = random_state(rng)
        order = rng.permutation(len(feedback))
        turned = sl.Feedback(feedback.variance[np.ix_(order, order)])
        moved = no_data(len(order))
        moved.information[:], moved.sums[:] = belief.information[order], belief.sums[order]
        prepared = numbers(feedback)
        (i, j, p), *_ = ids.plan(100, belief, knowledge, prepared.parameters, prepared.memory)
        there = known(turned, 1.0, knowledge.horizon)
        (a, b, q), *_ = ids.plan(100, moved, there, prepared.parameters, prepared.memory)
        assert (order[a], order[b]) == (i, j)
        assert q == pytest.approx(p, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("power", [-330, -100, 100, 300])
@pytest.mark.parametrize(
    ("recipe", "noise", "policy"), [("revealing", 1.0, "ids"), ("graded", 1e-4, "ids:guard=0")]
)
def test_extreme_units(power: int, recipe: str, noise: float, policy: str) -> None:
    """Near the smallest and the largest `upper`; where little noise makes probabilities vanish."""
    unit, of = 2.0**power, sl.gallery(recipe)
    one = sl.Problem(sl.Feedback(of.feedback.variance * noise), of.means, of.upper)
    scaled = sl.Problem(
        sl.Feedback(one.feedback.variance * unit**2), one.means * unit, one.upper * unit
    )
    here, there = (sl.trace(problem, policy, 1_000, 3).actions for problem in (one, scaled))
    assert np.array_equal(here, there)


@pytest.mark.parametrize(
    ("policy", "upper"),
    [("ids:refresh=0", 1.0), ("ids:refresh=0,range=0", math.inf), ("v-ids:refresh=0", math.inf)],
)
def test_the_leader_is_exploited_and_the_others_teach(policy: str, upper: float) -> None:
    problem = sl.gallery("dosing")
    player = live(policy, problem, 300)
    reasons = set()
    for action, why in decisions(player, 300):
        n, m = with_prior(player.data)
        cut.cut(n, m, ids.inflation(float(player.t), 0.0), upper, 5 / len(n))
        assert why == (action != m.argmax())
        reasons.add(why)
    assert reasons == {lazy.EXPLOIT, lazy.LEARN}


@pytest.mark.parametrize(
    "policy",
    [
        "ids:refresh=0",
        "ids:guard=0",
        "ids:guard=2,early=1",
        "ids:tail=1.5,prior=1",
        "ids:range=0",
        "ids:margin=0",
        "ids:range=3",
        "ids:range=1.2,margin=0,stake=0",
        "ids:stake=1.5",
    ],
)
def test_twins_with_other_parameters(policy: str) -> None:
    given = dict(part.split("=") for part in policy.partition(":")[2].split(","))
    parameters = {**ids.IDS.defaults, **{key: float(value) for key, value in given.items()}}
    for recipe in ("graded", "revealing", "bandit"):
        problem = sl.gallery(recipe)
        expected = loop.play(problem, ("ids", parameters), 300, 5)
        assert sl.trace(problem, policy, 300, seed=5).actions.tolist() == expected


@pytest.mark.parametrize(
    "policy",
    [
        "ids:prior=0",
        "ids:tail=-0.9",
        "ids:refresh=2",
        "ids:refresh=-0.5",
        "ids:guard=-0.1",
        "ids:early=0",
        "ids:early=inf",
        "ids:range=0.5",
        "ids:margin=-1",
        "ids:stake=11",
        "v-ids:guard=-0.1",
    ],
)
def test_senseless_parameters_are_refused(policy: str) -> None:
    with pytest.raises(sl.InputError, match=r"must (be greater|lie)|must be 0"):
        sl.simulate(sl.gallery("bandit"), policy, 10, 1)


def test_early_is_for_known_horizons() -> None:
    rng = np.random.default_rng(9)
    sooner = 0
    for _ in range(400):
        feedback, _, belief = random_state(rng)
        weights = []
        for horizon, early in ((None, 5.0), (None, 1.0), (10**9, 5.0), (10**9, 1.0)):
            prepared = numbers(feedback, horizon, early=early)
            there = known(feedback, 1.0, horizon or 0)
            found = ids.plan(100, belief, there, prepared.parameters, prepared.memory)
            (i, j, p), lead, _ = found
            weights.append((1 - p) * (i == lead) + p * (j == lead))
        assert weights[0] == weights[1]
        assert weights[2] <= weights[3] + 1e-12  # the leader is played less
        sooner += weights[2] < weights[3]
    assert sooner > 50


# ---- behaviour -----------------------------------------------------------------------------------


def exponent(problem: sl.Problem, horizon: int, replicates: int) -> float:
    """How the mean regret grows from a tenth of the horizon: between runs of their own.

    Within one run a policy that knows the horizon may explore in the first tenth only, and a
    regret that is linear in the horizon would pass for one that does not grow.
    """
    early, late = (
        sl.simulate(problem, "ids", rounds, replicates, seed=rounds).final.mean()
        for rounds in (horizon // 10, horizon)
    )
    return math.log10(late / early)


INF = math.inf
# Only the new action, the last one, shows itself, and the others are seen much better: two that are
# seen by each other, seven that show all seven, and one that is known exactly.
TWINS = [[1.0, 1e-4, INF], [1e-4, 1.0, INF], [INF, INF, 1.0]]
SEVEN = np.pad(np.full((7, 7), 0.01), (0, 1), constant_values=INF)
SEVEN[7, 7] = 1.0
KNOWN = [[0.0, INF], [INF, 1.0]]


@pytest.mark.parametrize("variance", [TWINS, SEVEN], ids=["twins", "seven"])
def test_worthless_information_does_not_hide_a_new_action(variance: Any) -> None:
    """Equal actions can be told apart for ever, at no cost and to no use: `stake=0` does that.

    Measured in 400 runs: 5.7 ± 0.9 and 15 ± 2 where `ts-n` loses 28 ± 2 and 40 ± 5, and `stake=0`
    92 ± 12 and 367 ± 24.
    """
    feedback = sl.Feedback(variance)
    problem = sl.Problem(feedback, [0.85] * (len(feedback) - 1) + [1.0])
    names = ["ids", "ts-n", "ids:stake=0"]
    own, rival, plain = sl.simulate(problem, names, 10_000, 300, seed=5).final.mean(axis=1)
    assert own < rival
    assert own < plain / 4


@pytest.mark.parametrize("variance", [TWINS, SEVEN, KNOWN], ids=["twins", "seven", "known"])
@pytest.mark.parametrize("rounds", [100, 1_000])
def test_a_new_action_is_no_disaster(variance: Any, rounds: int) -> None:
    """The worst means found cost at most three times what nobody can avoid losing."""
    feedback = sl.Feedback(variance)
    found = sl.worst_case("ids", feedback, 1.0, rounds, seed=0, runs=1_000)
    nobody = sl.bounds.minimax_computed(feedback, 1.0, rounds).value
    assert found.value <= 3 * nobody


# Measured in 1,000 replicates on revealing-tie and cycle-tie, each +- 0.01: 0.59 and 0.52 from
# 1,000 to 10,000 rounds, 0.63 and 0.58 from 10,000 to 100,000. The error in the short test is 0.02,
# in the campaign 0.01; the limit is at least five errors from what was measured. 1 is linear.
TIED, LIMIT = ["revealing-tie", "cycle-tie"], 0.7


@pytest.mark.parametrize("recipe", TIED)
def test_ties_are_not_linear(recipe: str) -> None:
    assert exponent(sl.gallery(recipe), 10_000, 300) <= LIMIT


@pytest.mark.campaign
@pytest.mark.parametrize("recipe", TIED)
def test_ties_are_not_linear_for_long(recipe: str) -> None:
    assert exponent(sl.gallery(recipe), 100_000, 1_000) <= LIMIT
