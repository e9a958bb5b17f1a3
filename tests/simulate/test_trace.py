"""Traces: every round of replicate 0, in memory and in a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import sidelight as sl
from races import ready
from sidelight.policies import registry
from strategies import problems

bandit = sl.gallery("bandit")


class Second:
    """Always action 1."""

    def choose(self, belief: sl.Belief, rng: np.random.Generator) -> int:
        return 1


RACERS = {"ucb-n": "ucb-n", "ts-n": "ts-n", "uniform": "uniform", "own": Second()}


@pytest.mark.parametrize("policy", RACERS.values(), ids=RACERS)
def test_a_trace_is_replicate_0_of_a_race(policy: str | Second) -> None:
    trace = sl.trace(bandit, policy, 400, seed=7)
    results = sl.simulate(bandit, policy, 400, 2, seed=7)
    regret = np.cumsum(bandit.gaps[trace.actions])[results.checkpoints - 1]
    assert results.regret[0, 0] == pytest.approx(regret, rel=1e-12)
    assert results.plays[0, 0].tolist() == np.bincount(trace.actions, minlength=5).tolist()


def test_a_trace_says_what_happened_and_why() -> None:
    trace = sl.trace(bandit, "ucb-n:exploration=1", 50, seed=1)
    assert len(trace) == 50
    assert trace.actions.shape == (50,)
    assert trace.observations.shape == (50, 5)
    assert trace.why == ("initial",) * 5 + ("optimism",) * 45
    assert trace.round is None
    assert trace.parameters == {"exploration": 1.0}
    assert (trace.policy, trace.seed, trace.version) == ("ucb-n:exploration=1", 1, sl.__version__)
    assert "50 rounds" in repr(trace)
    with pytest.raises(ValueError, match="read-only"):
        trace.actions[0] = 3


def test_a_trace_of_an_own_policy() -> None:
    trace = sl.trace(bandit, Second(), 6)
    assert trace.actions.tolist() == [1] * 6
    assert trace.why == ("chosen",) * 6
    assert np.isnan(trace.observations[:, 0]).all()
    assert not np.isnan(trace.observations[:, 1]).any()
    assert (trace.policy, trace.parameters) == ("Second", {})


def test_the_lines_are_as_documented(tmp_path: Path) -> None:
    trace = sl.trace(sl.gallery("dosing"), "greedy", 6, seed=3)
    trace.save(tmp_path / "run.jsonl")
    header, *rounds = map(json.loads, (tmp_path / "run.jsonl").read_text().splitlines())
    assert list(header) == ["sidelight", "problem", "policy", "parameters", "seed", "horizon"]
    assert (header["policy"], header["seed"], header["horizon"]) == ("greedy", 3, 6)
    assert [line["t"] for line in rounds] == list(range(1, 7))
    for t, line in enumerate(rounds):
        assert list(line) == ["t", "action", "observed", "why", "round"]
        seen = {str(j): x for j, x in enumerate(trace.observations[t]) if not np.isnan(x)}
        assert line["observed"] == seen
        assert (line["action"], line["why"]) == (trace.actions[t], trace.why[t])
        assert line["round"] is None


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(problems())
def test_a_file_gives_the_trace_back(tmp_path: Path, problem: sl.Problem) -> None:
    if not 1e-100 <= problem.upper <= 1e100:
        with pytest.raises(sl.InputError, match="choose units"):
            sl.trace(problem, "greedy", 8)
        return
    trace = sl.trace(problem, "greedy", 8, seed=2)
    trace.save(tmp_path / "x.jsonl")
    again = sl.Trace.load(tmp_path / "x.jsonl")
    assert again.problem == trace.problem
    assert again.actions.tobytes() == trace.actions.tobytes()
    assert again.observations.tobytes() == trace.observations.tobytes()
    assert (again.why, again.round) == (trace.why, trace.round)
    assert (again.policy, again.seed, again.version) == (trace.policy, trace.seed, trace.version)
    assert list(again.lines()) == list(trace.lines())


def test_rounds_of_the_policy_survive_a_file(tmp_path: Path) -> None:
    plain = sl.trace(bandit, "greedy", 3)
    fields = {**vars(plain), "round": np.array([1, 1, 2])}
    sl.Trace(**fields).save(tmp_path / "x.jsonl")
    again = sl.Trace.load(tmp_path / "x.jsonl")
    assert again.round is not None
    assert again.round.tolist() == [1, 1, 2]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]\n", "no json\n", '{"problem": {"kind": "bandit", "actions": 2}}\n', "\x00"],
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(sl.InputError, match=r"x\.jsonl"):
        sl.Trace.load(tmp_path / "x.jsonl")


def test_a_cut_or_changed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    sl.trace(bandit, "greedy", 5).save(path)
    lines = path.read_text().splitlines()
    for damaged in (lines[:-1], lines + lines[-1:], [lines[0], *lines[:1:-1]], lines[1:]):
        path.write_text("\n".join(damaged) + "\n")
        with pytest.raises(sl.InputError, match="not a trace"):
            sl.Trace.load(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(sl.InputError, match="UTF-8"):
        sl.Trace.load(path)
    with pytest.raises(sl.InputError, match="cannot be read"):
        sl.Trace.load(tmp_path / "missing.jsonl")
    with pytest.raises(sl.InputError, match="cannot be written"):
        sl.trace(bandit, "greedy", 5).save(tmp_path / "missing" / "x.jsonl")


def test_wrong_arguments_say_what_to_do() -> None:
    with pytest.raises(sl.InputError, match="does not fit in memory"):
        sl.trace(bandit, "greedy", 10**12)
    with pytest.raises(sl.InputError, match="must be at least 1"):
        sl.trace(bandit, "greedy", 0)
    with pytest.raises(sl.InputError, match="needs a Problem"):
        sl.trace(bandit.feedback, "greedy", 5)  # type: ignore[arg-type]
    with pytest.raises(sl.InputError, match="no policy is called"):
        sl.trace(bandit, "gredy", 5)
    with pytest.raises(sl.PolicyError, match="round 1 of replicate 0"):
        sl.trace(sl.Problem(sl.Feedback.bandit(1), [0.5]), Second(), 5)


@pytest.mark.parametrize("name", registry.names())
def test_a_trace_can_be_made_again(name: str) -> None:
    one, two = (sl.trace(bandit, ready(name), 60, seed=5) for _ in range(2))
    assert one.observations.tobytes() == two.observations.tobytes()
    assert one.why == two.why
