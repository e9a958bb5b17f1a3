"""Feedback from random graphs: some drawn once, one replaced by its average.

A drawn graph decides who shows whom, with variance sigma^2 on every edge and loop; its means are
drawn too. The same seed gives the same problem.

If instead the edge i -> j appears anew in each round with probability G_ij, the information that
playing i gives about j is G_ij / sigma^2 on average. The fixed variance with the same average is

    variance[i, j] = sigma^2 / G_ij.
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError, choose_from
from ..feedback import Feedback
from ..problem import Problem
from ..variances import Array, BoolArray
from .parameters import MAX_SIGMA, at_least, between, check_actions, ladder, on_graph

SHAPES = ("star", "ring", "loopless")


def random_precisions(
    shape: str = "star",
    actions: int = 5,
    probability: float = 0.25,
    gap: float = 0.1,
    sigma: float = 1.0,
) -> Problem:
    """Edges that come and go, replaced by their average: variance sigma^2 / edge probability.

    With p = `probability`, in the shape "star" action 0 shows each action with p and the others
    show themselves with 1 - p; in the "ring" each action shows the next with p and the previous one
    with 1 - p; in "loopless" action i shows, of the others, the odd ones with p/(i+1) and the even
    ones with 1 - p/(i+1). The means fall in steps of `gap` from action 1 on, and action 0 is last.
    """
    check_actions(actions, 3)
    between("probability", probability, 1e-9, 1)
    if shape not in SHAPES:
        raise InputError(f"unknown shape {shape!r}; {choose_from(shape, SHAPES)}")
    variance = np.full((actions, actions), np.inf)
    G = _edge_probabilities(shape, actions, probability)
    scale = between("sigma", sigma, 0, MAX_SIGMA) ** 2
    np.divide(scale, G, out=variance, where=G > 0)
    return Problem(Feedback(variance), np.roll(ladder(actions, gap), 1))


def _edge_probabilities(shape: str, K: int, p: float) -> Array:
    itself = np.eye(K)
    if shape == "star":
        G = (1 - p) * itself
        G[0] = p
        return G
    if shape == "ring":
        return p * np.roll(itself, 1, axis=1) + (1 - p) * np.roll(itself, -1, axis=1)
    odd = np.arange(K) % 2 == 1
    q = p / np.arange(1, K + 1)[:, None]
    return np.where(odd, q, 1 - q) * (1 - itself)


def erdos_renyi(
    actions: int = 20, probability: float = 0.2, sigma: float = 1.0, seed: int = 0
) -> Problem:
    """Each action shows itself, and every other one with the same probability.

    A directed random graph; the means are uniform on [0, 1]. The larger `probability`, the fewer
    actions need to be played: regret falls about like 1/probability.
    """
    check_actions(actions, 1)
    between("probability", probability, 0, 1)
    rng = np.random.default_rng(at_least("seed", seed, 0))
    observes = rng.random((actions, actions)) < probability
    return on_graph(_with_loops(observes), _uniform(rng, actions), sigma)


def preferential_attachment(
    actions: int = 100, links: int = 2, sigma: float = 1.0, seed: int = 0
) -> Problem:
    """A network with few hubs: newcomers link to actions that already have many links.

    Each newcomer picks `links` of the earlier actions with probability proportional to their number
    of links. An action shows itself and its neighbours; the means are uniform on [0, 1].
    """
    rng = np.random.default_rng(at_least("seed", seed, 0))
    observes = _attach(actions, links, rng)
    return on_graph(observes, _uniform(rng, actions), sigma)


def planted_partition(
    actions: int = 100,
    groups: int = 5,
    inside: float = 0.3,
    across: float = 0.01,
    sigma: float = 1.0,
    seed: int = 0,
) -> Problem:
    """Communities: links are likely inside a group and rare across groups.

    `groups` groups of nearly equal size; an undirected link has probability `inside` or `across`.
    An action shows itself and its neighbours; the means are uniform on [0, 1].
    """
    check_actions(actions, 1)
    at_least("groups", groups, 1)
    between("inside", inside, 0, 1)
    between("across", across, 0, 1)
    rng = np.random.default_rng(at_least("seed", seed, 0))
    group = np.arange(actions) * min(groups, actions) // actions
    probability = np.where(group[:, None] == group, inside, across)
    above = np.triu(rng.random((actions, actions)) < probability, 1)
    return on_graph(_with_loops(above | above.T), _uniform(rng, actions), sigma)


def social(actions: int = 100, links: int = 2, sigma: float = 1.0, seed: int = 0) -> Problem:
    """A social network: a person's mean is the average taste of that person and all friends.

    Tastes are uniform on [0, 1] and the network grows by preferential attachment, each newcomer
    making `links` friends. Promoting to a person shows the response of the friends too. Averaging
    draws the means of well connected people together, so the best usually has few friends.
    """
    rng = np.random.default_rng(at_least("seed", seed, 0))
    friends = _attach(actions, links, rng)
    means = friends @ rng.random(actions) / friends.sum(axis=1)
    return on_graph(friends, np.round(means, 6), sigma)


def _uniform(rng: np.random.Generator, actions: int) -> Array:
    return np.round(rng.random(actions), 6)  # short enough to read in a file


def _with_loops(observes: BoolArray) -> BoolArray:
    return observes | np.eye(len(observes), dtype=bool)


def _attach(actions: int, links: int, rng: np.random.Generator) -> BoolArray:
    """Grow the network from `links` + 1 actions that are all linked to each other."""
    start = at_least("links", links, 1) + 1
    check_actions(actions, start)
    linked = np.zeros((actions, actions), dtype=bool)
    linked[:start, :start] = True
    degree = np.zeros(actions)
    degree[:start] = links
    for new in range(start, actions):
        old = rng.choice(new, size=links, replace=False, p=degree[:new] / degree[:new].sum())
        linked[new, old] = linked[old, new] = True
        degree[old] += 1
        degree[new] = links
    return _with_loops(linked)
