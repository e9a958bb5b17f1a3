"""Processes that are ended by SIGKILL at random moments, and what they said before.

A run is a process of its own that works for ever and says in a pipe what was acknowledged. Every
other run is not killed before it said something, so that busy machines get there, too.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

# Seconds that a run may last after it was heard of: a server takes longer to begin and to answer.
FILE, SERVER = 0.15, 0.6
PATIENCE = 120  # seconds until a run must have said something

Work = Callable[[int], None]  # begins threads that write into this pipe


def killed(work: Work, where: str, run: int, rng: random.Random) -> list[str]:
    """The lines that a run said until it was killed."""
    heard, said = os.pipe()
    child = os.fork()
    if not child:
        _live(work, said)
    os.close(said)
    if run % 2:
        assert select.select([heard], [], [], PATIENCE)[0], "a run did nothing"
    time.sleep(rng.uniform(0, SERVER if "://" in where else FILE))
    os.kill(child, signal.SIGKILL)
    with os.fdopen(heard) as pipe:
        lines = pipe.read().splitlines()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "a run failed"
    return lines


def _live(work: Work, said: int) -> None:
    try:
        work(said)
        time.sleep(3600)
    except BaseException as error:
        os.write(2, repr(error).encode())
    finally:
        os._exit(1)


def by_script(name: str, where: str, kills: int, seed: int) -> dict[str, int]:
    """What a script of this folder counted; it forks, so it needs a process without threads."""
    command = [sys.executable, Path(__file__).with_name(name), where, kills, seed]
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=3000, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return dict(json.loads(done.stdout))
