"""The largest index, which changes only at some counts: optimism with a computed worst case.

Let n_i be the number of values seen of action i, s_1 < s_2 < ... counts that rise by five per cent,
b_k widths that fall. The policy plays the action with the largest index

    U_i = min over s_k <= n_i of (average of the first s_k values of i) + b_k,

infinite before the first value: then actions are played in turn. The widths are

    b(s) = sigma sqrt((2 a/s) (log+(T/(K s)) + c))

with a and c by the number of actions (`bounds.index_proof`): close to the index of MOSS (Audibert
and Bubeck 2009), but the smallest of all indices so far. Because U_i changes at few counts, and
only falls, its worst case can be computed: `guarantees.index` is a bound over all means in the
range, and its certificate holds the counts and the widths that this policy uses.

The index of an action falls only when the action is seen. So every action must show itself. The
theorem is for one variance. What other actions show makes n_i grow faster, and only helps.

Where values come late, several counts may be passed at once; then the average of all values counts,
with the width of the last count passed, and the guarantee does not hold.

Memory: the action of the next round, its reason, how many plays until some index may change; then
for each action its index, and how many counts it has passed. Parameters: the precision of a value,
then for each count the information that reaches it, then the widths.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from ..belief import precisions
from ..bounds.index_proof import schedule_for
from ..compiled import inlined
from ..setting import Setting
from .needs import Need
from .rule import Prepared, Rule

WORDS = ("initial", "optimism")
INITIAL, OPTIMISM = range(2)
ACTION, WHY, LEFT, HEADER = range(4)  # places in the memory


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Counts and widths, those of the guarantee."""
    T = Fraction(setting.rounds or 1)
    schedule = schedule_for(setting.feedback, Fraction(setting.upper), T)
    precision = float(precisions(setting.feedback, setting.upper).max())
    # Half a value of room for the rounding of sums.
    needs = (np.array(schedule.counts, dtype=float) - 0.5) * precision
    widths = np.array([float(b) for b in schedule.widths])
    K = len(setting.feedback)
    memory = np.zeros(HEADER + 2 * K)
    memory[LEFT] = 1.0
    memory[HEADER : HEADER + K] = np.inf
    return Prepared(np.concatenate([[precision], needs, widths]), memory)


@inlined
def choose(t, belief, known, parameters, memory, stream):
    """The largest index, as the last update found it."""
    return np.int64(memory[ACTION]), np.int64(memory[WHY])


@inlined
def promise(memory, most):
    """All plays of the action until some index may change."""
    times = np.int64(min(memory[LEFT] - 1.0, most))
    memory[LEFT] -= times
    return times


@inlined
def _renew(j, belief, parameters, memory):
    """Pass the counts that action j has reached, and lower its index."""
    K = belief.means.size
    m = (parameters.size - 1) // 2
    place = np.int64(memory[HEADER + K + j])
    passed = place
    while passed < m and belief.information[j] >= parameters[1 + passed]:
        passed += 1
    if passed > place:
        memory[HEADER + K + j] = passed
        index = belief.means[j] + parameters[m + passed]
        memory[HEADER + j] = min(memory[HEADER + j], index)


@inlined
def _left(j, belief, parameters, memory):
    """How many more values of action j its next count takes."""
    m = (parameters.size - 1) // 2
    place = np.int64(memory[HEADER + belief.means.size + j])
    if place >= m:
        return np.inf
    return max(1.0, np.ceil((parameters[1 + place] - belief.information[j]) / parameters[0]))


@inlined
def update(t, belief, known, parameters, memory, action, why):
    """Renew the indices, and find the largest; of actions never seen, the one least played."""
    K = belief.means.size
    best = -np.inf
    for j in range(K):
        _renew(j, belief, parameters, memory)
        index = memory[HEADER + j]
        fewer = index == np.inf and belief.plays[j] < belief.plays[np.int64(memory[ACTION])]
        if index > best or (index == best and fewer):
            best = index
            memory[ACTION] = j
    i = np.int64(memory[ACTION])
    memory[WHY] = INITIAL if best == np.inf else OPTIMISM
    memory[LEFT] = np.inf
    for k in range(known.start[i], known.start[i + 1]):
        memory[LEFT] = min(memory[LEFT], _left(known.shown[k], belief, parameters, memory))


INDEX = Rule(
    name="index",
    summary="the largest optimistic average; its worst case is computed",
    source="sidelight, decision 008; after Audibert and Bubeck 2009, Minimax policies for "
    "adversarial and stochastic bandits",
    words=WORDS,
    defaults={},
    prepare=prepare,
    choose=choose,
    update=update,
    promise=promise,
    needs=(Need.SELF_OBSERVATION, Need.UNIFORM, Need.HORIZON),
)
