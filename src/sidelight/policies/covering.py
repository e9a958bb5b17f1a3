"""Exploration by one linear program: eps-greedy-LP and UCB-LP (Buccapatnam, Eryilmaz, Shroff 2014).

Both policies explore by a plan that is the cheapest way to see everything, whatever the means. With
P_aj the precision (1/variance) with which a play of action a shows action j, the plan is

    z = argmin sum_a z_a    subject to    z >= 0,  sum_a z_a P_aj >= 1  for every action j

If every action a is played z_a times, the information about every action is at least 1; a multiple
of z gives a multiple of the information. The program is solved once. On a graph, the original asks
for one observation of each action instead, which is the same program in other units.

`eps-greedy-lp` first looks at every action. Then, in round t, with theta-hat the weighted means and
c a parameter, it plays

    with probability  eps(t) = min(1, c sum(z) / (d^2 t))   an action drawn from z / sum(z)
    otherwise         argmax theta-hat

d is `gap` times `upper`, and d must be below the smallest gap between the best mean and another
mean. The policy then collects about c log t / d^2 of information about every action. With a larger
d it may stop exploring too early, and the regret is linear.

`ucb-lp` knows the horizon T and works in stages m = 0, 1, ... with a resolution D_m = upper 2^-m,
as the improved UCB of Auer and Ortner (2010) does. In stage m every remaining action gets the
information

    n(m) = 8 log(T 4^-m) / D_m^2

then actions whose mean is more than D_m below the largest are dropped. The information comes from
the plan z if z is cheap, and else from plays of the remaining actions themselves. z is cheap if

    sum(z) upper <= 2 D_m sum_{j remaining} 1/P_jj        then play z n(m), else the least seen

(z also plays bad actions, which cost up to `upper` each; remaining actions cost at most about
2 D_m.) After the last stage, floor(log2(T/e) / 2), or with one action left, the largest mean among
those that remain is played. Every action must show itself.

Both are published with regret bounds for rewards in [0, 1] on graphs, in counts of observations.
Such rewards have a variance of at most 1/4, so that a count N is information 4 N; with this the
constants of the stages are theirs, and the condition for z reads sum(z) <= 2 |remaining| 2^-m. (So
we know them; the text of the paper was not at hand to compare.) Information for counts, and its use
for any variance matrix, are ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..belief import precisions
from ..compiled import compiled, inlined
from ..engine.contract import Floats
from ..engine.streams import uniform
from ..feedback import Feedback
from ..programs import allocate
from ..setting import Setting
from .greedy import no_update
from .needs import Need, UnfitError
from .parts.argmax import first_largest
from .rule import LEAST, MOST, Prepared, Rule, in_range

INITIAL, EXPLORE, EXPLOIT = 0, 1, 2  # words of eps-greedy-lp
BY_PLAN, OWN = 0, 1  # words of ucb-lp; the third is EXPLOIT too
RATE, PLAN = 0, 1  # places in the parameters of eps-greedy-lp: c sum(z)/d^2, sums of z/sum(z)
STAGE = 0  # place in the memory of ucb-lp; then who remains, then how often z was played
NEGLIGIBLE = 1e-9  # of the information that is asked for: left over by the solver


def cover(feedback: Feedback, upper: float) -> Floats:
    """z in units of upper^2: the fewest plays that give every action the information 1/upper^2."""
    precision = precisions(feedback, upper) * upper**2
    K = len(feedback)
    plan = allocate(np.ones(K), precision, np.ones(K)).plan
    kept = np.where(plan * precision.max(axis=1) > NEGLIGIBLE, plan, 0.0)
    enough: Floats = kept / (kept @ precision).min()
    return enough


# ---- eps-greedy-lp -------------------------------------------------------------------------------


def prepare_eps(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Accept any observable structure; the parameter `gap` is needed."""
    if parameters["gap"] == 0:
        raise UnfitError(
            "policy 'eps-greedy-lp' needs a number below the smallest gap between the best mean "
            "and another one, as a part of the range: write eps-greedy-lp:gap=0.1. Use 'ids', "
            "which needs no such thing, where it is unknown"
        )
    gap = in_range("eps-greedy-lp", parameters, "gap", LEAST, 1)
    c = in_range("eps-greedy-lp", parameters, "c", 0, MOST)
    z = cover(setting.feedback, setting.upper)
    return Prepared(np.concatenate([[c * z.sum() / gap**2], np.cumsum(z / z.sum())]), np.empty(0))


def caution_eps(setting: Setting, parameters: Mapping[str, float]) -> str:
    """What happens where the gap is smaller than promised."""
    return (
        f"its regret may be linear where the best mean leads by less than gap = "
        f"{parameters['gap']:g} times the range"
    )


@inlined
def unseen(belief):
    """The first action of which no value came, preferably one of which none is coming; or -1."""
    found = -1
    for j in range(belief.information.size):
        if belief.information[j] == 0.0:
            if belief.pending[j] == 0.0:
                return j
            if found < 0:
                found = j
    return found


@inlined
def choose_eps(t, belief, known, parameters, memory, stream):
    """One look at everything; then an action of the plan, or the largest mean."""
    first = unseen(belief)
    if first >= 0:
        return known.observer[first], INITIAL
    if uniform(stream) * t >= parameters[RATE]:
        return first_largest(belief.means), EXPLOIT
    u = uniform(stream)
    for a in range(known.observer.size):
        if u < parameters[PLAN + a]:
            return np.int64(a), EXPLORE
    return np.int64(known.observer.size - 1), EXPLORE


# ---- ucb-lp --------------------------------------------------------------------------------------


def stages(horizon: int) -> int:
    """How many stages there are: those with T 4^-m >= e."""
    return max(math.floor(math.log2(horizon / math.e) / 2), -1) + 1


def prepare_ucb(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Every action must show itself; the horizon is needed."""
    assert setting.rounds is not None  # setting.check has seen to it
    K = len(setting.feedback)
    z = cover(setting.feedback, setting.upper)
    chosen = np.concatenate([[stages(setting.rounds)], z * setting.upper**2])
    return Prepared(chosen, np.concatenate([[1.0], np.ones(K), np.zeros(K)]))


@inlined
def resolution(memory, known):
    """The resolution D_m of the current stage; the memory counts stages from 1."""
    return known.upper * 2.0 ** (1.0 - memory[STAGE])


@inlined
def asked(memory, known):
    """n(m), the information that stage m asks for."""
    D = resolution(memory, known)
    return 8.0 * math.log(known.horizon * (D / known.upper) ** 2) / (D * D)


@compiled
def remaining(memory: Any, actions: Any) -> Any:
    """How many actions were not dropped."""
    count = 0
    for j in range(actions):
        if memory[1 + j] > 0.0:
            count += 1
    return count


@compiled
def over(parameters: Any, memory: Any, actions: Any) -> Any:
    """Whether all stages are over."""
    return memory[STAGE] > parameters[0] or remaining(memory, actions) == 1


@compiled
def best_remaining(belief: Any, memory: Any) -> Any:
    """The remaining action with the largest mean."""
    action = -1
    for j in range(belief.means.size):
        if memory[1 + j] > 0.0 and (action < 0 or belief.means[j] > belief.means[action]):
            action = j
    return np.int64(action)


@compiled
def cheap(known: Any, parameters: Any, memory: Any) -> Any:
    """Whether the plan z is cheaper than plays of the remaining actions."""
    plan, own = 0.0, 0.0
    for j in range(known.observer.size):
        plan += parameters[1 + j]
        if memory[1 + j] > 0.0:
            own += 1.0 / known.precision[j, j]
    return plan * known.upper <= 2.0 * resolution(memory, known) * own


@compiled
def next_of_plan(need: Any, known: Any, parameters: Any, memory: Any) -> Any:
    """The action that is furthest behind z n(m)."""
    K = known.observer.size
    action, most = 0, -np.inf
    for a in range(K):
        lag = parameters[1 + a] * need - memory[1 + K + a]
        if parameters[1 + a] > 0.0 and lag > most:
            action, most = a, lag
    return np.int64(action)


@compiled
def seek(belief: Any, known: Any, parameters: Any, memory: Any) -> Any:
    """The action to play in the current stage, and the reason."""
    K = known.observer.size
    if over(parameters, memory, K):
        return best_remaining(belief, memory), EXPLOIT
    need = asked(memory, known)
    poorest, least = -1, need
    for j in range(K):
        coming = belief.information[j] + belief.pending[j]
        if memory[1 + j] > 0.0 and coming < least:
            poorest, least = j, coming
    if poorest < 0:  # everything is on its way
        return best_remaining(belief, memory), EXPLOIT
    if cheap(known, parameters, memory):
        return next_of_plan(need, known, parameters, memory), BY_PLAN
    return np.int64(poorest), OWN


@inlined
def choose_ucb(t, belief, known, parameters, memory, stream):
    """The action that the stage asks for; after the last stage, the best remaining action."""
    return seek(belief, known, parameters, memory)


@compiled
def settle(belief: Any, known: Any, parameters: Any, memory: Any) -> None:
    """End every stage that has its information: drop actions worse by its resolution."""
    K = known.observer.size
    while not over(parameters, memory, K):
        need = asked(memory, known)
        for j in range(K):
            if memory[1 + j] > 0.0 and belief.information[j] < need:
                return
        top = belief.means[best_remaining(belief, memory)]
        for j in range(K):
            if belief.means[j] < top - resolution(memory, known):
                memory[1 + j] = 0.0
        memory[STAGE] += 1.0


@inlined
def update_ucb(t, belief, known, parameters, memory, action, why):
    """Count plays for the plan; end the stage if it has its information."""
    if why == BY_PLAN:
        memory[1 + known.observer.size + action] += 1.0
    settle(belief, known, parameters, memory)


SOURCE = (
    "Buccapatnam, Eryilmaz and Shroff 2014, Stochastic bandits with side observations on networks"
)

EPS_GREEDY_LP = Rule(
    name="eps-greedy-lp",
    summary="explores by the cheapest plan that shows everything, ever more rarely",
    source=SOURCE,
    words=("initial", "explore", "exploit"),
    defaults={"gap": 0.0, "c": 5.0},
    prepare=prepare_eps,
    choose=choose_eps,
    update=no_update,
    needs=(Need.GAP,),
    caution=caution_eps,
)

UCB_LP = Rule(
    name="ucb-lp",
    summary="drops actions in stages, which the cheapest plan that shows everything pays for",
    source=SOURCE,
    words=("plan", "own", "exploit"),
    defaults={},
    prepare=prepare_ucb,
    choose=choose_ucb,
    update=update_ucb,
    rounds=True,
    needs=(Need.SELF_OBSERVATION, Need.HORIZON),
)
