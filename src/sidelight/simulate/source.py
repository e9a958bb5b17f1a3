"""What the actions of a problem show, one play at a time, from the simulator's random streams."""

from __future__ import annotations

import numpy as np

from ..engine.contract import Floats, Ints
from ..engine.runner import begin, step
from ..engine.streams import base_words
from ..problem import Problem
from .entry import set_stage


class Source:
    """The values of one replicate: as the simulator draws them for the role "noise"."""

    def __init__(self, problem: Problem, seed: int, replicate: int, role: str = "noise") -> None:
        stage = set_stage(problem, 0, seed)
        self._world, self._known, self._actions = stage.world, stage.known, len(problem)
        self._noise, self._data = begin(base_words(seed, role), replicate, self._actions)

    @property
    def plays(self) -> Ints:
        """How many times each action was played."""
        return np.array(self._data.plays)

    def play(self, action: int) -> Floats:
        """The values that the action shows; NaN where it shows nothing."""
        seen = np.full(self._actions, np.nan)
        step(action, self._world, self._known, self._noise, self._data, seen)
        return seen
