"""Explore by a plan, then commit: a simple policy with a computed worst case.

The policy plays each action j as often as its plan says, n_j, in the order of actions. Then it
plays the action with the largest average, weighed by precision, for the rest of the T rounds. It
does not change its mind, whatever it sees.

The plan is the one that `guarantees.commit` found for this feedback, range and horizon: the plan
whose largest expected regret, over all means in the range, is smallest. So the guarantee is about
this policy, and its certificate is a proof. A plan exists if some plan shows every action within
the horizon, and is looked for if actions are of at most 24 kinds (those that show, and are shown,
alike).

Where values come late, the guarantee does not hold. The policy then waits: after the plan it plays
the largest average so far, until as much was seen of every action as the plan shows.

Memory: the current action, its reason, and its plays left, infinitely many once committed.
Parameters: for each action the plays of the plan, then the information that the plan brings.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..belief import precisions
from ..bounds.promising import SEARCHED, is_planned, planned, too_many_kinds
from ..compiled import inlined
from ..setting import Setting
from .needs import Need, UnfitError
from .parts.argmax import first_largest
from .rule import Prepared, Rule

WORDS = ("explore", "wait", "commit")
EXPLORE, WAIT, COMMITTED = range(3)
ACTION, WHY, LEFT, HEADER = range(4)  # places in the memory

SLACK = 1e-9  # sums of precisions, in any order, differ by less


def refuse(setting: Setting, parameters: Mapping[str, float]) -> None:
    """Refuse a setting without a plan; the search for the best plan takes longer."""
    feedback, T = setting.feedback, setting.rounds or 1
    if is_planned(feedback, setting.upper, float(T)):
        return
    reason = f"none that shows every action and leaves rounds to commit fits into {T:,} rounds"
    if too_many_kinds(feedback):
        reason = f"its plan is looked for only where actions are of at most {SEARCHED} kinds"
    raise UnfitError(f"policy 'commit' has no plan here: {reason}. Use 'ids', which needs none")


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """The plan, and the first action in it."""
    refuse(setting, parameters)
    plays = planned(setting.feedback, setting.upper, float(setting.rounds or 1))
    counts = np.array(plays, dtype=float)
    shown = counts @ precisions(setting.feedback, setting.upper)
    memory = np.zeros(HEADER)
    memory[ACTION] = int(np.argmax(counts > 0))
    memory[WHY], memory[LEFT] = EXPLORE, counts[int(memory[ACTION])]
    if not counts.any():
        memory[WHY], memory[LEFT] = COMMITTED, np.inf
    return Prepared(np.concatenate([counts, shown * (1 - SLACK)]), memory)


@inlined
def choose(t, belief, known, parameters, memory, stream):
    """The next play of the plan, or the action that the policy is committed to."""
    if memory[WHY] == WAIT:  # values may have come since the last update
        return first_largest(belief.means), WAIT
    return np.int64(memory[ACTION]), np.int64(memory[WHY])


@inlined
def promise(memory, most):
    """Take all plays of the action but the last off the plan: they depend on no new value."""
    times = np.int64(min(memory[LEFT] - 1.0, most))
    memory[LEFT] -= times
    return times


@inlined
def _go_on(belief, known, parameters, memory):
    """The next action of the plan; after the plan, commit if all that it shows was seen."""
    K = known.observer.size
    if memory[WHY] == EXPLORE:
        for i in range(np.int64(memory[ACTION]) + 1, K):
            if parameters[i] > 0.0:
                memory[ACTION], memory[LEFT] = i, parameters[i]
                return
    memory[WHY], memory[LEFT] = COMMITTED, np.inf
    for j in range(K):
        if belief.information[j] < parameters[K + j]:
            memory[WHY], memory[LEFT] = WAIT, 1.0
    memory[ACTION] = first_largest(belief.means)


@inlined
def update(t, belief, known, parameters, memory, action, why):
    """Take the play off the plan."""
    memory[LEFT] -= 1.0
    if memory[LEFT] <= 0.0:
        _go_on(belief, known, parameters, memory)


COMMIT = Rule(
    name="commit",
    summary="explore by the plan with the least worst case, then play the largest mean for ever",
    source="sidelight, decision 008; the regret of explore-then-commit is older",
    words=WORDS,
    defaults={},
    prepare=prepare,
    refuse=refuse,
    choose=choose,
    update=update,
    promise=promise,
    needs=(Need.HORIZON,),
)
