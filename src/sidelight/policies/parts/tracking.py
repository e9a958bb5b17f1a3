"""What the policies share that follow the plan of the exact program at the estimated means.

The program (`programs.pairs`) is solved again when the estimates have moved: when some n_j has
grown by the part `refresh` of itself, or some mean has moved by sqrt(refresh) of its standard
error, or another action leads, or t has grown by the part 5 `refresh`. In between, the plan is kept
in the memory, which only `update` writes. (n_j is the information about action j, t the round.)

A policy follows a plan c by playing, of the actions with c_i > 0, the one with the least N_i/c_i,
where N_i is the number of plays of i so far: the action with the least part of its plan done. If it
played the action with the most plays missing, it would play the leader for ever where the leader
shows others slowly: the leader costs nothing, and the plan asks for most plays of the leader.

`Rule.caution` of these policies is about ties. If two best means are equal, every program asks for
infinitely much information. If only worse actions show the two, buying this information makes the
regret linear.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...belief import CAP
from ...compiled import compiled, inlined
from ...engine.contract import Floats
from ...programs.basis import index, room
from ...programs.pairs import WITHIN_BLOCKS
from ...setting import Setting
from ...structure import strongly_observable
from .ahead import AHEAD

# places in memory, after those of a policy that decides ahead
MADE, LEADER, FITS, HEADER = range(AHEAD, AHEAD + 4)
# blocks of K numbers after the header; then the work space of `pairs`, and the basis
THEN_N, THEN_MEAN, PLAN, GAPS, UNIT, PAIR, SOLO, WORK = range(8)

NO_PLAN, TOO_LONG, READY = -1.0, 0.0, 1.0  # values of memory[FITS]
SQUARE = 1e-280  # a gap whose square is smaller is a tie
ZERO = 1e-9  # a part of the plan below this is none
TIE = 1e-6  # ratios that differ by less are equal: early plans often double what was played


def tracking_memory(actions: int) -> Floats:
    """A memory without a plan."""
    store = HEADER + (WORK + WITHIN_BLOCKS) * actions
    memory = np.zeros(store + room(actions))
    memory[store] = -1.0  # no basis is stored
    memory[LEADER] = -1.0
    return memory


def exact_variance(upper: float) -> float:
    """The variance 1/n of a mean that was seen without noise; larger ones have some."""
    return upper**2 / CAP * (1 + 1e-9)


def beware_of_ties(setting: Setting, _: Mapping[str, float]) -> str:
    """A weakly observable action may be tied with one that does not show it.

    Then seeing it costs regret for ever.
    """
    weak = np.flatnonzero(~strongly_observable(setting.feedback.observes))
    if not len(weak):
        return ""
    labels = setting.feedback.labels
    return (
        "if the best means are tied or nearly so, its regret may be linear here: "
        f"{labels[weak[0]]!r} is seen only at a price, and it pays for ever to tell them apart"
    )


@inlined
def block(memory: Any, which: int, K: Any) -> Any:
    """Block number `which` of the memory."""
    return memory[HEADER + which * K : HEADER + (which + 1) * K]


@inlined
def work_space(memory: Any, K: Any) -> Any:
    """Where `pairs.within` works, and the stored basis."""
    work, store = HEADER + WORK * K, HEADER + (WORK + WITHIN_BLOCKS) * K
    return memory[work:store], memory[store:]


@inlined
def leader_and_least(belief: Any, known: Any) -> Any:
    """The action with the best mean, the action with the fewest looks n_j/pmax_j, and its looks."""
    leader, least, looks = index(0), index(0), np.inf
    for j in range(index(known.observer.size)):
        leader = j if belief.means[j] > belief.means[leader] else leader
        count = belief.information[j] / known.precision[index(known.observer[j]), j]
        if count < looks:
            least, looks = j, count
    return np.int64(leader), np.int64(least), looks


@inlined
def is_stale(t: Any, belief: Any, leader: Any, refresh: Any, memory: Any) -> bool:
    """Whether the stored plan must be made again."""
    if memory[LEADER] != leader or t >= (1.0 + 5.0 * refresh) * memory[MADE]:
        return True
    K = belief.means.size
    then, mean = block(memory, THEN_N, K), block(memory, THEN_MEAN, K)
    for j in range(index(K)):
        shift, error = belief.means[j] - mean[j], belief.errors[j]
        if belief.information[j] > (1.0 + refresh) * then[j]:
            return True
        if shift * shift > refresh * error * error:
            return True
    return False


@inlined
def remember(t: Any, belief: Any, leader: Any, memory: Any) -> None:
    """Store the estimates that the plan is made from."""
    K = belief.means.size
    memory[MADE], memory[LEADER] = t, leader
    then, mean = block(memory, THEN_N, K), block(memory, THEN_MEAN, K)
    for j in range(index(K)):
        then[j], mean[j] = belief.information[j], belief.means[j]


@compiled
def keep_plan(plan: Any, kept: Any) -> None:
    """Keep the plan, without entries that are mere rounding."""
    total = 0.0
    for i in range(len(plan)):
        total += plan[i]
    for i in range(len(plan)):
        kept[i] = plan[i] if plan[i] > ZERO * total else 0.0


@inlined
def least_done(plan: Any, plays: Any) -> Any:
    """The first action with the least N_i/c_i, and this ratio, which is infinite without a plan."""
    action, ratio = index(0), np.inf
    for i in range(index(plays.size)):
        if plan[i] > 0.0:
            done = plays[i] / plan[i]
            if done < ratio * (1.0 - TIE):
                action, ratio = i, done
    return np.int64(action), ratio
