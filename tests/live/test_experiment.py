"""An experiment is a learner that is still there tomorrow, in a file and on a server."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import sidelight as sl
from deciding import begin, play, ring
from sidelight import InputError, KeyReusedError, NotRunningError
from sidelight.live import opening
from sidelight.live.experiment import Experiment
from sidelight.policies import registry

POLICIES = ("ids", "ucb-n", "minimax-sigma", "ts-n", "asymptotic-sigma", "exp3-g")


def known(experiment: Experiment) -> list[list[float]]:
    """What was learnt, to the bit."""
    belief = experiment.belief
    return [belief.plays.tolist(), belief.information.tolist(), belief.sums.tolist()]


def test_an_experiment_decides_as_a_learner(where: str) -> None:
    learner = sl.Learner(ring(), "ids", seed=3, patience=20)
    expected = list(play(learner, 60, 1))
    with begin(where) as experiment:
        assert list(play(experiment, 60, 1)) == expected
        assert experiment.to_json() == learner.to_json()
        assert experiment.pending == learner.pending
        assert experiment.verdict() == learner.verdict()
        assert experiment.diagnose() == learner.diagnose()
        assert experiment.rounds == 60
        assert experiment.decision(7) == expected[6]
        assert experiment.audit().is_clean


@pytest.mark.parametrize("policy", POLICIES)
def test_it_goes_on_as_if_nothing_had_happened(tmp_path: Path, policy: str) -> None:
    """Opened again before every round: the same decisions, and the same state to the bit."""
    learner = sl.Learner(ring(), policy, seed=3, horizon=1000)
    path, rng = tmp_path / "x.db", random.Random(0)
    sl.open(path, ring(), policy, seed=3, horizon=1000).close()
    for t in range(25):
        with sl.open(path) as experiment:
            ours, its = learner.ask(), experiment.ask()
            assert ours == its
            values = {label: rng.random() for label in learner.shown(ours.action)}
            if t % 3:
                learner.tell(ours.id, values)
                experiment.tell(ours.id, values)
            assert experiment.to_json() == learner.to_json()
    with sl.open(path, read_only=True) as experiment:
        assert experiment.to_json() == learner.to_json()
        assert experiment.audit().decisions == 25


def test_answers_are_repeated_and_not_replaced(where: str) -> None:
    with begin(where) as experiment:
        first = experiment.ask(key="a")
        assert experiment.ask(key="a") == first
        label = str(first.label)
        assert experiment.tell(first.id, {label: 0.5}, key="t")
        assert not experiment.tell(first.id, {label: 0.5}, key="t")
        assert not experiment.tell(first.id, {label: 0.5})
        events = [event.type for event in experiment.events()]
        assert events == ["created", "opened", "decided", "told"]
        with pytest.raises(KeyReusedError, match="'t' was used before"):
            experiment.tell(first.id, {label: 0.5}, key="t", last=True)
        with pytest.raises(InputError, match=r"cannot become 0\.6"):
            experiment.tell(first.id, {label: 0.6})
        with pytest.raises(InputError, match="no decision has the id 9"):
            experiment.tell(9, {})
        assert experiment.record("A", {"A": 0.1}, key="r")
        assert not experiment.record("A", {"A": 0.1}, key="r")
        with pytest.raises(KeyReusedError, match="'r' was used before"):
            experiment.record("B", {"B": 0.1}, key="r")
        assert [event.type for event in experiment.events(4)] == ["recorded"]
    with begin(where) as experiment:
        assert experiment.ask(key="a") == first
        assert not experiment.tell(first.id, {label: 0.5}, key="t")
        assert not experiment.record("A", {"A": 0.1}, key="r")
        with pytest.raises(KeyReusedError):
            experiment.tell(first.id, {}, key="t")
        assert [event.type for event in experiment.events(5)] == []  # nothing was new


def test_a_key_is_remembered_where_its_values_were_known(where: str) -> None:
    """Otherwise the same key could mean something else after a restart."""
    with begin(where) as experiment:
        decision = experiment.ask()
        label = str(decision.label)
        experiment.tell(decision.id, {label: 0.5})
        assert not experiment.tell(decision.id, {label: 0.5}, key="late")
    with begin(where) as experiment, pytest.raises(KeyReusedError):
        experiment.tell(decision.id, {}, key="late", last=True)


def test_states(where: str) -> None:
    with begin(where) as experiment:
        decision = experiment.ask()
        assert experiment.state == "running"
        assert not experiment.set_state("running")
        assert experiment.set_state("paused")
        with pytest.raises(NotRunningError, match="is paused: it takes values, and no questions"):
            experiment.ask()
        assert experiment.tell(decision.id, {str(decision.label): 0.5})
        experiment.set_state("shadow")
        plays = experiment.belief.plays.sum()
        proposed = experiment.ask(key="s")
        assert proposed.shadow
        assert experiment.belief.plays.sum() == plays
        with pytest.raises(InputError, match="record what was done instead"):
            experiment.tell(proposed.id, {})
        experiment.record("D", {"D": 0.4})
        experiment.set_state("running")
        assert not experiment.ask().shadow
        assert experiment.ask(key="s") == proposed
        with pytest.raises(InputError, match="no state of an experiment: 'over'"):
            experiment.set_state("over")
        kept = experiment.to_json()
    with begin(where) as experiment:
        assert experiment.to_json() == kept
        experiment.set_state("closed")
        calls = (
            experiment.ask,
            lambda: experiment.tell(1, {"A": 0.5}),
            lambda: experiment.record("A", {}),
            lambda: experiment.set_state("running"),
            experiment.adopt,
        )
        for call in calls:
            with pytest.raises(NotRunningError, match="is closed for ever: begin a new experiment"):
                call()
        assert experiment.ask(key="s") == proposed  # what was answered stays answered
        assert experiment.audit().is_clean


def test_a_learner_in_shadow_proposes_what_it_would_do() -> None:
    learner = sl.Learner(ring(), "ids", seed=1)
    other = sl.Learner(ring(), "ids", seed=1)
    assert learner.propose().action == other.ask().action
    assert learner.rounds == 1
    assert not learner.pending
    assert learner.belief.plays.sum() == 0
    again = sl.Learner.from_json(learner.to_json())
    assert again.decision(1).shadow
    assert again.propose("x") == again.propose("x")


# ---- other code ----------------------------------------------------------------------------------


@contextmanager
def another_edition(policy: str) -> Iterator[None]:
    """As if this version had another edition of the policy."""
    rule = registry.parse(policy).rule
    before = rule.edition
    object.__setattr__(rule, "edition", before + 1)
    try:
        yield
    finally:
        object.__setattr__(rule, "edition", before)


def test_another_edition_is_never_continued_silently(where: str) -> None:
    now = registry.parse("ids").edition
    said = rf"edition {now} of ids .* decided; .* edition {now + 1}"
    with begin(where) as experiment:
        first = list(play(experiment, 10, 1))
        belief = experiment.belief
    with another_edition("ids"), begin(where) as experiment:
        with pytest.raises(NotRunningError, match=said):
            experiment.ask()
        assert experiment.decision(3) == first[2]  # all else works
        experiment.record("A", {"A": 0.5})
        verdict = experiment.verdict()
        assert (verdict.next, verdict.cost) == (None, None)
        assert "one more round" not in str(verdict)
        experiment.adopt()
        assert experiment.belief.information[1:].tolist() == belief.information[1:].tolist()
        decision = experiment.ask()
        assert decision.id == 11
        kept = known(experiment)
    with another_edition("ids"), begin(where) as experiment:
        assert known(experiment) == kept
        assert experiment.ask().id == 12
        audit = experiment.audit()
        assert audit.outcome == "other code"
        assert f"edition {now} of ids" in audit.why
        assert f"audit with sidelight {sl.__version__}" in audit.why
        assert audit.decisions == 2
    later = f"edition {now + 1} of ids"
    with begin(where) as experiment, pytest.raises(NotRunningError, match=later):
        experiment.ask()


def test_another_policy_can_be_adopted(where: str) -> None:
    with begin(where) as experiment:
        list(play(experiment, 10, 1))
        kept, waiting = known(experiment), experiment.pending
        experiment.adopt("ucb-n")
        assert experiment.policy == "ucb-n"
        assert known(experiment) == kept
        assert experiment.pending == waiting
        list(play(experiment, 5, 2))
        text = experiment.to_json()
    with sl.open(where) as experiment:
        assert experiment.to_json() == text
        assert sl.Learner.from_json(text).to_json() == text
        assert experiment.audit().is_clean
        assert experiment.audit().decisions == 15
    with pytest.raises(InputError, match="with policy = ucb-n, not ids: leave policy out"):
        begin(where)


# ---- beginnings ----------------------------------------------------------------------------------


def test_what_is_given_must_be_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with pytest.raises(InputError, match="no such file: begin an experiment with"):
        sl.open(path)
    assert not path.exists()
    sl.open(path, ring(), seed=3).close()
    for given, message in (
        ({"seed": 4}, "with seed = 3, not 4"),
        ({"horizon": 10}, "with horizon = None, not 10"),
        ({"upper": 2.0}, "with upper = 1.0, not 2.0"),
        ({"policy": "greedy"}, "with policy = ids, not greedy: leave policy out to go on"),
    ):
        with pytest.raises(InputError, match=message):
            sl.open(path, ring(), **given)
    with pytest.raises(InputError, match="another feedback"):
        sl.open(path, sl.Feedback.bandit(3))
    with pytest.raises(InputError, match="are for a new experiment: give its feedback"):
        sl.open(path, seed=3)
    with pytest.raises(TypeError, match="'sed'"):
        sl.open(path, ring(), sed=3)  # type: ignore[call-arg]
    sl.open(path, ring(), experiment="other").close()
    with pytest.raises(
        InputError, match="which experiment; there are: experiment, other; name one"
    ):
        sl.open(path)
    with pytest.raises(InputError, match="no experiment 'third' here; there are"):
        sl.open(path, experiment="third")


def test_names_come_from_problems() -> None:
    def name(text: str) -> str:
        return opening.experiment_name(sl.Learner(sl.Setting(ring(), name=text)))

    assert name("Prices, summer") == "prices-summer"
    assert name("") == name("__") == name("...") == "experiment"
    assert name("x" * 100) == "x" * 64


def test_labels_that_look_alike_and_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two actions have the text '1'"):
        sl.open(tmp_path / "a.db", sl.Feedback.bandit(2, labels=[1, "1"]))

    class Mine:
        def choose(self, belief: object, rng: object) -> int:
            return 0

    with pytest.raises(InputError, match="an object of yours, which a store cannot run again"):
        sl.open(tmp_path / "a.db", ring(), Mine())  # type: ignore[arg-type]


def test_any_label_can_be_told(tmp_path: Path) -> None:
    fb = sl.Feedback.full_information(3, labels=[(1, "a"), 2.5, "x=y"])
    with sl.open(tmp_path / "a.db", fb) as experiment:
        decision = experiment.ask()
        experiment.tell(decision.id, {(1, "a"): 0.5, "2.5": 0.25, "x=y": 0.75})
        experiment.record(2.5, [0.1, 0.2, float("nan")])
        kept = experiment.to_json()
    with sl.open(tmp_path / "a.db") as experiment:
        assert experiment.to_json() == kept


@pytest.mark.parametrize("key", ["", 7, ["a"], b"a"])
def test_a_key_is_text(tmp_path: Path, key: Any) -> None:
    with begin(tmp_path / "x.db") as experiment:
        decision = experiment.ask()
        before = experiment.to_json()
        for verb in (
            lambda: experiment.ask(key=key),
            lambda: experiment.tell(decision.id, {}, key=key),
            lambda: experiment.record("A", {}, key=key),
        ):
            with pytest.raises(InputError, match="a key is text"):
                verb()
        assert experiment.to_json() == before
