"""kill -9 of a process that decides, under clients that retry."""

from __future__ import annotations

import json
import sys
import time

import pytest

from killing import by_script


def test_eight_kills(where: str) -> None:
    found = by_script("experiment_kills.py", where, 8, 1)
    assert found["killed"] == 8
    assert found["answers"] >= 10


@pytest.mark.campaign
def test_three_hundred_kills(where: str) -> None:
    found = by_script("experiment_kills.py", where, 300, int(time.time()))
    assert found["killed"] == 300
    sys.stdout.write(f"{json.dumps(found)}\n")
