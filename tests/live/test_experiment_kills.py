"""kill -9 of a process that decides, under clients that retry."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]


def kill(where: str, kills: int, seed: int) -> dict[str, int]:
    command = [sys.executable, HERE / "experiment_kills.py", where, kills, seed]
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=3000, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return dict(json.loads(done.stdout))


def test_a_dozen_kills(where: str) -> None:
    found = kill(where, 12, 1)
    assert found["killed"] == 12
    assert found["answers"] >= 10


@pytest.mark.campaign
def test_three_hundred_kills(where: str) -> None:
    found = kill(where, 300, int(time.time()))
    assert found["killed"] == 300
    sys.stdout.write(f"{json.dumps(found)}\n")
