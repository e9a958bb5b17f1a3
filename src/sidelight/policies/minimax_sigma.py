"""Algorithm 2 for every observable variance matrix, in two versions.

Symbols. K is the number of actions, T the horizon, D the end of the range [0, D] of the means.
theta-hat_j is the precision-weighted mean of action j, and n_j the information about j: the sum of
1/variance of all observations of j, by plays of any action.

`version=threshold` (the default) ignores observations of a variance above a threshold v. G_v is the
graph of the other observations: G_v = {(i, j): variance_ij <= v}. Of all v with which every action
is still observed, this version takes the one with the least

    sqrt(v kappa_v T)                  if G_v is strongly observable
    (rho_v D v)^(1/3) T^(2/3)          otherwise

where kappa_v is the size of an independent set of G_v, and rho_v that of a set of actions that
shows all weakly observable actions of G_v. Greedy searches find both sets. (If there are more than
48 variances, 48 are tried, evenly spread over their order.) Then Algorithm 2 (`minimax`) runs on
the graph G_v with sigma^2 = v, with two changes: means are weighted by precision, and the
confidence radii are sqrt(2 log(8 K^2 (r + 1)^3/delta)/n_j), where r is the number of the batch and
n_j is all information about j. If all variances are equal, this is Algorithm 2, play by play.

`version=cost` uses no graph. It starts with one look at every action. Then it works in phases, with
a resolution eps that starts at D. Let L = log(K/delta), A the set of survivors, and d_i the gap of
action i to the best survivor.

    keep    a survivor j is dropped if some survivor k with a larger mean has
            (theta-hat_k - theta-hat_j)^2 >= 2 L (1/n_k + 1/n_j)
    phase   make the cheapest plan that brings every survivor to the information 64 L/eps^2 within
            the rounds left. A play costs min(d_i, eps) + eps/4 for a survivor i, and
            min(D, d_i + eps/4) for another action. With this information, `keep` drops survivors
            that are eps/4 or more behind, because 2 L (2/n) is then eps^2/16 = (eps/4)^2.
            The eps/4 in the costs stands for this doubt. The plan is played in quarters, and `keep`
            follows each quarter. If a survivor is dropped, the phase is planned again. At the end
            of the phase, eps is halved.
    hold    if no plan fits, or the plan costs more than eps for each round left, play the best
            survivor for t/8 rounds (t is the number of rounds so far), then try the phase again
    final   a single survivor is played from then on

The parameters, with their defaults: `version=threshold`, or `cost`, which needs a known horizon;
`delta=0`, where 0 stands for 1/horizon. If the horizon is unknown, delta is 0.01, and v is chosen
for T = 10^4.

Nothing is proved: the union bound of the paper counts observations, and information is not a count.
The cost version is our own design. In measurements both versions are cautious: on most problems
they lose many times what the default policy loses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..belief import known as facts_of
from ..compiled import compiled, inlined, merged
from ..engine.contract import Known
from ..engine.intrinsics import apart, borrowed
from ..errors import InputError
from ..feedback import Feedback
from ..programs.basis import index, room
from ..programs.covers import greedy_cover
from ..programs.independent import greedy_independent_set
from ..programs.pairs import WITHIN_BLOCKS, within
from ..setting import Setting
from ..structure import strongly_observable
from . import minimax
from .needs import UnfitError
from .parts.argmax import best_survivor
from .rule import Prepared, Rule

NAME = "minimax-sigma"
WORDS = ("strong", "weak", "empty", "final", "phase", "hold")
FINAL, PHASE, HOLD = 3, 4, 5
VERSION, FIRST = 0, 1  # places in the parameters; FIRST is L of the cost version
GRAPH = 4  # after `minimax`'s three numbers: the precisions of G_v, then start and shown as bits

# places in the memory of the cost version
BATCHES, ACTION, WHY, LEFT, ALIVE, EPS, QUARTER, HEADER = range(8)
SURVIVOR, TOTAL, GAPS, COST, NEED, NOTHING, WORK = range(7)  # blocks of K numbers

CEIL_SLACK = 1e-7
MOST_THRESHOLDS = 48  # each costs two greedy searches
UNKNOWN_HORIZON = 10_000
LOOKS = 5.0  # memory[QUARTER] during the first looks, which are not played in quarters
HALVINGS = 100  # how often eps is halved at once before the policy holds


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """Accept any observable matrix, and 0 <= delta < 1."""
    if parameters["version"] == 0:
        return _prepare_threshold(setting, parameters)
    if setting.rounds is None:
        raise UnfitError(
            f"{NAME}:version=cost needs to know the horizon: give it, or use 'minimax-sigma'"
        )
    delta = parameters["delta"] or 1 / max(2, setting.rounds)
    if not 0 < delta < 1:
        raise InputError(f"{NAME}:delta={delta:g} must lie between 0 and 1 (0 is 1/horizon)")
    K = len(setting.feedback)
    store = HEADER + (WORK + WITHIN_BLOCKS) * K
    memory = np.zeros(store + room(K))
    memory[store] = -1.0  # no basis is stored
    memory[ALIVE], memory[EPS] = K, setting.upper
    memory[LEFT] = 1.0  # of a play before the first phase, which nobody makes
    memory[HEADER : HEADER + K] = 1.0
    numbers = np.array([1.0, math.log(K / delta)])
    return Prepared(numbers, memory, {"delta": delta})


def _prepare_threshold(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """The numbers of `minimax` on G_v, followed by G_v itself."""
    graph = thresholded(setting)
    cut = Setting(graph, setting.upper, setting.rounds)
    inner = minimax.prepare(cut, {"delta": parameters["delta"]}, NAME)
    facts = facts_of(graph, setting.upper)
    # The places are kept as bits of whole numbers: another type in `Known` would be compiled anew.
    places = (x.view(np.float64) for x in (facts.start, facts.shown))
    parts = (inner.parameters, facts.precision.ravel(), *places)
    return Prepared(np.concatenate([[0.0], *parts]), inner.memory, inner.resolved)


def thresholded(setting: Setting) -> Feedback:
    """The graph G_v for the best v, with the variance v for every observation."""
    feedback = setting.feedback
    values = np.unique(feedback.variance[feedback.observes])
    if len(values) == 1:
        return feedback
    if len(values) > MOST_THRESHOLDS:
        values = values[np.linspace(0, len(values) - 1, MOST_THRESHOLDS).astype(int)]
    T = setting.rounds or UNKNOWN_HORIZON
    best, least = float(values[-1]), math.inf
    for v in values.tolist():
        shows = feedback.variance <= v
        if shows.any(axis=0).all():
            weak = ~strongly_observable(shows)
            rate = math.sqrt(v) * math.sqrt(len(greedy_independent_set(shows)) * T)
            if weak.any():
                rate = np.cbrt(len(greedy_cover(shows[:, weak])) * setting.upper * v) * T ** (2 / 3)
            if rate < least:
                best, least = v, rate
    return Feedback(np.where(feedback.variance <= best, best, np.inf), feedback.labels)


# ---- the cost version ----------------------------------------------------------------------------


@inlined
def _block(memory: Any, which: int, K: Any) -> Any:
    return memory[HEADER + which * K : HEADER + (which + 1) * K]


@compiled
def _eliminate(belief: Any, L: float, memory: Any) -> bool:
    """Drop survivors that lose a likelihood ratio test to another; return whether any did."""
    K = belief.means.size
    survivor, worse = _block(memory, SURVIVOR, K), _block(memory, COST, K)
    means, errors = belief.means, belief.errors
    for j in range(K):
        worse[j] = 0.0
        for k in range(K):
            gap = means[k] - means[j]
            if survivor[k] != 0.0 and gap > 0.0:
                doubt = errors[k] * errors[k] + errors[j] * errors[j]
                if gap * gap >= 2.0 * L * doubt:
                    worse[j] = 1.0
    dropped = 0
    for j in range(K):
        if survivor[j] != 0.0 and worse[j] != 0.0:
            survivor[j] = 0.0
            dropped += 1
    memory[ALIVE] -= dropped
    return dropped > 0


@inlined
def _best(belief: Any, memory: Any) -> Any:
    return best_survivor(belief.means, _block(memory, SURVIVOR, belief.means.size))


@compiled
def _fill_phase(belief: Any, known: Any, L: float, memory: Any) -> None:
    """Fill in gaps, costs and missing information of a phase with the resolution memory[EPS]."""
    K = belief.means.size
    survivor, gaps = _block(memory, SURVIVOR, K), _block(memory, GAPS, K)
    cost, need = _block(memory, COST, K), _block(memory, NEED, K)
    eps, top = memory[EPS], belief.means[_best(belief, memory)]
    target = 64.0 * L / (eps * eps)
    for j in range(K):
        gap = max(top - belief.means[j], 0.0) if belief.errors[j] < np.inf else 0.0
        gaps[j], need[j] = gap, 0.0
        if survivor[j] != 0.0:
            cost[j] = min(gap, eps) + eps / 4.0
            need[j] = max(target - belief.information[j], 0.0)
        else:
            cost[j] = min(known.upper, gap + eps / 4.0)


@merged
def _plan_phase(t: Any, belief: Any, known: Any, L: float, memory: Any) -> bool:
    """Plan a phase; halve eps while no information is missing; False if the policy must hold."""
    K = known.observer.size
    cost, total = _block(memory, COST, K), _block(memory, TOTAL, K)
    left = float(known.horizon - t)
    first, end = HEADER + WORK * K, HEADER + (WORK + WITHIN_BLOCKS) * K
    work, store = memory[first:end], memory[end:]
    task = (np.int64(0), 0.0, _block(memory, NOTHING, K), _block(memory, NEED, K))
    for _ in range(HALVINGS):
        _fill_phase(belief, known, L, memory)
        fits = within(known, task, (cost, _block(memory, GAPS, K), left), 0.0, store, work)
        spent, plays = 0.0, 0.0
        for i in range(K):
            spent += work[i] * cost[i]
            total[i] = max(math.ceil(work[i] - CEIL_SLACK), 0.0)
            plays += total[i]
        if not fits or spent > memory[EPS] * left:
            return False
        if plays > 0.0:
            return True
        memory[EPS] *= 0.5
    return False


@inlined
def _next_play(memory: Any, K: Any, first: Any) -> bool:
    """Go to the next action of the quarter, from action `first` on; False if there is none."""
    total, q = _block(memory, TOTAL, K), memory[QUARTER]
    for i in range(index(first), index(K)):
        plays = math.ceil(total[i] * q / 4.0) - math.ceil(total[i] * (q - 1.0) / 4.0)
        plays = total[i] if q == LOOKS else plays
        if plays > 0.0:
            memory[ACTION], memory[LEFT], memory[WHY] = i, plays, PHASE
            return True
    return False


@compiled
def _go_on(given: Any, memory: Any) -> None:
    """Begin the next quarter or the next phase after t rounds."""
    t, belief, known, parameters = borrowed(given)
    memory = borrowed(memory)
    K, L = known.observer.size, parameters[FIRST]
    memory[BATCHES] += 1.0
    if t == 0 and K > 1:
        for j in range(K):
            memory[HEADER + TOTAL * K + known.observer[j]] += 1.0
        memory[QUARTER] = LOOKS
        _next_play(memory, K, 0)
        return
    if t > 0 and _eliminate(belief, L, memory):
        memory[QUARTER] = 0.0
    if memory[ALIVE] == 1.0:
        memory[ACTION], memory[WHY], memory[LEFT] = _best(belief, memory), FINAL, np.inf
        return
    while 0.0 < memory[QUARTER] < 4.0:
        memory[QUARTER] += 1.0
        if _next_play(memory, K, 0):
            return
    if memory[QUARTER] == 4.0:
        memory[EPS] *= 0.5
    memory[QUARTER] = 0.0
    if _plan_phase(t, belief, known, L, memory):
        memory[QUARTER] = 1.0
        _next_play(memory, K, 0)  # the first quarter holds a play of every action of the plan
    else:
        memory[ACTION], memory[WHY] = _best(belief, memory), HOLD
        memory[LEFT] = max(1.0, math.floor(t / 8.0))


_go_on_apart = apart(_go_on)


@merged
def _update_cost(t, belief, known, parameters, memory):
    """Take the play off the quarter; at the end of the quarter, go on."""
    memory[LEFT] -= 1.0
    if memory[LEFT] > 0.0:
        return
    if memory[WHY] != PHASE or not _next_play(memory, known.observer.size, memory[ACTION] + 1.0):
        _go_on_apart((t, belief, known, parameters), memory)


# ---- both ----------------------------------------------------------------------------------------

_update_threshold = merged(minimax.update)  # a level less to compile


@inlined
def choose(t, belief, known, parameters, memory, stream):
    """The next play of the batch or quarter."""
    if parameters[VERSION] == 0.0:
        return minimax.choose(t, belief, known, parameters, memory, stream)
    return np.int64(memory[ACTION]), np.int64(memory[WHY])


@inlined
def update(t, belief, known, parameters, memory, action, why):
    """Update as `minimax` on the graph G_v, or as the cost version."""
    if parameters[VERSION] != 0.0:
        _update_cost(t, belief, known, parameters, memory)
        return
    K = known.observer.size
    start = GRAPH + K * K
    graph = Known(
        parameters[GRAPH:start].reshape((K, K)),
        parameters[start : start + K + 1].view(np.int64),
        parameters[start + K + 1 :].view(np.int64),
        known.observer,
        known.upper,
        known.horizon,
    )
    _update_threshold(t, belief, graph, parameters[FIRST:GRAPH], memory, action, why)


MINIMAX_SIGMA = Rule(
    name=NAME,
    summary="eliminates by confidence and pays to see survivors; any observable structure",
    source="Algorithm 2 of Wu, Gyorgy and Szepesvari 2015 on the observations that are good enough;"
    " the cost version is our own; no theorem covers either",
    words=WORDS,
    defaults={"version": 0.0, "delta": 0.0},
    prepare=prepare,
    choose=choose,
    update=update,
    rounds=True,
    starts=True,
    choices={"version": ("threshold", "cost")},
    edition=2,
)
