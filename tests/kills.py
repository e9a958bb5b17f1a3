"""Kill a study at random moments, again and again, until it is finished.

    python tests/kills.py STUDY WHOLE FOLDER KILLS SEED

WHOLE is the folder of an uninterrupted run. Every run is a process of its own, ended by SIGKILL
after a random time; after each kill every cell that has its name must equal that of WHOLE, and
must still be the same file when the study ends: it was not computed again. A study that is finished
is begun afresh in another folder. Prints what it did as JSON; exits with 1 at the first fault.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from sidelight.simulate import simulate
from sidelight.study import Threads, read, run
from studies import contents


def begin(study_file: Path, folder: Path) -> int:
    """A process that runs the study; its number."""
    child = os.fork()
    if child:
        return child
    try:
        run(read(study_file), folder, Threads(2))
        os._exit(0)
    except BaseException:
        os._exit(1)


def finished(folder: Path) -> dict[str, int]:
    """Every cell with the number of its file on disk, which a second writing would change."""
    return {path.name: path.stat().st_ino for path in (folder / "cells").glob("*.parquet")}


def main(study_file: Path, whole: Path, folder: Path, kills: int, seed: int) -> dict[str, int]:
    """Kill so often; what happened."""
    rng = random.Random(seed)
    expected = contents(whole)
    for cell in read(study_file).cells:  # compile in the parent; no polars: its threads cannot fork
        simulate(cell.problem, cell.policy, 10, 1, threads=1)
    count = {"killed": 0, "studies": 0, "half written": 0, "runs that ended": 0}
    span = 1.0
    while count["killed"] < kills:
        target = folder / str(count["studies"])
        known: dict[str, int] = {}
        done = False
        while not done:
            start = time.monotonic()
            child = begin(study_file, target)
            time.sleep(rng.uniform(0, span) if count["killed"] < kills else 0)
            if count["killed"] < kills:
                os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            done = os.WIFEXITED(status)
            if done:
                assert os.WEXITSTATUS(status) == 0, "a run failed"
                span = max(0.05, 0.9 * (time.monotonic() - start))
                count["runs that ended"] += 1
            else:
                count["killed"] += 1
            count["half written"] += len(list((target / "cells").glob(".*.tmp")))
            found, now = contents(target), finished(target)
            assert found == {name: expected[name] for name in found}, (
                "a cell is not as it should be"
            )
            assert known.items() <= now.items(), "a finished cell was computed again"
            known = now
        assert contents(target) == expected, "the study is not that of an uninterrupted run"
        count["studies"] += 1
    return count


if __name__ == "__main__":
    study_file, whole, folder = map(Path, sys.argv[1:4])
    done = main(study_file, whole, folder, int(sys.argv[4]), int(sys.argv[5]))
    sys.stdout.write(json.dumps(done))
