"""The loop over rounds as a child would write it, and each policy's rule from its description.

Only the numbers drawn come from the compiled streams. `PLAYERS` has one entry for each registered
policy: a function of (t, past, problem, parameters, luck) that names an action.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from naive.algorithms import Past, asymptotic, means, minimax
from naive.commitment import commit
from naive.covering_players import eps_greedy_lp, ucb_lp
from naive.directed import ao_ids, ids_pm, v_ids
from naive.exp3 import exp3_g, exp3_ix, exp3_wix
from naive.ids import ids
from naive.optimism import index
from naive.phases import minimax_sigma
from naive.streams import stream_words, xoshiro
from naive.tracking import asymptotic_sigma, oracle_lp, ossb
from sidelight import Problem
from sidelight.engine.streams import base_words, normals


class Luck:
    """The policy's own stream, as words and as normals; a policy uses one of the two."""

    def __init__(self, seed: int, replicate: int, size: int) -> None:
        base = base_words(seed, "policy")
        drawn = np.empty(size)
        normals(base, replicate, 0, drawn)
        self.normals = iter(drawn.tolist())
        self.words = xoshiro(stream_words((int(base[0]), int(base[1])), replicate, 0))


Player = Callable[[int, Past, Problem, Mapping[str, float], Luck], int]


def precision(problem: Problem, i: int, j: int) -> float:
    """1/variance, at most 10^12/upper^2, 0 where nothing is seen."""
    variance = problem.feedback.variance[i, j]
    if math.isinf(variance):
        return 0.0
    most = 1e12 / problem.upper**2
    return most if variance == 0 else min(1 / variance, most)


def observer(problem: Problem, j: int) -> int:
    """Who shows j best: j itself among equals, else the first."""
    every = range(len(problem))
    best = max(precision(problem, i, j) for i in every)
    good = [i for i in every if precision(problem, i, j) == best]
    return j if j in good else good[0]


def first_best(values: list[float]) -> int:
    """The first place of the largest value."""
    return values.index(max(values))


def greedy(t: int, past: Past, problem: Problem, _: Mapping[str, float], __: Luck) -> int:
    """One look at each action, then the largest mean."""
    return observer(problem, t - 1) if t <= len(problem) else first_best(means(past))


def uniform(_: int, __: Past, problem: Problem, ___: Mapping[str, float], luck: Luck) -> int:
    """Any action."""
    return int((next(luck.words) >> 11) / 2**53 * len(problem))


def indices(t: int, past: Past, exploration: float) -> list[float]:
    """theta-hat + sqrt(exploration log t / n); infinite before the first look."""
    pairs = zip(means(past), past.information, strict=True)
    wide = exploration * math.log(t)
    return [mean + math.sqrt(wide / n) if n else math.inf for mean, n in pairs]


def ucb_n(t: int, past: Past, problem: Problem, parameters: Mapping[str, float], _: Luck) -> int:
    """One look at each action, then the largest index."""
    if t <= len(problem):
        return observer(problem, t - 1)
    return first_best(indices(t, past, parameters["exploration"]))


def ucb_maxn(t: int, past: Past, problem: Problem, parameters: Mapping[str, float], _: Luck) -> int:
    """The largest mean among those who show the largest index well."""
    if t <= len(problem):
        return observer(problem, t - 1)
    k = first_best(indices(t, past, parameters["exploration"]))
    best = max(precision(problem, i, k) for i in range(len(problem)))
    estimates = [
        mean if i == k or precision(problem, i, k) >= parameters["quality"] * best else -math.inf
        for i, mean in enumerate(means(past))
    ]
    return first_best(estimates)


def ts_n(_: int, past: Past, problem: Problem, parameters: Mapping[str, float], luck: Luck) -> int:
    """The largest of one posterior sample for each action."""
    n0 = parameters["prior"] / problem.upper**2
    samples = []
    for n, s in zip(past.information, past.sums, strict=True):
        mean = (s + n0 * problem.upper / 2) / (n + n0)
        samples.append(mean + next(luck.normals) / math.sqrt(n + n0))
    return first_best(samples)


def ts_maxn(
    _: int, past: Past, problem: Problem, parameters: Mapping[str, float], luck: Luck
) -> int:
    """The largest posterior mean among those who show the largest sample well."""
    k = ts_n(_, past, problem, parameters, luck)
    n0 = parameters["prior"] / problem.upper**2
    best = max(precision(problem, i, k) for i in range(len(problem)))
    looks = []
    for i, (n, s) in enumerate(zip(past.information, past.sums, strict=True)):
        good = i == k or precision(problem, i, k) >= parameters["quality"] * best
        looks.append((s + n0 * problem.upper / 2) / (n + n0) if good else -math.inf)
    return first_best(looks)


PLAYERS: dict[str, Player] = {
    "ids": ids,
    "v-ids": v_ids,
    "ids-pm": ids_pm,
    "ao-ids": ao_ids,
    "asymptotic": asymptotic,
    "asymptotic-sigma": asymptotic_sigma,
    "minimax": minimax,
    "minimax-sigma": minimax_sigma,
    "ossb": ossb,
    "oracle-lp": oracle_lp,
    "ucb-n": ucb_n,
    "ucb-maxn": ucb_maxn,
    "ts-n": ts_n,
    "ts-maxn": ts_maxn,
    "eps-greedy-lp": eps_greedy_lp,
    "ucb-lp": ucb_lp,
    "exp3-g": exp3_g,
    "exp3-ix": exp3_ix,
    "exp3-wix": exp3_wix,
    "commit": commit,
    "index": index,
    "greedy": greedy,
    "uniform": uniform,
}


def noise_of(problem: Problem, seed: int, replicate: int, size: int) -> list[Iterator[float]]:
    """For each action the normals of its stream."""
    found = []
    for j in range(len(problem)):
        drawn = np.empty(size)
        normals(base_words(seed, "noise"), replicate, j, drawn)
        found.append(iter(drawn.tolist()))
    return found


Values = list[tuple[int, float, float]]  # action, precision, precision times value


def shown(problem: Problem, action: int, noise: list[Iterator[float]]) -> Values:
    """What a play shows."""
    found = []
    for j in range(len(problem)):
        weight = precision(problem, action, j)
        if weight > 0:
            sd = math.sqrt(problem.feedback.variance[action, j])
            found.append((j, weight, weight * (float(problem.means[j]) + sd * next(noise[j]))))
    return found


def play(
    problem: Problem,
    policy: tuple[str, Mapping[str, float]],
    horizon: int,
    run: int | tuple[int, int],
    delay: int = 0,
    rounded: Sequence[int] = (),
) -> list[int]:
    """The actions of a run: a seed with the number of a replicate, or a seed for its first.

    What a play shows comes `delay` rounds later. Where the rule calls several actions equal to
    within rounding, it takes that of `rounded`.
    """
    name, parameters = policy
    seed, replicate = run if isinstance(run, tuple) else (run, 0)
    K = len(problem)
    noise = noise_of(problem, seed, replicate, horizon)
    luck = Luck(seed, replicate, K * horizon)
    past = Past([0] * K, [0.0] * K, [0.0] * K, [0.0] * K, {"horizon": horizon, "late": False})
    actions: list[int] = []
    under_way: list[Values] = []
    for t in range(1, horizon + 1):
        action = PLAYERS[name](t, past, problem, parameters, luck)
        if rounded and rounded[t - 1] in past.notes.pop("equals", ()):
            action = rounded[t - 1]
        actions.append(action)
        past.plays[action] += 1
        under_way.append(shown(problem, action, noise))
        came = under_way[0] if t > delay else []
        past.notes["late"] = delay > 0 and bool(under_way[-1] or came)
        if t > delay:
            for j, weight, value in under_way.pop(0):
                past.information[j] += weight
                past.sums[j] += value
        for j in range(K):
            past.pending[j] = sum(w for values in under_way for k, w, _ in values if k == j)
    return actions
