"""Linear and integer programs in one form, solved by HiGHS:

    minimise <cost, x>   subject to   rows @ x >= demand,   0 <= x <= ceiling.

A solver's word is not a proof. For a linear program the answer carries the multipliers of the rows,
from which callers build a bound of their own; for an integer program, the bound that HiGHS proved.
scipy is imported on first use: it takes longer than everything else in `import sidelight`.
"""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..variances import Array
from .effort import Effort

Status = Literal["optimal", "infeasible", "stopped"]

# HiGHS looks at the clock only between steps. Reading a program takes it about a microsecond for
# each nonzero entry, several times over: with less time than this it is not even asked.
NONZEROS_PER_SECOND = 400_000
# Steps of work for each nonzero entry: a pivot of the simplex method takes about 20 nanoseconds for
# each, a node of a search over integers 10 microseconds or more.
PIVOT, NODE = 1 / 15, 50.0
# The first node of a search over integers has no limit of its own. Larger programs are not tried:
# with 50,000 entries HiGHS does not get past that node in half a minute.
LARGEST_INTEGER = 8_000

# Now and then the simplex method stalls within rounding of the optimum; another way then finds it.
_ATTEMPTS = (("highs-ds", 1e-10), ("highs-ipm", 1e-10), ("highs-ds", 1e-7))

_STATUS: dict[int, Status] = {0: "optimal", 1: "stopped", 2: "infeasible"}
OTHER = 4


@dataclass(frozen=True, eq=False)
class Solution:
    """`x` is None when nothing was found in time; `bound` is a lower bound on the value."""

    status: Status
    x: Array | None
    multipliers: Array | None = None
    bound: float = -np.inf


def load_solver() -> None:
    """Import scipy now, so that its second or two does not count against a limit in seconds."""
    import scipy.optimize  # noqa: F401, PLC0415 - see above


def solve_linear(cost: Array, rows: Array, demand: Array, effort: Effort | None = None) -> Solution:
    """The linear program, by the dual simplex method: its answers are vertices.

    Callers repair what tolerances leave open; they must not count on the last digits.
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - see above

    effort = effort or Effort()
    price = PIVOT * _entries(rows)
    if not _is_affordable(rows, effort, price):
        return Solution("stopped", None)
    for method, tolerance in _ATTEMPTS:
        options = {
            "time_limit": effort.seconds,
            "maxiter": _count(effort.left / price),
            "primal_feasibility_tolerance": tolerance,
            "dual_feasibility_tolerance": tolerance,
        }
        result = linprog(cost, A_ub=-rows, b_ub=-demand, method=method, options=options)
        effort.spend(price * max(result.nit, 1))
        if result.status in _STATUS:
            break
    status = _known(result)
    if status != "optimal":
        return Solution(status, None)
    return Solution(status, result.x, -result.ineqlin.marginals, float(result.fun))


def solve_binary(cost: Array, rows: Any, demand: Array, effort: Effort) -> Solution:
    """The program with every x either 0 or 1."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - see above

    price = NODE * _entries(rows)
    limited = effort.left < math.inf
    if (limited and _entries(rows) > LARGEST_INTEGER) or not _is_affordable(rows, effort, price):
        return Solution("stopped", None)
    nodes = _count(effort.left / price)
    result = _interruptible(
        lambda: milp(
            cost,
            constraints=LinearConstraint(rows, demand, np.inf),
            integrality=np.ones(len(cost)),
            bounds=Bounds(0, 1),
            options={"time_limit": effort.seconds, "node_limit": nodes},
        )
    )
    used = max(result.mip_node_count or 0, 1)
    effort.spend(price * used)
    bound = -np.inf if result.mip_dual_bound is None else float(result.mip_dual_bound)
    # scipy has no word of its own for a search that used up its nodes.
    status: Status = "stopped" if used >= nodes and result.status == OTHER else _known(result)
    return Solution(status, None if result.x is None else np.round(result.x), bound=bound)


def membership_rows(sets: Sequence[Sequence[int]], columns: int, entry: float) -> Any:
    """A sparse matrix with one row for each set: `entry` at its members."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - see above

    ends = np.cumsum([0, *(len(members) for members in sets)])
    members = np.concatenate([np.asarray(members, dtype=int) for members in sets])
    return csr_array((np.full(len(members), entry), members, ends), shape=(len(sets), columns))


def _interruptible(call: Callable[[], Any]) -> Any:
    """Call in another thread: HiGHS does not listen to Ctrl-C, but waiting for a thread does."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    done: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            done.put((call(), None))
        except BaseException as error:  # handed on to the caller below
            done.put((None, error))

    threading.Thread(target=work, daemon=True).start()
    while True:
        try:
            result, error = done.get(timeout=0.2)
        except queue.Empty:
            continue
        if error is not None:
            raise error
        return result


def _entries(rows: Any) -> int:
    """How many entries are not 0; at least 1."""
    return max(1, rows.nnz if hasattr(rows, "nnz") else int(np.count_nonzero(rows)))


def _is_affordable(rows: Any, effort: Effort, price: float) -> bool:
    """Whether the effort buys one step at this price, and the seconds suffice to read the rows."""
    in_time = _entries(rows) <= NONZEROS_PER_SECOND * effort.seconds
    return in_time and effort.left >= price and not effort.is_over()


def _count(limit: float) -> int:
    """A limit as HiGHS takes it: a whole number of 32 bits."""
    return int(min(max(limit, 1.0), 2**31 - 1))


def _known(result: Any) -> Status:
    if result.status not in _STATUS:
        raise RuntimeError(f"HiGHS gave up on a program that it should solve: {result.message}")
    return _STATUS[result.status]
