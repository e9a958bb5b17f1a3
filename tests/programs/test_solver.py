"""Linear and integer programs: small ones with known answers, and what is done without effort."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from sidelight.programs import Effort, solver
from sidelight.programs.solver import membership_rows, solve_binary, solve_linear


@pytest.mark.parametrize("seed", range(10))
def test_a_linear_program_and_its_multipliers_prove_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cost, rows, demand = rng.uniform(1, 2, 4), rng.uniform(0, 1, (3, 4)), rng.uniform(0.5, 1, 3)
    effort = Effort(1e6)
    found = solve_linear(cost, rows, demand, effort)
    assert found.status == "optimal"
    assert found.x is not None
    assert found.multipliers is not None
    assert (rows @ found.x >= demand - 1e-9).all()
    assert (found.multipliers @ rows <= cost + 1e-9).all()
    assert found.bound == pytest.approx(cost @ found.x) == pytest.approx(found.multipliers @ demand)
    assert effort.left < 1e6


@pytest.mark.parametrize("seed", range(10))
def test_a_program_over_integers_is_solved(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cost, rows = rng.uniform(1, 2, 6), (rng.random((5, 6)) < 0.5).astype(float)
    rows[:, 0] = 1.0
    effort = Effort(1e7)
    found = solve_binary(cost, rows, np.ones(5), effort)
    values = (np.array(x) for x in itertools.product([0.0, 1.0], repeat=6))
    best = min(float(cost @ x) for x in values if (rows @ x >= 1).all())
    assert found.status == "optimal"
    assert found.x is not None
    assert set(found.x) <= {0.0, 1.0}
    assert cost @ found.x == pytest.approx(best)
    assert found.bound == pytest.approx(best)
    assert effort.left <= 1e7 - 50 * np.count_nonzero(rows)


def test_what_nobody_can_meet_is_infeasible() -> None:
    one = np.ones((1, 1))
    assert solve_linear(np.ones(1), -one, np.ones(1)).status == "infeasible"
    found = solve_binary(np.ones(1), one, np.full(1, 2.0), Effort())
    assert (found.status, found.x) == ("infeasible", None)


@pytest.mark.parametrize("effort", [lambda: Effort(0), lambda: Effort(1e9, seconds=1e-9)])
def test_without_effort_nothing_is_asked(effort: object) -> None:
    assert callable(effort)
    for solve in (solve_linear, solve_binary):
        found = solve(np.ones(2), np.ones((2, 2)), np.ones(2), effort())
        assert (found.status, found.x, found.bound) == ("stopped", None, -np.inf)


def test_large_programs_over_integers_are_not_tried_on_a_limited_account() -> None:
    n = solver.LARGEST_INTEGER
    rows = membership_rows([[i] for i in range(n)], n, 1.0)
    assert solve_binary(np.ones(n), rows, np.ones(n), Effort(1e12)).status == "optimal"
    rows = membership_rows([*([i] for i in range(n)), [0]], n, 1.0)
    assert solve_binary(np.ones(n), rows, np.ones(n + 1), Effort(1e12)).status == "stopped"
    assert solve_binary(np.ones(n), rows, np.ones(n + 1), Effort()).status == "optimal"


def test_a_row_for_each_set() -> None:
    rows = membership_rows([[0, 2], [1], []], 4, -1.0).toarray()
    assert rows.tolist() == [[-1, 0, -1, 0], [0, -1, 0, 0], [0, 0, 0, 0]]


def test_errors_come_through_from_another_thread() -> None:
    def fail() -> None:
        assert threading.current_thread() is not threading.main_thread()
        raise KeyError("reason")

    with pytest.raises(KeyError, match="reason"):
        solver._interruptible(fail)
    assert solver._interruptible(lambda: 3) == 3


def test_counts_are_whole_numbers_that_fit() -> None:
    assert [solver._count(x) for x in (0.2, 1.0, 7.9, np.inf)] == [1, 1, 7, 2**31 - 1]
    assert solver._entries(np.zeros((2, 2))) == 1
    assert solver._entries(np.eye(3)) == 3
