"""A learner as text: exact, and refused where it is damaged or of other code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import sidelight as sl
from races import friendly, ready
from sidelight.live import state
from sidelight.policies import registry

LIVE = [name for name in registry.names() if name != "oracle-lp"]


def busy(name: str = "ids", rounds: int = 30, **more: Any) -> sl.Learner:
    """A learner to which everything happened that can happen."""
    problem = friendly()
    learner = sl.Learner(problem, ready(name), horizon=200, seed=4, patience=6, **more)
    rng = np.random.default_rng(1)
    learner.record(2, {2: 0.25}, key="import")
    for t in range(rounds):
        one = learner.ask(key=f"visit {t}" if t % 3 else None)
        if t % 5:  # a part at once, another part four decisions later
            learner.tell(one.id, {j: rng.normal() for j in range(t % 4)}, key=f"now {t}")
        if one.id > 4:
            learner.tell(one.id - 4, {3: rng.normal()}, key=f"late {t}", last=t % 2 == 0)
    return learner


def remade(text: str, change: Any) -> str:
    """The text with something else in it, and a check that fits."""
    body = json.loads(text)
    body.pop("check")
    change(body)
    return json.dumps({**body, "check": state._check(body)})


@pytest.mark.parametrize("name", LIVE)
def test_it_goes_on_as_if_nothing_had_happened(name: str) -> None:
    one = busy(name)
    text = one.to_json()
    other = sl.Learner.from_json(text)
    assert other.to_json() == text
    for left, right in zip(_arrays(one), _arrays(other), strict=True):
        assert left.dtype == right.dtype
        assert left.tobytes() == right.tobytes()
    rng = np.random.default_rng(2)
    for _ in range(60):
        decision = one.ask()
        assert other.ask() == decision
        values = rng.normal(size=4)
        assert one.tell(decision.id, values)
        assert other.tell(decision.id, values)
    assert one.to_json() == other.to_json()
    assert (one.pending, one.verdict()) == (other.pending, other.verdict())
    assert one.diagnose() == other.diagnose()


@pytest.mark.parametrize("name", LIVE)
def test_looking_changes_nothing(name: str) -> None:
    learner = busy(name)
    text = learner.to_json()
    said = learner.verdict().next
    learner.diagnose()
    assert learner.to_json() == text
    assert learner.pending
    learner.patience = None  # it would forget before it asks
    assert learner.ask().label == said


def _arrays(learner: sl.Learner) -> list[Any]:
    snapshot = learner.player.snapshot()
    return [*snapshot.data, snapshot.parameters, snapshot.memory, snapshot.stream]


def test_labels_units_and_names_come_back() -> None:
    feedback = sl.Feedback([[0.1, np.inf], [1 / 3, 0.0]], labels=[("a", 1), None])
    setting = sl.Setting(feedback, 3.7, 1000, name="a name")
    other = sl.Learner.from_json(sl.Learner(setting, "ids:tail=1.5", seed=2**70).to_json())
    assert other.setting == setting
    assert (other.seed, other.patience, str(other.policy)) == (2**70, None, "ids:tail=1.5")


def test_prepared_numbers_are_those_of_the_text() -> None:
    """A solver of another version may give others; what was begun goes on."""
    learner = busy("minimax")
    learner.player.mind.entry.prepared.parameters[0] += 2.0**-40  # type: ignore[union-attr]
    other = sl.Learner.from_json(learner.to_json())
    assert [a.tobytes() for a in _arrays(other)] == [a.tobytes() for a in _arrays(learner)]


def test_a_text_that_was_changed_is_damaged() -> None:
    text = busy(rounds=12).to_json()
    rng, found = np.random.default_rng(0), 0
    for place in rng.integers(len(text), size=400).tolist():
        changed = text[:place] + chr(33 + (ord(text[place]) + 7) % 90) + text[place + 1 :]
        with pytest.raises(sl.DamagedError, match="learner"):
            sl.Learner.from_json(changed)
        with pytest.raises(sl.DamagedError, match="learner"):
            sl.Learner.from_json(text[:place])
        found += 1
    assert found == 400


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "7", "{", '{"check": 1}', "[" * 10**5])
def test_a_text_of_something_else_is_refused(text: str) -> None:
    with pytest.raises(sl.DamagedError, match="give the text that"):
        sl.Learner.from_json(text)


@pytest.mark.parametrize("name", ["engine", "ids"])
def test_other_editions_are_refused(name: str) -> None:
    def older(body: dict[str, Any]) -> None:
        body["editions"][name] -= 1

    with pytest.raises(sl.InputError, match=f"with edition . of {name}.*decides otherwise") as no:
        sl.Learner.from_json(remade(busy().to_json(), older))
    assert not isinstance(no.value, sl.DamagedError)


def test_other_formats_and_policies_are_refused() -> None:
    for change, message in (
        ({"learner": 1}, "has the format 1, and this version of sidelight reads 2"),
        ({"policy": "ids-2"}, "no such policy: no policy is called 'ids-2'"),
    ):
        with pytest.raises(sl.InputError, match=message) as no:
            sl.Learner.from_json(remade(busy().to_json(), lambda body, c=change: body.update(c)))
        assert not isinstance(no.value, sl.DamagedError)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) in a tree."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


def test_nothing_that_fits_its_check_breaks_the_reader() -> None:
    """Whatever stands anywhere in the text: a learner, or a sentence."""
    text = busy(rounds=12).to_json()
    count = sum(1 for _ in _places(json.loads(text))) - 1  # without the check
    refused = 0
    for k in range(count):
        hostiles: tuple[Any, ...] = (None, [], {}, -1, 10**30, 0.5, "x", "AAAA", True, [[0, 1], 2])
        for hostile in hostiles:

            def change(body: dict[str, Any], k: int = k, hostile: Any = hostile) -> None:
                container, key = next(x for n, x in enumerate(_places(body)) if n == k)
                container[key] = hostile

            try:
                sl.Learner.from_json(remade(text, change))
            except sl.InputError:
                refused += 1
    assert refused > 5 * count
