"""Several at once in one experiment, and what happens where the store fails."""

from __future__ import annotations

import random
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import sidelight as sl
from deciding import NAME, begin, one_round, play, ring
from sidelight import ConflictError, InputError, StoreError
from sidelight.live.experiment import Experiment
from sidelight.live.store import open_store


def test_one_process_writes_into_a_file_and_others_read(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with begin(path) as experiment:
        with pytest.raises(InputError, match="writes into it already"):
            sl.open(path)
        with sl.open(path, read_only=True) as reader:
            for _ in range(3):
                experiment.ask()
                assert reader.rounds == experiment.rounds
                assert reader.to_json() == experiment.to_json()
            with pytest.raises(InputError, match="opened for reading only"):
                reader.ask()
            assert reader.rounds == 3


def test_several_write_on_a_server(server: Any) -> None:
    """In turns: what one of them wrote, the others derive again."""
    learner = sl.Learner(ring(), "ids", seed=3, patience=20)
    rng = random.Random(2)
    with server.lend() as address, begin(address) as one, begin(address) as other:
        for t in range(30):
            experiment = rng.choice([one, other])
            decision = experiment.ask(key=f"k{t}")
            assert decision == learner.ask(key=f"k{t}")
            assert rng.choice([one, other]).ask(key=f"k{t}") == decision
            value = {str(decision.label): rng.random()}
            rng.choice([one, other]).tell(decision.id, value)
            learner.tell(decision.id, value)
        assert one.to_json() == other.to_json() == learner.to_json()
        one.adopt("greedy")
        assert other.ask().id == 31
        assert one.audit().is_clean
        assert Counter(event.type for event in one.events())["opened"] == 3  # greedy, once more


@pytest.mark.parametrize("clients", [8])
def test_threads_share_an_experiment(where: str, clients: int) -> None:
    """Every key is answered once, however many ask at the same time."""
    said: list[str] = []
    with begin(where) as experiment:

        def client(number: int) -> None:
            for j in range(5):
                one_round(experiment, number // 2, j, said.append)  # two of them say the same

        threads = [threading.Thread(target=client, args=(k,)) for k in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert experiment.rounds == 5 * clients // 2
        answers = {line.split()[1]: line for line in said}
        assert set(said) == set(answers.values())
        assert experiment.audit().is_clean
        kept = experiment.to_json()
    with begin(where) as experiment:
        assert experiment.to_json() == kept


# ---- failures ------------------------------------------------------------------------------------


def test_what_the_store_did_not_keep_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with begin(tmp_path / "x.db") as experiment:
        list(play(experiment, 5, 1))
        kept = experiment.to_json()

        def fail(*_: object) -> None:
            raise StoreError("no")

        with monkeypatch.context() as broken:
            broken.setattr(experiment.store, "submit", fail)
            with pytest.raises(StoreError):
                experiment.ask(key="lost")
            with pytest.raises(StoreError):
                experiment.record("A", {"A": 0.5}, key="lost")
        assert experiment.to_json() == kept
        assert experiment.ask(key="lost").id == 6
        assert experiment.audit().is_clean


def test_what_a_server_did_not_keep_is_forgotten(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server.lend() as address, begin(address) as experiment:
        list(play(experiment, 5, 1))
        kept = experiment.to_json()
        with monkeypatch.context() as broken:
            from sidelight.live.postgres import PostgresTurn  # noqa: PLC0415 - an optional package

            def fail(*_: object) -> None:
                raise ConflictError("no")

            broken.setattr(PostgresTurn, "append", fail)
            with pytest.raises(ConflictError):
                experiment.ask(key="lost")
        assert experiment.to_json() == kept
        assert experiment.ask(key="lost").id == 6
        assert experiment.audit().is_clean


def test_a_clock_that_goes_back_changes_nothing(where: str) -> None:
    begin(where).close()
    years = iter(f"{year}-01-01T00:00:00.000000Z" for year in (2026, 2025, *[2024] * 500))
    with open_store(where, clock=lambda: next(years)) as store:
        experiment = Experiment(store, NAME)
        learner = sl.Learner(ring(), "ids", seed=3, patience=20)
        assert list(play(experiment, 10, 4)) == list(play(learner, 10, 4))
        assert experiment.audit().is_clean


def test_a_brief_process_announces_itself_only_if_it_is_another(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    begin(path).close()
    for _ in range(3):
        with sl.open(path, brief=True) as experiment:
            experiment.ask()
    with sl.open(path) as experiment:
        experiment.ask()
        types = Counter(event.type for event in experiment.events())
        assert types == {"created": 1, "opened": 2, "decided": 4}
        assert experiment.audit().is_clean
