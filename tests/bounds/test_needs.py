"""The information m_i: closed forms against their definition, reference values, edges, limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from naive import needs as naive
from sidelight.bounds.needs import best_down, best_up, information_needs
from sidelight.variances import Array

# Closed forms in 40-digit arithmetic: means, B, T, D, m.
REFERENCE = [
    ((0.7, 0.5, 0.35), 50, 1e4, 1, (10.8401218277, 10.8401218277, 5.3551146045)),
    ((0.7, 0.5, 0.35), 0.5, 1e3, 1, (40.4123622548, 40.4123622548, 16.2308373712)),
    ((1.4, 1.0, 0.7), 100, 1e4, 2, (2.71003045692, 2.71003045692, 1.33877865113)),
    ((0.5, 0.498), 1, 1e3, 1, (2186.44178399, 2186.44178399)),
    ((0.5, 0.5), 1, 1e3, 1, (2874.05813415, 2874.05813415)),
    ((0.0085, 0.0065), 1, 1e3, 1, (0.0, 1434.90229151)),
    ((0.98, 0.5), 1, 1e3, 1, (7.53018341159, 3.6651629275)),
    ((1.0, 0.5), 1, 1e3, 1, (7.04737859781, 0.0)),
    ((0.5, 0.0), 1, 1e3, 1, (0.0, 7.04737859781)),
    ((0.003, 0.0), 1, 1e3, 1, (0.0, 0.0)),
]


@pytest.mark.parametrize(("means", "B", "T", "D", "expected"), REFERENCE)
def test_reference_values(
    means: tuple[float, ...], B: float, T: float, D: float, expected: tuple[float, ...]
) -> None:
    found = information_needs(np.array(means), float(D), T, B)
    assert found.need == pytest.approx(expected, rel=1e-9)


def test_reference_changes() -> None:
    """Where the maximum is attained; the first and the fourth reference value."""
    found = information_needs(np.array([0.7, 0.5, 0.35]), 1.0, 1e4, 50)
    assert found.rise == pytest.approx([0.3369070342, 0.3369070342, 0.5271273681], rel=1e-9)
    assert np.isnan(found.fall).all()
    near = information_needs(np.array([0.5, 0.498]), 1.0, 1e3, 1)
    assert near.rise == pytest.approx([0.01615526492] * 2, rel=1e-9)
    assert near.fall == pytest.approx([0.01014745617] * 2, rel=1e-9)


def cases(rng: np.random.Generator, size: int, K: int) -> tuple[Array, Array, Array, Array]:
    """Random problems, half of them with means at an end, ties, gaps near and at 4B/T."""
    upper = 10 ** rng.uniform(-2, 2, size)
    horizon = np.exp2(rng.integers(0, 40, size))
    unit = np.exp2(rng.integers(-38, 1, size))  # B/T in units of D; powers of two make exact ties
    shares = rng.random((size, K))
    edge = rng.random((size, K)) < 0.15
    shares = np.where(edge, rng.integers(0, 2, (size, K)), shares)
    tied = rng.random(size) < 0.2
    shares[tied, 1] = shares[tied, 0]
    close = rng.random(size) < 0.3
    shift = rng.choice([1.0, 3.9, 4.0, 4.1, 8.0, 20.0], size) * unit
    shares[close, 1] = np.clip(shares[close, 0] - shift[close], 0.0, 1.0)
    return shares * upper[:, None], upper, horizon, unit * horizon * upper


def test_the_closed_form_is_the_maximum_on_ten_thousand_cases() -> None:
    rng = np.random.default_rng(1)
    means, upper, horizon, worst = cases(rng, 2500, 4)
    brute = naive.needs(means, upper, horizon, worst)
    found = np.array(
        [
            information_needs(*arguments).need
            for arguments in zip(
                means, upper.tolist(), horizon.tolist(), worst.tolist(), strict=True
            )
        ]
    )
    scale = np.maximum(brute, 1.0 / upper[:, None] ** 2)
    # The grid is fine enough for 1e-8 of a smooth maximum. The closed form is never below it.
    assert (found >= brute - 1e-12 * scale).all()
    assert (found <= brute + 1e-7 * scale).all()
    assert (brute > 0).sum() > 3000
    assert (brute == 0).sum() > 1000


def test_which_needs_are_positive() -> None:
    rng = np.random.default_rng(2)
    seen = set()
    for means, upper, horizon, worst in zip(*cases(rng, 1500, 3), strict=True):
        unit = float(worst / horizon)
        marks = np.concatenate([means, upper - means, means.max() - means])
        if np.isclose(marks, 8 * unit, rtol=1e-9).any():
            continue  # decided by rounding: log of almost 1
        found = information_needs(means, float(upper), float(horizon), float(worst)).need > 0
        assert found.tolist() == naive.positive(means, float(upper), float(horizon), float(worst))
        seen |= set(found.tolist())
    assert seen == {False, True}


def test_a_gap_of_exactly_four_units_needs_no_second_change() -> None:
    """4B/T = 1/4, the gap between 0 and 1/4: only the first direction counts, exactly there."""
    means = np.array([0.25, 0.0])
    at = information_needs(means, 4.0, 64.0, 4.0)
    below = information_needs(means, 4.0, 64.0, np.nextafter(4.0, 5.0))
    assert at.need[1] > 0
    assert below.need[1] == 0  # theta_1 = 0 cannot fall


def test_unclipped_the_second_direction_never_decides() -> None:
    gaps = np.linspace(0.0, 0.4999, 50)
    room = np.full(50, 1e9)
    up, _ = best_up(gaps, room, 0.0)
    down, _ = best_down(gaps, room, 0.0)
    assert (down >= up * (1 - 1e-12)).all()
    assert down[0] == pytest.approx(up[0], rel=1e-12)


@pytest.mark.parametrize("power", [0.25, 0.5, 0.75])
def test_needs_per_log_t_tend_to_one_minus_b_over_gap_squared(power: float) -> None:
    """B = 3 T^b. Slowly: the relative distance is about (2 + 2 log log T) / log T."""
    means, gaps = np.array([0.7, 0.5, 0.35]), np.array([0.2, 0.2, 0.35])
    last = np.zeros(3)
    for T in (1e6, 1e12, 1e24, 1e48, 1e100, 1e200, 1e300):
        need = information_needs(means, 1.0, T, 3 * T**power).need
        ratio = need / math.log(T) * gaps**2 / (1 - power)
        assert (ratio > last).all() or (last == 0).all()
        assert (ratio < 1).all()
        last = ratio
    assert (last > 0.9).all()


def test_the_limit_is_approached_as_slowly_as_known() -> None:
    means, gaps = np.array([0.7, 0.5, 0.35]), np.array([0.2, 0.2, 0.35])
    known = {
        1e3: (0.016, 0.008, 0.014),
        1e6: (0.17, 0.17, 0.22),
        1e12: (0.47, 0.47, 0.51),
        1e48: (0.83, 0.83, 0.84),
    }
    for T, ratios in known.items():
        need = information_needs(means, 1.0, T, math.sqrt(T)).need
        assert need / math.log(T) * gaps**2 / 0.5 == pytest.approx(ratios, abs=0.006)


def test_needs_fall_with_the_regret_allowed() -> None:
    means = np.array([0.7, 0.5, 0.35, 0.7, 0.0, 1.0])
    last = np.full(6, np.inf)
    for B in np.geomspace(1e-6, 1e6, 60):
        need = information_needs(means, 1.0, 1e5, float(B)).need
        assert (need <= last * (1 + 1e-12)).all()
        last = need


@pytest.mark.parametrize(
    ("T", "B"), [(1e300, 1e-300), (1e-300, 1e300), (1e300, 1e300), (1e-3, 1e-3)]
)
def test_no_number_is_too_large(T: float, B: float) -> None:
    found = information_needs(np.array([0.7, 0.5, 0.7, 0.0, 1.0]), 1.0, T, B)
    assert (found.need >= 0).all()
    assert not np.isnan(found.need).any()


def test_one_action_needs_nothing() -> None:
    assert information_needs(np.array([0.3]), 1.0, 10.0, 1.0).need.tolist() == [0.0]
