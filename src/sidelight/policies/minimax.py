"""Algorithm 2: successive elimination that pays for weakly observable survivors [alg:minimax].

The idea. The policy plays in batches. After each batch it drops the actions that are surely worse
than another one; the others survive. Strong batches play survivors only. A survivor that no
survivor shows must be looked at through other actions: weak batches pay for this, but only while
the survivor was seen less often than a limit (gamma) that grows like t^(2/3).

Symbols. A is the set of survivors, A^S the survivors that some survivor shows, A^W the other
survivors, [K] the set of all K actions. n_i is the number of observations of action i, by plays of
any action; theta-hat_i is their average. t is the number of rounds before the batch, sigma the
standard deviation of observations, D the end of the range [0, D] of the means, and delta the
probability with which the guarantee may fail. For sets A and A' of actions, c(A, A') is the
distribution c on A that maximises the smallest coverage; m(A, A') is the value reached:

    m(A, A') = max over c of the min over i in A' of the sum of c_j over the j in A that show i

In batch r = 1, 2, ...

    alpha_r = the least m([K], A^W) so far, 1 while no A^W was nonempty                    [line 4]
    gamma   = (sigma alpha_r t / D)^(2/3)
    weak    if A^W is not empty, and its least n_i is below gamma and below that of A^S:
            c = c([K], A^W)                                                             [lines 5-6]
    strong  else c = c(A, A^S)                                                            [line 8]
    empty   else, if A^S is empty, c plays the survivor with the best mean
    play each action i ceil(c_i ||c||_0) times; ||c||_0 is the number of nonzero c_i      [line 10]
    keep i if theta-hat_i + g_i >= max over j in A of theta-hat_j - g_j,                 [line 12]
            g_i = sigma sqrt(2 log(8 K^2 (r + 1)^3 / delta) / n_i)
    final   a single survivor is played from then on                                [lines 13-15]

Our reading: n_i counts observations, where the formula of the paper counts plays; c(A, A') sums
over j in A only. What the paper leaves free: of all maximisers c we take the one with the least
estimated regret, then the least (c_0, c_1, ...). It is a vertex; points inside a face have more
nonzero entries and longer batches. The paper says nothing about an empty A^S; any c on A keeps its
proof. The last batch is cut at the horizon. A batch is played in the order of actions.

c(A, A') is the covering program of `programs.tableau` with unit costs, divided by its sum. The
program is solved when A changes, and, if several c are optimal, also when the estimates ask for
another one. ceil has a slack of 1e-7: a solver's 1.0000000002 must not become 2.

The parameter: `delta=0`; 0 stands for 1/horizon, or for 0.01 if the horizon is unknown.

Memory: r, t, alpha, the current action with its reason and its plays left, an earlier width
g sqrt(n); then survivors and both programs with their batches and bases. `update` does all the work
when a batch ends. Late observations count from the next batch on. An action never seen is kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..belief import precisions
from ..compiled import compiled, inlined, merged
from ..engine.contract import START
from ..engine.intrinsics import apart, borrowed, sqrt
from ..errors import InputError
from ..programs.basis import index, is_unique, prices_hold, room, solve_plan
from ..setting import Setting
from .needs import Need
from .parts.argmax import best_survivor, largest_bound
from .rule import Prepared, Rule

WORDS = ("strong", "weak", "empty", "final")
STRONG, WEAK, EMPTY, FINAL = range(4)

# places in memory; `ROUND` is 0 by the contract
ROUND, BEFORE, ALPHA, ACTION, WHY, LEFT, ALIVE, WEAKLY, UNIQUE_S, UNIQUE_W, WIDTH, HEADER = range(
    12
)
# blocks of K numbers after the header, then the two stores
SURVIVOR, GAPS, PLAN, FIRST, OTHER, NEED_S, COST_S, BATCH_S, NEED_W, COST_W, BATCH_W, BLOCKS = (
    range(12)
)

CEIL_SLACK = 1e-7
ZERO = 1e-9  # a probability below this counts as 0


def prepare(setting: Setting, parameters: Mapping[str, float], name: str = "minimax") -> Prepared:
    """Accept one variance and 0 < delta < 1; delta = 0 is 1/horizon, or 0.01 without a horizon."""
    sigma = setting.feedback.uniform_sigma or 0.0
    delta = parameters["delta"]
    if delta == 0:
        delta = 0.01 if setting.rounds is None else 1 / max(2, setting.rounds)
    if not 0 < delta < 1:
        raise InputError(
            f"{name}:delta={delta:g} must lie between 0 and 1: it is the probability with which "
            "the guarantee may fail (0 stands for 1/horizon)"
        )
    K = len(setting.feedback)
    memory = np.zeros(HEADER + BLOCKS * K + 2 * room(K))
    memory[LEFT] = 1.0  # of batch 0, which nobody plays
    memory[ALIVE] = K
    memory[HEADER : HEADER + K] = 1.0
    most = precisions(setting.feedback, setting.upper).max()
    numbers = np.array([sigma, delta, most])
    return Prepared(numbers, memory, {"delta": delta})


@inlined
def _block(memory: Any, which: int, K: Any) -> Any:
    return memory[HEADER + which * K : HEADER + (which + 1) * K]


_room = inlined(room)


@inlined
def _store(memory: Any, which: int, K: Any) -> Any:
    first = HEADER + BLOCKS * K + which * _room(K)
    return memory[first : first + _room(K)]


@inlined
def _width(parameters: Any, r: Any, K: Any) -> Any:
    """sqrt(2 log(8 K^2 r^3 / delta)), or 0 if observations are exact."""
    if parameters[0] == 0.0:
        return 0.0
    return sqrt(2.0 * math.log(8.0 * K * K * r * r * r / parameters[1]))


@inlined
def _bar(belief: Any, survivor: Any, width: Any) -> Any:
    """The largest lower confidence bound among survivors."""
    bar = largest_bound(belief.means, belief.errors, survivor, 1.0, width)
    # means of exact values differ by rounding only
    return bar if width > 0.0 else bar - 1e-12 * abs(bar)


@inlined
def _all_stay(belief: Any, survivor: Any, width: Any) -> Any:
    """Whether the least upper confidence bound among survivors is not below the bar.

    A survivor never seen has an infinite error and is kept; 0 times infinity is NaN, and a
    comparison with NaN keeps the survivor, too.
    """
    least = -largest_bound(belief.means, belief.errors, survivor, -1.0, width)
    return not least < _bar(belief, survivor, width)


@inlined
def _eliminate(belief: Any, parameters: Any, memory: Any) -> bool:
    """Drop survivors that are worse by the confidence rule; whether there were any [line 12].

    Widths grow with r. So if an earlier width, which is stored, drops nobody, this one does not.
    """
    K = belief.means.size
    survivor = _block(memory, SURVIVOR, K)
    if _all_stay(belief, survivor, memory[WIDTH]):
        return False
    memory[WIDTH] = width = _width(parameters, memory[ROUND], K)
    if _all_stay(belief, survivor, width):
        return False
    bar = _bar(belief, survivor, width)
    for j in range(index(K)):
        if survivor[j] != 0.0 and belief.means[j] + width * belief.errors[j] < bar:
            survivor[j] = 0.0
            memory[ALIVE] -= 1.0
    return True


@compiled
def _solve(known: Any, memory: Any, which: int) -> float:
    """Solve a program, fill in its batch [alg:minimax, line 10]; return 1/m(A, A'), its sum."""
    K = known.observer.size
    cost, store = _block(memory, COST_S + 3 * which, K), _store(memory, which, K)
    plan, batch = _block(memory, PLAN, K), _block(memory, BATCH_S + 3 * which, K)
    solve_plan(
        known, _block(memory, NEED_S + 3 * which, K), cost, _block(memory, GAPS, K), store, plan
    )
    memory[UNIQUE_S + which] = is_unique(known, cost, store, _block(memory, FIRST, K))
    total, kept, support = 0.0, 0.0, 0
    for i in range(K):
        total += plan[i]
    for i in range(K):
        if plan[i] >= ZERO * total:
            kept += plan[i]
            support += 1
    for i in range(K):
        share = plan[i] / kept * support if plan[i] >= ZERO * total else 0.0
        batch[i] = math.ceil(share - CEIL_SLACK) if share > 0.0 else 0.0
    return total


@merged
def _regroup(known: Any, parameters: Any, memory: Any) -> None:
    """Set up both programs for a new set of survivors, and alpha_r [alg:minimax, line 4]."""
    K = known.observer.size
    unit = parameters[2]
    survivor, gaps = _block(memory, SURVIVOR, K), _block(memory, GAPS, K)
    need_s, need_w = _block(memory, NEED_S, K), _block(memory, NEED_W, K)
    cost_s, cost_w = _block(memory, COST_S, K), _block(memory, COST_W, K)
    weakly = 0.0
    for j in range(K):
        cost_s[j] = 1.0 if survivor[j] != 0.0 else np.inf
        cost_w[j] = 1.0
        need_s[j] = need_w[j] = gaps[j] = 0.0
        if survivor[j] != 0.0:
            need_w[j] = unit
            for i in range(K):
                if survivor[i] != 0.0 and known.precision[i, j] > 0.0:
                    need_s[j], need_w[j] = unit, 0.0
            weakly += need_w[j] > 0.0
    memory[WEAKLY] = weakly
    for which in range(2):
        memory[UNIQUE_S + which] = 0.0
        _store(memory, which, K)[0] = -1.0
    if weakly > 0:
        m = 1.0 / _solve(known, memory, np.int64(1))
        memory[ALPHA] = m if memory[ALPHA] == 0.0 else min(memory[ALPHA], m)


@inlined
def _compare(belief: Any, memory: Any) -> None:
    """Fill in the estimated gaps, the second cost of both programs; 0 for actions never seen."""
    gaps = _block(memory, GAPS, belief.means.size)
    best = -np.inf
    for j in range(index(gaps.size)):
        if belief.errors[j] < np.inf:
            best = max(best, belief.means[j])
    for j in range(index(gaps.size)):
        gaps[j] = best - belief.means[j] if belief.errors[j] < np.inf else 0.0


@inlined
def _is_leader(belief: Any, action: Any) -> bool:
    """Whether all actions were seen and the mean of this action is above all others."""
    means, errors = belief.means, belief.errors
    top, rivals = means[action], 0
    for j in range(index(means.size)):
        rivals += (means[j] >= top) | (errors[j] == np.inf)
    return rivals == 1


@inlined
def _stands(belief: Any, memory: Any, why: int) -> Any:
    """Whether the stored batch is, without a search, known to be that of the best maximiser."""
    store = _store(memory, why, belief.means.size)
    # second case: one action is enough, and no other action has so little regret
    return memory[UNIQUE_S + why] != 0.0 or (
        store[0] == 1.0 and _is_leader(belief, index(store[1]))
    )


@merged
def _plan(belief: Any, known: Any, memory: Any, why: int) -> None:
    """Make the stored batch of c(A, A^S) or c([K], A^W) that of the best maximiser."""
    if _stands(belief, memory, why):
        return
    K = known.observer.size
    store, cost = _store(memory, why, K), _block(memory, COST_S + 3 * why, K)
    _compare(belief, memory)
    first, other = _block(memory, FIRST, K), _block(memory, OTHER, K)
    if store[0] < 0.0 or not prices_hold(known, cost, _block(memory, GAPS, K), store, first, other):
        _solve(known, memory, why)


@inlined
def _branch(belief: Any, known: Any, parameters: Any, memory: Any) -> int:
    """The kind of the next batch: strong, weak, empty or final [alg:minimax, lines 5-8, 13]."""
    if memory[ALIVE] == 1.0:
        return FINAL
    if memory[WEAKLY] == 0.0:
        return STRONG
    K = known.observer.size
    need_s, need_w = _block(memory, NEED_S, K), _block(memory, NEED_W, K)
    least_s, least_w = np.inf, np.inf
    for j in range(index(K)):
        if need_s[j] > 0.0:
            least_s = min(least_s, belief.information[j])
        elif need_w[j] > 0.0:
            least_w = min(least_w, belief.information[j])
    gamma = (parameters[0] * memory[ALPHA] * memory[BEFORE] / known.upper) ** (2.0 / 3.0)
    if least_w < least_s and np.rint(least_w / parameters[2]) < gamma:
        return WEAK
    return STRONG if memory[ALIVE] > memory[WEAKLY] else EMPTY


@inlined
def _next_action(memory: Any, K: Any, first: Any) -> bool:
    """Go to the next action of a batch, from action `first` on; False if there is none."""
    batch = _block(memory, BATCH_S + 3 * np.int64(memory[WHY]), K)
    for i in range(index(first), index(K)):
        if batch[i] > 0.0:
            memory[ACTION], memory[LEFT] = i, batch[i]
            return True
    return False


@compiled
def _begin(given: Any, memory: Any) -> None:
    """Start batch memory[ROUND] after t rounds; before all batches but the first, eliminate."""
    t, belief, known, parameters = borrowed(given)
    memory = borrowed(memory)
    memory[BEFORE] = t
    if memory[ROUND] == 1.0 or _eliminate(belief, parameters, memory):
        _regroup(known, parameters, memory)
    why = _branch(belief, known, parameters, memory)
    memory[WHY] = why
    if why >= EMPTY:
        memory[ACTION] = best_survivor(belief.means, _block(memory, SURVIVOR, belief.means.size))
        memory[LEFT] = 1.0 if why == EMPTY else np.inf
    else:
        _plan(belief, known, memory, why)
        _next_action(memory, known.observer.size, 0)


_begin_apart = apart(_begin)


@inlined
def _again(belief: Any, memory: Any, why: int) -> Any:
    """Whether `_begin` would make the same strong batch again: mostly so, and a call is slow."""
    return (
        why == STRONG
        and memory[WEAKLY] == 0.0
        and _all_stay(belief, _block(memory, SURVIVOR, belief.means.size), memory[WIDTH])
        and _stands(belief, memory, STRONG)
    )


@inlined
def choose(t, belief, known, parameters, memory, stream):
    """The next play of the batch."""
    return np.int64(memory[ACTION]), np.int64(memory[WHY])


@inlined
def promise(memory, most):
    """Take all plays of the action but the last off the batch: they depend on no new value."""
    times = np.int64(min(memory[LEFT] - 1.0, most))
    memory[LEFT] -= times
    return times


@inlined
def update(t, belief, known, parameters, memory, action, why):
    """Take the play off the batch; at the end of the batch, make the next batch."""
    memory[LEFT] -= 1.0
    if memory[LEFT] > 0.0:
        return
    K = known.observer.size
    if START < why < EMPTY and _next_action(memory, K, memory[ACTION] + 1.0):
        return
    memory[ROUND] += 1.0
    if _again(belief, memory, why):
        memory[BEFORE] = t
        _next_action(memory, K, 0.0)
    else:
        _begin_apart((t, belief, known, parameters), memory)


MINIMAX = Rule(
    name="minimax",
    summary="eliminates by confidence and pays to see survivors: the paper's second algorithm",
    source="Wu, Gyorgy and Szepesvari 2015, Algorithm 2",
    words=WORDS,
    defaults={"delta": 0.0},
    prepare=prepare,
    choose=choose,
    update=update,
    promise=promise,
    rounds=True,
    starts=True,
    needs=(Need.UNIFORM,),
)
