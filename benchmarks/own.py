"""How fast policies of the caller are: in Python and compiled, as ratios inside one run.

    before     the readable loop over a `Player`, which copies the belief in every round; races were
               played so, and traces still are
    after      a race: the policy reads the arrays of the engine
    many       the same with `choose_many`, 128 replicates at once
    compiled   examples/own_compiled_policy.py, and the functions of `ucb-n` itself taken for a
               policy of the caller, beside the built-in `ucb-n`

Figures are processor time of the fastest of several runs, taken in turns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import sidelight as sl
from sidelight.belief import Beliefs
from sidelight.gallery import from_recipe
from sidelight.player import Player
from sidelight.policies import own, registry
from sidelight.policies.specification import Specification
from sidelight.simulate.own import play
from sidelight.simulate.source import Source
from sidelight.simulate.stage import revealed, set_stage

ROUNDS, REPEATS = 2_000, 7
LONG = 200_000
RECIPES = (
    "bandit:actions=10",
    "full-information:actions=10",
    "bandit:actions=100,gap=0.005",
)
EXAMPLE = Path(__file__).parent.parent / "examples" / "own_compiled_policy.py"

Say = Callable[[str], object]


class Trivial:
    """Always the first action."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        """Nothing to think about."""
        return 0


class TrivialMany(Trivial):
    """The same for many replicates."""

    def choose_many(self, beliefs: Beliefs, rngs: Sequence[np.random.Generator]) -> Any:
        """A row of zeros."""
        return np.zeros(len(beliefs), dtype=np.int64)


class Optimist:
    """UCB as a user would write it."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        """The largest index."""
        t = belief.rounds + 1
        if t <= len(belief):
            return t - 1
        return int((belief.means + np.sqrt(2 * np.log(t) / belief.information)).argmax())


class OptimistMany(Optimist):
    """The same for many replicates."""

    def choose_many(self, beliefs: Beliefs, rngs: Sequence[np.random.Generator]) -> Any:
        """The largest index of every row."""
        t = beliefs.rounds + 1
        if t <= beliefs.means.shape[1]:
            return np.full(len(beliefs), t - 1)
        return (beliefs.means + np.sqrt(2 * np.log(t) / beliefs.information)).argmax(axis=1)


def seconds(*calls: Callable[[], object]) -> list[float]:
    """Processor seconds of the fastest run of each, in turns."""
    best = [np.inf] * len(calls)
    for _ in range(REPEATS):
        for number, call in enumerate(calls):
            start = time.process_time()
            call()
            best[number] = min(best[number], time.process_time() - start)
    return best


def readable(problem: sl.Problem, policy: object) -> None:
    """One replicate by the loop over a `Player`."""
    player = Player(policy, revealed(problem, ROUNDS))
    source = Source(set_stage(problem, ROUNDS, 0), 0)
    for _ in islice(play(player, source), ROUNDS):
        pass


def in_python(say: Say) -> None:
    """Rounds per second of a trivial and of a UCB policy."""
    say("policy    K    feedback             before       after        many   times before\n")
    for recipe in RECIPES:
        problem = from_recipe(recipe)
        for one, many in ((Trivial(), TrivialMany()), (Optimist(), OptimistMany())):
            race = partial(sl.simulate, problem, horizon=ROUNDS, threads=1, checkpoints=[])
            slow, fast, all_at_once = seconds(
                partial(readable, problem, one),
                partial(race, one, replicates=1),
                partial(race, many, replicates=128),
            )
            rates = ROUNDS / slow, ROUNDS / fast, 128 * ROUNDS / all_at_once
            shown = "".join(f"{rate:12,.0f}" for rate in rates)
            times = f"{rates[1] / rates[0]:9.1f} {rates[2] / rates[0]:7.1f}"
            name, kind = type(one).__name__, recipe.split(":")[0]
            say(f"{name:9} {len(problem):<4} {kind:16} {shown} {times}\n")


def compiled(say: Say) -> None:
    """Rounds per second of compiled policies of the caller beside `ucb-n`."""
    same = own.find(replace(registry.rule("ucb-n"), name="same-as-ucb-n"))
    example = own.find(f"{EXAMPLE.name}:OPTIMIST", EXAMPLE.parent)
    say("\npolicy                          K    feedback            rounds/s   time of ucb-n\n")
    for recipe in RECIPES:
        problem = from_recipe(recipe)
        chosen: tuple[Specification, ...] = (registry.parse("ucb-n"), same, example)
        race = partial(sl.simulate, problem, horizon=LONG, replicates=2, threads=1, checkpoints=[])
        calls = [partial(race, policy) for policy in chosen]
        for call in calls:
            call()
        times = seconds(*calls)
        for policy, took in zip(chosen, times, strict=True):
            rate, ratio = 2 * LONG / took, took / times[0]
            kind = recipe.split(":")[0]
            say(f"{policy!s:31} {len(problem):<4} {kind:16} {rate:12,.0f} {ratio:12.2f}x\n")


def main() -> None:
    """Print both tables."""
    in_python(sys.stdout.write)
    compiled(sys.stdout.write)


if __name__ == "__main__":
    main()
