"""Which policy to use on a structure, and why, in one sentence.

The default, `ids`, runs everywhere, and in 73 of 95 races of the suite its mean regret is at most
1.15 times, and its 95 % quantile at most 1.5 times, that of the best other policy
(benchmarks/suite.md). It is not worth its price where every play shows everything equally well:
then learning is free, and playing what looks best is as good. (Not where some actions are seen
badly: what looks best may be what was seen worst, and only a prior guards against that.) It has no
proved guarantee; where that of the paper's Algorithm 2 is not vacuous, that is said too.

A race shows which policy lost least on one set of means. Somebody who has to choose does not know
the means, so `hindsight` says both, and never praises a policy without the warning it carries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import guarantees
from .errors import InputError
from .feedback import Feedback
from .labels import display, some
from .setting import Given, setting_of
from .simulate import Results
from .simulate.remarks import cautions, clairvoyant
from .simulate.statistics import short
from .structure import strongly_observable


@dataclass(frozen=True)
class Recommendation:
    """A policy, as `simulate` takes it, and the reason."""

    policy: str
    why: str

    def __str__(self) -> str:
        return f"{self.policy}: {self.why}"


def recommend(
    feedback: Given,
    upper: float | None = None,
    horizon: float | None = None,
    budget: float | None = None,
) -> Recommendation:
    """The policy to use on this structure, for means in [0, upper] and so many rounds, if known.

    `budget` is a limit in seconds on the search behind a guarantee, as in `guarantees.minimax`.
    """
    known = setting_of(feedback, upper, horizon)
    feedback, upper = known.feedback, known.upper
    horizon = None if known.horizon is None else _rounds(known.horizon)
    if len(feedback) == 1:
        return Recommendation("greedy", "there is only one action")
    if (feedback.variance == feedback.variance[0, 0]).all():
        return Recommendation(
            "greedy", "every action shows everything equally well: learning costs nothing"
        )
    sentences = [_reason(feedback), *_remarks(feedback, upper, horizon, budget)]
    return Recommendation("ids", "; ".join(sentences))


def hindsight(results: Results) -> str:
    """How what a race showed goes together with what is recommended before anybody knows the means.

    The policy recommended is the one that `recommend` names for the same structure and horizon.
    """
    problem = results.problem
    advised = recommend(problem.feedback, problem.upper, float(results.horizon)).policy
    fair = [name for name in results.policies if name not in clairvoyant(results)]
    if not fair or not problem.gaps.any():
        return f"If you do not know the means, {advised} is recommended."
    means = dict(zip(results.policies, results.final.mean(axis=1).tolist(), strict=True))
    best = min(fair, key=means.__getitem__)
    if advised == best:
        unfair = len(fair) < len(results.policies)
        least = " lost least of those that are not told the means; it" if unfair else ""
        return f"{advised}{least} is also the policy to choose if you do not know the means."
    warned = cautions(results).get(best, [])
    said = (
        f"Do not choose {display(best)} if you do not know the means ({warned[0]}). "
        if warned
        else ""
    )
    said += f"If you do not know the means, {advised} is recommended"
    if advised not in means:
        return f"{said}; {advised} did not take part."
    extra = means[advised] - means[best]
    return f"{said}; here {advised} lost {short(extra)} more than {display(best)}."


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
            "every action shows the same, so learning costs nothing, and the prior of ids keeps it "
            "from trusting what is seen badly"
        )
    seen = feedback.observes
    own = seen.diagonal()
    weak = np.flatnonzero(~strongly_observable(seen))
    if len(weak):
        who = np.flatnonzero(seen[:, weak].any(axis=1))
        hidden, shown = (some(feedback.labels, actions.tolist()) for actions in (weak, who))
        return (
            f"{hidden} must be looked at through {shown}, and ids pays for that only as long as "
            "the information can repay its price"
        )
    if not own.all():
        blind = some(feedback.labels, np.flatnonzero(~own).tolist())
        it = "it" if own.sum() == len(own) - 1 else "them"
        return f"{blind} cannot be learnt by playing {it}, on which optimism and sampling rely"
    if feedback.is_bandit:
        return "on a bandit, ids mostly loses less than Thompson sampling"
    return "ids plays what shows most for its price, not only what may be best"


def _remarks(
    feedback: Feedback, upper: float, horizon: float | None, budget: float | None
) -> list[str]:
    said = []
    if horizon is not None and horizon < _least_rounds(feedback, upper):
        said.append("but so few rounds cannot tell the actions apart, whatever the policy")
    if horizon is not None and feedback.uniform_sigma is not None:
        proved = guarantees.minimax(feedback, upper, horizon, budget=budget)
        if not proved.vacuous:
            # `minimax` has such a bound, and mostly not the least one: `commit` or `index` have it.
            said.append(
                "if a proved bound on the worst case matters more, sl.sandwich names a policy that "
                "has one"
            )
    return said


def _least_rounds(feedback: Feedback, upper: float) -> float:
    """Fewer rounds leave some mean with a standard error above `upper`, whatever is played.

    Every action needs the information 1/upper^2, and a play gives each at most what it shows.
    """
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        shown = (upper / np.sqrt(feedback.variance)) ** 2
    slowest = 1 / shown.max(axis=0).min()
    return float(max(slowest, len(feedback) / np.minimum(shown, 1).sum(axis=1).max()))
