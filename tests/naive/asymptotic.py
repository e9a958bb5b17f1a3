"""The exact asymptotic constant for three actions, by trying many mixtures of the other two."""

from __future__ import annotations

import math

import numpy as np

from sidelight import Problem


def graves_lai(problem: Problem, points: int = 200_001) -> float:
    """min <c, gaps> over 1/n_k + 1/n_best <= gap_k^2/2: every mixture, scaled until it satisfies.

    The best action is free: what it shows has n = inf, and more plays of it do nothing else.
    """
    best, gaps, P = problem.best, problem.gaps, problem.feedback.precision
    others = [k for k in range(3) if k != best]
    share = np.linspace(0.0, 1.0, points)
    mixtures = np.zeros((points, 3))
    mixtures[:, others[0]], mixtures[:, others[1]] = share, 1.0 - share
    n = mixtures @ P
    n[:, P[best] > 0] = math.inf
    with np.errstate(divide="ignore"):
        asked = [2.0 / gaps[k] ** 2 * (1.0 / n[:, k] + 1.0 / n[:, best]) for k in others]
    scale = np.max(asked, axis=0)
    with np.errstate(invalid="ignore"):
        cost = np.where(scale > 0, scale * (mixtures @ gaps), 0.0)
    return float(cost.min())
