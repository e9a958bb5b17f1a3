"""Policies that decide ahead: `update` of round t finds the action of round t + 1.

A decision of such a policy changes its memory (a stored plan, a basis), but `choose` may change
nothing. So `update` decides. `update` stores the decision, together with the number of values seen
so far, and `choose` looks the decision up. If values came after the decision, as late values do in
live use, `choose` decides again, on a copy of the memory.

In the first K rounds (K is the number of actions) the policy plays an observer of each action in
turn. The memory begins with

    EXPLORED    the number of rounds in which the policy explored
    ROUND       the round that was decided
    SEEN        the number of values seen at the decision
    ACTION, WHY the decision: the action and the reason
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled import allocating, inlined
from ...engine.intrinsics import apart

EXPLORED, ROUND, SEEN, ACTION, WHY, AHEAD = range(6)  # places in the memory; more follow
INITIAL = 0  # the reason given for the first K rounds


def decided_ahead(decided: Any, exploring: int, called: bool = True) -> tuple[Any, Any]:
    """`choose` and `update` of the policy that `decided` describes.

    decided((t, belief, known, parameters), memory) returns the action and the reason of round t.
    Rounds whose reason is `exploring` or a larger number count as exploration. A short decision
    is copied into the loop where it is not `called`: a call would cost `asymptotic` a fifth.
    """

    @allocating
    def afresh(given: Any, memory: Any) -> Any:
        return decided(given, memory.copy())

    decide, afresh_apart = apart(decided) if called else decided, apart(afresh)

    @inlined
    def choose(t, belief, known, parameters, memory, stream):
        """The stored decision; if values came after it, a new one."""
        if t <= known.observer.size:
            return known.observer[t - 1], INITIAL
        if memory[ROUND] == t and memory[SEEN] == belief.seen[0]:
            return np.int64(memory[ACTION]), np.int64(memory[WHY])
        return afresh_apart((t, belief, known, parameters), memory)

    @inlined
    def update(t, belief, known, parameters, memory, action, why):
        """Count exploration, then decide the next round and store the decision."""
        if why >= exploring:
            memory[EXPLORED] += 1.0
        if t >= known.observer.size:
            action, why = decide((t + 1, belief, known, parameters), memory)
            memory[ROUND], memory[SEEN] = t + 1, belief.seen[0]
            memory[ACTION], memory[WHY] = action, why

    return choose, update
