"""Compiled levels against arrays of numpy, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from naive import levels as naive
from sidelight.programs.levels import _total, levels
from sidelight.programs.separation import Oracle, scale_problem


def asked(rng: np.random.Generator, actions: int, wild: bool) -> Oracle:
    """A plan on a random structure; some means are 0, 1 or equal, some plays are 0."""
    scale = 6.0 if wild else 1.0
    sigma = 10 ** rng.uniform(-scale, scale, (actions, actions))
    sigma[rng.random((actions, actions)) < 0.4] = np.inf
    if wild:
        sigma[rng.random((actions, actions)) < 0.1] = 0.0
    theta = rng.choice([0.0, 1.0, 0.5, *rng.random(5)], actions)
    plan = rng.dirichlet(np.ones(actions)) * (rng.random(actions) < 0.8)
    problem = scale_problem(theta, np.square(sigma), 1.0, 10 ** rng.uniform(0, 6))
    with np.errstate(all="ignore"):
        return Oracle(problem, plan)


@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize("actions", [1, 2, 3, 5, 7, 8, 9, 16, 23, 40])
def test_levels_are_those_of_numpy_to_the_last_bit(actions: int, wild: bool) -> None:
    rng = np.random.default_rng(actions)
    for _ in range(30):
        oracle = asked(rng, actions, wild)
        k = np.repeat(oracle.best, 40)
        u = 10 ** rng.uniform(-100 if wild else -8, 10 if wild else 4, len(k))
        ends = (oracle.low, oracle.high)
        found, known = levels(oracle.about, ends, k, u), naive.levels(oracle.about, ends, k, u)
        assert found.tobytes() == known.tobytes()
        assert (found >= oracle.low[k]).all()
        assert (found <= oracle.high[k]).all()


@pytest.mark.parametrize("n", [1, 7, 8, 9, 15, 16, 17, 31, 40, 100])
def test_rows_are_added_in_the_order_of_numpy(n: int) -> None:
    total = getattr(_total, "py_func", _total)
    rows = np.random.default_rng(n).standard_normal((50, n))
    assert [total(row) for row in rows] == rows.sum(axis=1).tolist()
