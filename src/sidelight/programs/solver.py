"""Linear and integer programs in one form, solved by HiGHS:

    minimise <cost, x>   subject to   rows @ x >= demand,   0 <= x <= ceiling.

A solver's word is not a proof. For a linear program the answer carries the multipliers of the rows,
from which callers build a bound of their own; for an integer program, the bound that HiGHS proved.
scipy is imported on first use: it takes longer than everything else in `import sidelight`.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Status = Literal["optimal", "infeasible", "stopped"]

# HiGHS looks at the clock only between steps; on larger programs it overruns by seconds.
MAX_NONZEROS = 1_000_000

# Now and then the simplex method stalls within rounding of the optimum; another way then finds it.
_ATTEMPTS = (("highs-ds", 1e-10), ("highs-ipm", 1e-10), ("highs-ds", 1e-7))

_STATUS: dict[int, Status] = {0: "optimal", 1: "stopped", 2: "infeasible"}


@dataclass(frozen=True, eq=False)
class Solution:
    """`x` is None when nothing was found in time; `bound` is a lower bound on the value."""

    status: Status
    x: Array | None
    multipliers: Array | None = None
    bound: float = -np.inf


def seconds_left(deadline: float) -> float:
    """Seconds until a deadline on the clock of `time.monotonic`, never negative."""
    return max(0.0, deadline - time.monotonic())


def solve_linear(cost: Array, rows: Array, demand: Array, deadline: float = math.inf) -> Solution:
    """The linear program, by the dual simplex method: its answers are vertices.

    Callers repair what tolerances leave open; they must not count on the last digits.
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - see above

    left = _time_for(rows, deadline)
    if left == 0.0:
        return Solution("stopped", None)
    for method, tolerance in _ATTEMPTS:
        options = {
            "time_limit": left,
            "primal_feasibility_tolerance": tolerance,
            "dual_feasibility_tolerance": tolerance,
        }
        result = linprog(cost, A_ub=-rows, b_ub=-demand, method=method, options=options)
        if result.status in _STATUS:
            break
    status = _known(result)
    if status != "optimal":
        return Solution(status, None)
    return Solution(status, result.x, -result.ineqlin.marginals, float(result.fun))


def solve_binary(cost: Array, rows: Array, demand: Array, deadline: float) -> Solution:
    """The program with every x either 0 or 1."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - see above

    left = _time_for(rows, deadline)
    if left == 0.0:
        return Solution("stopped", None)
    result = milp(
        cost,
        constraints=LinearConstraint(rows, demand, np.inf),
        integrality=np.ones(len(cost)),
        bounds=Bounds(0, 1),
        options={"time_limit": left},
    )
    bound = -np.inf if result.mip_dual_bound is None else float(result.mip_dual_bound)
    return Solution(_known(result), None if result.x is None else np.round(result.x), bound=bound)


def _time_for(rows: Array, deadline: float) -> float:
    """Seconds for the solver: none for a program that it cannot even read in time."""
    if deadline < math.inf and np.count_nonzero(rows) > MAX_NONZEROS:
        return 0.0
    return seconds_left(deadline)


def _known(result: Any) -> Status:
    if result.status not in _STATUS:
        raise RuntimeError(f"HiGHS gave up on a program that it should solve: {result.message}")
    return _STATUS[result.status]
