"""The log of real travellers goes through fit, analyze and race, as the example says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import sidelight as sl


def test_real_travellers_get_an_answer(root: Path, tmp_path: Path) -> None:
    script = root / "examples" / "travel.py"
    command = [sys.executable, str(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.count("$ sidelight ") == 3
    problem = sl.load(tmp_path / "travel.toml")
    assert isinstance(problem, sl.Problem)
    assert problem.feedback.labels == ("air", "bus", "car", "train")
    assert problem.played is not None
    assert problem.played.tolist() == [58, 30, 59, 63]
    train = problem.feedback.index("train")
    assert problem.feedback.observes[:, train].tolist() == [False, False, False, True]
    assert "Biased: `air -> train` (-28.5), `bus -> train`" in done.stdout
    assert "recommended policy: ids" in done.stdout
    assert "ids is recommended. Over 1,000 rounds it is expected to cost " in done.stdout
    assert "ids is expected to save " in done.stdout
