"""
A policy of your own
====================

A class with `choose(belief, rng)` races like any other. This one plays the largest mean, and looks
at random now and then; less and less often.
"""

import sidelight as sl


class Curious:
    """With a probability of c/t any action, otherwise the largest mean."""

    def __init__(self, c=20.0):
        self.c = c

    def choose(self, belief, rng):
        unseen = belief.information == 0
        if unseen.any():  # play something that shows what nobody has seen yet
            return int(belief.feedback.observes[:, unseen.argmax()].argmax())
        if rng.random() < self.c / (belief.rounds + 1):
            return int(rng.integers(len(belief)))
        return int(belief.means.argmax())


race = sl.simulate(
    sl.gallery("star"), [Curious(), "ts-n", "ucb-n"], horizon=3_000, replicates=50, seed=1
)
print(race.table())

figure = race.plot(bounds=False, title="a policy in ten lines")
figure
