"""An audit finds what was changed, also by somebody who writes the chain again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sidelight as sl
from deciding import NAME, begin, one_round
from sidelight.live import audit as auditing
from sidelight.live.audit import Audit, audit
from sidelight.live.events import START, Event, Head, link, read_body, write_body
from sidelight.live.known_answer import known_answer
from sidelight.live.replay import replayed

Data = dict[str, Any]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """A short experiment with everything in it."""
    path = tmp_path_factory.mktemp("history") / "x.db"
    for part in range(3):
        with begin(path) as experiment:
            for j in range(8 * part, 8 * part + 8):
                one_round(experiment, 0, j, lambda _: None)
            if part == 0:
                experiment.set_state("shadow")
                experiment.ask(key="shadow")
                experiment.set_state("running")
            if part == 1:
                experiment.adopt()
    with begin(path) as experiment:
        events = list(experiment.events())
    kinds = {event.type for event in events}
    assert kinds == {
        *("created", "opened", "decided", "told", "lost", "recorded", "state", "adopted")
    }
    return events


def chained(events: list[Event]) -> list[Event]:
    """The same events with numbers and hashes that fit."""
    made: list[Event] = []
    before = START
    for n, event in enumerate(events, 1):
        one = replace(event, n=n)
        before = link(before, one)
        made.append(replace(one, hash=before))
    return made


def of(events: list[Event], head: Head | None = None) -> Audit:
    return audit(lambda: iter(events), NAME, head)


def test_what_was_not_touched_is_clean(history: list[Event]) -> None:
    found = of(history)
    assert found.is_clean
    assert found.events == len(history)
    assert found.decisions == 25
    last = history[-1]
    assert found.head == Head(last.n, last.hash)
    assert f"the last event is {last.n}:{last.hash}" in str(found)
    assert of(history, Head(last.n, last.hash)).is_clean


def test_a_chain_that_was_cut_is_found_by_whoever_noted_its_end(history: list[Event]) -> None:
    head = Head(history[-1].n, history[-1].hash)
    assert of(history[:-3]).is_clean
    found = of(history[:-3], head)
    assert found.outcome == "damaged"
    assert found.n == len(history) - 2
    assert "are missing at the end" in found.why


def test_a_thousand_changes_are_found(history: list[Event]) -> None:
    """Edits, drops, insertions and swaps; the first wrong event is named, or the one before it."""
    rng = random.Random(1)
    for _ in range(1000):
        events = list(history)
        at = rng.randrange(len(events) - 1)
        how = rng.choice(["edit", "drop", "insert", "swap"])
        if how == "edit":
            name = rng.choice(["time", "type", "key", "body", "hash", "experiment"])
            lie: Data = {name: f"forged {rng.random()}"}
            events[at] = replace(events[at], **lie)
        elif how == "drop":
            del events[at]
        elif how == "insert":
            events.insert(at, rng.choice(events))
        else:
            other = rng.choice([k for k in range(len(events)) if k != at])
            events[at], events[other] = events[other], events[at]
        found = of(events)
        assert found.outcome == "damaged", how
        assert found.n is not None
        assert 1 <= found.n <= len(events)
        assert found.events < found.n


# ---- the chain made again ------------------------------------------------------------------------


def change(event: Event, work: Callable[[Data], object]) -> Event:
    data = read_body(event.body)
    work(data)
    return replace(event, body=write_body(data))


def forge(events: list[Event], rng: random.Random) -> tuple[int, list[Event]]:
    """One decision that was not the rule's, and a chain that fits; where it is."""
    places = [k for k, event in enumerate(events) if event.type == "decided"]
    at = rng.choice(places)
    data = read_body(events[at].body)
    how = rng.choice(["action", "why", "digest", "id", "move"])
    made = list(events)
    if how == "action":
        others = [label for label in "ABCD" if label != data["action"]]
        made[at] = change(events[at], lambda d: d.update(action=rng.choice(others)))
    elif how == "why":
        made[at] = change(
            events[at], lambda d: d.update(why="exploit" if d["why"] != "exploit" else "x")
        )
    elif how == "digest":
        flip = "0" if data["digest"][0] != "0" else "1"
        made[at] = change(events[at], lambda d: d.update(digest=flip + d["digest"][1:]))
    elif how == "id":
        made[at] = change(events[at], lambda d: d.update(id=d["id"] + rng.choice([-1, 1])))
    else:
        del made[at]
    return at + 1, chained(made)


def test_two_hundred_forged_decisions_are_found(history: list[Event]) -> None:
    rng = random.Random(2)
    for _ in range(200):
        n, events = forge(history, rng)
        found = of(events)
        assert found.outcome == "differs", found
        assert found.n is not None
        assert found.n >= n
        assert "somebody rewrote the events, or sidelight has a fault" in found.why


def test_forged_values_are_found_by_the_next_decision(history: list[Event]) -> None:
    """A value that is another leaves another belief, of which the next decision has a digest."""
    last = max(k for k, event in enumerate(history) if event.type == "decided")
    count = 0
    for at, event in enumerate(history[:last]):
        if event.type in ("told", "recorded") and json.loads(event.body)["values"]:

            def lie(data: Data) -> None:
                label = next(iter(data["values"]))
                data["values"][label] += 1e-9

            found = of(chained([*history[:at], change(event, lie), *history[at + 1 :]]))
            assert found.outcome == "differs"
            count += 1
    assert count > 20


@pytest.mark.parametrize(
    ("kind", "lie", "said"),
    [
        ("told", {"id": 99}, "no decision has the id 99"),
        ("told", {"values": {"Z": 1.0}}, "no action is called 'Z'"),
        ("told", {"values": {}}, ""),
        ("recorded", {"action": "Z"}, "no action is called 'Z'"),
        ("state", {"state": "asleep"}, "from running to 'asleep'"),
        ("decided", {"by": 1}, "no process was opened by event 1"),
        ("decided", {"shadow": True}, "the experiment was running"),
        ("created", {"format": 9}, "its format is 9"),
        ("created", {"seed": -1}, "seed = -1 must be at least 0"),
        ("created", {"parameters": "?"}, ""),
        ("adopted", {"memory": "AAAA"}, ""),
        ("lost", {"id": "x"}, "its id is 'x', no whole number"),
    ],
)
def test_events_that_nobody_writes(history: list[Event], kind: str, lie: Data, said: str) -> None:
    at = next(k for k, event in enumerate(history) if event.type == kind)
    forged = change(history[at], lambda data: data.update(lie))
    events = chained([*history[:at], forged, *history[at + 1 :]])
    found = of(events)
    assert found.outcome == "differs"
    assert found.n is not None
    assert found.n >= at + 1
    assert said in found.why
    with_body = chained([*history[:at], replace(history[at], body="[]"), *history[at + 1 :]])
    assert of(with_body).n == at + 1


@pytest.mark.parametrize(
    ("kind", "edit"),
    [
        ("told", lambda body: body.replace('"id":', '"id": ')),
        ("told", lambda body: body.replace('"values":', '"values":{"A":0.5},"values":')),
        ("told", lambda body: body.replace("}}", '},"note":1}')),
        ("created", lambda body: body.replace('"format"', '"extra":0,"format"')),
        ("decided", lambda body: body.replace('"by":2', '"by":2.0')),
        ("decided", lambda body: body.replace('"by":', '"by": ')),
        ("opened", lambda _: "{}"),
        ("lost", lambda body: body.replace("}", ".0}")),
    ],
)
def test_texts_that_nobody_writes(
    history: list[Event], kind: str, edit: Callable[[str], str]
) -> None:
    """They would mean the same, and yet sidelight did not write them."""
    at = next(k for k, event in enumerate(history) if event.type == kind)
    body = edit(history[at].body)
    assert body != history[at].body
    found = of(chained([*history[:at], replace(history[at], body=body), *history[at + 1 :]]))
    assert (found.outcome, found.n) == ("differs", at + 1)


def test_times_and_keys_that_nobody_writes(history: list[Event]) -> None:
    for at, change_of in ((4, {"time": "yesterday"}), (1, {"key": "k"}), (0, {"key": "k"})):
        more: Data = change_of
        found = of(chained([*history[:at], replace(history[at], **more), *history[at + 1 :]]))
        assert (found.outcome, found.n) == ("differs", at + 1)


def test_an_experiment_begins_once_and_at_its_beginning(history: list[Event]) -> None:
    assert "out of place" in of(chained(history[1:])).why
    assert "out of place" in of(chained([history[0], *history])).why
    assert of([]).is_clean
    assert of([]).head is None


def test_a_closed_experiment_takes_nothing(history: list[Event]) -> None:
    closed = Event(NAME, 0, history[0].time, "state", None, '{"state":"closed"}', "")
    for event in (event for event in history if event.type in ("told", "decided", "recorded")):
        found = of(chained([*history, closed, event]))
        assert found.outcome == "differs"
        assert found.n == len(history) + 2


# ---- other code ----------------------------------------------------------------------------------


def test_another_known_answer_means_other_code(history: list[Event]) -> None:
    """The same deviation is no accusation where the known run gives something else."""
    at = [k for k, event in enumerate(history) if event.type == "decided"][3]
    forged = change(history[at], lambda data: data.update(why="x"))
    changed = [
        change(event, lambda data: data.update(known_answer="other", version="0.0.9"))
        if event.type == "opened"
        else event
        for event in history
    ]
    events = chained([*changed[:at], forged, *changed[at + 1 :]])
    found = of(events)
    assert found.outcome == "other code"
    assert found.n == at + 1
    assert "gave other there" in found.why
    assert "audit with sidelight 0.0.9" in found.why
    assert auditing.CODES[found.outcome] == 3
    assert of(chained(changed)).is_clean  # all decisions are the same, whatever the known run says


def test_a_policy_that_is_not_here(history: list[Event]) -> None:
    begun = change(history[0], lambda data: data.update(policy="ids-of-old"))
    found = of(chained([begun, *history[1:]]))
    assert found.outcome == "other code"
    assert "cannot run ids-of-old" in found.why
    replay = replayed(lambda: chained([begun, *history[1:]]), NAME)
    assert replay.learner.rounds == 25
    assert replay.absent is None  # the adopted one is here


@pytest.mark.parametrize(("batch", "is_possible"), [(2**53, True), (2**53 + 1, False), (-1, False)])
def test_a_number_that_no_policy_counts_to_is_damage(
    history: list[Event], batch: int, is_possible: bool
) -> None:
    """Where the rule is not here, nothing else says what the number must be."""
    begun = change(history[0], lambda data: data.update(policy="ids-of-old"))
    at = next(k for k, event in enumerate(history) if event.type == "decided")
    counted = change(history[at], lambda data: data.update(batch=batch))
    found = of(chained([begun, *history[1:at], counted, *history[at + 1 :]]))
    assert (found.outcome == "other code") == is_possible
    assert ("batch" in found.why) != is_possible


def test_the_known_run_is_the_same_again_and_knows_the_numbers(history: list[Event]) -> None:
    replay = replayed(lambda: history, NAME)
    assert replay.start is not None
    answer = known_answer(replay.start)
    assert answer == known_answer(replay.start)
    openings = [body["known_answer"] for body in replay.openings.values()]
    assert set(openings) == {answer}
    other = replace(replay.start, policy=sl.Learner(replay.learner.setting, "greedy").policy)
    with pytest.raises(sl.InputError, match="another policy"):
        known_answer(other)


def test_a_store_is_audited_while_somebody_writes(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with begin(path) as experiment, sl.open(path, read_only=True) as reader:
        for j in range(3):
            one_round(experiment, 0, j, lambda _: None)
            assert reader.audit().is_clean
        assert reader.audit().decisions == 3
