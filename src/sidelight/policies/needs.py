"""What a policy cannot do without, and whether a setting has it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..engine.contract import Floats
from ..errors import InputError
from ..setting import Setting


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Revealed(Setting):
    """A setting with the true means, which only a simulator has and only an oracle reads."""

    means: Floats

    def __init__(self, setting: Setting, means: Floats) -> None:
        super().__init__(setting.feedback, setting.upper, setting.horizon, name=setting.name)
        object.__setattr__(self, "means", means)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Revealed):
            return False
        return super().__eq__(other) and np.array_equal(self.means, other.means)

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.means.tobytes()))


class Need(StrEnum):
    """What a policy cannot do without, in the words of tables."""

    SELF_OBSERVATION = "needs self-observation"
    UNIFORM = "uniform variance only"
    HORIZON = "horizon required"
    GAP = "gap required"
    TRUTH = "knows the true means"


GENERAL = ("asymptotic", "minimax")  # there is a version for any variances, called name-sigma


class UnfitError(InputError):
    """The policy is described well, and cannot decide in this setting."""


def check(name: str, needs: Iterable[Need], setting: Setting) -> None:
    """Refuse a setting that lacks something; the error names a policy to use instead.

    A gap is a parameter, without a default; the policy asks for it itself.
    """
    for need in needs:
        missing = _missing(need, setting)
        if missing:
            general = f" or '{name}-sigma'" if need is Need.UNIFORM and name in GENERAL else ""
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
    if need is Need.HORIZON and setting.rounds is None:
        return "needs to know the horizon, and none is given"
    if need is Need.TRUTH and not isinstance(setting, Revealed):
        return "is told the true means, which only a simulation has: it cannot decide live"
    return ""
