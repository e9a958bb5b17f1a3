"""Two policies for reference: `greedy` plays what looks best, `uniform` plays anything.

`greedy` observes every action once, then plays the action with the largest mean so far. On
generalized full information (every variance is finite) its regret is at most a constant, whatever
the horizon [sec:pre]: every play shows every action, and the probability of naming a wrong action
falls exponentially with the number of rounds. If some actions do not show all others, the regret of
`greedy` is linear: it may never look again at an action that looked bad once.

`uniform` plays every action with the same probability. Its regret is T times the average gap, where
T is the number of rounds. This is what it costs not to learn at all.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..compiled import inlined
from ..engine.streams import uniform
from ..setting import Setting
from .parts.argmax import first_largest
from .rule import Prepared, Rule


def prepare(setting: Setting, parameters: Mapping[str, float]) -> Prepared:
    """No parameters, no memory, no assumptions."""
    return Prepared(np.empty(0), np.empty(0))


def caution_greedy(setting: Setting, parameters: Mapping[str, float]) -> str:
    """Warn unless every action shows every other: only then is `greedy` safe."""
    if setting.feedback.observes.all():
        return ""
    return (
        "its regret may be linear: some actions do not show all others, and one that looked bad "
        "once may never be seen again"
    )


def caution_uniform(setting: Setting, parameters: Mapping[str, float]) -> str:
    """Warn that `uniform` does not learn."""
    return "its regret is linear: it does not learn"


@inlined
def no_update(t, belief, known, parameters, memory, action, why):
    """Nothing to remember."""


@inlined
def choose_greedy(t, belief, known, parameters, memory, stream):
    """The best observer of each action in turn, then the largest mean."""
    if t <= known.observer.size:
        return known.observer[t - 1], 0
    return first_largest(belief.means), 1


@inlined
def choose_uniform(t, belief, known, parameters, memory, stream):
    """Any action, with the same probability."""
    return np.int64(uniform(stream) * known.observer.size), 0


GREEDY = Rule(
    name="greedy",
    summary="observe everything once, then play the largest mean",
    source="Wu, György and Szepesvári 2015, section 2: constant regret on generalized full "
    "information",
    words=("initial", "greedy"),
    defaults={},
    prepare=prepare,
    choose=choose_greedy,
    update=no_update,
    caution=caution_greedy,
)

UNIFORM = Rule(
    name="uniform",
    summary="play every action with the same probability",
    source="a reference line: regret = T times the average gap",
    words=("uniform",),
    defaults={},
    prepare=prepare,
    choose=choose_uniform,
    update=no_update,
    caution=caution_uniform,
)
