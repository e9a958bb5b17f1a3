"""The store against a list of events, in any order of appends, turns, questions and openings."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from naive.store import Item, ListStore
from servers import Server
from sidelight import ConflictError
from sidelight.live.events import Entry, check_chain
from sidelight.live.store import Store, open_store

names = st.sampled_from(["a", "b"])
kinds = st.sampled_from(["told", "decided"])
keys = st.none() | st.sampled_from(["k1", "k2", "k3", "k4", "k5", "k6"])
bodies = st.dictionaries(st.text(max_size=3), st.floats(allow_nan=False, allow_infinity=False))
items = st.lists(
    st.tuples(kinds, keys, bodies),
    min_size=1,
    max_size=3,
    unique_by=lambda item: (item[0], item[1] or object()),
)
offsets = st.sampled_from([0, 0, 0, 0, 0, -1, 1])  # mostly the right number


class Life(RuleBasedStateMachine):
    """What may happen to a store."""

    where: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.place = self.where or str(self.folder / "events.db")
        self.store: Store = open_store(self.place)
        self.naive = ListStore()
        self.copies = 0

    @rule(name=names, offset=offsets, new=items)
    def append(self, name: str, offset: int, new: list[Item]) -> None:
        after = max(0, len(self.naive.events.get(name, [])) + offset)
        fits = self.naive.append(name, after, new)
        if fits:
            events = self.store.append(name, after, entries(new))
            assert [event.n for event in events] == list(range(after + 1, after + len(new) + 1))
            return
        with pytest.raises(ConflictError) as caught:
            self.store.append(name, after, entries(new))
        known = caught.value.event
        assert known is None or self.naive.find(name, known.type, known.key) == known.n

    @rule(name=names, parts=st.lists(st.tuples(offsets, items), max_size=3), fail=st.booleans())
    def turn(self, name: str, parts: list[tuple[int, list[Item]]], fail: bool) -> None:
        draft = ListStore({name: list(items) for name, items in self.naive.events.items()})
        try:
            with self.store.turn(name) as turn:
                for offset, new in parts:
                    after = max(0, len(draft.events.get(name, [])) + offset)
                    fits = draft.append(name, after, new)
                    if fits:
                        turn.append(after, entries(new))
                    else:
                        with pytest.raises(ConflictError):
                            turn.append(after, entries(new))
                    assert len(list(turn.read())) == len(draft.events.get(name, []))
                if fail:
                    raise KeyError(name)
            self.naive = draft
        except KeyError:
            assert fail

    @rule(name=names, kind=kinds, key=st.sampled_from(["k1", "k2", "k3"]))
    def find(self, name: str, kind: str, key: str) -> None:
        found = self.store.find(name, kind, key)
        assert (found and found.n) == self.naive.find(name, kind, key)

    @rule(name=names, after=st.integers(0, 6))
    def read(self, name: str, after: int) -> None:
        found = [(event.type, event.key, event.data) for event in self.store.read(name, after)]
        assert found == self.naive.events.get(name, [])[after:]

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = open_store(self.place)

    @rule()
    def restore_a_backup(self) -> None:
        """The copy says the same; a file is replaced by it, a server is not."""
        self.copies += 1
        copy = self.folder / f"{self.copies}.db"
        self.store.backup(copy)
        with open_store(copy) as other:
            assert other.experiments() == sorted(self.naive.events)
            for name in other.experiments():
                assert list(other.read(name)) == list(self.store.read(name))
        if not self.where:
            self.store.close()
            self.place = str(copy)
            self.store = open_store(copy)

    @invariant()
    def is_the_list(self) -> None:
        assert self.store.experiments() == sorted(self.naive.events)
        for name, wanted in self.naive.events.items():
            events = list(self.store.read(name))
            assert [(event.type, event.key, event.data) for event in events] == wanted
            assert check_chain(events, head=self.store.last(name)) is None

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)


def entries(new: list[Item]) -> list[Entry]:
    return [Entry(kind, body, key) for kind, key, body in new]


def live(examples: int, steps: int, machine: type[Life] = Life) -> None:
    how = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=how)


def on_a_server(server: Server, examples: int, steps: int) -> None:
    """Every life begins with an empty database."""

    class OnServer(Life):
        def __init__(self) -> None:
            self.lent = server.lend()
            type(self).where = self.lent.__enter__()
            super().__init__()

        def teardown(self) -> None:
            super().teardown()
            self.lent.__exit__(None, None, None)

    live(examples, steps, OnServer)


def test_a_file_is_a_list() -> None:
    live(15, 20)


def test_a_server_is_a_list(server: Server) -> None:
    on_a_server(server, 10, 20)


@pytest.mark.campaign
def test_a_file_is_a_list_for_long() -> None:
    live(150, 50)


@pytest.mark.campaign
def test_a_server_is_a_list_for_long(server: Server) -> None:
    on_a_server(server, 50, 50)
