"""Bounds over horizons: each point is the bound there, and validity is told."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import sidelight as sl
from sidelight.curves import (
    NAMES,
    SLOW,
    PowerLaw,
    as_worst_case,
    curves,
    minimax_rate,
    sandwich_curves,
)

DOSING = sl.gallery("dosing")
HORIZONS = [1e2, 1e3, 1e4]


def test_the_trivial_curve_is_all_that_can_be_lost() -> None:
    (trivial,) = curves(DOSING, HORIZONS, names=["trivial"])
    assert trivial.values == pytest.approx(np.sort(HORIZONS) * (0.70 - 0.20))
    assert trivial.kind == "upper"
    assert trivial.valid.all()


def test_the_computed_minimax_bound_is_a_curve_where_it_is_asked_for() -> None:
    (computed,) = curves(DOSING, [1e3], names=["minimax_computed"])
    assert computed.values[0] == sl.bounds.minimax_computed(DOSING.feedback, 1.0, 1e3).value
    assert computed.kind == "lower"


def test_each_point_is_the_bound_at_its_horizon() -> None:
    law = minimax_rate(DOSING.feedback, 1.0)
    wanted = ["finite_time", "general", "minimax", "limit", "guarantee of minimax"]
    drawn = {curve.name: curve for curve in curves(DOSING, HORIZONS, names=wanted)}
    assert list(drawn) == wanted
    slope = sl.bounds.graves_lai(DOSING).value
    for k, T in enumerate(HORIZONS):
        relaxed = sl.bounds.finite_time(DOSING, T, law(T)).value
        assert drawn["finite_time"].values[k] == pytest.approx(relaxed, rel=1e-12)
        # Warm starts may take another way to the same optimum.
        exact = sl.bounds.general(DOSING, T, law(T)).value
        assert drawn["general"].values[k] == pytest.approx(exact, rel=1e-6)
        closed = sl.bounds.minimax(DOSING.feedback, 1.0, T).value
        assert drawn["minimax"].values[k] == closed
        assert drawn["limit"].values[k] == pytest.approx(slope * np.log(T), rel=1e-12)
        promise = sl.guarantees.minimax(DOSING.feedback, 1.0, T).value
        assert drawn["guarantee of minimax"].values[k] == promise


def test_kinds_are_told_apart() -> None:
    kinds = {curve.name: curve.kind for curve in curves(DOSING, [1e3])}
    assert tuple(kinds) == tuple(name for name in NAMES if name not in SLOW)
    assert {kinds[name] for name in kinds if name.startswith("guarantee")} == {"upper"}
    assert kinds["limit"] == "limit"
    assert kinds["general"] == "lower"


def test_a_bound_that_does_not_hold_is_not_a_number() -> None:
    tied = sl.gallery("revealing-tie")
    (limit, here) = curves(tied, HORIZONS, names=["limit", "guarantee of minimax here"])
    assert not limit.valid.any()
    assert np.isnan(here.values).all()
    assert "several actions are best" in limit.note


def test_a_bound_that_never_holds_says_why() -> None:
    bandit = sl.Problem(sl.Feedback.bandit(2, sigma=0.0), [0.2, 0.1])
    (never,) = curves(bandit, [1.0, 1e3], names=["minimax"])
    assert not never.valid.any()
    assert "seen exactly" in never.note


def test_the_default_worst_case_is_the_minimax_rate() -> None:
    bandit = minimax_rate(sl.Feedback.bandit(4, sigma=3.0), 1.0)
    assert bandit(100) == pytest.approx(3.0 * np.sqrt(4 * 100))
    weak = minimax_rate(sl.Feedback.from_graph([(0, 1), (1, 2), (2, 0)], sigma=2.0), 5.0)
    assert weak(1000) == pytest.approx((3 * 5.0) ** (1 / 3) * (2.0 * 1000) ** (2 / 3))
    exact = minimax_rate(sl.Feedback.full_information(3, sigma=0.0), 2.0)
    assert (exact(10), exact(1e9)) == (6.0, 6.0)


def test_a_worst_case_may_be_a_number_or_a_function() -> None:
    law = PowerLaw(2.0, 0.5, "")
    assert as_worst_case(None, law) is law
    assert as_worst_case(7, law)(1e9) == 7.0
    assert as_worst_case(lambda T: T / 2, law)(10.0) == 5.0
    (curve,) = curves(DOSING, [1e4], worst_case=100.0, names=["finite_time"])
    assert curve.values[0] == sl.bounds.finite_time(DOSING, 1e4, 100.0).value


def test_progress_counts_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    curves(DOSING, [10, 100], names=["finite_time", "minimax"], progress=lambda *p: seen.append(p))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_an_unknown_curve_is_refused() -> None:
    with pytest.raises(sl.InputError, match="did you mean 'general'"):
        curves(DOSING, [10], names=["genral"])


def test_the_sandwich_by_horizon() -> None:
    feedback = sl.gallery("apple-tasting").feedback
    seen: list[tuple[int, int]] = []
    lower, upper = sandwich_curves(feedback, 1.0, [1e3, 100], lambda *p: seen.append(p))
    assert seen == [(1, 2), (2, 2)]
    assert (lower.kind, upper.kind) == ("lower", "upper")
    for k, T in enumerate((100, 1e3)):
        both = sl.sandwich(feedback, 1.0, T)
        assert (lower.horizons[k], upper.horizons[k]) == (T, T)
        assert lower.values[k] == both.lower.value < upper.values[k] == both.upper.value
        assert both.policy in upper.note


def test_the_sandwich_does_not_fall_with_the_horizon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lost in fewer rounds is lost in more; a promise for more rounds is one for fewer."""
    values = {10.0: (3.0, 9.0), 100.0: (2.0, 12.0), 1000.0: (4.0, 11.0)}
    made = sl.sandwich(sl.Feedback.bandit(2), 1.0, 10)

    def loose(feedback: sl.Feedback, upper: float, horizon: float) -> sl.Sandwich:
        lower, most = values[horizon]
        return sl.Sandwich(replace(made.lower, value=lower), replace(made.upper, value=most), "x")

    monkeypatch.setattr(sys.modules["sidelight.curves"], "sandwich", loose)
    lower, upper = sandwich_curves(sl.Feedback.bandit(2), 1.0, values)
    assert lower.values.tolist() == [3.0, 3.0, 4.0]
    assert upper.values.tolist() == [9.0, 11.0, 11.0]
