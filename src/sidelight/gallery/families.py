"""Small problems whose answers are known: the benchmark families with closed forms.

Each is a matrix of variances (row = action played, column = action observed, inf = nothing seen)
and a vector of means in [0, 1]. With sigma^2 where nothing else is said, the sets S_i of actions
that i shows are

    bandit      {i}             full-information   everything
    loopless    all but i       cycle              {i + 1 mod K}
    star        S_0 everything, S_i = {i}          revealing   S_0 everything, S_i empty

The others grade the noise or arrange the means so that one kind of rule goes wrong.
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..feedback import Feedback
from ..problem import Problem
from .parameters import (
    MAX_SIGMA,
    at_least,
    between,
    check_actions,
    check_gap,
    ladder,
    means_of,
    on_graph,
    with_sigmas,
)

# ---- one standard deviation, different graphs --------------------------------------------------


def bandit(actions: int = 5, gap: float = 0.1, sigma: float = 1.0) -> Problem:
    """Each action shows itself and nothing else.

    The means fall in steps of `gap`. The classical problem: every action has to pay for its own
    exploration, and regret grows like the sum of 2 sigma^2 / gap_i, times log T.
    """
    check_actions(actions, 1)
    return on_graph(np.eye(actions, dtype=bool), ladder(actions, gap), sigma)


def full_information(actions: int = 5, gap: float = 0.1, sigma: float = 1.0) -> Problem:
    """Each action shows all of them, equally well.

    The means fall in steps of `gap`. Nothing has to be explored: playing what looks best has a
    regret that stays bounded.
    """
    check_actions(actions, 1)
    return on_graph(np.ones((actions, actions), dtype=bool), ladder(actions, gap), sigma)


def loopless(actions: int = 5, gap: float = 0.1, sigma: float = 1.0) -> Problem:
    """Each action shows all the others, but not itself.

    The means fall in steps of `gap`. The best action shows every rival for free; only its own mean
    has to be checked by playing another.
    """
    check_actions(actions, 2)
    return on_graph(~np.eye(actions, dtype=bool), ladder(actions, gap), sigma)


def cycle(actions: int = 5, gap: float = 0.1, sigma: float = 1.0) -> Problem:
    """Each action shows only the next one, around a directed cycle.

    The means fall in steps of `gap`. To see an action one has to play its predecessor, so with
    three actions or more the problem is weakly observable: worst-case regret grows like T^(2/3).
    """
    check_actions(actions, 2)
    return on_graph(np.roll(np.eye(actions, dtype=bool), 1, axis=1), ladder(actions, gap), sigma)


def star(actions: int = 8, gap: float = 0.1, hub_gap: float = 0.2, sigma: float = 1.0) -> Problem:
    """A hub shows everything; every other action shows itself alone.

    Action 0 is the hub, `hub_gap` below the best, action 1 is the best, the rest are `gap` below.
    Exploring through the hub pays as long as it costs less than trying the others one by one.
    """
    check_actions(actions, 2)
    observes = np.eye(actions, dtype=bool)
    observes[0] = True
    gaps = [check_gap(hub_gap, what="hub_gap"), 0.0] + [check_gap(gap)] * (actions - 2)
    return on_graph(observes, means_of(gaps), sigma)


def revealing(actions: int = 5, gap: float = 0.2, sigma: float = 1.0) -> Problem:
    """One poor action shows everything; the others show nothing.

    Action 0 earns 0.5 less than the best, which is action 1; the rest are `gap` below it. All
    knowledge is bought at the price of the revealing action: with three actions or more, worst-case
    regret grows like T^(2/3).
    """
    check_actions(actions, 2)
    observes = np.zeros((actions, actions), dtype=bool)
    observes[0] = True
    return on_graph(observes, means_of([0.5, 0.0] + [check_gap(gap)] * (actions - 2)), sigma)


def apple_tasting(gap: float = 0.1, best: int = 1, sigma: float = 1.0) -> Problem:
    """Two actions; the first shows both, the second shows nothing.

    Tasting an apple (action 0, mean 0.5) shows what selling it untasted would have earned. The mean
    of action 1 is `gap` higher if it is `best`, and `gap` lower if action 0 is.
    """
    if best not in (0, 1):
        raise InputError(f"best = {best}: use 0 (tasting is best) or 1 (it is not)")
    rise = check_gap(gap, most=0.5) if best else -check_gap(gap, most=0.5)
    observes = np.array([[True, True], [False, False]])
    return on_graph(observes, [0.5, round(0.5 + rise, 12)], sigma)


def cliques(actions: int = 20, size: int = 5, gap: float = 0.1, sigma: float = 1.0) -> Problem:
    """Disjoint groups; each action shows its own group.

    Groups of `size` consecutive actions (the last one may be smaller). Action 0 is the best, all
    others are `gap` below: every group but the best one's costs as much as one bandit action.
    """
    check_actions(actions, 1)
    group = np.arange(actions) // min(at_least("size", size, 1), actions)
    means = means_of([0.0] + [check_gap(gap)] * (actions - 1))
    return on_graph(group[:, None] == group, means, sigma)


def fano(gap: float = 0.05, sigma: float = 1.0) -> Problem:
    """Seven actions on the lines of the Fano plane: i shows i+1, i+2 and i+4 (mod 7).

    The means fall in steps of `gap`. Three actions are needed to show everything, while fractions
    of actions do it with 7/3 in all: whole and fractional domination differ.
    """
    step = (np.arange(7) - np.arange(7)[:, None]) % 7
    return on_graph(np.isin(step, (1, 2, 4)), ladder(7, gap), sigma)


# ---- several variances -------------------------------------------------------------------------


def het3(sigma: float = 1.0) -> Problem:
    """Three actions that show two of the three, each with its own noise.

    Standard deviations (1, 2, -), (-, 0.5, 1), (3, -, 1.5), times `sigma`.
    """
    sigmas = [[1, 2, np.inf], [np.inf, 0.5, 1], [3, np.inf, 1.5]]
    return with_sigmas(sigmas, [0.7, 0.5, 0.35], sigma)


def graded(actions: int = 6, reach: int = 2, sigma: float = 1.0) -> Problem:
    """Near actions are seen well, far ones badly, and those beyond `reach` not at all.

    The standard deviation is 2^|i - j| up to distance `reach`, times sigma. The means are
    (0.5, 0.45, 0.3, 0.3, 0.2, 0.1); more or fewer actions sample the same curve.
    """
    check_actions(actions, 2)
    position = np.arange(actions)
    distance = np.abs(position - position[:, None])
    between("reach", reach, 0, 100)
    sigmas = np.where(distance <= reach, np.exp2(np.minimum(distance, reach)), np.inf)
    curve = (0.5, 0.45, 0.3, 0.3, 0.2, 0.1)
    return with_sigmas(sigmas, np.interp(np.linspace(0, 5, actions), range(6), curve), sigma)


def slow_but_free(
    actions: int = 5, gap: float = 0.1, slow: float = 20.0, fast: float = 0.5, sigma: float = 1.0
) -> Problem:
    """Every action shows everything: most of them badly, a poor one well.

    Action 0 shows all with standard deviation `fast`, but earns 0.5 less than the best (action 1;
    the rest are `gap` below). The others show themselves with 1 and the rest with `slow`; `sigma`
    multiplies all three. In the long run information is free; within a horizon it is not.
    """
    check_actions(actions, 2)
    sigmas = np.full((actions, actions), between("slow", slow, 0, MAX_SIGMA))
    np.fill_diagonal(sigmas, 1.0)
    sigmas[0] = between("fast", fast, 0, MAX_SIGMA)
    means = means_of([0.5, 0.0] + [check_gap(gap)] * (actions - 2))
    return with_sigmas(sigmas, means, sigma)


def labs(products: int = 2, gap: float = 0.05, sigma: float = 1.0) -> Problem:
    """Products show nothing; three labs, each with its price and precision, show everything.

    The labs measure with variance 0.1, 1 and 10 (times sigma^2) and earn 0, 0.35 and 0.5. The best
    product earns 0.75, the others `gap` less. The lab to use is the one with the smallest product
    of what it costs against the best action and its variance.
    """
    at_least("products", products, 1)
    check_actions(3 + products, 4)
    rest = round(0.75 - check_gap(gap, most=0.75), 12)
    means = [0, 0.35, 0.5, 0.75] + [rest] * (products - 1)
    variance = np.full((3 + products, 3 + products), np.inf)
    scale = between("sigma", sigma, 0, MAX_SIGMA) ** 2
    variance[:3] = scale * np.array([[0.1], [1.0], [10.0]])
    names = [f"lab-{k + 1}" for k in range(3)] + [f"product-{j + 1}" for j in range(products)]
    return Problem(Feedback(variance, names), means)


# ---- means that mislead ------------------------------------------------------------------------


def trap(gap: float = 0.05, sigma: float = 1.0) -> Problem:
    """The second best action is shown only by a bad one, which optimism never plays.

    Action 0 is the best (0.9) and shows itself, action 1 is `gap` below and shows nothing, action 2
    earns 0.2 and shows everything. Playing what could be best leaves action 1 unknown forever.
    """
    second = round(0.9 - check_gap(gap, most=0.9), 12)
    observes = np.array([[True, False, False], [False, False, False], [True, True, True]])
    return on_graph(observes, [0.9, second, 0.2], sigma)


def revealing_tie(sigma: float = 1.0) -> Problem:
    """The revealing action with two best actions, which no amount of data tells apart.

    Regret must stay sublinear, although a rule that waits until the best action is certain would
    pay for the revealing one forever.
    """
    observes = np.zeros((5, 5), dtype=bool)
    observes[0] = True
    return on_graph(observes, [0.2, 0.9, 0.9, 0.4, 0.3], sigma)


def cycle_tie(sigma: float = 1.0) -> Problem:
    """The directed cycle with two best actions, which no amount of data tells apart.

    Action 0 shows action 1, equally good, but action 0 itself is shown only by the worst action.
    """
    return on_graph(np.roll(np.eye(5, dtype=bool), 1, axis=1), [0.6, 0.6, 0.3, 0.2, 0.1], sigma)
