"""What a policy may know before the first round, and what it cannot do without."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..engine.contract import Floats
from ..errors import InputError
from ..feedback import Feedback


@dataclass(frozen=True, eq=False)
class Setting:
    """The structure and the range of the means; `horizon` is None where it is unknown.

    `means` is the truth, which only a simulator has and only an oracle reads.
    """

    feedback: Feedback
    upper: float
    horizon: int | None
    means: Floats | None = None


class Need(StrEnum):
    """What a policy cannot do without, in the words of tables."""

    SELF_OBSERVATION = "needs self-observation"
    UNIFORM = "uniform variance only"
    HORIZON = "horizon required"
    GAP = "gap required"
    TRUTH = "knows the true means"


class UnfitError(InputError):
    """The policy is described well, and cannot decide in this setting."""


def check(name: str, needs: Iterable[Need], setting: Setting) -> None:
    """Refuse a setting that lacks something; the error names a policy to use instead.

    A gap is a parameter, without a default; the policy asks for it itself.
    """
    for need in needs:
        missing = _missing(need, setting)
        if missing:
            general = f" or '{name}-sigma'" if need is Need.UNIFORM else ""
            raise UnfitError(
                f"policy {name!r} {missing}. Use 'ids'{general}, which needs no such thing"
            )


def _missing(need: Need, setting: Setting) -> str:
    feedback = setting.feedback
    if need is Need.SELF_OBSERVATION and not feedback.is_self_observing:
        blind = feedback.labels[np.flatnonzero(~feedback.observes.diagonal())[0]]
        return (
            f"needs actions that show themselves, and {blind!r} does not: it would play such an "
            "action for ever without learning"
        )
    if need is Need.UNIFORM and feedback.uniform_sigma is None:
        seen = feedback.variance[feedback.observes]
        worst = f"Feedback.uniform(feedback.observes, sigma={math.sqrt(seen.max()):g})"
        return (
            "needs the same variance wherever an action is observed, and here they range from "
            f"{seen.min():g} to {seen.max():g}: take all to be as bad as the worst with {worst}, "
            "which is safe and wasteful"
        )
    if need is Need.HORIZON and setting.horizon is None:
        return "needs to know the horizon, and none is given"
    if need is Need.TRUTH and setting.means is None:
        return "is told the true means, which only a simulation has: it cannot decide live"
    return ""
