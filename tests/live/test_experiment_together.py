"""Several at once in one experiment, and what happens where the store fails."""

from __future__ import annotations

import gc
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
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
        ask = [sys.executable, "-c", f"import sidelight as sl; sl.open({str(path)!r}).ask()"]
        other = subprocess.run(ask, capture_output=True, text=True, check=False)
        assert "BusyError" in other.stderr
        assert "writes into it already: close it there, ask that process" in other.stderr
        with sl.open(path, read_only=True) as reader:
            for _ in range(3):
                experiment.ask()
                assert reader.rounds == experiment.rounds
                assert reader.to_json() == experiment.to_json()
            with pytest.raises(InputError, match="opened for reading only"):
                reader.ask()
            assert reader.rounds == 3


def test_a_process_has_each_experiment_once(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with begin(path) as one, begin(path) as same, sl.open(path, ring(), experiment="b") as other:
        assert one is same
        assert one.store is other.store
        one.ask()
        assert other.ask().id == 1
    with pytest.raises(InputError, match="the store is closed"):
        one.ask()
    assert not path.with_name("x.db.lock").exists()


def test_a_lost_experiment_lets_go_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    assert begin(path).ask().id == 1
    gc.collect()
    assert not path.with_name("x.db.lock").exists()
    with sl.open(path) as experiment:
        assert experiment.ask().id == 2


def test_a_brief_process_waits_for_another(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    begin(path).close()
    code = f"import sidelight as sl; print(sl.open({str(path)!r}, brief=True).ask().id)"
    ask = [sys.executable, "-c", code]
    running = [subprocess.Popen(ask, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = sorted(int(process.communicate(timeout=300)[0]) for process in running)
    assert said == [1, 2, 3]


def test_a_fork_leaves_its_parent_alone(where: str) -> None:
    """The child may close what it inherited; it may not use it."""
    with begin(where) as experiment:
        experiment.ask()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                experiment.ask()
            except InputError as error:
                code = 0 if "opened before a fork" in str(error) else 2
            finally:
                experiment.store.close()
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        if not where.startswith("postgresql"):
            assert Path(f"{where}.lock").exists()
        assert experiment.ask().id == 2
        assert experiment.audit().is_clean


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


def test_looking_waits_for_the_disk(tmp_path: Path) -> None:
    """What one thread decided, another sees when it is on disk, and not before."""
    path = tmp_path / "x.db"
    with begin(path) as experiment, closing(sqlite3.connect(path)) as other:
        experiment.ask()
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        asking = threading.Thread(target=experiment.ask)
        asking.start()
        seen: list[tuple[int, int]] = []

        def look() -> None:
            rounds = experiment.rounds
            kept = sum(event.type == "decided" for event in experiment.events())
            seen.append((rounds, kept))

        looking = threading.Thread(target=look)
        looking.start()
        time.sleep(0.3)
        other.execute("ROLLBACK")
        asking.join()
        looking.join()
        ((rounds, kept),) = seen
        assert rounds <= kept


def test_looks_and_questions_at_the_same_time(tmp_path: Path) -> None:
    with begin(tmp_path / "x.db") as experiment:
        errors: list[BaseException] = []
        done = threading.Event()

        def look() -> None:
            try:
                while not done.is_set():
                    sl.Learner.from_json(experiment.to_json())
                    _ = experiment.pending, experiment.diagnose(), experiment.verdict()
            except BaseException as error:
                errors.append(error)

        looking = threading.Thread(target=look)
        looking.start()
        list(play(experiment, 60, 1))
        done.set()
        looking.join()
        assert errors == []


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


OURS = ("experiment.py", "kept.py", "learner.py", "replay.py", "player.py", "values.py", "sql.py")


def interrupted(call: Callable[[], object], line: int) -> bool:
    """Ctrl-C when so many lines of ours have been run; whether there were so many."""
    left = line

    def trace(frame: Any, event: str, _: object) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.endswith(OURS):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def test_an_interrupt_anywhere_leaves_memory_and_disk_in_step(where: str) -> None:
    """Ctrl-C at every third line of a call; then the same call again, with its key."""
    with begin(where) as experiment:
        experiment.ask()
        count = 0
        for line in range(1, 2000, 3):
            key, label = f"k{line}", "ABCD"[line % 4]
            verbs: list[Callable[[], object]] = [
                lambda key=key: experiment.ask(key=key),  # type: ignore[misc]
                lambda key=key, x=label: experiment.record(x, {x: 0.5}, key=key),  # type: ignore[misc]
            ]
            hits = [interrupted(verb, line) for verb in verbs]
            for verb in verbs:
                verb()
            if not any(hits):
                break
            count += sum(hits)
        assert count > 40
        found = experiment.audit()
        assert found.is_clean, found
        kept = experiment.to_json()
        experiment.forget()
        assert experiment.to_json() == kept


def test_a_policy_that_is_refused_is_not_adopted(where: str) -> None:
    class Mine:
        def choose(self, belief: object, rng: object) -> int:
            return 2

    with begin(where) as experiment:
        experiment.ask()
        kept = experiment.to_json()
        with pytest.raises(InputError, match="an object of yours"):
            experiment.adopt(Mine())  # type: ignore[arg-type]
        with pytest.raises(InputError, match="no policy is called"):
            experiment.adopt("nobody")
        with pytest.raises(InputError, match="needs the same variance"):
            experiment.adopt("minimax")
        assert experiment.to_json() == kept
        experiment.ask()
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
