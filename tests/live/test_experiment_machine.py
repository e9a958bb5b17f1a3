"""The machine of `test_learner_machine`, with a store that crashes anywhere."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis.stateful import rule

import sidelight as sl
from live.test_learner_machine import Life, live


class Durable:
    """An experiment that also shows what a learner shows."""

    def __init__(self, experiment: sl.Experiment) -> None:
        self.experiment = experiment
        self.ask, self.tell, self.record = experiment.ask, experiment.tell, experiment.record

    def __getattr__(self, name: str) -> Any:
        return getattr(self.experiment.learner, name)


class KeptLife(Life):
    """What may happen to an experiment in a file."""

    learner: Any

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.copies = 0

    def made(self, *given: Any, **more: Any) -> Any:
        return Durable(sl.open(self.folder / "0.db", *given, **more))

    @rule()
    def move(self) -> None:
        """Close, and open again."""
        before = self.learner.to_json()
        self.learner.experiment.close()
        self.reopen(self.learner.experiment.store.path)
        assert self.learner.to_json() == before

    @rule()
    def crash(self) -> None:
        """What is on disk, at this moment, is all that there is."""
        before, path = self.learner.to_json(), self.learner.experiment.store.path
        self.copies += 1
        copy = self.folder / f"{self.copies}.db"
        for end in ("", "-wal"):
            if path.with_name(path.name + end).exists():
                shutil.copy(path.with_name(path.name + end), copy.with_name(copy.name + end))
        self.learner.experiment.close()
        self.reopen(copy)
        assert self.learner.to_json() == before

    def reopen(self, path: Path) -> None:
        self.learner = Durable(sl.open(path))

    def teardown(self) -> None:
        if hasattr(self, "learner"):
            assert self.learner.experiment.audit().is_clean
            self.learner.experiment.close()
        shutil.rmtree(self.folder)


def test_an_experiment_is_a_list_of_plays() -> None:
    live(KeptLife, 15, 30)


@pytest.mark.campaign
def test_an_experiment_is_a_list_of_plays_for_long() -> None:
    live(KeptLife, 200, 60)
