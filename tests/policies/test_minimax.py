"""Algorithm 2: refusals, what happens without noise, which batches, and behaviour."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sidelight as sl
from naive.auditor import audit_minimax
from races import noise_free, problem_on
from sidelight.policies import minimax
from sidelight.setting import Setting


@pytest.mark.parametrize(
    ("graph", "means", "plays", "dropped"),
    [
        ("bandit(2)", [0.9, 0.4], [4087, 913], [(1826, 1)]),
        ("bandit(3)", [0.9, 0.5, 0.3], [2827, 1546, 627], [(1881, 2), (3719, 1)]),
        ("cycle(3)", [0.9, 0.5, 0.3], [3746, 627, 627], [(1881, 2)]),
        ("revealing(3)", [0.3, 0.9, 0.5], [627, 4373, 0], [(627, 0)]),
        ("star(3)", [0.3, 0.9, 0.5], [627, 3454, 919], [(627, 0), (2465, 2)]),
        ("loopless(3)", [0.9, 0.5, 0.3], [3489, 1223, 288], [(864, 2), (2734, 1)]),
    ],
)
def test_without_noise(
    graph: str, means: list[float], plays: list[int], dropped: list[tuple[int, int]]
) -> None:
    """Reference values computed by hand-made scripts, before this code existed."""
    trace = noise_free("minimax:delta=0.01", problem_on(graph, means), 5_000)
    assert np.bincount(trace.actions, minlength=len(means)) == pytest.approx(plays, abs=2)
    found: Any = audit_minimax(trace)["dropped"]
    assert [gone for _, gone in found] == [gone for _, gone in dropped]
    assert [t for t, _ in found] == pytest.approx([t for t, _ in dropped], abs=2)


@pytest.mark.parametrize("delta", ["-1", "1", "1.5", "inf"])
def test_delta_is_a_probability(delta: str) -> None:
    with pytest.raises(sl.InputError, match="must lie between 0 and 1"):
        sl.simulate(sl.gallery("bandit"), f"minimax:delta={delta}", 100)


def test_by_default_delta_is_one_over_the_horizon() -> None:
    problem = sl.gallery("bandit")
    own, given = (sl.trace(problem, text, 500) for text in ("minimax", "minimax:delta=0.002"))
    assert own.actions.tolist() == given.actions.tolist()
    for horizon, delta in ((None, 0.01), (1, 0.5), (2, 0.5), (3, 1 / 3), (1000, 0.001)):
        setting = Setting(problem.feedback, problem.upper, horizon)
        assert minimax.prepare(setting, {"delta": 0}).resolved == {"delta": delta}


def test_on_full_information_the_least_regret_is_played() -> None:
    """Every single action is a maximiser c: the estimates decide, and a batch is one play."""
    problem = sl.Problem(sl.Feedback.full_information(4), [0.0, 0.1, 0.9, 0.2])
    trace = sl.trace(problem, "minimax", 2_000)
    assert trace.round is not None
    assert trace.round[:400].tolist() == list(range(1, 401))
    assert (trace.actions[100:] == 2).mean() > 0.99


def test_a_fraction_of_a_play_is_rounded_up() -> None:
    """c([K], [K]) = (.2, .2, .2, .4) gives the plays (1, 1, 1, 2)."""
    observes = np.array([[0, 1, 1, 0], [0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 0]], dtype=bool)
    trace = sl.trace(sl.Problem(sl.Feedback.uniform(observes), [0.5] * 4), "minimax", 5)
    assert trace.actions.tolist() == [0, 1, 2, 3, 3]


def test_a_survivor_that_no_survivor_shows_is_paid_for() -> None:
    problem = problem_on("revealing(3)", [0.3, 0.9, 0.5])
    trace = sl.trace(problem, "minimax", 20_000)
    kinds = {word: trace.why.count(word) for word in minimax.WORDS}
    assert kinds["weak"] > 0
    assert kinds["empty"] > kinds["weak"]
    weak = [why == "weak" for why in trace.why]
    assert set(trace.actions[weak]) == {0}


def test_little_noise_shows_every_kind_of_batch_in_few_rounds() -> None:
    observes = np.zeros((5, 5), dtype=bool)
    observes[0] = True
    problem = sl.Problem(sl.Feedback.uniform(observes, sigma=0.05), [0.2, 0.9, 0.88, 0.86, 0.84])
    trace = sl.trace(problem, "minimax:delta=0.9", 400, seed=1)
    kinds = audit_minimax(trace)["kinds"]
    assert [kinds[kind] > 0 for kind in minimax.WORDS] == [True, True, True, False]  # type: ignore[index]


def test_of_all_ways_to_see_the_hidden_the_fewest_plays_are_taken() -> None:
    """One action shows three, and three that lose less show one each."""
    observes = np.diag([True, True, False, False, False, True, True, True])
    observes[1, [2, 3, 4]] = observes[[5, 6, 7], [2, 3, 4]] = True
    means = [0.1, 0.0, 0.9, 0.88, 0.87, 0.7, 0.7, 0.7]
    problem = sl.Problem(sl.Feedback.uniform(observes, sigma=0.03), means)
    trace = sl.trace(problem, "minimax:delta=0.9", 300, seed=1)
    assert audit_minimax(trace)["kinds"]
    assert {int(i) for i, why in zip(trace.actions, trace.why, strict=True) if why == "weak"} == {1}


@pytest.mark.parametrize(
    ("graph", "means"),
    [
        ("bandit(3)", [0.9, 0.5, 0.3]),
        ("star(3)", [0.3, 0.9, 0.5]),
        ("loopless(3)", [0.9, 0.5, 0.3]),
        ("revealing(3)", [0.3, 0.9, 0.5]),
        ("cycle(3)", [0.9, 0.5, 0.3]),
    ],
)
def test_the_best_action_is_eliminated_as_rarely_as_promised(
    graph: str, means: list[float]
) -> None:
    """At most delta = 5 % of 1,000 runs never play the best action in their second half.

    The events of the proof fail with probability delta / 3 at most, so that 50 of 1,000 would be
    seven standard deviations too many; none is what is seen.
    """
    problem = problem_on(graph, means)
    half = 10_000
    results = sl.simulate(problem, "minimax:delta=0.05", 2 * half, 1_000, checkpoints=[half])
    early, late = results.regret[0].T
    without = late - early >= half * np.sort(problem.gaps)[1] * (1 - 1e-9)
    assert without.sum() <= 50


def test_giving_up_the_best_action_would_be_noticed() -> None:
    """The count of the test above finds runs that gave up the best action: greedy has many."""
    problem = problem_on("bandit(2)", [0.5, 0.45])
    results = sl.simulate(problem, "greedy", 2_000, 100, checkpoints=[1_000])
    early, late = results.regret[0].T
    assert (late - early >= 1_000 * 0.05 * (1 - 1e-9)).sum() > 10


def test_the_delta_that_is_used_is_written_down() -> None:
    problem = sl.gallery("bandit")
    assert sl.trace(problem, "minimax", 400).parameters == {"delta": 1 / 400}
    assert sl.trace(problem, "minimax:delta=0.2", 400).parameters == {"delta": 0.2}
    raced = sl.simulate(problem, "minimax-sigma", 400, 1).provenance["parameters"]
    assert raced["minimax-sigma"]["delta"] == 1 / 400


@pytest.mark.parametrize("kind", ["bandit", "full-information", "revealing", "star"])
def test_promised_plays_are_those_of_single_rounds(kind: str) -> None:
    """A race makes the rest of a batch in one go, a trace round by round."""
    feedback = sl.gallery(kind).feedback
    problem = sl.Problem(feedback, [*[0.1] * (len(feedback) - 1), 0.9])
    trace = sl.trace(problem, "minimax:delta=0.5", 30_000, seed=4)
    results = sl.simulate(problem, "minimax:delta=0.5", 30_000, 1, seed=4)
    assert trace.why[-1] == "final"
    regret = problem.gaps[trace.actions].cumsum()
    assert results.regret[0, 0] == pytest.approx(regret[results.checkpoints - 1], rel=1e-12)
