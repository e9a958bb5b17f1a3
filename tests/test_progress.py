"""How far long work is, in a log."""

from __future__ import annotations

import pytest

from sidelight import progress
from sidelight.study import State


def test_plain_lines_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([1000.0, 1004.0, 1015.0, 1016.0, 1035.0])
    monkeypatch.setattr("sidelight.progress.time.monotonic", lambda: next(clock))
    with progress.of_race() as tick:
        for done in (1_000_000, 2_000_000, 4_000_000, 5_000_000, 8_000_000):
            tick(done, 10_000_000)
    assert capsys.readouterr().err.splitlines() == [
        "40% of 10M rounds, 200k rounds/s, 30 s left",
        "80% of 10M rounds, 200k rounds/s, 10 s left",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "0 s"),
        (59.4, "59 s"),
        (200, "3 min 20 s"),
        (7 * 3600 + 301, "7 h 05 min"),
        (9e6, "104 days"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert progress.duration(seconds) == text


def test_big_numbers_are_short() -> None:
    numbers = (3.0, 1234, 56_789_000, 2e9, 4e12)
    assert [progress.compact(x) for x in numbers] == ["3", "1.23k", "56.8M", "2G", "4T"]


def test_a_study_says_how_many_cells_are_done_running_and_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([1000.0, 1010.0, 1020.0])
    monkeypatch.setattr("sidelight.progress.time.monotonic", lambda: next(clock))
    total = {"cells": 60, "kept": 10, "running": 2, "all_rounds": 5_000_000}
    with progress.of_study() as watch:
        watch(State(finished=0, rounds=0, **total))  # compiling: the clock does not run yet
        watch(State(finished=4, rounds=1_000_000, **total))
        watch(State(finished=9, rounds=2_000_000, **total))
    assert capsys.readouterr().err.splitlines() == [
        "19 of 60 cells, 2 running, 39 left; 40% of 5M rounds, 100k rounds/s, 30 s left"
    ]
