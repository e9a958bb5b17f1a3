"""What the actions of a problem show, one play at a time, from the simulator's random streams.

source.play(action)      the values that a play shows, drawn now
source.arrivals()        the plays whose values come in this round, the latest play first
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..engine.contract import Floats
from ..engine.delays import next_delay
from ..engine.draws import no_noise
from ..engine.runner import begin, show
from ..engine.streams import stream_words
from .stage import Stage


class Letter(NamedTuple):
    """What a play showed: its round, its action, and values; NaN where it shows nothing."""

    round: int
    action: int
    values: Floats


class Source:
    """The values of one replicate, as the compiled loop draws them and lets them come."""

    def __init__(self, stage: Stage, replicate: int) -> None:
        self._stage, self.t = stage, 0
        self.noise = no_noise(len(stage.problem))
        begin(self.noise, stage.noise, replicate)
        self._waits = stream_words(stage.delay.base, replicate, 0)
        self._under_way: dict[int, list[Letter]] = {}  # by the round in which they come

    def play(self, action: int) -> Floats:
        """The values that the action shows; NaN where it shows nothing."""
        stage = self._stage
        self.t += 1
        seen = np.full(len(stage.problem), np.nan)
        show(action, stage.world, stage.known, self.noise, seen)
        late = next_delay(stage.delay, self._waits) if stage.delay.longest >= 0 else 0
        self._under_way.setdefault(self.t + late, []).append(Letter(self.t, action, seen))
        return seen

    def arrivals(self) -> list[Letter]:
        """What comes in this round."""
        return self._under_way.pop(self.t, [])[::-1]
