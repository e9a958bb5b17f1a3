"""Policies that decide ahead: the action of round t + 1 is found in `update` of round t.

A decision changes the memory of such a policy (a stored plan, a basis), and `choose` must not. So
`update` decides and stores what it decided, together with the number of values seen; `choose` looks
it up. Where values came since, as they do late in live use, `choose` decides afresh, on a copy.

The first K rounds play an observer of each action in turn. The memory begins with

    EXPLORED    rounds in which the policy explored
    ROUND       the round that was decided
    SEEN        values seen when it was
    ACTION, WHY what was decided
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled import compiled, inlined
from ...engine.intrinsics import apart

EXPLORED, ROUND, SEEN, ACTION, WHY, AHEAD = range(6)  # places in the memory; more follow
INITIAL = 0  # the word of the first K rounds


def decided_ahead(decided: Any, exploring: int) -> tuple[Any, Any]:
    """`choose` and `update` for `decided((t, belief, known, parameters), memory)`.

    A word from `exploring` on says that the round explores.
    """

    @compiled
    def afresh(given: Any, memory: Any) -> Any:
        return decided(given, memory.copy())

    decided_apart, afresh_apart = apart(decided), apart(afresh)

    @inlined
    def choose(t, belief, known, parameters, memory, stream):
        """What `update` decided, unless values came since."""
        if t <= known.observer.size:
            return known.observer[t - 1], INITIAL
        if memory[ROUND] == t and memory[SEEN] == belief.seen[0]:
            return np.int64(memory[ACTION]), np.int64(memory[WHY])
        return afresh_apart((t, belief, known, parameters), memory)

    @inlined
    def update(t, belief, known, parameters, memory, action, why):
        """Count exploration and decide the next round."""
        if why >= exploring:
            memory[EXPLORED] += 1.0
        if t >= known.observer.size:
            action, why = decided_apart((t + 1, belief, known, parameters), memory)
            memory[ROUND], memory[SEEN] = t + 1, belief.seen[0]
            memory[ACTION], memory[WHY] = action, why

    return choose, update
