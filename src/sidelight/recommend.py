"""Which policy to use on a structure, and why, in one sentence.

The default, `ids`, runs everywhere, and in 78 of 81 races of the suite its mean regret is at
most 1.15 times that of the best other policy (benchmarks/suite.md). It is not worth its price where
every play shows everything equally well: then learning is free, and playing what looks best is as
good. (Not where some actions are seen badly: what looks best may be what was seen worst, and only a
prior guards against that.) It has no proved guarantee; where the paper's Algorithm 2 has one, that
is said too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .errors import InputError
from .feedback import Feedback
from .labels import some
from .problem import check_upper
from .structure import strongly_observable


@dataclass(frozen=True)
class Recommendation:
    """A policy, as `simulate` takes it, and the reason."""

    policy: str
    why: str

    def __str__(self) -> str:
        return f"{self.policy}: {self.why}"


def recommend(
    feedback: Feedback, upper: float = 1.0, horizon: float | None = None
) -> Recommendation:
    """The policy to use on this structure, for means in [0, upper] and so many rounds, if known."""
    if not isinstance(feedback, Feedback):
        raise InputError(f"{feedback!r} is no Feedback: of a problem, give problem.feedback")
    upper = check_upper(upper)
    horizon = None if horizon is None else _rounds(horizon)
    if len(feedback) == 1:
        return Recommendation("greedy", "there is only one action")
    if (feedback.variance == feedback.variance[0, 0]).all():
        return Recommendation(
            "greedy", "every action shows everything equally well: learning costs nothing"
        )
    sentences = [_reason(feedback), *_remarks(feedback, upper, horizon)]
    return Recommendation("ids", "; ".join(sentences))


def _rounds(horizon: float) -> float:
    try:
        rounds = float(horizon)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"horizon = {horizon!r} must be a number of rounds") from None
    if not rounds >= 1:
        raise InputError(f"horizon = {horizon} must be at least 1: it is a number of rounds")
    return rounds


def _reason(feedback: Feedback) -> str:
    if (feedback.variance == feedback.variance[0]).all():
        return (
            "every action shows the same, so that learning costs nothing, and its prior keeps it "
            "from trusting what is seen badly"
        )
    seen = feedback.observes
    own = seen.diagonal()
    weak = np.flatnonzero(~strongly_observable(seen))
    if len(weak):
        who = np.flatnonzero(seen[:, weak].any(axis=1))
        hidden, shown = (some(feedback.labels, actions.tolist()) for actions in (weak, who))
        return (
            f"{hidden} must be looked at through {shown}, and it pays for that only as long as it "
            "repays itself"
        )
    if not own.all():
        blind = some(feedback.labels, np.flatnonzero(~own).tolist())
        it = "it" if own.sum() == len(own) - 1 else "them"
        return f"{blind} cannot be learnt by playing {it}, on which optimism and sampling rely"
    if feedback.is_bandit:
        return "a bandit, on which it mostly loses less than Thompson sampling"
    return "it plays what shows most for its price, not only what may be best"


def _remarks(feedback: Feedback, upper: float, horizon: float | None) -> list[str]:
    said = []
    if horizon is not None and horizon < _least_rounds(feedback, upper):
        said.append("but so few rounds cannot tell the actions apart, whatever the policy")
    if feedback.uniform_sigma is not None:
        said.append("if a proved bound on the worst case matters more, 'minimax' has one")
    return said


def _least_rounds(feedback: Feedback, upper: float) -> float:
    """Fewer rounds leave some mean with a standard error above `upper`, whatever is played.

    Every action needs the information 1/upper^2, and a play gives each at most what it shows.
    """
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        shown = (upper / np.sqrt(feedback.variance)) ** 2
    slowest = 1 / shown.max(axis=0).min()
    return float(max(slowest, len(feedback) / np.minimum(shown, 1).sum(axis=1).max()))
