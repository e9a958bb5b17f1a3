"""Speed against others on a plain bandit, K = 10 Gaussian arms, UCB, in processor time of one run.

river           pull and update of its UCB, the fastest installable peer that has one
NumPy loop      an index policy as the research zoos write it: a class with choice and getReward
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

ARMS = 10
ROUNDS = 10_000


def rate(play: Callable[[int], object]) -> float:
    """Rounds for each processor second, in the fastest of three runs."""
    times = []
    for _ in range(3):
        start = time.thread_time()
        play(ROUNDS)
        times.append(time.thread_time() - start)
    return ROUNDS / min(times)


class IndexPolicy:
    """UCB as a class with vectors, one round at a time."""

    def __init__(self, arms: int) -> None:
        self.t = 0
        self.pulls = np.zeros(arms)
        self.rewards = np.zeros(arms)

    def choice(self) -> int:
        """Each arm once, then the largest index."""
        if self.t < len(self.pulls):
            return self.t
        return int(np.argmax(self.rewards / self.pulls + np.sqrt(2 * np.log(self.t) / self.pulls)))

    def get_reward(self, arm: int, reward: float) -> None:
        """Take in one reward."""
        self.t += 1
        self.pulls[arm] += 1
        self.rewards[arm] += reward


def numpy_loop(rounds: int) -> None:
    """A run of the class above."""
    rng, means = np.random.default_rng(0), np.linspace(0, 0.9, ARMS)
    policy = IndexPolicy(ARMS)
    for _ in range(rounds):
        arm = policy.choice()
        policy.get_reward(arm, means[arm] + rng.standard_normal())


def river_loop(rounds: int) -> None:
    """A run of river's UCB."""
    from river import bandit  # noqa: PLC0415 - only if it is installed

    rng, means = np.random.default_rng(0), np.linspace(0, 0.9, ARMS)
    policy: Any = bandit.UCB(delta=1, seed=0)
    arms = range(ARMS)
    for _ in range(rounds):
        arm = policy.pull(arms)
        policy.update(arm, means[arm] + rng.standard_normal())


def peers() -> dict[str, float]:
    """Rounds a second of each peer that is installed."""
    found = {"NumPy loop": rate(numpy_loop)}
    with contextlib.suppress(ImportError):
        found["river"] = rate(river_loop)
    return found
