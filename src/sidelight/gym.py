"""A problem as a Gymnasium environment: "sidelight/SideObservations-v0".

    import gymnasium
    import sidelight.gym                                    # registers the environment
    env = gymnasium.make("sidelight/SideObservations-v0", problem=problem, horizon=1000)

    action        0 ... K-1
    observation   what the action showed: K floats, NaN where nothing was seen; all NaN at first
    reward        the payoff of the action: its value as seen, if it shows itself
    info          t, the pseudo-regret <N, gaps> so far, and the gap of the action
    truncated     at the horizon; nothing terminates

The noise is the simulator's: `reset(seed=s)` begins replicate 0 of `simulate(..., seed=s)`, every
later `reset()` the next replicate, so that a policy meets here the very values that it meets there.

The payoff of an action that does not show itself is drawn too, from a stream of its own, with the
least standard deviation at which anything shows that action (the paper's payoff has infinite
variance there). A learner that reads it learns more than the problem allows: sum it up to see
what was earned, and learn from the observations.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np

from .engine.contract import Floats
from .errors import InputError
from .extras import Needs
from .feedback import Feedback
from .gallery import from_recipe
from .problem import Problem, load
from .setting import MAX_HORIZON, whole
from .simulate.simulate import check_problem

with Needs("sidelight.gym", "gym"):
    import gymnasium
    from gymnasium import spaces

ID = "sidelight/SideObservations-v0"
FARTHEST = 14.0  # no normal of `engine.streams` is farther from 0, in standard deviations


class MaskedBox(spaces.Box):
    """A box whose coordinates may be missing: NaN."""

    def contains(self, x: Any) -> bool:
        """Whether every coordinate is within its limits, or NaN."""
        values = np.asarray(x, dtype=float)
        return values.shape == self.shape and super().contains(
            np.where(np.isnan(values), self.low, values)
        )


class SideObservations(gymnasium.Env[Any, Any]):
    """One run of a learner on a problem.

    `problem` is a `Problem`, a file with one, or a recipe of the gallery such as "dosing".
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(self, problem: Problem | str | Path = "dosing", horizon: float = 1000) -> None:
        self.problem = as_problem(problem)
        self.horizon = whole("horizon", horizon, 1, MAX_HORIZON)
        sd = np.sqrt(self.problem.feedback.variance)
        reach = FARTHEST * np.where(np.isfinite(sd), sd, 0.0).max(axis=0)
        # From the range of the means, not from the means: the learner does not know those.
        self.observation_space = MaskedBox(-reach, self.problem.upper + reach, dtype=np.float64)
        self.action_space = spaces.Discrete(len(self.problem))
        self.spec = copy.copy(gymnasium.spec(ID))
        self.spec.kwargs = {"problem": self.problem, "horizon": self.horizon}
        self._key: tuple[int, int] | None = None
        self._values: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin replicate 0 of this seed, or the next replicate of the last one."""
        from .simulate.source import Source  # noqa: PLC0415 - numba takes half a second to import
        from .simulate.stage import set_stage  # noqa: PLC0415

        super().reset(seed=seed)
        if seed is not None:
            self._key = seed, 0
        elif self._key is None:
            self._key = int(self.np_random.integers(2**63)), 0
        else:
            self._key = self._key[0], self._key[1] + 1
        seed, replicate = self._key
        self._values = Source(set_stage(self.problem, 0, seed), replicate)
        bandit = set_stage(payoffs(self.problem), 0, seed, role="payoff")
        self._payoffs = Source(bandit, replicate)
        self._plays = np.zeros(len(self.problem), dtype=np.int64)
        return np.full(len(self.problem), np.nan), {"t": 0, "regret": 0.0}

    def step(self, action: int) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        if self._values is None:
            raise gymnasium.error.ResetNeeded("call reset() before the first step()")
        if not self.action_space.contains(action):
            raise InputError(f"{action!r} is no action: give 0 to {len(self.problem) - 1}")
        seen = self._values.play(int(action))
        reward = float(seen[action])
        if np.isnan(reward):
            reward = float(self._payoffs.play(int(action))[action])
        self._plays[action] += 1
        plays, gaps = self._plays, self.problem.gaps
        t = int(plays.sum())
        info = {"t": t, "regret": float(plays @ gaps), "gap": float(gaps[action])}
        return seen, reward, False, t >= self.horizon, info


def as_problem(given: Problem | str | Path) -> Problem:
    """A problem as it is, from a file, or from the gallery."""
    if isinstance(given, str) and not Path(given).suffix:
        return from_recipe(given)
    return check_problem(load(given) if isinstance(given, str | Path) else given)  # type: ignore[arg-type]


def payoffs(problem: Problem) -> Problem:
    """The bandit in which every action shows itself as well as anything shows it here."""
    least = problem.feedback.variance.min(axis=0)
    variance = np.where(np.eye(len(problem), dtype=bool), least, np.inf)
    return Problem(Feedback(variance, problem.feedback.labels), problem.means, problem.upper)


if ID not in gymnasium.registry:
    # Gymnasium's checker compares observations with ==, and NaN does not equal itself: only of an
    # environment that declares itself nondeterministic does it not ask that. Ours is deterministic.
    gymnasium.register(ID, entry_point=f"{__name__}:SideObservations", nondeterministic=True)
