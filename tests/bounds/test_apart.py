"""Every gap by itself: the bound against its definition, its rounding, and what it refuses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from naive import commitment as naive
from sidelight import Feedback, guarantees
from sidelight.bounds import apart
from sidelight.bounds.apart import Apart, Threshold, best_thresholds, exceeded_apart
from sidelight.bounds.case import RefutedError
from sidelight.bounds.commitment import Exploration


def alone(variances: Sequence[float], plays: Sequence[int], T: int = 1000) -> Exploration:
    """Every action shows itself alone, each with a variance of its own."""
    K = len(plays)
    rows = [[Fraction(variances[i]) if i == j else None for j in range(K)] for i in range(K)]
    return Exploration(tuple(map(tuple, rows)), Fraction(1), Fraction(T), tuple(plays))


LINES = [(64, 0), (100, 48), (20, 64), (-30, 64), (0, 0), (96, -16)]
PLANS = [
    alone((1.0, 4.0, 0.25), (30, 40, 20)),
    alone((1.0, 1.0, 1.0, 9.0), (30, 30, 30, 50)),
    alone((0.0, 1.0, 4.0), (1, 20, 30)),
    alone((1.0, 0.0, 0.0), (20, 1, 1)),
]


@pytest.mark.parametrize("plan", PLANS)
def test_the_bound_is_its_definition_and_a_little_more(plan: Exploration) -> None:
    found = Apart(plan)
    sds = np.sqrt(np.array([float(v) for v in plan.spreads if v is not None]))
    for k, kind in enumerate(plan.kinds):
        for level, slope in LINES:
            bound = found.bound(k, Threshold(level, slope))
            line = (level / 64, slope / 64)
            exact = naive.apart(kind[0], plan.plays, sds, 1000, line)
            # lambda is constant on cells here, which may gain a little.
            assert exact * (1 - 0.005) <= bound <= 1.12 * exact


@pytest.mark.parametrize("cells", [4, 7])
def test_masses_are_rounded_up(cells: int) -> None:
    """Each is at least that of its cell in exact numbers, by less than what rounding may do."""
    found = Apart(alone((1.0, 4.0), (30, 40)))
    found.cells = cells
    for noise in found.spreads:
        starts, masses, below = found._errors(noise)
        sd = Fraction(math.sqrt(noise))
        exact = [naive.cumulative(m * found.step / sd) for m in starts.tolist()] + [Fraction(1)]
        # The square root is off by 2^-53 of itself, and the density of z is below 1/4 there.
        allowed = Fraction(1, 2**55) * max(np.diff(starts)) * found.step / sd
        spare = Fraction(1, 2**49)
        assert exact[0] <= Fraction(below) + allowed < Fraction(1, 10**17)
        for mass, low, high in zip(masses.tolist(), exact, exact[1:], strict=False):
            assert high - low <= Fraction(mass) + allowed
            assert Fraction(mass) <= high - low + spare


@pytest.mark.parametrize("variances", [(1.0, 4.0), (1.0,) * 8 + (4.0,)])
def test_a_threshold_at_the_range_gives_all_that_can_be_lost(variances: tuple[float, ...]) -> None:
    """lambda = D: after the plan D in every round, in the plan every play of another action."""
    plan = alone(variances, (1,) * len(variances), T=10**9)
    found = Apart(plan)
    for cells in (4, 32):
        found.cells = cells
        for k in range(len(plan.kinds)):
            bound = found.bound(k, Threshold(10**6, 0))
            assert 10**9 - 1 <= Fraction(bound) <= (10**9 - 1) * (1 + Fraction(1, 10**11))


def test_what_is_known_exactly_costs_its_plays() -> None:
    plan = alone((0.0, 0.0, 0.0), (2, 2, 5))
    thresholds, bound = best_thresholds(plan)
    assert bound == pytest.approx(7, rel=1e-9)
    assert bound >= 7
    assert exceeded_apart(plan, 7 * (1 + 1e-9), thresholds) is None
    assert exceeded_apart(plan, 7 * (1 - 1e-9), thresholds) is not None


def test_blind_plans_prove_nothing() -> None:
    with pytest.raises(RefutedError, match="unseen"):
        exceeded_apart(alone((1.0, 1.0), (20, 0)), 999.0, ())


@pytest.mark.parametrize(("kinds", "sparse"), [(2, False), (6, False), (7, True)])
def test_the_best_of_the_grid(kinds: int, sparse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All thresholds are tried for up to six kinds of actions, and one in four for more."""
    monkeypatch.setattr(apart, "CELLS", (2,))
    monkeypatch.setattr(apart, "FINENESS", 4)
    monkeypatch.setattr(apart, "LEVELS", (-8, 168, 16))
    plan = alone([1.0 + i for i in range(kinds)], (20,) * kinds)
    assert len(plan.kinds) == kinds
    grid = [Threshold(level, slope) for slope in (0, 48, 64) for level in range(-8, 168, 16)]
    tried, found = grid[::4] if sparse else grid, Apart(plan)
    thresholds, bound = best_thresholds(plan)
    values = [found.bound(k, threshold) for k, threshold in enumerate(thresholds)]
    assert bound == max(values)
    for k, value in enumerate(values):
        assert value == min(found.bound(k, threshold) for threshold in tried)


def test_noise_that_no_float_holds_is_refused_and_promises_nothing() -> None:
    """In units of the range, the variance of an average is 1e-616."""
    one = Fraction(1)
    plan = Exploration(((one, None), (None, one)), Fraction(10**308), Fraction(100), (1, 1))
    with pytest.raises(RefutedError, match="out of all proportion"):
        Apart(plan.in_units())
    bound = guarantees.commit(Feedback.bandit(2), 1e308, 100)
    assert bound.vacuous
    assert bound.certificate.check()
