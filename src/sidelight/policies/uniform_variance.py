"""The assumption of the paper's two algorithms [sec:algs]: one variance wherever anything is seen.

Both count observations. Where variances differ, a count says little; but a policy that takes every
observation to be as bad as the worst one keeps its guarantee, so raising all variances to the
largest is always a way out.
"""

from __future__ import annotations

import math

from ..errors import InputError
from ..feedback import Feedback


def needs_uniform_variance(name: str, feedback: Feedback) -> float:
    """The one standard deviation, or an error that names registered policies to use instead."""
    sigma = feedback.uniform_sigma
    if sigma is not None:
        return sigma
    seen = feedback.variance[feedback.observes]
    worst = f"Feedback.uniform(feedback.observes, sigma={math.sqrt(seen.max()):g})"
    raise InputError(
        f"policy {name!r} needs the same variance wherever an action is observed, and here they "
        f"range from {seen.min():g} to {seen.max():g}: {_instead(name, feedback)}use {worst!r}, "
        "which takes all to be as bad as the worst: safe, but wasteful"
    )


def _instead(name: str, feedback: Feedback) -> str:
    """Registered policies that accept this structure, in words."""
    from . import registry  # noqa: PLC0415 - the registry imports the module that asks

    any_variance = ("ids", f"{name}-sigma")
    with_loops = ("ts-n", "ucb-n") if feedback.is_self_observing else ()
    registered = registry.names()
    fitting = [repr(other) for other in (*any_variance, *with_loops) if other in registered]
    return f"use {' or '.join(fitting)}, or " if fitting else ""
