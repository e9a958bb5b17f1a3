"""Every policy against its readable twin, with parameters, problems and delays drawn at random.

The tests of each policy compare it on chosen problems; these look where nobody thought of looking.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import sidelight as sl
from naive import random_problems
from naive.loop import play
from races import accepts, traced
from sidelight.engine.delays import fixed
from sidelight.policies import registry

VALUES: dict[str, list[float | str]] = {
    "tail": [1, 1.5, 3],
    "prior": [0.3, 1, 30],
    "refresh": [0, 0.002, 0.1],
    "guard": [0, 1, 3],
    "early": [1, 0.5, 3],
    "range": [0, 1, 1.5],
    "margin": [0, 2],
    "stake": [0, 1, 3],
    "ridge": [0.1, 20],
    "directed": [1],
    "alpha": [0.02, 0.3, 1],
    "a": [0.05, 0.3],
    "b": [0.2, 0.9],
    "program": ["paper"],
    "budget": [0],
    "delta": [0.001, 0.5],
    "version": ["cost"],
    "epsilon": [0.001, 0.3],
    "gamma": [0.5, 3],
    "exploration": [0.1, 1, 5],
    "quality": [0.01, 1],
    "gap": [0.02, 0.3],
    "c": [0.2, 1],
}


@dataclass(frozen=True)
class Case:
    """A run of both."""

    policy: str
    problem: sl.Problem
    horizon: int
    delay: int
    seed: int


Setting = tuple[str, float | str]


def some_policy(name: str, rng: np.random.Generator, wanted: Setting | None) -> str:
    """The policy, with about half of its parameters set, and with the one that is wanted."""
    chosen = {
        key: rng.choice(np.array(VALUES[key], dtype=object))
        for key in registry.rule(name).defaults
        if rng.random() < 0.5 or key == "gap"
    }
    chosen |= dict([wanted]) if wanted else {}
    return name + (":" if chosen else "") + ",".join(f"{key}={x}" for key, x in chosen.items())


def some_problem(rng: np.random.Generator) -> sl.Problem:
    """Any variances or one, with or without self-observation, in any unit.

    No two means tie, and nothing is exact: where actions are equal, rounding decides between them.
    """
    problem = random_problems.problem(int(rng.integers(2**31)), decades=rng.uniform(0, 0.5))
    variance = problem.feedback.variance.copy()
    if rng.random() < 0.5:
        variance[np.isfinite(variance)] = 10 ** rng.uniform(-1.5, 0.5)
    if rng.random() < 0.5:  # not that it would be what shows an action best
        np.fill_diagonal(variance, rng.choice(variance[np.isfinite(variance)], len(variance)))
    unit = 10.0 ** rng.integers(-3, 4)
    return random_problems.scaled(sl.Problem(sl.Feedback(variance), problem.means), unit)


def some_case(name: str, seed: int, wanted: Setting | None = None) -> Case:
    """A case on which the policy may run."""
    rng = np.random.default_rng([registry.names().index(name), seed])
    for _ in range(100):
        policy, problem = some_policy(name, rng, wanted), some_problem(rng)
        horizon, delay = int(rng.integers(30, 400)), int(rng.choice([0, 0, 1, 7, 50]))
        if accepts(policy, problem, horizon):
            return Case(policy, problem, horizon, delay, int(rng.integers(1000)))
    raise AssertionError(f"no problem for {name}")


def differ(case: Case) -> int | None:
    """The first round in which the two play otherwise.

    A race plays the same, in a loop with short cuts; of that the last round only is compared.
    """
    problem, horizon = case.problem, case.horizon
    wait = (lambda s: replace(s, delay=fixed(case.delay))) if case.delay else (lambda s: s)
    found = traced(case.policy, problem, horizon, wait, case.seed).actions.tolist()
    specification = registry.parse(case.policy)
    rule, parameters = specification.rule, specification.parameters
    expected = play(problem, (rule.name, parameters), horizon, case.seed, case.delay, found)
    race = sl.simulate(problem, case.policy, horizon, 1, seed=case.seed, delay=case.delay or None)
    if race.plays[0, 0].tolist() != np.bincount(found, minlength=len(problem)).tolist():
        return horizon
    return next((t for t in range(horizon) if found[t] != expected[t]), None)


everyone = pytest.mark.parametrize("name", registry.names())


def settings(name: str) -> list[Setting | None]:
    """Every value of every parameter twice; and thrice none in particular."""
    given: list[Setting | None] = [
        (key, x) for key in registry.rule(name).defaults for x in VALUES[key]
    ]
    return [None, None, None, *given, *given]


@pytest.mark.parametrize(
    ("name", "place"), [(name, k) for name in registry.names() for k in range(len(settings(name)))]
)
def test_twins_decide_alike_on_anything(name: str, place: int) -> None:
    case = some_case(name, place, settings(name)[place])
    assert differ(case) is None, case


@pytest.mark.campaign
@everyone
def test_twins_decide_alike_on_much(name: str) -> None:
    for seed in range(100, 400):
        assert differ(some_case(name, seed)) is None, some_case(name, seed)
