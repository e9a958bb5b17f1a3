"""Cutting planes: plans that are feasible and cheapest, losses that are least, slopes."""

from __future__ import annotations

import numpy as np
import pytest

from naive.bracketing import loss_above
from naive.structures import matrix
from sidelight.programs import Effort, cutting
from sidelight.programs.ascent import climb
from sidelight.programs.cutting import cheapest, least, refute, slope
from sidelight.programs.separation import Cuts, ScaledProblem, cut_rows, scale_problem
from sidelight.variances import Array

T = 1e4


def problem(name: str, means: list[float], horizon: float = T) -> ScaledProblem:
    return scale_problem(np.array(means), matrix(name, len(means)), 1.0, horizon)


@pytest.mark.parametrize(
    ("name", "means", "B", "horizon"),
    [
        ("bandit", [0.7, 0.5, 0.35], 150, 1e4),
        ("cycle", [0.7, 0.5, 0.35], 300, 1e4),
        ("revealing", [0.35, 0.7, 0.5], 300, 1e4),
        ("het3", [0.7, 0.5, 0.35], 150, 1e4),
        ("bandit", [0.7, 0.5, 0.35], 5e4, 1e9),
        ("bandit", [0.5, 0.7], 1e6, 1e12),
    ],
)
def test_plan_and_rows_prove_each_other(
    name: str, means: list[float], B: float, horizon: float
) -> None:
    here = problem(name, means, horizon)
    beta = B / horizon
    found = cheapest(here, beta)
    assert found.plan is not None
    assert found.plan.sum() == pytest.approx(1.0, abs=1e-14)
    cost = float(found.plan @ here.gaps)
    # From below: the weights. They are relative to gaps, so horizons eat digits in floats.
    proved = float((here.gaps + found.weights @ cut_rows(here, found.cuts, beta)).min())
    assert proved == pytest.approx(cost, rel=1e-8, abs=1e-15)
    # From above: a plan for a slightly smaller B that provably loses at most B.
    tau = 1e-6
    tighter = cheapest(here, beta / (1 + tau), found.cuts)
    assert tighter.plan is not None
    assert loss_above(here, tighter.plan) <= beta
    assert cost <= tighter.plan @ here.gaps <= cost * (1 + 100 * tau)


def test_known_cuts_save_steps() -> None:
    here = problem("cycle", [0.7, 0.5, 0.35])
    cold = cheapest(here, 0.03)
    warm = cheapest(here, 0.03, cold.cuts)
    assert warm.plan is not None
    assert cold.plan is not None
    assert warm.steps <= 2 < cold.steps
    assert warm.plan @ here.gaps == pytest.approx(cold.plan @ here.gaps, rel=1e-8)


def test_a_game_is_solved_from_both_sides() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        rows = rng.normal(size=(5, 4)) * 10 ** rng.uniform(-3, 6, (1, 4))
        value, weights, plan = refute(rows)
        if value > 1e-9:
            assert (weights @ rows > 0).all()
        else:
            assert (rows @ plan <= 1e-7 * np.abs(rows * plan).max()).all()


@pytest.mark.parametrize(
    ("name", "means", "value"),
    [
        ("bandit", [0.525, 0.5], 33.7),
        ("bandit", [0.5, 0.5], 26.8),
        ("bandit", [0.52, 0.5, 0.5], 52.4),
        ("loopless", [0.5, 0.5, 0.5], 33.9),
        ("full", [0.5, 0.5], 19.0),
        ("cycle", [0.95, 0.9, 0.0], 181.0),
        ("revealing", [0.0, 0.95, 0.9], 231.6),
    ],
)
def test_least_losses_of_the_reference_means(name: str, means: list[float], value: float) -> None:
    found = least(problem(name, means), None, 1e-5)
    # The table gives what a bisection certified, rounded down: at most 1 % below the value.
    assert value <= T * found.lower <= 1.01 * value
    assert found.lower <= found.upper <= found.lower * (1 + 1e-5)
    assert loss_above(problem(name, means), found.plan) >= found.lower


def test_ties_have_closed_forms() -> None:
    for name, constant in (("bandit", 0.2701160), ("full", 0.1910009)):
        found = least(problem(name, [0.5, 0.5]), None, 1e-8)
        assert T * found.lower == pytest.approx(constant * np.sqrt(T), rel=1e-6)


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("bandit", [0.53, 0.5]),
        ("cycle", [0.9, 0.85, 0.05]),
        ("revealing", [0.02, 0.95, 0.9]),
        ("het3", [0.9, 0.1, 0.86]),
    ],
)
def test_the_slope_is_that_of_the_value(name: str, means: list[float]) -> None:
    theta, step = np.array(means), 1e-4

    def value(at: Array) -> float:
        return least(problem(name, list(at)), None, 1e-8).lower

    here = problem(name, means)
    predicted = slope(here, least(here, None, 1e-8))
    units = np.eye(len(theta)) * step
    measured = [(value(theta + e) - value(theta - e)) / (2 * step) for e in units]
    # Central differences of a value that is known to 1e-8.
    assert predicted == pytest.approx(measured, rel=2e-3, abs=1e-5)


def test_nothing_more_than_enough_is_computed() -> None:
    here = problem("cycle", [0.95, 0.9, 0.0])
    found = least(here, None, 1e-6, enough=0.1)
    assert found.lower < found.upper <= 0.1


def test_a_start_nearby_saves_work() -> None:
    near, here = problem("bandit", [0.53, 0.5]), problem("bandit", [0.525, 0.5])
    start = least(near, None, 1e-3)
    cold, warm = Effort(1e12), Effort(1e12)
    afresh = least(here, None, 1e-3, effort=cold)
    again = least(here, start, 1e-3, effort=warm)
    assert warm.left > cold.left
    assert again.lower == pytest.approx(afresh.lower, rel=2e-3)


def test_cuts_that_suffice_need_one_program() -> None:
    here = problem("bandit", [0.7, 0.5, 0.35])
    found = cheapest(here, 0.015)
    assert cheapest(here, 0.015, found.cuts, tolerance=1e-6).steps == 1


@pytest.mark.parametrize(("name", "B"), [("bandit", 5), ("full", 3), ("cycle", 20)])
def test_where_no_plan_is_left_the_weights_refute_all(name: str, B: float) -> None:
    here = problem(name, [0.52, 0.5, 0.5])
    found = cheapest(here, B / T)
    assert found.plan is None
    assert (found.weights >= 0).all()
    assert (found.weights @ cut_rows(here, found.cuts, B / T) > 0).all()


@pytest.mark.parametrize("trial", [1e-8, 1e-5, 1e-2, 1.0])
def test_weights_refute_every_plan_below_what_they_exclude_and_not_above(trial: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        here = problem("full", list(rng.random(3)), horizon=1.0)
        cuts = Cuts(rng.random((4, 3)), 10 ** rng.uniform(-4, 0, 4))
        weights = rng.random(4) * (rng.random(4) < 0.8)
        weights[0] = 1.0
        rows = cut_rows(here, cuts, trial)
        beta = cutting._excluded(rows, cuts.shifts, weights, trial)
        if beta > 0:
            assert (weights @ cut_rows(here, cuts, beta * (1 - 1e-6))).min() > 0
        beta = max(beta, 1e-30 * trial)  # 0 stands for nothing that is worth a proof
        assert (weights @ cut_rows(here, cuts, beta * (1 + 1e-6))).min() <= 0


def test_a_vertex_known_to_a_few_digits_is_found_to_all() -> None:
    """Three actions and two rows that bind: plan, weights and level solve their equations."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        plan, weights = rng.dirichlet(np.ones(3)), 10 ** rng.uniform(-3, 0, 2)
        rows = rng.normal(size=(2, 3)) * [[1.0], [1e4]]
        rows -= (rows @ plan)[:, None]  # rows @ plan = 0, as sum(plan) = 1
        gaps = (weights @ rows).max() - weights @ rows  # one level for all actions
        rough = plan * (1 + 1e-6 * rng.normal(size=3))
        about = weights * (1 + 1e-6 * rng.normal(size=2))
        found, proof = cutting._settled(gaps, rows, rough / rough.sum(), about)
        # Rows of either size hold, and the level is proved, up to rounding: 1e-6 is gone.
        assert (rows @ found <= 1e-11 * (np.abs(rows) @ plan)).all()
        level, spare = (gaps + weights @ rows).min(), 1e-11 * (weights @ np.abs(rows)).max()
        assert (gaps + proof @ rows >= level - spare).all()


def test_climbing_ends_at_the_top_of_a_box() -> None:
    asked: list[Array] = []

    def hill(x: Array) -> tuple[float, Array] | None:
        asked.append(x)
        return 3.0 - float((x - [0.3, 2.0]) @ (x - [0.3, 2.0])), -2 * (x - [0.3, 2.0])

    climb(hill, np.zeros(2), np.zeros(2), np.ones(2))
    best = min(asked, key=lambda x: abs(x[0] - 0.3) + abs(x[1] - 1.0))
    assert best == pytest.approx([0.3, 1.0], abs=1e-3)


def test_climbing_stops_when_told() -> None:
    asked: list[Array] = []

    def hill(x: Array) -> tuple[float, Array] | None:
        asked.append(x)
        return (float(x.sum()), np.ones(2)) if len(asked) < 2 else None

    climb(hill, np.zeros(2), np.zeros(2), np.ones(2))
    assert len(asked) == 2
