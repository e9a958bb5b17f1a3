"""A policy of your own in Python: a class with `choose(self, belief, rng)`.

    sidelight race dosing.toml -p ids -p own_policy.py:EpsilonGreedy:rate=0.05

`belief` is what was learnt so far, one entry for each action: `plays`, `information` (the sum of
1/variance of what was seen), `sums`, `means` (NaN where nothing was seen), and `rounds`. The
numbers in the signature of the constructor are parameters. Nothing else is needed.

`choose_many` is for speed: it decides for several runs at once, with one row for each of them. It
must decide as `choose` does.
"""

import numpy as np


class EpsilonGreedy:
    """Mostly the largest mean, sometimes any action."""

    edition = 1  # raise it when the policy decides otherwise: finished cells are then run again

    def __init__(self, rate: float = 0.1) -> None:
        self.rate = rate

    def caution(self, setting) -> str:
        return "its regret is linear: it explores for ever" if self.rate > 0 else ""

    def choose(self, belief, rng) -> int:
        if belief.information.min() == 0:  # show what was never seen
            return int(belief.feedback.observes[:, belief.information.argmin()].argmax())
        if rng.random() < self.rate:
            return int(rng.integers(len(belief)))
        return int(belief.means.argmax())


class Optimist:
    """The largest upper confidence bound, as `ucb-n`; in Python, and many runs at once."""

    needs = ("needs self-observation",)

    def __init__(self, exploration: float = 2.0) -> None:
        self.exploration = exploration

    def choose(self, belief, rng) -> int:
        t = belief.rounds + 1
        if t <= len(belief):
            return t - 1
        width = np.sqrt(self.exploration * np.log(t))
        return int((belief.means + width / np.sqrt(belief.information)).argmax())

    def choose_many(self, beliefs, rngs):
        t, actions = beliefs.rounds + 1, beliefs.means.shape[1]
        if t <= actions:
            return [t - 1] * len(beliefs)
        width = np.sqrt(self.exploration * np.log(t))
        return (beliefs.means + width / np.sqrt(beliefs.information)).argmax(axis=1)
