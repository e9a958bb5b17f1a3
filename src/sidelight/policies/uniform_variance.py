"""The assumption of the paper's two algorithms [sec:algs]: one variance wherever anything is seen.

Both count observations. Where variances differ, a count says little; but a policy that takes every
observation to be as bad as the worst one keeps its guarantee, so raising all variances to the
largest is always a way out.
"""

from __future__ import annotations

import math

from ..errors import InputError
from ..feedback import Feedback
from .rule import registered


def needs_uniform_variance(name: str, feedback: Feedback) -> float:
    """The one standard deviation, or an error that names registered policies to use instead."""
    sigma = feedback.uniform_sigma
    if sigma is not None:
        return sigma
    seen = feedback.variance[feedback.observes]
    with_loops = ("ts-n", "ucb-n") if feedback.is_self_observing else ()
    instead = registered(f"{name}-sigma", "ids", *with_loops) or registered("greedy")
    raise InputError(
        f"policy {name!r} needs the same variance wherever an action is observed, and here they "
        f"range from {seen.min():g} to {seen.max():g}. Use {instead}, or raise all variances to "
        "the largest: Feedback.uniform(feedback.observes, "
        f"sigma={math.sqrt(seen.max()):g}) is safe, but wasteful"
    )
