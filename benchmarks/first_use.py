"""What a first use costs: processor seconds from an empty cache, beside an earlier revision.

    python benchmarks/first_use.py

Each row is a new process with an empty cache that plays one short race, and its children. Both
revisions take turns on the same machine, the least of `TURNS` counts, and the ratio is what to
read. Then a decision of `ids` from a warm cache in a new process, beyond imports, and how many
functions a second copy of the sources compiles.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).parents[1]
BEFORE = "5305f2a"  # before parts were linked and tapes and arrays left the loop
TURNS = 2
USUAL = "ids,minimax,asymptotic,ts-n,ucb-n,greedy,uniform"
ROWS = {  # policies, and the most that the ratio may be
    "greedy": None,
    "ids": 0.5,
    "minimax": 0.5,
    "asymptotic-sigma": 0.3,
    USUAL: 0.45,
}
RACE = """
import sys, sidelight as sl
sl.simulate(sl.gallery("bandit"), sys.argv[1].split(","), 100, 2)
"""
DECISION = """
import time, numba, sidelight as sl
from sidelight.player import Player
start = time.process_time()
Player("ids", sl.Feedback.bandit(5), horizon=1000).choose()
print(time.process_time() - start)
"""
COUNT = """
import sys, sidelight as sl
from numba.core import event
compiled = event.RecordingListener()
event.register("numba:compile", compiled)
sl.simulate(sl.gallery("bandit"), sys.argv[1].split(","), 100, 2)
print(len(compiled.buffer))
"""


def run(code: str, sources: Path, cache: Path, *arguments: str) -> tuple[float, str]:
    """Processor seconds of a process and its children, and what it printed."""
    apart = {**os.environ, "PYTHONPATH": str(sources / "src"), "NUMBA_CACHE_DIR": str(cache)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=apart,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, done.stdout


def cold(sources: Path, policies: str) -> float:
    """Processor seconds of a first race."""
    with tempfile.TemporaryDirectory() as cache:
        return run(RACE, sources, Path(cache), policies)[0]


def checked_out(revision: str, folder: Path) -> Path | None:
    """The sources of a revision, if this repository has it."""
    command = ["git", "-C", str(ROOT), "archive", revision, "src"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        return None
    with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def rows(before: Path | None) -> None:
    """A line for each race."""
    sys.stdout.write("first use, processor seconds         now    before   ratio   at most\n")
    for policies, most in ROWS.items():
        now, then = [], []
        for _ in range(TURNS):
            now.append(cold(ROOT, policies))
            if before is not None:
                then.append(cold(before, policies))
        name = "the usual seven" if policies == USUAL else policies
        line = f"{name:30} {min(now):10.1f}"
        if then:
            line += f"{min(then):10.1f}{min(now) / min(then):8.2f}"
        sys.stdout.write(f"{line}   {'' if most is None else most}\n")
        sys.stdout.flush()


def main() -> None:
    """Everything, on stdout."""
    with tempfile.TemporaryDirectory() as folder:
        before = checked_out(BEFORE, Path(folder))
        if before is None:
            sys.stdout.write(f"revision {BEFORE} is not in this clone: no ratios\n")
        rows(before)
        cache, copy = Path(folder) / "cache", Path(folder) / "copy"
        run(DECISION, ROOT, cache)
        _, beyond = run(DECISION, ROOT, cache)
        sys.stdout.write(f"a warm decision of ids, beyond imports: {float(beyond):.2f} s\n")
        run(RACE, ROOT, cache, "ids,greedy")
        shutil.copytree(ROOT / "src", copy / "src")
        _, compiled = run(COUNT, copy, cache, "ids,greedy")
        sys.stdout.write(f"a second copy of the sources compiles {int(compiled)} functions\n")


if __name__ == "__main__":
    main()
