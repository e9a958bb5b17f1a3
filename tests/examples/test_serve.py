"""`make serve`: the example starts, and the calls that it prints work."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import sidelight as sl
from servers import free_port

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 120


def test_the_makefile_starts_the_example() -> None:
    assert "python examples/serve.py out/serve\n" in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize("starts", [2])
def test_the_calls_that_it_prints_work_at_every_start(tmp_path: Path, starts: int) -> None:
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    for number in range(1, starts + 1):
        command = [sys.executable, str(ROOT / "examples" / "serve.py"), str(tmp_path)]
        process = subprocess.Popen(
            [*command, str(free_port())],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        watch = threading.Timer(PATIENCE, process.kill)
        watch.start()
        try:
            assert process.stderr is not None
            assert any('"listening"' in line for line in process.stderr)
            process_out = _printed(process)
            calls = re.findall(r"^curl (?:.*\\\n)*.*$", process_out, flags=re.MULTILINE)
            answers = []
            for call in calls:
                done = subprocess.run(
                    ["sh", "-c", call], capture_output=True, text=True, check=True, timeout=PATIENCE
                )
                answers.append(json.loads(done.stdout))
            assert answers[0]["decisions"][0]["id"] == number
            assert answers[1]["accepted"] == 1
            assert answers[2]["delta"] == 0.05
            assert answers[2]["best"] == "C"  # a value was told
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)
            watch.cancel()
        assert process.returncode == 0


def _printed(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    lines = []
    while "verdict" not in (line := process.stdout.readline()):
        lines.append(line)
    return "".join([*lines, line])


def test_a_second_start_on_the_same_folder_and_a_wrong_port_end_with_a_sentence(
    tmp_path: Path,
) -> None:
    script = str(ROOT / "examples" / "serve.py")
    with sl.open(str(tmp_path / "sidelight.db"), sl.gallery("dosing"), experiment="dosing"):
        for port, said in (("7733", "writes into it already"), ("x", "the port is a number")):
            command = [sys.executable, script, str(tmp_path), port]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 1
            assert said in done.stderr
            assert "Traceback" not in done.stderr
