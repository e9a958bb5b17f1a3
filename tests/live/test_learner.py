"""A policy in live use decides as in the simulator, and what is said twice counts once."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from races import Fixed, Turns, accepts, friendly, ready
from sampling import thinned
from sidelight.live.learner import Decision
from sidelight.policies import registry
from sidelight.policies.needs import Need
from sidelight.simulate.own import play
from sidelight.simulate.racing import delay_of
from sidelight.simulate.simulate import Plan
from sidelight.simulate.source import Source
from sidelight.simulate.stage import Stage, revealed, set_stage
from sidelight.simulate.wait import wait_of

HORIZON, SEED = 150, 3
PROBLEMS = (
    *("bandit", "full-information", "revealing", "graded"),
    *("loopless", "slow-but-free", "social", "dosing"),
)
LIVE = [name for name in registry.names() if name != "oracle-lp"]
live_policies = pytest.mark.parametrize("name", LIVE)
delays = pytest.mark.parametrize("delay", thinned([None, 3, "geometric:10", 40], 2))

Told = list[tuple[int, str, int | None]]  # action, why, batch


def staged(problem: sl.Problem, delay: Any, horizon: int | None = HORIZON) -> Stage:
    plan = Plan(problem, (), (), HORIZON, 1, SEED, 1, np.array([HORIZON]), wait_of(delay))
    return set_stage(problem, horizon, SEED, delay_of(plan))


def simulated(policy: str, problem: sl.Problem, delay: Any) -> Told:
    player = sl.Player(policy, revealed(problem, HORIZON), seed=SEED)
    rounds = islice(play(player, Source(staged(problem, delay), 0)), HORIZON)
    return [(choice.action, choice.why, choice.batch) for choice, _ in rounds]


def decided(decision: Decision) -> tuple[int, str, int | None]:
    return decision.action, decision.why, decision.batch


def letters(source: Source, labels: Any) -> list[tuple[int, dict[Any, float]]]:
    """What comes in this round: ids, and values by label."""
    return [
        (
            letter.round,
            {labels[j]: x for j, x in enumerate(letter.values.tolist()) if not np.isnan(x)},
        )
        for letter in source.arrivals()
    ]


def driven(learner: sl.Learner, source: Source) -> Told:
    """Ask, and tell what came, as a careful caller would."""
    found = []
    for _ in range(HORIZON):
        decision = learner.ask()
        found.append(decided(decision))
        source.play(decision.action)
        for id_, values in letters(source, learner.setting.labels):
            learner.tell(id_, values)
    return found


def driven_wildly(learner: sl.Learner, source: Source, rng: np.random.Generator) -> Told:
    """Everything is said in parts, and much of it twice; the learner moves now and then."""
    found: Told = []
    said: list[tuple[int, dict[Any, float], str]] = []
    for t in range(HORIZON):
        decision = learner.ask(key=f"ask {t}")
        assert learner.ask(key=f"ask {t}") == decision
        found.append(decided(decision))
        source.play(decision.action)
        for id_, values in letters(source, learner.setting.labels):
            items = list(values.items())
            rng.shuffle(items)
            cut = int(rng.integers(len(items) + 1))
            for part in (dict(items[:cut]), dict(items[cut:])):
                learner.tell(id_, part, key=f"tell {len(said)}")
                said.append((id_, part, f"tell {len(said)}"))
            for k in rng.integers(len(said), size=2):
                id_again, again, key = said[k]
                assert not learner.tell(id_again, again, key=key if rng.random() < 0.5 else None)
        if rng.random() < 0.06:
            learner = sl.Learner.from_json(learner.to_json())
    assert learner.rounds == HORIZON
    return found


@delays
@live_policies
def test_live_decisions_are_those_of_the_simulator(name: str, delay: Any) -> None:
    """Actions, reasons and batches: of a careful caller, and of one who says things twice."""
    policy, raced = ready(name), 0
    for recipe in PROBLEMS:
        problem = sl.gallery(recipe)
        if not accepts(policy, problem, HORIZON):
            continue
        raced += 1
        wanted = simulated(policy, problem, delay)
        stage = staged(problem, delay)
        learner = sl.Learner(problem, policy, horizon=HORIZON, seed=SEED)
        assert driven(learner, Source(stage, 0)) == wanted
        other = sl.Learner(problem, policy, horizon=HORIZON, seed=SEED)
        rng = np.random.default_rng(len(recipe))
        assert driven_wildly(other, Source(stage, 0), rng) == wanted
        race = sl.simulate(problem, policy, HORIZON, 1, seed=SEED, delay=delay)
        assert learner.belief.plays.tolist() == race.plays[0, 0].tolist()
    assert raced >= 2


@live_policies
def test_with_the_seed_and_the_values_of_a_trace_it_plays_the_trace(name: str) -> None:
    for recipe in PROBLEMS:
        problem = sl.gallery(recipe)
        if not accepts(ready(name), problem, HORIZON):
            continue
        trace = sl.trace(problem, ready(name), HORIZON, seed=5)
        learner = sl.Learner(problem, ready(name), horizon=HORIZON, seed=5)
        for t in range(HORIZON):
            decision = learner.ask()
            assert (decision.action, decision.why) == (trace.actions[t], trace.why[t])
            if trace.round is not None:
                assert decision.batch == trace.round[t]
            learner.tell(decision.id, trace.observations[t])


@pytest.mark.parametrize("delay", [None, 3])
@live_policies
def test_a_race_without_a_known_horizon_is_what_a_learner_without_one_does(
    name: str, delay: Any
) -> None:
    problem = friendly()
    if Need.HORIZON in registry.rule(name).needs:
        with pytest.raises(sl.InputError, match="needs to know the horizon"):
            sl.simulate(problem, ready(name), HORIZON, 1, known_horizon=False)
        with pytest.raises(sl.InputError, match="needs to know the horizon"):
            sl.Learner(problem, ready(name))
        return
    learner = sl.Learner(problem, ready(name), seed=SEED)
    driven(learner, Source(staged(problem, delay), 0))
    race = sl.simulate(
        problem, ready(name), HORIZON, 1, seed=SEED, delay=delay, known_horizon=False
    )
    assert learner.belief.plays.tolist() == race.plays[0, 0].tolist()


def three(policy: Any = "uniform", **more: Any) -> sl.Learner:
    feedback = sl.Feedback(
        [[1.0, 4.0, np.inf], [np.inf, 1.0, 1.0], [np.inf] * 3], labels=["a", "b", "c"]
    )
    return sl.Learner(feedback, policy, **more)


def asked_for(learner: sl.Learner, label: str) -> Decision:
    """The next decision for this action."""
    while (decision := learner.ask()).label != label:
        pass
    return decision


def test_an_own_policy_works_and_sees_the_belief() -> None:
    learner = three(Turns())
    assert [learner.ask().label for _ in range(5)] == ["a", "b", "c", "a", "b"]
    assert learner.ask().why == "chosen"
    assert learner.verdict().next == "a"  # a copy was asked
    with pytest.raises(sl.InputError, match="use a built-in policy"):
        learner.to_json()
    with pytest.raises(sl.PolicyError, match="7, which is not an action"):
        three(Fixed(7)).ask()
    with pytest.raises(sl.InputError, match=r"Turns is a class: give an object, Turns\(\)"):
        three(Turns)
    with pytest.raises(sl.InputError, match="no policy is called 'idz'"):
        three("idz")


def test_the_same_key_gives_the_same_answer() -> None:
    learner = three()
    first = learner.ask(key="visit")
    for _ in range(5):
        learner.ask()
    assert learner.ask(key="visit") == first == learner.decision(first.id)
    assert learner.rounds == 6


def test_a_value_counts_once() -> None:
    learner = three()
    decision = asked_for(learner, "a")
    assert learner.tell(decision.id, {"a": 0.5, "b": 2}, key="mail")
    before = learner.to_json()
    assert not learner.tell(decision.id, {"b": 2.0, "a": 0.5}, key="mail")
    assert not learner.tell(decision.id, {"a": 0.5})
    assert not learner.tell(decision.id, [0.5, np.nan, np.nan], last=True)
    assert learner.to_json() == before
    assert learner.belief.information.tolist() == [1.0, 0.25, 0.0]
    assert learner.history.pairs[0, 1].count == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a": 0.25}, r"decision \d+: the value of 'a' was 0.5 and cannot become 0.25"),
        ({"c": 0.1}, "'a' does not show 'c'"),
        ({"z": 0.1}, "no action is called 'z'"),
        ({"b": float("nan")}, "the value of 'b' is nan"),
        ({"b": float("inf")}, "the value of 'b' is inf"),
        ({"b": 10**400}, "the value of 'b' is inf"),
        ({"b": 25.1}, "the value of 'b' is 25.1, more than 12 standard deviations outside"),
        ({"b": -24.1}, r"believed: -24 to 25"),
        ({"b": "1"}, "the value of 'b' is '1', which is no number"),
        ({"b": True}, "which is no number"),
        ({"b": None}, "which is no number"),
        ({("b",): 0.1}, "no action is called"),
        ([0.1, 0.2], "shape"),
        ("ab", "must hold numbers"),
        ([0.5, 0.2, 0.2], "'a' does not show 'c'"),
        ([0.5, np.inf, np.nan], "the value of 'b' is inf"),
    ],
)
def test_what_is_refused_changes_nothing(values: Any, message: str) -> None:
    learner = three()
    decision = asked_for(learner, "a")
    learner.tell(decision.id, {"a": 0.5})
    before = learner.to_json()
    good = {"b": 0.3} | values if isinstance(values, dict) and "b" not in values else values
    for told in (values, good):
        with pytest.raises(sl.InputError, match=message):
            learner.tell(decision.id, told, key="new", last=True)
    assert learner.to_json() == before


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), Decimal("0.5"), Fraction(1, 2)])
def test_any_real_number_is_a_value(value: Any) -> None:
    learner = three()
    decision = asked_for(learner, "a")
    assert learner.tell(decision.id, {"a": value})
    assert learner.history.told[decision.id] == {0: 0.5}


def test_the_edge_of_what_is_believed() -> None:
    learner = three()
    decision = asked_for(learner, "a")
    assert learner.tell(decision.id, {"a": 13.0, "b": -24.0})
    exact = sl.Learner(sl.Feedback.bandit(1, sigma=0.0), "uniform", upper=2.0)
    with pytest.raises(sl.InputError, match="outside"):
        exact.tell(exact.ask().id, {0: 2.0000001})
    assert exact.tell(1, {0: 2.0})


@pytest.mark.parametrize("wrong", [0, -1, 99, "1", 1.0, None, True, "d_1"])
def test_an_unknown_id_is_refused(wrong: Any) -> None:
    learner = three()
    with pytest.raises(sl.InputError, match="nothing was asked yet"):
        learner.tell(1, {})
    learner.ask()
    before = learner.to_json()
    with pytest.raises(sl.InputError, match="no decision has the id"):
        learner.tell(wrong, {})
    assert learner.to_json() == before
    assert not learner.tell(np.int64(1), {})  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["", "x" * 201, 7, "\ud800"])
def test_a_key_that_a_store_could_not_keep_is_refused(key: Any) -> None:
    learner = three()
    decision = asked_for(learner, "a")
    before = learner.to_json()
    for say in (
        lambda: learner.ask(key=key),
        lambda: learner.tell(decision.id, {"a": 0.1}, key=key),
        lambda: learner.record("a", {"a": 0.1}, key=key),
    ):
        with pytest.raises(sl.InputError, match="a key"):
            say()
    assert learner.to_json() == before


def test_a_key_says_one_thing() -> None:
    learner = three()
    one, other = asked_for(learner, "a"), asked_for(learner, "a")
    learner.tell(one.id, {"a": 0.1}, key="mail")
    learner.record("a", {"a": 0.2}, key="mail")  # keys of different verbs have nothing in common
    learner.ask(key="mail")
    before = learner.to_json()
    with pytest.raises(sl.InputError, match="'mail' was used before, to tell something else"):
        learner.tell(other.id, {"a": 0.1}, key="mail")
    with pytest.raises(sl.InputError, match="'mail' was used before, to tell something else"):
        learner.tell(one.id, {"a": 0.1, "b": 0.1}, key="mail")
    with pytest.raises(sl.KeyReusedError, match="a key of its own"):  # and not a contradiction
        learner.tell(one.id, {"a": 0.2}, key="mail")
    with pytest.raises(sl.InputError, match="'mail' was used before, to record something else"):
        learner.record("b", {"b": 0.2}, key="mail")
    assert not learner.record("a", {"a": 0.2}, key="mail")
    assert learner.to_json() == before


def test_what_is_recorded_counts_and_is_no_round() -> None:
    learner = three("greedy", horizon=50)
    assert learner.record("b", {"b": 0.5, "c": 0.7})
    assert learner.record("b", {"b": 0.5, "c": 0.7})
    assert learner.belief.plays.tolist() == [0, 2, 0]
    assert learner.belief.information.tolist() == [0.0, 2.0, 2.0]
    assert (learner.rounds, learner.pending) == (0, {})
    with pytest.raises(sl.InputError, match="no action is called 'z'"):
        learner.record("z", {})
    with pytest.raises(sl.InputError, match="a play of 'c': 'c' does not show 'a'"):
        learner.record("c", {"a": 1.0})


def test_last_ends_the_waiting_and_values_stay_welcome() -> None:
    learner = three(Fixed(0))
    decision = learner.ask()
    assert learner.pending == {1: ("a", "b")}
    assert learner.player.data.pending.tolist() == [1.0, 0.25, 0.0]
    assert learner.tell(decision.id, {"a": 0.5}, last=True)
    assert learner.pending == {}
    assert learner.player.data.pending.tolist() == [0.0, 0.0, 0.0]
    learner.ask()
    assert learner.tell(decision.id, {"b": 0.7})  # it came after all, and is not taken off again
    assert learner.player.data.pending.tolist() == [1.0, 0.25, 0.0]
    assert learner.belief.information.tolist() == [1.0, 0.25, 0.0]


def test_patience_is_counted_in_decisions() -> None:
    learner = three(Fixed(0), patience=2)
    for count in range(1, 6):
        learner.ask()
        assert list(learner.pending) == list(range(max(1, count - 2), count + 1))
        waiting = min(count, 3)
        assert learner.player.data.pending.tolist() == [waiting, waiting / 4, 0.0]
    assert learner.tell(1, {"a": 0.5})
    assert learner.player.data.pending.tolist() == [3.0, 0.75, 0.0]
    assert learner.tell(5, {"a": 0.5})
    assert learner.player.data.pending.tolist() == [2.0, 0.75, 0.0]
    eager = three(Fixed(0), patience=0)
    assert [list((eager.ask(), eager.pending)[1]) for _ in range(3)] == [[1], [2], [3]]


def test_waiting_for_ever_is_what_patience_is_for() -> None:
    """`ucb-lp` looks at nothing that is on its way: a lost value must not block it."""
    problem = friendly()
    patient, other = (sl.Learner(problem, "ucb-lp", horizon=200, patience=p) for p in (None, 5))
    for learner in (patient, other):
        for _ in range(30):
            learner.ask()
    assert len(patient.pending) == 30
    assert len(other.pending) == 6


def test_importing_sidelight_imports_no_numba() -> None:
    code = (
        "import sys, sidelight; assert 'numba' not in sys.modules; "
        "sidelight.Learner; assert 'numba' in sys.modules; "
        "assert 'sqlalchemy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_example_runs(root: Any) -> None:
    done = subprocess.run(
        [sys.executable, str(root / "examples" / "live.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0].startswith("best so far: 9.99, mean in [")
    assert said[4] == "7 pairs with data: nothing speaks against what was declared"
    assert said[5].endswith("of 1500 decisions are still waited for")
