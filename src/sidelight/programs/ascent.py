"""A local maximum, in a box, of a function that knows its slope: by L-BFGS-B (inside scipy).

The caller keeps the best point at which the function was asked. So a function that is not quite
smooth, or that stops answering, leads to a worse point, and never to a wrong value.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..variances import Array

Valued = Callable[[Array], tuple[float, Array] | None]


class _StopError(Exception):
    """The function has no more answers."""


# Questions in one climb, far more than it takes; most climbs end after thirty.
EVALUATIONS = 1000


def climb(function: Valued, start: Array, low: Array, high: Array) -> None:
    """Ask the function for its value and slope at better and better points of the box.

    The function itself remembers the best point; it answers None to end the climb. Values are
    divided by the first one, so that the stopping rule is relative.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import

    unit = math.nan

    def downhill(x: Array) -> tuple[float, Array]:
        nonlocal unit
        answer = function(np.clip(x, low, high))
        if answer is None:
            raise _StopError
        value, slope = answer
        if math.isnan(unit):
            unit = max(abs(value), 1e-300)
        return -value / unit, -slope / unit

    options = {"maxfun": EVALUATIONS, "maxiter": EVALUATIONS, "ftol": 1e-6, "gtol": 1e-6}
    bounds = list(zip(low, high, strict=True))
    try:
        minimize(downhill, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    except _StopError:
        return
