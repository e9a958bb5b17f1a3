"""Compliance: every round of both algorithms is one that the paper allows, and fakes are caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import sidelight as sl
from naive.auditor import ViolationError, audit_asymptotic, audit_minimax

T = 20_000
FAKED = 6_000


def graph(observes: list[list[int]] | np.ndarray, means: list[float], upper: float) -> sl.Problem:
    """One variance on a graph."""
    return sl.Problem(sl.Feedback.uniform(np.array(observes, dtype=bool)), means, upper)


def random_graph(strong: bool, seed: int) -> sl.Problem:
    """Six actions and random edges; without loops some action is weakly observable."""
    rng = np.random.default_rng(seed)
    observes = rng.random((6, 6)) < 0.3
    np.fill_diagonal(observes, strong)
    for j in np.flatnonzero(~observes.any(axis=0)):
        observes[(j + 1) % 6, j] = True
    problem = graph(observes, np.linspace(0, 3, 6)[rng.permutation(6)].tolist(), 3.0)
    assert sl.structure(problem.feedback).observability == ("strong" if strong else "weak")
    return problem


MEANS = [0.4, 2.0, 1.2, 0.0, 1.6]
STRUCTURES: dict[str, Callable[[], sl.Problem]] = {
    "bandit": lambda: graph(np.eye(5), MEANS, 2.0),
    "full information": lambda: graph(np.ones((5, 5)), [0.1, 0.6, 0.3, 0.0, 0.4], 0.6),
    "star": lambda: graph(np.eye(5) + np.eye(5)[:, :1] @ np.ones((1, 5)), MEANS, 2.0),
    "revealing action": lambda: graph(np.eye(5)[:, :1] @ np.ones((1, 5)), MEANS, 2.0),
    "loopless clique": lambda: graph(1 - np.eye(5), MEANS, 2.0),
    "cycle": lambda: graph(np.roll(np.eye(5), 1, axis=1), MEANS, 2.0),
    "random strong": lambda: random_graph(True, 3),
    "random weak": lambda: random_graph(False, 4),
}
AUDITS = {"asymptotic": audit_asymptotic, "minimax": audit_minimax}

ALGORITHM_1, ALGORITHM_2 = "asymptotic:alpha=2.1", "minimax:delta=0.05"
EAGER = "minimax:delta=0.9"  # eliminates soon

structures = pytest.mark.parametrize("structure", STRUCTURES)
some_structures = pytest.mark.parametrize("structure", ["bandit", "star", "cycle", "random weak"])


@cache
def traced(policy: str, structure: str, horizon: int = T) -> sl.Trace:
    """The trace of one run."""
    return sl.trace(STRUCTURES[structure](), policy, horizon, seed=11)


@structures
def test_algorithm_1_plays_what_it_may(structure: str) -> None:
    branches = audit_asymptotic(traced(ALGORITHM_1, structure))
    assert sum(branches.values()) == T
    assert branches["exploit"] > 0
    assert branches["track"] > 0


@structures
def test_algorithm_2_plays_what_it_may(structure: str) -> None:
    found = audit_minimax(traced(ALGORITHM_2, structure))
    assert found["dropped"]


@structures
@pytest.mark.parametrize("seed", range(3))
def test_the_first_rounds_too(structure: str, seed: int) -> None:
    """Short enough to be read without the compiler."""
    first, second = (
        sl.trace(STRUCTURES[structure](), policy, 150, seed) for policy in (ALGORITHM_1, EAGER)
    )
    assert sum(audit_asymptotic(first).values()) == 150
    assert audit_minimax(second)["kinds"]


def test_forced_exploration_happens_and_is_allowed() -> None:
    problem = graph(np.eye(4), [0.9, 0.8, 0.1, 0.0], 1.0)
    branches = audit_asymptotic(sl.trace(problem, "asymptotic:a=0.5,b=0.99", T, seed=2))
    assert branches["forced"] > 100


def test_forced_exploration_counts_itself() -> None:
    problem = graph(np.eye(4), [0.9, 0.8, 0.1, 0.0], 1.0)
    branches = audit_asymptotic(sl.trace(problem, "asymptotic:a=0.5,b=0.99", 100, seed=2))
    assert branches["forced"] > 5


def test_every_kind_of_batch_happens_and_is_allowed() -> None:
    kinds = [audit_minimax(traced(ALGORITHM_2, name))["kinds"] for name in STRUCTURES]
    for kind in ("strong", "weak", "empty", "final"):
        assert any(found[kind] for found in kinds), kind  # type: ignore[index]


# ---- fakes ---------------------------------------------------------------------------------------


def with_action(trace: sl.Trace, t: int, action: int) -> sl.Trace:
    """Another action in round t, with observations to match."""
    actions, seen = trace.actions.copy(), trace.observations.copy()
    actions[t - 1] = action
    shown = trace.problem.feedback.observes[action]
    seen[t - 1] = np.where(shown, trace.problem.means, np.nan)
    return replace(trace, actions=actions, observations=seen)


def rounds(trace: sl.Trace, word: str) -> list[int]:
    """The rounds of one kind."""
    return [t for t, why in enumerate(trace.why, 1) if why == word]


def caught(policy: str, trace: sl.Trace) -> bool:
    """Does the audit notice?"""
    try:
        AUDITS[policy](trace)
    except ViolationError:
        return True
    return False


@some_structures
@pytest.mark.parametrize("text", [ALGORITHM_1, ALGORITHM_2])
def test_hidden_and_invented_observations_are_caught(text: str, structure: str) -> None:
    trace, policy = traced(text, structure, FAKED), text.partition(":")[0]
    t = 300
    for j in range(len(trace.problem)):
        seen = trace.observations.copy()
        seen[t, j] = 0.5 if np.isnan(seen[t, j]) else np.nan
        assert caught(policy, replace(trace, observations=seen))


@some_structures
def test_another_action_instead_of_the_best_is_caught(structure: str) -> None:
    trace = traced(ALGORITHM_1, structure, FAKED)
    for t in rounds(trace, "exploit")[:: max(1, len(rounds(trace, "exploit")) // 3)]:
        assert caught("asymptotic", with_action(trace, t, (int(trace.actions[t - 1]) + 1) % 5))


@some_structures
def test_a_false_reason_is_caught(structure: str) -> None:
    trace = traced(ALGORITHM_1, structure, FAKED)
    for word, false in (("exploit", "track"), ("track", "exploit")):
        why = list(trace.why)
        why[rounds(trace, word)[-1] - 1] = false
        assert caught("asymptotic", replace(trace, why=tuple(why)))


def test_a_play_that_no_plan_asks_for_is_caught() -> None:
    """Where the best action shows everything no other one is ever behind its plan."""
    trace = traced(ALGORITHM_1, "full information", FAKED)
    t = rounds(trace, "track")[50]
    assert caught("asymptotic", with_action(trace, t, (int(trace.actions[t - 1]) + 1) % 5))


def test_values_that_would_lead_elsewhere_are_caught() -> None:
    for policy, text in (("asymptotic", ALGORITHM_1), ("minimax", ALGORITHM_2)):
        trace = traced(text, "bandit", FAKED)
        shifted = trace.observations + 3.0 * (np.arange(5) == 3)
        assert caught(policy, replace(trace, observations=shifted))


def test_other_parameters_are_caught() -> None:
    trace = traced(ALGORITHM_1, "bandit", FAKED)
    assert caught("asymptotic", replace(trace, parameters={"alpha": 2.2, "a": 0.5, "b": 0.5}))
    trace = traced(ALGORITHM_2, "bandit", FAKED)
    assert caught("minimax", replace(trace, parameters={"delta": 0.5}))


@some_structures
def test_a_batch_with_another_action_is_caught(structure: str) -> None:
    trace = traced(ALGORITHM_2, structure, FAKED)
    K, t = len(trace.problem), 200
    for action in set(range(K)) - {int(trace.actions[t - 1])}:
        assert caught("minimax", with_action(trace, t, action))


def test_playing_on_after_an_elimination_is_caught() -> None:
    trace = traced(ALGORITHM_2, "bandit", FAKED)
    found = audit_minimax(trace)
    time, action = found["dropped"][0]  # type: ignore[index]
    assert caught("minimax", with_action(trace, time + 1, action))


@pytest.mark.parametrize("shift", [-1, 1])
def test_batches_that_begin_elsewhere_are_caught(shift: int) -> None:
    trace = traced(ALGORITHM_2, "star", FAKED)
    assert trace.round is not None
    numbers = trace.round.copy()
    begins = np.flatnonzero(np.diff(numbers))
    place = begins[40] + (1 if shift > 0 else 0)
    numbers[place] = numbers[place] + (-1 if shift > 0 else 1)
    assert caught("minimax", replace(trace, round=numbers))
