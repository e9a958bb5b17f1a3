"""What nobody can avoid losing, and what one policy never loses more than.

    lower   a lower bound on worst-case regret, the larger of two: that of the search by pairs
            (`bounds.exact_pairs`), or where it is asked for `bounds.minimax_computed`, which also
            searches rows of [thm:lb-0]; and the best closed form (`bounds.minimax`), which needs no
            search and holds with any number of actions and rounds
    upper   the smallest of the guarantees: explore-then-commit (`guarantees.commit`), an index
            where every action shows itself (`guarantees.index`), and Algorithm 2 of the paper
            (`guarantees.minimax`); only of policies that run on the structure. Where none of them
            promises anything: nobody loses more than the whole range in every round

Both hold for every problem with this feedback and means in [0, upper], and both carry their proofs.
Their ratio bounds how much a better policy, or a better proof, could still gain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from . import guarantees
from .bounds.bound import Bound
from .bounds.case import rational_variance
from .bounds.commitment import Exploration
from .bounds.exact_pairs import exact_pairs
from .bounds.inputs import positive
from .bounds.minimax import minimax
from .bounds.minimax_computed import minimax_computed
from .bounds.promise import trivial
from .feedback import Feedback
from .setting import Given, resolved

ANY = "any policy"  # in place of a policy, where nothing better than the trivial bound is proved


@dataclass(frozen=True, eq=False)
class Sandwich:
    """Two bounds on the worst-case regret of the best policy.

    `policy` names the registered policy that keeps the promise of `upper`: "commit" plays each
    action as often as `upper.allocation` says, then the largest average; "index" plays the largest
    optimistic average; "minimax" is the paper's Algorithm 2. Each of them runs on this feedback.
    "any policy" stands for none of them: `upper` is then what can be lost at all.
    """

    lower: Bound
    upper: Bound
    policy: str

    def __repr__(self) -> str:
        lower, upper = self.lower.value, self.upper.value
        return (
            f"<Sandwich: from {lower:.6g} to {upper:.6g} ({self.policy}), ratio {self.ratio:.3g}>"
        )

    @property
    def ratio(self) -> float:
        """How far the policy may be from the best one, at most: inf if no regret is certain."""
        if self.upper.value == 0:
            return 1.0
        return self.upper.value / self.lower.value if self.lower.value > 0 else math.inf

    def check(self) -> bool:
        """Whether both proofs hold."""
        return self.lower.certificate.check() and self.upper.certificate.check()


def sandwich(
    feedback: Given,
    upper: float | None = None,
    horizon: float | None = None,
    *,
    thorough: bool = False,
) -> Sandwich:
    """Lower and upper bound on the regret of the best policy on its worst problem.

    A `Setting` may say the range and the horizon; of a `Problem` the means play no part.

    With `thorough=True` the lower bound is that of `bounds.minimax_computed`, which also searches
    for hard means [thm:lb-0]. That takes longer, and seldom proves more.
    """
    known, upper, horizon = resolved(feedback, upper, horizon, "sandwich")
    policy, least = best_promise(known, upper, horizon)
    return Sandwich(_best_lower(known, upper, horizon, thorough), least, policy)


def _best_lower(feedback: Feedback, upper: float, horizon: float, thorough: bool) -> Bound:
    if thorough:  # it knows the closed forms
        return minimax_computed(feedback, upper, horizon)
    found, closed = exact_pairs(feedback, upper, horizon), minimax(feedback, upper, horizon)
    return closed if closed.valid and closed.value > found.value else found


def best_promise(feedback: Feedback, upper: float, horizon: float) -> tuple[str, Bound]:
    """The smallest guarantee for the worst case, and the policy that runs here and keeps it.

    It is an upper bound on the minimax regret, hence on the worst case of a minimax policy.
    """
    uppers = {
        "commit": guarantees.commit(feedback, upper, horizon),
        "index": guarantees.index(feedback, upper, horizon),
        "minimax": guarantees.minimax(feedback, upper, horizon),
    }
    able = [name for name in uppers if _promises(name, uppers[name], feedback)]
    if not able:
        D, T = positive(upper, "upper", "payoff"), positive(horizon, "horizon", "rounds")
        return ANY, _anything(feedback, D, T, any(bound.stopped for bound in uppers.values()))
    policy = min(able, key=lambda name: uppers[name].value)
    return policy, uppers[policy]


def _promises(name: str, promise: Bound, feedback: Feedback) -> bool:
    """Whether the policy runs on the structure, and promises less than can be lost at all.

    Of `commit` nothing is proved where it has no plan, and the promise of `index` is not valid
    where `index` does not run. Algorithm 2 is promised for plain averages with the largest sigma,
    but the policy `minimax` needs one sigma.
    """
    if name == "minimax" and feedback.uniform_sigma is None:
        return False
    return promise.valid and not promise.vacuous


def _anything(feedback: Feedback, D: Fraction, T: Fraction, stopped: bool) -> Bound:
    """Nobody loses more than the whole range in every round."""
    plan = Exploration(rational_variance(feedback), D, T, (0,) * len(feedback))
    proof = trivial(plan)
    return Bound(
        "trivial guarantee",
        proof.value,
        True,
        "nobody loses more than the whole range in every round; no policy that runs here is proved "
        "to lose less",
        proof,
        method="nobody loses more than the whole range in every round",
        stopped=stopped,
        vacuous=True,
    )
