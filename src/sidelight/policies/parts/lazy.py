"""A mixture of two actions that is stored, and computed again only when the belief has moved.

`ids` and `v-ids` play a mixture: one action with probability 1 - p, another with probability p.
The mixture takes long to compute and moves slowly. So the mixture is stored, and in most rounds
only the coin is tossed. The mixture is computed again when, since the last computation,

    some n_j has grown by the part `refresh` of itself, or
    some m_j has moved by sqrt(refresh) posterior deviations 1/sqrt(n_j), or
    t has grown by the part 5 `refresh` of itself.

Here t is the number of rounds, and n_j and m_j are the precision and the mean of the posterior of
action j. The posterior includes the prior: `prior` observations with the standard deviation
`upper`, in the middle of the range. Before the mixture is computed the posterior is cut to an
interval about that middle (`cut`), if `range` is not 0: its width is `range` times `upper`, and for
`ids` 2 `margin`/K times `upper` more, where K is the number of actions.
`refresh=0` computes the mixture in every round.

`update` computes and stores the mixture, because `choose` may change nothing. If values came after
the last `update`, `choose` computes the mixture for itself. Where values come late, the values on
their way change with each play, so the mixture is computed after every play that shows something.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...compiled import compiled, inlined
from ...errors import InputError
from ...setting import Setting
from ..rule import LEAST, MOST, Prepared, from_zero, in_range
from .argmax import first_largest
from .cut import cut
from .information_ratio import toss

# places in the memory: the mixture, and the belief that it was computed from
FIRST, SECOND, WEIGHT, LEADER, ROUND, SEEN, BUYER, BLOCK, REFERENCE = range(9)
N0, S0, TAIL, REFRESH, GUARD, EARLY, RANGE, STAKE = range(8)  # places in the parameters
EXPLOIT, LEARN = 0, 1
WIDTH = 100.0  # the largest `range` and `margin`: cuts off less than rounding does
WORDS = ("exploit", "learn")


def prepare(name: str, setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """The parameters as compiled code reads them, and an empty memory."""
    prior = in_range(name, parameters, "prior", LEAST, MOST)
    early = in_range(name, parameters, "early", 0, 1e6)
    limits = {"tail": 1e6, "refresh": 1.0, "guard": 1e6}
    tail, refresh, guard = (from_zero(name, parameters, key, limits[key]) for key in limits)
    n0 = prior / setting.upper**2
    early = early if guard > 0 and setting.rounds else 1.0
    K = len(setting.feedback)
    memory = np.zeros(REFERENCE + 2 * K)
    memory[SEEN] = -1.0
    memory[REFERENCE : REFERENCE + K] = -1.0
    width = parameters["range"]
    if width != 0 and not 1 <= width <= WIDTH:
        raise InputError(
            f"{name}:range={width:g} must be 0 (no cut) or lie between 1 (cut to the range of the "
            f"means) and {WIDTH:g}"
        )
    more = {"margin": 0.0, "stake": 0.0, **parameters}  # `v-ids` has neither
    margin, stake = from_zero(name, more, "margin", WIDTH), from_zero(name, more, "stake", 10.0)
    if width != 0:
        width += 2 * margin / K
    s0 = n0 * setting.upper / 2
    return Prepared(np.array([n0, s0, tail, refresh, guard, early, width, stake]), memory)


@compiled
def posterior(belief: Any, known: Any, parameters: Any, c: Any) -> Any:
    """The precision n and the mean m of every action, the leader, and what `cut` returns.

    The leader is the action with the largest m; of equals, the first. c is the inflation of `ids`.
    """
    K = belief.sums.size
    n, m = np.empty(K), np.empty(K)
    for j in range(K):
        n[j] = belief.information[j] + parameters[N0]
        m[j] = (belief.sums[j] + parameters[S0]) / n[j]
    width = parameters[RANGE]
    upper = known.upper if width != 0.0 else np.inf
    whole = cut(n, m, c, upper, (width - 1.0) / 2.0 * known.upper)
    return n, m, first_largest(m), whole


@inlined
def reason(action, leader):
    """The reason for a play: the leader is played for its mean, others for what they show."""
    return EXPLOIT if action == leader else LEARN


@inlined
def _moved(j, belief, parameters, memory):
    """Whether n_j or m_j has moved too far since the stored mixture was computed."""
    place = np.uint64(REFERENCE)
    K = np.uint64(belief.sums.size)
    n = belief.information[j] + parameters[N0]
    off = belief.sums[j] + parameters[S0] - memory[place + K + j] * n  # n_j times the move
    slack = parameters[REFRESH]
    return n > (1.0 + slack) * memory[place + j] or off * off > slack * n


@inlined
def stale(t, belief, known, parameters, memory, action):
    """Whether the stored mixture must be computed again."""
    i = np.uint64(action)
    first, last = np.uint64(known.start[i]), np.uint64(known.start[i + np.uint64(1)])
    if memory[SEEN] + np.float64(last - first) != belief.seen[0]:
        return True
    if t >= (1.0 + 5.0 * parameters[REFRESH]) * memory[ROUND]:
        return True
    for k in range(first, last):
        if _moved(np.uint64(known.shown[k]), belief, parameters, memory):
            return True
    return False


def make_lazy(plan: Any) -> tuple[Any, Any]:
    """`choose` and `update` of a policy that plays the mixture of `plan`.

    plan(played, belief, known, parameters, memory) returns three things: the mixture (i, j, p) to
    play after `played` rounds, which is j with probability p and else i; the leader; and the
    purchase that the guard found (`guard.purchase`).
    """

    @inlined
    def choose(t: Any, belief: Any, known: Any, parameters: Any, memory: Any, stream: Any) -> Any:
        if memory[SEEN] == belief.seen[0]:
            first, second = np.int64(memory[FIRST]), np.int64(memory[SECOND])
            action = toss(first, second, memory[WEIGHT], stream)
            return action, reason(action, np.int64(memory[LEADER]))
        (first, second, weight), leader, _ = plan(t - 1, belief, known, parameters, memory)
        action = toss(first, second, weight, stream)
        return action, reason(action, leader)

    @compiled
    def refresh(t: Any, belief: Any, known: Any, parameters: Any, memory: Any) -> None:
        """Store the mixture for round t + 1, and the belief that it was computed from."""
        mixture, leader, (buyer, block) = plan(t, belief, known, parameters, memory)
        memory[FIRST], memory[SECOND], memory[WEIGHT] = mixture
        memory[LEADER] = leader
        memory[ROUND], memory[BUYER], memory[BLOCK] = t, buyer, block
        K = known.observer.size
        for j in range(K):
            n = belief.information[j] + parameters[N0]
            memory[REFERENCE + j] = n
            memory[REFERENCE + K + j] = (belief.sums[j] + parameters[S0]) / n

    @inlined
    def update(
        t: Any, belief: Any, known: Any, parameters: Any, memory: Any, action: Any, why: Any
    ) -> None:
        if stale(t, belief, known, parameters, memory, action):
            refresh(t, belief, known, parameters, memory)
        memory[SEEN] = belief.seen[0]

    return choose, update
